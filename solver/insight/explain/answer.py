"""Why a policy cannot be kept and what is nearest, or what it costs: the steward's question, answered."""

from __future__ import annotations

from ....models.errors import PolicyError
from ....models.problem import Problem, require_meant
from ....models.problem_view import fake_cap
from ....models.requirement import whole
from ...parts import COUNTERFEITS, PolicyPart, nested, parts_of, variant
from ...search import default_workers
from ...settings import Clock
from ...status import Status
from .costs import expensive_groups, part_costs
from .dials import dials
from .explanation import Explanation, without_rows
from .findings import Conflict
from .people import find_core
from .remedies import find_remedies
from .subsets import find_conflicts
from .trials import Trials

__all__ = ["explain"]

_MOST_FAKES = "max_counterfeits"


def explain(
    problem: Problem,
    *,
    time_limit: float | None = 120.0,
    trial_seconds: float = 10.0,
    seed: int = 0,
    workers: int | None = None,
    most_conflicts: int = 16,
) -> Explanation:
    """Say why no release keeps a policy and which policies come closest; or what each part of it costs.

    If no release exists: every minimal set of requirements and limits that cannot be kept together; a
    smallest set of respondents that cannot all be published; per parameter the least change after
    which a release exists, proven by trying one step less (two parameters if no single one helps); and
    the smallest sets of parts to drop. If one exists: the least loss with and without each part, and the
    groups that lose most. Every claim rests on a search that ended, by its solver's word (`solve` derives
    what it says again); what remained undecided is named.

    Parameters
    ----------
    problem : Problem
    time_limit : float, optional
        Seconds of wall time for everything, above 0; None for no limit.
    trial_seconds : float
        Most seconds that one search may take, above 0.
    seed, workers : int
        As in `solve`.
    most_conflicts : int
        Stop after this many conflicts, at least 1; `Explanation.complete` says whether there may be more.

    Returns
    -------
    Explanation

    Raises
    ------
    PolicyError
        If a parameter is out of its range.

    Notes
    -----
    With p parts in the policy, at worst 2**p searches for conflicts; policies have few parts. Each
    parameter takes about log2(number of its values) searches, a set of respondents one per respondent.
    Releases found on the way answer later questions without a search.
    """
    require_meant(problem)
    _require_seconds(time_limit=time_limit, trial_seconds=trial_seconds)
    most_conflicts = whole("explain", "most_conflicts", most_conflicts, 1)
    seed = whole("explain", "seed", seed, 0)
    threads = default_workers() if workers is None else whole("explain", "workers", workers, 1)
    trials = Trials(problem, clock=Clock(time_limit), seconds=trial_seconds, seed=seed, workers=threads)
    parts = parts_of(problem)
    verdict = trials.decide(problem)
    if verdict.status is Status.INFEASIBLE:
        return _infeasible(problem, parts, trials, most_conflicts)
    if verdict.release is None:
        return Explanation(problem=problem, status=Status.UNKNOWN, parts=parts, notes=_notes(trials))
    return _feasible(problem, parts, trials)


def _require_seconds(**given: float | None) -> None:
    for name, seconds in given.items():
        if seconds is not None and not seconds > 0:
            raise PolicyError(f"explain: {name} must be above 0 seconds, got {seconds}")


def _infeasible(problem: Problem, parts: tuple[PolicyPart, ...], trials: Trials, most: int) -> Explanation:
    def possible(kept: frozenset[int]) -> bool | None:
        return trials.decide(variant(problem, [parts[i] for i in sorted(kept)])).feasible

    found = find_conflicts(len(parts), possible, most)
    conflicts = [(tuple(parts[i] for i in sorted(kept)), minimal) for kept, minimal in found.conflicts]
    involved = {part.key for kept, _ in conflicts for part in kept}
    remedies = find_remedies(
        problem, [dial for dial in dials(problem, parts) if dial.part in involved], trials
    )
    told = tuple(
        Conflict(
            parts=kept,
            minimal=minimal,
            facts=_facts(problem, kept),
            core=find_core(problem, kept, trials),
        )
        for kept, minimal in conflicts
    )
    return Explanation(
        problem=problem,
        status=Status.INFEASIBLE,
        parts=parts,
        conflicts=told,
        repairs=tuple(tuple(parts[i] for i in sorted(repair)) for repair in found.repairs),
        complete=found.complete and nested(problem),
        remedies=remedies.found,
        hopeless=remedies.hopeless,
        unknown=remedies.unknown,
        cap=_cap(problem, parts)
        if any(COUNTERFEITS not in kept.keys for kept in told) or _MOST_FAKES in remedies.hopeless
        else None,
        searches=trials.searches,
        notes=_notes(trials),
    )


def _facts(problem: Problem, kept: tuple[PolicyPart, ...]) -> tuple[str, ...]:
    asked = variant(problem, kept)
    told: list[str] = []
    for requirement in asked.policy.requirements:
        bounds = requirement.bounds(asked)
        hides = asked.policy.suppression_limit(len(asked.table)) > 0
        plain = bounds.obstacle(suppressing=hides)
        told += bounds.diagnostics or ([plain] if plain else [])
    return without_rows(told)


def _cap(problem: Problem, parts: tuple[PolicyPart, ...]) -> int | None:
    """The engine's own limit on counterfeits where the policy, or a variant of it, sets none."""
    free = variant(problem, [part for part in parts if part.key != COUNTERFEITS])
    if free.policy.counterfeit_limit is not None:
        return None
    return fake_cap(free)


def _feasible(problem: Problem, parts: tuple[PolicyPart, ...], trials: Trials) -> Explanation:
    present = trials.minimize(problem)
    if present.release is None:  # time was over at once
        return Explanation(problem=problem, status=Status.UNKNOWN, parts=parts, notes=_notes(trials))
    costs = part_costs(problem, parts, present, trials)
    groups_by, groups = expensive_groups(problem, present.release)
    levels = zip(problem.policy.levels, present.values, present.bounds, strict=True)
    return Explanation(
        problem=problem,
        status=present.status,
        parts=parts,
        losses=tuple((level.name, value, bound) for level, value, bound in levels),
        costs=costs,
        groups_by=groups_by,
        groups=groups,
        searches=trials.searches,
        notes=_notes(trials),
    )


def _notes(trials: Trials) -> tuple[str, ...]:
    return tuple(dict.fromkeys(trials.refusals))
