"""Whom two tables tell apart, whatever their groups are: newcomers, or leavers.

If nobody left since a release, newcomers are together what the whole table has more; if nobody came, leavers
are what it has less. Releases of the whole tables without counterfeits publish the values of both, so also
those of the difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from .problem_view import ProblemView

__all__ = ["ToldApart", "told_apart"]


@dataclass(frozen=True, kw_only=True)
class ToldApart:
    """Some people of whom everybody knows which values they have together.

    Attributes
    ----------
    release : int
        The earlier release, from 1.
    came : bool
        Whether they are newcomers; else they left.
    values : Counter of str
        How many of them have each value.
    """

    release: int
    came: bool
    values: Counter[str]

    @property
    def nobody(self) -> str:
        """What nobody else did."""
        return "left" if self.came else "came"

    @property
    def others(self) -> str:
        """What they are called."""
        return "newcomers" if self.came else "leavers"


def told_apart(problem: ProblemView) -> Iterator[ToldApart]:
    """One for each earlier release since which people only came or only left; none where tuples are invented.

    Complexity: O(people) for each release.
    """
    if problem.policy.counterfeit_limit != 0:
        return
    now = {member.respondent: member.value for member in problem.table.members}
    for number, release in enumerate(problem.history, start=1):
        then = {member.respondent: member.value for group in release.groups for member in group.members}
        came, left = now.keys() - then.keys(), then.keys() - now.keys()
        # Nothing is inside anything where nobody was published.
        if not then or release.counterfeits or bool(came) == bool(left):
            continue
        values = Counter(now[who] if came else then[who] for who in came or left)
        yield ToldApart(release=number, came=bool(came), values=values)
