"""Search trees: optima are those of enumeration, every proof is checked, every forgery refused."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from cases.programs import general_program, optimum, partition_program, solutions
from clocks import Asked
from scipy.sparse import csr_array

from optanon.models.errors import CertificateError
from optanon.solver.exact import payload, tree_check
from optanon.solver.exact.limits import CheckLimits
from optanon.solver.exact.program import Program, covering
from optanon.solver.exact.rank1 import Rank1Cut, RowStack
from optanon.solver.exact.relaxation import BoxRelaxation
from optanon.solver.exact.tree import Tree
from optanon.solver.exact.tree_check import (
    Branch,
    EndedError,
    Node,
    NodeDuals,
    ProofPart,
    TreeProof,
    check,
)
from optanon.solver.settings import Clock

ABOVE = 10_000


def proved(program: Program, target: int) -> tuple[Tree, TreeProof]:
    """A finished tree and its proof, which holds, and for a higher target does not."""
    tree = Tree(program, target)
    assert tree.run()
    proof = tree.proof()
    check(program, proof)
    return tree, proof


@pytest.mark.parametrize("seed", range(40))
def test_a_partition_costs_what_enumeration_says(seed: int):
    program = partition_program(seed)
    least = optimum(program)
    tree, proof = proved(program, ABOVE)
    assert tree.target == (ABOVE if least is None else least)
    if least is None:
        assert tree.best is None
        return
    assert tree.best is not None
    assert program.holds(tree.best)
    assert int(program.cost @ tree.best) == least
    with pytest.raises(CertificateError):
        check(program, replace(proof, target=least + 1))
    again, _ = proved(program, least)
    assert again.best is None


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("looks", [1, 3, 7])
def test_a_tree_that_is_run_again_goes_on_where_it_stopped(seed: int, looks: int):
    program = partition_program(seed)
    whole, _ = proved(program, ABOVE)
    tree, frozen = Tree(program, ABOVE), list[tuple[Tree, int | None]]()
    while True:
        tree.clock = Clock(stop=Asked(looks))
        if tree.run():
            break
        assert not tree.stuck
        looks += 1
        frozen.append((tree.frozen(), tree.bound))
    check(program, tree.proof())
    assert tree.target == whole.target
    for known, bound in frozen:
        assert known.bound == bound
        if bound is not None:
            proof = known.proof()
            check(program, proof)
            assert proof.target == bound


def test_a_tree_whose_linear_programs_fail_ends_and_claims_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(BoxRelaxation, "solve", lambda *_: None)
    tree = Tree(partition_program(2), ABOVE)
    for _ in range(2):
        assert not tree.run()
        assert tree.stuck
        assert tree.bound is None


@pytest.mark.parametrize("seed", range(40))
def test_a_general_program_costs_what_enumeration_says(seed: int):
    program = general_program(seed)
    least = min(int(program.cost @ x) for x in solutions(program))
    tree, proof = proved(program, ABOVE)
    assert tree.target == least
    with pytest.raises(CertificateError):
        check(program, replace(proof, target=least + 1))


@pytest.mark.parametrize("seed", range(60))
def test_no_cut_loses_a_solution(seed: int):
    random = np.random.default_rng(seed)
    program = general_program(seed)
    stack = RowStack(program.matrix, program.low, program.high)
    every = np.array(solutions(program))
    for _ in range(30):
        rows = random.choice(len(stack), random.integers(1, min(5, len(stack)) + 1), replace=False)
        over, grid = int(random.integers(2, 12)), int(random.integers(1, 12))
        times = [int(t) for t in random.integers(-15, 16, len(rows)) if t]
        if times:
            stack.extend([Rank1Cut(tuple(zip(rows.tolist(), times, strict=False)), over, grid)])
    assert (stack.matrix @ every.T <= stack.high[:, None]).all()


def test_an_odd_set_is_a_cut():
    # Three rows, a column for each two of them: at most one column, where halves are 3/2.
    matrix = csr_array(np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1]]))
    one = np.ones(3, dtype=np.int64)
    stack = RowStack(matrix, one, one)
    stack.extend([Rank1Cut(((0, 1), (1, 1), (2, 1)), 2)])
    assert stack.matrix.toarray()[3].tolist() == [1, 1, 1]
    assert stack.high[3] == 1


# -- forgeries -----------------------------------------------------------------------------


def large(seed: int) -> Program:
    return partition_program(seed, rows=24, columns=140)


@pytest.fixture(scope="module")
def proofs() -> list[tuple[Program, TreeProof]]:
    """Programs with proofs of several nodes, cuts, pairs, columns and parts among them."""
    programs = [large(seed) for seed in (1, 8, 9)]
    programs.append(side_by_side(large(1), large(8)))
    return [(program, proved(program, proved(program, ABOVE)[0].target)[1]) for program in programs]


def side_by_side(one: Program, other: Program) -> Program:
    wide, tall = one.matrix.shape[1], one.matrix.shape[0]
    matrix = np.zeros((tall + len(other.low), wide + len(other.cost)), dtype=np.int64)
    matrix[:tall, :wide], matrix[tall:, wide:] = one.matrix.toarray(), other.matrix.toarray()
    parts = {
        name: np.concatenate([getattr(one, name), getattr(other, name)])
        for name in ("cost", "lower", "upper", "low", "high")
    }
    return Program(matrix=csr_array(matrix), **parts)


def test_the_proofs_have_everything_in_them(proofs: list[tuple[Program, TreeProof]]):
    nodes = [node for _, proof in proofs for node in proof.nodes]
    assert any(proof.cuts for _, proof in proofs)
    assert any(cut.over > 2 for _, proof in proofs for cut in proof.cuts)
    assert any(len(proof.nodes) > 4 for _, proof in proofs)
    assert any(node.branch is not None and node.branch.pair is not None for node in nodes)
    assert any(node.parts for node in nodes)


def changed(proof: TreeProof, at: int, **parts: object) -> TreeProof:
    nodes = list(proof.nodes)
    nodes[at] = replace(nodes[at], **parts)
    return replace(proof, nodes=tuple(nodes))


def test_no_forged_proof_of_a_false_claim_is_accepted(proofs: list[tuple[Program, TreeProof]]):
    """Every target is the optimum, so a higher one is false, whatever is done to the proof."""
    random = np.random.default_rng(0)
    tried = 0
    for program, proof in proofs:
        false = replace(proof, target=proof.target + 1)
        for _ in range(12):
            at = int(random.integers(len(proof.nodes)))
            node = proof.nodes[at]
            duals = node.duals
            forged = [
                false,
                replace(false, nodes=false.nodes[:at] + false.nodes[at + 1 :]),
                changed(false, at, duals=replace(duals, rows=duals.rows + 10 * duals.scale)),
                changed(false, at, duals=replace(duals, scale=1)),
                changed(false, at, duals=replace(duals, cuts=tuple((c, 1 - d) for c, d in duals.cuts))),
                changed(false, at, branch=None),
                changed(false, at, branch=None, parts=(ProofPart(tuple(range(len(program.low))), false),)),
                changed(false, at, branch=Branch()),
                changed(false, at, side=1 - node.side),
                replace(false, cuts=tuple(replace(cut, over=cut.over + 1) for cut in false.cuts)),
            ]
            for forgery in forged:
                tried += 1
                with pytest.raises(CertificateError):
                    check(program, forgery)
    assert tried == 10 * 12 * len(proofs)


def test_a_dual_of_a_cut_above_zero_is_refused(proofs: list[tuple[Program, TreeProof]]):
    program, proof = next(found for found in proofs if found[1].cuts)
    at = next(k for k, node in enumerate(proof.nodes) if node.duals.cuts)
    duals = proof.nodes[at].duals
    with pytest.raises(CertificateError, match="not there"):
        check(program, changed(proof, at, duals=replace(duals, cuts=((duals.cuts[0][0], 1),))))


def test_a_missing_side_is_refused(proofs: list[tuple[Program, TreeProof]]):
    program, proof = next(found for found in proofs if len(found[1].nodes) > 2)
    with pytest.raises(CertificateError, match="lacks a side"):
        check(program, replace(proof, nodes=proof.nodes[:-1]))
    with pytest.raises(CertificateError, match="lacks a side"):
        check(program, replace(proof, nodes=()))


def test_what_a_short_text_asks_of_memory_is_limited(monkeypatch: pytest.MonkeyPatch):
    """Nodes that wait for their other side keep the ends of all columns; each cut has an entry for most."""
    groups = np.array([[0, 1], [0, -1], [1, -1]], dtype=np.int32)
    program = covering(groups, np.ones(3, dtype=np.int64), np.ones(2, dtype=np.int64))
    none, one = (NodeDuals(1, np.array([dual, 0])) for dual in (0, 1))
    nodes = (Node(-1, 0, none, Branch(column=0, at=0)), Node(0, 0, one), Node(0, 1, one))
    proof = TreeProof(target=1, cuts=(Rank1Cut(((0, 1), (1, 1)), 2),) * 2, nodes=nodes)
    check(program, proof)
    with pytest.raises(EndedError, match="0 of the search tree's cuts were made"):
        check(program, proof, over=lambda: True)
    monkeypatch.setattr(tree_check, "CHECK", CheckLimits(entries=0, at_once=1))
    with pytest.raises(CertificateError, match="1 of them have too many entries"):
        check(program, proof)
    monkeypatch.setattr(tree_check, "CHECK", CheckLimits(ends=5))
    with pytest.raises(CertificateError, match="1 nodes lack a side at once"):
        check(program, proof)


def test_rows_that_count_twice_are_no_pair():
    program = Program(
        cost=np.array([1, 1]),
        lower=np.zeros(2, dtype=np.int64),
        upper=np.array([2, 2]),
        matrix=csr_array(np.array([[1, 1], [1, 1]])),
        low=np.array([2, 2]),
        high=np.array([2, 2]),
    )
    none = NodeDuals(1, np.zeros(2, dtype=np.int64))
    nodes = (Node(-1, 0, none, Branch(pair=(0, 1))), Node(0, 0, none), Node(0, 1, none))
    with pytest.raises(CertificateError, match="not exactly once"):
        check(program, TreeProof(target=2, cuts=(), nodes=nodes))


def test_a_column_in_two_parts_is_refused(proofs: list[tuple[Program, TreeProof]]):
    program, proof = proofs[-1]
    at = next(k for k, node in enumerate(proof.nodes) if node.parts)
    first, *rest = proof.nodes[at].parts
    moved = ProofPart(first.rows[1:], first.proof)
    with pytest.raises(CertificateError, match="rows of two parts"):
        check(program, changed(proof, at, parts=(moved, *rest)))


def repeated(seed: int) -> Program:
    """A partition of rows that count once to thrice: branches are on columns."""
    program = partition_program(seed, columns=90)
    count = np.random.default_rng(seed).integers(1, 4, len(program.low))
    return replace(program, low=count, high=count, upper=np.full(len(program.cost), 3, dtype=np.int64))


@pytest.mark.parametrize("seeds", [(4, 1), (4, 3), (7, 1), (7, 4), (11, 6)])
def test_a_proof_holds_for_every_lower_bound(seeds: tuple[int, int]):
    # The target falls with every solution found; parts that were closed before still hold.
    program = side_by_side(*map(repeated, seeds))
    _, proof = proved(program, proved(program, ABOVE)[0].target)
    assert any(node.parts for node in proof.nodes)
    for less in range(1, 40):
        check(program, replace(proof, target=proof.target - less))


def test_parts_of_an_earlier_form_are_refused(
    proofs: list[tuple[Program, TreeProof]], monkeypatch: pytest.MonkeyPatch
):
    program, proof = proofs[-1]
    monkeypatch.setattr(payload, "PARTS", payload.OLD_PARTS)
    text = payload.packed(proof)
    monkeypatch.undo()
    assert text is not None
    with pytest.raises(CertificateError, match="earlier form, with parts: solve again"):
        payload.unpacked(text, len(program.low))


def test_sums_beyond_64_bits_are_refused_before_they_are_made():
    # Limits of 0 hide how large these duals are; times their entries they would wrap around.
    program = Program(
        cost=np.array([1, 1]),
        lower=np.zeros(2, dtype=np.int64),
        upper=np.ones(2, dtype=np.int64),
        matrix=csr_array(np.array([[1, 1], [1 << 14, -(1 << 14)], [1 << 14, -(1 << 14)]])),
        low=np.array([1, 0, 0]),
        high=np.array([1, 0, 0]),
    )
    rows = np.array([5, 1 << 50, -(1 << 50)])
    proof = TreeProof(target=2, cuts=(), nodes=(Node(-1, 0, NodeDuals(1, rows)),))
    with pytest.raises(CertificateError, match="too large"):
        check(program, proof)
    huge = Rank1Cut(((0, 1 << 40),), 2, 1 << 40)
    with pytest.raises(CertificateError, match="too large"):
        check(program, TreeProof(target=1, cuts=(huge,), nodes=proof.nodes))


def test_the_checker_knows_neither_solver_nor_search():
    code = (
        "import sys, optanon.solver.exact.payload, optanon.solver.exact.tree_check\n"
        "known = {'highspy', 'ortools', 'optanon.solver.exact.tree', 'optanon.solver.exact.relaxation'}\n"
        "found = [m for m in sys.modules if m in known or m.startswith('optanon.solver.engines')]\n"
        "sys.exit(repr(found) if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_search_that_ends_early_claims_nothing():
    assert not Tree(large(1), ABOVE, Clock(0.0)).run()
