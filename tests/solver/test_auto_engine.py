"""Which engine answers, and what its certificate lets anyone confirm."""

from __future__ import annotations

from typing import Any

import pytest
from cases.certificates import changed

import optanon as oa
from optanon.instances import catalog
from optanon.instances.generators import clustered_table, generated_roles
from optanon.solver.search import solve_problem


def clustered(tuples: int) -> oa.Microdata:
    return generated_roles().table(clustered_table(tuples, seed=1))


@pytest.mark.parametrize(
    ("tuples", "policy", "engine"),
    [
        (10, oa.Policy([oa.KCAnonymity(k=3)]), "subsets (10 tuples)"),
        (40, oa.Policy([oa.KCAnonymity(k=3)]), "partition (40 tuples)"),
        (16, oa.Policy([oa.KCAnonymity(k=3)], ["discernibility"]), "subsets (16 tuples)"),
        (20, oa.Policy([oa.KCAnonymity(k=3)]), "partition (20 tuples)"),
        (20, oa.Policy([oa.KCAnonymity(k=3)], ["discernibility"]), "partition (20 tuples)"),
        (20, oa.Policy([oa.KCAnonymity(k=3)], ["semiperimeter"]), "subsets (20 tuples)"),
        (
            21,
            oa.Policy([oa.KCAnonymity(k=3)], ["semiperimeter"]),
            "assignment, then partition (21 tuples; the partition engine",
        ),
        (40, oa.Policy([oa.DistinctLDiversity(l=3)], form="anatomized"), "partition (40 tuples)"),
        (40, oa.Policy([oa.KCAnonymity(k=3)], recoding="full_domain"), "full_domain (full-domain recoding)"),
    ],
)
def test_auto_says_which_engine_and_why(tuples: int, policy: oa.Policy, engine: str):
    result = oa.solve(clustered(tuples), policy, time_limit=10)
    assert result.engine.startswith(engine)
    assert result.release is not None


def test_too_large_for_an_engine_that_is_asked_for_is_one_clear_error():
    policy = oa.Policy([oa.WeakMInvariance(m=3)], ["counterfeits", "semiperimeter"])
    with pytest.raises(oa.EngineError, match="assignment engine takes up to 200 tuples"):
        oa.solve(clustered(201), policy, engine="assignment")
    result = oa.solve(clustered(201), policy, time_limit=3)
    assert result.engine.startswith("partition")
    assert result.release is not None


def test_verify_prices_the_bound_again():
    table, policy = clustered(60), oa.Policy([oa.KCAnonymity(k=3, c="1/2")])
    result = oa.solve(table, policy)
    assert result.status is oa.Status.OPTIMAL
    assert result.certificate is not None
    problem = oa.Problem(table=table, policy=policy)
    certificate = oa.Certificate.from_json(result.certificate.to_json())
    outcome = oa.verify(certificate, problem, result.release)
    assert outcome.whole
    assert any("exact pricing" in line for line in outcome.confirmed)

    def higher(content: dict[str, Any]) -> None:
        root = next(found["root"] for found in content["claims"] if "root" in found)
        root["duals"][0] += 100 * root["scale"]

    with pytest.raises(oa.CertificateError, match="duals prove nothing"):
        oa.verify(changed(certificate, higher), problem, result.release)


def test_a_listener_hears_what_the_result_keeps():
    heard = []
    problem = catalog.load("hospital", "release-2.yaml")
    result = solve_problem(problem, listener=heard.append)
    assert result.trajectory
    assert set(result.trajectory) <= set(heard)
    assert heard[-1].value == result.objective[-1]
