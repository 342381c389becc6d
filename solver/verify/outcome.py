"""How a re-check ends if nothing contradicts the certificate; what does is a `CertificateError`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...models.errors import CertificateError

__all__ = ["Outcome", "RefutedError", "UndecidedError"]


class UndecidedError(CertificateError):
    """A statement could neither be derived nor refused: it takes too long, or is beyond what is known."""


class RefutedError(CertificateError):
    """The opposite of a statement was derived: a proof that is no proof leaves it open, this does not."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was confirmed, and what rests on somebody's word.

    Attributes
    ----------
    confirmed : tuple of str
        Statements that were derived again or compared, in words.
    trusted : tuple of str
        Statements that rest on somebody's word: whose, and what was derived of them.
    bounds : tuple of Fraction
        Per level, the bound that was derived.
    claim : str
        What the certificate is about, in words.
    """

    confirmed: tuple[str, ...]
    trusted: tuple[str, ...]
    bounds: tuple[Fraction, ...]
    claim: str

    @property
    def whole(self) -> bool:
        """Whether everything was confirmed."""
        return not self.trusted

    @property
    def lines(self) -> tuple[str, ...]:
        """All statements."""
        return (*self.confirmed, *self.trusted)

    @property
    def verdict(self) -> str:
        """The last line, in plain words."""
        if self.whole:
            return f"CONFIRMED: {self.claim}, without a solver"
        return f"CONFIRMED IN PART: {self.claim}, but {'; '.join(self.trusted)}"
