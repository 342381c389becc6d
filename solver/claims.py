"""What a certificate claims of bounds, and why there is no release: one model per kind of proof.

Each `Claim` bounds one level of the objective from below, among releases that are as good as the
certificate's on the levels before. A `Refusal` says why no release keeps the policy. Both hold what the
verifier cannot make for itself (integer duals, cuts, where to branch) and nothing that it can: bounds are
derived again, never believed. `Trusted` and `TrustedRefusal` name whose word is all there is.

Tuples are named by their row of the microdata (from 0).
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from .written import (
    Amount,
    Divisor,
    DrawnFacts,
    GivenWord,
    Limiting,
    Natural,
    Number,
    Proof,
    Ratio,
    Scale,
    StrictRecord,
    Words,
)

__all__ = [
    "Claim",
    "Counted",
    "CountsAbove",
    "CountsClaim",
    "Drawn",
    "DualAbove",
    "Empty",
    "FakeDuals",
    "FamilyClaim",
    "Grouped",
    "GroupingsClaim",
    "HistogramsClaim",
    "KnownClaim",
    "LatticeClaim",
    "LatticeEmpty",
    "Leading",
    "ListedClaim",
    "MetClaim",
    "NoDraw",
    "Obstacle",
    "Part",
    "PartRefusal",
    "Plain",
    "PricedClaim",
    "Refusal",
    "Rest",
    "Series",
    "Shares",
    "Sized",
    "SubsetsClaim",
    "Trusted",
    "TrustedRefusal",
    "WholeTable",
    "Within",
    "WrittenDuals",
    "WrittenTree",
]

# -- pieces of proofs ----------------------------------------------------------------------


class WrittenDuals(StrictRecord):
    """Integer duals of tuples and cuts, in 1 / scale of a cost."""

    scale: Scale
    duals: tuple[Number, ...]
    cut_duals: tuple[Limiting, ...]


class WrittenTree(StrictRecord):
    """A search tree over all groups of releases that cost less than `listed_for`; it says what it proves.

    Its program is that of `exact.program.covering`: rows are kinds of tuples in the order of their first one
    in the table, then a limit on counterfeits; columns are groups in the order of their rows.
    """

    listed_for: Natural
    proof: Proof


class FakeDuals(WrittenDuals):
    """Duals with one of the limit on counterfeits, and a tree if they do not reach the bound alone."""

    fakes: Natural
    fake_dual: Limiting
    cuts: tuple[tuple[Natural, ...], ...]
    tree: WrittenTree | None


# -- claims --------------------------------------------------------------------------------


class DualsClaim(StrictRecord):
    """Duals of tuples and cuts; see `PricedClaim`."""

    level: Natural
    root: WrittenDuals
    cuts: tuple[tuple[Natural, ...], ...]
    divisors: tuple[Divisor, ...] = ()
    part: tuple[Natural, ...] | None


class PricedClaim(DualsClaim):
    """Duals of tuples and cuts that no needed group's cost is below: their sum bounds every release.

    With `part`, groups are those that some requirements (indices, from 0) need. A cut counts its tuples over
    its divisor, rounded down; where no divisors are said, all are 2. A tuple of a cut stands for all that are
    alike; with `places`, these are all with the same quasi-identifiers, whatever their values. Attributes
    (indices, from 0) that are `unpriced` are taken to be equal: what the others lose bounds the whole.
    Groups inside one of the `blocks` (of squared errors) may cost less: all sets in it are gone through.
    """

    kind: Literal["priced"] = "priced"
    places: bool = False
    unpriced: tuple[Natural, ...] = ()
    blocks: tuple[tuple[Natural, ...], ...] = ()


class ListedClaim(DualsClaim):
    """`PricedClaim`, and a tree over all groups that a release below its target may hold."""

    kind: Literal["listed"] = "listed"
    tree: WrittenTree

    @property
    def without_tree(self) -> PricedClaim:
        """What its duals claim by themselves."""
        return PricedClaim(**{name: getattr(self, name) for name in DualsClaim.model_fields})


class MetClaim(StrictRecord):
    """Duals of tuples that no group pays which leaves its members enough values; see `verify.met`."""

    kind: Literal["met"] = "met"
    level: Natural
    root: WrittenDuals


class CountsClaim(StrictRecord):
    """The fewest counterfeits of a series: by a program over counts, or over groups without boxes."""

    kind: Literal["counts"] = "counts"
    level: Natural
    program: Proof | None
    by_groups: FakeDuals | None


class Series(StrictRecord):
    """The least information loss of a series with at most so many counterfeits."""

    kind: Literal["series"] = "series"
    level: Natural
    loss: FakeDuals


class FamilyClaim(StrictRecord):
    """The least information loss of releases that publish no signature more often than the certificate's.

    Signatures are those of its release, in the order of their values; each has a dual of one seat.
    """

    kind: Literal["family"] = "family"
    level: Natural
    bound: Ratio
    root: WrittenDuals
    seat_duals: tuple[Limiting, ...]
    cuts: tuple[tuple[Natural, ...], ...]


class HistogramsClaim(StrictRecord):
    """A program over shapes of groups, where boxes do not count; costs are those of the levels before."""

    kind: Literal["histograms"] = "histograms"
    level: Natural
    sizes: Natural
    costs: tuple[Number, ...]
    bound: Number
    sets: tuple[tuple[Natural, ...], ...]
    proof: Proof | None


class LatticeClaim(StrictRecord):
    """Full-domain recoding: the verifier evaluates the level vectors again."""

    kind: Literal["lattice"] = "lattice"
    level: Natural


class SubsetsClaim(StrictRecord):
    """The best grouping as far as requirements on groups say: the verifier computes it again."""

    kind: Literal["subsets"] = "subsets"


class GroupingsClaim(StrictRecord):
    """No release is better: so many groupings are, and fail the check; the verifier checks them again."""

    kind: Literal["groupings"] = "groupings"
    checked: Natural


class Drawn(DrawnFacts):
    """A release drawn at random: the verifier enumerates all releases again."""

    kind: Literal["drawn"] = "drawn"
    level: Natural


class KnownClaim(StrictRecord):
    """Expected counterfeits are never fewer than an outlook allows, signatures than those people keep."""

    kind: Literal["allowed", "kept"]
    level: Natural


class Trusted(GivenWord):
    """A bound that rests on somebody's word."""

    kind: Literal["trusted"] = "trusted"
    level: Natural
    bound: Ratio


# -- claims about a part of the policy: a bound on it is one on the whole --------------------


class Plain(StrictRecord):
    """Information loss under some requirements on published values (indices, from 0).

    It is that of the last level, if none is given; with `largest`, of groups of no more tuples.
    """

    kind: Literal["plain"] = "plain"
    requirements: tuple[Natural, ...]
    largest: Natural | None = None
    level: Natural | None = None


class Grouped(StrictRecord):
    """All requirements on groups."""

    kind: Literal["grouped"] = "grouped"


class Counted(StrictRecord):
    """Levels that count, all tuples alike."""

    kind: Literal["counted"] = "counted"


class Sized(StrictRecord):
    """Losses by sizes from a level on, within so many suppressed tuples and counterfeits."""

    kind: Literal["sized"] = "sized"
    start: Natural
    hidden: Amount | None
    fakes: Amount | None


class Leading(StrictRecord):
    """The first levels, of the last of them some losses, under requirements on published values."""

    kind: Literal["leading"] = "leading"
    levels: Natural
    losses: tuple[Words, ...]
    requirements: tuple[Natural, ...]


Part: TypeAlias = Annotated[Plain | Grouped | Counted | Sized | Leading, Field(discriminator="kind")]
Direct: TypeAlias = Annotated[
    KnownClaim
    | PricedClaim
    | ListedClaim
    | MetClaim
    | CountsClaim
    | Series
    | HistogramsClaim
    | LatticeClaim
    | Drawn
    | Trusted,
    Field(discriminator="kind"),
]


class Within(StrictRecord):
    """Claims about a part of the policy, their levels counted as in the part."""

    kind: Literal["within"] = "within"
    part: Part
    claims: tuple[Direct, ...]


class Shares(StrictRecord):
    """The first level weighs losses by sizes and others: each has its own least value."""

    kind: Literal["shares"] = "shares"
    sizes: Within
    boxes: Within


Whole: TypeAlias = Direct | SubsetsClaim | GroupingsClaim | FamilyClaim | Within | Shares


class Rest(StrictRecord):
    """What is claimed of the rest of the levels, where the first ones are 0: nobody suppressed or invented.

    Levels of the claim are counted from there; its policy allows neither.
    """

    kind: Literal["rest"] = "rest"
    levels: Natural
    claim: Annotated[Whole, Field(discriminator="kind")]


Claim: TypeAlias = Annotated[Whole | Rest, Field(discriminator="kind")]


# -- why there is no release -----------------------------------------------------------------


class Obstacle(StrictRecord):
    """A requirement (index, from 0) the table alone makes impossible: `GroupBounds.infeasible_because`."""

    kind: Literal["obstacle"] = "obstacle"
    requirement: Natural


class WholeTable(StrictRecord):
    """A requirement (index, from 0) that merging would keep, and the whole table as one group breaks."""

    kind: Literal["whole"] = "whole"
    requirement: Natural


class DualAbove(StrictRecord):
    """A bound above the largest loss there is."""

    kind: Literal["dual_above"] = "dual_above"
    claim: Annotated[PricedClaim | ListedClaim, Field(discriminator="kind")]


class CountsAbove(StrictRecord):
    """More counterfeits are needed than the policy allows."""

    kind: Literal["counts_above"] = "counts_above"
    claim: CountsClaim


class LatticeEmpty(StrictRecord):
    """Full-domain recoding: no level vector keeps the policy."""

    kind: Literal["lattice"] = "lattice"


class Empty(StrictRecord):
    """No set of groups keeps what is asked of groups; or so many do, and all of them fail the check."""

    kind: Literal["empty"] = "empty"
    checked: Natural | None


class NoDraw(StrictRecord):
    """No grouping keeps the policy: the verifier enumerates them again."""

    kind: Literal["no_draw"] = "no_draw"


class TrustedRefusal(GivenWord):
    """Somebody's word that there is no release."""

    kind: Literal["trusted"] = "trusted"


DirectRefusal: TypeAlias = Annotated[
    Obstacle | WholeTable | DualAbove | CountsAbove | LatticeEmpty | Empty | NoDraw | TrustedRefusal,
    Field(discriminator="kind"),
]


class PartRefusal(StrictRecord):
    """A part of the policy has no release, so the whole has none."""

    kind: Literal["part"] = "part"
    part: Part
    refusal: DirectRefusal


Refusal: TypeAlias = Annotated[DirectRefusal | PartRefusal, Field(discriminator="kind")]
