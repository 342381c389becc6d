"""What each baseline's source promises, on 120 small random series each; what fails, as shipped instances.

Every series has two or three releases. A series counts once the baseline has published something
after its first release (static ones: anything), so refusals do not fill up the 120.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from cases.baselines import HALF, SETTINGS, THIRDS, population, published

from optanon import audit
from optanon.instances import catalog
from optanon.instances.release_files import read_release
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import (
    Difference,
    DistinctLDiversity,
    Geometric,
    GlobalGuarantee,
    HcSafetyDeep,
    Intersection,
    KCAnonymity,
    RecordTracing,
    SafeCorrelation,
    registered,
)
from optanon.solver.baselines.registry import baselines

SERIES = 60


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_promises_hold_on_random_series(name: str):
    setting, baseline = SETTINGS[name], baselines()[name]
    counted = 0
    for seed in range(20 * SERIES):
        found = published(name, setting, seed)
        if len(found) < (1 if setting.single else 2):
            continue
        counted += 1
        for problem, release in found:
            promised = baseline.promised(problem)
            assert {one.name for one in promised} >= set(baseline.promises)
            for requirement in promised:
                assert list(requirement.check(release, problem.history)) == []
        if setting.posterior is not None and counted % 4 == 0:
            last = found[-1][0]
            worst = audit(History([release for _, release in found])).releases[-1].persistent
            assert worst is not None
            assert worst.worst is not None
            assert worst.worst <= setting.posterior(last)
        if counted == SERIES:
            break
    assert counted == SERIES


def test_every_baseline_says_what_its_source_promises():
    assert set(SETTINGS) == set(baselines())
    for baseline in baselines().values():
        assert set(baseline.promises) <= set(registered())


def test_promises_take_the_parameters_the_policy_gives():
    setting = SETTINGS["mondrian_checked"]
    table = population(setting.values, setting.transient, 0)
    own = Difference(k=4, c=HALF)
    problem = Problem(table=table, policy=Policy([KCAnonymity(k=2, c=THIRDS), own]))
    assert baselines()["mondrian_checked"].promised(problem) == (
        KCAnonymity(k=2, c=THIRDS),
        own,
        Intersection(c=THIRDS),
        RecordTracing(k=2),
    )
    problem = Problem(table=table, policy=Policy([DistinctLDiversity(l=2)]))
    assert baselines()["anatomy"].promised(problem)[1] == KCAnonymity(k=2, c=HALF)
    transient = replace(table, sensitive=replace(table.sensitive, persistence="transient"))
    asked = Geometric(l=2, protected_values=["s1"])
    problem = Problem(table=transient, policy=Policy([asked]))
    guarantee = GlobalGuarantee(l=2, protected_values=["s1"])
    assert baselines()["geometric"].promised(problem) == (asked, guarantee)


# -- claims that fail: the counter-examples are releases of the baselines themselves ------------------


def shipped(instance: str, problem: str, release: str) -> tuple[Problem, Release]:
    asked = catalog.load(instance, problem)
    return asked, read_release(catalog.path(instance) / release, asked.table)


def test_cor_split_does_not_protect_unions_of_groups():
    problem, release = shipped("cor-split-union", "release-2.yaml", "release-2.steward.csv")
    baseline = baselines()["cor_split"]
    assert baseline.run(problem, 0) == release
    for requirement in baseline.promised(problem):
        assert list(requirement.check(release, problem.history)) == []
    (found,) = list(HcSafetyDeep(n=2).check(release, problem.history))[:1]
    assert set(found.respondents) == {"p4", "p5"}
    # The first release is its own, too.
    members = problem.history[0].members
    codes = problem.table.domains[0].encode([member.point[0] for member in members])
    table = replace(problem.table, members=members, codes=codes.reshape(-1, 1))
    first = baseline.run(Problem(table=table, policy=problem.policy), 0)
    assert {group.respondents for group in first.groups} == {frozenset({"p1", "p2"}), frozenset({"p3", "p4"})}


@pytest.mark.parametrize(("problem", "release"), [("release-1", "release-1"), ("release-2", "release-2")])
def test_the_three_checks_do_not_keep_values_apart(problem: str, release: str):
    asked, made = shipped("three-checks", f"{problem}.yaml", f"{release}.steward.csv")
    baseline = baselines()["mondrian_checked"]
    assert baseline.run(asked, 0) == made
    for requirement in baseline.promised(asked):
        assert list(requirement.check(made, asked.history)) == []


def test_one_pass_is_not_enough_to_sanitize():
    problem, once = shipped("one-pass", "safe-correlation.yaml", "one-pass.steward.csv")
    _, repeated = shipped("one-pass", "safe-correlation.yaml", "fixpoint.steward.csv")
    (requirement,) = (r for r in problem.policy.requirements if isinstance(r, SafeCorrelation))
    assert list(requirement.check(once, problem.history))
    assert list(requirement.check(repeated, problem.history)) == []
    made = baselines()["safe_correlation"].run(problem, 0)
    assert made.hidden_cells == repeated.hidden_cells == 5
