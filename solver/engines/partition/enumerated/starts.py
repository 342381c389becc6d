"""Releases to begin with: known ones, a greedy one, earlier groups kept whole, the part's repaired."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from .....models.errors import OptanonError
from .....models.problem import Problem
from .....models.release import Release
from .....models.requirement import Requirement
from ....baselines.greedy import greedy, together
from ....colgen.structure.histograms import Histograms
from ....engine import PlanSearch
from ....schedule import ENUMERATED
from ....settings import Clock, Settings, Watch
from ..objective import Objective
from .limits import ENUMERATED_LIMITS as LIMITS
from .moves import improve
from .part import plain
from .repair import aligned, merge_until_clean, newcomers
from .state import RepairedGroups

__all__ = ["Search", "Starts", "among"]

Search: TypeAlias = Callable[[Problem, Settings, Watch, Objective], PlanSearch]
"""Sets up the search of some rows by themselves."""


class Starts:
    """Finds releases and offers them.

    Parameters
    ----------
    problem, settings, clock
    offer : callable
        Receives releases; says whether one was kept.
    search : callable
        Groups newcomers by themselves.
    """

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        clock: Clock,
        offer: Callable[[Release | None], bool],
        search: Search,
    ) -> None:
        self.problem, self.settings, self.clock, self.offer = problem, settings, clock, offer
        self.search = search

    def quick(self) -> None:
        """The caller's release (else everybody in one group, and a greedy one), and the best known one."""
        if self.settings.initial is None or not self.offer(self.settings.initial):
            self.offer(together(self.problem))
            self.offer(greedy(self.problem, self.settings.seed, clock=self.clock.share(ENUMERATED.greedy)))
        self.offer(self.settings.known)

    def repaired(self, releases: Sequence[Release]) -> None:
        """Releases of the part, merged until they keep the whole policy, and the best one improved."""
        if self.clock.over:
            return
        for release in releases:
            self.offer(release)
        row = self.problem.table.row
        states = [
            RepairedGroups(
                self.problem, [[row[who] for who in group.respondents] for group in release.groups]
            )
            for release in releases
            if not release.counterfeits
            and not (release.suppressed and self.problem.policy.joint_requirements)
        ]
        together, fresh = aligned(self.problem), newcomers(self.problem)
        if together and fresh and self.clock.fits(ENUMERATED.set_up.value):
            share = self.clock.allowed(ENUMERATED.newcomers)
            own = among(self.problem, fresh, self.settings, share, self.search)
            if own is not None:
                states.append(RepairedGroups(self.problem, [*together, *own]))
        clean = [s for s in states if merge_until_clean(s, self.clock.share(ENUMERATED.repair))]
        for state in clean:
            self._offer(state)
        if clean and self.problem.policy.form == "generalized":
            best = min(clean, key=lambda state: self.problem.objective(self._released(state)))
            self._improve(best)

    def _improve(self, state: RepairedGroups) -> None:
        """By moves; offered now and then, as judging a release takes longer than many of them."""
        offered = self.clock.seconds

        def note() -> None:
            nonlocal offered
            if self.clock.seconds > offered + LIMITS.noted:
                self._offer(state)
                offered = self.clock.seconds

        try:
            improve(state, self.clock.share(ENUMERATED.improve), note)
        finally:
            self._offer(state)

    def _offer(self, state: RepairedGroups) -> None:
        self.offer(self._released(state))

    def _released(self, state: RepairedGroups) -> Release:
        return self.problem.assemble([list(group) for group in state.groups])


def among(
    problem: Problem,
    fresh: list[int],
    settings: Settings,
    seconds: float | None,
    search: Search,
    more: Sequence[Requirement] = (),
) -> list[list[int]] | None:
    """Some rows grouped by themselves, under the searchable part of the policy and some more requirements."""
    table = problem.table
    members = replace(table, members=tuple(table.members[t] for t in fresh), codes=table.codes[fresh].copy())
    whole = replace(problem, table=members)
    easier = plain(whole, whole.policy.decided_by_histograms(whole))
    if more:
        easier = replace(
            easier, policy=easier.policy.changed(requirements=[*easier.policy.requirements, *more])
        )
    objective = Objective.of(easier)
    if isinstance(objective, str) or isinstance(Histograms.of(easier), str):
        return None
    try:
        alone = replace(settings, time_limit=seconds, initial=None, known=None)
        found = search(easier, alone, Watch(), objective).run()
    except OptanonError:
        return None
    if found.interrupted:
        raise KeyboardInterrupt
    if found.release is None:
        return [fresh]
    row = table.row
    return [[row[who] for who in group.respondents] for group in found.release.groups]
