"""`--time-limit` is about the whole call: reading, search, checks and files."""

from collections import Counter
from fractions import Fraction

import pytest
from clocks import faked
from command_line import run

import optanon as oa
from optanon.instances import catalog
from optanon.instances.generators import generated_roles, uniform_table
from optanon.solver.cli import solve as solve_command
from optanon.solver.column_summary import tally
from optanon.solver.ending import sample
from optanon.solver.insight.report.facts import facts
from optanon.solver.output import writing

HOSPITAL = catalog.path("hospital") / "release-2.yaml"


def test_the_limit_counts_reading_and_keeps_time_for_files(monkeypatch, tmp_path):
    seconds = faked(monkeypatch)
    load, solve, asked = solve_command.load_problem, solve_command.solve_problem, {}

    def slowly(*given, **named):
        seconds[0] += 40.0
        return load(*given, **named)

    def noted(problem, **named):
        asked.update(named)
        return solve(problem, **named)

    monkeypatch.setattr(solve_command, "load_problem", slowly)
    monkeypatch.setattr(solve_command, "solve_problem", noted)
    monkeypatch.setattr(solve_command, "writing", lambda *_, **__: 7.0)
    assert run("solve", HOSPITAL, "-q", "--time-limit", "100", folder=tmp_path).returncode == 0
    assert asked["began"] == 0.0  # before the table was read
    assert asked["time_limit"] - asked["kept"] == 93.0
    assert (tmp_path / "release-2.release.csv").is_file()


def test_a_call_that_is_late_writes_a_checked_release(monkeypatch, tmp_path):
    seconds = faked(monkeypatch)
    solve = solve_command.solve_problem

    def slowly(problem, **named):
        found = solve(problem, **named)
        seconds[0] += 1000.0
        return found

    monkeypatch.setattr(solve_command, "solve_problem", slowly)
    done = run("solve", HOSPITAL, "-q", "--time-limit", "60", folder=tmp_path)
    assert done.returncode == 0
    assert "every check passed" in done.stdout
    assert (tmp_path / "release-2.result.json").is_file()
    assert run("check", "release-2.release.csv", "-p", HOSPITAL, folder=tmp_path).returncode == 0


@pytest.mark.parametrize("form", ["generalized", "anatomized"])
def test_what_files_take_is_measured_on_groups_of_the_table(form):
    losses = ["information_loss"] if form == "generalized" else ["discernibility"]
    problem = oa.Problem(
        table=generated_roles().table(uniform_table(500, seed=3)),
        policy=oa.Policy([oa.KCAnonymity(k=4)], losses, form=form),
    )
    groups = sample(problem)
    rows = [row for group in groups for row in group]
    assert len(rows) == len(set(rows))
    assert len(groups) > 10
    assert {len(group) for group in groups} <= {1, 2, 3, 4}
    public, both = writing(problem, steward=False), writing(problem, steward=True)
    assert public > 0
    assert both > 0


def test_facts_of_losses_are_sums_over_tuples():
    table = generated_roles().table(uniform_table(90, seed=5))
    policy = oa.Policy([oa.KCAnonymity(k=3)], ["suppressed", "information_loss"], max_suppressed=10)
    problem = oa.Problem(table=table, policy=policy)
    release = problem.assemble([range(at, at + 4) for at in range(0, 84, 4)])
    assert len(release.suppressed) == 6
    found = facts(problem, release)
    each: Counter[Fraction] = Counter({Fraction(3): 6})
    by_attribute = [Fraction(6)] * 3
    for group in release.groups:
        widths = [d.width(cell) for d, cell in zip(table.domains, group.box, strict=True)]
        each[sum(widths, Fraction(0))] += len(group.members)
        by_attribute = [a + len(group.members) * w for a, w in zip(by_attribute, widths, strict=True)]
    assert found["loss_per_tuple"] == [(str(loss), count) for loss, count in sorted(each.items())]
    assert list(found["loss_by_attribute"].values()) == list(map(str, by_attribute))


def test_things_are_counted_by_object():
    one, other = [1], [1]
    assert tally([one, other, one]) == [(one, 2), (other, 1)]
    assert tally([one, other, one], [5, 2, 1]) == [([1], 6), ([1], 2)]


def test_histories_share_what_a_group_says_of_its_members():
    table = generated_roles().table(uniform_table(60, seed=1))
    problem = oa.Problem(table=table, policy=oa.Policy([oa.KCAnonymity(k=5)]))
    release = problem.assemble([range(at, at + 6) for at in range(0, 60, 6)])
    history = oa.History((release,))
    for group in release.groups:
        records = [history.records[who] for who in group.respondents]
        assert len({id(record.inferable) for record in records}) == 1
        assert records[0].inferable == dict(group.histogram)
        assert {record.box for record in records} == {group.box}
