"""A bound by what set intersection alone forbids.

Whoever can be inferred from nobody keeps as many values as are needed, so its new group publishes as many of
those that all of its earlier groups have in common (its mask). That is asked of each group by itself, so a
linear program over all such groups, priced box by box, bounds every release that withstands. Where few come
back it is far above the bound of the rest of the policy: up to a sixth in third releases of Diabetes-130.
Releases of the program's groups, by diving, are a start that is near it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .....models.box_measure import BoxMeasure
from .....models.problem import Problem
from .....models.problem_view import smallest_group
from .....models.requirements import ResistsInference
from ....claims import MetClaim, WrittenDuals
from ....colgen.boxes.met_pricing import MetPricing
from ....colgen.column import Column
from ....colgen.covering import Ints, home_of, tuples_of
from ....colgen.duals import DualBound
from ....colgen.generation import Generation
from ....colgen.master import RestrictedMaster
from ....colgen.pool import Pool
from ....colgen.primal.diving import Dives
from ....colgen.structure.histograms import Histograms, Judge
from ....colgen.table import Rows
from ....settings import Clock
from ..easier import part_of
from .limits import WITHSTAND_LIMITS as LIMITS

__all__ = ["MetBound", "MetProgram", "masks_of"]


def masks_of(problem: Problem) -> list[int]:
    """The values that each tuple's earlier groups have in common, as bits in the order of their names."""
    bit = {value: 1 << v for v, value in enumerate(sorted(problem.table.histogram))}
    records = problem.history.records
    return [
        -1 if (known := records.get(m.respondent)) is None else sum(bit.get(v, 0) for v in known.inferable)
        for m in problem.table.members
    ]


@dataclass(frozen=True, kw_only=True)
class MetBound:
    """What the linear program proves.

    Attributes
    ----------
    bound : Fraction
        Of the policy's only level.
    claim : MetClaim
    program : MetProgram
        As it was solved.
    """

    bound: Fraction
    claim: MetClaim
    program: MetProgram

    @classmethod
    def of(
        cls, problem: Problem, rule: ResistsInference, known: Sequence[Sequence[int]], clock: Clock
    ) -> MetBound | None:
        """None if masks say nothing, boxes are too many, or nothing is proven in time.

        Parameters
        ----------
        problem, rule
        known : sequence of sequence of int
            Rows of groups to begin with; they need not keep the masks.
        clock : Clock
        """
        mask = masks_of(problem)
        if rule.knowledge is not None or all(bits == -1 for bits in mask) or not _alone(problem):
            return None
        measure = BoxMeasure.of(problem.policy.levels[0], problem.table)
        histograms = Histograms.of(part_of(problem, ()))
        if measure is None or isinstance(histograms, str) or len(problem.table) > LIMITS.met_tuples:
            return None
        numbers = {bits: n for n, bits in enumerate(sorted(set(mask)))}
        rows = Rows.of(problem, kinds=[numbers[bits] for bits in mask])
        own = np.array([mask[behind[0]] for behind in rows.tuples], dtype=np.int64)
        pricing = MetPricing.of(rows, histograms, own, smallest_group(problem), rule.needed, clock)
        if pricing is None:
            return None
        return MetProgram(pricing, Judge(problem), clock).found(known, measure.factor)


def _alone(problem: Problem) -> bool:
    """Whether nobody is left out or invented, and one level is all there is."""
    policy = problem.policy
    counted = policy.counterfeit_limit == 0 and not policy.suppression_limit(len(problem.table))
    return counted and len(policy.levels) == 1 and policy.form == "generalized"


class MetProgram:
    """The linear program over groups that keep the masks; `judge` knows the rest of the policy."""

    def __init__(self, pricing: MetPricing, judge: Judge, clock: Clock) -> None:
        rows = pricing.rows
        self.pricing, self.judge, self.clock, self.best = pricing, judge, clock, DualBound(pricing)
        self.home: Ints = home_of(rows)
        self.master = RestrictedMaster(
            pricing, pricing.cuts, float(rows.dearest), penalty=float(rows.dearest)
        )
        self.generation = Generation(
            pricing,
            self.master,
            clock,
            self.best,
            per_anchor=LIMITS.met_anchor,
            most_nodes=LIMITS.met_nodes,
            first_nodes=LIMITS.met_nodes,
            close=LIMITS.met_close,
            few=len(rows) // LIMITS.met_few,
        )

    def found(self, known: Sequence[Sequence[int]], factor: Fraction) -> MetBound | None:
        """Solve it, as far as there is time."""
        rows, groups = self.pricing.rows, [tuple(sorted(self.home[list(group)].tolist())) for group in known]
        kept = [Column(group) for group in groups if self._kept(group)]
        self.master.add(kept)
        paid = np.zeros(len(rows))
        for group, cost in zip(groups, rows.group_costs(groups), strict=True):
            np.add.at(paid, list(group), cost / len(group))
        self.generation.begin(paid / rows.count)
        self.generation.run(LIMITS.met_smoothing)
        duals = self.best.duals
        if duals is None or self.best.bound <= 0:
            return None
        claim = MetClaim(
            level=0,
            root=WrittenDuals(scale=duals.scale, duals=tuple(duals.rows[self.home].tolist()), cut_duals=()),
        )
        return MetBound(bound=factor * rows.loss(self.best.bound), claim=claim, program=self)

    def releases(self, seed: int, clock: Clock) -> Iterator[list[list[int]]]:
        """Groups of the program, as rows of the table, by dives: one by its amounts, others by drawn ones.

        Whoever is left over by a dive joins others whatever the masks.
        """
        rows, proposal = self.pricing.rows, self.generation.proposal
        if proposal is None:
            return
        columns, random = Pool(self.pricing), np.random.default_rng(seed)
        columns.add(self.master.columns[: len(proposal.amount)])
        dives = Dives(rows, columns, proposal.amount, self.pricing.cuts, proposal.rows)
        for number in range(LIMITS.met_dives):
            noise = LIMITS.met_noise * random.random(len(columns)) * bool(number)
            groups = None if clock.over else dives.run(self.judge, noise, clock, clock)
            if groups is not None:
                yield tuples_of(rows, groups)

    def _kept(self, group: Sequence[int]) -> bool:
        """Whether a group of rows keeps the masks of its members."""
        values = 0
        for r in group:
            values |= 1 << int(self.pricing.rows.value[r])
        met = [(int(self.pricing.mask[r]) & values).bit_count() for r in group]
        return min(met) >= self.pricing.needed
