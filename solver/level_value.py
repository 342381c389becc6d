"""What is known of one level of the objective; and what is said of a release nobody checked as a series."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["UNCHECKED", "LevelValue", "warnings_of"]


UNCHECKED = (
    "NOT CHECKED AS A SERIES: no requirement of the policy looks at the other releases, so nobody knows "
    "what this one gives away together with them"
)
"""Said of a release that continues a history under a policy that is blind to it."""


def warnings_of(series_checked: bool | None, strangers: int) -> tuple[str, ...]:
    """What must be known before a release is used, by what its problem says of itself."""
    found = () if series_checked is not False else (UNCHECKED,)
    if not strangers:
        return found
    many, are = ("1 respondent", "is") if strangers == 1 else (f"{strangers} respondents", "are")
    return (
        *found,
        f"KNOWLEDGE OF NOBODY: {many} named in the policy's knowledge {are} in no release and not in the "
        "table, so what is known of them changes nothing: compare the ids under compromised, excluded and "
        "priors with the respondent column (a history with a key keeps hashes of ids)",
    )


@dataclass(frozen=True, kw_only=True)
class LevelValue:
    """One level of the objective.

    Attributes
    ----------
    name : str
        The loss or weighted sum.
    value : Fraction
        Recomputed from the data.
    bound : Fraction or None
        No release is below it, among those that are as good on all earlier
        levels; derived by the verifier from the certificate.
    trusted_bound, word
        A higher bound that nobody can check, and whose word it is; None if there is none.
    family : Fraction or None
        No release is below it that publishes no signature more often than this one; derived by the
        verifier, too.
    """

    name: str
    value: Fraction
    bound: Fraction | None
    trusted_bound: Fraction | None = None
    word: str | None = None
    family: Fraction | None = None

    @property
    def gap(self) -> Fraction | None:
        """``(value - bound) / value``, 0 if proven optimal; None without a bound."""
        if self.bound is None:
            return None
        if self.value <= self.bound:
            return Fraction(0)
        return (self.value - self.bound) / self.value
