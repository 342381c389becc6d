"""What the signatures of a release lose at least: against brute force, derived again, and forged."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import oracle.brute_force as bf
import pytest
from cases.series import KINDS, LEVELS
from oracle.series import least_within, people, table, theirs

import optanon as oa
from optanon.instances.generators import generated_roles, series, uniform_table
from optanon.models.errors import CertificateError
from optanon.models.history import History
from optanon.models.outlook.asked import Outlook
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import HcSafety, WeakMInvariance
from optanon.solver.claims import FamilyClaim
from optanon.solver.colgen.column import Column
from optanon.solver.colgen.structure.signatures import Rules
from optanon.solver.colgen.structure.types import Types
from optanon.solver.engines.partition.ahead.bounded import FamilyProgram
from optanon.solver.engines.partition.objective import Objective
from optanon.solver.engines.partition.signature.construct import assembled
from optanon.solver.result_file import ResultFile
from optanon.solver.search import solve_problem
from optanon.solver.settings import Clock
from optanon.solver.verify.bounds import derived
from optanon.solver.verify.checking import verify
from optanon.solver.verify.given import Given

SAFE = [WeakMInvariance(m=3), HcSafety(n=2)]


def program_of(problem: Problem, release: Release) -> tuple[FamilyProgram, list[Release]]:
    """The program, run to its end, and releases that it found."""
    rules = Rules.of(problem)
    assert isinstance(rules, Rules)
    types, found = Types.of(problem, rules), list[Release]()

    def offer(columns: list[Column]) -> None:
        found.append(assembled(types, problem, columns))

    program = FamilyProgram(problem, types, release, 1, Clock())
    program.run(0, offer)  # pyright: ignore[reportArgumentType]
    return program, found


def claimed(problem: Problem, program: FamilyProgram, release: Release) -> FamilyClaim | None:
    objective = Objective.of(problem)
    assert isinstance(objective, Objective)
    return program.claim(release, objective.measured, objective.factor)


def proven(problem: Problem, release: Release, claim: FamilyClaim) -> Fraction:
    given = Given(problem=problem, values=problem.objective(release), release=release)
    (line,) = derived(given, claim)
    assert line.family
    return line.bound


def published(release: Release) -> Counter[frozenset[str]]:
    found = Counter[frozenset[str]]()
    for group in release.groups:
        found[group.signature] += max(group.histogram.values())
    return found


def elsewhere(problem: Problem, members: list[bf.Person], random: Random) -> Release:
    """A release that would be good if everybody had somebody else's quasi-identifiers."""
    places = random.sample([p.qi for p in members], len(members))
    moved = [bf.Person(p.name, place, p.value) for p, place in zip(members, places, strict=True)]
    found = solve_problem(replace(problem, table=table(moved)), display=False).release
    assert found is not None
    row = problem.table.row
    return problem.assemble(
        [[row[who] for who in sorted(group.respondents)] for group in found.groups],
        [dict(group.counterfeits) for group in found.groups],
    )


@pytest.mark.parametrize("seed", range(24))
def test_no_release_with_these_signatures_loses_less(seed: int):
    """Releases made without regard to loss: of 7 people, the second of them with 5 who were there before."""
    random = Random(seed)
    requirements, checks = KINDS[seed % 6]
    members = people(random, 7, "aabbccd")
    while len({p.value for p in members[:5]}) < 3:
        members = people(random, 7, "aabbccd")
    policy, past, history = Policy(requirements, LEVELS), [], History()
    if seed >= 6:
        first = Problem(table=table(members[:5]), policy=policy)
        release = solve_problem(first, display=False).release
        assert release is not None
        history.append(release)
        past.append(theirs(release, members[:5]))
    problem = Problem(table=table(members), policy=policy, history=history)
    given = elsewhere(problem, members, random)
    program, found = program_of(problem, given)
    least = least_within(members, checks, past, published(given))
    assert least is not None
    for release in (given, *found):
        assert next(problem.check(release), None) is None
        assert published(release) <= published(given)
        claim = claimed(problem, program, release)
        within = least_within(members, checks, past, published(release))
        assert within is not None
        assert least <= within <= problem.objective(release)[-1]
        assert claim is None or proven(problem, release, claim) <= within
    claim = claimed(problem, program, given)
    assert (Fraction(0) if claim is None else claim.bound) >= Fraction(4, 5) * least


def tables(seed: int) -> list[oa.Microdata]:
    population, roles = uniform_table(60, seed=seed, values=5), generated_roles(values=5)
    return [
        roles.table(f) for f in series(population, first=40, releases=2, insertions=8, deletions=8, seed=seed)
    ]


@pytest.fixture(scope="module")
def solved() -> tuple[Problem, Release, FamilyClaim]:
    """The second release of a series that looks ahead."""
    policy, history = Policy(SAFE, LEVELS, outlook=Outlook(releases=2, draws=20)), History()
    first, second = tables(1)
    begun = solve_problem(Problem(table=first, policy=policy), display=False).release
    assert begun is not None
    history.append(begun)
    problem = Problem(table=second, policy=policy, history=history)
    result = solve_problem(problem, display=False)
    assert result.release is not None
    assert result.certificate is not None
    (claim,) = (c for c in result.certificate.claims if isinstance(c, FamilyClaim))
    outcome = verify(result.certificate, problem, result.release)
    loss = result.levels[-1]
    assert loss.bound == 0
    assert loss.family == claim.bound
    assert 20 * claim.bound >= 19 * loss.value
    assert f"at least {claim.bound} among releases" in " ".join(outcome.confirmed)
    assert "with these signatures, none published more often" in str(result.summary)
    written = ResultFile.of(result)
    assert written is not None
    written.compare(problem)
    *others, last = written.objective
    forged = last.model_copy(update={"family": claim.bound + 1})
    with pytest.raises(CertificateError, match="family"):
        written.model_copy(update={"objective": (*others, forged)}).compare(problem)
    return problem, result.release, claim


def test_seats_pay_where_that_is_cheaper(solved: tuple[Problem, Release, FamilyClaim]):
    """Duals that are too high are made feasible; with seats that costs less than with people alone."""
    problem, release, _ = solved
    program, _ = program_of(problem, release)
    pricing, rows = program.pricing, program.types.rows
    high = pricing.duals(np.full(len(rows), 0.6 * rows.scale), np.zeros(len(pricing.family)))
    found = pricing.price(high, per_anchor=3)
    assert found.complete
    assert len(found.lines)
    assert found.limits is not None
    repaired = high.made_feasible(found.worst, found.limits)
    assert not len(pricing.price(repaired, per_anchor=3).lines)
    alone = np.maximum(found.worst, 0)
    for s, (signature, _) in enumerate(pricing.family):
        alone += len(signature) * int(found.limits[s]) * np.isin(rows.value, signature)
    by_people = high.made_feasible(alone)
    assert not len(pricing.price(by_people, per_anchor=3).lines)
    assert repaired.value(rows, pricing.cuts) > by_people.value(rows, pricing.cuts)


def test_what_duals_do_not_prove_is_refused(solved: tuple[Problem, Release, FamilyClaim]):
    problem, release, claim = solved
    assert proven(problem, release, claim) == claim.bound
    root = claim.root
    dearer = tuple(dual + 2 * root.scale for dual in root.duals)
    for forged in (
        claim.model_copy(update={"bound": claim.bound + 1}),
        claim.model_copy(update={"bound": claim.bound / 2}),
        claim.model_copy(update={"root": root.model_copy(update={"duals": dearer})}),
        claim.model_copy(update={"root": root.model_copy(update={"duals": root.duals[1:]})}),
        claim.model_copy(update={"seat_duals": claim.seat_duals[1:]}),
        claim.model_copy(update={"seat_duals": (0,) * len(claim.seat_duals)}),
        claim.model_copy(update={"level": 0}),
    ):
        with pytest.raises(CertificateError):
            proven(problem, release, forged)


def test_the_bound_is_about_the_release_that_is_given(solved: tuple[Problem, Release, FamilyClaim]):
    """With a signature more, or published more often, duals prove less or nothing."""
    problem, release, claim = solved
    myopic = replace(problem, policy=problem.policy.by_itself())
    other = solve_problem(myopic, time_limit=2, display=False).release
    assert other is not None
    assert published(other) != published(release)
    with pytest.raises(CertificateError):
        proven(problem, other, claim)
    blind = Given(problem=problem, values=problem.objective(release))
    with pytest.raises(CertificateError, match="one of them"):
        derived(blind, claim)
    hiding = replace(problem, policy=problem.policy.changed(max_suppressed=3))
    with pytest.raises(CertificateError, match="suppress nobody"):
        proven(hiding, release, claim)
