r"""Groups to begin with: earlier ones and newcomers by themselves, or those without the demand.

*Nested groups.* Let the groups of all releases be nested: of any two, one is within the other, or they have
nobody in common; and let there be no counterfeits. Then the series keeps the limits exactly if every cell
does by itself: the people of a group g that are in no group strictly within it.

Proof. What a group publishes is a sum over its cells. The groups strictly within g that are largest are
disjoint, so g's own cell has the counts of g less theirs: they are the same in every world. Conversely, every
arrangement of these counts among the people of each cell gives every group what it publishes. So the worlds
are the products of these arrangements, and somebody of a cell has a value with its share of the cell.

Keeping all groups and grouping newcomers by themselves makes nested groups of nested ones, whatever number of
releases, as long as nobody leaves; if the newcomers' groups keep the limits, all cells do. Who leaves is a
cell: {1..4} after {0..4} discloses 0. A leaver replaced by somebody else makes groups that cross, where all
depends on the values: one of the same value discloses nothing, one of another value discloses both. So with
leavers, and where few return, the start is the best release without the demand, annealed under a rule on the
members of each group alone (`masks`), and has to be repaired.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from .....models.problem import Problem
from .....models.release import Release
from .....models.requirement import GroupRequirement
from .....models.requirements import DistinctLDiversity, KCAnonymity, ResistsInference
from ....schedule_series import WITHSTAND
from ....settings import Clock, Settings
from ..enumerated.repair import aligned, newcomers
from ..enumerated.starts import Search, among
from .limits import WITHSTAND_LIMITS as LIMITS

__all__ = ["implied", "starts"]


def implied(rule: ResistsInference) -> list[GroupRequirement]:
    """What the rule asks of every group by itself, if it has no counterfeits.

    More, if c others may be compromised. A group of size n then leaves n - c people, and a value of m people
    is at most a share of m / (n - c); each of the c takes at most one value away. So for any k it is enough
    that n >= k, that m / n <= p (k - c) / k, and that there are c values more than are needed.
    """
    size = rule.needed + rule.compromised
    least = max(size, ceil(1 / rule.max_posterior) + rule.compromised)
    share = KCAnonymity(k=least, c=rule.max_posterior * (least - rule.compromised) / least)
    return [share, DistinctLDiversity(l=size)] if size > 1 else [share]


def starts(
    problem: Problem,
    rule: ResistsInference,
    settings: Settings,
    clock: Clock,
    without: Sequence[Release],
    search: Search,
) -> list[list[list[int]]]:
    """Groups of all rows, the likeliest to keep the limits first.

    Parameters
    ----------
    problem, rule, settings, clock
    without : sequence of Release
        Releases of the policy without the demand.
    search : callable
        For groups of newcomers.
    """
    row = problem.table.row
    free = [
        [[row[who] for who in group.respondents] for group in release.groups]
        for release in without
        if not release.suppressed and not release.counterfeits
    ]
    fresh = newcomers(problem)
    back = len(problem.table) - len(fresh)
    if len(problem.history.records) - back > LIMITS.gone * back:
        return free
    # What is foreseen changes groups more than where they begin.
    foreseen = any(kind.foresees for kind, _ in problem.policy.levels[-1].terms)
    brief = foreseen or len(fresh) < len(problem.table)
    share = clock.allowed(WITHSTAND.newcomers if brief else WITHSTAND.first)
    own = among(problem, fresh, settings, share, search, implied(rule)) if fresh else []
    return free if own is None else [[*aligned(problem), *own], *free]
