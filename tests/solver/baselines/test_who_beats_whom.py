"""The docs say which registered heuristics are beaten by registered simpler ones on their own ground."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pandas as pd
import pytest

import optanon
from optanon.bench.byun import Byun
from optanon.instances.adult import adult
from optanon.instances.dataset_files import present
from optanon.instances.generators import clustered_table, generated_roles, series
from optanon.instances.roles import Roles
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import HcSafety, KCAnonymity, WeakMInvariance
from optanon.solver.baselines.pace import Extent
from optanon.solver.baselines.registry import baselines

DOCS = Path(optanon.__file__).parent / "docs" / "baselines.md"
EXTENT = Extent(tuples=4000, attributes=7, points=2500, least=5, vectors=2000)
"""Simpler is what the registry expects to take no longer for so many people."""
SERIES = ("checked", "merge", "joined")
NO_PEERS = {
    "m_invariance": "nothing else promises m-invariance alone",
    "incognito_static": "nothing else is full-domain without a history",
    "anatomy": "nothing else promises distinct values alone",
    "safe_correlation": "nothing else promises safe correlations",
    "constant_ratio": "a rule of its own",
    "geometric": "a rule of its own",
}


def said() -> set[tuple[str, str]]:
    """Pairs (beaten, by whom) of the table of the documentation."""
    text = DOCS.read_text("utf-8").split("## Who beats whom\n")[1].split("\n## ")[0]
    names = re.compile(r"`(\w+)`")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    return {(one, other) for row in rows for one in names.findall(row[1]) for other in names.findall(row[2])}


def losses_of(
    names: Sequence[str], tables: Sequence[pd.DataFrame], roles: Roles, policy: Policy
) -> Mapping[str, tuple[Fraction, ...]]:
    """What the last release of each one's own series loses."""
    found: dict[str, tuple[Fraction, ...]] = {}
    for name in names:
        history = History()
        for frame in tables:
            problem = Problem(table=roles.table(frame), policy=policy, history=history)
            release = baselines()[name].run(problem, 0)
            history.append(release)
            found[name] = problem.objective(release)
    return found


def beaten(found: Mapping[str, tuple[Fraction, ...]]) -> set[tuple[str, str]]:
    seconds = {name: baselines()[name].pace.seconds(EXTENT) for name in found}
    return {
        (one, other)
        for one, other in permutations(found, 2)
        if seconds[other] <= seconds[one] and found[other] < found[one]
    }


def one_release() -> Mapping[str, tuple[Fraction, ...]]:
    frame, roles = adult()
    names = [
        b.name
        for b in baselines().values()
        if b.promises == ("k_c_anonymity",) and not b.full_domain and not b.looks_back
    ]
    assert len(names) > 6
    return losses_of(names, [frame.head(2000)], roles, Policy([KCAnonymity(k=5)]))


def growing_table() -> Mapping[str, tuple[Fraction, ...]]:
    frame, roles, _ = Byun(releases=1, first=900).population()
    policy = Policy([KCAnonymity(k=5, c=Fraction(7, 10))])
    return losses_of([f"mondrian_{v}" for v in SERIES], [frame.head(600), frame], roles, policy)


def growing_levels() -> Mapping[str, tuple[Fraction, ...]]:
    frame, roles, levels = Byun(source="generated", releases=1, first=90).population()
    policy = Policy([KCAnonymity(k=3, c=Fraction(7, 10))], recoding="full_domain", hierarchies=levels)
    return losses_of([f"incognito_{v}" for v in SERIES], [frame.head(60), frame], roles, policy)


def people_who_return() -> Mapping[str, tuple[Fraction, ...]]:
    population = clustered_table(600, seed=0, values=6, categorical=1)
    policy = Policy([WeakMInvariance(m=3), HcSafety(n=2)], ["counterfeits", "information_loss"])
    tables = series(population, first=200, releases=3, insertions=66, deletions=66)
    return losses_of(["cor_split", "cor_split_halving"], tables, generated_roles(values=6), policy)


@pytest.mark.data
@pytest.mark.skipif(present("adult/adult.data") is None, reason="Adult is not on this machine")
@pytest.mark.skipif(present("adult/arx_adult.csv") is None, reason="Adult is not on this machine")
def test_no_heuristic_is_beaten_by_a_simpler_one_unless_the_docs_say_so() -> None:
    grounds = [one_release(), growing_table(), growing_levels(), people_who_return()]
    compared = {name for found in grounds for name in found}
    assert compared.isdisjoint(NO_PEERS)
    assert compared | set(NO_PEERS) == set(baselines()), "a heuristic without a ground: give it one"
    found = set[tuple[str, str]]().union(*map(beaten, grounds))
    assert found <= said(), f"the docs do not say {sorted(found - said())}"
    assert {name for pair in said() for name in pair} <= set(baselines())
    assert len(said() - found) <= 2, f"not so here: {sorted(said() - found)}"
