"""Proofs as text: read back as they were, and damage is refused, or proves nothing false."""

from __future__ import annotations

import base64
import zlib

import numpy as np
import pytest
from cases.programs import partition_program
from hypothesis import given, strategies as st

from optanon.models.errors import CertificateError
from optanon.solver.exact import payload
from optanon.solver.exact.payload import packed, unpacked
from optanon.solver.exact.program import Program
from optanon.solver.exact.tree import Tree
from optanon.solver.exact.tree_check import Node, NodeDuals, TreeProof, check


@pytest.fixture(scope="module")
def case() -> tuple[Program, TreeProof]:
    program = partition_program(4, rows=24, columns=140)
    tree = Tree(program, 10_000)
    assert tree.run()
    return program, tree.proof()


def plain(proof: TreeProof) -> object:
    """Everything in a proof, comparable."""
    return (
        proof.target,
        proof.cuts,
        [
            (
                node.parent,
                node.side,
                node.duals.scale,
                node.duals.rows.tolist(),
                node.duals.cuts,
                node.branch,
                [(part.rows, plain(part.proof)) for part in node.parts],
            )
            for node in proof.nodes
        ],
    )


def test_a_proof_is_read_back_as_it_was(case: tuple[Program, TreeProof]):
    program, proof = case
    text = packed(proof)
    assert text is not None
    assert plain(unpacked(text, len(program.low))) == plain(proof)
    # About a byte and a half per dual.
    assert len(text) < 3 * len(proof.nodes) * len(program.low) + 12 * sum(len(c.rows) for c in proof.cuts)


@given(st.lists(st.integers(-(2**62) + 1, 2**62 - 1)))
def test_numbers_are_read_back(numbers: list[int]):
    made = np.array(numbers, dtype=np.int64)
    assert payload._numbers(payload._bytes(made)).tolist() == numbers


def test_damaged_bytes_prove_nothing_false(case: tuple[Program, TreeProof]):
    program, proof = case
    text = packed(proof)
    assert text is not None
    data = bytearray(zlib.decompress(base64.b64decode(text)))
    random = np.random.default_rng(1)
    for _ in range(300):
        forged = bytearray(data)
        for at in random.integers(0, len(data), random.integers(1, 4)):
            forged[at] = random.integers(0, 256)
        if random.random() < 0.3:
            del forged[int(random.integers(len(forged))) :]
        try:
            read = unpacked(base64.b64encode(zlib.compress(bytes(forged))).decode(), len(program.low))
            check(program, read)
        except CertificateError:
            continue
        assert read.target <= proof.target


@pytest.mark.parametrize(
    "text",
    ["", "a", "é", "!!!!", "AAAA", base64.b64encode(zlib.compress(b"\x80" * 20)).decode(), "A" * 16_000_004],
)
def test_what_is_no_proof_is_refused(text: str):
    with pytest.raises(CertificateError):
        unpacked(text, 3)


def test_duals_have_an_absolute_value_in_64_bits():
    """Each node adds to what the one before has: the second comes to the least number, which has none."""
    least = -(2**62)
    on, leaf = (0, 0, payload.ON, 0, least, 0), (1, 0, payload.LEAF, 0, least, 0)
    data = payload._bytes(np.array([0, 0, 2, *on, *leaf], dtype=np.int64))
    with pytest.raises(CertificateError, match="a dual is out of range"):
        unpacked(base64.b64encode(zlib.compress(data)).decode(), 1)


def test_a_text_that_inflates_without_end_is_refused():
    bomb = base64.b64encode(zlib.compress(bytes(payload.MOST_BYTES + 1), 9)).decode()
    assert len(bomb) < 20_000
    with pytest.raises(CertificateError, match="too large"):
        unpacked(bomb, 3)


def test_too_large_a_proof_is_not_written():
    rows = np.arange(payload.MOST_NUMBERS, dtype=np.int64)
    assert packed(TreeProof(target=1, cuts=(), nodes=(Node(-1, 0, NodeDuals(1, rows)),))) is None
    assert packed(TreeProof(target=1, cuts=(), nodes=(Node(-1, 0, NodeDuals(3, rows[:3])),))) is None
