"""The adversary who knows quasi-identifiers against boxes, not memberships, against enumeration."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import oracle.brute_force as bf
import oracle.brute_force_boxes as weak
import pytest
from cases.attacks import history
from cases.audits import random_boxed_series as random_series

from optanon.models.adversary.boxes import box_population
from optanon.models.adversary.knowledge import Knowledge
from optanon.models.errors import InputError
from optanon.solver.worlds.possible import Possible, possible_values

BOXES = Knowledge(membership="boxes")


def found(series: Sequence[bf.Release], knowledge: Knowledge, *, boxed: bool = True) -> Possible:
    return possible_values(box_population(history(series, boxed=boxed), knowledge))


@pytest.mark.parametrize("sizes_known", [True, False])
def test_possible_values_equal_enumeration(sizes_known: bool) -> None:
    random = Random(11)
    weaker = searched = excluded = 0
    for _ in range(120):
        series = random_series(random)
        own = {p.name: p.value for groups, _ in series for g in groups for p in g.members}
        known = {n: v for n, v in own.items() if random.random() < 0.15}
        knowledge = Knowledge(
            membership="boxes", counterfeits="known" if sizes_known else "unknown", compromised=known
        )
        answer = found(series, knowledge)
        wanted = weak.possible_values(series, known, sizes_known=sizes_known)
        searched += answer.searched > 0
        stronger = bf.possible_values(series, known)
        for who, values in wanted.items():
            assert answer.values(who) == values
            assert not answer.unknown(who)
            assert stronger[who] <= values
            weaker += stronger[who] < values
            excluded += len(values) < 3
        for j in range(len(answer.population.system.cell)):
            if not answer.verdicts[j]:
                answer.derivation.checker.check(answer.derivation.proof(j))
    assert weaker > 10  # somebody could have been elsewhere
    assert searched > 5
    assert excluded > 10


def test_exact_quasi_identifiers_that_differ_are_memberships() -> None:
    """An anatomized release lists them: who is alone with hers is known to be there."""
    random = Random(12)
    for _ in range(40):
        series = random_series(random)
        apart = [
            bf.Release(
                tuple(
                    bf.Group(tuple(bf.Person(p.name, (int(p.name),), p.value) for p in g.members), g.fakes)
                    for g in made.groups
                )
            )
            for made in series
        ]
        answer = found(apart, BOXES, boxed=False)
        for who, values in bf.possible_values(apart).items():
            assert answer.values(who) == values


def test_equal_lines_of_anatomized_groups_can_be_swapped() -> None:
    one, two = bf.Person("1", (7,), "a"), bf.Person("2", (7,), "b")
    three, four = bf.Person("3", (8,), "c"), bf.Person("4", (9,), "c")
    series = [bf.Release((bf.Group((one, three)), bf.Group((two, four))))]
    answer = found(series, BOXES, boxed=False)
    assert answer.values("1") == answer.values("2") == {"a", "b", "c"}
    assert answer.values("3") == {"a", "c"}
    assert bf.possible_values(series)["1"] == {"a", "c"}


def test_what_boxes_cannot_go_with() -> None:
    with pytest.raises(InputError, match="never change"):
        Knowledge(membership="boxes", persistence="both")
    with pytest.raises(InputError, match="membership 'boxes'"):
        Knowledge(counterfeits="unknown")
    with pytest.raises(InputError, match="counterfeits must be"):
        Knowledge(counterfeits="perhaps")  # pyright: ignore[reportArgumentType]
