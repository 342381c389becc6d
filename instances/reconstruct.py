"""Who is in which group of a published table: read membership back from the public copy.

The steward knows the microdata, the public copy shows boxes and values. Tuples are
assigned to groups (see `membership`): every tuple goes to a group whose box covers it and
that publishes its value, every group gets as many tuples as it publishes without
counterfeits. If several assignments fit, the public copy alone does not tell which one
was meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from ..models.box import Box
from ..models.column_names import FAKES, GROUP
from ..models.errors import ReleaseError
from ..models.group import Member
from ..models.release import QIGroup, Release
from ..models.table import Microdata
from .membership import Memberships, memberships
from .steward_copy import NEEDED, box_in_row

__all__ = ["OTHER_GROUPS", "public_release"]

OTHER_GROUPS = "the public copy has other groups than the certificate says"


def public_release(
    frame: pd.DataFrame,
    table: Microdata,
    *,
    suppressed: int = 0,
    unique: bool = True,
    published: bool = False,
    known: Sequence[Sequence[int]] | None = None,
) -> Release:
    """Rebuild a generalized release of `table` from its public copy.

    Parameters
    ----------
    frame : DataFrame
        Columns: group, the quasi-identifiers' published cells, the sensitive column, and
        `counterfeits` (number in the row's group) if there are any.
    table : Microdata
        The steward's table it was made from.
    suppressed : int
        How many tuples may be missing from the public copy.
    unique : bool
        Refuse if more than one assignment of tuples to groups fits; otherwise any one
        that fits is returned (enough for requirements on published values alone).
    published : bool
        Refuse at least if others than those that are found may have been left out.
    known : sequence of sequences of int, optional
        Rows of the table (from 0) in each group, in the order of the copy's groups, where a certificate
        says so: nothing is sought then, and other memberships than these are refused.

    Raises
    ------
    ReleaseError
        If a column is missing or a cell unreadable, no assignment fits, or several do.

    Notes
    -----
    Memberships that are forced take time linear in different tuples x different boxes; what is left takes one
    maximum flow and one strongly-connected-components pass.
    """
    boxes, histograms, fakes = _groups(frame, table)
    people = {g: sum(histograms[g].values()) - fakes[g] for g in boxes}
    missing = len(table) - sum(people.values())
    if not 0 <= missing <= suppressed:
        raise ReleaseError(
            f"the public copy holds {sum(people.values())} real tuples, the table {len(table)}, "
            f"and the policy allows {suppressed} suppressed tuples"
        )
    if known is not None:
        return _known(table, boxes, histograms, known)
    found = memberships(table, boxes, histograms, people, missing)
    _refuse_ambiguous(found, unique=unique, published=published)
    return _release(table, found.rows, boxes, histograms)


def _refuse_ambiguous(found: Memberships, *, unique: bool, published: bool) -> None:
    if published and found.others_left_out:
        raise ReleaseError(
            f"the public copy does not say who was left out, and what follows depends on it: {NEEDED}"
        )
    if unique and found.several:
        raise ReleaseError(
            f"the public copy fits the table in several ways, and with a history they differ: {NEEDED}"
        )


def _fits(table: Microdata, box: Box, member: Member) -> bool:
    """Whether a tuple may be in a box, wherever rounded numbers of it truly are."""
    parts = zip(table.domains, box, member.point, strict=True)
    return all(domain.holds(cell, value) for domain, cell, value in parts)


def _groups(
    frame: pd.DataFrame, table: Microdata
) -> tuple[dict[str, Box], dict[str, Counter[str]], dict[str, int]]:
    """Box, histogram and number of counterfeits of each group."""
    needed = [GROUP, *table.attributes, table.sensitive.name]
    for name in needed:
        if name not in frame.columns:
            raise ReleaseError(f"the release has no column {name!r}: it needs {', '.join(needed)}")
    text = frame.astype("string").fillna("")
    boxes: dict[str, Box] = {}
    labels: dict[str, tuple[str, ...]] = {}
    histograms: dict[str, Counter[str]] = {}
    fakes: dict[str, int] = {}
    invented = text[FAKES].tolist() if FAKES in text.columns else ["0"] * len(text)
    for number, (row, extra) in enumerate(
        zip(text[needed].itertuples(index=False, name=None), invented, strict=True), start=1
    ):
        group, cells, value = row[0], row[1:-1], row[-1]
        if labels.setdefault(group, cells) != cells:
            raise ReleaseError(f"row {number}: group {group} has different cells in an earlier row")
        if group not in boxes:
            boxes[group] = box_in_row(number, table.domains, cells)
        histograms.setdefault(group, Counter())[value] += 1
        if not str(extra).isdigit() or fakes.setdefault(group, int(extra)) != int(extra):
            raise ReleaseError(f"row {number}: column {FAKES!r} must hold one number per group")
    return boxes, histograms, fakes


def _known(
    table: Microdata,
    boxes: Mapping[str, Box],
    histograms: Mapping[str, Counter[str]],
    known: Sequence[Sequence[int]],
) -> Release:
    """The release with these memberships."""
    other = ReleaseError(OTHER_GROUPS)
    if len(known) != len(boxes) or any(not 0 <= t < len(table) for rows in known for t in rows):
        raise other
    rows_of = dict(zip(boxes, known, strict=True))
    for g, rows in rows_of.items():
        members = [table.members[t] for t in rows]
        values = Counter(member.value for member in members)
        if not rows or values - histograms[g] or not all(_fits(table, boxes[g], m) for m in members):
            raise other
    return _release(table, rows_of, boxes, histograms)


def _release(
    table: Microdata,
    rows: Mapping[str, Sequence[int]],
    boxes: Mapping[str, Box],
    histograms: Mapping[str, Counter[str]],
) -> Release:
    placed = {t for members in rows.values() for t in members}
    groups: list[QIGroup] = []
    for g, box in boxes.items():
        members = tuple(table.members[t] for t in rows[g])
        extra = histograms[g] - Counter(member.value for member in members)
        groups.append(QIGroup(members=members, counterfeits=tuple(sorted(extra.items())), box=box))
    return Release(
        groups=tuple(groups),
        suppressed=tuple(member for t, member in enumerate(table.members) if t not in placed),
        attributes=table.attributes,
        sensitive=table.sensitive.name,
    )
