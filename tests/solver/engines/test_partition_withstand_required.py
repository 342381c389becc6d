"""Values that a new group has to publish, against all worlds; and groups that keep publishing them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from optanon.bench.withstand import posteriors
from optanon.models.history import History
from optanon.models.requirements import ResistsInference
from optanon.solver.engines.partition.withstand.anneal import SafeAnnealing
from optanon.solver.engines.partition.withstand.arrays import Board, PublishedPast, groups_of, past_from
from optanon.solver.engines.partition.withstand.judge import SeriesJudge
from optanon.solver.engines.partition.withstand.limits import WITHSTAND_LIMITS as LIMITS
from optanon.solver.engines.partition.withstand.masks import MaskJudge
from optanon.solver.engines.partition.withstand.moves import Rule
from optanon.solver.engines.partition.withstand.required import require
from optanon.solver.engines.partition.withstand.sides import sides_of
from optanon.solver.settings import Clock
from optanon.tests.solver.engines.test_partition_withstand import problem

Labels = NDArray[np.int64]
SIDES = sides_of(problem(40, History(), ResistsInference(max_posterior=Fraction(1, 2))))


def published(value: Labels, label: Labels) -> PublishedPast:
    """A past of groups that are numbered by release."""
    used, place = np.unique(
        np.where(label < 0, -1, label + 10 * np.arange(label.shape[1])), return_inverse=True
    )
    place = place.reshape(label.shape).astype(np.int64) - int(used[0] < 0)
    counts = np.zeros((int(place.max()) + 1, 4), dtype=np.int64)
    for (p, _), g in np.ndenumerate(place):
        if g >= 0:
            counts[g, value[p]] += 1
    return past_from(value, place, counts, np.zeros(len(counts), dtype=np.int64))


def required(past: PublishedPast, rows: int, needed: int) -> None:
    codes = np.zeros((rows, len(SIDES.weight)), dtype=np.int64)
    require(past, groups_of(past, codes, SIDES, needed, [], 1, 1), rows, needed, Clock(None))


def fewest(value: Labels, label: Labels, only: Labels | None = None) -> int:
    """The fewest values that anybody may have."""
    return int((posteriors(value, label, 4, only=only) > 0).sum(axis=1).min())


def test_somebody_who_left_needs_a_value_in_the_group_of_somebody_else() -> None:
    """1 and 2 were with 3 and 4, then with 5 and 6; if 3 cannot have c, it is known that 4 has it."""
    a, b, c, d = range(4)
    value = np.array([a, a, b, c, a, d], dtype=np.int64)  # 3, then 1, 2, 4, 5 and 6
    label = np.array([[0, -1], [0, 0], [0, 0], [0, -1], [-1, 0], [-1, 0]], dtype=np.int64)
    past = published(value, label)
    required(past, 1, 2)
    assert past.must.tolist() == [1 << c, 0, 0, 0, 0, 0]
    codes = np.zeros((1, len(SIDES.weight)), dtype=np.int64)
    assert (
        SeriesJudge(past, 2, Fraction(1)).inferred(groups_of(past, codes, SIDES, 2, [], 1, 1), range(6)) == []
    )


def test_what_is_required_is_what_all_worlds_say() -> None:
    random, seen = np.random.default_rng(3), set[tuple[bool, bool]]()
    for _ in range(80):
        people, rows = 8, 3
        value = random.integers(3, size=people)
        label = random.integers(-1, 2, size=(people, 2))
        if (label < 0).all() or fewest(value, label) < 2:
            continue
        past = published(value, label)
        required(past, rows, 2)
        assert (past.must[rows:] == 0).all()
        assert (past.only == -1).all()
        for p in range(rows):
            back = (label[p] >= 0).any()
            for v in range(4):
                only = np.full(people, -1, dtype=np.int64)
                only[p] = ~(1 << v)
                lost = v != value[p] and back and past.mask[p] >> v & 1 and fewest(value, label, only) < 2
                assert bool(past.must[p] >> v & 1) == bool(lost)
                seen.add((bool(lost), bool(back)))
    assert seen == {(True, True), (False, True), (False, False)}


def groups_as_asked(past: PublishedPast, rows: Sequence[Sequence[int]]) -> SafeAnnealing:
    count = sum(map(len, rows))
    codes = np.random.default_rng(1).integers(5, size=(count, len(SIDES.weight)))
    near = np.array([[q for q in range(count) if q != p] for p in range(count)], dtype=np.int64)
    groups = groups_of(past, codes, SIDES, 2, rows, count + LIMITS.more, 2)
    rule = Rule(needed=2, part=1, whole=1, least=2, price=0)
    judge = SeriesJudge(past, 2, Fraction(1, 2))
    return SafeAnnealing(Board(past, groups, codes, SIDES, near), rule, judge, lambda counts: True, 1)


@pytest.mark.slow
def test_a_repair_leaves_nobody_short_of_values_that_was_not() -> None:
    """While somebody can be inferred and that costs next to nothing, moves that break the masks are cheap."""
    moved = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        value, label = random.integers(3, size=24), random.integers(4, size=(24, 1))
        past = published(value, label)
        required(past, 18, 2)
        home = random.permutation(np.arange(18) % 3)
        chain = groups_as_asked(past, [np.flatnonzero(home == g).tolist() for g in range(3)])
        if chain.groups.short.any():
            continue
        for _ in range(200):  # each at the lowest price
            chain.run(Clock(None), 1, LIMITS.hot[1])
            assert not chain.groups.short.any()
        assert MaskJudge(past, 2).inferred(chain.groups, range(24)) == []
        moved += chain.made > 5
    assert moved >= 3
