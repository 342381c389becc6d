"""Every registered loss: its value against the oracle, its encoding against its value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import cast

import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.boxes import tight_box
from cases.trees import hierarchy, uneven
from hypothesis import given, settings
from ortools.sat.python import cp_model
from strategies import (
    COLUMNS,
    KINDS,
    Column,
    Instance,
    Kind,
    Source,
    instance,
    instances,
    random_release,
    seeded,
)

from optanon.models.encoding import Encoding
from optanon.models.errors import PolicyError
from optanon.models.losses import loss, losses
from optanon.models.policy import Level, Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup
from optanon.models.requirements import KCAnonymity
from optanon.models.table import Microdata
from optanon.models.whole_weights import unit_weights
from optanon.solver.search import solve
from optanon.solver.status import Status, Termination


def no_cells(release: bf.ReleaseLike, attributes: object) -> Fraction:
    """The oracle's releases hide no single cells."""
    return Fraction(0)


def signatures(release: bf.ReleaseLike, attributes: object) -> Fraction:
    return Fraction(len({frozenset(bf.published([group])) for group in release[0]}))


ORACLE: Mapping[str, bf.Loss] = {**bf.LOSSES, "hidden_cells": no_cells, "signatures": signatures}

PRICED = ("expected_counterfeits", "expected_widening")
"""Losses that need a whole problem: `test_outlook` and `test_widening` are about them."""

every_loss = pytest.mark.parametrize("name", sorted(set(losses()) - set(PRICED)))


def some(source: Source, at: Instance) -> bf.Release:
    return random_release(
        source, at.people, max_fakes=2, fake_values=at.fake_values, max_suppressed=len(at.people)
    )


def kinds_of(name: str) -> Sequence[Kind]:
    """Kinds of columns that a policy with this loss alone may be about."""
    numbers: tuple[Kind, ...] = ("numeric", "rational", "point")
    return numbers if name.startswith("squared_error") else KINDS


@every_loss
def test_every_loss_is_known_to_the_oracle(name: str):
    assert name in ORACLE, f"loss {name!r} is registered but not under test: add it to ORACLE in {__file__}"


@every_loss
def test_values_are_those_of_the_oracle(name: str):
    for seed in range(40):
        source = seeded("loss", name, seed)
        at = instance(source, releases=(0, 0))
        for release in (some(source, at), bf.Release((), at.people)):
            assert loss(name).value(at.ours(release), at.table) == ORACLE[name](release, at.measured)


@every_loss
def test_values_under_hierarchies_of_any_shape_are_those_of_the_oracle(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    for seed in range(10):
        source = seeded("shapes", name, seed)
        paths = uneven(source, source(2, 9))
        ours = hierarchy(source, paths)
        column = Column(lambda _, ours=ours: ours, bf.Taxonomy(paths), tuple(sorted(paths)))
        monkeypatch.setitem(cast("dict[Kind, Column]", COLUMNS), "deep", column)
        at = instance(source, releases=(0, 0), kinds=("deep", "numeric"))
        release = some(source, at)
        assert loss(name).value(at.ours(release), at.table) == ORACLE[name](release, at.measured)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(instances(tuples=(1, 5), releases=(0, 0)))
def test_losses_add_up_over_groups_and_suppressed_tuples(drawn: tuple[Instance, Source]):
    at, source = drawn
    release = at.ours(some(source, at))
    for name, found in losses().items():
        if name in PRICED:
            continue
        parts = [found.of_group(group, at.table) for group in release.groups]
        parts += [found.of_suppressed(member, at.table) for member in release.suppressed]
        if found.combine == "sum":
            assert found.value(release, at.table) == sum(parts)
        elif found.combine == "max":
            assert found.value(release, at.table) == max(parts, default=0)
        assert found.value(release, at.table) >= 0


@every_loss
def test_the_least_cost_of_a_fixed_release_is_its_loss(name: str):
    """Minimize the encoded cost with all memberships, fakes and suppressed tuples fixed."""
    for seed in range(12):
        source = seeded("cost", name, seed)
        at = instance(source, tuples=(2, 5), releases=(0, 0), kinds=kinds_of(name))
        policy = Policy(
            [KCAnonymity(k=1)], [name], max_suppressed=len(at.people), max_counterfeits=2, form=at.form
        )
        problem = Problem(table=at.table, policy=policy, history=at.history)
        model = Encoding(problem)
        for requirement in policy.requirements:
            requirement.encode(model)
        cost = loss(name).encode(model)
        assert cost.exact
        model.cp.minimize(cost.expression)
        release = at.ours(some(source, at))
        model.hint(release)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.fix_variables_to_their_hinted_value = True
        assert solver.solve(model.cp) == cp_model.OPTIMAL
        found = loss(name).decode(round(solver.objective_value), cost.scale, at.table)
        assert found == loss(name).value(release, at.table), (seed, at, release)
        read = model.release(solver.value)
        assert {(g.respondents, g.counterfeits, g.box) for g in read.groups} == {
            (g.respondents, g.counterfeits, g.box) for g in release.groups
        }


def test_weights_of_a_level():
    at = instance(seeded("level"), tuples=(4, 4), releases=(0, 0), form="generalized")
    release = at.ours(some(seeded("level release"), at))
    level = Level(weights=(("information_loss", Fraction(2, 3)), ("discernibility", Fraction(5))))
    parts = [loss(name).value(release, at.table) for name in ("information_loss", "discernibility")]
    problem = Problem(table=at.table, policy=Policy([KCAnonymity(k=1)]))
    assert level.of_release(release, problem) == Fraction(2, 3) * parts[0] + 5 * parts[1]
    assert level.losses == {"information_loss", "discernibility"}
    assert level.name == "2/3 information_loss + 5 discernibility"


def test_losses_that_are_no_sums_cannot_be_weighted():
    for name, found in losses().items():
        if found.combine != "sum":
            with pytest.raises(PolicyError, match=name):
                Policy([KCAnonymity(k=2)], [{name: 1, "suppressed": 1}])
            assert Policy([KCAnonymity(k=2)], [{name: 2}]).levels[0].weights[0][1] == 2


def fine_table() -> Microdata:
    """Spans that are coprime and so large that their common scale does not fit in 2**50."""
    spans = (10**12 + 39, 10**12 + 61)  # both prime
    points = [(0, 5), (spans[0], 7), (12345, spans[1]), (678, 0)]
    frame = pd.DataFrame(points, columns=["x", "y"]).assign(id=list("pqrs"), value=list("abab"))
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x", "y"], sensitive="value")


@pytest.mark.parametrize("name", ["information_loss", "average_information_loss", "semiperimeter"])
def test_rounded_costs_never_claim_too_much(name: str):
    """Costs that had to be rounded down leave a valid bound and never say OPTIMAL without proof."""
    table = fine_table()
    weights, scale, exact = unit_weights(table, len(table))
    assert not exact
    assert all(w * d.span <= scale for w, d in zip(weights, table.domains, strict=True))
    result = solve(table, Policy([KCAnonymity(k=2)], [name]), workers=1, display=False)
    people = [bf.Person(m.respondent, m.point, m.value) for m in table.members]
    attributes = [bf.Numeric(d.value(0), d.value(d.span)) for d in table.domains]
    best = bf.optimum(people, attributes, [bf.k_c(2)], [name])
    assert best is not None
    assert result.bounds[0] is not None
    assert result.bounds[0] <= best[0] <= result.objective[0]
    if result.status is Status.OPTIMAL:
        assert result.objective == best
    else:
        assert (result.status, result.termination) == (Status.FEASIBLE, Termination.ROUNDING)
        assert result.gap is not None
        assert result.gap < Fraction(1, 100)


@pytest.mark.parametrize("name", sorted(losses()))
def test_no_loss_of_a_group_falls_with_another_counterfeit(name: str):
    """What `listed.every` builds on: of equal members the fewest counterfeits are best."""
    table = fine_table()
    for fakes in range(4):
        few, more = (
            QIGroup(
                members=table.members[:2],
                counterfeits=(("a", made),) if made else (),
                box=tight_box(table.members[:2], table.domains),
            )
            for made in (fakes, fakes + 1)
        )
        assert losses()[name].of_group(few, table) <= losses()[name].of_group(more, table)
