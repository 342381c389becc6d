"""Settings of every registered requirement beside the check of the oracle that they stand for.

A new requirement costs one line in `EXAMPLES`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import oracle.brute_force as bf
from oracle.brute_force_linear import deep_hc_safety
from oracle.brute_force_worlds import inference_safety

from cases.correlations import safe_as_it_is, safe_together
from optanon.models.requirement import Requirement
from optanon.models.requirements import build_requirement

F = Fraction


@dataclass(frozen=True)
class Example:
    """Settings of a requirement, the oracle's check for them, and what instances they need."""

    settings: Mapping[str, Any]
    oracle: Callable[[Sequence[bf.Attribute]], bf.Check]
    needs: Mapping[str, Any] = field(default_factory=dict[str, Any])


def example(check: bf.Check, needs: Mapping[str, Any] | None = None, **settings: Any) -> Example:
    """An example whose check asks for no quasi-identifiers; otherwise use `Example` itself."""
    return Example(settings, lambda attributes: check, needs or {})


def links(
    l: Fraction,  # noqa: E741 - the parameter's usual name
    rule: Callable[[Fraction, Fraction, Fraction, int], bool],
    protected: Collection[str] | None = None,
) -> bf.Check:
    """A rule on every link of the new release: (before, after, share, earlier links) -> is it fine?"""

    def check(release: bf.ReleaseLike, history: bf.History) -> bool:
        return all(
            rule(
                bf.link_probability(history, name, value),
                bf.link_probability((*history, release), name, value),
                F(group.histogram[value], group.size),
                sum(value in old.signature for old in bf.groups_with(history, name)),
            )
            for group in release[0]
            for name in group.names
            for value in group.signature
            if protected is None or value in protected
        )

    return check


def constant_ratio(l: Fraction, k: int, *, slack: bool = False) -> bf.Check:  # noqa: E741
    """Equal shares for k links, within the global guarantee."""
    return links(
        l,
        lambda before, after, share, times: (
            (1 - share) ** k >= 1 - 1 / l and after <= 1 / l and (times < k or slack)
        ),
    )


def geometric(l: Fraction, a: Fraction) -> bf.Check:  # noqa: E741
    """1/l - P shrinks by at most the factor a, and stays above 0."""
    return links(
        l, lambda before, after, share, times: before * l < 1 and 1 / l - after >= (1 / l - before) / a
    )


def tracing(k: int, attributes: Sequence[bf.Attribute], edges: Literal["exact", "plausible"]) -> bf.Check:
    """The oracle's tracing; leaving out somebody published before breaks the requirement."""
    trace = bf.tracing_safety(k, attributes, edges)

    def check(release: bf.ReleaseLike, history: bf.History) -> bool:
        known = {name for old in history for name in bf.names_of(old[0])}
        return known <= bf.names_of(release[0]) and trace(release, history)

    return check


ENUMERABLE = {"releases": (0, 2), "past_fakes": 1}
"""Instances whose possible worlds are few."""
EXAMPLES: dict[str, list[Example]] = {
    "k_c_anonymity": [
        example(bf.k_c(2), k=2),
        example(bf.k_c(1, F(1, 2)), k=1, c="1/2"),
        example(bf.k_c(3, F(2, 3)), k=3, c="2/3"),
    ],
    "distinct_l_diversity": [
        example(bf.distinct_l_diversity(2), l=2),
        example(bf.distinct_l_diversity(3), l=3),
    ],
    "entropy_l_diversity": [
        example(bf.entropy_l_diversity(2), l=2),
        example(bf.entropy_l_diversity(F(17, 10)), l=1.7),
    ],
    "recursive_c_l_diversity": [
        example(bf.recursive_diversity(F(3, 2), 2), c=1.5, l=2),
        example(bf.recursive_diversity(F(2, 3), 1), c="2/3", l=1),
        example(bf.recursive_diversity(3, 3), c=3, l=3),
    ],
    "t_closeness": [
        example(bf.t_closeness(F(1, 4)), t=0.25),
        example(bf.t_closeness(F(1, 5), "zdcba"), t="1/5", order=list("zdcba")),
        example(bf.t_closeness(0), t=0),
    ],
    "weak_m_invariance": [
        example(bf.weak_m_invariance(2), m=2),
        example(bf.weak_m_invariance(2, strict=True), m=2, multiplicity=1),
        example(bf.weak_m_invariance(1), m=1),
    ],
    "hc_safety": [
        example(bf.hc_safety(2, "hcsafe"), n=2),
        example(bf.hc_safety(2), n=2, reading="definition"),
        example(bf.hc_safety(3), n=3, reading="definition"),
        example(bf.hc_safety(1, "hcsafe"), n=1),
    ],
    "global_guarantee": [
        example(bf.global_guarantee(2), l=2),
        example(bf.global_guarantee(F(3, 2), "ab"), l=1.5, protected_values=["a", "b"]),
    ],
    "constant_ratio": [
        example(constant_ratio(F(3, 2), 2), l="3/2", k=2),
        example(constant_ratio(F(4, 3), 2, slack=True), l="4/3", k=2, beyond="slack"),
    ],
    "geometric": [
        example(geometric(F(3, 2), F(3)), l="3/2", a=3),
        example(geometric(F(4, 3), F(3)), l="4/3", a=3),
    ],
    "intersection": [
        example(bf.intersection_safety(F(1, 2), "multiset"), c="1/2"),
        example(bf.intersection_safety(F(2, 3), "multiset"), c="2/3"),
        example(bf.intersection_safety(F(1, 2), "set"), c="1/2", reading="set"),
    ],
    "difference": [
        example(bf.difference_safety(2, F(1)), k=2),
        example(bf.difference_safety(1, F(1, 2)), k=1, c="1/2"),
    ],
    "record_tracing": [
        Example(
            {"k": 2, "direction": "forward"},
            lambda a: tracing(2, a, "exact"),
            {"insert_only": True, "form": "generalized"},
        ),
        Example(
            {"k": 2, "direction": "forward", "edges": "plausible"},
            lambda a: tracing(2, a, "plausible"),
            {"insert_only": True, "form": "generalized"},
        ),
    ],
    "hc_safety_deep": [
        example(deep_hc_safety(2), {"tuples": (2, 3), "releases": (1, 2), "insert_only": True}, n=2)
    ],
    "resists_inference": [
        example(
            inference_safety(F(2, 3)),
            {"releases": (1, 2), "past_fakes": 0, "values": (3, 4)},
            max_posterior="2/3",
        ),
        example(inference_safety(F(1, 2)), ENUMERABLE, max_posterior=0.5),
        example(inference_safety(F(1), 2), ENUMERABLE, min_values=2),
        example(inference_safety(F(2, 3), 1, 1), ENUMERABLE, max_posterior="2/3", compromised=1),
        example(
            inference_safety(F(1), 2, 1, forgive=True),
            ENUMERABLE,
            min_values=2,
            compromised=1,
            forgive_past=True,
        ),
    ],
    "safe_correlation": [
        example(
            safe_as_it_is(0, 2, F(1, 3), F(1)),
            {"form": "anatomized", "kinds": ("point",), "attributes": (1, 1)},
            attribute="point0",
            l=2,
            min_confidence="1/3",
            max_confidence=1,
        ),
        example(
            safe_as_it_is(0, 2, F(1, 2), F(4, 5), F(1, 5), "qi", F(1, 3)),
            {"form": "anatomized", "kinds": ("flat",), "attributes": (1, 1)},
            attribute="flat0",
            l=2,
            min_confidence="1/2",
            max_confidence=0.8,
            min_support=0.2,
            support="qi",
            epsilon="1/3",
        ),
        example(
            safe_together((0, 1), 2, F(1, 3), F(4, 5), F(1, 2), "qi", F(1)),
            {"form": "anatomized", "kinds": ("flat",), "attributes": (2, 2), "values": (2, 3)},
            attribute=["flat0", "flat1"],
            l=2,
            min_confidence="1/3",
            max_confidence="4/5",
            min_support="1/2",
            support="qi",
            epsilon=1,
        ),
        example(
            safe_together(
                (0,), 2, F(1, 2), F(4, 5), support="qi", least=F(1, 5), epsilon=F(1, 3), worlds=True
            ),
            {"form": "anatomized", "kinds": ("flat",), "attributes": (1, 1), "values": (2, 3)},
            attribute="flat0",
            l=2,
            min_confidence="1/2",
            max_confidence=0.8,
            min_support=0.2,
            support="qi",
            epsilon="1/3",
            shares="worlds",
        ),
    ],
}
"""One line per requirement: its name, and the oracle's check beside the settings it stands for."""


def build(name: str, number: int) -> tuple[Requirement, Example]:
    found = EXAMPLES[name][number]
    return build_requirement(name, found.settings), found
