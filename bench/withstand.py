"""Series that nobody can be inferred from: what they lose, against the bound and without the demand."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..instances.adult import adult
from ..instances.diabetes import diabetes_series
from ..models.compiled import borrowing
from ..models.history import History
from ..models.losses import ExpectedWidening, InformationLoss
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirement import GroupRequirement
from ..models.requirements import DistinctLDiversity, KCAnonymity, ResistsInference
from ..models.table import Microdata
from ..solver.baselines.widths import Ints, Widths
from ..solver.engines.partition.histogram import HistogramSearch
from ..solver.engines.partition.withstand.arrays import groups_of, past_from, tell
from ..solver.engines.partition.withstand.judge import SeriesJudge
from ..solver.engines.partition.withstand.starts import starts
from ..solver.insight.audit.audit import audit
from ..solver.lost_now import lost_now
from ..solver.result import Result
from ..solver.search import solve_problem
from ..solver.settings import Clock, Settings
from .registry import Case, Row, case


@case
@dataclass(frozen=True, kw_only=True)
class Withstand(Case):
    """Adult (growing) or Diabetes-130 released again under `resists_inference`: both prices, audited.

    Parameters
    ----------
    table : {"adult", "diabetes"}
        A table that grows evenly to so many people, a prefix of one seeded shuffle; or so many
        visits per release of patients who come back.
    people, releases : int
    k, c, l : of (k, c)-anonymity and l-diversity
    reserve : rational
        Largest share of a value in a group by itself, by another (k, c)-anonymity: room for later releases.
    ahead : str
        Weights of `expected_widening` in the releases but the last, separated by commas; the last of them
        goes on.
    min_values, max_posterior, compromised : of `resists_inference`
    time_limit : int
        Seconds per release, and again for the policy without the demand.
    alone : bool
        Whether the policy without the demand is not searched besides.
    random : int
        So many random series are judged and enumerated first; a difference ends the case.
    """

    name: ClassVar[str] = "withstand"
    small_settings: ClassVar[dict[str, Any]] = {"people": 64, "releases": 2, "time_limit": 2, "random": 20}

    table: str = "adult"
    people: int = 1_000
    releases: int = 5
    k: int = 3
    c: str = "1/2"
    l: int = 1  # noqa: E741 - the name the literature has for it
    reserve: str = "1"
    ahead: str = "0"
    min_values: int = 1
    max_posterior: str = "1/2"
    compromised: int = 0
    time_limit: int = 60
    alone: bool = False
    random: int = 0

    def run(self) -> list[Row]:
        """One row per release; every release is audited with all before it, or the case fails.

        Losses are multiples of what is proven of the whole policy, and of the policy without the demand;
        what is expected of later releases (`ahead`) is not among them.
        `inferred` counts people above the limits after the best release found for the same history, in the
        same time, without the demand.
        """
        if differ := sum(
            not judged_as_enumerated(self.seed, number, self.compromised) for number in range(self.random)
        ):
            raise AssertionError(f"{differ} of {self.random} random series are judged as they are not")
        rule = ResistsInference(
            max_posterior=Fraction(self.max_posterior),
            min_values=self.min_values,
            compromised=self.compromised,
        )
        rest: list[GroupRequirement] = [KCAnonymity(k=self.k, c=Fraction(self.c))]
        if self.l > 1:
            rest.append(DistinctLDiversity(l=self.l))
        reserve = Fraction(self.reserve)
        asked = [*rest, KCAnonymity(k=self.k, c=reserve)] if reserve < 1 else rest
        history, rows, never = History(), list[Row](), list[list[str]]()
        for number, table in enumerate(self._tables(), start=1):
            problem = Problem(table=table, policy=self._policy([*asked, rule], number), history=history)
            began = time.process_time()
            result = self._solved(problem)
            row: Row = {
                "release": number,
                "people": len(table),
                "returning": sum(m.respondent in history.records for m in table.members),
                "status": result.status.value,
                "seconds": round(result.seconds, 1),
                "CPU seconds": round(time.process_time() - began, 1),
            }
            rows.append(row)
            if result.release is None:
                sys.stderr.write(f"release {number}: {result.reason or result.termination.value}\n")
                break
            row |= self._prices(problem, rest, result, rule, never)
            worst, broken = inferred(History([*history, result.release]), rule)
            if broken:
                raise AssertionError(f"release {number}: {broken} people can be inferred")
            row |= {"worst posterior": worst}
            history.append(result.release)
            sys.stderr.write(f"{row}\n")
        return rows

    def _tables(self) -> list[Microdata]:
        if self.table == "diabetes":
            frames, roles = diabetes_series(self.people, self.releases, self.seed)
            return [roles.table(frame) for frame in frames]
        data = adult()
        order = np.random.default_rng(self.seed).permutation(len(data.frame))
        ends = [self.people * number // self.releases for number in range(1, self.releases + 1)]
        return [data.roles.table(data.frame.iloc[order[:end]].reset_index(drop=True)) for end in ends]

    def _policy(self, requirements: Sequence[GroupRequirement], number: int) -> Policy:
        weights = [Fraction(weight) for weight in self.ahead.split(",")]
        weight = weights[min(number, len(weights)) - 1] if number < self.releases else 0
        later = {ExpectedWidening.name: weight} if weight else {}
        return Policy(requirements, [{InformationLoss.name: 1} | later])

    def _solved(self, problem: Problem) -> Result:
        return solve_problem(problem, time_limit=self.time_limit, seed=self.seed, display=False)

    def _prices(
        self,
        problem: Problem,
        rest: list[GroupRequirement],
        result: Result,
        rule: ResistsInference,
        never: list[list[str]],
    ) -> Row:
        """The loss against its bound, bound and best release without the demand, and the kept groups.

        `never` has everybody's first group, as if no release had ever been searched for anything else.
        """
        assert result.release is not None
        value = lost_now(problem, result.release)
        asked = replace(problem, policy=Policy(rest))
        without = None if self.alone else self._solved(asked)
        found: Release | None = None if without is None else without.release
        free = None if found is None else problem.objective(found)[0]
        bound, price = result.levels[0].bound, result.price
        rest_bound = None if price is None else price.bound
        if without is not None and without.levels:
            rest_bound = max(rest_bound or Fraction(0), without.levels[0].bound or Fraction(0))
        row: Row = {
            "loss": float(value),
            "/ bound": None if not bound else float(value / bound),
            "/ bound of the rest": None if not rest_bound else float(value / rest_bound),
            "/ without": None if not free else float(value / free),
        }
        if len(problem.history):
            settings = Settings(time_limit=self.time_limit, seed=self.seed)
            kept = starts(problem, rule, settings, Clock(self.time_limit), (), HistogramSearch)
            start = problem.objective(problem.assemble(kept[0]))[0] if kept else None
            row["/ kept groups"] = None if not start else float(value / start)
            names = [m.respondent for m in problem.table.members]
            new = [[names[t] for t in group] for group in kept[0]] if kept else []
            never += [group for group in new if not any(who in problem.history.records for who in group)]
            if kept and all(who in problem.table.row for group in never for who in group):  # nobody left
                first = problem.assemble([[problem.table.row[who] for who in group] for group in never])
                row["/ first groups kept"] = float(value / problem.objective(first)[0])
            row["inferred without"] = (
                None if found is None else inferred(History([*problem.history, found]), rule)[1]
            )
        else:
            never += [list(group.respondents) for group in result.release.groups]
        return row


def inferred(history: History, rule: ResistsInference) -> tuple[str | None, int]:
    """The largest probability the audit finds, and how many people are not known to be within the limits."""
    report = audit(history, explain=False, latest=1)
    counted = report.probabilities
    if counted is None:
        raise AssertionError("the audit counted nothing")
    broken, worst = 0, Fraction(0)
    for who in counted.possible.population.cell_of:
        chances = counted.of(who)
        if chances is None or len(chances) < rule.needed or max(chances.values()) > rule.max_posterior:
            broken += 1
        worst = max(worst, *(chances or {"": Fraction(1)}).values())
    return str(worst), broken


# -- random series against enumeration ---------------------------------------------------------


def judged_as_enumerated(seed: int, number: int, compromised: int = 0, *, knowing: bool = False) -> bool:
    """Whether the judge lets a random series pass exactly if going through all its worlds does.

    Up to eight people with up to four values in two to four releases; people come and go. The judge names
    exactly those who can be inferred, and, asked for nobody, says whether there are any. Up to `compromised`
    others may be known, whoever they are: then it names some. With `knowing` some are known not to have some
    values, or to have one of some; those who are given by that may be inferred.
    """
    random = np.random.default_rng([seed, number])
    people, width, times = (int(random.integers(*ends)) for ends in ((3, 9), (2, 5), (2, 5)))
    value = random.integers(width, size=people)
    label = random.integers(int(random.integers(1, 4)), size=(people, times))
    label[random.random(label.shape) < 0.15] = -1
    label[label[:, :-1].max(axis=1) < 0, -1] = 0  # everybody is published at some time
    needed, limit = int(random.integers(1, 4)), Fraction(int(random.integers(2, 5)), 4)
    if times > 2 and random.random() < 0.5:
        label[:, 1] = np.where(label[:, 1] < 0, -1, label[:, 0])
    only, given = np.full(people, -1, dtype=np.int64), np.zeros(people, dtype=np.bool_)
    for p in np.flatnonzero(random.random(people) < 0.3 * knowing):
        only[p] = int(random.integers(1 << width)) | 1 << int(value[p])
        given[p] = only[p] == 1 << value[p] and random.random() < 0.7  # otherwise by exclusions
    people_inferred = set[int]()
    for size in range(compromised + 1):
        for known in combinations(range(people), size):
            shares = posteriors(value, label, width, known, only)
            wanted = ((shares > 0).sum(axis=1) < needed) | (
                shares.max(axis=1) * limit.denominator > shares.sum(axis=1) * limit.numerator
            )
            people_inferred |= set(np.flatnonzero(wanted & ~given).tolist()) - set(known)
    found = _judged(value, label, width, needed, limit, compromised, only, given) - set(
        np.flatnonzero(given).tolist()
    )
    if compromised:  # whoever is like somebody who is compromised is named, too
        return bool(found) == bool(people_inferred)
    return found == people_inferred


def _judged(
    value: Ints,
    label: Ints,
    width: int,
    needed: int,
    limit: Fraction,
    compromised: int,
    only: Ints,
    given: NDArray[np.bool_],
) -> set[int]:
    _, place = np.unique(label[:, :-1] + 10 * np.arange(label.shape[1] - 1), return_inverse=True)
    gone = label[:, :-1] < 0
    used, place = np.unique(np.where(gone, -1, place.reshape(gone.shape)), return_inverse=True)
    place = place.reshape(gone.shape) - int(used[0] < 0)
    counts = np.zeros((int(place.max(initial=-1)) + 1, width), dtype=np.int64)
    for (p, _), g in np.ndenumerate(place):
        if g >= 0:
            counts[g, value[p]] += 1
    past = past_from(value, place.astype(np.int64), counts, np.zeros(len(counts), dtype=np.int64))
    for p in range(len(value)):
        tell(past, p, int(only[p]), given=bool(given[p]))
    groups = [np.flatnonzero(label[:, -1] == g).tolist() for g in np.unique(label[label[:, -1] >= 0, -1])]
    nothing = np.zeros(1, dtype=np.int64)
    sides = Widths(weight=nothing, start=nothing - 1, length=nothing, row=nothing, table=nothing)
    codes = np.zeros((len(value), 1), dtype=np.int64)
    made = groups_of(past, codes, sides, needed, groups, len(value) + 1)
    judge = SeriesJudge(past, needed, limit, compromised)
    found = set(judge.inferred(made, range(len(value))) or ())
    if (judge.inferred(made, range(len(value)), 0) is None) != bool(found):
        raise AssertionError("the judge says two things of whether somebody can be inferred")
    return found


def posteriors(
    value: Ints, label: Ints, width: int, known: Sequence[int] = (), only: Ints | None = None
) -> Ints:
    """In how many worlds each person has each value: those that publish what was published.

    Some people are known to have their values, and everybody one of some (`only`, as bits).
    """
    people, times = label.shape
    home = np.where(label < 0, -1, label + (1 + label.max()) * np.arange(times))
    left = np.zeros((int(home.max()) + 1, width), dtype=np.int64)
    for (p, _), g in np.ndenumerate(home):
        if g >= 0:
            left[g, value[p]] += 1
    found = np.zeros((people, width), dtype=np.int64)
    only = np.full(people, -1, dtype=np.int64) if only is None else only.copy()
    only[list(known)] = 1 << value[list(known)]
    _worlds(home, left, np.full(people, -1, dtype=np.int64), only, found)
    return found


@borrowing
def _worlds(home: Ints, left: Ints, has: Ints, only: Ints, found: Ints) -> None:
    """Go through all worlds, people one by one; `left` is what groups publish for those without values.

    `only` has the values that somebody may have, as bits.
    """
    p = 0
    while p >= 0:
        v = has[p]
        if v >= 0:
            for g in home[p]:
                if g >= 0:
                    left[g, v] += 1
        v += 1
        while v < left.shape[1]:
            fits = (only[p] >> v) & 1 == 1
            for g in home[p]:
                fits = fits and (g < 0 or left[g, v] > 0)
            if fits:
                break
            v += 1
        if v == left.shape[1]:
            has[p] = -1
            p -= 1
            continue
        has[p] = v
        for g in home[p]:
            if g >= 0:
                left[g, v] -= 1
        if p + 1 < len(has):
            p += 1
            continue
        for q in range(len(has)):
            found[q, has[q]] += 1
