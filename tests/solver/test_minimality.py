"""Adversaries who know the solver, and releases drawn at random, against enumeration of everything."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain, permutations, product
from math import exp, isclose
from pathlib import Path
from random import Random

import numpy as np
import oracle.brute_force as bf
import pandas as pd
import pytest
import yaml
from command_line import run
from strategies import Instance, Source, instance, pick, seeded

from optanon.models.adversary.knowledge import Knowledge
from optanon.models.errors import EngineError, InputError, PolicyError
from optanon.models.group import Form
from optanon.models.history import History
from optanon.models.losses import losses
from optanon.models.outlook.asked import Outlook
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    Difference,
    DistinctLDiversity,
    HcSafety,
    KCAnonymity,
    ResistsInference,
    WeakMInvariance,
)
from optanon.models.table import Microdata
from optanon.solver.claims import Drawn
from optanon.solver.enumeration import GroupingVerdicts, partitions
from optanon.solver.insight.audit.minimality import minimality, value_losses
from optanon.solver.randomize import _Listed, _Sets
from optanon.solver.result import Result
from optanon.solver.search import solve, solve_problem
from optanon.solver.status import Status
from optanon.solver.verify.checking import verify

F = Fraction
HALF = F(1, 2)


def table(points: Sequence[int], values: str) -> Microdata:
    frame = pd.DataFrame(
        {"id": [f"p{i}" for i in range(len(points))], "x": list(points), "value": list(values)}
    )
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x"], sensitive="value")


FIVE = Problem(table=table([0, 0, 0, 4, 0], "ONNHO"), policy=Policy([KCAnonymity(k=2, c=HALF)]))


def test_five_people() -> None:
    """Twelve worlds, four of them with no better release: in all of these p3 has H."""
    release = FIVE.assemble([[0, 1], [2, 3, 4]])
    result = solve_problem(FIVE, display=False)
    assert result.objective == FIVE.objective(release)
    found = minimality(FIVE, release)
    assert (found.worlds, found.surviving) == (12, 4)
    assert found.naive["p3"] == {"H": F(1, 3), "N": F(1, 3), "O": F(1, 3)}
    assert found.aware["p3"] == {"H": F(1)}
    assert found.disclosed == {"p3"}
    assert found.leaks
    assert (found.worst_naive, found.worst_aware) == (HALF, F(1))
    plain = found.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert "p3" not in json.dumps(plain) + repr(found)
    assert found.to_dict(show_ids=True)["disclosed"] == ["p3"]


def test_worlds_agree_with_what_the_policy_says_of_people() -> None:
    """Worlds that its knowledge rules out stopped the audit; whose value it tells is no finding."""
    knowledge = Knowledge(excluded={"p1": ["O"]}, compromised={"p4": "O"})
    policy = Policy([ResistsInference(max_posterior=F(2, 3), knowledge=knowledge)])
    problem = Problem(table=table([0, 1, 2, 3, 3], "HNOOO"), policy=policy)
    found = minimality(problem, problem.assemble([[0, 1, 2, 3], [4]]))
    assert found.worlds == 6
    assert found.naive == {
        "p0": {"H": F(1, 6), "N": F(1, 6), "O": F(2, 3)},
        "p1": {"H": HALF, "N": HALF},
        "p2": {"H": F(1, 6), "N": F(1, 6), "O": F(2, 3)},
        "p3": {"H": F(1, 6), "N": F(1, 6), "O": F(2, 3)},
    }
    assert found.worst_naive == F(2, 3)


def test_what_several_requirements_say_is_known_together() -> None:
    """Neither piece alone tells p4's value, both do; p1's stays open."""
    told = (
        Knowledge(priors={"p4": ["O", "N"], "p1": ["H", "N", "O"]}),
        Knowledge(excluded={"p4": ["N"], "p1": ["O"]}),
    )
    rules = [ResistsInference(max_posterior=F(9, 10), knowledge=knowledge) for knowledge in told]
    problem = Problem(table=table([0, 1, 2, 3, 3], "HNOOO"), policy=Policy(rules))
    found = minimality(problem, problem.assemble([[0, 1, 2, 3, 4]]), randomize=1)
    assert set(found.naive) == {"p0", "p1", "p2", "p3"}
    assert found.naive["p1"] == {"H": HALF, "N": HALF}
    assert found.worst_naive == F(2, 3)


class Oracle:
    """All tables that a release leaves possible, and all releases of each."""

    def __init__(self, at: Instance, check: bf.Check, release: bf.Release) -> None:
        self.check, self.past = check, at.past
        people = {p.name: p for p in at.people}
        self.worlds = [
            (values, weight) for values, weight in bf.persistent_worlds((release, *at.past)) if weight
        ]
        loss = bf.LOSSES["information_loss"]
        self.costs = {r: loss(r, at.measured) for r in bf.candidate_releases(at.people)}
        self.cost = loss(release, at.measured)
        self.people = people

    def told(self, release: bf.Release, values: Mapping[str, str]) -> bf.Release:
        groups: list[bf.Group] = []
        for group in release.groups:
            members = tuple(bf.Person(p.name, p.qi, values.get(p.name, p.value)) for p in group.members)
            rest = group.histogram - Counter(p.value for p in members) if group.fakes else Counter[str]()
            groups.append(bf.Group(members, tuple(sorted(rest.items()))))
        return bf.Release(tuple(groups), release.suppressed)

    def kept(self, values: Mapping[str, str]) -> list[Fraction]:
        past = tuple(self.told(old, values) for old in self.past)
        return [cost for r, cost in self.costs.items() if self.check(self.told(r, values), past)]

    def posterior(self, beta: float | None) -> dict[str, dict[str, float]]:
        total = 0.0
        sums: dict[str, Counter[str]] = defaultdict(Counter)
        for values, weight in self.worlds:
            costs = self.kept(values)
            if beta is None:
                chance = float(not any(cost < self.cost for cost in costs))
            else:
                chance = exp(-beta * float(self.cost)) / sum(exp(-beta * float(c)) for c in costs)
            total += weight * chance
            for name in self.people:
                sums[name][values[name]] += weight * chance  # pyright: ignore[reportArgumentType]
        return {name: {v: w / total for v, w in found.items() if w} for name, found in sums.items()}


def drawn(source: Source, past: bool) -> Instance:
    return instance(
        source, tuples=(4, 5), releases=(1, 1) if past else (0, 0), values=(2, 3), kinds=("numeric", "flat"),
        form="generalized", persistence="persistent", past_fakes=int(past),
    )  # fmt: skip


POLICIES: list[tuple[Requirement, bf.Check]] = [
    (KCAnonymity(k=2, c=HALF), bf.k_c(2, HALF)),
    (KCAnonymity(k=2, c=F(2, 3)), bf.k_c(2, F(2, 3))),
    (WeakMInvariance(m=2), bf.weak_m_invariance(2)),
    (HcSafety(n=2), bf.hc_safety(2, "hcsafe")),
    (Difference(k=2), bf.difference_safety(2, F(1))),
]


@pytest.mark.parametrize("past", [False, True])
def test_aware_posteriors_equal_enumeration(past: bool) -> None:
    leaks = tried = 0
    for number in range(60 if past else 30):
        source = seeded("minimality", past, number)
        at = drawn(source, past)
        requirement, check = pick(source, POLICIES)
        problem = Problem(table=at.table, policy=Policy([requirement], form=at.form), history=at.history)
        result = solve_problem(problem, display=False)
        if result.release is None:
            continue
        found = minimality(problem, result.release)
        oracle = Oracle(at, check, at.theirs(result.release))
        assert found.worlds == len(oracle.worlds)
        naive = bf.posterior((at.theirs(result.release), *at.past))
        assert found.naive == {who: naive[who] for who in found.naive}
        wanted = oracle.posterior(None)
        assert found.aware.keys() == wanted.keys()
        for who, chances in wanted.items():
            assert found.aware[who].keys() == chances.keys()
            assert all(isclose(found.aware[who][v], chance) for v, chance in chances.items())
        tried += 1
        leaks += found.leaks
    assert tried > 10
    assert leaks


def chosen_with_few_signatures(points: Sequence[int], release: Release) -> list[tuple[str, ...]]:
    """Worlds of a release in which none has fewer signatures, or as many and less loss, by enumeration."""
    rows = [sorted(int(who[1:]) for who in group.respondents) for group in release.groups]
    span = max(points) - min(points)

    def cost(parts: Sequence[Sequence[int]], values: Sequence[str]) -> tuple[int, Fraction]:
        ends = [[points[t] for t in part] for part in parts]
        widths = sum(len(part) * (max(part) - min(part)) for part in ends)
        return len({frozenset(values[t] for t in part) for part in parts}), F(widths, span)

    found: list[tuple[str, ...]] = []
    orders = [sorted(set(permutations(Counter(group.histogram).elements()))) for group in release.groups]
    for world in product(*orders):
        told = dict(zip(chain(*rows), chain(*world), strict=True))
        values = [told[t] for t in range(len(points))]
        kept = [
            cost(parts, values)
            for parts in bf.set_partitions(range(len(points)))
            if all(len({values[t] for t in part}) > 1 for part in parts)
        ]
        if cost(rows, values) == min(kept):
            found.append(tuple(values))
    return found


FEW_SIGNATURES = Policy([DistinctLDiversity(l=2)], ["signatures", "information_loss"])


def test_a_loss_that_looks_at_values_is_computed_in_every_world() -> None:
    random = Random(5)
    tables = [([1, 1, 0, 4, 3], "NONOO")]
    tables += [([0, *(random.randint(0, 5) for _ in range(3)), 6], "NOHNO") for _ in range(6)]
    leaks = 0
    for points, values in tables:
        problem = Problem(table=table(points, values), policy=FEW_SIGNATURES)
        release = solve_problem(problem, display=False).release
        assert release is not None
        found, worlds = minimality(problem, release), chosen_with_few_signatures(points, release)
        assert found.surviving == len(worlds)
        for row in range(len(points)):
            shares = Counter(world[row] for world in worlds)
            assert found.aware[f"p{row}"] == {v: F(n, len(worlds)) for v, n in shares.items()}
        leaks += found.leaks
        if points == [1, 1, 0, 4, 3]:
            assert (found.surviving, found.worst_aware) == (2, 1)
    assert leaks


FORMS: tuple[Form, ...] = ("generalized", "anatomized")


def costs(problem: Problem) -> list[tuple[Fraction, ...]]:
    """What each grouping loses."""
    return [problem.objective(problem.assemble(grouping)) for grouping in partitions(problem)]


def test_every_loss_says_whether_it_may_look_at_values() -> None:
    """Values of people are exchanged within a table: no other loss of any grouping changes."""
    one, other = (table([0, 1, 1, 4, 6], values) for values in ("NONOH", "NNHOO"))
    asked: list[tuple[str, Policy]] = [
        (name, Policy([WeakMInvariance(m=2)], [name], form="anatomized" if name == "hidden_cells" else form))
        for name in losses().keys() - {"expected_counterfeits"}
        for form in FORMS
    ]
    ahead = Outlook(draws=10, allowed=F(0))
    levels = ["counterfeits", "expected_counterfeits"]
    asked.append(("expected_counterfeits", Policy([WeakMInvariance(m=2)], levels, outlook=ahead)))
    looks: set[str] = set()
    for name, policy in asked:
        first, second = (Problem(table=people, policy=policy) for people in (one, other))
        if costs(first) != costs(second):
            assert value_losses(first) == (name,)
            looks.add(name)
        else:
            assert value_losses(first) == ()
    assert looks == {"signatures", "expected_counterfeits", "expected_widening"}


# --- releases drawn at random ---------------------------------------------------------------------


def random_problem(number: int) -> tuple[Instance, Problem, bf.Check]:
    source = seeded("drawn", number)
    at = drawn(source, past=False)
    requirement, check = POLICIES[number % 3]
    return at, Problem(table=at.table, policy=Policy([requirement], form=at.form)), check


def test_odds_change_by_no_more_than_promised() -> None:
    """For every release that may be drawn; by enumeration of all tables, too."""
    tried = moved = 0
    for number in range(40):
        at, problem, check = random_problem(number)
        for beta in (F(0), F(1, 3), F(2)):
            result = solve_problem(problem, randomize=beta, seed=number, display=False)
            if result.release is None:
                assert result.status is Status.INFEASIBLE
                continue
            facts = result.randomized
            assert facts is not None
            assert facts.odds is not None
            assert facts.log_odds == beta * facts.cost_range
            found = minimality(problem, result.release, randomize=beta)
            wanted = Oracle(at, check, at.theirs(result.release)).posterior(float(beta))
            assert found.surviving == found.worlds  # no world is ever excluded
            for who, before in found.naive.items():
                after = found.aware[who]
                assert all(isclose(after[v], wanted[who][v], rel_tol=1e-9) for v in before)
                for v in before:
                    for w in before:
                        change = (after[v] / after[w]) / (before[v] / before[w])
                        assert change <= facts.odds * (1 + 1e-9)
                        moved += change > 1.01
                        if not beta:
                            assert isclose(change, 1)
            tried += 1
    assert tried > 15
    assert moved


def test_draws_have_the_stated_weights() -> None:
    """3,000 draws against the weights: chi-square below its 99.99 % quantile (about n + 6 sqrt(n))."""
    tried = 0
    for number in range(20):
        at, problem, check = random_problem(number)
        costs = {
            r: bf.LOSSES["information_loss"](r, at.measured)
            for r in bf.candidate_releases(at.people)
            if check(r, ())
        }
        if len(costs) < 4 or tried == 2:
            continue
        tried += 1
        beta = 0.7
        weights = {frozenset(g.names for g in r.groups): exp(-beta * float(c)) for r, c in costs.items()}
        space = _Listed(problem, GroupingVerdicts(problem))
        sets = _Sets(problem, GroupingVerdicts(problem))
        assert space.count == sets.count == len(costs)
        assert space.least == sets.least == min(costs.values())
        assert space.cost_range == sets.cost_range
        names = [m.respondent for m in problem.table.members]
        for which in (space, sets):
            random = np.random.default_rng(number)
            seen: Counter[frozenset[frozenset[str]]] = Counter()
            for _ in range(3000):
                rows = which.pick(F("0.7"), random)
                seen[frozenset(frozenset(names[t] for t in group) for group in rows)] += 1
            total = sum(weights.values())
            expected = {key: 3000 * w / total for key, w in weights.items()}
            assert seen.keys() <= expected.keys()
            chi = sum((seen[key] - e) ** 2 / e for key, e in expected.items())
            assert chi < len(expected) + 6 * len(expected) ** 0.5 + 6
    assert tried == 2


def twelve(policy: Policy | None = None) -> Problem:
    people = table([0, 1, 1, 2, 3, 5, 5, 6, 8, 8, 9, 9], "ababababccab")
    return Problem(table=people, policy=policy or Policy([KCAnonymity(k=2, c=HALF)]))


def test_a_dozen_people_drawn_by_sums_over_sets() -> None:
    problem = twelve()
    best = solve_problem(problem, display=False)
    result = solve_problem(problem, randomize=1, seed=0, display=False)
    assert result.bound == best.objective
    assert result.objective >= best.objective
    assert (result.status is Status.OPTIMAL) == (result.objective == best.objective)
    assert result.gap is not None
    sharp = solve_problem(problem, randomize=1000, seed=1, display=False)
    assert sharp.objective == best.objective
    assert sharp.randomized is not None
    assert sharp.randomized.odds == float("inf")


def test_same_seed_same_release_and_no_seed_is_told() -> None:
    drawn_twice = [solve_problem(FIVE, randomize="1/10", seed=4, display=False) for _ in range(2)]
    assert drawn_twice[0].release == drawn_twice[1].release
    many = {
        frozenset(g.respondents for g in found.release.groups)
        for seed in range(20)
        if (found := solve_problem(FIVE, randomize=0, seed=seed, display=False)).release is not None
    }
    assert len(many) > 1
    secret: Result = solve(FIVE.table, FIVE.policy, randomize=0, display=False)
    for result in (*drawn_twice, secret):
        assert result.certificate is not None
        assert result.release is not None
        assert result.certificate.run.seed is None
        (drawn,) = result.certificate.claims
        assert isinstance(drawn, Drawn)
        assert (drawn.beta, drawn.candidates) == (result.randomized.beta, result.randomized.candidates)  # pyright: ignore[reportOptionalMemberAccess]
        assert verify(result.certificate, FIVE, result.release).whole
    plain = solve_problem(FIVE, seed=7, display=False).certificate
    assert plain is not None
    assert plain.run.seed == 7


def test_no_guarantee_where_values_decide() -> None:
    first = FIVE.assemble([[0, 1, 2, 3, 4]])
    with_past = Problem(table=FIVE.table, policy=FIVE.policy, history=History([first]))
    result = solve_problem(with_past, randomize=1, seed=0, display=False)
    assert result.randomized is not None
    assert result.randomized.log_odds is None
    assert result.randomized.odds is None
    some_left_out = Problem(table=FIVE.table, policy=Policy([KCAnonymity(k=2)], max_suppressed=1))
    result = solve_problem(some_left_out, randomize=1, seed=0, display=False)
    assert result.randomized is not None
    assert result.randomized.odds is None
    with_difference = Problem(table=FIVE.table, policy=Policy([KCAnonymity(k=2), Difference(k=2)]))
    result = solve_problem(with_difference, randomize=1, seed=0, display=False)
    assert result.randomized is not None
    assert result.randomized.odds is None


def test_refusals_name_a_remedy() -> None:
    large = Problem(table=table(range(13), "ab" * 6 + "c"), policy=Policy([KCAnonymity(k=2)]))
    with pytest.raises(EngineError, match="at most 12 tuples, the table has 13: split it"):
        solve_problem(large, randomize=1)
    maximum = twelve(Policy([KCAnonymity(k=2)], ["maximum_group_size"]))
    with pytest.raises(EngineError, match="at most 9 tuples, the table has 12"):
        solve_problem(maximum, randomize=1)
    with pytest.raises(EngineError, match="at most 9 tuples"):
        minimality(twelve(), twelve().assemble([list(range(12))]))
    with pytest.raises(PolicyError, match="at least 0"):
        solve_problem(FIVE, randomize=-1)
    with pytest.raises(PolicyError, match="at most 1000000000: leave it out"):
        solve_problem(FIVE, randomize="1e400")
    with pytest.raises(PolicyError, match="randomize must be a number"):
        solve_problem(FIVE, randomize="much")
    with pytest.raises(PolicyError, match="leave engine"):
        solve_problem(FIVE, randomize=1, engine="assignment")
    for policy, wanted in (
        (Policy([KCAnonymity(k=2)], max_counterfeits=1), "max_counterfeits to 0"),
        (Policy([KCAnonymity(k=2)], ["hidden_cells"], form="anatomized"), "hidden_cells"),
        (Policy([KCAnonymity(k=2)], recoding="full_domain"), "multidimensional"),
    ):
        with pytest.raises(EngineError, match=wanted):
            solve_problem(Problem(table=FIVE.table, policy=policy), randomize=1)
    levels = Policy([KCAnonymity(k=2)], ["information_loss", "discernibility"])
    with pytest.raises(PolicyError, match="one level"):
        solve_problem(Problem(table=FIVE.table, policy=levels), randomize=1)
    with pytest.raises(InputError, match="less loss"):
        minimality(FIVE, FIVE.assemble([[0, 1, 2, 3, 4]]))
    with pytest.raises(InputError, match="breaks the policy"):
        minimality(FIVE, FIVE.assemble([[0], [1, 2, 3, 4]]))
    hiding = Problem(table=FIVE.table, policy=Policy([KCAnonymity(k=2)], max_suppressed=1))
    with pytest.raises(InputError, match="leaves tuples out"):
        minimality(hiding, hiding.assemble([[0, 1, 2, 4]]))
    nobody = Problem(table=FIVE.table, policy=Policy([KCAnonymity(k=2, c=F(1, 5))]))
    assert solve_problem(nobody, randomize=1).status is Status.INFEASIBLE


def test_command_line(tmp_path: Path) -> None:
    FIVE.table.frame.to_csv(tmp_path / "five.csv", index=False)
    problem = {
        "table": "five.csv",
        "respondent": "id",
        "quasi_identifiers": {"x": "numeric"},
        "sensitive": "value",
        "policy": {"requirements": [{"k_c_anonymity": {"k": 2, "c": "1/2"}}]},
    }
    (tmp_path / "five.yaml").write_text(yaml.safe_dump(problem))
    done = run("solve", "five.yaml", "--randomize", "1/2", "--seed", "3", "-q", "--steward", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "drawn among" in done.stdout
    assert "beta = 1/2" in done.stdout
    record = json.loads((tmp_path / "five.result.json").read_text())
    assert record["randomized"]["beta"] == "1/2"
    assert record["certificate"]["run"]["seed"] is None
    checked = run("verify", "five.result.json", "-p", "five.yaml", "-r", "five.steward.csv", folder=tmp_path)
    assert checked.returncode == 0, checked.stderr
