"""Backtests: tables and histories are what they should be, figures are those of the releases, files agree."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import run

from optanon import (
    Backtest,
    Futures,
    HcSafety,
    History,
    InputError,
    KCAnonymity,
    Microdata,
    Outlook,
    Policy,
    PolicyError,
    Problem,
    Publisher,
    ResistsInference,
    TableError,
    WeakMInvariance,
    backtest,
    solve_problem,
)
from optanon.instances.futures import named_series
from optanon.instances.generators import generated_roles, uniform_table
from optanon.instances.problem_file import load_problem
from optanon.models import hierarchies
from optanon.models.categories import Categories, Ordered
from optanon.models.hierarchy import Hierarchy
from optanon.models.numeric import Numeric
from optanon.models.publisher import usual_publishers
from optanon.solver.baselines.registry import baselines
from optanon.solver.engines.partition.ahead.hindsight import unavoidable
from optanon.solver.insight.backtest import steps
from optanon.solver.insight.backtest.result import COLUMNS
from optanon.solver.insight.backtest.steps import BacktestStep

F = Fraction
LEVELS = ["counterfeits", "information_loss"]
POLICY = Policy([WeakMInvariance(m=2), HcSafety(n=1)], LEVELS)


def table(tuples: int = 8, seed: int = 1) -> Microdata:
    return generated_roles(values=3).table(uniform_table(tuples, seed=seed, values=3))


def part(whole: Microdata, rows: list[int]) -> Microdata:
    return replace(whole, members=tuple(whole.members[r] for r in rows), codes=whole.codes[rows])


@pytest.fixture(scope="module")
def replayed() -> tuple[list[Microdata], Backtest]:
    """Three tables, the first two published before."""
    whole = table(9, seed=2)
    tables = [part(whole, rows) for rows in ([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 6, 7], [2, 3, 4, 6, 7, 8])]
    history = History()
    for each in tables[:2]:
        release = solve_problem(Problem(table=each, policy=POLICY, history=history)).release
        assert release is not None
        history.append(release)
    problem = Problem(table=tables[2], policy=POLICY, history=history)
    publishers = {
        "search": Publisher(policy=POLICY),
        "cor_split": Publisher(policy=POLICY, heuristic="cor_split"),
        "blind": Publisher(policy=Policy([KCAnonymity(k=1)])),
    }
    return tables, backtest(problem, publishers, queries=20, audit_seconds=20)


# -- tables -------------------------------------------------------------------------------------


def test_a_future_moves_as_many_as_it_says_and_the_same_seed_draws_the_same():
    whole = table(20)
    futures = Futures(releases=4, leave=F(1, 4), come=F(1, 10), back=F(1, 20), seeds=(3, 4))
    drawn = named_series(whole, History(), futures)
    assert list(drawn) == ["seed 3", "seed 4"]
    one, other = drawn["seed 3"], drawn["seed 4"]
    assert [len(each) for each in one] == [20, 17, 15, 13]
    assert one[0].members == whole.members
    assert [t.members for t in futures.tables(whole, 3)] == [t.members for t in one]
    assert [t.members for t in one] != [t.members for t in other]
    for before, after in pairwise(one):
        assert len(set(before.row) - set(after.row)) == 5
    known = {(m.point, m.value) for m in whole.members}
    new = {m.respondent: m for each in one for m in each.members if m.respondent not in whole.row}
    assert len(new) == 6
    assert {(m.point, m.value) for m in new.values()} <= known
    for each in one:
        codes = [d.encode([m.point[a] for m in each.members]).tolist() for a, d in enumerate(each.domains)]
        assert codes == each.codes.T.tolist()


def test_people_who_wait_come_before_anybody_is_made_up():
    whole = table(20)
    futures = Futures(releases=3, first=10, leave=F(2, 5), seeds=(1,))
    drawn = futures.tables(whole, 1)
    assert [len(each) for each in drawn] == [10, 10, 10]
    assert {who for each in drawn for who in each.row} <= set(whole.row)
    assert len({who for each in drawn for who in each.row}) == 18
    more = Futures(releases=4, first=10, leave=F(2, 5), seeds=(1,)).tables(whole, 1)
    assert {who for each in more for who in each.row} - set(whole.row) == {"newcomer 1", "newcomer 2"}
    known = Futures(releases=4, first=10, leave=F(2, 5), seeds=(1,)).tables(whole, 1, {"newcomer 1"})
    named = {who for each in known for who in each.row} - set(whole.row)
    assert named == {"newcomer 2", "newcomer 3"}, "somebody else was called so in an earlier release"


def test_those_who_return_were_there_before():
    drawn = Futures(releases=4, leave=F(1, 4), come=F(0), back=F(1, 8), seeds=(1,)).tables(table(8), 1)
    assert [len(each) for each in drawn] == [8, 6, 5, 4]
    gone = set(drawn[0].row) - set(drawn[1].row)
    assert len(gone & set(drawn[2].row)) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"releases": 1},
        {"leave": "3/2"},
        {"come": -1},
        {"first": 0},
        {"seeds": ()},
        {"seeds": (1, 1)},
    ],
)
def test_futures_out_of_range_are_refused(wrong: dict[str, Any]):
    with pytest.raises((InputError, PolicyError), match="futures"):
        Futures(**wrong)


def test_values_of_those_who_left_are_within_the_domains_of_all_tables():
    def made(ids: str, ages: list[float], jobs: str) -> Microdata:
        frame = pd.DataFrame({"id": list(ids), "age": ages, "job": list(jobs), "value": list("uvuv")})
        columns = ["age", "job"]
        return Microdata.from_frame(frame, respondent="id", quasi_identifiers=columns, sensitive="value")

    first, second = made("abcd", [90, 30, 30.5, 41], "xyyz"), made("bcef", [30, 30.5, 40, 41], "yyww")
    history = History()
    release = solve_problem(Problem(table=first, policy=POLICY, history=history)).release
    assert release is not None
    history.append(release)
    tables = named_series(second, history, None)["stored"]
    age, job = tables[0].domains
    assert isinstance(age, Numeric)
    assert isinstance(job, Categories)
    assert (age.lo, age.hi, age.step) == (30, 90, F(1, 2))
    assert set(job.hierarchy.leaves) == {*"wxyz"}
    for played, before in zip(tables, (first, second), strict=True):
        assert played.domains == (age, job)
        assert played.members == before.members
        for a, domain in enumerate(played.domains):
            assert [domain.value(code) for code in played.codes[:, a]] == [m.point[a] for m in before.members]


def test_a_value_of_the_past_that_nobody_lists_is_named_with_its_release():
    frame = pd.DataFrame({"id": list("abcd"), "job": list("xyyz"), "value": list("uvuv")})
    first = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["job"], sensitive="value")
    listed = {"job": ["y", "w"]}
    newer = frame.assign(job=list("yyww"))
    second = Microdata.from_frame(newer, respondent="id", quasi_identifiers=listed, sensitive="value")
    history = History()
    release = solve_problem(Problem(table=first, policy=POLICY, history=history)).release
    assert release is not None
    history.append(release)
    with pytest.raises(InputError, match=r"'job': release 1 of the history has the value x, .*add it"):
        named_series(second, history, None)


def test_a_domain_that_is_wide_enough_or_was_written_down_stays():
    numbers = Numeric.of("age", [30, F(61, 2), 41])
    assert numbers.widened({F(30), F(40)}) == numbers
    rounded = Numeric.of("age", [F("30.25"), 41], decimals=0)
    assert rounded.widened({F("28.5")}) == replace(rounded, lo=F(28))
    tree = Categories(name="job", hierarchy=Hierarchy((("x", "a", "*"), ("y", "b", "*"))))
    assert tree.widened({"z"}) is tree
    grades = Ordered(name="grade", categories=("low", "high"))
    assert grades.widened({"medium"}) is grades


@pytest.mark.parametrize(
    ("built", "further"),
    [
        (hierarchies.prefixes(["12047", "12555"], [4, 2]), ["01064", "120478"]),
        (hierarchies.intervals([31, "37.0"], [5, 10], origin=1), ["-7", "90.5"]),
        (Hierarchy.intervals([31, 37], [5, 10]), ["42"]),
        (hierarchies.rounding([31, 37], [10, 30]), ["99"]),
        (hierarchies.dates(["05.03.2024"], ["quarter", "year"], pattern="%d.%m.%Y"), ["01.12.2023"]),
    ],
)
def test_a_hierarchy_built_by_a_rule_is_built_again_with_values_of_the_past(
    built: Hierarchy, further: list[str]
):
    assert built.rule is not None
    wide = Categories(name="x", hierarchy=built).widened({*built.leaves, *further}).hierarchy
    assert set(wide.leaves) == {*built.leaves, *further}
    assert wide.paths == built.rule(wide.leaves).paths
    assert wide.height == built.height
    assert pickle.loads(pickle.dumps(wide)).widened([built.leaves[0]]) == wide
    assert Categories(name="x", hierarchy=wide).widened(built.leaves).hierarchy is wide


def test_a_value_of_the_past_that_no_rule_can_place_is_refused():
    with pytest.raises(TableError, match=r"'day': the rule of its hierarchy: 'soon' is not a date"):
        Categories(name="day", hierarchy=hierarchies.dates(["2024-03-05"])).widened({"soon"})
    with pytest.raises(TableError, match=r"'age': .*'old' is not a number"):
        Categories(name="age", hierarchy=hierarchies.intervals([31], [5])).widened({"old"})


def test_a_stored_series_under_hierarchies_of_a_problem_file_is_replayed(tmp_path: Path):
    """Codes, ages and days of people who left have no place of their own to be added to."""
    rows = ["a,01064,30,2024-01-02,u", "b,01065,,2024-01-09,v", "c,12047,41,2024-02-02,u"]
    rows += ["d,12048,55,2023-12-31,v", "e,12049,33,2024-05-05,u", "f,12049,34,2024-05-06,v"]
    problem = """
table: TABLE
respondent: id
quasi_identifiers:
  zip: {kind: prefix, keep: [4, 2]}
  age: {kind: intervals, widths: [10, 20]}
  day: {kind: dates, levels: [month, year]}
sensitive: value
missing: category
policy: {requirements: [weak_m_invariance: {m: 2}], minimize: [counterfeits, information_loss]}
"""
    history = History()
    for name, part in {"first": rows[:4], "second": rows[2:]}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,zip,age,day,value", *part]) + "\n")
        (tmp_path / f"{name}.yaml").write_text(problem.replace("TABLE", f"{name}.csv"))
        asked = load_problem(tmp_path / f"{name}.yaml", history=history)
        release = solve_problem(asked, time_limit=5).release
        assert release is not None
        history.append(release)
    played = named_series(asked.table, history, None)["stored"]
    assert [each.members for each in played] == [
        tuple(sorted(release.members, key=lambda member: member.respondent)) for release in history
    ]
    zips, ages, days = (d.hierarchy for d in played[0].domains if isinstance(d, Categories))
    assert ("01064", "0106*", "01***", "*") in zips.paths
    assert ("missing", "missing", "missing", "*") in ages.paths
    assert ("30", "[30,40)", "[20,40)", "*") in ages.paths
    assert ("2023-12-31", "2023-12", "2023", "*") in days.paths
    assert [len(each.paths) for each in (zips, ages, days)] == [5, 6, 6]


# -- releases -----------------------------------------------------------------------------------


def test_a_stored_series_is_published_again_from_its_beginning(replayed: tuple[list[Microdata], Backtest]):
    tables, found = replayed
    assert found.complete
    for name, publisher in (
        ("search", Publisher(policy=POLICY)),
        ("cor_split", Publisher(policy=POLICY, heuristic="cor_split")),
    ):
        history = History()
        steps = [step for step in found.steps if step.publisher == name]
        assert [step.release for step in steps] == [1, 2, 3]
        for each, step in zip(tables, steps, strict=True):
            people = tuple(sorted(each.members, key=lambda member: member.respondent))
            same = part(each, [each.row[member.respondent] for member in people])
            asked = Problem(table=same if each is not tables[-1] else each, policy=POLICY, history=history)
            if publisher.heuristic is None:
                release = solve_problem(asked).release
            else:
                release = baselines()[publisher.heuristic].run(asked, 0)
            assert release is not None
            assert step.figures is not None
            assert step.figures.objective == asked.objective(release)
            assert step.figures.violations == {}
            assert step.loss == asked.objective(release)[1]
            assert step.signatures == len({group.signature for group in release.groups})
            history.append(release)


def test_the_audit_tells_a_blind_policy_from_one_that_looks(replayed: tuple[list[Microdata], Backtest]):
    _, found = replayed
    last = {one.publisher: one.steps[-1].verdict for one in found.series}
    assert last["search"] is not None
    assert last["blind"] is not None
    assert last["search"].disclosed == 0
    assert last["search"].worst == F(1, 2)
    assert last["blind"].disclosed == 9
    assert last["blind"].worst == 1
    told = {one.publisher: one.audit for one in found.series}
    assert told["search"] == "nobody disclosed, worst 1/2"
    assert told["blind"] == "9 disclosed, worst 1"


def test_what_was_expected_stands_beside_what_came(replayed: tuple[list[Microdata], Backtest]):
    tables, found = replayed
    search, _, blind = found.series
    assert search.came == sum(search.counterfeits[1:])
    people = sorted(tables[0].members, key=lambda member: member.respondent)
    first = part(tables[0], [tables[0].row[member.respondent] for member in people])
    asked = Policy(POLICY.requirements, ["counterfeits"], outlook=Outlook(releases=2))
    release = solve_problem(Problem(table=first, policy=POLICY)).release
    assert release is not None
    priced = Problem(table=first, policy=asked)
    assert search.expected == priced.foreseen(release)
    lives = priced.lives(release, 1)
    assert search.steps[0].expected_next == F(sum(lives), len(lives))
    assert 0 <= search.steps[0].expected_next <= search.expected
    singly = [step.expected_next for step in search.steps[:-1]]
    assert None not in singly
    assert search.expected_singly == sum(one for one in singly if one is not None)
    assert blind.expected is blind.expected_singly is None
    assert found.steps[2].expected is None  # nothing comes after it


def test_what_nobody_avoids_stands_beside_what_came(replayed: tuple[list[Microdata], Backtest]):
    tables, found = replayed
    search, split, blind = found.series
    for one in (search, split):
        assert one.hindsight is not None
        assert one.hindsight.anybody == unavoidable(POLICY, tables, History())
        assert one.hindsight.anybody <= sum(one.counterfeits)
        assert one.hindsight.from_here <= one.came
    assert search.hindsight is not None
    assert blind.hindsight is None  # its policy keeps no signatures
    told = dict(zip(COLUMNS, found.lines()[0], strict=True))["at least"]
    assert told == f"{search.hindsight.anybody}, then {search.hindsight.from_here}"
    assert found.to_frame()["unavoidable later"].iloc[0] == search.hindsight.from_here
    assert any(f"{search.hindsight.anybody} on average" in note for note in found.notes)


def test_futures_go_on_from_the_history():
    whole, history = table(6, seed=3), History()
    release = solve_problem(Problem(table=whole, policy=POLICY)).release
    assert release is not None
    history.append(release)
    later = part(whole, [0, 1, 2, 3, 4])
    problem = Problem(table=later, policy=POLICY, history=history)
    only = {"search": Publisher(policy=POLICY)}
    found = backtest(problem, only, futures=Futures(releases=2, leave=F(1, 5), seeds=(7,)), audit_seconds=0)
    assert [(step.future, step.release) for step in found.steps] == [("seed 7", 2), ("seed 7", 3)]
    assert len(history) == 1
    assert all(step.verdict is None for step in found.steps)
    assert found.series[0].audit == "not audited"
    with pytest.raises(InputError, match="leave `first` out"):
        backtest(problem, only, futures=Futures(first=3))


def test_a_future_is_not_drawn_with_a_seed_of_the_plan():
    problem = Problem(table=table(), policy=POLICY)
    with pytest.raises(PolicyError, match="seed 5 is that of a search or an outlook"):
        backtest(problem, futures=Futures(seeds=(4, 5)), seed=5)
    planned = {"plan": Publisher(policy=POLICY.changed(outlook=Outlook(seed=4)))}
    with pytest.raises(PolicyError, match="seed 4 is that of a search or an outlook"):
        backtest(problem, planned, futures=Futures(seeds=(4, 5)))


def test_what_cannot_be_tried_is_refused():
    problem = Problem(table=table(), policy=POLICY)
    with pytest.raises(InputError, match="no earlier table: draw futures"):
        backtest(problem)
    with pytest.raises(PolicyError, match="unknown heuristic 'nobody'"):
        backtest(problem, {"x": Publisher(policy=POLICY, heuristic="nobody")}, futures=Futures())
    with pytest.raises(InputError, match="at least one publisher"):
        backtest(problem, {}, futures=Futures())
    with pytest.raises(InputError, match="audit_seconds must be at least 0, got nan"):
        backtest(problem, futures=Futures(), audit_seconds=float("nan"))


def test_a_series_ends_where_there_is_no_release_and_says_why():
    whole = table(6, seed=3)
    none = {"strict": Publisher(policy=Policy([KCAnonymity(k=7)]))}
    found = backtest(Problem(table=whole, policy=POLICY), none, futures=Futures(releases=3, seeds=(1,)))
    assert len(found.steps) == 1
    assert found.steps[0].status == "INFEASIBLE"
    assert not found.published
    assert "strict: no release 1 (INFEASIBLE)" in found.notes[0]


def test_stopped_it_keeps_what_there_is():
    def stop(done: int, total: int, step: BacktestStep | None) -> None:
        assert total == 4
        if done == 3:
            raise KeyboardInterrupt

    only = {"search": Publisher(policy=POLICY)}
    futures = Futures(releases=2, seeds=(1, 2))
    found = backtest(
        Problem(table=table(6), policy=POLICY), only, futures=futures, audit_seconds=0, listener=stop
    )
    assert not found.complete
    assert len(found.steps) == 3


def test_a_search_that_ctrl_c_ends_ends_the_backtest(monkeypatch: pytest.MonkeyPatch):
    whole, calls = steps.solve_problem, list[Problem]()

    def interrupted(problem: Problem, **options: Any) -> Any:
        calls.append(problem)
        return replace(whole(problem, **options), interrupted=len(calls) == 2)

    monkeypatch.setattr(steps, "solve_problem", interrupted)
    only = {"search": Publisher(policy=POLICY)}
    found = backtest(
        Problem(table=table(6), policy=POLICY), only, futures=Futures(releases=4, seeds=(1,)), audit_seconds=0
    )
    assert (found.complete, len(found.steps), len(calls)) == (False, 1, 2)


def test_usual_publishers_are_four_where_people_have_signatures():
    usual = usual_publishers(POLICY)
    assert list(usual) == ["with outlook", "without outlook", "cor_split", "m_invariance"]
    assert usual["with outlook"].policy.outlook == Outlook()
    assert [level.name for level in usual["with outlook"].policy.levels][1] == "expected_counterfeits"
    assert usual["without outlook"].policy == POLICY
    assert usual["without outlook"].policy.outlook_said  # a stored history would else give it one
    given = POLICY.changed(outlook=Outlook(releases=2))
    assert usual_publishers(given)["with outlook"].policy == given
    assert usual_publishers(given)["without outlook"].policy == POLICY
    assert list(usual_publishers(Policy([KCAnonymity(k=2)]))) == ["search"]


def test_where_nobody_may_be_inferred_reserves_and_looking_ahead_are_tried_besides():
    policy = Policy([KCAnonymity(k=2), ResistsInference(max_posterior=F(2, 3))])
    usual = usual_publishers(policy)
    assert list(usual) == ["search", "with a value in reserve", "looking ahead"]
    assert usual["looking ahead"].policy.levels[0].losses == {"information_loss", "expected_widening"}
    assert list(usual_publishers(usual["looking ahead"].policy)) == ["search", "with a value in reserve"]
    assert [str(r) for r in usual["with a value in reserve"].policy.requirements[2:]] == [
        "distinct_l_diversity(l=3)"
    ]
    futures = Futures(releases=2, leave=0, come=F(1, 2), seeds=(7,), first=6)
    tried = backtest(Problem(table=table(12, seed=2), policy=policy), futures=futures, audit_seconds=20)
    assert {step.publisher for step in tried.steps} == set(usual)
    for step in tried.steps:
        assert step.figures is not None
        assert step.verdict is not None
        assert step.verdict.worst is not None
        assert step.verdict.worst <= F(2, 3)


# -- files --------------------------------------------------------------------------------------

PROBLEM = """
table: t.csv
respondent: id
quasi_identifiers: {x1: numeric, x2: numeric, c1: flat}
sensitive: value
policy:
  requirements: [{weak_m_invariance: {m: 2}}, {hc_safety: {n: 1}}]
  minimize: [counterfeits, information_loss]
  outlook: {releases: 2}
"""
SERIES = """
problem: p.yaml
futures: {releases: 2, first: 8, leave: 1/4, seeds: [1]}
publishers:
  as asked: {}
  alone: {outlook: none}
  three: {requirements: [{weak_m_invariance: {m: 3}}], outlook: none}
  split: {heuristic: cor_split, outlook: none}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("series")
    uniform_table(12, seed=2, values=3).to_csv(made / "t.csv", index=False)
    (made / "p.yaml").write_text(PROBLEM)
    (made / "s.yaml").write_text(SERIES)
    return made


def test_the_command_writes_table_files_and_picture(folder: Path):
    outputs = ("--csv", "o.csv", "--json", "o.json", "--plot", "o.svg")
    done = run("backtest", "s.yaml", "-q", "--queries", "20", "--time-limit", "5", *outputs, folder=folder)
    assert done.returncode in (0, 4), done.stderr
    frame = pd.read_csv(folder / "o.csv")
    assert list(dict.fromkeys(frame["publisher"])) == ["as asked", "alone", "three", "split"]
    content = json.loads((folder / "o.json").read_text())
    assert len(content["releases"]) == len(frame)
    assert (done.returncode == 0) == frame["counterfeits"].notna().all()
    for name in ("as asked", "alone", "split"):
        assert name in done.stdout
    assert "<svg" in (folder / "o.svg").read_text()
    again = run("backtest", "s.yaml", "-q", "--csv", "o.csv", folder=folder)
    assert again.returncode == 2
    assert "exists already" in again.stderr
    for named in ("p.yaml", "t.csv", "s.yaml"):
        refused = run("backtest", "s.yaml", "-q", "--csv", named, "--force", folder=folder)
        assert refused.returncode == 2
        assert "never replaced" in refused.stderr


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("problem: p.yaml\nfuture: {}\n", "key future"),
        ("problem: p.yaml\nfutures: {leave: 2}\n", "leave must be a share"),
        ("problem: p.yaml\npublishers: {a: {outlook: {releases: 0}}}\n", "releases must be"),
        ("problem: p.yaml\npublishers: {a: {requirements: [{weak_m_invariance: {m: 0}}]}}\n", "m must be"),
        ("problem: p.yaml\n", "draw futures"),
        ("- 1\n", "is a mapping"),
    ],
)
def test_a_wrong_series_file_is_refused_in_one_line(folder: Path, said: str, expected: str):
    (folder / "wrong.yaml").write_text(said)
    done = run("backtest", "wrong.yaml", "-q", folder=folder)
    assert done.returncode == 2
    assert expected in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
