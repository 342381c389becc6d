"""Losses of a release, as exact fractions. The microdata is everybody the release names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from oracle.brute_force_tables import Attribute, ReleaseLike, microdata, perimeter

Loss: TypeAlias = Callable[[ReleaseLike, Sequence[Attribute]], Fraction]


def suppressed(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """Number of suppressed tuples."""
    del attributes
    return Fraction(len(release[1]))


def counterfeits(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """Number of invented tuples."""
    del attributes
    return Fraction(sum(group.fake_count for group in release[0]))


def information_loss(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """Box widths summed over real tuples; a suppressed tuple costs every full width."""
    groups, gone = release
    shown = sum((len(group.members) * perimeter(group, attributes) for group in groups), Fraction())
    return shown + len(gone) * len(attributes)


def average_information_loss(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """Information loss per tuple of the microdata; 0 for an empty table."""
    return information_loss(release, attributes) / max(1, len(microdata(release)))


def ncp(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """Mean width of a cell; 0 for an empty table."""
    return information_loss(release, attributes) / max(1, len(microdata(release)) * len(attributes))


def semiperimeter_per_tuple(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """The semiperimeter of each tuple's box, on average; of the whole domain if it is suppressed."""
    groups, gone = release
    each = [perimeter(group, attributes) for group in groups for _ in group.members]
    each += [Fraction(len(attributes))] * len(gone)
    return sum(each, Fraction()) / max(1, len(each))


def semiperimeter(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """Box widths summed over groups."""
    return sum((perimeter(group, attributes) for group in release[0]), Fraction())


def discernibility(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """Squares of the published sizes; a suppressed tuple costs the size of the microdata."""
    del attributes
    groups, gone = release
    squares = sum(group.size**2 for group in groups)
    return Fraction(squares + len(gone) * len(microdata(release)))


def maximum_group_size(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """Largest published size; 0 without groups."""
    del attributes
    return Fraction(max((group.size for group in release[0]), default=0))


def average_group_size(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """Tuples of the microdata per group, with at least one group in the denominator."""
    del attributes
    return Fraction(len(microdata(release)), max(1, len(release[0])))


LOSSES: Mapping[str, Loss] = MappingProxyType(
    {
        "suppressed": suppressed,
        "counterfeits": counterfeits,
        "information_loss": information_loss,
        "average_information_loss": average_information_loss,
        "ncp": ncp,
        "semiperimeter": semiperimeter,
        "semiperimeter_per_tuple": semiperimeter_per_tuple,
        "discernibility": discernibility,
        "maximum_group_size": maximum_group_size,
        "average_group_size": average_group_size,
    }
)
