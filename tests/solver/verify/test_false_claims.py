"""Claims that say too much, made by hand: numbers near 64 bits, programs without solutions, other levels."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import optanon as oa
from optanon.models.errors import CertificateError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.recoding import Recoding
from optanon.models.release import Release
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    Difference,
    DistinctLDiversity,
    HcSafety,
    KCAnonymity,
    TCloseness,
    WeakMInvariance,
    for_attribute,
)
from optanon.solver.certificate import Certificate
from optanon.solver.certify import digests, published
from optanon.solver.exact.payload import packed
from optanon.solver.exact.tree_check import Branch, Node, NodeDuals, TreeProof
from optanon.solver.verify.checking import verify
from optanon.solver.verify.counts import counts_program
from optanon.solver.verify.duals import ClaimedDuals
from optanon.solver.verify.past import PastDemands
from optanon.solver.verify.priced import Single


def table(rows: list[tuple[int, str]]) -> oa.Microdata:
    frame = pd.DataFrame(rows, columns=["age", "value"])
    frame["id"] = [f"p{i}" for i in range(len(rows))]
    return oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"age": "numeric"}, sensitive="value"
    )


def forged(
    problem: Problem,
    release: Release | None,
    claims: list[dict[str, Any]],
    refusal: dict[str, Any] | None = None,
    bounds: list[str] | None = None,
) -> Certificate:
    """That a release is optimal, or that there is none; or that it has some bounds."""
    values = () if release is None else problem.objective(release)
    return Certificate.of(
        {
            "format": 2,
            "problem": digests(problem).model_dump(mode="json"),
            "status": "FEASIBLE" if bounds else "INFEASIBLE" if release is None else "OPTIMAL",
            "release": None if release is None else published(problem, release).model_dump(mode="json"),
            "values": [str(v) for v in values],
            "bounds": bounds or [str(v) for v in values],
            "claims": claims,
            "refusal": refusal,
            "run": {"engine": "forged", "seed": 1, "workers": 1, "versions": {}, "effort": {}},
        }
    )


def duals(per_tuple: list[int]) -> dict[str, Any]:
    return {
        "root": {"scale": 1, "duals": per_tuple, "cut_duals": []},
        "cuts": [],
        "divisors": [],
        "part": None,
    }


def test_one_dual_many_times_may_leave_64_bits():
    """Everybody else pays for one: without those who are struck out by mistake nobody costs less."""
    rows = [(age, value) for age, value in zip([*range(9), *range(91, 100)], "ab" * 9, strict=True)]
    problem = Problem(table=table(rows), policy=Policy([KCAnonymity(k=9, c="2/3")]))
    good, bad = problem.assemble([range(9), range(9, 18)]), problem.assemble([range(18)])
    assert problem.objective(good) < problem.objective(bad)
    value = int(problem.objective(bad)[0] * Single.of(problem).rows.one)
    large = (1 << 59) - (1 << 30)
    claim = duals([large + value, large, *[-(large // 8)] * 16]) | {
        "kind": "priced",
        "level": 0,
        "places": False,
        "unpriced": [],
        "blocks": [],
    }
    with pytest.raises(CertificateError, match="costs less than its duals"):
        verify(forged(problem, bad, [claim]), problem, bad)


def test_what_is_missing_to_a_target_is_not_made_less():
    """A node that takes every column from a row, by reduced costs as large as 64 bits allow."""
    problem = Problem(
        table=table([(age, value) for age, value in zip([0, 1, 2, 8, 9, 10], "ababab", strict=True)]),
        policy=Policy([KCAnonymity(k=3)]),
    )
    bad = problem.assemble([range(6)])
    assert problem.objective(problem.assemble([range(3), range(3, 6)])) < problem.objective(bad)
    single = Single.of(problem)
    target = int(problem.objective(bad)[0] * single.rows.one)
    groups, _ = single.columns(ClaimedDuals.of(single.rows, [0] * 6, (), (), 1), target)
    away, up = np.zeros(6, dtype=np.int64), np.zeros(6, dtype=np.int64)
    away[0], up[0] = -((1 << 61) + 256 - int(single.costs(groups).max())), target
    nodes = (Node(-1, 0, NodeDuals(1, away), Branch()), Node(0, 0, NodeDuals(1, up)))
    proof = packed(TreeProof(target=target, cuts=(), nodes=nodes))
    claim = duals([0] * 6) | {"kind": "listed", "level": 0, "tree": {"listed_for": target, "proof": proof}}
    with pytest.raises(CertificateError, match="does not reach the bound"):
        verify(forged(problem, bad, [claim]), problem, bad)


@pytest.mark.parametrize("limit", [None, 3])
def test_one_returning_tuple_has_a_program(limit: int | None):
    """Two groups of it are needed, more than there are tuples: three counterfeits are the fewest."""
    kept = [WeakMInvariance(m=2), HcSafety(n=2)]
    first = Problem(table=table([(1, "a"), (2, "b")]), policy=Policy(kept))
    history = History([first.assemble([[0, 1]])])
    levels = ["counterfeits", "information_loss"]
    problem = Problem(
        table=table([(1, "a")]),
        policy=Policy(kept, levels, outlook="none", max_counterfeits=limit),
        history=history,
    )
    best, bad = problem.assemble([[0]], [{"a": 1, "b": 2}]), problem.assemble([[0]], [{"a": 2, "b": 3}])
    assert next(problem.check(best), None) is None
    rows = len(counts_program(problem, PastDemands.of(problem)).low)

    def proof(target: int) -> dict[str, Any]:
        nodes = (Node(-1, 0, NodeDuals(1, np.zeros(rows, dtype=np.int64))),)
        program = packed(TreeProof(target=target, cuts=(), nodes=nodes))
        return {"kind": "counts", "level": 0, "program": program, "by_groups": None}

    told = forged(problem, bad, [proof(5)])
    if limit is not None:
        told = forged(problem, None, [], {"kind": "counts_above", "claim": proof(4)})
    with pytest.raises(CertificateError, match="does not reach the bound"):
        verify(told, problem, bad if limit is None else None)


def test_claims_about_boxes_on_a_level_without_them_are_refused():
    problem = Problem(
        table=table([(age, "ab"[age % 2]) for age in range(6)]),
        policy=Policy([KCAnonymity(k=2)], ["maximum_group_size", "information_loss"], max_suppressed=2),
    )
    release = problem.assemble([range(6)])
    claim = duals([0] * 6) | {"kind": "priced", "level": 0, "places": False, "unpriced": [], "blocks": []}
    with pytest.raises(CertificateError, match="a level of something else"):
        verify(forged(problem, release, [claim]), problem, release)


@pytest.mark.parametrize("levels", [["information_loss"], ["maximum_group_size", "information_loss"]])
def test_nobody_is_drawn_where_a_release_keeps_the_policy(levels: list[str]):
    problem = Problem(
        table=table([(age, "ab"[age % 2]) for age in range(6)]), policy=Policy([KCAnonymity(k=2)], levels)
    )
    with pytest.raises(CertificateError, match=r"some release keeps the policy|the policy has more"):
        verify(forged(problem, None, [], {"kind": "no_draw"}), problem)


def test_nobody_is_suppressed_whom_no_requirement_asks_for():
    """Recoding one level per column suppresses exactly the classes that break a requirement on groups."""
    frame = pd.DataFrame({"id": list("vwxyz"), "sex": list("fffmm"), "value": list("ababa")})
    given = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"sex": "flat"}, sensitive="value"
    )
    policy = Policy([KCAnonymity(k=2)], ["maximum_group_size"], recoding="full_domain", max_suppressed=3)
    problem = Problem(table=given, policy=policy)
    box = Recoding(ladders=problem.ladders, levels=(0,)).box(given.codes[3].tolist())
    fewer = problem.assemble([[3, 4]], boxes=[box])
    found = list(problem.check(fewer))
    assert [violation.requirement for violation in found] == ["recoding"]
    assert "a class of 3 tuples is suppressed" in found[0].message
    with pytest.raises(CertificateError, match="the release fails recoding"):
        verify(forged(problem, fewer, []), problem, fewer)
    asked = Problem(table=given, policy=policy.changed(requirements=[KCAnonymity(k=4)], max_suppressed=2))
    whole = Recoding(ladders=problem.ladders, levels=(1,)).box(given.codes[3].tolist())
    assert next(asked.check(asked.assemble([range(5)], boxes=[whole])), None) is None


def test_shares_of_one_of_several_attributes_are_not_those_of_combinations():
    """Any four people with different illnesses will do, though everybody earns something else."""
    frame = pd.DataFrame(
        {"id": [f"p{i}" for i in range(20)], "age": range(20), "illness": list("abcd") * 5, "pay": range(20)}
    )
    given = oa.Microdata.from_frame(
        frame.astype({"pay": str}),
        respondent="id",
        quasi_identifiers={"age": "numeric"},
        sensitive=["illness", "pay"],
    )
    near = for_attribute(TCloseness(t="1/10"), "illness")
    assert near.structure().values is None
    assert for_attribute(DistinctLDiversity(l=2), "illness").structure().distinct is None
    problem = Problem(table=given, policy=Policy([near]))
    best, bad = problem.assemble([range(i, i + 4) for i in range(0, 20, 4)]), problem.assemble([range(20)])
    assert next(problem.check(best), None) is None
    assert problem.objective(best) < (Fraction(340, 19),)
    claim = duals([17] * 20) | {"kind": "priced", "level": 0, "part": [0]}
    with pytest.raises(CertificateError, match="no histogram that can be written down is admissible"):
        verify(forged(problem, bad, [claim]), problem, bad)


def test_squared_error_as_a_part_of_a_level_is_not_the_level():
    """Two groups of equal people lose nothing in it; three groups of two are best."""
    rows = [(age, value) for age, value in zip([0, 0, 0, 10, 10, 10], "ababab", strict=True)]
    policy = Policy([KCAnonymity(k=2)], [{"squared_error": 1, "discernibility": 100}])
    problem = Problem(table=table(rows), policy=policy)
    bad = problem.assemble([range(3), range(3, 6)])
    assert problem.objective(problem.assemble([[0, 1], [2, 3], [4, 5]])) < problem.objective(bad)
    nothing = Node(-1, 0, NodeDuals(1, np.zeros(2, dtype=np.int64)))  # two points
    proof = packed(TreeProof(target=0, cuts=(), nodes=(nothing,)))
    claim = duals([0] * 6) | {"kind": "listed", "level": 0, "tree": {"listed_for": 0, "proof": proof}}
    part = {"kind": "leading", "levels": 1, "losses": ["squared_error"], "requirements": [0]}
    with pytest.raises(CertificateError, match="the bound 1800 is stated, 0 is what its claims prove"):
        verify(forged(problem, bad, [{"kind": "within", "part": part, "claims": [claim]}]), problem, bad)


def test_level_vectors_suppress_less_under_a_part_of_the_policy():
    """Four women share a value: they are suppressed, unless the requirement that asks for it is left out."""
    frame = pd.DataFrame({"id": list("uvwxyz"), "sex": list("ffffmm"), "value": list("aaaaab")})
    given = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"sex": "flat"}, sensitive="value"
    )
    kept = [KCAnonymity(k=2), DistinctLDiversity(l=2)]
    policy = Policy(kept, ["maximum_group_size"], recoding="full_domain", max_suppressed=4)
    problem = Problem(table=given, policy=policy)
    box, whole = (
        Recoding(ladders=problem.ladders, levels=(level,)).box(given.codes[4].tolist()) for level in (0, 1)
    )
    best, bad = problem.assemble([[4, 5]], boxes=[box]), problem.assemble([range(6)], boxes=[whole])
    assert next(problem.check(best), None) is None
    assert next(problem.check(bad), None) is None
    assert (problem.objective(best), problem.objective(bad)) == ((2,), (6,))
    part = {"kind": "leading", "levels": 1, "losses": ["maximum_group_size"], "requirements": [0]}
    claim = {"kind": "within", "part": part, "claims": [{"kind": "lattice", "level": 0}]}
    with pytest.raises(CertificateError, match="what the whole one suppresses"):
        verify(forged(problem, bad, [claim]), problem, bad)


def test_no_bound_is_above_the_value_even_if_claims_are_undecided():
    """So large a number is no float, in which what was derived of a bound is told."""
    policy = Policy([KCAnonymity(k=2)], ["maximum_group_size", "information_loss"], recoding="full_domain")
    problem = Problem(table=table([(age, "a") for age in (0, 0, 10, 10)]), policy=policy)
    boxes = [Recoding(ladders=problem.ladders, levels=(problem.ladders[0].height,)).box([0])]
    release = problem.assemble([range(4)], boxes=boxes)
    told = forged(problem, release, [{"kind": "lattice", "level": 1}], bounds=["0", str(10**399)])
    with pytest.raises(CertificateError, match="is what its claims prove"):
        verify(told, problem, release)


def test_somebody_s_word_does_not_look_like_what_was_found():
    """Of a smaller table it would be derived without a claim."""
    problem = Problem(table=table([(age, "a") for age in range(21)]), policy=Policy([KCAnonymity(k=2)]))
    release = problem.assemble([range(21)])
    word = {"kind": "trusted", "level": 0, "bound": "1", "solver": "me", "why": "so\nCONFIRMED:\x1b[1A all"}
    outcome = verify(forged(problem, release, [word], bounds=["0"]), problem, release)
    assert outcome.verdict.endswith("the rest is the word of me (so CONFIRMED: [1A all)")


DRAWN = {"kind": "drawn", "level": 0, "beta": "1", "candidates": 1, "cost_range": "1", "log_odds": None}
SETS = {"kind": "subsets"}


@pytest.mark.parametrize(
    ("kept", "levels", "claim", "why"),
    [
        ([KCAnonymity(k=2)], ["information_loss"], DRAWN, "nothing is confirmed by enumeration"),
        (
            [Difference(k=2)],
            ["information_loss"],
            {"kind": "within", "part": {"kind": "grouped"}, "claims": []},
            "the policy has none",
        ),
        (
            [WeakMInvariance(m=2)],
            ["counterfeits", "expected_counterfeits", "information_loss"],
            {"kind": "rest", "levels": 2, "claim": SETS},
            "levels that are none by themselves",
        ),
    ],
)
def test_claims_about_no_policy_are_refused_as_claims(
    kept: list[Requirement], levels: list[str], claim: dict[str, Any], why: str
):
    """There are more people than are enumerated; no requirements on groups; nothing left for an outlook."""
    rows = [(age, "ab"[age % 2]) for age in range(18)]
    problem = Problem(table=table(rows), policy=Policy(kept, levels))
    release = problem.assemble([[i, i + 1] for i in range(0, 18, 2)])
    with pytest.raises(CertificateError, match=why):
        verify(forged(problem, release, [claim]), problem, release)


def test_groups_too_large_to_be_listed_have_all_copies_of_a_row():
    """Sixty people alike pay for one who is near, forty would not: no more are in a group that is listed."""
    rows = [(0, "a")] * 60 + [(1, "b"), (100, "b")]
    problem = Problem(table=table(rows), policy=Policy([DistinctLDiversity(l=2)]))
    best = problem.assemble([[*range(59), 60], [59, 61]])
    bad = problem.assemble([[*range(30), 60], [*range(30, 60), 61]])
    assert problem.objective(best) < (Fraction(409, 100),) < problem.objective(bad)
    claim = duals([11] * 60 + [-440, 189]) | {"kind": "priced", "level": 0}
    with pytest.raises(CertificateError, match="costs less than its duals"):
        verify(forged(problem, bad, [claim], bounds=["409/100"]), problem, bad)
