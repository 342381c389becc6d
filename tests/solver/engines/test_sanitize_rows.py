"""Several quasi-identifiers sanitized together (Def. 7): fewest hidden cells, against enumeration."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from clocks import Asked

from optanon.models.antecedents import combination, shown
from optanon.models.correlation import PairCounts, PreSuppression
from optanon.models.encoding import Encoding
from optanon.models.errors import EngineError, PolicyError, ReleaseError
from optanon.models.exposure import uniform_shares
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup, Release
from optanon.models.requirements.safe_correlation import SafeCorrelation
from optanon.models.table import Member, Microdata
from optanon.models.world_shares import WorldShares
from optanon.solver.engines import sanitize_rows
from optanon.solver.engines.sanitize import sanitize
from optanon.solver.engines.sanitize_rows import CombinedCells
from optanon.solver.settings import Clock

Plans = dict[tuple[int, ...], dict[str, PreSuppression]]


def drawn(random: Random) -> Release:
    groups: list[QIGroup] = []
    for j in range(2):
        values = random.sample("abc", 2 + j)
        groups.append(
            QIGroup(
                members=tuple(
                    Member(f"{j}{i}", (random.choice("uuv"), random.choice("xy")), value)
                    for i, value in enumerate(values)
                )
            )
        )
    return Release(groups=tuple(groups), attributes=("q", "r"), sensitive="s", form="anatomized")


def hidings(group: QIGroup) -> list[QIGroup]:
    """The group with every choice of how many of its equal values are hidden."""
    cells = sorted({(a, str(m.point[a])) for m in group.members for a in (0, 1)})
    most = [sum(str(m.point[a]) == v for m in group.members) for a, v in cells]
    return [
        replace(group, hidden=tuple((a, v, n) for (a, v), n in zip(cells, chosen, strict=True) if n))
        for chosen in product(*(range(n + 1) for n in most))
    ]


def is_safe(release: Release, r: SafeCorrelation, plans: Plans) -> bool:
    """From the definition, with the fixpoint taken from the requirement (tested on its own)."""
    for subset in ((0,), (1,), (0, 1)):
        known = PairCounts.count(release.members, subset)
        shares = uniform_shares if r.shares == "uniform" else WorldShares(counts=known, attributes=subset)
        for value, plan in plans[subset].items():
            estimates, kept = dict.fromkeys(plan.significant, Fraction(0)), 0
            for group in release.groups:
                bearers = [m for m in group.members if combination(m.point, subset) == value]
                there = shown(group, subset)[value]
                if there > sum(m.value not in plan.hidden for m in bearers):
                    return False
                kept += there
                for k in estimates if there else ():
                    estimates[k] += there * shares(group, value).get(k, Fraction(0))
            if estimates and (
                max(estimates.values()) - min(estimates.values()) > r.epsilon
                or r.l * max(estimates.values()) > kept
            ):
                return False
    return True


@pytest.mark.parametrize("shares", ["uniform", "worlds"])
def test_fewest_cells_of_two_attributes_are_hidden(shares: str) -> None:
    random, between = Random(11), 0
    for _ in range(6):
        release = drawn(random)
        low, high = sorted(Fraction(random.randint(1, 5), 6) for _ in range(2))
        r = SafeCorrelation(
            attribute=("q", "r"),
            l=2,
            min_confidence=low,
            max_confidence=high,
            epsilon=Fraction(random.randint(0, 3), 3),
            shares=shares,  # pyright: ignore[reportArgumentType]
        )
        best, plans = len(release.members) * 2, r.plans(release.members, (0, 1))
        for groups in product(*map(hidings, release.groups)):
            tried = replace(release, groups=groups)
            safe = is_safe(tried, r, plans)
            if random.random() < 0.1:
                assert safe == (next(r.check(tried, History()), None) is None)
            if safe:
                best = min(best, tried.hidden_cells)
        done = sanitize(release, r)
        assert next(r.check(done.release, History()), None) is None
        assert (done.release.hidden_cells, done.least_hidden) == (best, best)
        assert done.is_optimal
        between += 0 < best < len(release.members) * 2
    assert between > 1


RULE: dict[str, Any] = {"l": 2, "min_confidence": 0, "max_confidence": 1}


def correlated() -> Release:
    """u goes with a and b alike, x does, too; but u and x together always mean a."""
    pairs = [("u", "x", "a"), ("u", "y", "b"), ("v", "x", "b"), ("v", "y", "a")]
    groups = [
        QIGroup(
            members=(Member(f"{i}1", pairs[i][:2], pairs[i][2]), Member(f"{i}2", pairs[j][:2], pairs[j][2]))
        )
        for i, j in ((0, 1), (2, 3))
    ]
    return Release(groups=tuple(groups), attributes=("q", "r"), sensitive="s", form="anatomized")


def test_single_attributes_may_be_safe_where_their_combination_is_not() -> None:
    alone = [SafeCorrelation(attribute=name, **RULE) for name in ("q", "r")]
    both = SafeCorrelation(attribute=("q", "r"), **RULE)
    release = correlated()
    assert not [found for r in alone for found in r.check(release, History())]
    found = list(both.check(release, History()))
    assert len(found) == 4
    assert all("q and r" in violation.message for violation in found)
    done = sanitize(release, both)
    # One cell of each row is enough: no row shows both.
    assert (done.release.hidden_cells, done.least_hidden) == (4, 4)


def test_without_time_for_combinations_one_attribute_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    both, release = SafeCorrelation(attribute=("q", "r"), **RULE), correlated()

    def stopped(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(found=False, bound=None)

    monkeypatch.setattr(sanitize_rows, "solved", stopped)
    done = sanitize(release, both)
    # The other attribute is hidden; it was all eight cells.
    assert (done.release.hidden_cells, done.least_hidden) == (4, 0)
    assert next(both.check(done.release, History()), None) is None
    rows = CombinedCells(release=release, positions=(0, 1), by_subset=both.by_subset(release))
    everything_of_r = {(j, row, 1) for j in (0, 1) for row in (0, 1)}
    assert rows.only(0, {"u": ((0,), (1,))}) == everything_of_r | {(0, 0, 0)}


def test_a_program_that_is_not_written_in_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    both, release = SafeCorrelation(attribute=("q", "r"), **RULE), correlated()
    solved, calls = sanitize_rows.solved, list[int]()

    def counted(*args: Any, **options: Any) -> object:
        calls.append(1)
        return solved(*args, **options)

    monkeypatch.setattr(sanitize_rows, "solved", counted)
    asked = Asked(10**6)
    whole = sanitize(release, both, clock=Clock(stop=asked))
    assert (whole.is_optimal, len(calls)) == (True, 1)
    hidden = set[int]()
    for last in range(4, asked.times, 3):
        done = sanitize(release, both, clock=Clock(stop=Asked(last)))
        assert next(both.check(done.release, History()), None) is None
        hidden.add(done.release.hidden_cells)
    assert max(hidden) == 8, "nothing was tried: all is hidden"
    assert len(calls) < 4, "programs that are not written are not solved"


def test_one_name_in_a_list_is_one_attribute_and_uniform_shares_are_no_new_setting() -> None:
    one = SafeCorrelation(attribute=("q",), **RULE)
    assert one == SafeCorrelation(attribute="q", **RULE)
    assert "shares" not in one.settings()
    several = SafeCorrelation(attribute=("q", "r"), shares="worlds", **RULE)
    assert SafeCorrelation(**several.settings()) == several


def test_refusals() -> None:
    with pytest.raises(PolicyError, match="several different"):
        SafeCorrelation(attribute=("q", "q"), **RULE)
    with pytest.raises(PolicyError, match="several different"):
        SafeCorrelation(attribute=(), **RULE)
    with pytest.raises(PolicyError, match="shares"):
        SafeCorrelation(attribute="q", shares="wong", **RULE)  # pyright: ignore[reportArgumentType]
    both = SafeCorrelation(attribute=("q", "r"), **RULE)
    first, second = correlated().groups
    hiding = replace(correlated(), groups=(replace(first, hidden=((1, "x", 1),)), second))
    with pytest.raises(ReleaseError, match="cells of 'r' are hidden already"):
        sanitize(hiding, both)
    many = pd.concat([_frame().assign(id=lambda f, i=i: f["id"] + f"-{i}") for i in range(11)])
    table = Microdata.from_frame(
        many, respondent="id", quasi_identifiers={"q": "flat", "r": "flat"}, sensitive="s"
    )
    problem = Problem(table=table, policy=Policy([both], ["hidden_cells"], form="anatomized"))
    with pytest.raises(EngineError, match="44 tuples are too many for a model of combinations"):
        both.encode(Encoding(problem))


def _frame() -> pd.DataFrame:
    people = [member for group in correlated().groups for member in group.members]
    return pd.DataFrame([(m.respondent, *m.point, m.value) for m in people], columns=["id", "q", "r", "s"])
