"""The assignment engine against exhaustive enumeration, and how it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.drawn import LEVELS, NAMES, Case, drawn_case, hard_table, names
from cases.examples import build
from ortools.sat.python import cp_model
from strategies import KINDS, Kind, instance, seeded

from optanon.models.losses import losses
from optanon.models.policy import LevelSpec, Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import HcSafety, KCAnonymity, TCloseness, WeakMInvariance
from optanon.models.table import Microdata
from optanon.solver.backends.cpsat import CpSatRun, solved
from optanon.solver.engines.assignment import engine as assignment
from optanon.solver.result import Result
from optanon.solver.search import solve
from optanon.solver.settings import Settings, Watch
from optanon.solver.status import Status, Termination

F = Fraction

TABLES = 160
"""Random instances in all, over every registered requirement."""


EACH = -(-TABLES // max(1, len(NAMES)))


@pytest.mark.parametrize("seed", range(EACH))
@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_is_that_of_exhaustive_enumeration(name: str, seed: int):
    case = drawn_case(name, seed)
    result = case.solve()
    limit = 2 if case.fakes < 0 else case.fakes
    best = case.optimum(limit)
    if case.fakes < 0 and best is None:
        # More counterfeits than can be enumerated; the engine may find such a release.
        assert result.status is not Status.OPTIMAL or result.objective[0] > limit
    elif best is None:
        assert (result.status, result.release) == (Status.INFEASIBLE, None)
        assert result.reason
        assert "id#" not in result.reason
        assert result.objective == ()
    else:
        assert result.status is Status.OPTIMAL, result
        assert result.termination is Termination.COMPLETED
        assert result.objective == best
        assert result.bounds == best
        assert result.gap == 0
    if result.release is not None:
        case.accepts(result)


@pytest.mark.parametrize("seed", range(24))
def test_any_number_of_counterfeits_is_never_worse_than_a_few(seed: int):
    """Unlimited counterfeits cannot be enumerated, but two of them bound the optimum from above."""
    name = NAMES[seed % len(NAMES)]
    source = seeded("unlimited", seed)
    requirement, made = build(name, 0)
    adversary = requirement.adversary
    at = instance(
        source,
        **{
            "tuples": (1, 3),
            "values": (2, 3),
            "persistence": "both" if adversary == "either" else adversary,
            **made.needs,
        },
    )
    parts = ((requirement, made), *([build("k_c_anonymity", 0)] if seed % 2 else []))
    case = Case(at=at, parts=parts, levels=("information_loss", "counterfeits"), suppressed=0, fakes=-1)
    result = case.solve()
    best = case.optimum(2)
    if best is not None:
        assert result.closed
        assert result.objective <= best
    if result.release is not None:
        case.accepts(result)


def small_table(values: str, *, spread: int = 1) -> Microdata:
    """One numeric quasi-identifier, 0, 1, 2, ... times `spread`."""
    frame = pd.DataFrame(
        {"id": [f"id#{n}" for n in range(len(values))], "x": [n * spread for n in range(len(values))]}
    ).assign(value=list(values))
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x"], sensitive="value")


@pytest.mark.parametrize(
    ("values", "requirements", "levels", "best"),
    [
        # Two values, equally often, ten tuples: five of each, so 3 real ones need 7 counterfeits.
        ("aab", [WeakMInvariance(m=2), KCAnonymity(k=10)], ["counterfeits"], (7,)),
        # Exactly the table's shares 1:3 and at least 5 tuples: 2 + 6 in each of four groups of one person.
        ("abbb", [TCloseness(t=0), KCAnonymity(k=5)], ["information_loss", "counterfeits"], (0, 4 * 8 - 4)),
        # Sizes that are multiples of 6 and at least 7: twice the table's 1:5 for each of six persons.
        (
            "abbbbb",
            [TCloseness(t=0), KCAnonymity(k=7)],
            ["information_loss", "counterfeits"],
            (0, 6 * 12 - 6),
        ),
    ],
)
def test_two_requirements_may_need_more_counterfeits_than_either_alone(
    values: str, requirements: list[Requirement], levels: list[str], best: tuple[int, ...]
):
    result = solve(small_table(values), Policy(requirements, levels), workers=1, display=False)
    assert (result.status, result.objective) == (Status.OPTIMAL, best)


def test_the_reason_names_parts_that_conflict_and_none_too_many():
    policy = Policy([KCAnonymity(k=2), WeakMInvariance(m=2), HcSafety(n=2)], max_suppressed=1)
    result = solve(small_table("aaab"), policy, workers=1, display=False)
    assert result.status is Status.INFEASIBLE
    assert result.reason is not None
    assert "weak_m_invariance(m=2)" in result.reason
    assert "hc_safety" not in result.reason
    assert "k_c_anonymity" not in result.reason
    assert "at most 1 of 4 tuples suppressed" in result.reason
    assert "no counterfeits" in result.reason


def test_every_loss_the_oracle_knows_is_an_objective_here():
    assert {name for levels in LEVELS for level in levels for name in names(level)} == set(bf.LOSSES)
    assert set(bf.LOSSES) <= set(losses())


# -- (g) results repeat ------------------------------------------------------------------------


def published(result: Result) -> list[object]:
    assert result.release is not None
    return [(sorted(g.respondents), g.counterfeits, g.box) for g in result.release.groups]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_same_seed_and_workers_give_the_same_release(workers: int, seed: int):
    source = seeded("repeat", seed)
    at = instance(source, tuples=(6, 8), releases=(0, 1), values=(2, 3), kinds=("flat", "point", "ordered"))
    parts = (build("k_c_anonymity", 0),)
    case = Case(at=at, parts=parts, levels=("suppressed", "information_loss"), suppressed=1, fakes=0)
    runs = [case.solve(workers=workers, seed=seed) for _ in range(3)]
    assert all(run.status is Status.OPTIMAL for run in runs)
    assert published(runs[0]) == published(runs[1]) == published(runs[2])


# -- (h) running out of time, being interrupted ------------------------------------------------


@pytest.mark.parametrize("loss", sorted(bf.LOSSES))
@pytest.mark.parametrize("seconds", [1e-9, 0.004, 0.02])
def test_a_bound_is_true_whenever_the_time_ends(loss: str, seconds: float):
    kinds: Sequence[Kind] = ("numeric", "rational") if loss.startswith("squared_error") else KINDS
    at = instance(
        seeded("time", 3), tuples=(7, 7), releases=(0, 0), values=(3, 3), form="generalized", kinds=kinds
    )
    case = Case(at=at, parts=(build("k_c_anonymity", 0),), levels=(loss,), suppressed=0, fakes=0)
    best = case.optimum(0)
    assert best is not None
    result = case.solve(time_limit=seconds)
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE, Status.UNKNOWN)
    assert all(bound is None or bound <= least for bound, least in zip(result.bounds, best, strict=True))
    assert all(p.bound is None or p.bound <= best[p.level] for p in result.trajectory)
    assert result.status is not Status.OPTIMAL or result.objective == best
    if result.release is not None:
        case.accepts(result)


@pytest.mark.parametrize("loss", sorted(bf.LOSSES))
def test_no_bound_is_above_a_value_that_was_found(loss: str):
    """A table the search cannot even presolve in this time."""
    result = solve(
        hard_table(30),
        Policy([KCAnonymity(k=4)], [loss]),
        engine="assignment",
        time_limit=1e-9,
        workers=1,
        display=False,
    )
    assert result.release is not None
    (level,) = result.levels
    assert level.bound is None or level.bound <= level.value
    assert all(p.bound is None or p.bound <= level.value for p in result.trajectory)
    if level.bound != level.value:
        assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)


def test_a_hard_problem_ends_in_time_with_a_true_gap():
    policy = Policy([KCAnonymity(k=4, c="1/2")])
    result = solve(hard_table(60), policy, engine="assignment", time_limit=1, workers=1, display=False)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert result.gap is not None
    assert result.gap > 0
    (level,) = result.levels
    assert level.bound is not None
    assert level.bound < level.value


def test_the_time_limit_holds_for_the_largest_table_too():
    """Building the start and the model counts as well; four times the limit is generous."""
    began = time.process_time()
    policy = Policy([WeakMInvariance(m=3)], ["counterfeits", "information_loss"])
    result = solve(hard_table(200), policy, engine="assignment", time_limit=1, workers=1, display=False)
    assert result.status in (Status.FEASIBLE, Status.UNKNOWN)
    assert time.process_time() - began < 4


SCRIPT = """
import sys
from ortools.sat.python import cp_model
from cases.drawn import hard_table
from optanon import KCAnonymity, Policy, solve

search = cp_model.CpSolver.solve

def announced(*args, **options):
    print("searching", flush=True)
    return search(*args, **options)

cp_model.CpSolver.solve = announced
policy = Policy([KCAnonymity(k=4, c="1/2")])
settings = dict(engine="assignment", time_limit=60, workers=int(sys.argv[1]), display=False)
result = solve(hard_table(40), policy, **settings)
assert result.release is not None
assert result.bounds[0] is None or result.bounds[0] < result.objective[0]
print(result.status.value, result.termination.value, flush=True)
"""


@pytest.mark.parametrize(("workers", "seconds"), [(1, 1), (2, 0)])
def test_an_interrupt_returns_the_best_release_so_far(workers: int, seconds: float):
    path = [str(folder) for folder in sys.path if folder]
    with subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}\n{SCRIPT}", str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        try:
            assert run.stdout.readline() == "searching\n"
            time.sleep(seconds)
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=30)
        finally:
            run.kill()
    # It may be between two calls of the solver.
    assert (run.returncode, out.replace("searching\n", "")) == (0, "FEASIBLE interrupted\n"), err


@pytest.mark.parametrize("weight", [300, 10**19, 10**30])
def test_weights_need_not_fit_in_floats(weight: int):
    """A level's best was rounded, and no release was that good; beyond 64 bits CP-SAT gave no reason."""
    a = [281376913852, 522522942944, 79252585220, 521525548905, 171431153695, 232726176495]
    b = [455034313117, 224959604254, 302142325070, 15150782730, 414248212329, 295847415143]
    frame = pd.DataFrame({"id": range(6), "a": a, "b": b, "d": list("xyzxyz")})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["a", "b"], sensitive="d")
    policy = Policy(
        [KCAnonymity(k=2)], [{"discernibility": weight, "information_loss": 1}, "average_group_size"]
    )
    found, best = (solve(table, policy, engine=engine, seed=1) for engine in ("assignment", "subsets"))
    assert best.status is Status.OPTIMAL
    assert found.objective == best.objective
    told = found.levels[0].trusted_bound
    assert told is not None
    assert best.objective[0] * F(999, 1000) < told <= best.objective[0]


def test_a_level_that_cannot_be_held_exactly_bounds_no_later_one():
    """The best was shut out by one that is as good once rounded, and with it what it costs next."""
    a = [906691059, 413653999, 1000813847339, 1000955892128, 500451585301]
    b = [43469773, 278009742, 1000548977048, 1000521760889, 333768128051]
    frame = pd.DataFrame({"id": range(5), "a": a, "b": b, "d": list("xyzxy")})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["a", "b"], sensitive="d")

    def best(level: LevelSpec, most: int) -> tuple[Fraction, ...]:
        policy = Policy([KCAnonymity(k=2)], [level, "semiperimeter"], max_suppressed=most)
        return solve(table, policy, engine="subsets").objective

    cheap = F(1, 10**6)
    dear = best("information_loss", 0)[0] - best({"suppressed": cheap, "information_loss": 1}, 1)[0] + cheap
    level: LevelSpec = {"suppressed": dear - F(1, 10**11), "information_loss": 1}
    policy = Policy([KCAnonymity(k=2)], [level, "semiperimeter"], max_suppressed=1)
    problem = Problem(table=table, policy=policy)
    told = assignment.AssignmentEngine().solve(problem, Settings(seed=1), Watch()).bounds[1]
    assert told is None or told <= best(level, 1)[1]


def test_a_later_level_is_not_denied():
    """CP-SAT's presolve denied solutions of a model where numbers have 48 bits."""
    a = [0, 99991, 26722, 61794, 72663, 10776, 27989]
    b = [0, 89989, 68914, 9154, 23080, 76960, 60626]
    c = [0, 79979, 31427, 27307, 68831, 65616, 50171]
    frame = pd.DataFrame({"id": range(7), "a": a, "b": b, "c": c, "d": list("xyzxyzx")})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["a", "b", "c"], sensitive="d")
    policy = Policy([KCAnonymity(k=2)], ["information_loss", "semiperimeter"])
    found, best = (solve(table, policy, engine=engine, seed=1) for engine in ("assignment", "subsets"))
    assert found.objective == best.objective


def test_a_later_level_that_is_denied_again_ends_the_search(monkeypatch: pytest.MonkeyPatch):
    policy, asked = Policy([KCAnonymity(k=2)], ["discernibility", "information_loss"]), list[bool]()

    def denying(model: cp_model.CpModel, **options: Any) -> CpSatRun:
        asked.append(options.get("large", False))
        run = solved(model, **options)
        return run if len(asked) == 1 else replace(run, status=Status.INFEASIBLE)

    monkeypatch.setattr(assignment, "solved", denying)
    found = solve(hard_table(6), policy, engine="assignment", seed=1)
    assert asked == [False, False, True]
    assert (found.status, found.termination) == (Status.FEASIBLE, Termination.ITERATION_LIMIT)


def test_levels_are_held_at_exact_values(monkeypatch: pytest.MonkeyPatch):
    """They were held at what CP-SAT tells as a float: beyond 2**53 it may be below what there is."""
    monkeypatch.setattr(CpSatRun, "objective", property(lambda run: -1))
    frame = pd.DataFrame({"id": range(5), "a": [0, 9, 3, 8, 7], "d": list("xyxyx")})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["a"], sensitive="d")
    policy = Policy([KCAnonymity(k=2)], ["information_loss", "average_group_size"])
    assert solve(table, policy, engine="assignment", seed=1).status is Status.OPTIMAL
