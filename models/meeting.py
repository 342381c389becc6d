"""What requirements may declare about groups with a history, so that engines need not ask each group.

`EqualCounts` is the form of m-invariance and its kin, `Meeting` the form of requirements
on what a new group has in common with earlier ones.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EqualCounts", "Meeting"]


@dataclass(frozen=True, kw_only=True)
class EqualCounts:
    """Groups that hold each of their values equally often, with one signature per respondent for ever.

    A requirement that declares it admits exactly the groups with at least `least` different values,
    all equally often, in which every respondent published before was published with the group's
    signature and no other.

    Attributes
    ----------
    least : int
        At least 1.
    times : int or None
        How often each value occurs; None for any number.
    """

    least: int
    times: int | None = None


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """How a new group meets an earlier one.

    Attributes
    ----------
    size, members : int
        Published tuples and respondents of the new group.
    shared : int
        Respondents in both, at least 1.
    old_size, old_members : int
        Published tuples and respondents of the earlier group.
    alike : bool
        Whether both publish the same histogram of sensitive values.
    """

    size: int
    members: int
    shared: int
    old_size: int
    old_members: int
    alike: bool
