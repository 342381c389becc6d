"""Nothing that was not derived is confirmed: certificates of all kinds of runs, changed in every place."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pandas as pd
import pytest

import optanon as oa
from optanon.bench.forgeries import RUNS, Run, forgeries
from optanon.instances import catalog
from optanon.instances.problem_file import load_problem
from optanon.models.box import Leaves
from optanon.solver.certificate import Certificate
from optanon.solver.certify import certify
from optanon.solver.claims import Trusted
from optanon.solver.level_value import LevelValue
from optanon.solver.settings import Answer
from optanon.solver.status import Status, Termination

EVERY = 3
"""Of so many changes one is tried here; ``python -m bench fuzz`` tries all."""


@cache
def run(kind: str) -> Run:
    return RUNS[kind]()


@pytest.mark.parametrize("kind", RUNS)
def test_a_changed_certificate_is_refused_or_claims_nothing_else(kind: str):
    wrong = {
        (forgery.path, forgery.how): said
        for forgery in list(forgeries(run(kind).content))[::EVERY]
        if (said := run(kind).judged(forgery))
    }
    assert wrong == {}


@pytest.mark.parametrize("kind", RUNS)
def test_a_certificate_as_it_is_is_confirmed(kind: str):
    outcome = run(kind).outcome
    shown = (run(kind).content["claims"], run(kind).content["refusal"])
    assert outcome.whole == ("'kind': 'trusted'" not in str(shown))
    assert outcome.verdict.startswith("CONFIRMED")


# -- the forgeries of an attack on format 1, row by row ------------------------------------------


@pytest.fixture(scope="module")
def whole_table() -> tuple[oa.Problem, oa.Release]:
    """Sixty people in one group: it keeps k = 3 and loses far more than need be."""
    problem = load_problem(catalog.path("sixty-people") / "generalized.yaml")
    problem = replace(problem, policy=oa.Policy([oa.KCAnonymity(k=3)], ["suppressed", "information_loss"]))
    return problem, problem.assemble([list(range(len(problem.table)))])


def forged(
    problem: oa.Problem, release: oa.Release, status: Status, bounds: tuple[Fraction, ...]
) -> Certificate:
    """A certificate that says so, on CP-SAT's word."""
    values = problem.objective(release)
    levels = tuple(
        LevelValue(name=level.name, value=value, bound=bound)
        for level, value, bound in zip(problem.policy.levels, values, bounds, strict=True)
    )
    words = tuple(
        Trusted(level=i, bound=bound, solver="CP-SAT", why="its bound") for i, bound in enumerate(bounds)
    )
    answer = Answer(
        release=release, bounds=bounds, status=status, termination=Termination.COMPLETED, claims=words
    )
    made = certify(problem, answer, levels, engine="assignment", seed=0, workers=1)
    assert made is not None
    content = made.content
    return Certificate.of({**content, "status": status.value, "bounds": [str(bound) for bound in bounds]})


def test_a_solver_named_in_a_certificate_proves_nothing(whole_table: tuple[oa.Problem, oa.Release]):
    problem, release = whole_table
    values = problem.objective(release)
    with pytest.raises(oa.CertificateError, match=r"the bound .* is stated, 0 is what its claims prove"):
        oa.verify(forged(problem, release, Status.OPTIMAL, values), problem, release)
    none = (Fraction(0),) * len(values)
    with pytest.raises(oa.CertificateError, match="the status is OPTIMAL"):
        oa.verify(forged(problem, release, Status.OPTIMAL, none), problem, release)


def test_boxes_that_are_no_nodes_are_no_release():
    """Two categories of two nodes for each group: half of what the best release by nodes loses."""
    rows = [("p", "n1", "a"), ("q", "s1", "b"), ("r", "n2", "a"), ("s", "s2", "b")]
    tree = oa.Hierarchy.from_tree({"n": ["n1", "n2"], "s": ["s1", "s2"]})
    table = oa.Microdata.from_frame(
        pd.DataFrame(rows, columns=["id", "place", "value"]),
        respondent="id",
        quasi_identifiers={"place": tree},
        sensitive="value",
    )
    problem = oa.Problem(table=table, policy=oa.Policy([oa.DistinctLDiversity(l=2)]))
    best = oa.solve(table, problem.policy, display=False)
    assert best.release is not None
    assert best.certificate is not None
    assert best.objective == (4,)
    assert next(problem.check(best.release), None) is None
    boxes = [(Leaves(f"{a}|{b}", frozenset({a, b})),) for a, b in (("n1", "s1"), ("n2", "s2"))]
    made = problem.assemble([[0, 1], [2, 3]], boxes=boxes)
    assert problem.objective(made) == (2,)
    found = list(problem.check(made))
    assert [(violation.requirement, violation.groups) for violation in found] == [
        ("recoding", (0,)),
        ("recoding", (1,)),
    ]
    assert "column 'place': the cell 'n1|s1' covers other categories" in found[0].message
    content = forged(problem, made, Status.OPTIMAL, (Fraction(2),)).content
    content.update(status="FEASIBLE", bounds=["0"])
    with pytest.raises(oa.CertificateError, match="the release fails recoding: column 'place'"):
        oa.verify(Certificate.of(content), problem, made)


def test_a_word_is_told_as_a_word(whole_table: tuple[oa.Problem, oa.Release]):
    problem, release = whole_table
    values = problem.objective(release)
    content = forged(problem, release, Status.OPTIMAL, values).content
    content.update(status="FEASIBLE", bounds=["0"] * len(values))
    outcome = oa.verify(Certificate.of(content), problem, release)
    assert not outcome.whole
    assert outcome.bounds == (0,) * len(values)
    assert "the rest is the word of CP-SAT" in outcome.verdict


def test_bare_digests_are_no_certificate(whole_table: tuple[oa.Problem, oa.Release]):
    problem, release = whole_table
    content = forged(problem, release, Status.OPTIMAL, problem.objective(release)).content
    for named in (
        {"format": 1, "problem": content["problem"], "status": "INFEASIBLE"},
        {"format": 2, "problem": content["problem"], "status": "INFEASIBLE"},
        {key: value for key, value in content.items() if key != "release"},
        {**content, "release": None},
        {**content, "objective": []},
        {**content, "values": [], "bounds": []},
    ):
        with pytest.raises(oa.CertificateError):
            oa.verify(Certificate.of(json.loads(json.dumps(named))), problem, release)


def test_infeasible_is_not_confirmed_where_there_is_a_release(whole_table: tuple[oa.Problem, oa.Release]):
    problem, release = whole_table
    stated = forged(problem, release, Status.OPTIMAL, problem.objective(release)).content
    stated.update(status="INFEASIBLE", release=None, values=[], bounds=[], claims=[])
    for refusal in (
        {"kind": "obstacle", "requirement": 0},
        {"kind": "whole", "requirement": 0},
        {"kind": "lattice"},
    ):
        with pytest.raises(oa.CertificateError):
            oa.verify(Certificate.of({**stated, "refusal": refusal}), problem)
    word = {"kind": "trusted", "solver": "CP-SAT", "why": "searched"}
    outcome = oa.verify(Certificate.of({**stated, "refusal": word}), problem)
    assert not outcome.whole
    assert "the word of CP-SAT" in outcome.verdict


def test_another_policy_or_history_is_another_problem(whole_table: tuple[oa.Problem, oa.Release]):
    problem, release = whole_table
    certificate = forged(problem, release, Status.FEASIBLE, (Fraction(0),) * 2)
    stricter = replace(problem, policy=oa.Policy([oa.KCAnonymity(k=4)], ["suppressed", "information_loss"]))
    with pytest.raises(oa.CertificateError, match="another policy"):
        oa.verify(certificate, stricter, release)
    later = replace(problem, history=oa.History([release]))
    with pytest.raises(oa.CertificateError, match="another history"):
        oa.verify(certificate, later, release)
