"""How far each plan searches: nodes, columns, sizes, and why. Shares of time are in `solver.schedule`."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "COUNTS_LIMITS",
    "ENUMERATED_LIMITS",
    "HISTOGRAM_LIMITS",
    "SIGNATURE_LIMITS",
    "CountsLimits",
    "EnumeratedLimits",
    "GapLimits",
    "HistogramLimits",
    "SignatureLimits",
]


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
SIGNATURE_LIMITS = SignatureLimits()
COUNTS_LIMITS = CountsLimits()
ENUMERATED_LIMITS = EnumeratedLimits()
