"""Shares of the time limit: what clocks make of them, and that they stand in one file."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clocks import faked

import optanon
from optanon.bench.time_limits import TimeLimits
from optanon.solver.schedule import HISTOGRAM, WHOLE
from optanon.solver.schedule_series import SIGNATURE
from optanon.solver.schedules import SCHEDULES
from optanon.solver.settings import Clock
from optanon.solver.shares import Of, Seconds, Share
from optanon.solver.work import spend

HOME = Path(optanon.__file__).parent / "solver"
TIMED = ("left", "limit", "time_limit", "seconds")
"""Names of times that a share could be taken of."""


def test_shares_of_the_limit_of_what_is_left_and_of_what_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = faked(monkeypatch)
    clock = Clock(100.0)
    now[0] = 40.0
    half = {of: Share(part=0.5, of=of, why="") for of in Of}
    assert [clock.allowed(half[of]) for of in (Of.LIMIT, Of.LEFT, Of.PASSED)] == [50.0, 30.0, 10.0]
    assert not clock.spent(half[Of.PASSED])
    now[0] = 70.0
    assert clock.allowed(half[Of.PASSED]) == 0
    assert clock.spent(half[Of.PASSED])
    assert clock.share(half[Of.LIMIT]).left == pytest.approx(30.0)  # no later than the clock itself
    assert clock.share(half[Of.PASSED]).over


def test_least_and_most(monkeypatch: pytest.MonkeyPatch) -> None:
    now = faked(monkeypatch)
    late = Share(part=0.5, of=Of.PASSED, least=0.5, least_part=0.05, why="")
    clocks = Clock(100.0), Clock(2.0)
    now[0] = 60.0
    assert [clock.allowed(late) for clock in clocks] == [0.5, pytest.approx(0.1)]
    assert all(clock.spent(late) for clock in clocks)
    assert Clock(100.0).allowed(Share(part=0.5, of=Of.LIMIT, most=7.0, why="")) == 7.0


def test_without_a_limit() -> None:
    clock = Clock()
    endless = Share(part=0.5, of=Of.LEFT, why="")
    assert clock.allowed(endless) is None
    assert clock.share(endless) is clock
    assert not clock.spent(endless)
    assert clock.allowed(Share(part=0.5, of=Of.LEFT, unlimited=9.0, why="")) == 9.0


def test_a_share_stops_when_its_clock_is_stopped() -> None:
    clock = Clock(time.monotonic(), stop=lambda: True)
    assert clock.share(HISTOGRAM.start).over


def test_what_is_planned_for_a_limit_does_not_depend_on_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = faked(monkeypatch)
    half = Share(part=0.5, of=Of.LIMIT, why="")
    whole, cut = Clock(100.0), Clock(100.0, end=60.0)
    now[0] = 40.0
    assert whole.allowed(half) == cut.allowed(half) == 50.0
    assert whole.fits(50.0)
    assert cut.fits(50.0)
    assert (whole.left, cut.left, cut.share(half).limit, cut.share(half).left) == (60.0, 20.0, 50.0, 20.0)
    assert not cut.ends
    now[0] = 60.0
    assert cut.ends
    assert cut.over
    assert not cut.fits(0.0)
    assert cut.share(half).over
    assert not whole.over


def test_a_counted_clock_goes_by_steps_and_ends_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = faked(monkeypatch)
    spend(7.0)  # what others did before
    clock = Clock(10.0, end=30.0)
    clock.count()
    now[0] = 9.0
    assert clock.seconds == 0
    assert clock.left == 10
    part = clock.part(4.0)
    spend(3.0)
    assert clock.seconds == 3
    assert (part.left, part.over) == (1, False)
    assert part.rest == 21  # what a solver that counts no steps may take
    spend(1.0)
    assert (part.over, clock.over) == (True, False)
    clock.keep(5.0)
    assert clock.rest == 16
    assert clock.limit == 10  # nothing is planned by the end
    now[0] = 25.0
    assert (clock.over, clock.ends, clock.fits(0.0)) == (True, True, False)
    clock.time()
    assert clock.seconds == 0
    now[0] = 26.0
    assert clock.seconds == 1


def test_a_search_that_stops_a_moment_early_was_stopped_by_its_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = faked(monkeypatch)
    whole, stage = Clock(10.0, began=0.0), Clock(60.0, began=0.0, end=10.0)
    for seconds, late in ((9.0, False), (9.8, True), (10.1, True)):
        now[0] = seconds
        assert whole.ended == stage.ended == late
    assert not Clock(began=0.0).ended


def test_releases_of_many_rows_leave_less_to_the_linear_program() -> None:
    assert HISTOGRAM.solving(100, None) == HISTOGRAM.linear
    assert HISTOGRAM.solving(100, 60.0).part == HISTOGRAM.linear.part
    assert HISTOGRAM.linear_least.part < HISTOGRAM.solving(200_000, 40.0).part < HISTOGRAM.linear.part
    assert HISTOGRAM.solving(10**7, 60.0).part == HISTOGRAM.linear_least.part


def test_what_the_search_leaves_grows_with_limit_and_table() -> None:
    assert WHOLE.kept(10.0, 0) < WHOLE.kept(10.0, 10_000) <= WHOLE.kept(100.0, 10_000)
    assert WHOLE.kept(1.0, 10**9) < 0.5


def test_every_step_is_told_with_its_reason() -> None:
    rows = TimeLimits(schedule=True).run()
    assert len(rows) == sum(len(list(table.rows())) for table in SCHEDULES.values())
    assert all(row["why"] and row["of"] for row in rows)
    linear = next(r for r in rows if (r["engine"], r["step"]) == ("partition: signature", "linear"))
    assert (linear["share"], linear["of"]) == (SIGNATURE.linear.part, SIGNATURE.linear.of.value)
    assert all(
        isinstance(given, Share | Seconds) for table in SCHEDULES.values() for _, given in table.rows()
    )


def numbers(tree: ast.Module) -> set[str]:
    """Module constants that are numbers."""
    found: set[str] = set()
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not _number(node.value):
            continue
        for target in node.targets:
            found |= {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
    return found


def _number(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(_number(one) for one in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def shares(tree: ast.Module) -> Iterator[ast.AST]:
    """Numbers that times are multiplied with, or that clocks are given."""
    known = numbers(tree)

    def given(node: ast.expr) -> bool:
        return _number(node) or (isinstance(node, ast.Name) and node.id in known)

    def timed(node: ast.expr) -> bool:
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        return name in TIMED

    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            if (timed(node.left) and given(node.right)) or (timed(node.right) and given(node.left)):
                yield node
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("Clock", "part", "keep", "fits", "prompt") and any(given(a) for a in node.args):
                yield node
            elif called in ("min", "max") and any(map(timed, node.args)):
                yield from (a for a in node.args if given(a) and getattr(a, "value", 1) != 0)


def test_the_scan_finds_shares() -> None:
    text = "SHARE = 0.3\nSEC = 4\nClock(SEC)\nx = SHARE * clock.left\ny = limit / 2\nz = min(SEC, left)\n"
    assert len(list(shares(ast.parse(text)))) == 4


def test_no_other_file_of_the_solver_takes_a_share() -> None:
    found = {
        f"{path.relative_to(HOME)}:{getattr(node, 'lineno', 0)}"
        for path in HOME.rglob("*.py")
        if path.name != "schedule.py"
        for node in shares(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()


def test_short_limits_keep_time_for_claims_of_small_tables() -> None:
    """A bound that is not derived again in time is none: 4 % of a second derive nothing."""
    short, tiny, long = (WHOLE.kept(limit, tuples) for limit, tuples in ((1.0, 600), (1.0, 20), (60.0, 600)))
    assert 0.3 < short < 0.5
    assert tiny < 0.1
    assert long == pytest.approx(0.04 * 60 + 1e-5 * 600)
