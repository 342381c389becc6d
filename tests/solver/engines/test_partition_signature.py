"""Later releases by the partition engine: against exhaustive search, its proofs, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import oracle.brute_force as bf
import pytest
from cases.certificates import changed, claim
from cases.series import KINDS, LEVELS, series
from clocks import faked
from oracle.series import best, people, table, theirs

import optanon as oa
from optanon.models.history import History
from optanon.models.policy import LevelSpec, Policy
from optanon.models.problem import Problem
from optanon.models.requirements import HcSafety, Intersection, TCloseness, WeakMInvariance
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.exact.payload import packed, unpacked
from optanon.solver.search import partition_engine
from optanon.solver.settings import Settings, Watch
from optanon.solver.status import Status
from optanon.solver.verify.counts import counts_program
from optanon.solver.verify.past import PastDemands

SAFE = Policy([WeakMInvariance(m=3), HcSafety(n=2)], LEVELS)
WEIGHED: list[LevelSpec] = [{"counterfeits": 1, "information_loss": 1}]


@pytest.mark.parametrize("seed", range(48))
def test_three_releases_are_as_good_as_exhaustive_search(seed: int):
    requirements, checks = KINDS[seed % len(KINDS)]
    random = Random(seed)
    values = "abc" if random.random() < 0.5 else "abcd"
    policy, history = Policy(requirements, LEVELS), History()
    past: list[bf.Release] = []
    known = people(random, 7, values)
    present, made = known, 7
    for _ in range(3):
        problem = Problem(table=table(present), policy=policy, history=history)
        expected = best(present, checks, past, problem.values)
        if expected is None:
            assert oa.solve(problem.table, policy, history, engine="partition").status is Status.INFEASIBLE
            break
        answer = partition_engine().solve(problem, Settings(), Watch())
        assert answer.release is not None
        assert next(problem.check(answer.release), None) is None
        found = problem.objective(answer.release)
        assert found >= expected
        assert all(b is not None and b <= e for b, e in zip(answer.bounds, expected, strict=True))
        assert (answer.status, found) == (Status.OPTIMAL, expected)
        history.append(answer.release)
        past.append(theirs(answer.release, present))
        gone = random.randint(1, 3)
        fresh = people(random, gone, values, first=made)
        made += gone
        known = known + fresh
        present = random.sample(present, len(present) - gone) + fresh


def later(seed: int, number: int, policy: Policy = SAFE, values: str = "abcde") -> Problem:
    """A second release: two thirds of the people come back."""
    random = Random(seed)
    known = people(random, number, values)
    first = oa.solve(table(known), policy, engine="partition", time_limit=20)
    assert first.release is not None
    back = known[: 2 * number // 3] + people(random, number // 3, values, first=number)
    return Problem(table=table(back), policy=policy, history=History([first.release]))


def solved(problem: Problem, **options: Any) -> oa.Result:
    return oa.solve(problem.table, problem.policy, problem.history, engine="partition", **options)


def test_verify_recomputes_both_bounds_and_catches_wrong_duals():
    problem = later(3, 18)
    result = solved(problem)
    assert result.status is Status.OPTIMAL
    assert result.certificate is not None
    certificate = oa.Certificate.from_json(result.certificate.to_json())
    outcome = oa.verify(certificate, problem, result.release)
    assert outcome.whole
    confirmed = "; ".join(outcome.confirmed)
    assert f"integer duals: at least {result.levels[0].value} counterfeits" in confirmed
    assert f"at least {result.levels[1].value}: exact pricing of series" in confirmed

    rows = len(counts_program(problem, PastDemands.of(problem)).low)

    def raised(text: str) -> str | None:
        proof = unpacked(text, rows)
        return packed(replace(proof, target=proof.target + 1))

    def added(path: Sequence[str | int], amount: int) -> oa.Certificate:
        def change(content: dict[str, Any]) -> None:
            at = claim(content, str(path[0]))
            for key in path[1:-1]:
                at = at[key]
            key = path[-1]
            at[key] = raised(at[key]) if key == "program" else at[key] + amount

        return changed(certificate, change)

    scale = claim(certificate.content, "series")["loss"]["scale"]
    wrong = {
        "duals prove nothing": (("series", "loss", "duals", 0), 1000 * scale),
        "fake_dual: input should be less than or equal to 0": (("series", "loss", "fake_dual"), 10**12),
        "does not reach the bound": (("counts", "program"), 1),
        "others are as good|node": (("series", "loss", "fakes"), -1),
    }
    for message, (path, amount) in wrong.items():
        with pytest.raises(oa.CertificateError, match=message):
            oa.verify(added(path, amount), problem, result.release)
    stated = changed(certificate, lambda content: content["bounds"].__setitem__(0, "1000"))
    with pytest.raises(oa.CertificateError, match="bound 1000 is stated"):
        oa.verify(stated, problem, result.release)


def test_same_seed_gives_the_same_release_and_workers_the_same_optimum():
    problem = later(7, 21)
    one, other = (solved(problem, seed=4) for _ in range(2))
    assert one.release == other.release
    two = solved(problem, workers=2)
    assert (one.status, two.status) == (Status.OPTIMAL, Status.OPTIMAL)
    assert [level.value for level in one.levels] == [level.value for level in two.levels]


@pytest.mark.parametrize("seed", range(24))
def test_counterfeits_weighed_against_boxes_are_as_good_as_exhaustive_search(seed: int):
    """Costs become as fine as a price; where 64 bits do not allow it, as for the last, it is rounded down."""
    known, present, past = series(seed, 7)
    price = [Fraction(1), Fraction(1, 3), Fraction(1, 7), Fraction(1, 10**12)][seed // 6]
    level: dict[str, Any] = {"counterfeits": price, "information_loss": 1}
    problem = replace(known, policy=Policy(known.policy.requirements, [level]))
    expected = best(present, KINDS[seed % len(KINDS)][1], past, problem.values, price)
    plan = Plan.of(problem)
    assert isinstance(plan, Plan)
    assert plan.name == "signature" or expected is None
    result = solved(problem)
    if expected is None:
        assert result.status is Status.INFEASIBLE
        return
    fine = price > Fraction(1, 100)
    assert result.objective == expected[1:] if fine else result.objective >= expected[1:]
    (bound,) = result.bound
    assert bound is not None
    assert bound == expected[1] if fine else bound <= expected[1]
    assert (result.status is Status.OPTIMAL) == (bound == expected[1])
    assert result.certificate is not None
    outcome = oa.verify(oa.Certificate.from_json(result.certificate.to_json()), problem, result.release)
    assert outcome.whole


def test_a_counterfeit_may_weigh_more_than_64_bits_hold():
    known, present, past = series(3, 7)
    price = Fraction(10**30)
    level: dict[str, Any] = {"counterfeits": price, "information_loss": 1}
    problem = replace(known, policy=Policy(known.policy.requirements, [level]))
    expected = best(present, KINDS[3][1], past, problem.values, price)
    result = solved(problem)
    assert expected is not None
    assert result.objective == expected[1:]
    assert result.certificate is not None
    assert oa.verify(result.certificate, problem, result.release).whole


def test_a_price_of_counterfeits_is_the_policys():
    problem = later(3, 18)
    level: dict[str, Any] = {"counterfeits": "1/2", "information_loss": 1}
    weighed = replace(problem, policy=Policy(problem.policy.requirements, [level]))
    result = solved(weighed)
    assert result.status is Status.OPTIMAL
    assert result.certificate is not None
    for key, amount in (("fake_dual", -1), ("fake_dual", 1), ("fakes", 1)):

        def change(content: dict[str, Any], key: str = key, amount: int = amount) -> None:
            claim(content, "series")["loss"][key] += amount

        with pytest.raises(oa.CertificateError, match="another price or number of counterfeits"):
            oa.verify(changed(result.certificate, change), weighed, result.release)


def test_a_limit_on_counterfeits_is_kept_or_proven_too_low():
    problem = later(11, 18)
    fewest = solved(problem).levels[0].value
    assert fewest > 0
    requirements = problem.policy.requirements
    enough = Policy(requirements, ["information_loss"], max_counterfeits=int(fewest) + 3)
    more = oa.solve(problem.table, enough, problem.history, engine="partition")
    assert more.status is Status.OPTIMAL
    assert more.release is not None
    assert more.release.counterfeits <= fewest + 3
    assert more.levels[0].value <= solved(problem).levels[1].value
    few = Policy(requirements, ["information_loss"], max_counterfeits=int(fewest) - 1)
    assert (
        partition_engine()
        .solve(Problem(table=problem.table, policy=few, history=problem.history), Settings(), Watch())
        .status
        is Status.INFEASIBLE
    )


def test_when_time_ends_the_gap_is_true(monkeypatch: pytest.MonkeyPatch):
    problem = later(13, 60)
    faked(monkeypatch, tick=0.01)
    best, hasty = (solved(problem, time_limit=limit, workers=1) for limit in (40, 0.4))
    assert hasty.release is not None
    for level, better in zip(hasty.levels, best.levels, strict=True):
        assert level.bound is not None
        assert level.bound <= better.value
    assert [level.value for level in hasty.levels] >= [level.value for level in best.levels]


def test_a_release_to_start_from_is_never_made_worse():
    problem = later(17, 18)
    best = solved(problem)
    again = solved(problem, initial=best.release, time_limit=1e-9)
    assert again.release is not None
    assert problem.objective(again.release) == tuple(level.value for level in best.levels)


@pytest.mark.parametrize(
    ("policy", "word"),
    [
        (Policy([WeakMInvariance(m=3), Intersection(c="1/2")], LEVELS), "intersection"),
        (Policy([WeakMInvariance(m=3, multiplicity=2)], LEVELS), "each value once"),
        (Policy([WeakMInvariance(m=3)], WEIGHED, max_counterfeits=9), "weighed against boxes, and limited"),
        (Policy([WeakMInvariance(m=3)], ["counterfeits", "suppressed", "information_loss"]), "one before it"),
        (Policy([WeakMInvariance(m=3), HcSafety(n=2, deep=True)], LEVELS), "whole releases"),
        (Policy([WeakMInvariance(m=3), TCloseness(t="1/2")], LEVELS), "tells values apart"),
    ],
)
def test_what_needs_a_list_says_so_in_words(policy: Policy, word: str):
    problem = later(19, 12, Policy([WeakMInvariance(m=3)], LEVELS))
    plan = Plan.of(Problem(table=problem.table, policy=policy, history=problem.history))
    why = plan if isinstance(plan, str) else plan.why
    assert word in why


def test_auto_takes_it_for_later_releases_too_large_for_the_direct_model():
    result = oa.solve(*(lambda p: (p.table, p.policy, p.history))(later(23, 30)), time_limit=20)
    assert result.engine.startswith("partition (30 tuples)")
