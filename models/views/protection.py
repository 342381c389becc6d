"""A secret with the risk its owner accepts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..errors import PolicyError
from .breach import AttackModel, Breach
from .query import SecretQuery

__all__ = ["ProtectedAssociation"]


@dataclass(frozen=True, kw_only=True)
class ProtectedAssociation:
    """A secret whose breach probability must not exceed a threshold.

    Parameters
    ----------
    query
        The secret; an open value protects every association it selects in the table.
    threshold
        Largest accepted probability, an exact fraction with ``0 <= threshold < 1``.
    model
        What the adversary knows.

    Raises
    ------
    PolicyError
        If the threshold is not a Fraction or out of range.

    Notes
    -----
    In the unrestricted model every association in the cover has more than probability 1/2.
    There a threshold of 1/2 or less forbids publishing the two columns at all if the
    association is true; use it to withhold, and the restricted model to measure.
    """

    query: SecretQuery
    threshold: Fraction
    model: AttackModel = AttackModel.RESTRICTED

    def __post_init__(self) -> None:
        if not isinstance(self.threshold, Fraction):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PolicyError("ProtectedAssociation: threshold must be exact; write Fraction(1, 2), not 0.5")
        if not 0 <= self.threshold < 1:
            raise PolicyError(
                f"ProtectedAssociation: threshold {self.threshold} must be at least 0 and below"
                " 1; an association that may be certain needs no protection: leave it out"
            )

    @property
    def forbids_joining(self) -> bool:
        """Whether no views that allow the association can meet the threshold."""
        return self.model is AttackModel.UNRESTRICTED and 2 * self.threshold <= 1

    def holds(self, verdict: Breach) -> bool | None:
        """Compare a verdict with the threshold.

        Parameters
        ----------
        verdict
            The breach of this association, or of one it selects.

        Returns
        -------
        bool or None
            None if the verdict's bounds leave it open.
        """
        if verdict.posterior.upper <= self.threshold:
            return True
        return None if verdict.posterior.lower <= self.threshold else False
