"""What a report is made from: plain values that JSON can hold, no respondent, nobody's value.

They hold totals only: what is published, counts, losses, distributions of single columns. Distributions of
the original columns are the steward's: facts are not for publication. They are made anew for every report,
never read from a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from inspect import getdoc
from math import lcm
from typing import Any, TypedDict

from ....models.adversary.knowledge import Knowledge
from ....models.categories import Categories, Ordered
from ....models.domain import Domain
from ....models.history import History
from ....models.numeric import Numeric
from ....models.policy import Policy
from ....models.problem import Problem
from ....models.release import QIGroup, Release
from ....models.requirement import Requirement
from ...column_summary import columns_of
from ...terms import term_of
from ..audit.attacks import usual_attacks
from ..audit.audit import AuditReport, audit
from .sentences import Risk, promise_in_words
from .spread import Spread, spread

__all__ = ["AUDIT_SECONDS", "Facts", "GroupFacts", "Risk", "SeriesFacts", "facts"]

AUDIT_SECONDS = 5.0
"""Time for auditing the series with the new release."""
MOST_GROUPS = 400
"""Groups written down; more are counted only."""


class GroupFacts(TypedDict):
    """One published QI-group: its cells (empty if anatomized), values, size and number of counterfeits."""

    cells: list[str]
    values: dict[str, int]
    size: int
    counterfeits: int


class SeriesFacts(TypedDict):
    """One release of the series, the new one last."""

    release: int
    tuples: int
    groups: int
    counterfeits: int
    suppressed: int


class Facts(TypedDict):
    """See the module; `loss_by_attribute` holds rationals as text, `loss_per_tuple` counts of tuples."""

    release: int
    form: str
    tuples: int
    attributes: list[dict[str, str]]
    sensitive: str
    persistence: str
    requirements: list[dict[str, Any]]
    series_checked: bool | None
    limits: dict[str, str]
    groups: list[GroupFacts]
    group_count: int
    group_sizes: dict[str, int]
    loss_by_attribute: dict[str, str]
    loss_per_tuple: list[tuple[str, int]]
    spreads: list[Spread]
    series: list[SeriesFacts]
    risks: list[Risk]
    untried: list[list[str]]
    thresholds: list[dict[str, Any]]
    risks_complete: bool


def facts(problem: Problem, release: Release) -> Facts:
    """Gather the facts of a release.

    Parameters
    ----------
    problem : Problem
        As solved.
    release : Release
        What its audit has not decided after `AUDIT_SECONDS` is said.
    """
    table, policy = problem.table, problem.policy
    broken = Counter(violation.requirement for violation in problem.check(release))
    report = audit(
        History((*problem.history, release)),
        Knowledge(persistence=table.sensitive.persistence),
        time_limit=AUDIT_SECONDS,
        explain=False,
        attacks=_attacks(problem),
    )
    return Facts(
        release=len(problem.history) + 1,
        form=release.form,
        tuples=len(table),
        attributes=[{"name": domain.name, "kind": _kind(domain)} for domain in table.domains],
        sensitive=table.sensitive.name,
        persistence=table.sensitive.persistence,
        requirements=[_requirement(r, broken[r.name]) for r in policy.requirements],
        series_checked=problem.series_checked,
        limits=_limits(policy, len(table)),
        groups=[_group(group) for group in release.groups[:MOST_GROUPS]],
        group_count=len(release.groups),
        group_sizes=_counted(group.size for group in release.groups),
        loss_by_attribute={
            column.name: str(column.lost * len(table)) for column in columns_of(release, table.domains)
        },
        loss_per_tuple=_loss_per_tuple(release, table.domains),
        spreads=[spread(domain, a, release) for a, domain in enumerate(table.domains)],
        series=[_series(n, r) for n, r in enumerate((*problem.history, release), start=1)],
        risks=_risks(report),
        untried=[
            [attack.requirement, str(attack.reason)]
            for attack in report.releases[-1].attacks
            if attack.at_risk is None
        ],
        thresholds=[{"text": str(attack), "parameters": _parameters(attack)} for attack in _attacks(problem)],
        risks_complete=report.complete,
    )


def _requirement(requirement: Requirement, violations: int) -> dict[str, Any]:
    """What it asks, in words and numbers, and how often it is broken."""
    return {
        "name": requirement.name,
        "text": str(requirement),
        "meaning": (getdoc(type(requirement)) or "").partition("\n\n")[0].replace("`", ""),
        "promise": promise_in_words(requirement),
        "parameters": _parameters(requirement),
        "reference": requirement.reference,
        "scope": requirement.scope.value,
        "looks_back": requirement.structure().looks_back,
        "violations": violations,
    }


def _limits(policy: Policy, tuples: int) -> dict[str, str]:
    """What the policy allows besides its requirements, in words."""
    fakes = policy.counterfeit_limit
    said = {
        "rows left out, at most": str(policy.suppression_limit(tuples)),
        "rows invented, at most": "any number" if fakes is None else str(fakes),
        "recoding": policy.recoding.replace("_", "-"),
        "published": policy.form,
    }
    weights = ", ".join(f"{name} {weight}" for name, weight in policy.weights)
    return said | ({"weights": weights} if weights else {})


def _parameters(requirement: Requirement) -> list[dict[str, str]]:
    """Each with its value and what it means."""
    return [
        {
            "name": parameter.name,
            "value": str(getattr(requirement, parameter.name)),
            "meaning": parameter.help.replace("`", ""),
        }
        for parameter in term_of(type(requirement)).parameters
        if getattr(requirement, parameter.name) is not None
    ]


def _kind(domain: Domain) -> str:
    if isinstance(domain, Numeric):
        return "numbers, published as intervals"
    if isinstance(domain, Ordered):
        return "ordered categories, published as ranges"
    flat = isinstance(domain, Categories) and domain.hierarchy.height <= 1
    return "categories, published or left out" if flat else "categories under a hierarchy"


def _group(group: QIGroup) -> GroupFacts:
    return GroupFacts(
        cells=[str(cell) for cell in group.box or ()],
        values=dict(sorted(group.histogram.items())),
        size=group.size,
        counterfeits=group.fakes,
    )


def _counted(sizes: Iterable[int]) -> dict[str, int]:
    return {str(size): count for size, count in sorted(Counter(sizes).items())}


def _loss_per_tuple(release: Release, domains: Sequence[Domain]) -> list[tuple[str, int]]:
    """Each loss that occurs, and how many tuples have it."""
    unit = lcm(*(domain.span for domain in domains))
    found: Counter[int | Fraction] = Counter()
    known: dict[int, int | Fraction] = {}  # cells are few, and shared
    for group in release.groups:
        wide: int | Fraction = 0
        for domain, cell in zip(domains, group.box or (), strict=False):
            if id(cell) not in known:
                exact = domain.width(cell) * unit
                known[id(cell)] = exact.numerator if exact.denominator == 1 else exact
            wide += known[id(cell)]
        found[wide] += len(group.members)
    if release.suppressed:
        found[unit * len(domains)] += len(release.suppressed)
    return [(str(Fraction(loss, unit)), count) for loss, count in sorted(found.items())]


def _series(number: int, release: Release) -> SeriesFacts:
    return SeriesFacts(
        release=number,
        tuples=sum(group.size for group in release.groups),
        groups=len(release.groups),
        counterfeits=release.counterfeits,
        suppressed=len(release.suppressed),
    )


def _attacks(problem: Problem) -> list[Requirement]:
    """The named attacks, with the policy's own thresholds where it has them."""
    if problem.table.sensitive.persistence == "transient":
        return []
    asked = {requirement.name: requirement for requirement in problem.policy.requirements}
    return [asked.get(attack.name, attack) for attack in usual_attacks()]


def _risks(report: AuditReport) -> list[Risk]:
    found: list[Risk] = []
    for entry in report.releases:
        found += [
            Risk(
                release=entry.release,
                attack=attack.requirement,
                at_risk=attack.at_risk,
                respondents=entry.respondents,
                undecided=0,
                worst=None,
            )
            for attack in entry.attacks
            if attack.at_risk is not None
        ]
        inferred, linked = entry.persistent, entry.transient
        if inferred is not None:
            ways = {
                "groups intersected": inferred.set_intersection,
                "groups counted": inferred.propagation,
                "everything at once": inferred.exact,
            }
            for attack, count in ways.items():
                whole = attack == "everything at once"
                found.append(
                    Risk(
                        release=entry.release,
                        attack=attack,
                        at_risk=count,
                        respondents=entry.respondents,
                        undecided=inferred.undecided if whole else 0,
                        worst=str(inferred.worst) if whole and inferred.worst is not None else None,
                    )
                )
        if linked is not None:
            found.append(
                Risk(
                    release=entry.release,
                    attack="linked at some time",
                    at_risk=linked.certain,
                    respondents=entry.respondents,
                    undecided=0,
                    worst=str(linked.worst),
                )
            )
    return found
