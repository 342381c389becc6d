"""An explanation in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....models.exact_numbers import show_count, show_number
from ...parts import COUNTERFEITS, SUPPRESSION
from ...status import Status

if TYPE_CHECKING:
    from .costs import LevelCost, PartCost
    from .findings import Conflict, Findings
    from .people import Core
    from .remedies import Change, Remedy

__all__ = ["sentences"]


def sentences(found: Findings, *, show_ids: bool = False) -> Iterator[str]:
    """Yield lines of plain text; lines that belong to the one before are indented.

    Parameters
    ----------
    found : Findings
    show_ids : bool
        Also name respondents; for the steward's own eyes only.
    """
    if found.status is Status.UNKNOWN:
        yield "It was not decided in time whether any release keeps this policy: give it more time."
    elif found.status is Status.INFEASIBLE:
        yield from _infeasible(found, show_ids)
    else:
        yield from _feasible(found)
    for note in found.notes:
        yield f"Not tried: {note}."
    if found.status is not Status.UNKNOWN:
        yield (
            "What is called proven here is the word of searches that ended: `optanon solve` derives it again "
            "without a solver, and says so."
        )


def _infeasible(found: Findings, show_ids: bool) -> Iterator[str]:
    yield "No release of this table keeps the policy; that is proven."
    if found.cap is not None:
        yield (
            f'Where counterfeits are not limited, "no release" means: none with at most {found.cap} '
            "counterfeits of one value in a group."
        )
    for number, conflict in enumerate(found.conflicts, start=1):
        yield from _conflict(conflict, f"Conflict {number} of {len(found.conflicts)}", show_ids)
    if not found.complete:
        yield "There may be more conflicts than these: not all combinations were decided."
    yield from _remedies(found)
    if found.repairs:
        yield "Dropping all of any one of these lines would work, too:"
        for repair in found.repairs:
            yield f"  - {' and '.join(part.label for part in repair)}"


def _conflict(conflict: Conflict, title: str, show_ids: bool) -> Iterator[str]:
    count = len(conflict.parts)
    if count == 1:
        yield f"{title}: this cannot be kept whatever else is asked:"
    elif conflict.minimal:
        yield f"{title}: these {count} cannot be kept together; without any one of them the others can:"
    else:
        yield f"{title}: these {count} cannot be kept together (perhaps even fewer of them cannot):"
    for part in conflict.parts:
        yield f"  - {part.label}"
    for fact in conflict.facts:
        yield f"  Why: {fact}."
    if conflict.core is not None:
        yield f"  Who: {_core(conflict.core, show_ids)}"


def _core(core: Core, show_ids: bool) -> str:
    people = len(core.respondents)
    values = ", ".join(f"{value!r} {count}" for value, count in core.values.items())
    names = f": {', '.join(core.respondents)}" if show_ids else ""
    before = f"; {core.returning} of them published before" if core.returning else ""
    if people == 1:
        return (
            f"one respondent (value {next(iter(core.values))!r}{before}) cannot be published at all{names}."
        )
    rest = "leave out any one of them and the others can" if core.minimal else "perhaps even fewer cannot"
    return (
        f"{people} respondents (values {values}{before}) cannot all be published, whoever else is left "
        f"out; {rest}{names}."
    )


def _remedies(found: Findings) -> Iterator[str]:
    single = [remedy for remedy in found.remedies if len(remedy.changes) == 1]
    pairs = [remedy for remedy in found.remedies if len(remedy.changes) == 2]
    if single:
        yield "The nearest policies that can be kept, with one thing changed:"
    elif pairs:
        yield "No single parameter helps. The nearest policies that can be kept, with two things changed:"
    else:
        yield "No policy was found that can be kept by changing one or two parameters."
    for remedy in (*single, *pairs):
        yield f"  - {_remedy(remedy, found)}"
    if found.hopeless:
        yield f"On their own these do not help, however far they are changed: {', '.join(found.hopeless)}."
    if found.unknown:
        yield f"Not decided in time whether these help: {', '.join(found.unknown)}."


def _remedy(remedy: Remedy, found: Findings) -> str:
    changes = " and ".join(_change(change, len(found.problem.table)) for change in remedy.changes)
    if not remedy.minimal:
        return f"{changes}. Perhaps less is enough: that was not decided in time."
    grids = {c.grid: c.complete for c in remedy.changes}
    tried = "; ".join(
        grid if complete else f"{grid}, values between them were not tried"
        for grid, complete in grids.items()
    )
    return f"{changes}. One step less is proven not to be enough (steps: {tried})."


def _change(change: Change, tuples: int) -> str:
    if change.part == SUPPRESSION:
        return f"allow {show_count(change.value, 'suppressed tuple')} of {tuples} instead of {change.present}"
    if change.part == COUNTERFEITS:
        return f"allow {show_count(change.value, 'counterfeit')} instead of {change.present}"
    if change.part == change.parameter:
        return f"{change.part}: {change.value} instead of {change.present}"
    if change.value is None:
        return f"{change.part}: no {change.parameter} instead of {change.present}"
    return f"{change.part}: {change.parameter} = {change.value} instead of {change.present}"


def _feasible(found: Findings) -> Iterator[str]:
    yield "The policy can be kept." + (
        " The loss below is proven to be the least."
        if found.status is Status.OPTIMAL
        else " The loss below is the least found so far."
    )
    for name, value, bound in found.losses:
        proven = (
            ""
            if bound == value
            else f" (proven: not below {show_number(bound)})"
            if bound is not None
            else ""
        )
        yield f"  {name}: {show_number(value)}{proven}"
    if found.costs:
        yield "What each part of the policy costs, found by solving without it:"
    for cost in found.costs:
        yield f"  - {cost.part.label}: {_cost(cost)}"
    if found.groups:
        yield f"The groups with the largest share of {found.groups_by}:"
    for group in found.groups:
        cells = f", {' | '.join(group.cells)}" if group.cells else ""
        fakes = f", {group.size - group.members} of them counterfeit" if group.size > group.members else ""
        yield (
            f"  - group {group.number}, {group.size} tuples{fakes}{cells}: {show_number(group.loss)}, "
            f"{float(group.share):.1%} of all"
        )


def _cost(cost: PartCost) -> str:
    if not cost.levels:
        return "not known: no release without it was found in time"
    used = "" if cost.used is None else f" ({cost.used} used)"
    if cost.binds is False:
        return f"nothing: the least loss is the same without it{used}"
    told = "; ".join(text for level in cost.levels if (text := _level(level)))
    return f"{told or 'not decided'}{used}"


def _level(level: LevelCost) -> str:
    if level.exact:
        if level.low == 0:
            return ""
        return (
            f"{show_number(level.low)} of {level.loss} ({show_number(level.present)} with it, "
            f"{show_number(level.without)} without)"
        )
    losses = f"{show_number(level.present)} with it, {show_number(level.without)} without"
    if level.low is None or level.high is None:
        return f"{level.loss} {losses} were found; the true difference is not known"
    low, high = show_number(level.low), show_number(level.high)
    return f"between {low} and {high} of {level.loss} ({losses} were found)"
