"""Weights of attributes: in every loss that measures boxes, in every engine, in certificates and files."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import oracle.brute_force as bf
import pandas as pd
import pytest
import yaml
from strategies import Instance, instance, random_release, seeded

import optanon as oa
from optanon.instances.problem_file import load_problem
from optanon.instances.series_draft import Continued, series_lines
from optanon.instances.usual_policy import SensitiveCounts
from optanon.models.errors import PolicyError, ProblemFileError
from optanon.models.losses import loss
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver.insight.comparison.comparing import narrowed
from optanon.solver.search import solve_problem
from optanon.solver.status import Status

GIVEN = (Fraction(2), Fraction(1, 3), Fraction(0))


def drawn(seed: int, **options: object) -> tuple[Instance, dict[str, Fraction]]:
    at = instance(seeded("weights", seed), releases=(0, 0), form="generalized", attributes=(2, 3), **options)  # pyright: ignore[reportArgumentType]
    return at, dict(zip(at.table.attributes, GIVEN, strict=False))


def widths(release: bf.Release, at: Instance) -> list[Fraction]:
    """Width of each attribute, summed over tuples; a suppressed one loses everything."""
    return [
        sum(
            (len(g.members) * attribute.width([p.qi[a] for p in g.members]) for g in release.groups),
            Fraction(len(release.suppressed)),
        )
        for a, attribute in enumerate(at.attributes)
    ]


def test_each_width_counts_by_its_weight():
    for seed in range(20):
        at, weights = drawn(seed)
        table, total = at.table.weighted(weights), sum(weights.values())
        release = random_release(seeded(seed), at.people, max_suppressed=len(at.people))
        lost = sum(
            (w * own for w, own in zip(weights.values(), widths(release, at), strict=True)), Fraction(0)
        )
        ours, tuples = at.ours(release), len(at.people)
        assert loss("information_loss").value(ours, table) == lost
        assert loss("average_information_loss").value(ours, table) == lost / tuples
        assert loss("semiperimeter_per_tuple").value(ours, table) == lost / tuples
        assert loss("ncp").value(ours, table) == lost / (tuples * total)
        once = sum(
            (
                w * attribute.width([p.qi[a] for p in group.members])
                for group in release.groups
                for a, (w, attribute) in enumerate(zip(weights.values(), at.attributes, strict=True))
            ),
            Fraction(0),
        )
        assert loss("semiperimeter").value(ours, table) == once


@pytest.mark.parametrize("name", ["information_loss", "ncp", "semiperimeter", "semiperimeter_per_tuple"])
@pytest.mark.parametrize("engine", ["subsets", "assignment", "partition"])
def test_engines_find_the_weighted_optimum(name: str, engine: str):
    at, weights = drawn(3, tuples=(7, 7))
    policy = Policy([KCAnonymity(k=2)], [name], weights=weights)
    problem = Problem(table=at.table, policy=policy)
    everything = bf.optimal_releases(at.people, at.attributes, [bf.k_c(2)], [lambda r, _: Fraction(0)])[1]
    best = min(loss(name).value(at.ours(release), problem.table) for release in everything)
    result = solve_problem(problem, engine=engine, workers=1, display=False)
    assert result.objective == (best,)
    assert result.status is Status.OPTIMAL
    assert result.certificate is not None
    assert oa.verify(result.certificate, problem, result.release).whole


PLANS = {
    "histogram": (KCAnonymity(k=3, c="1/2"), "information_loss", "numeric"),
    "signature": (oa.WeakMInvariance(m=2), "information_loss", "numeric"),
    "boxes": (KCAnonymity(k=3), "information_loss", "flat"),
    "points": (KCAnonymity(k=3), "squared_error", "numeric"),
    "enumerated": (oa.TCloseness(t="1/2"), "information_loss", "numeric"),
}
"""A requirement, a loss and a kind of column for each way in which the partition engine prices groups."""


@pytest.mark.parametrize(
    ("plan", "engine"), [*((plan, "partition") for plan in PLANS), ("points", "subsets")]
)
def test_a_weight_of_two_is_a_column_that_stands_there_twice(plan: str, engine: str):
    requirement, measure, kind = PLANS[plan]
    dice, rows = random.Random(4), 9 if engine == "subsets" else 12 if plan == "points" else 24
    most = 99 if plan == "points" else 5
    frame = pd.DataFrame({name: [dice.randint(0, most) for _ in range(rows)] for name in ("a", "b")})
    frame = frame.assign(again=frame["a"], id=range(rows), ill=["xyz"[row % 3] for row in range(rows)])

    def best(names: str, weights: dict[str, int]) -> Fraction:
        table = oa.Microdata.from_frame(
            frame, respondent="id", quasi_identifiers=dict.fromkeys(names.split(), kind), sensitive="ill"
        )
        problem = Problem(table=table, policy=Policy([requirement], [measure], weights=weights))
        result = solve_problem(problem, engine=engine, workers=1, display=False, time_limit=30)
        assert result.status is Status.OPTIMAL
        assert oa.verify(result.certificate, problem, result.release).whole
        return result.objective[0]

    assert best("a b", {"a": 2}) == best("a again b", {}) != best("a b", {})


def test_priced_bounds_are_weighted_too():
    """A table beyond the reach of enumeration: prices, certificate, and another optimum than without."""
    at = instance(
        seeded("many"),
        tuples=(60, 60),
        releases=(0, 0),
        form="generalized",
        kinds=["numeric"],
        attributes=(2, 2),
    )
    values: list[Fraction] = []
    for given in ({}, {at.table.attributes[0]: 5}):
        problem = Problem(table=at.table, policy=Policy([KCAnonymity(k=3)], weights=given))
        result = solve_problem(problem, workers=1, display=False, time_limit=20)
        assert result.engine.startswith("partition")
        assert result.certificate is not None
        assert oa.verify(result.certificate, problem, result.release).bounds[0] == result.bounds[0]
        assert result.release is not None
        values.append(loss("information_loss").value(result.release, at.table))
    assert values[0] < values[1]


def test_names_and_signs_are_checked():
    at, _ = drawn(1)
    with pytest.raises(PolicyError, match="'salary' is not a quasi-identifier"):
        Problem(table=at.table, policy=Policy([KCAnonymity(k=2)], weights={"salary": 1}))
    with pytest.raises(PolicyError, match="weight of age must be at least 0"):
        Policy([KCAnonymity(k=2)], weights={"age": -1})


def test_parts_of_a_policy_keep_the_weights_and_digests_tell_them():
    at, weights = drawn(1)
    plain = Problem(table=at.table, policy=Policy([KCAnonymity(k=2)]))
    problem = Problem(table=at.table, policy=Policy([KCAnonymity(k=2)], weights=weights))
    assert narrowed(problem, frozenset({"k_c_anonymity"})).table.weights == problem.table.weights
    assert problem.policy.changed(max_suppressed=1).weights == problem.policy.weights
    assert problem.digests["table"] == plain.digests["table"]
    assert problem.digests["policy"] != plain.digests["policy"]


def test_a_problem_file_says_weights(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id,age,zip,value\na,1,10,x\nb,5,20,y\nc,9,30,x\nd,4,40,y\n")
    content = {
        "table": "t.csv",
        "respondent": "id",
        "quasi_identifiers": {"age": "numeric", "zip": "numeric"},
        "sensitive": "value",
        "policy": {"requirements": [{"k_c_anonymity": {"k": 2}}], "weights": {"age": 2, "zip": "1/2"}},
    }
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(content))
    assert load_problem(tmp_path / "p.yaml").table.weights == (2, Fraction(1, 2))
    content["policy"] = {**content["policy"], "weights": {"sip": 2}}  # pyright: ignore[reportGeneralTypeIssues]
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(ProblemFileError, match="'sip' is not a quasi-identifier"):
        load_problem(tmp_path / "p.yaml")


def test_a_series_goes_on_with_its_weights():
    before = Policy([KCAnonymity(k=2)], weights={"zip: code": "1/2", "age": 3}).content
    lines = series_lines(
        Continued(store="r.db", releases=1, policy=before),
        SensitiveCounts(columns={}, combined={"flu": 2, "cold": 2}),
        None,
    )
    assert yaml.safe_load("\n".join(lines))["policy"]["weights"] == {"age": "3", "zip: code": "1/2"}
