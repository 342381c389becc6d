"""Independent brute-force oracle: every release of a small table, every definition read plainly.

Meant for up to about eight tuples. `candidate_releases` lists all releases of a table,
`optimum` the best safe one; the checks, attacks, losses and possible worlds live in the
modules whose names start with this one's and are all offered here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, product

from oracle.brute_force_attacks import (
    Difference,
    Trace,
    difference_breaches,
    difference_safety,
    inferable_values,
    intersection_safety,
    significant_values,
    trace_records,
    traced_people,
    tracing_safety,
)
from oracle.brute_force_checks import (
    Check,
    c_diverse,
    correlation_degree,
    distinct_l_diversity,
    distribution_distance,
    entropy_l_diversity,
    global_guarantee,
    hc_safety,
    k_c,
    link_probability,
    recursive_diversity,
    series,
    t_closeness,
    weak_m_invariance,
    weak_m_uniqueness,
    weakly_unique,
)
from oracle.brute_force_losses import LOSSES, Loss
from oracle.brute_force_tables import (
    Attribute,
    Coordinate,
    Flat,
    Group,
    History,
    Interval,
    Item,
    Number,
    Numeric,
    Ordered,
    Person,
    Release,
    ReleaseLike,
    Taxonomy,
    box,
    compatible,
    covers,
    groups_with,
    microdata,
    names_of,
    perimeter,
    published,
    subsets,
)
from oracle.brute_force_worlds import (
    World,
    arrangements,
    ever_linked,
    persistent_worlds,
    possible_values,
    posterior,
)

__all__ = [
    "LOSSES",
    "Attribute",
    "Check",
    "Coordinate",
    "Difference",
    "Flat",
    "Group",
    "History",
    "Interval",
    "Loss",
    "Number",
    "Numeric",
    "Ordered",
    "Person",
    "Release",
    "ReleaseLike",
    "Taxonomy",
    "Trace",
    "World",
    "arrangements",
    "box",
    "c_diverse",
    "candidate_releases",
    "compatible",
    "correlation_degree",
    "counterfeit_choices",
    "covers",
    "difference_breaches",
    "difference_safety",
    "distinct_l_diversity",
    "distribution_distance",
    "entropy_l_diversity",
    "ever_linked",
    "global_guarantee",
    "groups_with",
    "hc_safety",
    "inferable_values",
    "intersection_safety",
    "k_c",
    "link_probability",
    "microdata",
    "names_of",
    "optimal_releases",
    "optimum",
    "perimeter",
    "persistent_worlds",
    "possible_values",
    "posterior",
    "published",
    "recursive_diversity",
    "series",
    "set_partitions",
    "significant_values",
    "subsets",
    "t_closeness",
    "trace_records",
    "traced_people",
    "tracing_safety",
    "weak_m_invariance",
    "weak_m_uniqueness",
    "weakly_unique",
]


def set_partitions(items: Sequence[Item]) -> Iterator[tuple[tuple[Item, ...], ...]]:
    """All ways to split the items into non-empty blocks; nothing has one: no block."""
    if not items:
        yield ()
        return
    first, rest = items[0], items[1:]
    for blocks in set_partitions(rest):
        yield ((first,), *blocks)
        for number, block in enumerate(blocks):
            yield (*blocks[:number], (first, *block), *blocks[number + 1 :])


def counterfeit_choices(max_fakes: int, fake_values: Sequence[str]) -> list[tuple[tuple[str, int], ...]]:
    """All multisets of at most `max_fakes` of the values, as pairs (value, count)."""
    values = sorted(set(fake_values))
    multisets = chain.from_iterable(
        combinations_with_replacement(values, size) for size in range(max_fakes + 1)
    )
    return [tuple(sorted(Counter(multiset).items())) for multiset in multisets]


def candidate_releases(
    table: Sequence[Person],
    max_fakes: int = 0,
    fake_values: Sequence[str] = (),
    max_suppressed: int = 0,
    admits: Callable[[Group], bool] | None = None,
) -> Iterator[Release]:
    """All releases of a table that publish somebody, each once.

    Parameters
    ----------
    table
        Microdata.
    max_fakes, fake_values
        Each group may get any multiset of at most so many fakes with these values.
    max_suppressed
        At most so many tuples may be left out.
    admits
        Only releases all whose groups pass; for conditions on single groups, to save time.
    """
    fakes = counterfeit_choices(max_fakes, fake_values)
    variants: dict[tuple[Person, ...], list[Group]] = {}
    for gone in range(min(max_suppressed, len(table) - 1) + 1):
        for hidden in combinations(table, gone):
            shown = [person for person in table if person not in hidden]
            for blocks in set_partitions(shown):
                for block in blocks:
                    if block not in variants:
                        groups = [Group(block, choice) for choice in fakes]
                        variants[block] = [g for g in groups if admits is None or admits(g)]
                for groups in product(*(variants[block] for block in blocks)):
                    yield Release(groups, hidden)


def _cost(
    release: Release,
    attributes: Sequence[Attribute],
    losses: Sequence[Loss],
    best: tuple[Fraction, ...] | None,
) -> tuple[Fraction, ...] | None:
    """All losses, or None as soon as the first of them are worse than the best ones."""
    cost: tuple[Fraction, ...] = ()
    for loss in losses:
        cost = (*cost, loss(release, attributes))
        if best is not None and cost > best[: len(cost)]:
            return None
    return cost


def optimal_releases(
    table: Sequence[Person],
    attributes: Sequence[Attribute],
    checks: Sequence[Check],
    objective: Sequence[str | Loss],
    history: History = (),
    max_fakes: int = 0,
    fake_values: Sequence[str] = (),
    max_suppressed: int = 0,
    admits: Callable[[Group], bool] | None = None,
) -> tuple[tuple[Fraction, ...] | None, list[Release]]:
    """Lexicographic optimum over all safe releases, with every release that attains it.

    `checks` are called as check(release, history); `objective` names losses of `LOSSES`, most
    important first, or gives functions of (release, attributes). (None, []) if nothing is safe.
    """
    losses = [LOSSES[item] if isinstance(item, str) else item for item in objective]
    best: tuple[Fraction, ...] | None = None
    found: list[Release] = []
    for release in candidate_releases(table, max_fakes, fake_values, max_suppressed, admits):
        cost = _cost(release, attributes, losses, best)
        if cost is not None and all(check(release, history) for check in checks):
            found = [*found, release] if cost == best else [release]
            best = cost
    return best, found


def optimum(
    table: Sequence[Person],
    attributes: Sequence[Attribute],
    checks: Sequence[Check],
    objective: Sequence[str | Loss],
    history: History = (),
    max_fakes: int = 0,
    fake_values: Sequence[str] = (),
    max_suppressed: int = 0,
    admits: Callable[[Group], bool] | None = None,
) -> tuple[Fraction, ...] | None:
    """Lexicographic optimum over all safe releases; None if there is none.

    See `optimal_releases`.
    """
    return optimal_releases(
        table,
        attributes,
        checks,
        objective,
        history,
        max_fakes,
        fake_values,
        max_suppressed,
        admits,
    )[0]
