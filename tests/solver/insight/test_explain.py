"""Explanations: conflicts, cores, remedies and costs, each checked by solving again."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import oracle.brute_force as bf
import pandas as pd
import pytest
from command_line import run
from strategies import seeded

from optanon import (
    DistinctLDiversity,
    Explanation,
    Microdata,
    Outlook,
    Policy,
    PolicyError,
    Problem,
    Status,
    WeakMInvariance,
    explain,
    solve_problem,
    verify,
)
from optanon.instances import catalog
from optanon.models.requirements import KCAnonymity
from optanon.solver.insight.explain.costs import part_costs
from optanon.solver.insight.explain.people import shrunk
from optanon.solver.insight.explain.subsets import find_conflicts
from optanon.solver.insight.explain.trials import TrialOutcome, Trials
from optanon.solver.parts import SUPPRESSION, PolicyPart, feasibility, parts_of, variant
from optanon.solver.settings import Clock

FOLDER = "infeasible"
KNOWN = catalog.expected(FOLDER).explained
every_instance = pytest.mark.parametrize("known", KNOWN, ids=[entry.problem for entry in KNOWN])
F = Fraction


def problem(name: str) -> Problem:
    return catalog.load(FOLDER, name)


@cache
def explained(name: str) -> Explanation:
    return explain(problem(name), workers=1)


def solved(asked: Problem) -> Status:
    """The front door's own answer, without anything the explanation remembers."""
    found = solve_problem(feasibility(asked), workers=1)
    assert found.status is not Status.UNKNOWN
    return found.status


def with_policy(asked: Problem, policy: Policy) -> Problem:
    return Problem(table=asked.table, policy=policy, history=asked.history)


def changes(found: Explanation) -> list[dict[str, str]]:
    return [{change.name: str(change.value) for change in remedy.changes} for remedy in found.remedies]


# -- the shipped instances ---------------------------------------------------------------------


def test_there_are_at_least_ten_kinds_of_conflict():
    assert len({entry.conflicts for entry in KNOWN}) >= 10


@every_instance
def test_conflicts_are_true_minimal_and_all(known: catalog.Explained):
    asked, found = problem(known.problem), explained(known.problem)
    assert solved(asked) is Status.INFEASIBLE
    assert found.status is Status.INFEASIBLE
    assert found.complete
    assert {conflict.keys for conflict in found.conflicts} == known.conflicts
    for conflict in found.conflicts:
        assert conflict.minimal
        assert solved(variant(asked, conflict.parts)) is Status.INFEASIBLE
        for part in conflict.parts:
            rest = [other for other in conflict.parts if other is not part]
            assert solved(variant(asked, rest)) is not Status.INFEASIBLE
    # The true conflict: without one part of each the policy itself can be kept, without less it cannot.
    for repair in found.repairs:
        assert all(conflict.keys & {part.key for part in repair} for conflict in found.conflicts)
        kept = [part for part in found.parts if part not in repair]
        assert solved(variant(asked, kept)) is not Status.INFEASIBLE
        for part in repair:
            assert solved(variant(asked, [*kept, part])) is Status.INFEASIBLE


@every_instance
def test_remedies_are_feasible_and_one_step_less_is_not(known: catalog.Explained):
    asked, found = problem(known.problem), explained(known.problem)
    assert changes(found) == list(known.remedies)
    for remedy in found.remedies:
        assert remedy.minimal
        assert solved(with_policy(asked, remedy.policy)) is not Status.INFEASIBLE
        assert len(remedy.stricter) == len(remedy.changes)
        for policy in remedy.stricter:
            assert solved(with_policy(asked, policy)) is Status.INFEASIBLE
    assert not found.unknown


def oracle(asked: Problem) -> bf.Check | None:
    """The requirements of a problem as the oracle reads them; None if it has one it does not know."""
    known: dict[str, Callable[[Any], bf.Check]] = {
        "k_c_anonymity": lambda r: bf.k_c(r.k, r.c),
        "distinct_l_diversity": lambda r: bf.distinct_l_diversity(r.l),
        "t_closeness": lambda r: bf.t_closeness(r.t),
        "weak_m_invariance": lambda r: bf.weak_m_invariance(r.m, strict=r.multiplicity == 1),
        "hc_safety": lambda r: bf.hc_safety(r.n, r.reading),
        "difference": lambda r: bf.difference_safety(r.k, r.c),
        "intersection": lambda r: bf.intersection_safety(r.c, r.reading),
        "global_guarantee": lambda r: bf.global_guarantee(r.l),
    }
    requirements = asked.policy.requirements
    if asked.policy.recoding != "multidimensional" or any(r.name not in known for r in requirements):
        return None
    checks = [known[r.name](r) for r in requirements]
    return lambda release, history: all(check(release, history) for check in checks)


@every_instance
def test_the_oracle_finds_no_release_either(known: catalog.Explained):
    """Every conflict, and every policy one step short of a remedy, against all releases there are."""
    asked = problem(known.problem)
    if len(asked.table) > 6 or oracle(asked) is None:
        pytest.skip("too many tuples to enumerate, or a requirement the oracle does not know")
    people = [bf.Person(m.respondent, m.point, m.value) for m in asked.table.members]
    past = [
        bf.Release(
            tuple(
                bf.Group(tuple(bf.Person(m.respondent, m.point, m.value) for m in group.members))
                for group in release.groups
            ),
            (),
        )
        for release in asked.history
    ]
    found = explained(known.problem)
    hopeless = [variant(asked, conflict.parts) for conflict in found.conflicts]
    hopeless += [with_policy(asked, policy) for remedy in found.remedies for policy in remedy.stricter]
    for one in hopeless:
        check, limit = oracle(one), one.policy.counterfeit_limit
        assert check is not None
        # With more counterfeits, or more people left out, the oracle would take too long.
        fakes = min(1 if limit is None else limit, 0 if len(people) > 5 else 2)
        left_out = min(2, one.policy.suppression_limit(len(people)))
        for release in bf.candidate_releases(people, min(1, fakes), one.values, left_out):
            if release.groups and sum(count for g in release.groups for _, count in g.fakes) <= fakes:
                assert not check(release, past), (known.problem, release)


# -- respondents ----------------------------------------------------------------------------


def test_a_core_is_stuck_and_without_any_one_of_it_is_not():
    """Three of the six flu cannot be published beside two others; two can, with one colleague each."""
    asked = problem("frequent-value.yaml")
    (conflict,) = explain(asked, workers=1).conflicts
    core = conflict.core
    assert core is not None
    assert core.minimal
    assert core.values == {"flu": 3}
    people = {member.respondent: member for member in asked.table.members}
    others = [who for who, member in people.items() if member.value != "flu"]
    for published in range(4):  # one group is enough to look at: shares of groups bound the share of all
        flu = min(published, len(core.respondents))
        fits = any(flu <= F(1, 2) * (flu + more) for more in range(len(others) + 1))
        assert fits == (published < 3)


def test_shrunk_finds_a_minimal_set_of_any_monotone_condition():
    for seed in range(200):
        source = seeded("shrunk", seed)
        size = source(1, 9)
        causes = [
            frozenset(t for t in range(size) if source(0, 2) == 0) or frozenset({0})
            for _ in range(source(1, 4))
        ]
        asked = 0

        def stuck(rows: list[int], causes: list[frozenset[int]] = causes) -> bool:
            nonlocal asked
            asked += 1
            return any(cause <= set(rows) for cause in causes)

        rows, minimal = shrunk(list(range(size)), stuck)
        assert minimal
        assert frozenset(rows) in causes
        assert not any(cause < frozenset(rows) for cause in causes)


def test_undecided_people_stay_and_the_core_is_not_called_minimal():
    rows, minimal = shrunk([0, 1, 2], lambda rows: True if 0 in rows and 1 in rows else None)
    assert rows == [0, 1]
    assert not minimal


# -- sets of parts --------------------------------------------------------------------------------


def test_conflicts_and_repairs_against_all_subsets():
    for seed in range(150):
        source = seeded("subsets", seed)
        size = source(1, 6)
        everything = frozenset(range(size))
        causes = [frozenset(t for t in range(size) if source(0, 1)) for _ in range(source(1, 4))]
        causes = [cause for cause in causes if cause] or [everything]

        def possible(kept: frozenset[int], causes: list[frozenset[int]] = causes) -> bool:
            return not any(cause <= kept for cause in causes)

        subsets = [frozenset(c) for n in range(size + 1) for c in combinations(range(size), n)]
        bad = [one for one in subsets if not possible(one)]
        good = [one for one in subsets if possible(one)]
        found = find_conflicts(size, possible)
        assert found.complete
        assert {one for one, _ in found.conflicts} == {
            one for one in bad if not any(other < one for other in bad)
        }
        assert all(minimal for _, minimal in found.conflicts)
        assert set(found.repairs) == {
            everything - one for one in good if not any(one < other for other in good)
        }


def test_an_undecided_set_is_never_claimed():
    def possible(kept: frozenset[int]) -> bool | None:
        return None if kept == {0} else len(kept) < 2

    found = find_conflicts(2, possible)
    assert not found.complete
    assert found.conflicts == ((frozenset({0, 1}), False),)
    limited = find_conflicts(4, lambda kept: len(kept) < 2, most=2)
    assert len(limited.conflicts) == 2
    assert not limited.complete
    many = find_conflicts(20, lambda kept: not {3, 17} <= kept)
    assert many.conflicts == ((frozenset({3, 17}), True),)
    assert not many.complete


# -- what is not decided ------------------------------------------------------------------------


def test_without_time_nothing_is_claimed():
    hospital = catalog.load("hospital", "release-2.yaml")
    found = explain(hospital, time_limit=1e-9, workers=1)
    assert found.status is Status.UNKNOWN
    assert not found.conflicts
    assert not found.costs
    assert "not decided in time" in found.sentences()[0]


def test_plain_infeasibility_without_time_names_only_what_is_proven():
    asked = problem("frequent-value.yaml")  # seen at once, without a search
    found = explain(asked, time_limit=1e-9, workers=1)
    assert found.status is Status.INFEASIBLE
    assert found.searches == 0
    assert all(solved(variant(asked, one.parts)) is Status.INFEASIBLE for one in found.conflicts)
    assert not any(remedy.minimal for remedy in found.remedies if SUPPRESSION in remedy.changes[0].part)
    assert found.unknown
    assert "Not decided in time whether these help" in "\n".join(found.sentences())


@pytest.mark.parametrize("wrong", [{"time_limit": 0}, {"trial_seconds": -1.0}, {"most_conflicts": 0}])
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]):
    with pytest.raises(PolicyError, match=next(iter(wrong))):
        explain(problem("budget.yaml"), **wrong)


# -- what a policy costs ----------------------------------------------------------------------


def test_costs_of_the_second_hospital_release():
    """75/7 with both requirements, 60/7 without hc-safety (see the instance), 0 for the raw table."""
    found = explain(catalog.load("hospital", "release-2.yaml"), workers=1)
    assert found.status is Status.OPTIMAL
    assert found.losses == (("counterfeits", 0, 0), ("information_loss", F(75, 7), F(75, 7)))
    costs = {cost.part.key: cost for cost in found.costs}
    assert [level.low for level in costs["hc_safety"].levels] == [0, F(15, 7)]
    assert [level.low for level in costs["weak_m_invariance"].levels] == [0, F(75, 7)]
    assert all(level.exact for cost in found.costs for level in cost.levels)
    assert costs["hc_safety"].binds
    assert costs[SUPPRESSION].binds is False
    assert sum(group.share for group in found.groups) == 1
    assert found.groups[0].loss == F(15, 2)
    told = "\n".join(found.sentences())
    assert "2.14286 of information_loss (10.7143 with it, 8.57143 without)" in told


def test_costs_with_an_outlook_are_of_the_levels_that_are_left_without_the_part():
    """Without weak m-invariance nothing prices a signature; its cost in all other levels is 75/7, as ever."""
    asked = catalog.load("hospital", "release-2.yaml")
    found = explain(with_policy(asked, asked.policy.changed(outlook=Outlook(releases=2))), workers=1)
    names = [name for name, _, _ in found.losses]
    assert names == ["counterfeits", "expected_counterfeits", "information_loss"]
    told = {cost.part.key: cost.levels for cost in found.costs}
    assert [level.loss for level in told["weak_m_invariance"]] == ["counterfeits", "information_loss"]
    assert [level.without for level in told["weak_m_invariance"]] == [0, 0]
    assert [level.loss for level in told["hc_safety"]] == names


class Given(Trials):
    """Answers a fixed outcome to every minimization."""

    given: TrialOutcome

    def minimize(self, problem: Problem) -> TrialOutcome:
        return self.given


def test_a_cost_that_is_not_proven_is_an_interval():
    hospital = catalog.load("hospital", "release-2.yaml")
    release = solve_problem(hospital, workers=1).release
    trials = Given(hospital, clock=Clock())
    part = PolicyPart(key="hc_safety", label="hc_safety", requirement=KCAnonymity(k=2))

    def outcome(values: tuple[int, int], bounds: tuple[int | None, int | None]) -> TrialOutcome:
        proven = all(value == bound for value, bound in zip(values, bounds, strict=True))
        status = Status.OPTIMAL if proven else Status.FEASIBLE
        return TrialOutcome(
            status=status,
            release=release,
            values=(F(values[0]), F(values[1])),
            bounds=tuple(None if bound is None else F(bound) for bound in bounds),
        )

    trials.given = outcome((0, 7), (0, 5))
    (cost,) = part_costs(hospital, [part], outcome((0, 12), (0, 9)), trials)
    assert (cost.levels[1].low, cost.levels[1].high) == (2, 7)  # 9 - 7 and 12 - 5
    assert cost.binds is None
    (cost,) = part_costs(hospital, [part], outcome((2, 12), (1, 9)), trials)
    assert (cost.levels[0].low, cost.levels[0].high) == (1, 2)
    assert cost.levels[1].low is None  # the first loss is not proven, so nothing follows for the second
    (cost,) = part_costs(hospital, [part], outcome((0, 12), (0, 1)), trials)
    assert (cost.levels[1].low, cost.levels[1].high) == (0, 7)  # nothing is lost by dropping a part
    trials.given = outcome((0, 7), (0, None))
    (cost,) = part_costs(hospital, [part], outcome((0, 12), (0, 12)), trials)
    assert (cost.levels[1].low, cost.levels[1].high) == (5, None)
    trials.given = TrialOutcome(status=Status.UNKNOWN, release=None, values=(), bounds=())
    (cost,) = part_costs(hospital, [part], outcome((0, 12), (0, 12)), trials)
    assert not cost.levels
    assert cost.binds is None


# -- for people and programs ---------------------------------------------------------------------


@every_instance
def test_no_respondent_is_named_unless_asked(known: catalog.Explained):
    asked, found = problem(known.problem), explained(known.problem)
    names = {m.respondent for m in asked.table.members} | set(asked.history.records)
    told = " ".join([*found.sentences(), json.dumps(found.to_dict()), repr(found)])
    words = {word.strip("\"'.,:;()[]") for word in told.split()}
    assert not names & words
    assert "row " not in told
    cores = [conflict.core for conflict in found.conflicts if conflict.core is not None]
    shown = " ".join(found.sentences(show_ids=True))
    for core in cores:
        assert set(core.respondents) <= names
        assert all(who in shown for who in core.respondents)


def test_two_requirements_of_one_name_are_told_apart():
    asked = problem("few-values.yaml")
    policy = asked.policy.changed(requirements=[WeakMInvariance(m=2), WeakMInvariance(m=4)])
    found = explain(with_policy(asked, policy), workers=1)
    assert {part.key for part in parts_of(with_policy(asked, policy))} >= {
        "weak_m_invariance",
        "weak_m_invariance#2",
    }
    assert {conflict.keys for conflict in found.conflicts} == {frozenset({"weak_m_invariance#2"})}
    assert changes(found) == [{"weak_m_invariance#2.m": "3"}]


def test_command_line(tmp_path: Path):
    folder = catalog.path(FOLDER)
    done = run("explain", folder / "insertion.yaml", "--json", "why.json", "--workers", 1, folder=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "Conflict 1 of 1: these 3 cannot be kept together" in done.stdout
    assert "difference: k = 1 instead of 2" in done.stdout
    assert "p5" not in done.stdout
    content = json.loads((tmp_path / "why.json").read_text())
    assert content["conflicts"][0]["parts"] == ["difference", "suppression", "counterfeits"]
    assert "respondents" not in content["conflicts"][0]["core"]
    named = run("explain", folder / "insertion.yaml", "--show-ids", folder=tmp_path)
    assert "p1, p2, p3, p4, p5" in named.stdout
    fine = run("explain", catalog.path("hospital") / "release-1.yaml", folder=tmp_path)
    assert fine.returncode == 0, fine.stderr
    assert "What each part of the policy costs" in fine.stdout
    late = run("explain", catalog.path("hospital") / "release-1.yaml", "--time-limit", 1e-9, folder=tmp_path)
    assert late.returncode == 4
    wrong = run("explain", catalog.path("hospital") / "release-1.yaml", "--time-limit", -1, folder=tmp_path)
    assert wrong.returncode == 2
    assert "time_limit must be above 0" in wrong.stderr


def test_too_few_values_are_a_conflict_by_themselves_although_people_may_be_left_out():
    """No part of the table can be released either: neither recoding nor suppression has a part in it."""
    asked = catalog.load("hospital", "release-1.yaml")
    for hopeless in (DistinctLDiversity(l=30), KCAnonymity(k=2, c=F(1, 30)), WeakMInvariance(m=30)):
        policy = Policy([KCAnonymity(k=2), hopeless], minimize=["information_loss"], max_suppressed=2)
        refused = with_policy(asked, policy)
        result = solve_problem(refused, workers=1)
        assert result.status is Status.INFEASIBLE
        assert result.engine == "none needed"
        assert "needs" in str(result.reason)
        assert result.certificate is not None
        assert not verify(result.certificate, refused).trusted
        (conflict,) = explain(refused, workers=1).conflicts
        assert conflict.minimal
        assert [part.label for part in conflict.parts] == [str(hopeless)]


@pytest.mark.parametrize(
    ("counts", "facts"),
    [
        ({"flu": 4, "gout": 2, "hiv": 2, "rash": 1}, ("'flu' has 4 of 9 tuples; m = 3 allows 3",)),
        ({"flu": 2, "gout": 2}, ("the table has 2 different values; a group needs m = 3",)),
    ],
)
def test_the_reasons_of_m_invariance_are_reasons(counts: dict[str, int], facts: tuple[str, ...]):
    values = [value for value, often in counts.items() for _ in range(often)]
    frame = pd.DataFrame({"id": range(len(values)), "age": range(len(values)), "ill": values})
    table = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="ill")
    found = explain(Problem(table=table, policy=Policy([WeakMInvariance(m=3)])), workers=1)
    assert found.status is Status.INFEASIBLE
    assert {conflict.facts for conflict in found.conflicts} == {facts}
