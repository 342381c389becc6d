"""The policy that is proposed to begin with, the same for the same question wherever it is asked.

`init` and the page ask whether a table is published once or again and again; both then start with this. A
series starts as `series_policy` says. A table that is published once gets groups of a few rows in which no
value is too frequent, with limits that one group of all rows keeps, so that there is a release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .series_policy import MINIMIZE, series_requirements

__all__ = ["AGAIN", "LARGE", "MOST_LEFT_OUT", "ONCE", "UsualPolicy", "once_requirement", "usual_policy"]

LARGE = 200
"""A single table of more rows gets one level per column for all of it: that is solved in seconds."""
MOST_LEFT_OUT = "0.05"
ONCE = "This table is published once: the policy looks at no other release."
AGAIN = (
    "This table is published again and again: every release must keep the policy together with all those "
    "before it, because releases that are harmless one by one can disclose somebody together."
)

_SHARES = ("1/2", "2/3", "3/4", "4/5", "9/10")


@dataclass(frozen=True, kw_only=True)
class UsualPolicy:
    """What is proposed, and why.

    Attributes
    ----------
    why : str
        In a sentence.
    requirements : Mapping of str to Mapping
        Settings by name, as a problem file gives them.
    minimize : tuple of str
    recoding : str
    max_suppressed : str or None
    """

    why: str
    requirements: Mapping[str, Mapping[str, Any]]
    minimize: tuple[str, ...]
    recoding: str = "multidimensional"
    max_suppressed: str | None = None


def usual_policy(*, again: bool, counts: Mapping[str, int] | None = None) -> UsualPolicy:
    """Propose a policy.

    Parameters
    ----------
    again : bool
        Whether the table is published again and again.
    counts : Mapping of str to int, optional
        How many rows have each sensitive value; without it, of a table that is yet to come.
    """
    if again:
        return UsualPolicy(why=AGAIN, requirements=series_requirements(counts), minimize=MINIMIZE)
    large = counts is not None and sum(counts.values()) > LARGE
    return UsualPolicy(
        why=ONCE,
        requirements={"k_c_anonymity": once_requirement(counts or {"any": 1, "other": 1})},
        minimize=("information_loss",),
        recoding="full_domain" if large else "multidimensional",
        max_suppressed=MOST_LEFT_OUT if large else None,
    )


def once_requirement(counts: Mapping[str, int], k: int | None = None) -> dict[str, Any]:
    """Settings of (k, c)-anonymity that one group of all rows keeps; no c if nearly all share a value."""
    rows = sum(counts.values())
    share = Fraction(max(counts.values()), rows)
    found: dict[str, Any] = {"k": k if k is not None else 5 if rows >= 20 else 3 if rows >= 6 else 2}
    most = next((text for text in _SHARES if share <= Fraction(text)), None)
    return found if most is None else {**found, "c": most}
