"""How far a release is from the best one, as far as that is proven.

Several searches on parts of one policy support one another. Fewer requirements allow more
releases, so

- a lower bound for some of the requirements is one for all policies that ask for these and more;
- a release found for any policy is a candidate for every policy that it keeps.

For lexicographic objectives a bound on level i holds among the releases that are as good as possible on
all earlier levels. It carries over where those levels' proven values are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Distance", "FoundRelease", "ProvenBounds", "Reference", "distance", "reference"]


@dataclass(frozen=True, kw_only=True)
class FoundRelease:
    """A release that somebody found.

    Attributes
    ----------
    objective : tuple of Fraction
        Value of every level.
    broken : frozenset of str
        Names of the requirements and limits it breaks.
    """

    objective: tuple[Fraction, ...]
    broken: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class ProvenBounds:
    """What a search proved.

    Attributes
    ----------
    asked : frozenset of str
        Names of the requirements it kept; limits are the policy's.
    bounds : tuple of Fraction or None
        Per level, a lower bound among releases as good as possible on all earlier levels.
    infeasible : bool
        Whether no release keeps these requirements.
    """

    asked: frozenset[str]
    bounds: tuple[Fraction | None, ...]
    infeasible: bool = False


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What is proven of the best release that keeps some requirements.

    Attributes
    ----------
    optimum : tuple of Fraction
        Proven values of the first levels; as many as the objective has if all is proven.
    bound : Fraction or None
        Lower bound of the first level without a proven value; None if there is none.
    infeasible : bool
        Whether no release keeps the requirements.
    """

    optimum: tuple[Fraction, ...]
    bound: Fraction | None
    infeasible: bool = False


@dataclass(frozen=True, kw_only=True)
class Distance:
    """A release's value beside the reference on the first level where they differ, or the last.

    Attributes
    ----------
    level : int
        Index of the level, from 0.
    value : Fraction
        The release's.
    reference : Fraction
        The proven optimum or a lower bound of it.
    proven : bool
        Whether the reference is the optimum. A multiple of a mere bound overstates the distance.
    """

    level: int
    value: Fraction
    reference: Fraction
    proven: bool

    @property
    def multiple(self) -> Fraction | None:
        """``value / reference``; 1 if both are 0, None if only the reference is."""
        if self.reference:
            return self.value / self.reference
        return None if self.value else Fraction(1)

    @property
    def excess(self) -> Fraction:
        """``value - reference``."""
        return self.value - self.reference

    @property
    def text(self) -> str:
        """The multiple with two decimals, or the excess if the reference is 0."""
        if self.multiple is None:
            return f"0 + {float(self.excess):.6g}"
        return f"{float(self.multiple):.2f}"


def reference(
    asked: frozenset[str],
    known: frozenset[str],
    found: Iterable[FoundRelease],
    proofs: Sequence[ProvenBounds],
) -> Reference:
    """Put together what is proven of the best release that keeps the requirements `asked`.

    Parameters
    ----------
    asked, known : frozenset of str
        Names of the requirements that must be kept, and of all requirements of the policy. Broken
        names outside `known` are limits, which always count.
    found : iterable of Found
        Releases; those that break something of `asked`, or a limit, are left out.
    proofs : sequence of Proof
        Those about more than `asked` are left out.
    """
    usable = [proof for proof in proofs if proof.asked <= asked]
    if any(proof.infeasible for proof in usable):
        return Reference(optimum=(), bound=None, infeasible=True)
    ignored = known - asked
    best = min((entry.objective for entry in found if entry.broken <= ignored), default=None)
    optimum: tuple[Fraction, ...] = ()
    levels = max((len(proof.bounds) for proof in usable), default=0)
    for level in range(levels):
        bounds = [
            bound
            for proof in usable
            if proof.bounds[:level] == optimum
            for bound in proof.bounds[level : level + 1]
            if bound is not None
        ]
        bound = max(bounds, default=None)
        if bound is None or best is None or best[level] > bound:
            return Reference(optimum=optimum, bound=bound)
        optimum = (*optimum, best[level])
    return Reference(optimum=optimum, bound=None)


def distance(objective: tuple[Fraction, ...], against: Reference) -> Distance | None:
    """Compare a release's objective with a reference; None if nothing is proven of the level that decides."""
    decided: Distance | None = None
    for level, value in enumerate(objective):
        if level < len(against.optimum):
            decided = Distance(level=level, value=value, reference=against.optimum[level], proven=True)
            if value != decided.reference:
                return decided
        elif against.bound is None or level > len(against.optimum):
            return None
        else:
            return Distance(level=level, value=value, reference=against.bound, proven=False)
    return decided
