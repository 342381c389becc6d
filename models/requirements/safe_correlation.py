r"""Safe correlations (al Bouna, Clifton, Malluhi), with grouping and suppression decided together.

Meaning, for an anatomized release and one quasi-identifier (terms in `models.correlation`):
significance and its fixpoint are those of the microdata. For every value v of the
quasi-identifier

1. in each group at least as many cells of v are hidden as the group has tuples (v, s)
   that the fixpoint hides (which of the group's equal values are starred is not
   derived from sensitive values);
2. the estimates ``est_k = sum_j x_j n_jk / |g_j|`` of the values k in S(v) differ by at most
   `epsilon` tuples, x_j being the published cells of v and n_jk / |g_j| the share of k in group
   j, counterfeits included;
3. ``l est_k <= sum_j x_j`` for k in S(v): nobody with v has k with a probability above 1/l;
4. S(v) is empty or has l values; the fixpoint sees to that.

*Several quasi-identifiers* (Def. 7): the conditions are asked of every non-empty subset of them, v being
a combination of values. A row publishes v if it hides none of its cells; x_j counts such rows, and in
each group as many rows must not show v as condition 1 says (`models.combined_plans`).

*Shares by worlds*: in 2 and 3 the share n_jk / |g_j| is replaced by what an adversary concludes who
knows the actual correlations (`models.world_shares`); it depends on v, too.

Hiding every cell satisfies all of them, so a release exists whenever one exists for the
other requirements. A tuple that is suppressed as a whole publishes no cell.

The encoding (`safe_correlation_model`) is for up to about 40 published tuples; beyond that a given
grouping is sanitized (`engines.sanitize`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ..antecedents import shown
from ..combined_plans import combined_plans
from ..correlation import PairCounts, PreSuppression, Significance, Support
from ..errors import PolicyError
from ..exposure import Shares, ValueExposure, exposures, uniform_shares
from ..group import Member
from ..group_bounds import GroupBounds
from ..history import History
from ..parameters import as_names
from ..relaxations import Parameter, ParameterGrid
from ..release import Release
from ..requirement import Requirement, Scope, Violation, as_fraction, hold_whole, register
from ..structure import Structure
from ..world_shares import WorldShares
from .safe_correlation_model import SafeCells

if TYPE_CHECKING:
    from ..encoding import Cut, Encoding
    from ..problem_view import ProblemView

__all__ = ["SafeCorrelation"]


@register
@dataclass(frozen=True, kw_only=True)
class SafeCorrelation(Requirement):
    """No published quasi-identifier links anybody to a significant value with a probability above ``1 / l``.

    Use it for anatomized releases, where exact quasi-identifiers stand beside a group's values: men and
    prostate cancer.

    Parameters
    ----------
    attribute : str or sequence of str
        Name of the quasi-identifier. Of several, all combinations of their values, and of those of any
        subset of them, must be safe.
    l : int
        The probability stays at most ``1 / l``; 2 or more.
    min_confidence, max_confidence : rational
        ``0 <= min_confidence <= max_confidence <= 1``; see `models.correlation.Significance`.
    min_support : rational, default 0
        From 0 to 1.
    support : {"joint", "qi"}
        Support of the pair, ``c(v, s) / |T|``, or of the quasi-identifier value, ``c(v) / |T|``.
    epsilon : rational, default 0
        By how many tuples estimates may differ; at least 0. With 0 and integer counts much may
        have to be hidden, at worst every cell of a value.
    shares : {"uniform", "worlds"}
        Whom it is about: an adversary for whom all tuples of a group are equally likely to have a value,
        or one who weighs the worlds of a group by the correlations in the microdata (`WorldShares`).

    Notes
    -----
    Needs a policy of form ``anatomized`` that names `hidden_cells` among its losses. `solve` takes up to
    about 40 tuples; for more, group first (the baseline ``safe_correlation`` does), then `sanitize`.
    """

    name: ClassVar[str] = "safe_correlation"
    scope: ClassVar[Scope] = Scope.RELEASE
    reference: ClassVar[str] = "al Bouna, Clifton, Malluhi, Safe Correlation"

    attribute: str | tuple[str, ...]
    l: int  # noqa: E741 - the field's own name
    min_confidence: Fraction
    max_confidence: Fraction
    min_support: Fraction = Fraction(0)
    support: Support = "joint"
    epsilon: Fraction = Fraction(0)
    shares: Literal["uniform", "worlds"] = "uniform"

    def __post_init__(self) -> None:
        names = as_names(self.name, "attribute", self.attribute)
        object.__setattr__(self, "attribute", names[0] if len(names) == 1 else names)
        if self.shares not in ("uniform", "worlds"):
            raise PolicyError(f"{self.name}: shares must be 'uniform' or 'worlds', got {self.shares!r}")
        hold_whole(self, self.name, "l", 2)
        limits = Significance(
            min_confidence=self.min_confidence,
            max_confidence=self.max_confidence,
            min_support=self.min_support,
            support=self.support,
        )
        for name in ("min_confidence", "max_confidence", "min_support"):
            object.__setattr__(self, name, getattr(limits, name))
        object.__setattr__(self, "epsilon", as_fraction(self.name, "epsilon", self.epsilon))
        if self.epsilon < 0:
            raise PolicyError(f"{self.name}: epsilon must be at least 0 tuples, got {self.epsilon}")

    @cached_property
    def significance(self) -> Significance:
        """Thresholds of significance."""
        return Significance(
            min_confidence=self.min_confidence,
            max_confidence=self.max_confidence,
            min_support=self.min_support,
            support=self.support,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its quasi-identifiers."""
        return (self.attribute,) if isinstance(self.attribute, str) else self.attribute

    def settings(self) -> dict[str, Any]:
        """Parameters by name; shares only if they are not uniform, as policies were before they had a say."""
        given = super().settings()
        if self.shares == "uniform":
            del given["shares"]
        return given

    def positions(self, attributes: Sequence[str]) -> tuple[int, ...]:
        """Positions of its quasi-identifiers among a table's; PolicyError if one is not there."""
        for name in self.names:
            if name not in attributes:
                raise PolicyError(
                    f"{self.name}: there is no quasi-identifier {name!r}: use one of {', '.join(attributes)}"
                )
        return tuple(attributes.index(name) for name in self.names)

    def plans(
        self, members: Sequence[Member], attributes: Sequence[int]
    ) -> dict[tuple[int, ...], dict[str, PreSuppression]]:
        """The fixpoint for every subset of quasi-identifiers, by their positions, from the microdata."""
        return combined_plans(members, attributes, self.significance, self.l)

    def shares_of(self, members: Sequence[Member], attributes: Sequence[int]) -> Shares:
        """What the adversary thinks of the tuples of a group, by values of some quasi-identifiers."""
        if self.shares == "uniform":
            return uniform_shares
        return WorldShares(counts=PairCounts.count(members, attributes), attributes=tuple(attributes))

    def exposures(self, release: Release) -> list[ValueExposure]:
        """Every value of the quasi-identifier, or combination of any of them, in the release's groups."""
        return [exposure for found in self.by_subset(release).values() for exposure in found]

    def by_subset(
        self, release: Release, shares: Shares | None = None
    ) -> dict[tuple[int, ...], list[ValueExposure]]:
        """The same for every subset of the quasi-identifiers; `shares` replace its own."""
        plans = self.plans(release.members, self.positions(release.attributes))
        return {
            subset: list(
                exposures(release.groups, subset, plan, shares or self.shares_of(release.members, subset))
            )
            for subset, plan in plans.items()
        }

    # -- meaning -----------------------------------------------------------------------

    def check(self, release: Release, history: History) -> Iterator[Violation]:
        """Check what exact quasi-identifiers beside a group's values tell of significant values.

        Yields
        ------
        Violation
            That boxes are published, so the requirement does not apply; that cells had to be hidden and are
            not (witness `value`, `hidden`, `required`); that estimates of a value from different groups
            differ (witness `value`, `published`, `estimates`, `epsilon`); or that a significant value is
            too probable (witness `value`, `sensitive`, `probability`, `l`).

        Raises
        ------
        PolicyError
            If the release has no such quasi-identifier, or a group is too large to weigh its worlds.
        """
        if release.form != "anatomized":
            if release.groups:
                yield Violation(
                    requirement=self.name,
                    message="exact values are not published: the requirement is about anatomized releases",
                    groups=tuple(range(len(release.groups))),
                    witness={"form": release.form},
                )
            return
        for subset, found in self.by_subset(release).items():
            kept = [shown(group, subset) for group in release.groups]
            about = " and ".join(release.attributes[a] for a in subset)
            for exposure in found:
                published = [kept[j][exposure.value] for j in exposure.groups]
                yield from self._early(exposure, published, about)
                yield from self._even(exposure, published, about)

    def _early(self, exposure: ValueExposure, published: Sequence[int], about: str) -> Iterator[Violation]:
        cells = zip(exposure.groups, exposure.counts, exposure.hidden, published, strict=True)
        for j, left, early, there in cells:
            if there > left:
                yield Violation(
                    requirement=self.name,
                    message=f"group {j + 1}: {left + early - there} cells of one {about} are hidden, "
                    f"its few significant values require {early}",
                    groups=(j,),
                    witness={
                        "value": exposure.value,
                        "hidden": left + early - there,
                        "required": early,
                    },
                )

    def _even(self, exposure: ValueExposure, kept: Sequence[int], about: str) -> Iterator[Violation]:
        linkage = exposure.linkage(kept)
        if linkage.spread > self.epsilon:
            yield Violation(
                requirement=self.name,
                message=f"estimates of the significant values of one {about} differ by "
                f"{linkage.spread} tuples, more than epsilon = {self.epsilon}",
                groups=exposure.groups,
                witness={
                    "value": exposure.value,
                    "published": linkage.kept,
                    "estimates": dict(linkage.expected),
                    "epsilon": self.epsilon,
                },
            )
        for k in linkage.exceeding(self.l):
            yield Violation(
                requirement=self.name,
                message=f"one significant value has probability {linkage.probability(k)} given one "
                f"{about}, more than 1/{self.l}",
                groups=exposure.groups,
                witness={
                    "value": exposure.value,
                    "sensitive": k,
                    "probability": linkage.probability(k),
                    "l": self.l,
                },
            )

    def structure(self, problem: ProblemView | None = None) -> Structure:
        """Not monotone: merged groups have other shares."""
        return Structure(form="anatomized")

    def parameters(self) -> tuple[Parameter, ...]:
        """Only epsilon has a direction: fewer significant values (another l) change what must be equal."""
        return (Parameter(name="epsilon", direction="lower", grid=self._spreads),)

    def _spreads(self, problem: ProblemView) -> ParameterGrid:
        steps = range(int(self.epsilon * 12) + 1, 12 * len(problem.table) + 1)
        return ParameterGrid(
            values=tuple(Fraction(i, 12) for i in steps), grid="steps of 1/12", complete=False
        )

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(problem=problem, reason=self._infeasible_because)

    def _infeasible_because(self, problem: ProblemView) -> str | None:
        if problem.policy.form != "anatomized":
            return f"{self.name}: is about anatomized releases: ask for form 'anatomized'"
        plans = self.plans(problem.table.members, self.positions(problem.table.attributes))
        counted = problem.policy.counts("hidden_cells")
        if not counted and any(plan.hidden for found in plans.values() for plan in found.values()):
            about = ", ".join(map(repr, self.names))
            return (
                f"{self.name}: some values of {about} have fewer than {self.l} significant values, "
                "their cells must be hidden: name hidden_cells among the losses to minimize"
            )
        return None

    # -- model -------------------------------------------------------------------------

    def encode(self, model: Encoding) -> None:
        if model.problem.policy.form != "anatomized":
            for g in model.slots:
                model.cp.add(model.used(g) == 0)
            return
        positions = self.positions(model.table.attributes)
        for subset, plans in self.plans(model.table.members, positions).items():
            self._cells.encode(model, subset, plans)

    def cuts(self, release: Release | None, history: History) -> Iterator[Cut]:
        """Shares by worlds are told to a model by the releases that fail."""
        if release is None or release.form != "anatomized" or self.shares == "uniform":
            return
        for subset, found in self.by_subset(release).items():
            yield from self._cells.cuts(release, subset, found)

    @property
    def _cells(self) -> SafeCells:
        return SafeCells(name=self.name, l=self.l, epsilon=self.epsilon, worlds=self.shares == "worlds")
