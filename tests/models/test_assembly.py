"""Releases put together, measured and written column by column are those put together group by group."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pandas as pd
import pytest

from optanon.instances.generators import generated_roles, uniform_table
from optanon.models.box import Interval
from optanon.models.errors import ReleaseError, TableError
from optanon.models.group import QIGroup
from optanon.models.losses import loss
from optanon.models.losses.base import Loss
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release, published_frame, steward_frame
from optanon.models.requirements import HcSafety, KCAnonymity, WeakMInvariance
from optanon.models.table import Microdata
from optanon.solver import ending as ending_module
from optanon.solver.ending import ending


def problem_of(tuples: int, seed: int, form: str = "generalized") -> Problem:
    roles = generated_roles(values=5)
    table = roles.table(uniform_table(tuples, seed=seed, values=5))
    return Problem(table=table, policy=Policy([KCAnonymity(k=2)], max_suppressed=5, form=form))  # pyright: ignore[reportArgumentType]


def parted(problem: Problem, seed: int) -> tuple[list[list[int]], list[dict[str, int]]]:
    """Groups of one to four rows and their counterfeits; a few rows are in none."""
    random, rows = Random(seed), list(range(len(problem.table)))
    random.shuffle(rows)
    rows, groups = rows[3:], list[list[int]]()
    while rows:
        size = random.randint(1, 4)
        groups.append(rows[:size])
        rows = rows[size:]
    values = sorted(problem.table.histogram)
    return groups, [{random.choice(values): random.randint(0, 2)} for _ in groups]


def one_by_one(problem: Problem, groups: list[list[int]], fakes: list[dict[str, int]]) -> list[QIGroup]:
    """Each group for itself, sorted by what is published of it: cells, then values, then respondents."""
    built = [
        QIGroup(
            members=tuple(problem.table.members[t] for t in rows),
            counterfeits=tuple((v, n) for v, n in sorted(extra.items()) if n),
            box=problem.box(rows) if problem.policy.form == "generalized" else None,
        )
        for rows, extra in zip(groups, fakes, strict=True)
    ]

    def order(group: QIGroup) -> tuple[object, ...]:
        cells = [
            (cell.lo, cell.hi, "") if isinstance(cell, Interval) else (Fraction(0), Fraction(0), cell.label)
            for cell in group.box or ()
        ]
        return cells, sorted(group.histogram.items()), sorted(group.respondents)

    return sorted(built, key=order)


@pytest.mark.parametrize("form", ["generalized", "anatomized"])
@pytest.mark.parametrize("seed", range(8))
def test_a_release_is_its_groups_one_by_one(form: str, seed: int):
    problem = problem_of(60, seed, form)
    groups, fakes = parted(problem, seed)
    release = problem.assemble(groups, fakes)
    assert list(release.groups) == one_by_one(problem, groups, fakes)
    gone = set(range(60)) - {t for rows in groups for t in rows}
    assert list(release.suppressed) == [problem.table.members[t] for t in sorted(gone)]
    assert problem.assemble(groups[::-1], fakes[::-1]) == release  # the order of groups tells nothing


def test_numbers_too_large_to_be_multiplied_keep_their_cells():
    frame = pd.DataFrame(
        {"id": list("abcd"), "x": [0, 2**39, 2**39 + 1, 2**40], "y": [2**40, 5, 0, 7], "v": list("pqpq")}
    )
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x", "y"], sensitive="v")
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=2)]))
    groups: list[list[int]] = [[0, 3], [1, 2]]
    assert list(problem.assemble(groups).groups) == one_by_one(problem, groups, [{}, {}])


def test_nobody_is_in_two_groups():
    problem = problem_of(6, 0)
    for groups in ([[0, 1], [1, 2]], [[0, 0], [1, 2]]):
        with pytest.raises(ReleaseError, match="in two groups, or in one twice"):
            problem.assemble(groups)
    with pytest.raises(ReleaseError, match="at least one real tuple"):
        problem.assemble([[0, 1], []])


@pytest.mark.parametrize("name", ["information_loss", "average_information_loss"])
@pytest.mark.parametrize("form", ["generalized", "anatomized"])
def test_losses_cell_by_cell_are_those_group_by_group(name: str, form: str):
    for seed in range(4):
        problem = problem_of(50, seed, form)
        release = problem.assemble(*parted(problem, seed))
        assert release.suppressed
        assert loss(name).value(release, problem.table) == Loss.value(loss(name), release, problem.table)


def test_copies_have_a_row_per_tuple():
    problem = problem_of(40, 2)
    release = problem.assemble(*parted(problem, 2))
    public = [
        (number, *map(str, group.box or ()), value, group.fakes)
        for number, group in enumerate(release.groups, start=1)
        for value, count in sorted(group.histogram.items())
        for _ in range(count)
    ]
    frame = published_frame(release)
    assert list(frame.itertuples(index=False, name=None)) == public
    assert list(frame.columns) == ["group", *release.attributes, release.sensitive, "counterfeits"]
    private = steward_frame(release)
    assert len(private) == len(public) + len(release.suppressed)
    known = {m.respondent: m for m in problem.table.members}
    for row in private[private["kind"] != "counterfeit"].itertuples(index=False, name=None):
        member = known[str(row[2])]
        assert (*map(str, member.point), member.value) == (*row[3:6], row[-1])


def test_what_is_wrong_is_still_told_by_its_first_row():
    frame = pd.DataFrame({"id": list("abcde"), "x": ["1", "2", "2", "z", "z"], "v": list("ppqqp")})
    with pytest.raises(TableError, match=r"row 4: 'z' is not a finite number"):
        Microdata.from_frame(frame, respondent="id", quasi_identifiers={"x": "numeric"}, sensitive="v")
    with pytest.raises(TableError, match=r"row 4: 'z' is not in its ordered list"):
        Microdata.from_frame(frame, respondent="id", quasi_identifiers={"x": ["1", "2"]}, sensitive="v")


def test_entries_that_are_equal_but_of_other_kinds_stay_apart():
    frame = pd.DataFrame(
        {"id": ["a", "b", "c"], "x": pd.Series([1, 1.0, "1"], dtype=object), "v": list("ppq")}
    )
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers={"x": "flat"}, sensitive="v")
    assert [member.point for member in table.members] == [("1",), ("1.0",), ("1",)]


def test_the_end_is_estimated_from_groups_alone(monkeypatch: pytest.MonkeyPatch):
    """Whatever takes as long as the table is large must not be counted once for every group of the sample."""
    made: list[int] = []
    own = ending_module._made  # pyright: ignore[reportPrivateUsage]

    def watched(problem: Problem, groups: list[list[int]]) -> None:
        made.append(sum(map(len, groups)))
        own(problem, groups)

    def whole(*_: object) -> Release:
        raise AssertionError("a release of the whole table was put together")

    monkeypatch.setattr(ending_module, "_made", watched)
    monkeypatch.setattr(Problem, "assemble", whole)
    roles = generated_roles(values=5)
    policy = Policy([WeakMInvariance(m=3), HcSafety(n=2)], ["counterfeits", "information_loss"])
    problem = Problem(table=roles.table(uniform_table(3_000, values=5)), policy=policy)
    assert ending(problem) > 0
    assert len(made) == 2  # the first time loads and compiles
    assert made[0] == made[1] <= ending_module.SAMPLE * 3


def test_values_that_nobody_can_have_are_not_invented():
    """`check` took them, where everything that is proven is proven of the values there may be."""
    problem, groups = problem_of(12, 3), [list(range(6)), list(range(6, 12))]
    problem = replace(problem, policy=problem.policy.changed(max_counterfeits=3))
    value = sorted(problem.table.histogram)[0]
    assert not list(problem.check(problem.assemble(groups, [{value: 1}, {}])))
    (found,) = problem.check(problem.assemble(groups, [{value: 1}, {"nobody's": 2}]))
    assert found.requirement == "counterfeits"
    assert found.witness == {"values": 1}
    assert "nobody's" not in found.message
    declared = replace(problem.table.sensitive, domain=(*sorted(problem.table.histogram), "nobody's"))
    wide = replace(problem, table=replace(problem.table, sensitive=declared))
    assert not list(wide.check(wide.assemble(groups, [{}, {"nobody's": 2}])))
