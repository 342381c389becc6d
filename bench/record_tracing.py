"""Record tracing two ways: matchings of single records, and the residual graph of the true one."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ..models.adversary.matching import Matchings
from ..models.adversary.tracing import Trace, Tracer
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirements.k_c_anonymity import KCAnonymity
from ..solver.baselines.mondrian import mondrian_static
from .byun import Byun
from .registry import Case, Row, case


@case
@dataclass(frozen=True, kw_only=True)
class RecordTracingCase(Case):
    """Adult in two Mondrian releases: who can be traced, by matchings of records and the fast way; seconds.

    The second release has half as many people again. Both ways trace every record forward and backward
    to whoever fits, not only those that fit fewer than k; they must name the same people.

    Parameters
    ----------
    tuples : str
        Sizes of the first release, comma-separated.
    k : int
    c : str
    """

    name: ClassVar[str] = "record-tracing"
    small_settings: ClassVar[Mapping[str, Any]] = {"tuples": "100,200"}

    tuples: str = "500,1000,2000,4000"
    k: int = 5
    c: str = "0.7"

    def run(self) -> list[Row]:
        """One row per size."""
        rows: list[Row] = []
        for first in map(int, self.tuples.split(",")):
            old, new = self._releases(first)
            row: Row = {"tuples": first, "then": len(new.members), "groups": len(new.groups)}
            began = time.process_time()
            slow = Matchings(old, new)
            found = _traces(slow)
            row |= {"edges": slow.edges, "by matchings, s": round(time.process_time() - began, 3)}
            began = time.process_time()
            other = _traces(Tracer(old, new))
            row["by residual graph, s"] = round(time.process_time() - began, 3)
            if found != other:
                raise AssertionError(f"the two ways disagree on {first} people")
            row["records traced"] = sum(len(t.owners) for t in found if len(t.candidates) < self.k)
            rows.append(row)
            sys.stderr.write(f"{row}\n")
        return rows

    def _releases(self, first: int) -> tuple[Release, Release]:
        frame, roles, _ = Byun(seed=self.seed).population()
        policy = Policy([KCAnonymity(k=self.k, c=Fraction(self.c))])
        old, new = (
            mondrian_static(Problem(table=roles.table(frame.head(rows)), policy=policy), self.seed)
            for rows in (first, first + first // 2)
        )
        return old, new


def _traces(judge: Matchings | Tracer) -> list[Trace]:
    everybody = len(judge.people) + 1
    return [*judge.traces("forward", "exact", everybody), *judge.traces("backward", "exact", everybody)]
