"""How far column generation and its plans search: nodes, columns, sizes, and why.

Shares of time are in `solver.schedule`.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ANNEALING",
    "BLOCKS",
    "COUNTS_LIMITS",
    "DEALING",
    "DIVING",
    "ENUMERATED_LIMITS",
    "FIRST_ORDER",
    "HISTOGRAM_LIMITS",
    "MASTER",
    "MIXING",
    "NEIGHBOURS",
    "POINTS",
    "PORTFOLIO",
    "PRICING",
    "ROUNDING",
    "SIGNATURE_LIMITS",
    "START",
    "SUPPRESSING",
    "WINDOWS",
    "AnnealingLimits",
    "BlockLimits",
    "CountsLimits",
    "DealingLimits",
    "DivingLimits",
    "EnumeratedLimits",
    "FirstOrderLimits",
    "GapLimits",
    "HistogramLimits",
    "MasterLimits",
    "MixingLimits",
    "NeighbourLimits",
    "PointLimits",
    "PortfolioLimits",
    "PricingLimits",
    "RoundingLimits",
    "SignatureLimits",
    "StartLimits",
    "WindowLimits",
]


@dataclass(frozen=True, kw_only=True)
class PricingLimits:
    """Searches for columns, and the structures that they read."""

    nodes: int = 200_000
    """Of a search per anchor, at most."""
    least_chunk: int = 8
    """Anchors between two looks at the clock, at first,"""
    most_chunk: int = 256
    """and at most;"""
    pause: float = 0.005
    """fewer, if that takes so many seconds."""
    cell: int = 16
    """Rows per cell of the table."""
    states: int = 6_000
    """Histograms of an automaton, at most."""
    read: int = 40
    """Largest histogram that is looked at where no largest needed one is known."""
    times: int = 7
    """Most often that groups publish each value; buckets that may need more are relaxed."""
    passes: int = 4
    """How often candidates are tested again with what the test before left."""


@dataclass(frozen=True, kw_only=True)
class PortfolioLimits:
    """Published heuristics before a search."""

    tuples: int = 10_000
    """Of larger tables each heuristic gets less of the time."""


@dataclass(frozen=True, kw_only=True)
class MasterLimits:
    """The restricted master."""

    rough: float = 1e-3
    """Relative precision of a linear program that is solved roughly."""


@dataclass(frozen=True, kw_only=True)
class FirstOrderLimits:
    """Column generation with a first-order method."""

    iterations: int = 300
    """Between two rounds of pricing."""
    per_anchor: int = 3
    """Groups taken over per anchor and round."""
    guess: float = 0.8
    """Share of the cost among nearest neighbours that duals start from."""
    kept: int = 8
    """Columns per row after old ones are dropped,"""
    most_kept: int = 12
    """and before."""
    whole_share: float = 0.02
    """Share of anchors that may stop at the node limit before it is raised."""
    missing: float = 2e-3
    """Mean violation of rows at which a linear program counts as solved."""
    enough: float = 0.2
    """It restarts when the residual falls to this share of the first one,"""
    few: float = 0.8
    """or to this, and rises again,"""
    longest: float = 0.36
    """or when this share of all iterations passed since the last restart."""
    least_weight: float = 0.05
    """Least weight of primal steps against dual ones,"""
    most_weight: float = 20.0
    """and the most."""


@dataclass(frozen=True, kw_only=True)
class NeighbourLimits:
    """Nearest rows."""

    tried: int = 24
    """Neighbours that a group is grown over first; all rows if they do not do."""
    kept: int = 20
    """Neighbours of a row that moves know."""
    reach: int = 64
    """Cells on each side of a row's in which neighbours are looked for at least,"""
    looked: int = 20_000_000
    """and for all rows in all."""
    at_once: int = 256
    """Rows, or cells, between two looks at the clock."""


@dataclass(frozen=True, kw_only=True)
class StartLimits:
    """Halving the table."""

    tries: int = 9
    """Places around the median that are tried on each side, in large parts."""
    at_once: int = 1 << 22
    """Counts that are judged at once."""


@dataclass(frozen=True, kw_only=True)
class DivingLimits:
    """Releases by diving."""

    sure: float = 0.9
    """Groups with so large an amount are taken at once."""
    share: float = 0.06
    """At least this share of the amount that is left is taken in each round."""
    iterations: int = 120
    """Of a round."""
    side: float = 1.0
    """How far duals may move in a round, in typical costs per tuple."""


@dataclass(frozen=True, kw_only=True)
class RoundingLimits:
    """Releases by rounding."""

    nearest: int = 200
    """Groups that a left-over tuple is tried in."""
    matched: int = 200
    """Most tuples of one value that are matched at once."""


@dataclass(frozen=True, kw_only=True)
class SuppressingLimits:
    """Tuples left out of a release."""

    passes: int = 20
    """Times that tuples leave their groups; nearly all that can be gained is gained in the first few."""
    dear: int = 50
    """Groups that are tried to be given up, the dearest first."""
    nearest: int = 20
    """Groups that are asked whether a tuple may join."""
    priced: int = 100
    """Suppressed tuples that a round of pricing takes over, besides twice as many as there may be."""


@dataclass(frozen=True, kw_only=True)
class AnnealingLimits:
    """Moves of single tuples while it gets cooler."""

    largest: int = 16
    """Tuples in a group, unless three of the smallest groups have more."""
    asked: int = 1 << 10
    """Histograms that are judged at once."""
    at_once: int = 1 << 17
    """Moves between two looks at the clock."""
    fewest: int = 15
    """Moves per tuple that are worth a round."""
    gather: float = 0.04
    """Share of the moves that make a group;"""
    scatter: float = 0.08
    """with those that dissolve one,"""
    cut: float = 0.10
    """those that cut one,"""
    join: float = 0.105
    """and those that merge two. The rest are moves and exchanges of single tuples."""


@dataclass(frozen=True, kw_only=True)
class WindowLimits:
    """Windows of a few hundred tuples, whose groups are chosen anew."""

    listed: int = 15
    """Most groups listed in one window, per tuple."""
    nodes: int = 60
    """Nodes of a window's integer program."""
    search_nodes: int = 200_000
    """Of a search per anchor."""
    least_share: float = 1e-3
    """A list that has to be shortened below this share of what may pay is given up."""


@dataclass(frozen=True, kw_only=True)
class DealingLimits:
    """Returning tuples dealt to groups."""

    tries: int = 20
    """Random orders tried as long as there are more groups than wanted."""
    block: int = 64
    """Wanted groups of a block, at most."""
    chunk: int = 2_000
    """Blocks that are dealt between two looks at the clock."""


@dataclass(frozen=True, kw_only=True)
class MixingLimits:
    """New tuples put beside tuples of other values."""

    work: int = 1_000_000_000
    """Coordinates that are compared for one release, at most, as far as `least` allows."""
    least: int = 8
    """Rows of a value to each side that are looked at, at least,"""
    most: int = 1 << 40
    """and at most."""
    chunk: int = 4_096
    """Groups made between two looks at the clock."""


@dataclass(frozen=True, kw_only=True)
class GapLimits:
    """Closing the gap over listed columns."""

    least_listed: int = 1_000
    """Columns of the first list."""
    most_listed: int = 200_000
    """Columns of the longest one."""
    most_places: int = 100_000_000
    """Columns times rows: the programs need memory for them."""
    search_nodes: int = 200_000
    """Of a search per anchor; a list that is cut short is not complete."""
    nodes: int = 2_000
    """Of the first integer program."""
    guess_nodes: int = 500
    """Of one after a tree that has ended."""


@dataclass(frozen=True, kw_only=True)
class PointLimits:
    """Points plan: squared error under k-anonymity."""

    most_rows: int = 8_000
    """Their number squared times 8 bytes is kept."""
    room: int = 400_000
    """Groups that pay, in a round of pricing, at most."""
    nodes: int = 2_000_000
    """Of a search per anchor."""
    scale: int = 256
    """Finest unit of duals, as a fraction of a cost."""
    near: tuple[int, ...] = (9, 9, 9, 8, 8)
    """Among so many nearest rows all groups of 2, 3, ... rows are columns from the beginning."""
    per_row: int = 4
    """Groups taken over per row and round."""
    deepest: int = 6
    """Larger groups are priced by their sets of"""
    few: int = 5
    """so many."""
    cut_rounds: int = 60
    """Rounds of cuts."""
    least_gain: float = 0.003
    """Share of the gap that a round of cuts closes at least, or cutting ends."""
    whole: float = 1e-7
    """How far an amount may be from a whole number."""
    many: int = 2_000
    """From so many rows on, groups at the beginning are made of a row and the nearest of its size and"""
    beside: int = 3
    """so many more."""
    moves: int = 30_000
    """Moves of annealing per tuple, at most."""
    least_near: int = 12
    """Near tuples that moves know, at least."""
    parts: int = 60
    """Temperatures of annealing,"""
    hot: float = 0.3
    """the first, as a share of what a tuple costs,"""
    cold: float = 0.003
    """and the last."""
    least_broken: float = 0.02
    """Least violation of a cut that is added."""
    families: tuple[tuple[int, int], ...] = (
        *((3, 4), (3, 5), (3, 7), (3, 8), (4, 5), (4, 6), (4, 7), (4, 11)),
        *((5, 6), (5, 7), (5, 8), (5, 9)),
    )
    """Divisors above 2, and numbers of rows, of cuts that are sought"""
    enough_odd: int = 30
    """where fewer odd sets are found."""
    restarts: int = 6
    """Sets that are begun at each row for that,"""
    exchanges: int = 14
    """exchanges of their rows,"""
    lure: float = 0.03
    """and what a member counts for a group that is not yet counted."""
    cuts_per_row: int = 2
    """Cuts of a divisor above 2 and a number of rows that hold a row, and"""
    cuts_at_once: int = 60
    """of all rows, in a round."""
    gap: GapLimits = GapLimits(most_listed=400_000, most_places=2_000_000_000)
    """Of the last step."""


@dataclass(frozen=True, kw_only=True)
class HistogramLimits:
    """Histogram plan: groups judged by what is published of them."""

    simplex_rows: int = 150
    """From so many rows on, a first-order method takes the place of the simplex method."""
    dear: float = 0.225
    """Groups across places are not grown at the start if a tuple then costs more, of the dearest one."""
    per_anchor: int = 3
    """Groups taken over per anchor and round, under simplex duals."""
    most_nodes: int = 200_000
    """Of a search per anchor."""
    simplex_cut_rounds: int = 12
    """Rounds of cuts under simplex duals: later ones gain nothing."""
    close: float = 5e-5
    """Relative distance of bound and linear program at which the first one counts as solved."""
    near: float = 3e-5
    """The same while cuts are added, at first."""
    near_buckets: float = 2e-5
    """And for bucketed tables: these are solved sooner."""
    nearest: float = 1e-5
    """And before cutting ends."""
    cut_rounds: int = 40
    """Rounds of cuts under first-order duals."""
    least_broken: float = 0.01
    """Least violation of a cut that is added."""
    least_gain: float = 1e-5
    """Relative gain below which cutting ends."""
    sizes: tuple[int, ...] = (200, 200, 300, 400, 600, 900)
    """Tuples per window, sweep by sweep."""
    later: tuple[int, ...] = (300, 500, 700, 900)
    """Then any of these."""
    stalled: int = 4
    """So many later sweeps without a better release end the sweeping."""
    others: int = 16
    """So many other releases in a row that lead to nothing better are tried."""
    few: int = 4
    """Each swept so often."""
    noise: float = 0.06
    """Most that is added to a taken column's amount for another release."""
    taken: float = 1e-3
    """The least amount of a taken column."""
    combined_nodes: int = 100
    """Nodes of the program that combines releases."""
    far: float = 0.03
    """Gap from which on groups are moved one by one before windows."""
    box_nodes: int = 3_000
    """Of a search in a box under cuts."""
    box_close: float = 2e-4
    """Relative distance of bound and linear program at which the latter counts as solved, by boxes."""
    box_few: int = 50
    """One new column for so many rows is few: duals are taken nearer to the linear program's."""
    box_many: int = 10
    """One new column for so many rows is many: the linear program is then solved roughly."""
    box_noise: float = 0.3
    """Most that is added to a taken column's amount for another release."""
    box_smoothing: float = 0.3
    """Share of the best duals after cuts were added: far from them, searches under cuts take long."""
    box_gain: float = 2e-5
    """Relative gain of a round of cuts that counts,"""
    box_patience: int = 4
    """and rounds without one after which cutting ends."""
    box_stalled: int = 12
    """So many roundings in a row that lead to nothing better are tried."""
    finished_rows: int = 4_000
    """Rows up to which the gap is closed over listed groups; larger tables are swept on."""
    whole_nodes: int = 20_000
    """Nodes per anchor while duals are priced with the large groups."""
    first_sizes: tuple[int, ...] = (50, 50, 70, 100, 100, 140)
    """Tuples per window at first, far from the bound: many groups may pay there."""
    gap: GapLimits = GapLimits()


@dataclass(frozen=True, kw_only=True)
class BlockLimits:
    """Large tables in blocks."""

    rows: int = 40_000
    """Tables with more different rows are cut into blocks."""
    tuples: int = 5_000
    """Of a block, at most."""
    rounds: int = 24
    """So often the table is cut, at most, if there is time for moves."""
    fewest: int = 12
    """Moves per tuple that are worth a round."""
    unlimited: int = 40
    """Moves per tuple and round without a time limit."""
    hot: float = 0.5
    """Heat of the first round's moves, as in `Cooling`;"""
    warm: float = 0.3
    """of the others';"""
    cold: float = 1 / 200
    """and at their ends."""
    priced: int = 3_000
    """Tuples of a block whose linear program is solved, at most."""
    close: float = 1e-3
    """Relative distance of its bound at which that counts as solved."""
    passes: int = 3
    """So often the table is cut into such blocks, if there is time."""
    first_pass: float = 0.6
    """Part of the time for the first of them."""
    shares: int = 8
    """Tasks that the boxes of a wave are dealt to."""


@dataclass(frozen=True, kw_only=True)
class SignatureLimits:
    """Signature plan: equal counts and a past."""

    starts: int = 8
    """Random fillings of the counts that are tried."""
    count_nodes: int = 2_000
    """Of the search tree over counts."""
    flat_cut_rounds: int = 10
    """Rounds of cuts without boxes."""
    flat_nodes: int = 2_000
    """Of the program over the columns so far without boxes."""
    cut_rounds: int = 10
    """Rounds of cuts."""
    least_gain: float = 1e-5
    """Relative gain below which cutting ends."""
    pool_nodes: int = 200
    """Of the program over the columns so far."""
    near: float = 0.03
    """Gap up to which programs and lists come before regions."""
    per_anchor: int = 6
    """Groups taken over per anchor and round."""
    most_nodes: int = 300_000
    """Of a search per anchor and way of searching."""
    region: int = 90
    """Tuples of a region."""
    first_region: int = 45
    """The same at first, far from the best: small regions gain soonest."""
    faked: float = 0.3
    """Part of the regions that begin with groups with counterfeits, wherever they are."""
    region_nodes: int = 10_000
    """Of a search in a region, per anchor."""
    region_program_nodes: int = 300
    """Of the program of a region."""
    stall: int = 40
    """Regions without improvement after which it ends."""
    gap: GapLimits = GapLimits(most_listed=60_000, search_nodes=300_000, nodes=1_000)


@dataclass(frozen=True, kw_only=True)
class AheadLimits:
    """Series that look ahead."""

    all_signatures: int = 400
    """Sets of values of least size are all taken as signatures if they are no more than this,"""
    windows: int = 8
    """otherwise sets of values with nearly the same number of tuples, so many times;"""
    larger: int = 60
    """and so many sets with one value more."""
    need_moves: int = 400
    """Exchanges per group of a bucket, until it gets one more,"""
    most_groups: int = 4
    """up to so many per tuple of the most frequent value."""
    fewest_seconds: float = 1.5
    """For the family with the fewest counterfeits,"""
    price_seconds: float = 1.5
    """and for a round of prices."""
    rounds: int = 3
    """Of prices."""
    gap: float = 0.05
    """Families so near the best of a round will do."""
    nodes: int = 30
    """Of the program over counts."""
    usual: int = 8
    """Groups that a signature is thought to have, before a solution says it."""
    tie: float = 0.02
    """Price of a group that V does not charge."""
    moves: int = 4_000
    """Exchanges per tuple,"""
    most_moves: int = 30_000_000
    """at most so many in all;"""
    restarts: int = 8
    """so often from the beginning."""
    again: int = 4
    """Part of them after a signature got a further group."""
    attempts: int = 6
    """How often that happens."""
    hot: float = 1.0
    """First temperature, in losses of one tuple in one attribute,"""
    warm: float = 0.15
    """the same when it goes on,"""
    cold: float = 0.004
    """and the last one."""
    penalty: float = 8.0
    """For each earlier group that shares too many, in the same unit."""


@dataclass(frozen=True, kw_only=True)
class CountsLimits:
    """Counts plan: histograms alone."""

    tops: tuple[int, ...] = (48, 400, 4_000)
    """Groups up to these sizes are looked at in turn, until no larger one can be better."""
    splits: int = 1_000
    """Sizes below one from which all groups split that are looked at up to it at once."""
    most_sizes: int = 4_000
    """Largest group of equal counts that is looked at."""
    most_judged: int = 40_000_000
    """Numbers that are judged for it, per partial sum."""
    most_parts: int = 3_000
    """Histograms of one size that are listed."""
    most_evened: int = 20_000
    """Histograms that are listed where only sorted counts matter."""
    most_listed: int = 40_000
    """Histograms that are listed otherwise, admissible or not."""
    most_needed: int = 2_500
    """Admissible ones; more are not searched for splits."""
    most_halves: int = 500
    """Halves of halves of the table, about, where not all histograms are listed."""
    sizes: int = 24
    """Sizes with a histogram as close as can be to the table's, where not all are."""
    largest_cost: int = 1 << 50
    """Of a whole release: far inside int64."""
    proof_nodes: int = 200
    """Of a search tree that is written down."""
    tree_nodes: int = 200
    """Of a search tree that solves a level."""
    chunk: int = 4_000_000
    """Numbers that are judged at a time: memory."""


@dataclass(frozen=True, kw_only=True)
class EnumeratedLimits:
    """Enumerated plan: listed groups."""

    small: int = 10
    """Up to so many tuples nothing is tried before the exact programs."""
    least_listed: int = 2_000
    """Groups of the first list that is guided by duals."""
    most_listed: int = 200_000
    """Groups of the longest one."""
    direct_rows: int = 40
    """Up to so many tuples the direct model is asked if no start is a release."""
    coarse: int = 64
    """Finest unit of duals in the integer program, as a fraction of a cost."""
    near: int = 6
    """Groups around one that are tried with it."""
    tested: int = 12
    """Changes of one pair that are judged, the best first."""
    largest: int = 60
    """Pairs with more tuples are only cut, not searched for moves and swaps."""
    work: int = 2_000_000_000
    """Pairs looked at for one anchor: a second or two, in which the clock is not heard."""
    long: int = 5_000
    """Longer lists are not presolved to the last: parts of that hear no clock."""
    seen: int = 12
    """Releases of one call that are looked at, the last ones."""


HISTOGRAM_LIMITS = HistogramLimits()
POINTS = PointLimits()
SIGNATURE_LIMITS = SignatureLimits()
COUNTS_LIMITS = CountsLimits()
ENUMERATED_LIMITS = EnumeratedLimits()
AHEAD = AheadLimits()
ANNEALING = AnnealingLimits()
BLOCKS = BlockLimits()
DEALING = DealingLimits()
DIVING = DivingLimits()
FIRST_ORDER = FirstOrderLimits()
MASTER = MasterLimits()
MIXING = MixingLimits()
NEIGHBOURS = NeighbourLimits()
PORTFOLIO = PortfolioLimits()
PRICING = PricingLimits()
ROUNDING = RoundingLimits()
START = StartLimits()
SUPPRESSING = SuppressingLimits()
WINDOWS = WindowLimits()
