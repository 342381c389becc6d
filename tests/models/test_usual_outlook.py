"""The usual outlook: who gets it unasked, how it is refused, what it is said to cost, what is certified."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from optanon import (
    CertificateError,
    HcSafety,
    History,
    KCAnonymity,
    Microdata,
    Outlook,
    Policy,
    PolicyError,
    Problem,
    WeakMInvariance,
    solve_problem,
    verify,
)
from optanon.instances.generators import generated_roles, uniform_table
from optanon.instances.series_draft import Continued, series_lines
from optanon.instances.usual_policy import SensitiveCounts
from optanon.models.exact_numbers import show_number
from optanon.models.outlook.foreseen import mean, nine_in_ten

LEVELS = ["counterfeits", "information_loss"]
SAFE = [WeakMInvariance(m=3), HcSafety(n=2)]


def table(tuples: int) -> Microdata:
    return generated_roles(values=6).table(uniform_table(tuples, seed=1, values=6))


@pytest.fixture
def store(tmp_path: Path) -> History:
    return History.open(tmp_path / "releases.db")


def test_a_stored_series_looks_ahead_unless_it_says_none(store: History):
    asked = Problem(table=table(100), policy=Policy(SAFE, LEVELS), history=store)
    assert asked.policy.outlook == Outlook()
    assert [level.name for level in asked.policy.levels] == [LEVELS[0], "expected_counterfeits", LEVELS[1]]
    none = Problem(table=table(100), policy=Policy(SAFE, LEVELS, outlook="none"), history=store)
    assert none.policy.outlook is None
    assert replace(none, table=table(120)).policy.outlook is None
    assert replace(asked, history=store.before(0)).policy.outlook == Outlook()
    own = Policy(SAFE, LEVELS, outlook=Outlook(releases=2))
    assert Problem(table=table(100), policy=own, history=store).policy.outlook == Outlook(releases=2)


@pytest.mark.parametrize(
    ("rows", "requirements", "settings"),
    [
        (99, SAFE, {}),
        (100, [KCAnonymity(k=3)], {"minimize": ["counterfeits", "information_loss"]}),
        (100, [*SAFE, KCAnonymity(k=5)], {}),
        (100, SAFE, {"max_suppressed": 1}),
        (100, SAFE, {"max_counterfeits": 3}),
        (100, SAFE, {"form": "anatomized"}),
        (100, SAFE, {"minimize": ["information_loss"]}),
        (100, SAFE, {"minimize": ["counterfeits", "discernibility"]}),
    ],
)
def test_where_it_is_of_no_use_nobody_gets_it(
    store: History, rows: int, requirements: list[Any], settings: dict[str, Any]
):
    given: dict[str, Any] = {"minimize": LEVELS} | settings
    policy = Policy(requirements, **given)
    assert Problem(table=table(rows), policy=policy, history=store).policy == policy


def test_a_history_in_memory_gets_none():
    assert Problem(table=table(100), policy=Policy(SAFE, LEVELS)).policy.outlook is None


def test_none_and_a_level_of_it_contradict_each_other():
    with pytest.raises(PolicyError, match="priced by an outlook"):
        Policy(SAFE, ["counterfeits", "expected_counterfeits", "information_loss"], outlook="none")
    with pytest.raises(PolicyError, match="outlook must be"):
        Policy(SAFE, LEVELS, outlook="soon")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("said", [None, "none", "usual", Outlook(releases=3)])
def test_a_changed_policy_says_the_same_of_its_outlook(said: Any):
    policy = Policy(SAFE, LEVELS, outlook=said)
    changed = policy.changed(max_counterfeits=7)
    assert (changed.outlook, changed.outlook_said) == (policy.outlook, policy.outlook_said)
    alone = policy.by_itself()
    assert (alone.outlook, alone.outlook_said) == (None, True)
    assert [level.name for level in alone.levels] == LEVELS


def test_a_certificate_is_about_the_outlook_it_was_made_with():
    """A policy that says nothing stands for both; one that says what it wants for nothing else."""
    here = table(12)
    plain, usual = Policy(SAFE, LEVELS), Policy(SAFE, LEVELS, outlook="usual")
    ahead = solve_problem(Problem(table=here, policy=usual), display=False)
    alone = solve_problem(Problem(table=here, policy=plain), display=False)
    for result in (ahead, alone):
        assert result.certificate is not None
        for policy in (plain, usual):
            verify(result.certificate, Problem(table=here, policy=policy), result.release)
    none, other = plain.by_itself(), Policy(SAFE, LEVELS, outlook=Outlook(releases=4))
    assert ahead.certificate is not None
    for policy in (none, other):
        with pytest.raises(CertificateError, match="another policy"):
            verify(ahead.certificate, Problem(table=here, policy=policy), ahead.release)

    # Its table of prices is kept, and drawn again.
    problem, certificate = Problem(table=here, policy=usual), ahead.certificate
    kept = certificate.prices
    assert kept is not None
    assert problem.prices is not None
    assert kept.totals == problem.prices.totals
    assert alone.certificate is not None
    assert alone.certificate.prices is None
    size, row = kept.totals[0]
    forged = kept.model_copy(update={"totals": ((size, (row[0] + 1, *row[1:])), *kept.totals[1:])})
    with pytest.raises(CertificateError, match="table of prices"):
        verify(certificate.model_copy(update={"prices": forged}), problem, ahead.release)
    verify(certificate.model_copy(update={"prices": None}), problem, ahead.release)

    # What it costs is said, in figures that are those of two releases.
    assert ahead.summary is not None
    told = dict(ahead.summary.lines)["outlook"]
    assert ahead.release is not None
    priced = problem.prices.release(ahead.release)
    assert ahead.objective[1] == max(problem.allowed, priced)
    foreseen = problem.foreseen(ahead.release)
    assert foreseen is not None
    low, high = nine_in_ten(problem.lives(ahead.release)) or (0, 0)
    spread = f"{low} to {high} in nine of ten drawn lives"
    soon = problem.lives(ahead.release, 1)
    first = f"{show_number(mean(soon))} of these in the next one"
    said = f"are expected to need {show_number(foreseen)} counterfeits, {first} (by a model), {spread}"
    assert said in told
    assert kept.foreseen == foreseen
    forged = kept.model_copy(update={"foreseen": foreseen + 1})
    with pytest.raises(CertificateError, match="foreseen"):
        verify(certificate.model_copy(update={"prices": forged}), problem, ahead.release)
    older = kept.model_copy(update={"foreseen": None})
    verify(certificate.model_copy(update={"prices": older}), problem, ahead.release)
    assert alone.release is not None
    loss, expected = alone.objective[1], problem.objective(alone.release)[1]
    assert expected >= ahead.objective[1]
    assert alone.objective[1] <= ahead.objective[2]
    assert f"priced at {show_number(priced)} instead of {show_number(expected)};" in told
    assert f"instead of {show_number(loss)} now" in told
    assert alone.summary is not None
    assert "outlook" not in dict(alone.summary.lines)


def test_the_next_problem_file_of_a_series_keeps_its_outlook():
    policy = Policy(SAFE, LEVELS, outlook=Outlook(releases=3, draws=20))
    before = json.loads(json.dumps(policy.content))
    lines = series_lines(
        Continued(store="x.db", releases=1, policy=before),
        SensitiveCounts(columns={}, combined={"a": 3, "b": 4, "c": 2}),
        None,
    )
    text = yaml.safe_load("\n".join(lines))["policy"]
    assert text["outlook"] == policy.content["outlook"]
    assert text["minimize"] == ["counterfeits", "expected_counterfeits", "information_loss"]
