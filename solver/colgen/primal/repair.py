"""A release of an earlier state of the table made into a start: respondents may be gone or new."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ....models.release import Release
from ..column import Group
from ..structure.histograms import Judge
from ..table import Rows
from .rounding import completed

__all__ = ["repaired"]


def repaired(
    release: Release, row_of: Mapping[str, int], rows: Rows, judge: Judge, *, buckets: bool
) -> list[Group] | None:
    """Groups of a release without respondents that are gone, and with the new ones; None if that failed.

    A group that is no longer admissible is dissolved; its respondents and the new ones go where they
    cost least (see `rounding.completed`).

    Parameters
    ----------
    row_of
        Row of each respondent of the table now.
    """
    values = judge.told_apart
    free = rows.count.copy()
    kept: list[Group] = []
    for group in release.groups:
        members = [row_of[who] for who in group.respondents if who in row_of]
        counts = np.bincount(rows.value[members], minlength=values).tolist() if members else []
        if members and judge.admits(tuple(counts)):
            kept.append(tuple(sorted(members)))
            np.subtract.at(free, members, 1)
    if (free < 0).any():
        return None
    for member in release.suppressed[: rows.spare]:
        row = row_of.get(member.respondent)
        if row is not None:
            kept.append((row,))
            free[row] -= 1
    return completed(rows, judge, kept, np.repeat(np.arange(len(rows)), free), buckets=buckets)
