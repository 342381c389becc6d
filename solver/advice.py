"""What to try next: a release that keeps its policy may still be one that nobody wants to publish.

Nothing here is a verdict; each sentence names what stands out and which setting usually changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf

from .status import Termination

__all__ = ["NO_RELEASE", "advice", "of_limit"]

MUCH = Fraction(1, 10)
"""Share of the rows above which what is invented or left out is pointed at."""
NO_RELEASE = "`optanon explain` says which parts conflict, and which policies come nearest"
"""For whoever asked for what cannot be had."""


def of_limit(ended: str, limit: float) -> str:
    """Whether a longer time limit would help a search that left something open, in words; empty if not.

    Parameters
    ----------
    ended : str
        Value of the `Termination`.
    limit : float
        Seconds.
    """
    helps = "may find a better release or bound"
    if ended == Termination.TIME_LIMIT.value:
        return f"the search was stopped by its time limit of {limit:g} s: a longer one {helps}"
    if ended == Termination.ITERATION_LIMIT.value and limit < inf:
        return f"the search took all its steps within {limit:g} s: a longer limit, which they share, {helps}"
    return ""


def advice(
    *, rows: int, left_out: int, invented: int, blank: Sequence[str], full_domain: bool
) -> tuple[str, ...]:
    """Sentences about a release.

    Parameters
    ----------
    rows, left_out, invented : int
        Of the table, and of the release.
    blank : sequence of str
        Columns of which nothing is said of anybody.
    full_domain : bool
        Whether columns have one level throughout.
    """
    found: list[str] = []
    shown = rows - left_out + invented
    if invented > MUCH * shown:
        found.append(
            f"{invented:,} of {shown:,} rows shown are invented: a smaller m needs fewer, "
            "max_counterfeits sets a limit"
        )
    if left_out > MUCH * rows:
        found.append(
            f"{left_out:,} of {rows:,} rows are left out: a smaller max_suppressed keeps more of them"
        )
    if blank:
        how = "smaller groups keep more"
        if full_domain:
            how = "recoding: multidimensional (any grouping) keeps more"
        found.append(f"{', '.join(blank)}: published as * only; {how}, or give a weight to what matters most")
    return tuple(found)
