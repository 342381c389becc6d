"""What `python -m bench differential` compares: random small cases, by the program and by brute force.

Each function takes the number of a case and yields one item per comparison: None, or in words what does not
agree. Draws are the number's alone, so a disagreement can be had again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import oracle.brute_force as bf
from cases.attacks import history
from cases.audits import random_boxed_series, random_series
from cases.drawn import NAMES, drawn_case
from cases.enumerated import posed
from cases.several import NAMES as NAMES_OF_PAIRS, of_each, paired_history, random_pairs
from oracle.brute_force_knowledge import Known, conclusions
from oracle.partition import optimum, random_problem
from oracle.views import RESTRICTED, UNRESTRICTED, enumerated, random_base, secret

from optanon.models.adversary.knowledge import Knowledge
from optanon.models.problem import Problem
from optanon.models.views import ViewPair, breach
from optanon.solver.insight.audit.audit import audit
from optanon.solver.search import engines, solve_problem
from optanon.solver.status import Status

__all__ = ["CAMPAIGNS"]

LIMIT = 10.0
"""Seconds of one search; what it has not proven by then is compared as far as it claims anything."""


def optima(number: int) -> Iterator[str | None]:
    """Every engine's status, values and bounds against exhaustive enumeration."""
    if number % 3 == 2:
        problem = random_problem(number, Random(number).randint(4, 8))
        best = optimum(problem)
        yield from _judged(problem, None if best is None else (best,), None)
        return
    case = drawn_case(NAMES[number % len(NAMES)], 10_000 + number)
    if posed(case):
        limit = 2 if case.fakes < 0 else case.fakes
        yield from _judged(case.problem, case.optimum(limit), limit if case.fakes < 0 else None)


def _judged(
    problem: Problem, best: tuple[Fraction, ...] | None, enumerated_to: int | None
) -> Iterator[str | None]:
    """With any number of counterfeits only so many were enumerated; the first level counts them."""
    for name, engine in engines().items():
        if engine.refuses(problem) is not None:
            continue
        result = solve_problem(problem, engine=name, time_limit=LIMIT, display=False, reasons=False)
        values = None if result.release is None else problem.objective(result.release)
        told = f"{name}: {result.status.value} {_text(values)}, bounds {_text(result.bounds)}"
        if best is None and enumerated_to is not None:
            wrong = values is not None and values[0] <= enumerated_to
        elif best is None:
            wrong = values is not None
        elif result.status is Status.OPTIMAL:
            wrong = values != best
        else:
            # The first bound is on all releases; the later ones hold for the best first levels.
            first = result.bounds[0] if result.bounds else None
            better = values is not None and values < best
            wrong = result.status is Status.INFEASIBLE or better or (first is not None and first > best[0])
        yield f"{told}; enumeration: {_text(best)}" if wrong else None


def _text(values: tuple[Fraction | None, ...] | None) -> str:
    return "none" if values is None else "(" + ", ".join(map(str, values)) + ")"


def audits(number: int) -> Iterator[str | None]:
    """Given, disclosed and possible values against all worlds, for both memberships and random knowledge."""
    random, boxes = Random(number), number % 2 == 1
    series = random_boxed_series(random) if boxes else random_series(random)
    known = _known(random, {p.name: p.value for groups, _ in series for g in groups for p in g.members})
    knowledge = Knowledge(
        compromised=known.compromised,
        excluded=known.excluded,
        priors=known.priors,
        membership="boxes" if boxes else "groups",
    )
    report = audit(history(series, boxed=boxes), knowledge, explain=False, posterior=not boxes)
    for entry in report.releases:
        part = series[: entry.release]
        about = known.about(name for groups, _ in part for g in groups for name in g.names)
        wanted = conclusions(part, about, boxes=boxes)
        found = (entry.given, entry.persistent and entry.persistent.exact)
        sought = (len(wanted.given), len(wanted.disclosed))
        yield None if found == sought else f"release {entry.release}: {found} given, disclosed; {sought}"
        if entry.release == len(series):
            possible = report.possible
            assert possible is not None
            for who, left in wanted.left.items():
                have = possible.values(who)
                yield None if have == left else f"possible values {sorted(have)}; {sorted(left)}"
            yield None if report.disclosed == wanted.disclosed else "other respondents are disclosed"


def pairs(number: int) -> Iterator[str | None]:
    """Two sensitive attributes: each, and both together, after each of up to four releases."""
    series = random_pairs(Random(number))
    report = audit(paired_history(series), explain=False)
    for entry in report.releases:
        chances = bf.posterior(series[: entry.release])
        each = [[of_each(own, at) for own in chances.values()] for at in range(len(NAMES_OF_PAIRS))]
        certain = [sum(len(own) == 1 for own in known) for known in (chances.values(), *each)]
        worst = [max(max(own.values()) for own in known) for known in (chances.values(), *each)]
        some = sum(min(map(len, own)) == 1 for own in zip(*each, strict=True))
        last = entry.persistent
        assert last is not None
        found = [last.exact, *(one.disclosed for one in last.attributes)]
        yield None if found == certain else f"release {entry.release}: {found} disclosed; {certain}"
        likely = [last.worst, *(one.worst for one in last.attributes)]
        yield None if likely == worst else f"release {entry.release}: {likely} at most; {worst}"
        yield None if last.disclosed == some else f"{last.disclosed} disclosed in part; {some}"
        if entry.release == len(series):
            people = zip(chances, *each, strict=True)
            told = frozenset(who for who, *own in people if min(map(len, own)) == 1)
            yield None if report.disclosed == told else f"{sorted(report.disclosed)}; {sorted(told)}"
            for one in report.disclosures:
                at = [NAMES_OF_PAIRS.index(one.attribute)] if one.attribute else range(len(NAMES_OF_PAIRS))
                left = {"".join(value[place] for place in at) for value in chances[one.respondent]}
                have = {one.value.replace(" ¦ ", "")}
                yield None if have == left else f"{one.attribute}: {have}; {left}"
            for who, own in chances.items():
                for at, name in enumerate(NAMES_OF_PAIRS):
                    have, sought = report.posterior(who, name), of_each(own, at)
                    yield None if have == sought else f"{name}: {have}; {sought}"


def _known(random: Random, own: Mapping[str, str]) -> Known:
    """True statements, also about values that nobody publishes."""

    def named(value: str) -> frozenset[str]:
        return frozenset(random.sample("abcxy", random.randint(0, 3))) | {value}

    kinds = {who: random.randint(0, 8) for who in own}
    return Known(
        {who: value for who, value in own.items() if kinds[who] == 1},
        {who: named(value) - {value} for who, value in own.items() if kinds[who] in (2, 4)},
        {who: named(value) for who, value in own.items() if kinds[who] in (3, 4)},
    )


def shares(number: int) -> Iterator[str | None]:
    """Breach probabilities of published views against all base tables."""
    random = Random(number)
    table = random_base(random, random.randint(1, 5))
    left = random.choice([["i"], ["i", "b"], ["i", "a", "b"]])
    right = random.choice([["p"], ["c", "p"], ["b", "p"], ["b", "c", "p"]])
    views = ViewPair.of(table, left, right)
    if len(views.first) * len(views.second) > 12 and not views.join_attributes:
        views = ViewPair.of(table.head(3), left, right)
    for i in sorted(set(views.first["i"])):
        for p in sorted(set(views.second["p"])):
            for model in (UNRESTRICTED, RESTRICTED):
                wanted, found = enumerated(views, secret(i, p), model), breach(views, secret(i, p), model)
                if wanted is not None:
                    agree = found.probability == wanted
                    yield None if agree else f"{model.name}: {found.probability}; enumeration {wanted}"


CAMPAIGNS: Mapping[str, Callable[[int], Iterator[Any]]] = {
    "engines": optima,
    "audit": audits,
    "pairs": pairs,
    "views": shares,
}
