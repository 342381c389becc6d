"""What is asked, as far as requirements, losses and encodings need to know it.

`Problem` is the one that stands behind it; this view of it lies below requirements, so
that they can speak of the whole question without knowing policies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .group import Form
from .history import History
from .release import Counted, Release
from .table import Microdata

__all__ = [
    "BoundsView",
    "CheckedProblem",
    "LevelView",
    "LossView",
    "PolicyView",
    "PricesView",
    "ProblemView",
    "RequirementView",
    "WideningView",
    "fake_cap",
    "smallest_group",
]


class BoundsView(Protocol):
    """What a requirement says of the groups it can accept; see `group_bounds`."""

    @property
    def smallest(self) -> int: ...
    @property
    def largest_count(self) -> int: ...


class RequirementView(Protocol):
    """A requirement, as far as bounds go."""

    name: ClassVar[str]

    def bounds(self, problem: ProblemView) -> BoundsView:
        """Its bounds for one problem."""
        ...


class LossView(Protocol):
    """A loss, as far as widths of boxes go; see `Loss`."""

    name: ClassVar[str]
    box_payer: ClassVar[Literal["tuple", "group"]]

    def box_weights(self, table: Microdata) -> tuple[Fraction, ...] | None:
        """What one unit of width costs in each attribute, if boxes are all that groups with boxes lose."""
        ...


class LevelView(Protocol):
    """One level of the objective."""

    @property
    def name(self) -> str:
        """The loss, or the weighted sum in words."""
        ...

    @property
    def losses(self) -> frozenset[str]:
        """Names of its losses."""
        ...

    @property
    def weights(self) -> tuple[tuple[str, Fraction], ...]:
        """Names of its losses, and their weights."""
        ...

    @property
    def terms(self) -> Sequence[tuple[LossView, Fraction]]:
        """Its losses and their weights."""
        ...

    @property
    def counted(self) -> frozenset[Counted]:
        """What its losses count."""
        ...

    def weight_of(self, what: Counted) -> Fraction:
        """What one more of them adds to it."""
        ...


class PolicyView(Protocol):
    """What a policy allows besides its requirements."""

    @property
    def requirements(self) -> Sequence[RequirementView]: ...
    @property
    def joint_requirements(self) -> Sequence[RequirementView]: ...
    @property
    def levels(self) -> Sequence[LevelView]: ...
    @property
    def form(self) -> Form: ...
    @property
    def recoding(self) -> Literal["multidimensional", "full_domain"]: ...
    @property
    def counterfeit_limit(self) -> int | None: ...
    def counts(self, what: Counted) -> bool:
        """Whether some level counts suppressed tuples, counterfeits or hidden cells."""
        ...

    def suppression_limit(self, tuples: int) -> int:
        """How many of `tuples` tuples may be suppressed."""
        ...


class PricesView(Protocol):
    """What signatures will probably cost; see `outlook.prices`."""

    def of(self, values: int, groups: int) -> Fraction:
        """A signature of so many values with so many groups."""
        ...

    def release(self, release: Release) -> Fraction:
        """All signatures of a release."""
        ...


class WideningView(Protocol):
    """What open values will probably cost; see `outlook.widening`."""

    @property
    def costs(self) -> NDArray[np.int64]: ...
    @property
    def scale(self) -> int: ...
    def step(self, often: int) -> int:
        """Which column of `costs` so many tuples with other values stand for."""
        ...

    def others(self, row: int, values: Collection[str]) -> set[str]:
        """Which of some values stay open for a tuple besides its own."""
        ...

    def release(self, release: Release) -> Fraction:
        """All published tuples of a release."""
        ...


class ProblemView(Protocol):
    """Microdata, history and the policy's limits."""

    @property
    def table(self) -> Microdata: ...
    @property
    def history(self) -> History: ...
    @property
    def policy(self) -> PolicyView: ...
    @property
    def values(self) -> tuple[str, ...]: ...
    @property
    def prices(self) -> PricesView | None:
        """What signatures will probably cost; None without an outlook, or a requirement of equal counts."""
        ...

    @property
    def widening(self) -> WideningView:
        """What the values that a release leaves open will probably cost."""
        ...

    @property
    def allowed(self) -> Fraction:
        """Expected counterfeits below which fewer of them do not matter."""
        ...

    def box(self, rows: Sequence[int]) -> Box:
        """The tightest box over some rows (from 0)."""
        ...

    def assemble(
        self,
        groups: Sequence[Sequence[int]],
        fakes: Sequence[Mapping[str, int]] | None = None,
        boxes: Sequence[Box] | None = None,
    ) -> Release:
        """Build a release from row numbers, counterfeits and boxes per group."""
        ...


class CheckedProblem(ProblemView, Protocol):
    """A problem, as far as releases of it are checked and measured."""

    def check(self, release: Release) -> Iterator[object]:
        """Yield every violation of the policy."""
        ...

    def objective(self, release: Release) -> tuple[Fraction, ...]:
        """Exact value of every level of the objective."""
        ...


def fake_cap(problem: ProblemView) -> int:
    """Most counterfeits of one value that a group of `problem` is looked for with.

    The policy's limit, or, if it sets none, twice what all requirements together may need: each
    can be met with its own largest count, and doubling leaves room where sizes must be
    common multiples. "No release exists" is then meant with at most so many.
    """
    limit = problem.policy.counterfeit_limit
    if limit is not None:
        return limit
    return 2 * sum(r.bounds(problem).largest_count for r in problem.policy.requirements)


def smallest_group(problem: ProblemView) -> int:
    """No group of a release that keeps the policy has fewer published tuples."""
    return max(r.bounds(problem).smallest for r in problem.policy.requirements)
