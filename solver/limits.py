"""How far the plans of column generation search that share numbers: nodes, columns, sizes, and why.

The others have theirs beside them. What compiled functions read is in `solver.colgen`, so that a new number
of a plan compiles nothing again. Shares of time are in `solver.schedule`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from .colgen.limits import GapLimits

__all__ = [
    "BLOCKS",
    "HISTOGRAM_LIMITS",
    "PORTFOLIO",
    "SIGNATURE_LIMITS",
    "BlockLimits",
    "HistogramLimits",
    "PortfolioLimits",
    "SignatureLimits",
]


@dataclass(frozen=True, kw_only=True)
class PortfolioLimits:
    """Published heuristics before a search."""

    tuples: int = 10_000
    """Of larger tables each heuristic gets less of the time,"""
    beaten: Fraction = Fraction(3, 2)
    """and none once what a search has reached, so many times as much, is no more than the best of theirs."""


@dataclass(frozen=True, kw_only=True)
class HistogramLimits:
    """Histogram plan: groups judged by what is published of them."""

    simplex_rows: int = 150
    """From so many rows on, a first-order method takes the place of the simplex method,"""
    simplex_buckets: Fraction = Fraction(5, 3)
    """and from so many times as many where groups have each value once: dives find what sweeps do not."""
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
    noises: tuple[float, ...] = (0.0, 0.2, 0.2, 0.2)
    """Added to amounts of a small table's columns, dive by dive,"""
    noises_on: tuple[float, ...] = (0.1, 0.2, 0.4)
    """and once its linear program is solved with cuts,"""
    dives_stalled: int = 20
    """until so many rounds of these in a row gain nothing."""
    simplex_far: float = 0.75
    """Bound, as a share of the linear program, under which large groups are left to a part of the policy."""
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
    box_left: float = 0.02
    """Share of the tuples left over by a rounding: more, where values matter, are grouped by themselves."""
    box_starts: int = 4
    """One search for a cut for so many groups of the linear program, in large tables."""
    box_smoothing: float = 0.3
    """Share of the best duals after cuts were added: far from them, searches under cuts take long."""
    dive_noise: float = 0.15
    """The same where it is dived into."""
    box_gain: tuple[float, float] = (4e-4, 5e-5)
    """Relative gain of a round of cuts that counts, before releases and after some,"""
    box_patience: int = 2
    """and rounds without one after which cutting ends."""
    box_program_nodes: int = 5_000
    """Of the integer program over columns known so far,"""
    box_program_columns: int = 3_000
    """and how many it has at most, those of the least reduced costs."""
    box_closed: float = 0.01
    """Gap up to which tables by boxes are closed over listed groups."""
    box_stalled: int = 12
    """So many roundings in a row that lead to nothing better are tried without a time limit."""
    unlisted: int = 40
    """Tuples from which on histograms need not be listed: bounds come from a part of the policy."""
    shares_swept: int = 6
    """Where shares of values matter there has to be time to go through all boxes so often."""
    recursive_tuples: int = 500
    """Recursive l-diversity is priced so from here on: in small tables what it says less matters more."""
    finished_rows: int = 4_000
    """Rows up to which the gap is closed over listed groups; larger tables are swept on."""
    whole_nodes: int = 20_000
    """Nodes per anchor while duals are priced with the large groups."""
    first_sizes: tuple[int, ...] = (50, 50, 70, 100, 100, 140)
    """Tuples per window at first, far from the bound: many groups may pay there."""
    gap: GapLimits = field(default_factory=GapLimits)


@dataclass(frozen=True, kw_only=True)
class BlockLimits:
    """Large tables in blocks."""

    rows: int = 40_000
    """Tables with more different rows are cut into blocks,"""
    beyond_rows: int = 300
    """with more than that if groups of any size may be needed,"""
    beyond_admitted: float = 0.8
    """but this part of near tuples that are just enough for a group is one,"""
    listed_rows: int = 4_000
    """with more than that if needed histograms are listed, so that a linear program of all boxes is known,"""
    nested_rows: int = 2_000
    """or than that if these are too many to be listed: those of several numbers,"""
    nested: int = 10_000
    """but not with more nested intervals than that."""
    tuples: int = 5_000
    """Of a block, at most."""
    rounds: int = 4
    """So often the table is cut anew before the linear program,"""
    moves: int = 12
    """and moves per tuple each time: many short rounds reach more than a few long ones."""
    hot: float = 0.5
    """Heat of the first round's moves, as in `Cooling`;"""
    warm: float = 0.3
    """of the others';"""
    cold: float = 1 / 200
    """and at their ends."""
    close: float = 1e-3
    """Relative distance of bound and linear program at which that counts as solved."""
    box: float = 0.3
    """First side of the box around its duals, in typical costs per tuple,"""
    cut_box: float = 0.1
    """after cuts,"""
    smoothing: float = 0.2
    """and first share of the best duals in those that are priced."""
    iterations: int = 120
    """First-order steps between two sweeps: while they are taken, workers wait."""
    phases: tuple[tuple[int, int, int, int], ...] = (
        (10, 0, 160, 40),
        (30, 2, 320, 80),
        (0, 4, 640, 160),
    )
    """Rounds of the linear program, how often cuts are sought, then moves for tuples that no group of it has,
    and for all in each round of blocks after that."""
    sure: float = 0.5
    """It is rounded to groups of which it takes more than that."""
    anew: tuple[int, ...] = (2, 1, 1)
    """How moves for tuples that are in no such group are shared by rounds,"""
    rest: float = 0.4
    """and which part of all tuples these are, about."""
    cool: tuple[float, ...] = (0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03)
    """Heat of the moves in each round of blocks after it is rounded,"""
    coldest: float = 3e-4
    """and at their ends."""
    cut_starts: int = 1_500
    """Cuts are sought by so many searches in each piece,"""
    cut_groups: int = 4
    """or by one for so many groups that are taken there, if these are more:"""
    searches: int = 2
    """dealt to so many tasks;"""
    separated: int = 40_000
    """of so many tuples at most,"""
    cut_sweeps: int = 6
    """and each time there are so many rounds of the linear program."""
    bands: int = 5
    """Waves per attribute that boxes are shared by, at most,"""
    shares: int = 8
    """and tasks that those of a wave are dealt to."""
    further: int = 2
    """What holds most rows is dealt once more by nodes of so many further attributes, one after the other."""
    patience: float = 1.5
    """When time is over, a sweep is given up that takes so many times as long as any before it."""


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
    gap: GapLimits = field(
        default_factory=lambda: GapLimits(most_listed=60_000, search_nodes=300_000, nodes=1_000)
    )


HISTOGRAM_LIMITS = HistogramLimits()
SIGNATURE_LIMITS = SignatureLimits()
BLOCKS = BlockLimits()
PORTFOLIO = PortfolioLimits()
