"""Other anonymizers beside us: the same rows, k and l; results checked and scored by two measures."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from ..instances.adult import arx_adult, arx_hierarchy
from ..instances.roles import Roles
from ..models.box import Box, Interval
from ..models.categories import Ordered
from ..models.errors import InputError
from ..models.hierarchy import ROOT, Hierarchy
from ..models.history import History
from ..models.numeric import Numeric
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.recoding import Recoding
from ..models.release import Release, published_frame
from ..models.requirements import DistinctLDiversity, KCAnonymity
from ..models.table import Microdata, QISpec, Sensitive
from ..solver.insight.audit.audit import audit
from ..solver.result import Result
from ..solver.search import solve_problem
from .peer import Asked, Kind, Made, Peer
from .peer_tools import NOT_RUN, PEERS, pycanon_verdict
from .registry import Case, Row, case

NUMERIC = ("age",)
CATEGORICAL = ("sex", "education", "marital-status", "race")
OURS: dict[Kind, str] = {
    "groups": "ours, any groups",
    "levels": "ours, levels",
    "cells": "ours, hidden cells",
}
NODES, SETS = "loss by hierarchy nodes", "loss by printed sets"


@case
@dataclass(frozen=True, kw_only=True)
class Peers(Case):
    """anonypy, anonypyx, lighthouse, ANJANA, ARX and sdcMicro on Adult: verdicts, disclosure, losses, time.

    Tools that form any groups are measured against the least loss over all groupings, those that choose
    one level per column (ANJANA, ARX) against the least over all levels of the same hierarchies, sdcMicro's
    local suppression against the least number of hidden cells. Groups are scored twice:
    by the smallest hierarchy nodes over them, and by sets of values, as anonypy and anonypyx print them, of n
    categories (n - 1) / (all - 1), of numbers the range; levels and hidden cells by what is published. Ours
    is optimized for each in turn; for sets by ranges in the order of the hierarchies' leaves, which contain
    the sets. A suppressed tuple, of tools that suppress, loses everything. To sdcMicro a hidden cell may
    be any value, so that a row counts in many classes; here rows are one class if what is published of them
    is equal, which breaks k where it does not.
    """

    name: ClassVar[str] = "peers"
    small_settings: ClassVar[Mapping[str, Any]] = {"tuples": "60", "k": 3, "time_limit": 5}

    tuples: str = "1000,5000"
    k: int = 5
    l: int = 2  # noqa: E741 - the usual name
    time_limit: int = 240
    lighthouse: str = sys.executable
    """An interpreter that has project-lighthouse-anonymize."""
    arx: str = ""
    """A folder with ARX' jar and those it needs; Java runs it."""
    rscript: str = "Rscript"
    """R's command for scripts, for sdcMicro."""

    def run(self) -> list[Row]:
        """One row per number of tuples and tool, after two with our own results; times are CPU seconds.

        `least k, l` are the fewest tuples and different values of a group, `pyCANON` is what it says of
        the published table (groups with equal cells are one to it).

        `bound` is proven: no release loses less; `gap` is what ours may lose too much, as a share of it.
        `certain` counts people whose value is the only possible one, `worst` is the largest
        probability of any value, both exact. `x ours` is loss over the loss of our release, `x bound`
        loss over what is proven to be unavoidable (empty while nothing is), `time x ours` that of seconds.
        `memory` is what a tool needed beyond what was loaded, in MB (Linux only). The second table has the
        losses by printed sets.
        """
        rows: list[Row] = []
        for size in self._sizes():
            asked, problems = self._slice(size)
            ours: dict[Kind, _Ours] = {}
            sets: list[_Sets] = []
            for kind, problem in problems.items():
                ours[kind] = self._solved(problem)
                rows.append(self._ours(problem, kind, ours[kind]))
                sys.stderr.write(f"{rows[-1]}\n")
                if (found := ours[kind].result.release) is not None:
                    sets.append(_Sets(tool=rows[-1]["tool"], kind=kind, release=found))
            ranges = self._solved(self._ranges(asked))
            if ranges.result.release is not None:
                sets.append(_Sets(tool=RANGES, kind="groups", release=ranges.result.release))
            for peer in PEERS:
                row: Row = {"tuples": size, "tool": peer.name, "version": peer.version(asked)}
                told, made = self._theirs(peer, asked, problems[peer.kind], ours[peer.kind])
                rows.append(row | told)
                sys.stderr.write(f"{rows[-1]}\n")
                if made is not None:
                    sets.append(_Sets(tool=peer.name, kind=peer.kind, release=made))
            rows += [
                {"tuples": size, "tool": name, "status": f"not run: {why}"} for name, why in NOT_RUN.items()
            ]
            rows += _by_sets(asked, sets)
        return [{"figure": row.pop("figure", NODES), **row} for row in rows]

    def _sizes(self) -> list[int]:
        try:
            return [int(part) for part in self.tuples.split(",")]
        except ValueError as error:
            raise InputError(
                f"tuples must be whole numbers with commas between, got {self.tuples!r}"
            ) from error

    def _slice(self, size: int) -> tuple[Asked, dict[Kind, Problem]]:
        frame = arx_adult().frame.sample(size, random_state=self.seed).reset_index(drop=True)
        hierarchies = {name: arx_hierarchy(name) for name in (*NUMERIC, *CATEGORICAL)}
        asked = Asked(
            frame=frame,
            numeric=NUMERIC,
            categorical=CATEGORICAL,
            sensitive="occupation",
            k=self.k,
            l=self.l,
            hierarchies=hierarchies,
            lighthouse=self.lighthouse,
            arx=self.arx,
            rscript=self.rscript,
        )
        specs: dict[str, QISpec] = {"age": Numeric.of("age", frame["age"].tolist())}
        specs |= {name: hierarchies[name] for name in CATEGORICAL}
        roles = Roles(respondent="id", quasi_identifiers=specs, sensitive=Sensitive(name="occupation"))
        table, wanted = roles.table(frame), [KCAnonymity(k=self.k), DistinctLDiversity(l=self.l)]
        levels = {name: hierarchies[name] for name in NUMERIC}
        return asked, {
            "groups": Problem(table=table, policy=Policy(wanted)),
            "levels": Problem(table=table, policy=Policy(wanted, recoding="full_domain", hierarchies=levels)),
            "cells": Problem(table=self._or_nothing(asked), policy=Policy(wanted)),
        }

    def _or_nothing(self, asked: Asked) -> Microdata:
        """The same rows where a cell is its value or nothing: what is lost is the number of hidden cells."""
        flat: dict[str, QISpec] = {
            name: Hierarchy(tuple((leaf, ROOT) for leaf in asked.hierarchies[name].leaves))
            for name in asked.public
        }
        roles = Roles(respondent="id", quasi_identifiers=flat, sensitive=Sensitive(name=asked.sensitive))
        return roles.table(asked.frame.astype(dict.fromkeys(asked.numeric, str)))

    def _ranges(self, asked: Asked) -> Problem:
        """The same with ranges of categories in the order of the hierarchies' leaves."""
        frame = asked.frame
        specs: dict[str, QISpec] = {name: Numeric.of(name, frame[name].tolist()) for name in asked.numeric}
        for name in asked.categorical:
            specs[name] = Ordered(name=name, categories=asked.hierarchies[name].leaves)
        roles = Roles(respondent="id", quasi_identifiers=specs, sensitive=Sensitive(name=asked.sensitive))
        return Problem(
            table=roles.table(frame), policy=Policy([KCAnonymity(k=self.k), DistinctLDiversity(l=self.l)])
        )

    def _solved(self, problem: Problem) -> _Ours:
        began = time.process_time()
        result = solve_problem(problem, time_limit=self.time_limit, seed=self.seed, display=False)
        bound = result.bounds[0] if result.bounds else None
        return _Ours(result=result, bound=bound or Fraction(0), seconds=time.process_time() - began)

    def _ours(self, problem: Problem, kind: Kind, ours: _Ours) -> Row:
        row: Row = {
            "tuples": len(problem.table),
            "tool": OURS[kind],
            "version": None,
            "status": ours.result.status.value,
            "bound": round(float(ours.bound), 2),
            "gap": None,
            "seconds": round(ours.seconds, 2),
        }
        if ours.result.release is None or ours.result.objective is None:
            return row
        if ours.bound:
            row["gap"] = f"{float(ours.result.objective[0] / ours.bound - 1):.1%}"
        return row | self._judged(problem, ours.result.release)

    def _judged(self, problem: Problem, release: Release) -> Row:
        k, l = problem.policy.requirements  # noqa: E741
        found = audit(History([release]), explain=False).releases[-1].persistent
        assert found is not None, "the audit was asked about values that never change"
        opinion = pycanon_verdict(
            published_frame(release), problem.table.attributes, problem.table.sensitive.name
        )
        return {
            "groups": len(release.groups),
            "least k, l": f"{min(g.size for g in release.groups)}, "
            f"{min(len(g.signature) for g in release.groups)}",
            "pyCANON": None if opinion is None else f"{opinion[0]}, {opinion[1]}",
            "k": _verdict(next(k.check(release, problem.history), None)),
            "l": _verdict(next(l.check(release, problem.history), None)),
            "certain": found.exact,
            "worst": None if found.worst is None else round(float(found.worst), 3),
            "loss": round(float(problem.objective(release)[0]), 2),
        }

    def _theirs(self, peer: Peer, asked: Asked, problem: Problem, ours: _Ours) -> tuple[Row, Release | None]:
        if peer.version(asked) is None:
            return {"status": f"not installed: {peer.remedy}"}, None
        watch = _Memory()
        began = time.process_time()
        try:
            made = peer.run(asked)
        except Exception as error:
            return {"status": f"failed: {type(error).__name__}: {error}"[:200]}, None
        took = time.process_time() - began if made.seconds is None else made.seconds
        memory = watch.rise() if made.mega is None else made.mega
        release = _release(problem, made)
        row: Row = {"status": "made"} | self._judged(problem, release) | {"seconds": round(took, 2)}
        row["suppressed"] = len(release.suppressed)
        row["memory"] = None if memory is None else round(memory)
        loss = problem.objective(release)[0]
        if ours.result.objective and ours.result.objective[0]:
            row["x ours"] = round(float(loss / ours.result.objective[0]), 3)
        if ours.bound:
            row["x bound"] = round(float(loss / ours.bound), 3)
        row["time x ours"] = round(took / ours.seconds, 3) if ours.seconds else None
        return row, release


@dataclass(frozen=True, kw_only=True)
class _Ours:
    """Our release, what is proven, and CPU seconds for both."""

    result: Result
    bound: Fraction
    seconds: float


RANGES = "ours, any groups, by ranges"


@dataclass(frozen=True, kw_only=True)
class _Sets:
    """A release whose loss is measured by printed sets."""

    tool: str
    kind: Kind
    release: Release


class _Memory:
    """How far this process' memory rises above what it is now; Linux counts the peak from here on."""

    def __init__(self) -> None:
        self._before = self._now()
        if self._before is not None:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")

    def rise(self) -> float | None:
        """In MB; None where the system does not tell."""
        peak = self._now("VmHWM")
        return None if self._before is None or peak is None else max(0.0, peak - self._before)

    @staticmethod
    def _now(line: str = "VmRSS") -> float | None:
        try:
            status = Path("/proc/self/status").read_text(encoding="ascii")
        except OSError:
            return None
        return next(int(found.split()[1]) / 1024 for found in status.splitlines() if found.startswith(line))


def _by_sets(asked: Asked, sets: Sequence[_Sets]) -> list[Row]:
    """Losses of the sets that groups print, beside our best one of the same kind."""
    losses = [_set_loss(asked, one) for one in sets]
    rows: list[Row] = []
    for one, loss in zip(sets, losses, strict=True):
        own = [
            other
            for mine, other in zip(sets, losses, strict=True)
            if mine.tool.startswith("ours") and mine.kind == one.kind
        ]
        row: Row = {
            "figure": SETS,
            "tuples": len(asked.frame),
            "tool": one.tool,
            "loss": round(float(loss), 2),
        }
        if own and min(own):
            row["x ours"] = round(float(loss / min(own)), 3)
        rows.append(row)
    return rows


def _set_loss(asked: Asked, one: _Sets) -> Fraction:
    """Sum over tuples and columns: the share of the other values of a column that its set holds, too."""
    spans = {name: int(asked.frame[name].max() - asked.frame[name].min()) for name in asked.numeric}
    total = Fraction(len(one.release.suppressed) * len(asked.public))
    for group in one.release.groups:
        for a, name in enumerate(asked.public):
            cell = (group.box or ())[a]
            if isinstance(cell, Interval):
                share = Fraction(cell.hi - cell.lo) / spans[name]
            else:
                printed = len({m.point[a] for m in group.members} if one.kind == "groups" else cell.values)
                share = Fraction(printed - 1, max(1, len(asked.hierarchies[name].leaves) - 1))
            total += group.size * share
    return total


def _release(problem: Problem, made: Made) -> Release:
    if made.levels:
        levels = tuple(made.levels[name] for name in problem.table.attributes)
        recoding = Recoding(ladders=problem.ladders, levels=levels)
        boxes = [recoding.box(problem.table.codes[rows[0]].tolist()) for rows in made.groups]
        return problem.assemble(made.groups, boxes=boxes)
    if made.hidden:
        return problem.assemble(made.groups, boxes=_with_hidden(problem, made))
    return problem.assemble(made.groups)


def _with_hidden(problem: Problem, made: Made) -> list[Box]:
    """A group's box: everything where the cells of its rows are hidden."""
    (everybody,) = problem.assemble([range(len(problem.table))]).groups
    assert everybody.box is not None, "groups are generalized"
    boxes: list[Box] = []
    for rows in made.groups:
        (alone,) = problem.assemble([rows]).groups
        assert alone.box is not None, "groups are generalized"
        boxes.append(
            tuple(
                whole if rows[0] in made.hidden.get(name, ()) else cell
                for name, cell, whole in zip(problem.table.attributes, alone.box, everybody.box, strict=True)
            )
        )
    return boxes


def _verdict(found: object) -> str:
    return "kept" if found is None else "broken"
