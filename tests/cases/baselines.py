"""Random series for every baseline, under policies that hold its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from random import Random

import pandas as pd

from optanon.models.errors import EngineError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirement import Requirement
from optanon.models.requirements import (
    ConstantRatio,
    DistinctLDiversity,
    Geometric,
    HcSafety,
    KCAnonymity,
    SafeCorrelation,
    WeakMInvariance,
)
from optanon.models.table import Microdata, Sensitive
from optanon.solver.baselines.registry import baselines

__all__ = ["HALF", "SETTINGS", "THIRDS", "Setting", "part", "policy", "published", "tables"]

HALF, THIRDS = Fraction(1, 2), Fraction(2, 3)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Policies a baseline's series alternate between, and how its tables change."""

    policies: Sequence[Sequence[Requirement]]
    first: tuple[int, int] = (4, 9)
    grows: bool = False
    transient: bool = False
    values: int = 4
    single: bool = False
    posterior: Callable[[Problem], Fraction] | None = None


def _k_c(problem: Problem) -> Fraction:
    (asked,) = (r for r in problem.policy.requirements if isinstance(r, KCAnonymity))
    return asked.c


def _one_of_m(problem: Problem) -> Fraction:
    (asked,) = (r for r in problem.policy.requirements if isinstance(r, WeakMInvariance))
    return Fraction(1, asked.m)


_SERIES = [[KCAnonymity(k=2, c=HALF)], [KCAnonymity(k=2, c=THIRDS)], [KCAnonymity(k=3, c=THIRDS)]]
_STATIC = Setting(
    policies=[[KCAnonymity(k=2)], [KCAnonymity(k=3)], [KCAnonymity(k=2, c=THIRDS)]], single=True
)
_CHECKED = Setting(policies=_SERIES, first=(3, 6), grows=True)
# "Secure from any type of inference attacks" (sec. 6.2): nobody's value is likelier than c, exactly.
_MERGED = Setting(policies=_SERIES, first=(3, 6), grows=True, posterior=_k_c)

SETTINGS: Mapping[str, Setting] = {
    "m_invariance": Setting(
        policies=[[WeakMInvariance(m=2)], [WeakMInvariance(m=3)], [WeakMInvariance(m=2, multiplicity=1)]],
        posterior=_one_of_m,
    ),
    "cor_split": Setting(
        policies=[[WeakMInvariance(m=m), HcSafety(n=n)] for m, n in ((2, 2), (3, 2), (4, 2), (4, 3))],
        first=(6, 12),
        posterior=_one_of_m,
    ),
    "cor_split_halving": Setting(
        policies=[[WeakMInvariance(m=m), HcSafety(n=n)] for m, n in ((2, 2), (3, 2), (4, 2), (4, 3))],
        first=(6, 12),
        posterior=_one_of_m,
    ),
    "mondrian_static": _STATIC,
    "mondrian_relaxed": _STATIC,
    "incognito_static": _STATIC,
    "mondrian_checked": _CHECKED,
    "incognito_checked": _CHECKED,
    "mondrian_merge": _MERGED,
    "incognito_merge": _MERGED,
    "mondrian_joined": _MERGED,
    "incognito_joined": _MERGED,
    "k_member": Setting(policies=[[KCAnonymity(k=2)], [KCAnonymity(k=4)]], single=True),
    "hilbert": _STATIC,
    "mdav": _STATIC,
    "variable_mdav": _STATIC,
    "swap_search": _STATIC,
    "anatomy": Setting(policies=[[DistinctLDiversity(l=2)], [DistinctLDiversity(l=3)]], single=True),
    "safe_correlation": Setting(
        policies=[
            [SafeCorrelation(attribute="c", l=2, min_confidence="1/4", max_confidence="2/5")],
            [SafeCorrelation(attribute="c", l=2, min_confidence="1/5", max_confidence="1/2", epsilon="1/2")],
            [SafeCorrelation(attribute="c", l=3, min_confidence="1/3", max_confidence="1/3", support="qi")],
        ],
        first=(6, 12),
        single=True,
    ),
    "constant_ratio": Setting(
        policies=[[ConstantRatio(l=Fraction(3, 2), k=2)], [ConstantRatio(l=Fraction(4, 3), k=3)]],
        first=(8, 12),
        transient=True,
        values=6,
    ),
    "geometric": Setting(
        policies=[[Geometric(l=Fraction(3, 2), a=Fraction(3))], [Geometric(l=Fraction(4, 3))]],
        first=(8, 12),
        transient=True,
        values=6,
    ),
}


PEOPLE = 24
"""In a population."""


@cache
def population(values: int, transient: bool, seed: int) -> Microdata:
    """Everybody who may be in a series; heuristics of the same setting are asked about the same people."""
    random = Random(f"population/{values}/{transient}/{seed}")
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(PEOPLE)],
            "x": [random.randint(0, 20) for _ in range(PEOPLE)],
            "c": [random.choice("uvw") for _ in range(PEOPLE)],
            "value": [f"s{random.randrange(values)}" for _ in range(PEOPLE)],
        }
    )
    return Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={"x": "numeric", "c": "flat"},
        sensitive=Sensitive(name="value", persistence="transient" if transient else "persistent"),
    )


def tables(setting: Setting, whole: Microdata, random: Random) -> list[Microdata]:
    """Two or three tables of one population: they grow, or people come, leave and return."""
    size = len(whole)
    rows = list(range(random.randint(*setting.first)))
    found = [rows]
    for _ in range(random.randint(1, 2)):
        fresh = max(rows) + 1
        rows = rows + list(range(fresh, min(size, fresh + random.randint(2, 5))))
        if not setting.grows:
            gone = set(range(max(rows) + 1)) - set(rows)
            rows = [row for row in rows if random.random() > 0.2] + [r for r in gone if random.random() < 0.3]
        found.append(sorted(rows) or [0])
    return [part(whole, rows, random if setting.transient else None) for rows in found]


def part(table: Microdata, rows: Sequence[int], random: Random | None) -> Microdata:
    members = [table.members[row] for row in rows]
    if random is not None:  # transient values change now and then
        known = sorted(table.histogram)
        members = [
            replace(member, value=random.choice(known)) if random.random() < 0.3 else member
            for member in members
        ]
    return replace(table, members=tuple(members), codes=table.codes[list(rows)])


def policy(requirements: Sequence[Requirement]) -> Policy:
    if any(isinstance(requirement, SafeCorrelation) for requirement in requirements):
        return Policy(requirements, ["hidden_cells"], form="anatomized")
    return Policy(requirements, ["counterfeits", "information_loss"])


def published(name: str, setting: Setting, seed: int) -> list[tuple[Problem, Release]]:
    """The releases of one series, up to the first refusal."""
    random = Random(f"{name}/{seed}")
    asked = policy(setting.policies[seed % len(setting.policies)])
    history, found = History(), list[tuple[Problem, Release]]()
    everybody = population(setting.values, setting.transient, seed)
    for table in tables(setting, everybody, random):
        # Each problem keeps the history of its own time.
        problem = Problem(table=table, policy=asked, history=History(list(history)))
        try:
            release = baselines()[name].run(problem, seed)
        except EngineError:
            break
        found.append((problem, release))
        history.append(release)
        if setting.single:
            break
    return found
