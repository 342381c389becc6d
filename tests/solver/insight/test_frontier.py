"""Frontiers: every point against a solve of its own, what neighbours may say, and going on after a stop."""

from __future__ import annotations

import json
import signal
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import run
from strategies import seeded

from optanon import (
    Frontier,
    HcSafety,
    History,
    InputError,
    OptanonError,
    Outlook,
    Policy,
    PolicyError,
    Problem,
    Status,
    Termination,
    WeakMInvariance,
    frontier,
    solve_problem,
)
from optanon.instances import catalog
from optanon.instances.generators import generated_roles, uniform_table
from optanon.models import files
from optanon.models.release import Release
from optanon.solver.insight.frontier import sweep
from optanon.solver.insight.frontier.grid import FrontierGrid, Setting, parse_vary
from optanon.solver.insight.frontier.points import FrontierPoint, share_bounds

F = Fraction


def hospital(*, minimize: tuple[str, ...] = ("counterfeits", "information_loss")) -> Problem:
    asked = catalog.load("hospital", "release-2.yaml")
    return Problem(table=asked.table, policy=asked.policy.changed(minimize=minimize), history=asked.history)


@pytest.fixture(scope="module")
def swept() -> Frontier:
    return frontier(hospital(), {"m": range(2, 5), "n": [1, 2]}, workers=1)


# -- the points ---------------------------------------------------------------------------------


def test_every_point_is_what_a_solve_of_its_own_finds(swept: Frontier):
    assert swept.complete
    assert swept.decided
    assert [point.settings for point in swept.points] == list(product((2, 3, 4), (1, 2)))
    for point in swept.points:
        m, n = point.settings
        assert isinstance(m, int)
        assert isinstance(n, int)
        asked = hospital()
        policy = Policy([WeakMInvariance(m=m), HcSafety(n=n)], ["counterfeits", "information_loss"])
        alone = solve_problem(Problem(table=asked.table, policy=policy, history=asked.history), workers=1)
        assert (point.status, point.values) == (alone.status, alone.objective)
        assert point.gap == (0 if alone.objective else None)
    assert {point.settings: point.values[1] for point in swept.points if point.values} == {
        (2, 1): F(60, 7),  # signatures are given by the history, so m = 2 asks no less than m = 3
        (2, 2): F(75, 7),
        (3, 1): F(60, 7),
        (3, 2): F(75, 7),
    }
    assert [p.settings for p in swept.points if p.status is Status.INFEASIBLE] == [(4, 1), (4, 2)]


def test_parameters_without_a_direction_are_searched_one_by_one():
    problem = hospital()
    found = frontier(problem, {"reading": ["hcsafe", "definition"]}, workers=1)
    assert not FrontierGrid(problem, {"reading": ["hcsafe", "definition"]}).stricter(
        ("hcsafe",), ("definition",)
    )
    assert [point.status for point in found.points] == [Status.OPTIMAL] * 2
    assert found.points[1].values <= found.points[0].values
    assert not any(point.borrowed for point in found.points)


def test_limits_of_the_policy_are_parameters_too():
    asked = catalog.load("infeasible", "frequent-value.yaml")
    found = frontier(asked, {"max_suppressed": range(3, 6), "max_counterfeits": [0, 1]}, workers=1)
    status = {point.settings: point.status for point in found.points}
    assert status[3, 0] is Status.INFEASIBLE  # 3 of 6 + 2 have the flu after three left: 4 are needed
    assert status[4, 0] is Status.OPTIMAL
    assert status[3, 1] is Status.OPTIMAL
    by = {point.settings: point.values for point in found.points}
    assert by[5, 1] <= by[5, 0] <= by[4, 0]


def test_shares_given_as_text_or_number_are_one_value():
    asked = catalog.load("infeasible", "frequent-value.yaml")
    grid = FrontierGrid(asked, {"c": ["1/2", 0.5, F(3, 4)]})
    assert grid.points == ((F(1, 2),), (F(3, 4),))
    assert grid.stricter((F(1, 2),), (F(3, 4),))
    assert grid.strictest_first() == [(F(1, 2),), (F(3, 4),)]


def test_full_domain_recoding_with_suppression_claims_no_direction():
    """Asking less suppresses fewer groups: another release, which need not lose less."""
    asked = catalog.load("infeasible", "full-domain.yaml")
    assert not FrontierGrid(asked, {"k": [2, 3]}).stricter((3,), (2,))
    none = Problem(table=asked.table, policy=asked.policy.changed(max_suppressed=0))
    assert FrontierGrid(none, {"k": [2, 3]}).stricter((3,), (2,))
    found = frontier(asked, {"c": ["1/2", "2/3"]}, workers=1)
    assert [point.status for point in found.points] == [Status.INFEASIBLE, Status.OPTIMAL]


# -- what points say of one another ------------------------------------------------------------------


def point_at(settings: tuple[Setting, ...], **known: Any) -> FrontierPoint:
    given: dict[str, Any] = {
        "settings": settings,
        "status": Status.UNKNOWN,
        "termination": Termination.TIME_LIMIT,
        "losses": ("a", "b"),
        "values": (),
        "bounds": (None, None),
        "engine": "",
        "seconds": 0.0,
        "time_limit": 1.0,
    }
    return FrontierPoint(**(given | known))


def nobody(settings: tuple[Setting, ...], release: Release) -> None:
    return None


def test_bounds_travel_to_stricter_points_and_no_further_than_they_hold():
    grid = FrontierGrid(hospital(), {"m": [2, 3]})
    found = point_at((3,), status=Status.FEASIBLE, values=(F(1), F(9)), bounds=(F(0), None))
    looser = point_at((2,), status=Status.OPTIMAL, values=(F(1), F(4)), bounds=(F(1), F(4)))
    (stricter,) = [p for p in share_bounds(grid, [looser, found], nobody) if p.settings == (3,)]
    assert stricter.bounds == (1, 4)  # the first loss is proven 1 at both, so the second bound holds too
    assert stricter.status is Status.FEASIBLE
    dearer = replace(found, values=(F(2), F(9)))
    (stricter,) = [p for p in share_bounds(grid, [looser, dearer], nobody) if p.settings == (3,)]
    assert stricter.bounds == (1, None)  # releases that are as good on the first loss may cost less
    none = point_at((2,), status=Status.INFEASIBLE, termination=Termination.COMPLETED)
    (stricter,) = [p for p in share_bounds(grid, [none, point_at((3,))], nobody) if p.settings == (3,)]
    assert (stricter.status, stricter.borrowed) == (Status.INFEASIBLE, ("infeasible",))
    (looser_now,) = [
        p
        for p in share_bounds(grid, [point_at((2,)), replace(none, settings=(3,))], nobody)
        if p.settings == (2,)
    ]
    assert looser_now.status is Status.UNKNOWN


@pytest.mark.parametrize(("weight", "bounds"), [(None, (0, None, None)), (F(2), (0, None))])
def test_what_is_priced_by_the_requirements_is_bounded_at_no_other_point(
    weight: Fraction | None, bounds: tuple[int | None, ...]
):
    """The looser point has fewer values in a group, and may expect more counterfeits than the stricter."""
    asked = hospital()
    policy = asked.policy.changed(outlook=Outlook(releases=2, weight=weight))
    grid = FrontierGrid(replace(asked, policy=policy), {"m": [2, 3]})
    worth, dearer = (F(0), F(6), F(9))[: len(bounds)], (F(0), F(27), F(29))[: len(bounds)]
    unknown: tuple[Fraction | None, ...] = (None,) * len(bounds)
    found = point_at((3,), status=Status.FEASIBLE, values=worth, bounds=unknown)
    looser = point_at((2,), status=Status.OPTIMAL, values=dearer, bounds=dearer)
    (stricter,) = [p for p in share_bounds(grid, [looser, found], nobody) if p.settings == (3,)]
    assert stricter.bounds == bounds


def test_all_points_have_the_losses_of_the_policy(tmp_path: Path):
    """Alone, the one that suppresses nobody would be given the usual outlook, so another objective."""
    roles = generated_roles(values=6)
    asked = Problem(
        table=roles.table(uniform_table(100, seed=1, values=6)),
        policy=Policy([WeakMInvariance(m=3)], ["counterfeits", "information_loss"], max_suppressed=1),
        history=History.open(tmp_path / "releases.db"),
    )
    grid = FrontierGrid(asked, {"max_suppressed": [0, 1]})
    assert {grid.at(point).policy.levels for point in grid.points} == {asked.policy.levels}


def test_what_neighbours_say_is_never_wrong():
    """Random true optima on a grid, random partial knowledge of them: bounds stay below, gaps close."""
    asked = hospital()
    grid = FrontierGrid(asked, {"m": [1, 2, 3], "n": [1, 2, 3]})
    raised = 0
    for seed in range(300):
        source = seeded("neighbours", seed)
        base = [[source(0, 2) for _ in range(3)] for _ in range(3)]
        # The least over all stricter points: then no point loses less than a looser one.
        first = {
            (m, n): sum(base[i][j] for i in range(m) for j in range(n)) // 3
            for m, n in product((1, 2, 3), repeat=2)
        }
        second = {at: 3 * first[at] + 7 * (at[0] + at[1]) for at in first}
        points: list[FrontierPoint] = []
        for at in first:
            truth = (F(first[at]), F(second[at]))
            known = source(0, 3)
            if known == 0:
                points.append(point_at(at, status=Status.OPTIMAL, values=truth, bounds=truth))
            elif known == 1:
                points.append(point_at(at, status=Status.FEASIBLE, values=truth, bounds=(F(0), None)))
            elif known == 2:
                worse = (truth[0] + source(0, 1), truth[1] + 5)
                points.append(point_at(at, status=Status.FEASIBLE, values=worse, bounds=(F(0), None)))
            else:
                points.append(point_at(at, bounds=(F(0), None)))
        for before, after in zip(points, share_bounds(grid, points, nobody), strict=True):
            truth = (F(first[after.settings]), F(second[after.settings]))  # pyright: ignore[reportArgumentType]
            assert after.values == before.values
            assert after.bounds[0] is None or after.bounds[0] <= truth[0]
            assert after.bounds[1] is None or after.bounds[1] <= truth[1]
            assert after.status is not Status.OPTIMAL or after.values == truth
            raised += after.bounds != before.bounds
    assert raised > 100


def test_a_release_travels_only_where_it_passes(swept: Frontier):
    grid = swept.grid
    by = {point.settings: point for point in swept.points}
    blank = replace(by[2, 1], status=Status.UNKNOWN, values=(), bounds=(None, None), release=None)
    judge = sweep._judge(grid)  # pyright: ignore[reportPrivateUsage]
    (taken, _) = share_bounds(grid, [blank, by[3, 2]], judge)
    assert taken.values == by[3, 2].values  # a stricter point's release
    assert (taken.status, taken.borrowed) == (Status.FEASIBLE, ("release",))
    strict = replace(blank, settings=(3, 2))
    (refused, _) = share_bounds(grid, [strict, by[2, 1]], judge)
    assert refused.release is None  # n = 1 finds one that n = 2 forbids
    assert refused.bounds[0] == 0


# -- stopping and going on ---------------------------------------------------------------------------


def test_a_stricter_release_starts_the_next_search(monkeypatch: pytest.MonkeyPatch):
    starts: list[Release | None] = []
    whole = solve_problem

    def watched(problem: Problem, **options: Any) -> Any:
        starts.append(options["initial"])
        assert starts[-1] is None or not list(problem.check(starts[-1]))
        return whole(problem, **options)

    monkeypatch.setattr(sweep, "solve_problem", watched)
    frontier(hospital(), {"n": [1, 2]}, workers=1)
    assert starts[0] is None
    assert starts[1] is not None


def test_a_stopped_frontier_goes_on_where_it_was(
    tmp_path: Path, swept: Frontier, monkeypatch: pytest.MonkeyPatch
):
    state = tmp_path / "state.json"
    calls = 0
    whole = solve_problem

    def counted(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        return whole(*args, **options)

    monkeypatch.setattr(sweep, "solve_problem", counted)
    vary = {"m": range(2, 5), "n": [1, 2]}
    stopped = frontier(hospital(), vary, workers=1, state=state)
    assert not stopped.complete
    assert not stopped.decided
    assert 0 < len(stopped.points) < 6
    kept = len(json.loads(state.read_text())["points"])
    assert kept == len(stopped.points)
    seen: list[tuple[int, int]] = []
    calls = 10
    rest = frontier(
        hospital(), vary, workers=1, state=state, listener=lambda done, total, _: seen.append((done, total))
    )
    assert calls == 10 + 6 - kept
    assert seen[0] == (kept, 6)
    assert seen[-1] == (6, 6)
    assert rest.complete
    assert [(p.settings, p.status, p.values) for p in rest.points] == [
        (p.settings, p.status, p.values) for p in swept.points
    ]
    calls = 20
    again = frontier(hospital(), vary, workers=1, state=state)
    assert calls == 20  # nothing is left to do
    assert [p.values for p in again.points] == [p.values for p in swept.points]


def test_a_search_that_was_interrupted_ends_the_frontier_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    state = tmp_path / "state.json"
    whole = solve_problem

    def interrupted(*args: Any, **options: Any) -> Any:
        found = whole(*args, **options)
        return replace(found, status=Status.FEASIBLE, termination=Termination.INTERRUPTED)

    monkeypatch.setattr(sweep, "solve_problem", interrupted)
    stopped = frontier(hospital(), {"n": [1, 2]}, workers=1, state=state)
    assert len(stopped.points) == 1
    assert not stopped.complete
    assert stopped.points[0].values
    monkeypatch.undo()
    rest = frontier(hospital(), {"n": [1, 2]}, workers=1, state=state)
    assert [point.status for point in rest.points] == [Status.OPTIMAL] * 2


@pytest.mark.parametrize("where", ["search", "store", "listener"])
def test_ctrl_c_in_the_last_moment_of_a_point_ends_the_frontier_and_keeps_the_point(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    state = tmp_path / "state.json"
    whole, written = solve_problem, sweep.write_state

    def interrupted(*args: Any, **options: Any) -> Any:
        return replace(whole(*args, **options), interrupted=True)

    def pressed(*args: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        written(*args)

    def listener(done: int, _total: int, _point: FrontierPoint | None) -> None:
        if where == "listener" and done:
            raise KeyboardInterrupt

    if where == "search":
        monkeypatch.setattr(sweep, "solve_problem", interrupted)
    if where == "store":
        monkeypatch.setattr(sweep, "write_state", pressed)
    stopped = frontier(hospital(), {"n": [1, 2]}, workers=1, state=state, listener=listener)
    assert [point.status for point in stopped.points] == [Status.OPTIMAL]
    assert not stopped.complete
    assert len(json.loads(state.read_text())["points"]) == 1


def test_points_out_of_time_are_tried_again_only_with_more_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    state = tmp_path / "state.json"
    whole, limits = solve_problem, list[float | None]()

    def late(*args: Any, **options: Any) -> Any:
        limits.append(options["time_limit"])
        found = whole(*args, **options)
        return replace(found, status=Status.FEASIBLE, termination=Termination.TIME_LIMIT)

    monkeypatch.setattr(sweep, "solve_problem", late)
    for time_limit in (10.0, 5.0, 10.0, 20.0, None, None):
        frontier(hospital(), {"n": [2]}, workers=1, state=state, time_limit=time_limit)
    assert limits == [10.0, 20.0, None]


def test_a_state_of_something_else_or_damaged_is_refused(tmp_path: Path):
    state = tmp_path / "state.json"
    frontier(hospital(), {"n": [2]}, workers=1, state=state)
    content = json.loads(state.read_text())
    with pytest.raises(InputError, match="another problem"):
        frontier(hospital(minimize=("information_loss",)), {"n": [2]}, workers=1, state=state)
    with pytest.raises(InputError, match="varies n, not m"):
        frontier(hospital(), {"m": [2]}, workers=1, state=state)
    people = {member.respondent for member in hospital().table.members}
    assert not any(name in state.read_text() for name in people)
    before = dict(content["points"][0])
    content["points"][0]["groups"] = content["points"][0]["groups"][:1]
    state.write_text(json.dumps(content))
    with pytest.raises(InputError, match="damaged"):
        frontier(hospital(), {"n": [2]}, workers=1, state=state)
    whole = content["points"][0]
    for wrong, words in (
        ({"bounds": whole["bounds"][:-1]}, "other losses than the policy"),
        ({"values": whole["values"][:-1]}, "does not pass|other losses"),
        ({"groups": None, "bounds": ["0"] * len(whole["bounds"])}, "do not meet their bounds"),
    ):
        state.write_text(json.dumps({**content, "points": [{**before, **wrong}]}))
        with pytest.raises(InputError, match=words):
            frontier(hospital(), {"n": [2]}, workers=1, state=state)
    state.write_text("{}")
    with pytest.raises(InputError, match="not a frontier's state"):
        frontier(hospital(), {"n": [2]}, workers=1, state=state)
    state.write_text(json.dumps(content | {"format": 99}))
    with pytest.raises(InputError, match="another format"):
        frontier(hospital(), {"n": [2]}, workers=1, state=state)


# -- names and values --------------------------------------------------------------------------------


def test_vary_is_read_as_people_write_it():
    assert parse_vary("m=2..6") == ("m", (2, 3, 4, 5, 6))
    assert parse_vary("k=2..9..3,20") == ("k", (2, 5, 8, 20))
    assert parse_vary("k_c_anonymity.c = 1/2, 0.75") == ("k_c_anonymity.c", (F(1, 2), F(3, 4)))
    assert parse_vary("reading=hcsafe,definition") == ("reading", ("hcsafe", "definition"))
    assert parse_vary("deep=true,false") == ("deep", (True, False))
    for wrong in ("m", "m=", "=2..3", "m=6..2"):
        with pytest.raises(PolicyError, match="--vary"):
            parse_vary(wrong)
    with pytest.raises(PolicyError, match=r"--vary k=2\.\.6\.\.0: the step must be above 0"):
        parse_vary("k=2..6..0")
    with pytest.raises(PolicyError, match="99999999998 values, each of which is solved: give at most"):
        parse_vary("k=2..99999999999")


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ({}, "at least one parameter"),
        ({"q": [1]}, "no requirement of the policy has the parameter 'q': use one of weak_m_invariance.m"),
        ({"hc_safety.m": [1]}, "no requirement of the policy has"),
        ({"m": []}, "m has no value"),
        ({"m": [0]}, "m must be a whole number of at least 1"),
        ({"n": [1], "hc_safety.n": [2]}, "named twice"),
    ],
)
def test_names_and_values_that_mean_nothing_are_refused(vary: dict[str, list[int]], message: str):
    with pytest.raises(PolicyError, match=message):
        frontier(hospital(), vary)


def test_a_name_that_two_requirements_share_must_be_made_unique():
    asked = catalog.load("clinic", "release-2.yaml")
    with pytest.raises(PolicyError, match="several requirements have the parameter 'k'"):
        FrontierGrid(asked, {"k": [2]})
    grid = FrontierGrid(asked, {"difference.k": [1, 2]})
    assert [r.settings()["k"] for r in grid.at((1,)).policy.requirements[:2]] == [2, 1]


# -- files --------------------------------------------------------------------------------------------


def test_table_csv_json_and_plot(tmp_path: Path, swept: Frontier):
    swept.to_csv(tmp_path / "points.csv")
    frame = pd.read_csv(tmp_path / "points.csv")
    assert frame["m"].tolist() == [2, 2, 3, 3, 4, 4]
    assert frame["information_loss exact"].tolist()[:4] == ["60/7", "75/7", "60/7", "75/7"]
    assert frame["information_loss"].isna().tolist() == [False] * 4 + [True] * 2
    assert frame["information_loss gap"].tolist()[:4] == [0.0] * 4
    content = swept.to_dict()
    assert content["points"][1]["settings"] == {"m": 2, "n": 2}
    assert content["points"][1]["objective"][1]["bound"] == "75/7"
    assert json.loads(json.dumps(content)) == content
    for ending in ("svg", "pdf", "png"):
        swept.plot(tmp_path / f"points.{ending}")
        assert (tmp_path / f"points.{ending}").stat().st_size > 1000
    swept.plot(tmp_path / "again.svg")
    drawn = (tmp_path / "points.svg").read_bytes()
    assert drawn == (tmp_path / "again.svg").read_bytes()
    assert ET.fromstring(drawn).tag.endswith("svg")
    with pytest.raises(InputError, match="a plot is a file ending in"):
        swept.plot(tmp_path / "points.txt")
    with pytest.raises(InputError, match="there is no folder"):
        swept.plot(tmp_path / "nowhere" / "points.svg")


def test_without_matplotlib_the_remedy_is_named(
    tmp_path: Path, swept: Frontier, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    with pytest.raises(OptanonError, match=r"pip install matplotlib"):
        swept.plot(tmp_path / "points.svg")


def test_command_line(tmp_path: Path):
    file = catalog.path("hospital") / "release-2.yaml"
    asked = ["frontier", file, "--vary", "m=3..4", "--vary", "n=1..2", "--workers", 1]
    files = ["--csv", "p.csv", "--json", "p.json", "--plot", "p.svg", "--resume", "state.json"]
    done = run(*asked, *files, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "10.7143" in done.stdout
    assert "INFEASIBLE" in done.stdout
    assert all((tmp_path / name).exists() for name in ("p.csv", "p.json", "p.svg", "state.json"))
    assert "Carl" not in done.stdout + (tmp_path / "p.json").read_text() + (tmp_path / "p.csv").read_text()
    twice = run("frontier", file, "--vary", "m=3", "--vary", "m=4", folder=tmp_path)
    assert twice.returncode == 2
    assert "named twice" in twice.stderr
    wrong = run(*asked, "--plot", "p.gif", folder=tmp_path)
    assert wrong.returncode == 2
    assert "a plot is a file ending in .png, .svg, .pdf" in wrong.stderr
