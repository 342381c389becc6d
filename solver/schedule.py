"""Who gets how much of the time limit: one table per engine or question, and no share or second elsewhere.

What shares are, and of what, is in `shares`; the tables of plans with a past are in `schedule_series`. All
together are in `schedules`: ``python -m bench time-limits --schedule`` prints what they say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from .shares import Of, Schedule, Seconds, Share

__all__ = [
    "ASSIGNMENT",
    "AUDIT",
    "BLOCKS",
    "COUNTS",
    "ENUMERATED",
    "GAP",
    "HEURISTICS",
    "HISTOGRAM",
    "LONG_STAGES",
    "POINTS",
    "RESERVES",
    "SANITIZING",
    "SOLVERS",
    "STAGES",
    "SUBSETS",
    "WHOLE",
    "WORK",
]


@dataclass(frozen=True, kw_only=True)
class Reserves(Schedule):
    """What clocks keep free or forgive."""

    kept: Seconds = Seconds(value=0.5, unit="of the limit", why="most that is kept free for the end")
    early: Seconds = Seconds(value=0.15, why="solvers may stop so early at a limit")
    early_part: Seconds = Seconds(value=0.01, unit="of the limit", why="and so much earlier at a long one")
    ending: Seconds = Seconds(
        value=1.3, unit="times", why="groups are not all alike, and releases are put in order and written"
    )
    check: Seconds = Seconds(value=1.2, unit="times", why="checks do not all take the same time")


@dataclass(frozen=True, kw_only=True)
class Whole(Schedule):
    """A call of `solve`: what the search leaves for checks, claims and digests."""

    checked: Share = Share(part=0.04, of=Of.LIMIT, most=8.0, why="claims are derived again after the search")
    claims: Share = Share(part=0.3, of=Of.LIMIT, most=0.4, why="most of what short limits keep for claims")
    claim: Seconds = Seconds(value=7e-4, unit="s a tuple", why="what claims of small tables take, or nearly")
    digests: Share = Share(part=0.08, of=Of.LIMIT, why="most for digests and the past of the table")
    digest: Seconds = Seconds(value=1e-5, unit="s a tuple", why="what these take")
    conflict: Seconds = Seconds(value=10.0, why="which parts of a policy conflict, if there is no release")
    hopeless: Seconds = Seconds(value=0.01, why="nothing is asked of a solver in less")
    turn: Share = Share(part=0.4, of=Of.LEFT, why="one engine before another: neither knows most")
    stricter: Share = Share(part=0.6, of=Of.LEFT, unlimited=5.0, why="neither suppression nor counterfeits")

    def kept(self, limit: float, tuples: int) -> float:
        """Seconds that are not the search's."""
        digests = min(self.digest.value * tuples, self.digests.seconds(limit, 0.0))
        claims = min(self.claim.value * tuples, self.claims.seconds(limit, 0.0))
        return max(self.checked.seconds(limit, 0.0), claims) + digests


@dataclass(frozen=True, kw_only=True)
class Heuristics(Schedule):
    """Published heuristics before every search."""

    each: Share = Share(part=0.55, of=Of.LIMIT, why="one heuristic: a third of it and what the end keeps")
    all: Share = Share(part=0.6, of=Of.LIMIT, why="all that are tried together")
    lattice: Share = Share(part=0.5, of=Of.LEFT, why="the full-domain engine, before they are tried")
    hopeless: Share = Share(
        part=0.5,
        of=Of.LIMIT,
        unlimited=60.0,
        why="what will take longer is not begun: its time would be lost",
    )
    large: Share = Share(part=0.05, of=Of.LIMIT, unlimited=60.0, why="the same, of tables that need the time")
    each_large: Share = Share(part=0.1, of=Of.LIMIT, why="one heuristic of these: estimates may be wrong")
    all_large: Share = Share(part=0.25, of=Of.LIMIT, why="and all of them")


@dataclass(frozen=True, kw_only=True)
class Solvers(Schedule):
    """What solvers are told, who look at their clocks between steps only."""

    listen: Seconds = Seconds(value=0.1, why="between looks for Ctrl-C")
    late: Share = Share(part=0.1, of=Of.LEFT, most=0.12, why="CP-SAT is so late")
    late_highs: Share = Share(part=0.05, of=Of.LEFT, least=0.03, why="HiGHS is so late")
    unheard: Seconds = Seconds(
        value=3e-9, unit="s a column, squared", why="HiGHS enters and simplifies, and looks at no clock"
    )
    least: Seconds = Seconds(value=0.01, why="what CP-SAT is given at least")
    least_highs: Seconds = Seconds(value=0.05, why="what a linear program is given at least")


@dataclass(frozen=True, kw_only=True)
class Assignment(Schedule):
    """The direct model."""

    greedy: Share = Share(part=0.5, of=Of.LEFT, why="a first release")


@dataclass(frozen=True, kw_only=True)
class AllSets(Schedule):
    """The program over all sets of tuples; what is left after it is the direct model's."""

    every: Share = Share(part=0.5, of=Of.LEFT, why="the program over all sets")
    some: Share = Share(part=0.3, of=Of.LEFT, why="the list of groupings")
    pairs: Seconds = Seconds(value=5e8, unit="a s", why="pairs of a set and a group in it that are looked at")


@dataclass(frozen=True, kw_only=True)
class Gap(Schedule):
    """Closing the gap of a plan with duals over listed groups."""

    tree: Share = Share(part=0.5, of=Of.LEFT, why="a search tree: its proof is in whole numbers")
    program: Share = Share(part=0.5, of=Of.LEFT, why="HiGHS, for releases where the tree did not end")
    guess: Share = Share(part=0.15, of=Of.LEFT, why="HiGHS after a tree that has ended: for shorter lists")
    check: Seconds = Seconds(
        value=1.5, unit="times", why="the verifier makes the list and goes through the tree again"
    )


@dataclass(frozen=True, kw_only=True)
class Histogram(Schedule):
    """Histogram plan: groups judged by what is published of them, by column generation."""

    start: Share = Share(part=0.3, of=Of.LIMIT, why="a first release")
    any: Share = Share(part=0.0, of=Of.LIMIT, unlimited=0.0, why="any release, where the next is far better")
    ties: Share = Share(
        part=0.15, of=Of.LIMIT, least=2.5, least_part=0.25, why="another one, of tuples that are alike"
    )
    grown: Share = Share(part=0.35, of=Of.LIMIT, why="another one, of near tuples with the table's shares")
    sight: Share = Share(part=0.01, of=Of.LIMIT, why="a bound at sight, however late it is")
    annealing: Share = Share(part=0.1, of=Of.LIMIT, why="improved by moves of single tuples")
    annealing_boxes: Share = Share(
        part=0.2, of=Of.LIMIT, least=6.0, least_part=0.55, why="the same, before boxes are priced"
    )
    annealing_later: Share = Share(part=0.2, of=Of.PASSED, why="the same, after a shorter limit's moves")
    annealing_trees: Share = Share(part=0.35, of=Of.LIMIT, why="the same, large tables under taxonomies")
    annealing_few: Share = Share(part=0.35, of=Of.LEFT, why="the same, before a bound by the simplex method")
    annealing_unlisted: Share = Share(part=0.65, of=Of.LEFT, why="or a bound by column generation")
    shares: Seconds = Seconds(
        value=1e-6,
        unit="s a pair of tuples",
        why="boxes gone through where shares matter",
    )
    shares_derived: Seconds = Seconds(value=3.0, unit="times that", why="the verifier's, if others run, too")
    annealing_dived: Seconds = Seconds(
        value=0.3, unit="of what has passed", why="the same, of what was dived, before lists"
    )
    annealing_cool: Share = Share(part=0.5, of=Of.LEFT, why="of that, cool moves")
    move: Seconds = Seconds(value=1.5e-6, unit="s a move", why="until that is measured")
    look: Seconds = Seconds(value=0.1, why="between two looks at the clock, while tuples are moved")
    moves: Seconds = Seconds(value=6e-5, unit="s a tuple", why="near rows, groups, and enough moves")
    round: Share = Share(part=0.96, of=Of.LEFT, why="moves that end hot are for nothing")
    brief: Seconds = Seconds(
        value=2.2e-3, unit="s a row", why="with less, moves alone: large linear programs come to nothing"
    )
    brief_tuples: Seconds = Seconds(
        value=5e-4, unit="s a tuple", why="the same: linear programs that begin with bad releases take long"
    )
    linear_trees: Share = Share(part=0.6, of=Of.PASSED, why="the linear program of those")
    annealing_again: Share = Share(part=0.95, of=Of.PASSED, why="far from the bound: moves before windows")
    linear: Share = Share(part=0.85, of=Of.PASSED, why="the linear program: releases need the rest")
    linear_least: Share = Share(part=0.5, of=Of.PASSED, why="and this where releases need more")
    rounding: Seconds = Seconds(value=8e-5, unit="s a row", why="what a release needs")
    cuts: Share = Share(part=0.25, of=Of.PASSED, why="cuts are sought until then: releases need the rest")
    boxes: Share = Share(
        part=0.75, of=Of.PASSED, least=1.0, least_part=0.1, why="the linear program by boxes, and its cuts"
    )
    boxes_later: Share = Share(
        part=0.6, of=Of.LEFT, why="or that, if it is later: in a stage soon after another one"
    )
    boxes_larger: Share = Share(part=0.7, of=Of.LEFT, why="the same, in tables too large for dives")
    boxes_few: Share = Share(part=0.5, of=Of.PASSED, why="without some attributes: releases need moves")
    boxes_few_later: Share = Share(part=0.3, of=Of.LEFT, why="or that, if it is later")
    root: Share = Share(part=0.5, of=Of.PASSED, least=0.5, why="columns of a small table, between two dives")
    dives: Share = Share(part=0.3, of=Of.LEFT, why="more of them, before lists")
    combined: Share = Share(part=0.2, of=Of.LEFT, why="the best release of the groups of all dives")
    box_first: Share = Share(part=0.1, of=Of.LEFT, why="moves after one rounding of it, before cuts")
    box_dive: Share = Share(part=0.5, of=Of.LEFT, why="one dive, before it is improved by moves")
    box_moves: Share = Share(part=0.9, of=Of.LEFT, why="moves after one rounding of it")
    box_last: Seconds = Seconds(
        value=4.0, unit="times", why="a rounding that leaves less time gets it for moves"
    )
    box_early: Share = Share(part=0.5, of=Of.PASSED, why="roundings, before more cuts")
    box_releases: Share = Share(part=0.85, of=Of.PASSED, why="roundings, before columns are combined")
    box_longer: Share = Share(part=0.8, of=Of.LEFT, why="the same, in tables too large to combine any")
    box_program: Share = Share(part=0.5, of=Of.LEFT, unlimited=60.0, why="the best of columns known so far")
    others: Share = Share(part=0.85, of=Of.PASSED, why="other releases are improved until the last step")
    swept: Seconds = Seconds(
        value=2.5e-3,
        unit="s a row",
        why="each further number: boxes are gone through again for the bound",
    )
    part: Share = Share(part=0.25, of=Of.PASSED, why="linear program of the part with a largest group")
    part_cuts: Share = Share(part=0.35, of=Of.PASSED, why="its cuts")
    nearer: Share = Share(part=0.5, of=Of.PASSED, why="the same with groups up to a few tuples more")
    nearer_cuts: Share = Share(part=0.55, of=Of.PASSED, why="its cuts")
    priced: Share = Share(part=0.75, of=Of.PASSED, why="its duals are priced for groups of any size")
    gone_on: Share = Share(part=0.4, of=Of.LEFT, why="all of these in later plans: releases need more")

    def solving(self, rows: int, limit: float | None, *, trees: bool = False) -> Share:
        """Until when a large table's linear program is solved: less where its releases need more."""
        if trees or not limit:
            return self.linear_trees if trees else self.linear
        rest = 1 - self.rounding.value * rows / limit
        return replace(self.linear, part=max(self.linear_least.part, min(self.linear.part, rest)))


@dataclass(frozen=True, kw_only=True)
class Stages(Schedule):
    """Histogram plan by boxes: every limit goes through what these are planned for, one after the other."""

    limits: ClassVar[tuple[float, ...]] = (2.5, 10.0, 30.0, 60.0, 120.0, 200.0, 300.0, 600.0)
    """What people ask for."""

    brief: Seconds = Seconds(value=5.0, why="one more, where 2.5 s are too few to begin with")
    times: Seconds = Seconds(value=2.0, unit="times", why="600 s and more: each is so much longer")
    tuple: Seconds = Seconds(value=1.5e-4, unit="s a tuple", why="the first of them; less is its beginning")
    late: Seconds = Seconds(value=2.0, unit="times", why="and what is over before takes less of it")
    longest: Seconds = Seconds(
        value=50.0,
        unit="times",
        why="the limit: a search that found nothing to do in plans so long has ended",
    )

    def planned(self, tuples: int, passed: float) -> Iterator[float]:
        """Limits that a search is planned for, of so many tuples, when so many seconds have passed."""
        least = max(self.tuple.value * tuples, self.late.value * passed)
        if self.limits[0] < least <= self.brief.value:
            yield self.brief.value
        yield from (limit for limit in self.limits if limit >= least)
        limit = self.times.value * self.limits[-1]
        while True:
            if limit >= least:
                yield limit
            limit *= self.times.value


@dataclass(frozen=True, kw_only=True)
class LongStages(Stages):
    """Points plan without blocks: what is cut off at the end of a stage, moves above all, is lost."""

    limits: ClassVar[tuple[float, ...]] = (2.5, 10.0, 60.0, 300.0)


@dataclass(frozen=True, kw_only=True)
class Points(Schedule):
    """Points plan, squared error: annealing, column generation with cuts, listed groups."""

    annealing: Share = Share(part=0.12, of=Of.LIMIT, unlimited=20.0, why="a release for lists to be short")
    again: Share = Share(part=0.95, of=Of.LEFT, unlimited=60.0, why="where the bound is sets of few tuples'")
    move: Seconds = Seconds(value=1e-6, unit="s a move", why="the pace that moves are planned by")
    check: Seconds = Seconds(value=4, unit="times", why="the verifier goes through all groups again")
    timed: Share = Share(part=0.1, of=Of.LEFT, why="to see how long that takes; as much is kept as if it did")
    everywhere: Share = Share(part=0.15, of=Of.LEFT, why="beside blocks: duals that no group breaks")
    linear: Share = Share(part=0.45, of=Of.LEFT, why="the linear program and its cuts")
    improving: Share = Share(part=0.8, of=Of.LEFT, unlimited=120.0, why="programs for releases before trees")
    program: Share = Share(part=0.5, of=Of.LEFT, unlimited=60.0, why="HiGHS over groups that nearly pay")
    windows: Share = Share(part=0.65, of=Of.LEFT, unlimited=60.0, why="before them, far from the bound")
    part: Share = Share(part=0.3, of=Of.LEFT, unlimited=60.0, why="HiGHS over a part of a table of blocks")


@dataclass(frozen=True, kw_only=True)
class InBlocks(Schedule):
    """Histogram plan, tables of many different rows: paces of a course of steps."""

    alone: Seconds = Seconds(
        value=6e-5, unit="s a tuple", why="read, put together and written by one process"
    )
    quick: Share = Share(
        part=0.25,
        of=Of.LIMIT,
        most=10.0,
        unlimited=10.0,
        why="heuristics before: those that have time in it",
    )
    heuristics: Share = Share(
        part=0.1, of=Of.LIMIT, most=6.0, why="what they take of a course without a clock, at most"
    )
    heuristic: Seconds = Seconds(value=5e-4, unit="s a tuple", why="what these take")
    start: Seconds = Seconds(value=4.6e-5, unit="s a row", why="first groups of a block")
    round: Seconds = Seconds(value=2.3e-5, unit="s a row", why="near rows of a block, sending it, and back")
    move: Seconds = Seconds(
        value=7e-7, unit="s a row", why="a move of each tuple: the pace that moves are planned by"
    )
    sweep: Seconds = Seconds(value=3.5e-5, unit="s a row", why="all boxes gone through")
    waves: Seconds = Seconds(value=0.03, why="whatever the table's size: they are dealt to workers")
    cut_sweep: Seconds = Seconds(value=5.8e-5, unit="s a row", why="the same under cuts, and they are sought")
    cut_valued: Seconds = Seconds(value=4.7e-5, unit="s a row", why="longer if groups are judged by values")
    cut_waves: Seconds = Seconds(value=0.12, why="the smaller the table, the more cuts a row has")
    nested: Seconds = Seconds(
        value=350, unit="intervals", why="both take, and deriving takes, as long again for so many nested"
    )
    steps: Seconds = Seconds(value=5e-6, unit="s a row", why="first-order steps, by one process")
    derived: Seconds = Seconds(value=4e-5, unit="s a row", why="the bound is derived again, in threads")
    derived_cuts: Seconds = Seconds(value=9e-5, unit="s a row", why="the same with cuts,")
    cuts_read: Seconds = Seconds(value=0.3, why="and whatever the table's size: small ones have many")
    usual: Seconds = Seconds(value=0.5, unit="times", why="what sweeps take: paces are of slow days")
    slowest: Seconds = Seconds(value=4.0, unit="times", why="usual sweeps, and what is kept for their bounds")


@dataclass(frozen=True, kw_only=True)
class Work(Schedule):
    """Histogram plan by boxes, small tables: paces of the steps that its plans are counted by."""

    simplex: Seconds = Seconds(value=4e-6, unit="s a root of rows and columns", why="a simplex iteration")
    dived: Seconds = Seconds(
        value=2e-6, unit="s a root of rows and columns", why="the same where few columns are left to change"
    )
    pdlp: Seconds = Seconds(value=2e-9, unit="s an entry", why="an iteration of HiGHS' first-order method")
    first_order: Seconds = Seconds(value=1e-9, unit="s an entry, looked at", why="an iteration of our own")
    look: Seconds = Seconds(
        value=4e-6,
        unit="s an entry",
        why="HiGHS' branch and bound, until it asks whether it is to stop",
    )
    weighed: Seconds = Seconds(value=4e-9, unit="s a value", why="groups of a box are weighed at a price")
    counted: Seconds = Seconds(value=5e-8, why="how often a group has a value is tried")
    box: Seconds = Seconds(value=2.8e-8, unit="s a row of a box", why="boxes gone through")
    filled: Seconds = Seconds(value=3e-7, why="a best group of a box")
    anchor: Seconds = Seconds(value=1.5e-5, unit="s a row", why="best groups of all boxes are put together")
    visited: Seconds = Seconds(value=1.4e-5, why="a node of a search for groups from an anchor")
    visited_buckets: Seconds = Seconds(value=2e-6, why="the same where groups have each value once")
    visited_numbers: Seconds = Seconds(value=4e-6, why="and where no attribute has a taxonomy")
    separated: Seconds = Seconds(
        value=1.6e-7, unit="s a row, squared", why="cuts of a search tree are sought"
    )
    tabu: Seconds = Seconds(value=3.3e-6, unit="s a move", why="cuts are sought")
    move: Seconds = Seconds(value=5.5e-7, why="a tuple is moved, or not")
    heuristic: Seconds = Seconds(value=0.5, unit="times", why="what heuristics are expected to take at most")
    program: Seconds = Seconds(value=4e-5, unit="s a column", why="an integer program is set up for HiGHS")
    column: Seconds = Seconds(value=1e-5, why="a column is entered, or its reduced cost is asked for")


@dataclass(frozen=True, kw_only=True)
class Counts(Schedule):
    """Counts plan, histograms alone: an integer program per level."""

    first: Share = Share(part=0.3, of=Of.LEFT, unlimited=18.0, why="HiGHS, and the proof of what it found")
    proof: Share = Share(part=0.2, of=Of.LEFT, why="proofs that need no solver")


@dataclass(frozen=True, kw_only=True)
class Enumerated(Schedule):
    """Enumerated plan, listed groups: starts, a bound from a part of the policy, lists."""

    greedy: Share = Share(part=0.3, of=Of.LIMIT, why="a greedy release")
    part: Share = Share(part=0.4, of=Of.LEFT, least=0.1, why="one part of the policy, for the bound")
    boxes: Share = Share(part=0.75, of=Of.LEFT, least=0.1, why="boxes, where other levels are by sizes")
    newcomers: Share = Share(part=0.1, of=Of.LEFT, least=0.1, unlimited=10.0, why="newcomers by themselves")
    repair: Share = Share(part=0.15, of=Of.LIMIT, why="the part's release merged until it keeps the policy")
    improve: Share = Share(part=0.2, of=Of.LIMIT, why="moves on the best release repaired")
    direct: Share = Share(part=0.3, of=Of.LEFT, why="a first release by the direct model")
    program: Share = Share(part=0.9, of=Of.LEFT, why="CP-SAT is told of a long list: presolve is late")
    set_up: Seconds = Seconds(value=0.15, why="a search of a part, or of newcomers, is set up in less")
    listing: Seconds = Seconds(value=6e8, unit="pairs a s", why="looked at while groups are listed, at least")


RESERVES, WHOLE, HEURISTICS, SOLVERS = Reserves(), Whole(), Heuristics(), Solvers()
ASSIGNMENT, SUBSETS, GAP = Assignment(), AllSets(), Gap()
HISTOGRAM, COUNTS, ENUMERATED = Histogram(), Counts(), Enumerated()
STAGES, LONG_STAGES = Stages(), LongStages()
BLOCKS, POINTS, WORK = InBlocks(), Points(), Work()


@dataclass(frozen=True, kw_only=True)
class Sanitizing(Schedule):
    """Cells of values that tell too much are hidden."""

    start: Share = Share(part=0.4, of=Of.LIMIT, why="several attributes: each alone, where all begins")
    cells: Share = Share(part=0.5, of=Of.LIMIT, why="rounded shares: another program bounds them")


@dataclass(frozen=True, kw_only=True)
class Audit(Schedule):
    """What adversaries can conclude from releases."""

    last: Share = Share(
        part=0.5, of=Of.LIMIT, why="whoever holds all releases: asked first, for it says most"
    )
    counting: Share = Share(
        part=0.5,
        of=Of.LEFT,
        why="worlds are counted; after it, intervals where they are too many",
    )
    rounding: Share = Share(
        part=1.0, of=Of.LIMIT, most=2.0, unlimited=2.0, why="a part of a world near a fractional optimum"
    )


SANITIZING, AUDIT = Sanitizing(), Audit()
