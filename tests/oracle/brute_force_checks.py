"""Privacy checks straight from their definitions.

Each function here takes the parameters and returns a check: (release, history) -> is it safe?
A check judges the new release against all earlier ones and blames only what the new release
takes part in; faults among the earlier releases alone are not held against it. Use `series`
to judge a whole history. Sizes and histograms are the published ones, fakes included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from math import prod
from typing import Literal, TypeAlias

from oracle.brute_force_tables import (
    Group,
    History,
    Number,
    ReleaseLike,
    groups_with,
    microdata,
    names_of,
    published,
    subsets,
)

Check: TypeAlias = Callable[[ReleaseLike, History], bool]


def series(check: Check, history: History) -> bool:
    """Whether each release of the history passes the check, given the ones before it."""
    return all(check(release, history[:time]) for time, release in enumerate(history))


def _every_group(condition: Callable[[Counter[str]], bool]) -> Check:
    def check(release: ReleaseLike, history: History) -> bool:
        del history
        return all(condition(group.histogram) for group in release[0])

    return check


def c_diverse(histogram: Counter[str], c: Fraction) -> bool:
    """Whether no value holds more than the share c."""
    return all(count <= c * histogram.total() for count in histogram.values())


def k_c(k: int, c: Fraction = Fraction(1)) -> Check:
    """(k, c)-anonymity (Byun et al., Def. 1): size >= k, no value above the share c."""
    return _every_group(lambda found: found.total() >= k and c_diverse(found, c))


def distinct_l_diversity(l: int) -> Check:  # noqa: E741 - the parameter's usual name
    """At least l different values in each group."""
    return _every_group(lambda found: len(found) >= l)


def entropy_l_diversity(l: Number) -> Check:  # noqa: E741
    """Entropy at least log l: with size s and counts n, s^s >= l^s * product of n^n."""

    def condition(found: Counter[str]) -> bool:
        size = found.total()
        return size**size >= Fraction(l) ** size * prod(n**n for n in found.values())

    return _every_group(condition)


def recursive_diversity(c: Number, l: int) -> Check:  # noqa: E741
    """(c, l)-diversity: counts r1 >= r2 >= ... satisfy r1 < c * (r_l + ... + r_m)."""

    def condition(found: Counter[str]) -> bool:
        counts = sorted(found.values(), reverse=True)
        return counts[0] < c * sum(counts[l - 1 :])

    return _every_group(condition)


def distribution_distance(
    one: Counter[str], other: Counter[str], order: Sequence[str] | None = None
) -> Fraction:
    """Earth mover's distance of two histograms: equal ground distance, or ordered values.

    Without `order` half the sum of absolute differences of the shares. With it, the sum of
    absolute cumulative differences divided by (number of values - 1).
    """
    domain = sorted(one | other) if order is None else list(order)
    if not set(one | other) <= set(domain):
        raise ValueError("a value is missing in the ordered domain")
    gaps = [Fraction(one[v], one.total()) - Fraction(other[v], other.total()) for v in domain]
    if order is None:
        return sum(map(abs, gaps), Fraction(0)) / 2
    if len(domain) == 1:
        return Fraction(0)
    carried = (abs(sum(gaps[: end + 1], Fraction(0))) for end in range(len(gaps)))
    return sum(carried, Fraction(0)) / (len(domain) - 1)


def t_closeness(t: Number, order: Sequence[str] | None = None) -> Check:
    """Each group's published values within t of those of everybody (suppressed too, no fakes)."""

    def check(release: ReleaseLike, history: History) -> bool:
        del history
        everybody = Counter(person.value for person in microdata(release))
        return all(distribution_distance(group.histogram, everybody, order) <= t for group in release[0])

    return check


def weakly_unique(group: Group, m: int, *, strict: bool = False) -> bool:
    """At least m values, all published equally often (strict: once)."""
    counts = set(group.histogram.values())
    return len(group.signature) >= m and len(counts) == 1 and (not strict or counts == {1})


def weak_m_uniqueness(m: int, *, strict: bool = False) -> Check:
    """Riboni and Bettini, Def. 5; strict: m-uniqueness (each value once)."""

    def check(release: ReleaseLike, history: History) -> bool:
        del history
        return all(weakly_unique(group, m, strict=strict) for group in release[0])

    return check


def weak_m_invariance(m: int, *, strict: bool = False) -> Check:
    """Riboni and Bettini, Def. 6, read per respondent; strict: m-invariance.

    Whoever was in any earlier release, however long ago, must be published with the signature
    of each of those groups.
    """
    unique = weak_m_uniqueness(m, strict=strict)

    def check(release: ReleaseLike, history: History) -> bool:
        return unique(release, history) and all(
            earlier.signature == group.signature
            for group in release[0]
            for name in group.names
            for earlier in groups_with(history, name)
        )

    return check


def correlation_degree(ones: Iterable[Group], others: Iterable[Group]) -> int | None:
    """Fewest known respondents that make a historical correlation of two groups usable.

    Riboni and Bettini, Def. 3, with C = all common respondents, for one group per side or for
    unions of groups per side. Equal published multisets leave values(R1) + fakes(ones) =
    values(R2) + fakes(others). Something about a member of R1 follows once everybody behind
    the right hand side is known; nobody can know a fake. None: no usable correlation.
    """
    ones, others = tuple(ones), tuple(others)
    left, right = names_of(ones), names_of(others)
    if published(ones) != published(others) or not left & right:
        return None
    r1, r2 = left - right, right - left
    degrees: list[int] = []
    if r1 and not any(group.fake_count for group in others):
        degrees.append(len(r2))
    if r2 and not any(group.fake_count for group in ones):
        degrees.append(len(r1))
    return min(degrees, default=None)


def _hcsafe(group: Group, earlier: ReleaseLike, n: int) -> bool:
    """Fig. 6 of Riboni and Bettini; sharing nobody (overlap 0) is safe whatever n is."""
    overlap = max((len(group.names & old.names) for old in earlier[0]), default=0)
    return overlap == 0 or not group.size - n < overlap < group.size


def _degrees(release: ReleaseLike, earlier: ReleaseLike, *, unions: bool) -> Iterator[int]:
    new_sides = subsets(release[0]) if unions else ((group,) for group in release[0])
    for ones in new_sides:
        old_sides = subsets(earlier[0]) if unions else ((group,) for group in earlier[0])
        for others in old_sides:
            degree = correlation_degree(ones, others)
            if degree is not None:
                yield degree


def hc_safety(n: int, reading: Literal["definition", "hcsafe", "unions"] = "definition") -> Check:
    """Hc-safety of degree n (Riboni and Bettini, Def. 7) against every earlier release.

    `definition` compares single groups by `correlation_degree`, `hcsafe` is Fig. 6, `unions`
    compares all unions of groups of the new and one earlier release. Meant for n not above the
    m of weak m-invariance.
    """

    def check(release: ReleaseLike, history: History) -> bool:
        if reading == "hcsafe":
            return all(_hcsafe(group, old, n) for old in history for group in release[0])
        unions = reading == "unions"
        return all(d >= n for old in history for d in _degrees(release, old, unions=unions))

    return check


def link_probability(history: History, name: str, value: str) -> Fraction:
    """P(respondent was ever linked to the value) = 1 - product of (1 - n_i/|A_i|).

    Fu et al., Lemma 4.2, transient values. Releases without the respondent have factor 1.
    """
    never = Fraction(1)
    for group in groups_with(history, name):
        never *= 1 - Fraction(group.histogram[value], group.size)
    return 1 - never


def global_guarantee(l: Number, protected: Collection[str] | None = None) -> Check:  # noqa: E741
    """Fu et al.: link probability at most 1/l for all (or the protected) values.

    Judged where the new release links a respondent to a value; a release without that link
    leaves the probability as it was.
    """

    def check(release: ReleaseLike, history: History) -> bool:
        whole = (*history, release)
        return all(
            link_probability(whole, name, value) * l <= 1
            for group in release[0]
            for name in group.names
            for value in group.signature
            if protected is None or value in protected
        )

    return check
