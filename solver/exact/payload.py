"""Proofs as text: whole numbers in a row, each as few bytes as it needs, deflated, in base64.

What is read is not believed: `tree_check.check` judges what it says. Here only its form is checked, and its
size is bounded before memory is taken.

A proof is its target, the number of its cuts, cuts, the number of its nodes, nodes. A cut: denominator,
grid, number of rows, then for each how far it is beyond the one before, and its multiplier. A node: how far
before it its parent is (0 for the root), side, kind and what that needs, the duals' scale as a power of
two, duals of all rows less those of the parent at the same scale, and those of cuts like a cut's rows.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from itertools import accumulate

import numpy as np

from ...models.errors import CertificateError
from .limits import MOST_TEXT
from .program import Ints
from .rank1 import Rank1Cut
from .tree_check import DEEPEST, Branch, Node, NodeDuals, ProofPart, TreeProof

__all__ = ["packed", "unpacked"]

MOST_NUMBERS = 3_000_000
MOST_BYTES = 12_000_000
"""Numbers of a proof, and bytes before they are deflated, at most."""
LARGEST = 1 << 62
MOST_BITS = 40
"""Of scales."""
LEAF, ON, PAIR, COLUMN, OLD_PARTS, PARTS = range(6)
"""Kinds of nodes. Old parts were about columns that are left, whose numbers depend on when it is asked."""


def packed(proof: TreeProof) -> str | None:
    """Write a proof down; None if it is too large, or has scales that are no powers of two."""
    numbers = list[int]()
    try:
        _write(proof, numbers)
    except ValueError:
        return None
    if len(numbers) > MOST_NUMBERS or max(map(abs, numbers)) >= LARGEST:
        return None
    data = _bytes(np.array(numbers, dtype=np.int64))
    text = base64.b64encode(zlib.compress(data, 9)).decode("ascii")
    return text if max(len(data), len(text)) <= MOST_BYTES else None


def unpacked(text: str, rows: int) -> TreeProof:
    """Read a proof about a program with so many rows.

    Raises
    ------
    CertificateError
        If the text is no such proof, or larger than any that is written.
    """
    if len(text) > MOST_TEXT:
        raise CertificateError("the search tree is too large")
    try:
        inflate = zlib.decompressobj()
        data = inflate.decompress(base64.b64decode(text.encode("ascii"), validate=True), MOST_BYTES)
    except (binascii.Error, zlib.error, UnicodeEncodeError) as error:
        raise CertificateError("the search tree is damaged: it cannot be unpacked") from error
    if not inflate.eof or inflate.unused_data:
        raise CertificateError("the search tree is damaged or too large")
    reader = _Reader(_numbers(data))
    proof = _read(reader, rows, 0)
    if reader.left:
        raise CertificateError("the search tree is damaged: something follows its end")
    return proof


# -- proofs and numbers --------------------------------------------------------------------


def _write(proof: TreeProof, numbers: list[int]) -> None:
    numbers += (proof.target, len(proof.cuts))
    for cut in proof.cuts:
        numbers += (cut.over, cut.grid)
        _write_sparse(cut.rows, numbers)
    numbers.append(len(proof.nodes))
    for number, node in enumerate(proof.nodes):
        if len(numbers) > MOST_NUMBERS:
            raise ValueError
        branch = node.branch
        numbers += (number - node.parent if number else 0, node.side)
        if branch is None and not node.parts:
            numbers.append(LEAF)
        elif branch is None:
            numbers += (PARTS, len(node.parts))
            for part in node.parts:
                numbers += (len(part.rows), *_differences(part.rows))
                _write(part.proof, numbers)
        elif branch.pair is not None:
            numbers += (PAIR, *branch.pair)
        elif branch.column >= 0:
            numbers += (COLUMN, branch.column, branch.at)
        else:
            numbers.append(ON)
        above = proof.nodes[node.parent].duals if number else None
        bits = node.duals.scale.bit_length() - 1
        if node.duals.scale != 1 << bits or bits > MOST_BITS:
            raise ValueError
        numbers.append(bits)
        numbers += (node.duals.rows - _expected(above, bits, len(node.duals.rows))).tolist()
        _write_sparse(node.duals.cuts, numbers)


def _write_sparse(entries: tuple[tuple[int, int], ...], numbers: list[int]) -> None:
    ordered = sorted(entries)
    numbers.append(len(ordered))
    for step, (_, value) in zip(_differences([at for at, _ in ordered]), ordered, strict=True):
        numbers += (step, value)


def _differences(rising: tuple[int, ...] | list[int]) -> list[int]:
    return [at - before for before, at in zip([-1, *rising], rising, strict=False)]


def _expected(above: NodeDuals | None, bits: int, rows: int) -> Ints:
    """Duals of the parent at another scale; none if that leaves 64 bits."""
    if above is None or len(above.rows) != rows:
        return np.zeros(rows, dtype=np.int64)
    shift = bits - (above.scale.bit_length() - 1)
    if shift <= 0:
        return above.rows >> -shift
    if int(np.abs(above.rows).max(initial=0)) >= LARGEST >> shift:
        return np.zeros(rows, dtype=np.int64)
    return above.rows << shift


class _Reader:
    """Numbers one after another."""

    def __init__(self, numbers: Ints) -> None:
        self._numbers, self._at = numbers, 0

    @property
    def left(self) -> int:
        """How many are left."""
        return len(self._numbers) - self._at

    def many(self, count: int) -> Ints:
        """The next so many."""
        if not 0 <= count <= self.left:
            raise CertificateError("the search tree is damaged: it ends too soon")
        self._at += count
        return self._numbers[self._at - count : self._at]

    def next(self, least: int = 0, most: int = LARGEST) -> int:
        """One number between ends."""
        found = int(self.many(1)[0])
        if not least <= found <= most:
            raise CertificateError("the search tree is damaged: a number is out of range")
        return found

    def rising(self, count: int, most: int) -> tuple[int, ...]:
        """Different numbers from 0 to `most`, in rising order."""
        return self._checked(self.many(count), most)

    def sparse(self, most: int) -> tuple[tuple[int, int], ...]:
        """Pairs of such a number and any other."""
        table = self.many(2 * self.next(0, self.left // 2)).reshape(-1, 2)
        return tuple(zip(self._checked(table[:, 0], most), table[:, 1].tolist(), strict=True))

    @staticmethod
    def _checked(steps: Ints, most: int) -> tuple[int, ...]:
        found = list(accumulate(steps.tolist(), initial=-1))[1:]
        if (steps < 1).any() or (found and found[-1] > most):
            raise CertificateError("the search tree is damaged: rows are out of order")
        return tuple(found)


def _read(reader: _Reader, rows: int, depth: int) -> TreeProof:
    if depth > DEEPEST:
        raise CertificateError(f"the search tree has more than {DEEPEST} programs inside each other")
    target = reader.next(-LARGEST)
    cuts = list[Rank1Cut]()
    for number in range(reader.next(0, reader.left)):
        over, grid = reader.next(2), reader.next(1)
        cuts.append(Rank1Cut(reader.sparse(rows + number - 1), over, grid))
    nodes = list[Node]()
    for number in range(reader.next(0, reader.left)):
        back = reader.next(1 if number else 0, number)
        side, kind = reader.next(0, 1), reader.next(LEAF, PARTS)
        branch, parts = None, list[ProofPart]()
        if kind == ON:
            branch = Branch()
        elif kind == PAIR:
            branch = Branch(pair=(reader.next(0, rows - 1), reader.next(0, rows - 1)))
        elif kind == COLUMN:
            branch = Branch(column=reader.next(), at=reader.next())
        elif kind == OLD_PARTS:
            raise CertificateError("the search tree is of an earlier form, with parts: solve again")
        elif kind == PARTS:
            for _ in range(reader.next(1, reader.left)):
                inside = reader.rising(reader.next(1, rows), rows - 1)
                parts.append(ProofPart(inside, _read(reader, len(inside), depth + 1)))
        bits = reader.next(0, MOST_BITS)
        above = nodes[number - back].duals if number else None
        duals = reader.many(rows) + _expected(above, bits, rows)
        if ((duals > LARGEST) | (duals < -LARGEST)).any():  # the least number has no absolute value
            raise CertificateError("the search tree is damaged: a dual is out of range")
        kept = NodeDuals(1 << bits, duals, reader.sparse(len(cuts) - 1))
        nodes.append(Node(number - back if number else -1, side, kept, branch, tuple(parts)))
    return TreeProof(target=target, cuts=tuple(cuts), nodes=tuple(nodes))


# -- numbers and bytes ---------------------------------------------------------------------


def _bytes(numbers: Ints) -> bytes:
    """Signs last, then seven bits a byte, the lowest first; a byte above 127 is followed by another."""
    left = ((numbers << 1) ^ (numbers >> 63)).view(np.uint64)
    rest = np.stack([left >> np.uint64(7 * k) for k in range(10)], axis=1)
    needed = np.maximum(1, (rest > 0).sum(axis=1))
    place = np.arange(10)
    more = np.where(place < needed[:, None] - 1, 128, 0)
    coded = ((rest & np.uint64(127)).astype(np.int64) | more).astype(np.uint8)
    return coded[place < needed[:, None]].tobytes()


def _numbers(data: bytes) -> Ints:
    coded = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(coded < 128)
    if len(ends) > MOST_NUMBERS or (len(coded) and (not len(ends) or ends[-1] != len(coded) - 1)):
        raise CertificateError("the search tree is damaged: it ends inside a number")
    starts = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]
    long = ends - starts + 1
    if (long > 9).any():
        raise CertificateError("the search tree is damaged: a number is out of range")
    place = np.arange(len(coded)) - np.repeat(starts, long)
    shifted = (coded & 127).astype(np.uint64) << (7 * place).astype(np.uint64)
    left = np.add.reduceat(shifted, starts) if len(starts) else np.zeros(0, dtype=np.uint64)
    return (left >> np.uint64(1)).astype(np.int64) ^ -(left & np.uint64(1)).astype(np.int64)
