"""What a series of plain Mondrian releases of Adult gives away, and how long the exact audit takes."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..instances.adult import adult
from ..models.adversary.cells import population
from ..models.adversary.knowledge import Knowledge
from ..models.history import History
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirements import KCAnonymity
from ..solver.baselines.mondrian import mondrian_static
from ..solver.insight.audit.disclosures import explanations_of, find_disclosures, values_left
from ..solver.insight.audit.explain_value import explain_value
from ..solver.settings import Clock
from ..solver.worlds.exclusions import Exclusion, exclusions
from ..solver.worlds.possible import Verdict, possible_values
from ..solver.worlds.posterior import posterior
from .registry import Case, Row, case


@case
@dataclass(frozen=True, kw_only=True)
class Audit(Case):
    """Adult, each release a Mondrian partition by itself: disclosed by three adversaries, seconds."""

    name: ClassVar[str] = "audit"
    small_settings: ClassVar[dict[str, int]] = {"respondents": 200, "releases": 3}

    respondents: int = 1000
    releases: int = 5
    k: int = 5
    c: str = "0.7"
    churn: str = "0"
    """Share of each release that leaves, and is replaced, before the next."""
    time_limit: int = 120
    """Seconds for the values, and again for the posteriors, of one release."""
    first: int = 1
    """The first release to be audited."""
    examples: int = 1_000
    """At most so many disclosures are explained, one of each kind of respondent."""

    def run(self) -> list[Row]:
        """One row per release: the adversary who holds it and all before it.

        Who has no exact posterior has a guaranteed interval; `width` is the median of these.

        Without churn the table grows evenly to `respondents`; with churn every release has
        `respondents`. Nobody's occupation changes; those who left do not return. Seconds are wall time
        of this process, without imports and compilation; every exclusion is re-checked besides.
        """
        history = self._history()
        self._warm(history)
        rows: list[Row] = []
        for number in range(self.first, len(history) + 1):
            sys.stderr.write(f"release {number}\n")
            rows.append(self._row(history, number))
        return rows

    def _warm(self, history: History) -> None:
        """Load what is compiled: two releases need nearly all of it."""
        people = population(history, Knowledge(), 2)
        posterior(possible_values(people), estimate=False)
        explain_value(people, next(iter(people.cell_of)), values=people.values[:1])

    def _row(self, history: History, number: int) -> Row:
        clock = Clock()
        people = population(history, Knowledge(), number)
        found = possible_values(people, Clock(self.time_limit))
        values = clock.seconds
        clock = Clock()
        chances = posterior(found, clock=Clock(self.time_limit), estimate=False, intervals=True)
        counting = clock.seconds
        clock = Clock()
        disclosures = find_disclosures(found, Knowledge(), history[0].sensitive)
        explained = explanations_of(history, found, disclosures, self.examples, Clock(self.time_limit))
        explaining = clock.seconds
        left = values_left(found)
        sizes = people.system.sizes
        cell = people.system.cell
        open_ = [j for j, chance in enumerate(chances.probabilities) if chance is None]
        unknown = [j for j in open_ if j not in chances.intervals]
        widths = [float(high - low) for low, high in chances.intervals.values()]
        proven, resting = rechecked(exclusions(found))
        return {
            "release": number,
            "respondents": int(sizes.sum()),
            **{how: int(sizes[number_left == 1].sum()) for how, number_left in left.items()},
            "unknown": int((found.verdicts == Verdict.UNKNOWN).sum()),
            "with posterior": 1 - int(sizes[np.unique(cell[open_])].sum()) / int(sizes.sum()),
            "without interval": int(sizes[np.unique(cell[unknown])].sum()),
            "width": round(float(np.median(widths)), 3) if widths else 0,
            "explained": len(explained),
            "proofs checked": proven,
            "on CP-SAT": resting,
            "searched": found.searched,
            "largest": found.open_pairs,
            "s values": round(values, 2),
            "s posteriors": round(counting, 2),
            "s explanations": round(explaining, 2),
        }

    def _history(self) -> History:
        data = adult()
        random = np.random.default_rng(self.seed)
        order = random.permutation(len(data.frame))
        policy = Policy([KCAnonymity(k=self.k, c=self.c)])  # pyright: ignore[reportArgumentType] - read exactly
        share = float(self.churn)
        size = self.respondents
        here = order[:size]
        fresh = size
        history = History()
        for number in range(1, self.releases + 1):
            if share:
                if number > 1:
                    leaving = int(share * size)
                    stays = random.permutation(here)[leaving:]
                    here = np.concatenate([stays, order[fresh : fresh + leaving]])
                    fresh += leaving
            else:
                here = order[: size * number // self.releases]
            table = data.roles.table(data.frame.iloc[here].reset_index(drop=True))
            history.append(mondrian_static(Problem(table=table, policy=policy)))
        return history


def rechecked(found: Iterable[Exclusion]) -> tuple[int, int]:
    """How many exclusions were checked again, and how many rest on CP-SAT."""
    checked = resting = 0
    for exclusion in found:
        if exclusion.proof == "rests on CP-SAT":
            resting += 1
        else:
            exclusion.check()
            checked += 1
    return checked, resting
