"""What a policy says of the releases to come: how many there will be, who stays, who comes, who returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from ..errors import PolicyError
from ..parameters import as_fraction, hold_whole

__all__ = ["MEASURED", "Outlook", "Rate"]

MEASURED: Literal["measured"] = "measured"
USUAL: Literal["usual"] = "usual"
FIRST, LATER = Fraction(1), Fraction(1, 2)
"""Usual shares of what is allowed, in the first release of a series and in later ones."""
Rate: TypeAlias = Fraction | Literal["measured"]


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """A model of the releases to come; what follows from it is an exact price, not a promise.

    Parameters
    ----------
    releases : int
        How many releases are to come, from 1 to 100.
    survival : rational, mapping of str to rational, or "measured"
        The share of respondents that is still there at the next release: for all, or by sensitive value
        (values that are not named: as measured). Measured in the releases before and the table; 9/10 where
        there are none.
    arrivals : "as_now", "measured", or mapping of str to rational
        How many new respondents with each value come to a release, at least 0. As now: as many as leave, with
        the values of the table. Measured: the mean of the releases after the first, and of the table; as now
        where there is none.
    returns : rational or "measured"
        The share of those who are gone that is back at the next release; measured like survival, 0 where
        nothing is known.
    draws : int
        How many drawn lives of a bucket each price is averaged over, at least 1.
    seed : int
        Of these draws, 0 or more and below 2**31: the same seed, the same prices.
    weight : rational, optional
        How much an expected counterfeit weighs against the loss of this release, above 0. By default expected
        counterfeits come first, above what is allowed.
    allowed : rational or "usual"
        At least 0: where expected counterfeits come first, new people may be expected to need so many of
        those that they would need dealt as m-invariance deals them, before fewer come before the loss
        (see `allowed`). 0: the fewest, whatever they cost. Usually all of them in the first release of a
        series, whose groups are all new, and half of them later: few are left over then, and save little
        loss (some 4 % fewer counterfeits for some 3 % more loss on the series of `bench outlook`).

    Raises
    ------
    PolicyError
        If a parameter is out of its range.
    """

    releases: int = 5
    survival: Rate | Mapping[str, Fraction] = MEASURED
    arrivals: Literal["as_now", "measured"] | Mapping[str, Fraction] = "as_now"
    returns: Rate = MEASURED
    draws: int = 100
    seed: int = 0
    weight: Fraction | None = None
    allowed: Fraction | Literal["usual"] = USUAL

    def __post_init__(self) -> None:
        for name, least in (("releases", 1), ("draws", 1), ("seed", 0)):
            hold_whole(self, "outlook", name, least)
        if self.releases > MOST_RELEASES:
            raise PolicyError(f"outlook: releases must be at most {MOST_RELEASES}, got {self.releases}")
        if self.seed >= 2**31:
            raise PolicyError(f"outlook: seed must be below 2**31, got {self.seed}")
        if self.weight is not None:
            weight = as_fraction("outlook", "weight", self.weight)
            if weight <= 0:
                raise PolicyError(f"outlook: weight must be above 0, got {self.weight}: leave it out")
            object.__setattr__(self, "weight", weight)
        if self.allowed != USUAL:
            allowed = as_fraction("outlook", "allowed", self.allowed)
            if allowed < 0:
                raise PolicyError(f"outlook: allowed must be at least 0, got {self.allowed}")
            object.__setattr__(self, "allowed", allowed)
        if isinstance(self.survival, Mapping):
            kept = tuple(sorted((v, _share(f"survival of {v}", raw)) for v, raw in self.survival.items()))
            object.__setattr__(self, "survival", _Frozen(kept))
        elif self.survival != MEASURED:
            object.__setattr__(self, "survival", _share("survival", self.survival))
        if self.returns != MEASURED:
            object.__setattr__(self, "returns", _share("returns", self.returns))
        if isinstance(self.arrivals, Mapping):
            coming = {v: as_fraction("outlook", f"arrivals of {v}", n) for v, n in self.arrivals.items()}
            if any(number < 0 for number in coming.values()):
                raise PolicyError("outlook: arrivals must be at least 0")
            object.__setattr__(self, "arrivals", _Frozen(tuple(sorted(coming.items()))))
        elif self.arrivals not in ("as_now", MEASURED):
            raise PolicyError(
                f"outlook: arrivals must be 'as_now', 'measured' or numbers by value, got {self.arrivals!r}"
            )

    def allowed_in(self, release: int) -> Fraction:
        """The share that is allowed in a release of a series, counted from 0."""
        if isinstance(self.allowed, Fraction):
            return self.allowed
        return LATER if release else FIRST

    @staticmethod
    def by_value(values: Iterable[str], stays: Iterable[object]) -> dict[str, Fraction]:
        """Survival by sensitive value: the means of a column with each person's own share.

        Parameters
        ----------
        values : iterable of str
            Each person's sensitive value.
        stays : iterable of rational
            Each person's probability of still being there at the next release, in the same order.

        Raises
        ------
        PolicyError
            If something is not between 0 and 1, naming its row.
        """
        total, often = dict[str, Fraction](), Counter[str]()
        for row, (value, raw) in enumerate(zip(values, stays, strict=True), start=1):
            total[value] = total.get(value, Fraction(0)) + _share(f"survival in row {row}", raw)
            often[value] += 1
        return {value: found / often[value] for value, found in total.items()}

    @property
    def content(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "releases": self.releases,
            "survival": _plain(self.survival),
            "arrivals": _plain(self.arrivals),
            "returns": _plain(self.returns),
            "draws": self.draws,
            "seed": self.seed,
            "allowed": str(self.allowed),
        } | ({} if self.weight is None else {"weight": str(self.weight)})


MOST_RELEASES = 100


class _Frozen(dict[str, Fraction]):
    """A mapping that a frozen record may hold: by its items equal, and hashed."""

    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return hash(tuple(self.items()))


def _share(name: str, raw: object) -> Fraction:
    found = as_fraction("outlook", name, raw)
    if not 0 <= found <= 1:
        raise PolicyError(f"outlook: {name} must be a share from 0 to 1, or 'measured', got {raw}")
    return found


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): str(number) for key, number in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return str(value)
