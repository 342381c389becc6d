"""Proofs of bounds are confirmed without a solver, and faults in them are caught."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from oracle.partition import POLICIES, random_problem
from pydantic import ValidationError

from optanon.models.errors import CertificateError
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.solver.claims import ListedClaim, PricedClaim
from optanon.solver.exact.payload import packed, unpacked
from optanon.solver.exact.tree_check import TreeProof
from optanon.solver.search import partition_engine
from optanon.solver.settings import Settings, Watch
from optanon.solver.status import Status
from optanon.solver.verify.priced import Single, proven_loss


def proved(problem: Problem) -> tuple[Any, Any]:
    """The answer's proof as plain values, and the answer."""
    answer = partition_engine().solve(problem, Settings(), Watch())
    found = [claim for claim in answer.claims if isinstance(claim, PricedClaim | ListedClaim)]
    return found[0].model_dump() if found else None, answer


def verify_bound(problem: Problem, proof: Any) -> Fraction:
    """Confirm a proof that was written down and read back."""
    kind = ListedClaim if proof["kind"] == "listed" else PricedClaim
    return proven_loss(problem, kind.model_validate_json(json.dumps(proof)))


@pytest.mark.parametrize("seed", range(2 * len(POLICIES)))
def test_the_bound_of_every_optimum_is_confirmed(seed: int):
    problem = random_problem(seed, 12)
    proof, answer = proved(problem)
    if answer.status is Status.OPTIMAL:
        per = len(problem.table) if "average_information_loss" in problem.policy.levels[0].losses else 1
        assert verify_bound(problem, proof) / per == answer.bounds[0]
    else:
        assert answer.status is Status.INFEASIBLE


@pytest.fixture(scope="module")
def tree() -> tuple[Problem, Any, Any]:
    """A problem whose proof needs cuts and a search tree."""
    for seed in range(100):
        problem = random_problem(seed, 45, [KCAnonymity(k=3, c="1/2")])
        proof, answer = proved(problem)
        if (
            proof is not None
            and proof["kind"] == "listed"
            and len(read(problem, proof).nodes) > 1
            and proof["cuts"]
        ):
            return problem, proof, answer
    raise AssertionError("no random problem needed a tree")


def test_a_tree_is_confirmed(tree: tuple[Problem, Any, Any]):
    problem, proof, answer = tree
    per = len(problem.table) if "average_information_loss" in problem.policy.levels[0].losses else 1
    assert verify_bound(problem, proof) / per == answer.bounds[0]


def changed(proof: Any, **parts: Any) -> Any:
    return {**json.loads(json.dumps(proof)), **parts}


def test_a_dual_that_is_too_high_is_caught(tree: tuple[Problem, Any, Any]):
    problem, proof, _ = tree
    for tuple_ in range(0, len(problem.table), 5):
        root = json.loads(json.dumps(proof["root"]))
        root["duals"][tuple_] += max(map(abs, root["duals"]))
        with pytest.raises(CertificateError):
            verify_bound(problem, changed(proof, root=root))


def test_a_cut_dual_above_zero_is_caught(tree: tuple[Problem, Any, Any]):
    problem, proof, _ = tree
    root = {**proof["root"], "cut_duals": [1] * len(proof["cuts"])}
    with pytest.raises(ValidationError, match="less than or equal to 0"):
        verify_bound(problem, changed(proof, root=root))


def test_a_cut_that_names_a_tuple_twice_is_caught(tree: tuple[Problem, Any, Any]):
    problem, proof, _ = tree
    cuts = [[cut[0], *cut] for cut in proof["cuts"]]
    with pytest.raises(CertificateError, match="twice"):
        verify_bound(problem, changed(proof, cuts=cuts))


def read(problem: Problem, proof: Any) -> TreeProof:
    return unpacked(proof["tree"]["proof"], len(Single.of(problem).rows))


def written(proof: Any, tree: TreeProof, listed_for: int | None = None) -> Any:
    text = packed(tree)
    return changed(proof, tree={"listed_for": listed_for or proof["tree"]["listed_for"], "proof": text})


def test_a_higher_target_is_caught(tree: tuple[Problem, Any, Any]):
    problem, proof, _ = tree
    higher = replace(read(problem, proof), target=read(problem, proof).target + 1)
    with pytest.raises(CertificateError, match="does not reach the bound"):
        verify_bound(problem, written(proof, higher, higher.target))


def test_a_tree_proves_no_more_than_its_groups_were_listed_for(tree: tuple[Problem, Any, Any]):
    problem, proof, answer = tree
    found = read(problem, proof)
    less = written(proof, found, found.target - 1)
    per = len(problem.table) if "average_information_loss" in problem.policy.levels[0].losses else 1
    try:
        proven = verify_bound(problem, less) / per
    except CertificateError:
        return  # the columns that it names are others then
    assert proven < answer.bounds[0]


def test_a_missing_side_of_a_branch_is_caught(tree: tuple[Problem, Any, Any]):
    problem, proof, _ = tree
    found = read(problem, proof)
    with pytest.raises(CertificateError, match="side"):
        verify_bound(problem, written(proof, replace(found, nodes=found.nodes[:-1])))


def test_duals_in_a_tree_cannot_be_too_high(tree: tuple[Problem, Any, Any]):
    # What columns then cost too little is paid for, and less than the target is proved.
    problem, proof, _ = tree
    found = read(problem, proof)
    nodes = tuple(
        replace(node, duals=replace(node.duals, rows=node.duals.rows + 50 * node.duals.scale))
        for node in found.nodes
    )
    with pytest.raises(CertificateError):
        verify_bound(problem, written(proof, replace(found, nodes=nodes)))
