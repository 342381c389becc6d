"""The policy that is proposed to begin with, the same for the same question wherever it is asked.

`init` and the page ask whether a table is published once or again and again; both then start with this. A
series starts as `series_policy` says; of several sensitive columns each is to stay open besides, not only
their combination. A table that is published once gets groups of a few rows in which no value of a sensitive
column is too frequent, with limits that one group of all rows keeps, so that there is a release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pandas as pd

from ..models.combination import joined
from ..models.missing import MISSING
from .series_policy import MINIMIZE, series_requirements

__all__ = ["LARGE", "SensitiveCounts", "UsualPolicy", "usual_policy"]

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
class SensitiveCounts:
    """How many rows have each value of the sensitive columns.

    Attributes
    ----------
    columns : Mapping of str to Mapping
        Of each column.
    combined : Mapping of str to int
        Of their combinations, which are the values of a single column.
    """

    columns: Mapping[str, Mapping[str, int]]
    combined: Mapping[str, int]

    @classmethod
    def of(cls, frame: pd.DataFrame, names: Sequence[str]) -> SensitiveCounts:
        """Count; missing cells are a value of their own."""
        values = {name: frame[name].fillna(MISSING).astype(str).tolist() for name in names}
        return cls(
            columns={name: Counter(each) for name, each in values.items()},
            combined=Counter(map(joined, zip(*values.values(), strict=True))),
        )


@dataclass(frozen=True, kw_only=True)
class UsualPolicy:
    """What is proposed, and why.

    Attributes
    ----------
    why : str
        In a sentence.
    requirements : sequence of (str, Mapping)
        Names with settings, as a problem file gives them.
    minimize : tuple of str
    recoding : str
    max_suppressed : str or None
    """

    why: str
    requirements: Sequence[tuple[str, Mapping[str, Any]]]
    minimize: tuple[str, ...]
    recoding: str = "multidimensional"
    max_suppressed: str | None = None


def usual_policy(*, again: bool, counts: SensitiveCounts | None = None, k: int | None = None) -> UsualPolicy:
    """Propose a policy.

    Parameters
    ----------
    again : bool
        Whether the table is published again and again.
    counts : SensitiveCounts, optional
        Without it, of a table that is yet to come.
    k : int, optional
        Smallest size of a group; default by the table's size, or none in a series.
    """
    several = list(counts.columns) if counts is not None and len(counts.columns) > 1 else []
    if again:
        asked = list(series_requirements(None if counts is None else counts.combined).items())
        if k is not None:
            asked.insert(0, ("k_c_anonymity", {"k": k}))
        asked += [("distinct_l_diversity", {"l": 2, "attribute": name}) for name in several]
        return UsualPolicy(why=AGAIN, requirements=asked, minimize=MINIMIZE)
    large = counts is not None and sum(counts.combined.values()) > LARGE
    columns = {"any": {"any": 1, "other": 1}} if counts is None else counts.columns
    return UsualPolicy(
        why=ONCE,
        requirements=[
            ("k_c_anonymity", _group(values, k) | ({"attribute": name} if several else {}))
            for name, values in columns.items()
        ],
        minimize=("information_loss",),
        recoding="full_domain" if large else "multidimensional",
        max_suppressed=MOST_LEFT_OUT if large else None,
    )


def _group(counts: Mapping[str, int], k: int | None) -> dict[str, Any]:
    """Settings of (k, c)-anonymity that one group of all rows keeps; no c if nearly all share a value."""
    rows = sum(counts.values())
    share = Fraction(max(counts.values()), rows)
    found: dict[str, Any] = {"k": k if k is not None else 5 if rows >= 20 else 3 if rows >= 6 else 2}
    most = next((text for text in _SHARES if share <= Fraction(text)), None)
    return found if most is None else {**found, "c": most}
