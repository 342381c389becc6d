"""Solvers are set up in one room, print nothing, and say what they found as it is."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import threading
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from ortools.sat.python import cp_model
from scipy.sparse import csc_array

import optanon
from optanon import Status
from optanon.models import backend
from optanon.models.errors import EngineError
from optanon.solver.backends import cpsat, highs
from optanon.solver.backends.highs import INFINITY, LinearProgram, LPStatus, Simplex, best_integers
from optanon.solver.work import spent

ROOT = Path(optanon.__file__).parent

SOLVERS = {"Highs", "CpSolver", "linprog", "milp", "setOptionValue", "passModel", "solve_cp_model"}
"""Names that make or set up a solver."""

PARAMETERS = {"num_workers", "random_seed", "max_time_in_seconds", "max_deterministic_time"}


def sources() -> list[Path]:
    return [
        path for room in ("models", "instances", "solver") for path in sorted((ROOT / room).rglob("*.py"))
    ]


def setups(path: Path) -> set[str]:
    """Names in a file that construct a solver or set its parameters."""
    found: set[str] = set()
    text = path.read_text(encoding="utf-8")
    if not any(name in text for name in ("highspy", *SOLVERS, *PARAMETERS)):
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found |= {name} & SOLVERS
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            found |= {a.name for a in node.names} & {"highspy", *SOLVERS}
            found |= {"highspy"} if (module or "").startswith("highspy") else set()
        elif isinstance(node, ast.Assign):
            found |= {t.attr for t in node.targets if isinstance(t, ast.Attribute)} & PARAMETERS
    return found


def test_solvers_are_set_up_in_one_room_only():
    found = {str(path.relative_to(ROOT).as_posix()): setups(path) for path in sources()}
    rooms = {name for name, names in found.items() if names}
    assert rooms == {"solver/backends/highs.py", "solver/backends/cpsat.py"}


def test_models_state_what_is_to_be_solved_and_are_given_a_solver(
    monkeypatch: pytest.MonkeyPatch,
):
    model, x = small_model()
    value = backend.backend().optimum(model)
    assert value is not None
    assert sum(value(v) for v in x) == 4
    model.add(x[0] + x[1] + x[2] <= 3)
    assert backend.backend().optimum(model) is None
    # At least 2 of the cheaper column, at most 1 of it: the dearer one pays for the last.
    matrix, low = csc_array(np.array([[1.0, 1.0], [1.0, 0.0]])), np.array([2.0, -INFINITY])
    duals = backend.backend().duals(np.array([1.0, 3.0]), matrix, low, np.array([INFINITY, 1.0]))
    assert duals is not None
    assert duals.tolist() == pytest.approx([3.0, -2.0])
    assert backend.backend().duals(np.ones(2), matrix, low, np.array([1.0, 1.0])) is None
    monkeypatch.setattr(backend, "_source", None)
    with pytest.raises(EngineError, match="no solver is provided"):
        backend.backend()


PRINTS = """
import ctypes, sys
import numpy as np
from scipy.sparse import csc_array
from optanon.solver.backends import highs, silence

library = ctypes.CDLL(None)
run = highs.highspy.Highs.run

def loud(solver):
    library.puts(b"LOUD")
    print("python", flush=True)
    return run(solver)

highs.highspy.Highs.run = loud
library.puts(b"before")
one = np.ones(1)
found = highs.best_integers(-one, 0 * one, 2 * one, csc_array(np.ones((1, 1))), 0 * one, one)
assert found.x.tolist() == [1]
program = highs.LinearProgram()
program.load(-one, 0 * one, 2 * one, csc_array(np.ones((1, 1))), 0 * one, one)
assert {program.run(), program.probe(9), program.roughly(1e-4)} == {highs.LPStatus.OPTIMAL}
try:
    with silence.silent():
        library.puts(b"LOUD")
        raise ValueError
except ValueError:
    pass
library.puts(b"after")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="C's stream is set where it is known to be a variable")
def test_what_a_solver_prints_by_itself_does_not_appear_and_what_python_prints_does():
    path = [str(folder) for folder in sys.path if folder]
    code = f"import sys; sys.path[:0] = {path!r}\n{PRINTS}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == ["after", "before", *["python"] * 4]


TALKATIVE = """
import contextlib, sys
import numpy as np
from scipy.sparse import csc_array
from optanon.solver.backends import highs

if sys.argv[1] == "loud":
    highs.silent = contextlib.nullcontext
plain = highs._solver
highs._solver = lambda **options: plain(**options | {"presolve": "on"})
for seed in (1437, 1657, 1713):
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(15, 60)), int(random.integers(30, 120))
    cost, upper = np.zeros(columns), np.zeros(columns)
    for j in range(columns):
        upper[j], cost[j] = float(random.integers(1, 20)), float(random.normal() * 10 - 3)
    matrix, low, high = np.zeros((rows, columns)), np.full(rows, -highs.INFINITY), np.zeros(rows)
    for i in range(rows):
        many = int(random.integers(2, 9))
        used = random.choice(columns, many, replace=False)
        entries = random.normal(size=many) * 10 ** random.integers(0, 3, many)
        matrix[i, used], high[i] = entries, abs(entries).sum() * random.random() * 3
        low[i] = -high[i] if random.random() < 0.7 else low[i]
    found = highs.best_integers(cost, 0 * upper, upper, csc_array(matrix), low, high)
    assert (matrix @ found.x <= high + 1e-6).all()
"""
"""Programs on which the branch and bound of HiGHS 1.12 prints a line of its own, once they are presolved."""


@pytest.mark.skipif(sys.platform != "linux", reason="C's stream is set where it is known to be a variable")
@pytest.mark.skipif(not highs.MADE_BY.startswith("HiGHS 1.12"), reason="prints in this version")
def test_the_line_that_branch_and_bound_prints_does_not_appear():
    path = [str(folder) for folder in sys.path if folder]
    code = f"import sys; sys.path[:0] = {path!r}\n{TALKATIVE}"
    said: dict[str, str] = {}
    for way in ("loud", "quiet"):
        done = subprocess.run([sys.executable, "-c", code, way], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said[way] = done.stdout
    assert "tmpSolver" in said["loud"]
    assert said["quiet"] == ""


@pytest.mark.skipif(sys.platform != "linux", reason="C's stream is set where it is known to be a variable")
def test_overlapping_silent_calls_give_the_stream_back_when_the_last_ends():
    from optanon.solver.backends import silence

    streams = silence._streams()  # pyright: ignore[reportPrivateUsage]
    assert streams is not None
    stdout, nowhere = streams
    before, inside, first_left = stdout.value, threading.Event(), threading.Event()
    seen: list[int | None] = []

    def other() -> None:
        with silence.silent():
            inside.set()
            first_left.wait(10)
            seen.append(stdout.value)

    thread = threading.Thread(target=other)
    with silence.silent():
        thread.start()
        inside.wait(10)
    first_left.set()
    thread.join(10)
    assert seen == [nowhere]
    assert stdout.value == before != nowhere


def test_the_best_integers_are_those_of_all_points():
    random = np.random.default_rng(3)
    for _ in range(20):
        entries = random.integers(-3, 4, (3, 4))
        high = random.integers(0, 6, 3).astype(float)
        cost = random.integers(-5, 6, 4).astype(float)
        points = np.array(list(product(range(3), repeat=4)))
        fits = points[(points @ entries.T <= high).all(axis=1)]
        best = (fits @ cost).min()
        found = best_integers(
            cost, np.zeros(4), np.full(4, 2.0), csc_array(entries), np.full(3, -INFINITY), high, seed=1
        )
        assert found.x is not None
        assert cost @ found.x == pytest.approx(best)
        assert found.bound == pytest.approx(best)
        start = found.x.astype(float)
        again = best_integers(
            cost, np.zeros(4), np.full(4, 2.0), csc_array(entries), np.full(3, -INFINITY), high, start=start
        )
        assert again.x is not None
        assert cost @ again.x == pytest.approx(best)


def test_integers_that_do_not_exist_are_not_found():
    one = np.ones(1)
    found = best_integers(one, 0 * one, 9 * one, csc_array(np.full((1, 1), 2.0)), one, one)
    assert found.x is None


def packed(seed: int, **limits: float) -> tuple[highs.IntegerSolution, int]:
    """Sets of five of 40 that cover each once, as cheap as found; and the steps that were told of."""
    random, before = np.random.default_rng(seed), spent()
    entries = np.zeros((40, 300))
    for j in range(300):
        entries[random.choice(40, 5, replace=False), j] = 1
    one, cost = np.ones(40), random.random(300) + 0.5
    found = best_integers(
        cost, 0 * cost, 0 * cost + 1, csc_array(entries), one, one, seed=1, nodes=20, **limits
    )
    return found, spent() - before


def test_an_integer_program_ends_after_so_many_steps_whatever_time_they_took():
    few, more = (packed(2, steps=steps) for steps in (1e-3, 0.03))
    assert few[1] < more[1]
    again = packed(2, steps=0.03)
    assert again[1] == more[1]
    assert again[0].bound == more[0].bound
    assert np.array_equal(again[0].x, more[0].x)  # or neither has one


def test_a_linear_program_changes_and_says_why_nothing_fits():
    program = LinearProgram(presolve=False, simplex=Simplex.DUAL)
    program.add_columns(np.array([1.0, 2.0]), np.zeros(2), np.full(2, 4.0))
    program.add_row(3.0, INFINITY, (0, 1), (1.0, 1.0))
    assert program.run() is LPStatus.OPTIMAL
    assert program.value == pytest.approx(3.0)
    assert program.amount.tolist() == pytest.approx([3.0, 0.0])
    assert program.duals.tolist() == pytest.approx([1.0])
    program.set_ends(np.array([0]), np.zeros(1), np.ones(1))
    assert program.run() is LPStatus.OPTIMAL
    assert program.value == pytest.approx(5.0)
    program.add_columns(np.array([0.5]), np.zeros(1), np.ones(1), np.array([0, 1]), [0], [1.0])
    assert program.run(1.0) is LPStatus.OPTIMAL
    assert program.value == pytest.approx(3.5)
    program.set_costs(np.array([2]), np.array([9.0]))
    assert program.run() is LPStatus.OPTIMAL
    assert program.value == pytest.approx(5.0)
    program.set_row(0, 8.0, INFINITY)
    assert program.run() is LPStatus.INFEASIBLE
    ray = program.ray
    assert ray is not None
    assert ray[0] * 8.0 > ray[0] * 6.0
    program.set_row(0, 3.0, INFINITY)
    program.stop_at(1.0)
    assert program.run() in (LPStatus.BEYOND, LPStatus.OPTIMAL)


def small_model() -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    model = cp_model.CpModel()
    x = [model.new_int_var(0, 9, f"x{i}") for i in range(3)]
    model.add(2 * x[0] + 3 * x[1] + 5 * x[2] == 17)
    model.minimize(x[0] + x[1] + x[2])
    return model, x


@pytest.mark.parametrize("cost", [3, 2**53 + 1, 2**55 + 5, 2**58 + 77])
def test_bounds_of_cp_sat_are_true_beyond_floats(cost: int):
    """It tells them as floats, which may be above what there is."""
    model = cp_model.CpModel()
    x = model.new_int_var(1, 3, "x")
    model.minimize(cost * x)
    run = cpsat.solved(model, seconds=None)
    assert run.value(cost * x) == cost
    assert run.bound is not None
    assert cost - cost // 10**14 <= run.bound <= cost
    model.maximize(cost * x)
    most = cpsat.solved(model, seconds=None).bound
    assert most is not None
    assert 3 * cost <= most <= 3 * (cost + cost // 10**14)


def test_cp_sat_tells_status_bound_and_values():
    model, x = small_model()
    run = cpsat.solved(model, seconds=None)
    assert run.status is Status.OPTIMAL
    assert run.bound == run.objective == sum(run.value(v) for v in x) == 4
    assert cpsat.solved(model, seconds=10.0, first=True).found
    model.add(x[0] + x[1] + x[2] <= 3)
    empty = cpsat.solved(model, seconds=None)
    assert empty.status is Status.INFEASIBLE
    assert not empty.found


def test_cp_sat_refuses_a_model_with_a_reason():
    model = cp_model.CpModel()
    huge = [model.new_int_var(-(2**61), 2**61, "") for _ in range(4)]
    model.add(cp_model.LinearExpr.weighted_sum(huge, [9] * 4) <= 1)
    with pytest.raises(EngineError, match="CP-SAT refuses the model"):
        cpsat.solved(model, seconds=None)


INTERRUPTED = """
import os, signal, threading
from ortools.sat.python import cp_model
from optanon.solver.backends import cpsat

model = cp_model.CpModel()
x = [model.new_bool_var("") for _ in range(9 * 10)]
for pigeon in range(10):
    model.add_bool_or([x[9 * pigeon + hole] for hole in range(9)])
for hole in range(9):
    for a in range(10):
        for b in range(a):
            model.add_bool_or([~x[9 * a + hole], ~x[9 * b + hole]])
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    cpsat.solved(model, seconds=60.0)
except KeyboardInterrupt:
    print("raised", flush=True)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
run = cpsat.solved(model, seconds=60.0, keep_interrupted=True)
print(run.interrupted, run.found, flush=True)
"""


BRANCHED = """
import os, signal, threading
import numpy as np
from scipy.sparse import csc_array
from optanon.solver.backends.highs import best_integers

rng = np.random.default_rng(1)
entries = rng.integers(0, 100, (5, 40)).astype(float)
half = np.floor(entries.sum(1) / 2)
matrix = csc_array(np.hstack([entries, np.eye(5), -np.eye(5)]))
cost, upper = np.repeat([0.0, 1.0], [40, 10]), np.repeat([1.0, 1e4], [40, 10])
for limits in ({"seconds": 60.0}, {"steps": 1e9}):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        best_integers(cost, np.zeros(50), upper, matrix, half, half, **limits)
    except KeyboardInterrupt:
        print("raised", flush=True)
"""


def said(script: str) -> list[str]:
    path = [str(folder) for folder in sys.path if folder]
    code = f"import sys; sys.path[:0] = {path!r}\n{script}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=50
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_cp_sat_and_is_raised_unless_the_caller_keeps_what_was_found():
    assert said(INTERRUPTED) == ["raised", "True", "False"]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_branch_and_bound_of_highs():
    """Market splits: nobody proves these within minutes."""
    assert said(BRANCHED) == ["raised", "raised"]
