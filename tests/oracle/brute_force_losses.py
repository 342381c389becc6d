"""Losses of a release, as exact fractions. The microdata is everybody the release names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from oracle.brute_force_tables import Attribute, Numeric, ReleaseLike, microdata, perimeter

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


def squared_error(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """Mean over the numeric attributes of what is left of their squares, in percent."""
    shares = [lost / whole for lost, whole in _squares(release, attributes)]
    return 100 * sum(shares, Fraction()) / max(1, len(shares))


def squared_error_unscaled(release: ReleaseLike, attributes: Sequence[Attribute]) -> Fraction:
    """What is left of all squares of numeric attributes together, in percent."""
    pairs = _squares(release, attributes)
    return 100 * sum((lost for lost, _ in pairs), Fraction()) / (sum(w for _, w in pairs) or 1)


def _squares(release: ReleaseLike, attributes: Sequence[Attribute]) -> list[tuple[Fraction, Fraction]]:
    """Squares about the means of groups, and about that of everybody, of attributes with several numbers.

    An attribute that is published as it is (`of` names what kind it is) loses only who is suppressed.
    """
    groups, gone = release
    found: list[tuple[Fraction, Fraction]] = []
    for a, attribute in enumerate(attributes):
        shown = not hasattr(attribute, "of")
        if not isinstance(getattr(attribute, "of", attribute), Numeric):
            continue
        numbers = [Fraction(person.qi[a]) for person in microdata(release)]
        mean = sum(numbers, Fraction()) / max(1, len(numbers))
        lost = sum(((Fraction(person.qi[a]) - mean) ** 2 for person in gone), Fraction())
        for group in groups if shown else ():
            own = [Fraction(person.qi[a]) for person in group.members]
            lost += sum(((x - sum(own) / len(own)) ** 2 for x in own), Fraction())
        whole = sum(((x - mean) ** 2 for x in numbers), Fraction())
        if whole:
            found.append((lost, whole))
    return found


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
        "squared_error": squared_error,
        "squared_error_unscaled": squared_error_unscaled,
        "discernibility": discernibility,
        "maximum_group_size": maximum_group_size,
        "average_group_size": average_group_size,
    }
)
