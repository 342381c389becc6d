"""Releases that a search by histograms begins with: dealt, halved, of tuples that are alike, or grown."""

from __future__ import annotations

from ....models.problem import Problem
from ....models.release import Release
from ...baselines.greedy import greedy
from ...colgen.column import Group
from ...colgen.covering import home_of
from ...colgen.primal.near_shares import NearShares
from ...colgen.primal.repair import repaired
from ...colgen.primal.spreading import spread
from ...colgen.primal.start import halved
from ...colgen.primal.ties import tied
from ...colgen.structure.histograms import Judge
from ...limits import HISTOGRAM_LIMITS as LIMITS
from ...schedule import HISTOGRAM
from ...settings import Clock
from .progress import Progress

__all__ = ["Starting"]


class Starting:
    """First releases of one search, told to its progress.

    Parameters
    ----------
    problem, judge, progress, clock, seed
    listed : bool
        Whether admissible histograms are few enough to be listed.
    buckets : bool
        Whether every group has each of its values equally often.

    Attributes
    ----------
    late : bool
        Whether time was over while tuples that are alike were grouped: a later plan has more.
    """

    def __init__(
        self,
        problem: Problem,
        judge: Judge,
        progress: Progress,
        clock: Clock,
        seed: int,
        *,
        listed: bool,
        buckets: bool,
    ) -> None:
        self.problem, self.judge, self.progress, self.rows = problem, judge, progress, progress.rows
        self.clock, self.seed, self.listed, self.buckets = clock, seed, listed, buckets
        self._near: NearShares | None = None
        self.late = False

    def begin(self, release: Release) -> None:
        """Have a release to start from, repaired if need be."""
        home = home_of(self.rows).tolist()
        row_of = {who: home[t] for who, t in self.problem.table.row.items()}
        self.progress.start(repaired(release, row_of, self.rows, self.judge, buckets=self.buckets))

    def run(self) -> list[Group] | None:
        """First releases; the one of tuples that are alike."""
        # Where most tuples are alike, groups of those are worth more: any release will do before.
        alike = len(self.rows) > LIMITS.finished_rows and self.rows.alike
        share, least = self.clock.share(HISTOGRAM.start), self.clock.share(HISTOGRAM.any)
        self.progress.start(halved(self.rows, self.judge, least if alike else share))
        if self.progress.groups is None and self.rows.spare:
            self._greedy()
        tied = self._tied()
        if tied is None and alike:
            self.progress.start(halved(self.rows, self.judge, share))
        return tied

    def grown(self) -> bool:
        """Groups of near tuples in more sizes, where shares matter; whether these are the best so far.

        Sizes that a plan had no time for are a later one's.
        """
        if self._near is None:
            return False
        before = self.progress.cost
        self.progress.start(self._near.run(self.clock.share(HISTOGRAM.grown)))
        return self.progress.cost < before

    def _greedy(self) -> None:
        """Not everybody can be in one group: groups grown one by one, and some tuples suppressed."""
        found = greedy(self.problem, self.seed, clock=self.clock.share(HISTOGRAM.start))
        if found is not None:
            self.begin(found)

    def _tied(self) -> list[Group] | None:
        """A first release that makes use of tuples that are alike; small tables need no better start."""
        if not self.listed:
            self.progress.start(spread(self.rows, self.judge, self.clock.share(HISTOGRAM.ties)))
            self._near = NearShares(self.rows, self.judge, self.seed)
            self.grown()
            return None
        if self.progress.groups is None or len(self.rows) < LIMITS.simplex_rows:
            return None
        clock = self.clock.share(HISTOGRAM.ties)
        found = tied(self.rows, self.judge, dear=LIMITS.dear, clock=clock)
        self.late = clock.over
        self.progress.start(found)
        return found
