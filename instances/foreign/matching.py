"""Which tuples of the table can be behind the records of a release made elsewhere.

Respondents or the order of rows tell it exactly; where a file names respondents, records without one are
counterfeits. Otherwise every record needs a tuple of its
own that lies in its cells and has its sensitive value; tuples left over are suppressed.
Such an assignment is a flow from kinds of tuples (equal quasi-identifiers and value) to kinds
of records (group and value). Another one exists if a tuple's unused way into a group lies on a
cycle of the residual graph, or a kind of tuples is divided between groups.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow

from ...models.errors import ReleaseError
from ...models.table import Microdata
from .notation import CoveredValues
from .rows import ForeignRow, ForeignTable

__all__ = ["How", "Match", "match_rows"]

How: TypeAlias = Literal["respondents", "order", "fit"]
Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Match:
    """Who is behind which records.

    Attributes
    ----------
    how : {"respondents", "order", "fit"}
        By ids, by the order of rows, or one assignment that fits.
    group : int64 array, shape (tuples,)
        Index of each tuple's group; -1 if suppressed.
    uncertain : int
        Tuples that may as well be elsewhere; 0 if memberships are certain.
    counterfeits : tuple of (group, value)
        One per invented record.
    """

    how: How
    group: Ints
    uncertain: int
    counterfeits: tuple[tuple[int, str], ...] = ()


def match_rows(found: ForeignTable, table: Microdata, how: How | Literal["auto"] = "auto") -> Match:
    """Find the tuples behind the records.

    Parameters
    ----------
    found : ForeignTable
    table : Microdata
    how : {"auto", "respondents", "order", "fit"}
        ``"order"``: row i is tuple i. ``"auto"``: by respondents if the file names them, else by fit.

    Raises
    ------
    ReleaseError
        Naming the row that nobody, or not the respondent it names, can be behind.

    Notes
    -----
    One maximum flow over at most (kinds of tuples) x (groups that cover them) edges.
    """
    if how not in ("auto", "respondents", "order", "fit"):
        raise ReleaseError(f"match must be 'auto', 'respondents', 'order' or 'fit', got {how!r}")
    if found.records > len(table):
        without = f" without the {table.dropped} that lack a value (drop_missing)" if table.dropped else ""
        counted = any(row.count > 1 for row in found.rows)
        other = "; if its counts mean something else, say count=None (--count '')" if counted else ""
        raise ReleaseError(
            f"the release has {found.records} records, the table {len(table)} tuples{without}: somebody "
            "would be there twice; give the table it was made from, or, if some are counterfeits, add a "
            f"column {table.respondent!r} that is empty for these{other}"
        )
    named = all(row.respondent is not None for row in found.rows)
    if how == "respondents" and not named:
        raise ReleaseError(
            f"the release has no column {table.respondent!r} of respondents: add it, or use match='fit'"
        )
    if how == "respondents" or (how == "auto" and named):
        return _told(found, table, _by_respondent(found, table), "respondents")
    if how == "order":
        if found.records != len(found.rows) or len(found.rows) != len(table):
            raise ReleaseError(
                f"match='order' needs one row per tuple: the release has {len(found.rows)} rows, the table "
                f"{len(table)}: use match='fit'"
            )
        return _told(found, table, range(len(table)), "order")
    return _fitted(found, table)


# -- told ----------------------------------------------------------------------------------------


def _by_respondent(found: ForeignTable, table: Microdata) -> list[int]:
    seen: dict[str, int] = {}
    tuples: list[int] = []
    for row in found.rows:
        if row.counterfeit:
            continue
        who = row.respondent or ""
        if who not in table.row:
            raise ReleaseError(
                f"column {table.respondent!r}, row {row.row}: the table has no such respondent: correct it, "
                "or use match='fit'"
            )
        if seen.setdefault(who, row.row) != row.row or row.count != 1:
            raise ReleaseError(
                f"column {table.respondent!r}, row {row.row}: the respondent is there more than once: keep "
                "one row each"
            )
        tuples.append(table.row[who])
    return tuples


def _told(found: ForeignTable, table: Microdata, tuples: Sequence[int], how: How) -> Match:
    group = np.full(len(table), -1, dtype=np.int64)
    for row, t in zip([row for row in found.rows if not row.counterfeit], tuples, strict=True):
        if row.value is not None and table.members[t].value != row.value:
            raise ReleaseError(
                f"column {table.sensitive.name!r}, row {row.row}: the sensitive value is not that of the "
                "respondent: give the table it was made from, or use match='fit'"
            )
        if row.group is None:
            continue
        for a, reading in enumerate(found.readings[row.group]):
            if not _covered(reading, table.codes[t : t + 1, a])[0]:
                raise ReleaseError(
                    f"column {table.attributes[a]!r}, row {row.row}: the cell {reading.cell} does not cover "
                    "the respondent's own value: correct it, or use match='fit'"
                )
        group[t] = row.group
    return Match(how=how, group=group, uncertain=0, counterfeits=_invented(found, table, set(group.tolist())))


def _invented(found: ForeignTable, table: Microdata, groups: Container[int]) -> tuple[tuple[int, str], ...]:
    """Group and value of every counterfeit."""
    invented: list[tuple[int, str]] = []
    for row in found.rows:
        if not row.counterfeit:
            continue
        if row.group is None or row.value is None or row.group not in groups:
            raise ReleaseError(
                f"column {table.respondent!r}, row {row.row}: the record has no respondent, so it is a "
                "counterfeit, and nobody is in a group with it: name the respondent, or leave the row out"
            )
        invented += [(row.group, row.value)] * row.count
    return tuple(invented)


def _covered(reading: CoveredValues, codes: Ints) -> NDArray[np.bool_]:
    inside = (codes >= reading.lo) & (codes <= reading.hi)
    if reading.codes is not None:
        inside &= np.isin(codes, np.fromiter(reading.codes, dtype=np.int64))
    return inside


# -- fitted --------------------------------------------------------------------------------------


class _Target(NamedTuple):
    """A kind of records: group (None if suppressed) and value (None for any)."""

    group: int | None
    value: str | None


class _Kinds:
    """Tuples with equal quasi-identifiers and value."""

    def __init__(self, table: Microdata) -> None:
        self.values = sorted(table.histogram)
        rank = {value: i for i, value in enumerate(self.values)}
        own = np.array([rank[member.value] for member in table.members], dtype=np.int64)
        joint, self.home, self.size = np.unique(
            np.column_stack([table.codes, own]), axis=0, return_inverse=True, return_counts=True
        )
        self.home = self.home.reshape(-1)
        self.codes, self.value = joint[:, :-1], joint[:, -1]
        self.of_value = {value: np.flatnonzero(self.value == i) for value, i in rank.items()}

    def __len__(self) -> int:
        return len(self.size)

    def within(self, readings: Sequence[CoveredValues], among: Ints) -> Ints:
        """Those of some kinds that lie in a box."""
        inside = np.ones(len(among), dtype=bool)
        for a, reading in enumerate(readings):
            inside &= _covered(reading, self.codes[among, a])
        return among[inside]


def _fitted(found: ForeignTable, table: Microdata) -> Match:
    kinds = _Kinds(table)
    needs: dict[_Target, int] = {}
    first: dict[_Target, ForeignRow] = {}
    for row in found.rows:
        if row.counterfeit:
            continue
        target = _Target(row.group, row.value)
        needs[target] = needs.get(target, 0) + row.count
        first.setdefault(target, row)
    missing = len(table) - found.records
    if missing:  # records left out of the file
        needs[_Target(None, None)] = needs.get(_Target(None, None), 0) + missing
    targets = list(needs)
    ways = [_ways(found, kinds, target) for target in targets]
    for target, way in zip(targets, ways, strict=True):
        if not len(way):
            raise ReleaseError(_nobody(found, table, kinds, first[target]))
    amounts = _flow(kinds, ways, [needs[target] for target in targets])
    if sum(map(sum, amounts)) < len(table):
        raise ReleaseError(_too_few(found, kinds, targets, needs, ways, amounts))
    group = np.full(len(table), -1, dtype=np.int64)
    rows = [np.flatnonzero(kinds.home == kind).tolist() for kind in range(len(kinds))]
    for target, way, given in zip(targets, ways, amounts, strict=True):
        for kind, amount in zip(way.tolist(), given, strict=True):
            for _ in range(amount):
                t = rows[kind].pop()
                group[t] = -1 if target.group is None else target.group
    return Match(
        how="fit",
        group=group,
        uncertain=int(kinds.size[_loose(kinds, targets, ways, amounts)].sum()),
        counterfeits=_invented(found, table, set(group.tolist())),
    )


def _ways(found: ForeignTable, kinds: _Kinds, target: _Target) -> Ints:
    everybody = np.arange(len(kinds), dtype=np.int64)
    among = everybody if target.value is None else kinds.of_value[target.value]
    return among if target.group is None else kinds.within(found.readings[target.group], among)


def _flow(kinds: _Kinds, ways: Sequence[Ints], needs: Sequence[int]) -> list[list[int]]:
    """How many tuples of each kind go each way, for every target."""
    n, m = len(kinds), len(ways)
    source, sink = n + m, n + m + 1
    tails = np.concatenate([np.full(n, source), *ways, np.arange(n, n + m)]).astype(np.int32)
    heads = np.concatenate(
        [np.arange(n), *(np.full(len(way), n + j) for j, way in enumerate(ways)), np.full(m, sink)]
    ).astype(np.int32)
    room = np.concatenate([kinds.size, *(kinds.size[way] for way in ways), np.array(needs)])
    graph = csr_array((room.astype(np.int32), (tails, heads)), shape=(n + m + 2, n + m + 2))
    flow = maximum_flow(graph, source, sink).flow.tocsc()
    found: list[list[int]] = []
    for j, way in enumerate(ways):
        column = slice(flow.indptr[n + j], flow.indptr[n + j + 1])
        given = dict(zip(flow.indices[column].tolist(), flow.data[column].tolist(), strict=True))
        found.append([given.get(kind, 0) for kind in way.tolist()])
    return found


def _loose(
    kinds: _Kinds, targets: Sequence[_Target], ways: Sequence[Ints], amounts: Sequence[Sequence[int]]
) -> list[int]:
    """Kinds of tuples of which somebody may as well be in another group, or in or out of one."""
    n, m = len(kinds), len(ways)
    tails: list[int] = []
    heads: list[int] = []
    for j, (way, given) in enumerate(zip(ways, amounts, strict=True)):
        for kind, amount in zip(way.tolist(), given, strict=True):
            if amount < kinds.size[kind]:
                tails.append(kind)
                heads.append(n + j)
            if amount:
                tails.append(n + j)
                heads.append(kind)
    graph = csr_array((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(n + m, n + m))
    _, part = connected_components(graph, directed=True, connection="strong")
    loose: set[int] = set()
    for j, (way, given) in enumerate(zip(ways, amounts, strict=True)):
        if targets[j].group is None:
            continue  # suppressed is suppressed, whichever record it is; other ways show who may be so
        for kind, amount in zip(way.tolist(), given, strict=True):
            if 0 < amount < kinds.size[kind] or part[kind] == part[n + j]:
                loose.add(kind)
    return sorted(loose)


# -- why nothing fits ----------------------------------------------------------------------------


def _nobody(found: ForeignTable, table: Microdata, kinds: _Kinds, row: ForeignRow) -> str:
    """One kind of records fits no tuple."""
    assert row.group is not None, "a suppressed record can be anybody with its value"
    readings = found.readings[row.group]
    own = kinds.of_value[row.value or ""]
    anybody = len(kinds.within(readings, np.arange(len(kinds), dtype=np.int64)))
    alone = [name for a, name in enumerate(table.attributes) if _without(kinds, readings, a, own)]
    where = f"row {row.row} can be nobody: no tuple of the table lies in its cells"
    if anybody:
        where = (
            f"row {row.row} can be nobody: no tuple in its cells has its value of {table.sensitive.name!r}"
        )
    if alone:
        where += f"; column {' or column '.join(map(repr, alone))} alone rules them out"
    return f"{where}: correct the row, or give the table the release was made from"


def _without(kinds: _Kinds, readings: Sequence[CoveredValues], skipped: int, among: Ints) -> bool:
    inside = np.ones(len(among), dtype=bool)
    for a, reading in enumerate(readings):
        if a != skipped:
            inside &= _covered(reading, kinds.codes[among, a])
    return bool(inside.any())


def _too_few(
    found: ForeignTable,
    kinds: _Kinds,
    targets: Sequence[_Target],
    needs: dict[_Target, int],
    ways: Sequence[Ints],
    amounts: Sequence[Sequence[int]],
) -> str:
    """Kinds of records that together need more tuples than fit them (Hall's condition fails)."""
    short = next(j for j, target in enumerate(targets) if sum(amounts[j]) < needs[target])
    served: dict[int, list[int]] = {}
    for j, (way, given) in enumerate(zip(ways, amounts, strict=True)):
        for kind, amount in zip(way.tolist(), given, strict=True):
            if amount:
                served.setdefault(kind, []).append(j)
    crowd, people, pending = {short}, set[int](), [short]
    while pending:
        for kind in set(ways[pending.pop()].tolist()) - people:
            people.add(kind)
            for j in set(served.get(kind, [])) - crowd:
                crowd.add(j)
                pending.append(j)
    wanted = sum(needs[targets[j]] for j in crowd)
    inside = {targets[j] for j in crowd}
    real = [row for row in found.rows if not row.counterfeit]
    rows = [row.row for row in real if _Target(row.group, row.value) in inside]
    last = [row.row for row in real if _Target(row.group, row.value) == targets[short]][-1]
    listed = ", ".join(map(str, rows[:10])) + (", ..." if len(rows) > 10 else "")
    return (
        f"row {last} can be nobody: rows {listed} need {wanted} different tuples, and only "
        f"{int(kinds.size[sorted(people)].sum())} tuples of the table fit any of them: correct them, or give "
        "the table the release was made from"
    )
