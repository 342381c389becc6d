"""One row of a comparison."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ....models.release import Release
from .distance import Distance
from .figures import Figures

__all__ = ["ComparisonRow"]


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """One baseline or engine.

    Attributes
    ----------
    name : str
    kind : {"baseline", "engine"}
    source : str
        Where it is published; for engines why it was chosen.
    promises : tuple of str
        Requirements of the policy that it promises to keep; engines promise all.
    refused : str or None
        Why there is no release, in words.
    status : str or None
        Engines: what was found, see `Status`.
    seconds : float
        Wall time.
    figures : Figures or None
        None without a release.
    distance : Distance or None
        From the best release that keeps the whole policy. If this release breaks the policy it is
        no distance: it may be below 1.
    own : Distance or None
        Baselines: from the best release that keeps what this baseline promises.
    broken_limits : tuple of str
        Limits of the policy that the release breaks: on counterfeits, suppression, recoding, ...
    release : Release or None
    """

    name: str
    kind: Literal["baseline", "engine"]
    source: str
    promises: tuple[str, ...]
    refused: str | None = None
    status: str | None = None
    seconds: float = 0.0
    figures: Figures | None = None
    distance: Distance | None = None
    own: Distance | None = None
    broken_limits: tuple[str, ...] = ()
    release: Release | None = field(default=None, repr=False)

    @property
    def keeps_policy(self) -> bool:
        """Whether there is a release and it violates nothing."""
        return self.figures is not None and self.figures.keeps_policy

    @property
    def keeps_promises(self) -> bool:
        """Whether there is a release and it violates no limit and nothing that was promised.

        Requirements of the policy that were not promised do not count.
        """
        return self.figures is not None and not self.broken_promises and not self.broken_limits

    @property
    def broken_promises(self) -> tuple[str, ...]:
        """Promised requirements that the release violates."""
        broken = {} if self.figures is None else self.figures.violations
        return tuple(name for name in self.promises if name in broken)
