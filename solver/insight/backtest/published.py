"""What one publisher made of one series of tables, taken together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...settings import Hindsight
from .steps import BacktestStep

__all__ = ["PublishedSeries"]


@dataclass(frozen=True, kw_only=True)
class PublishedSeries:
    """What one publisher made of one series of tables.

    Attributes
    ----------
    future, publisher : str
    steps : tuple of BacktestStep
        Oldest first; the last one may be without a release.
    """

    future: str
    publisher: str
    steps: tuple[BacktestStep, ...]

    @property
    def made(self) -> tuple[BacktestStep, ...]:
        """Those with a release."""
        return tuple(step for step in self.steps if step.figures is not None)

    @property
    def counterfeits(self) -> tuple[int, ...]:
        """Of each release."""
        return tuple(step.figures.counterfeits for step in self.steps if step.figures is not None)

    @property
    def came(self) -> int:
        """Counterfeits after the first of these releases."""
        return sum(self.counterfeits[1:])

    @property
    def expected(self) -> Fraction | None:
        """What the first of these releases made expect of the others."""
        return self.steps[0].expected if self.steps else None

    @property
    def expected_singly(self) -> Fraction | None:
        """What each of these releases but the last made expect of the next one, together."""
        each = [step.expected_next for step in self.made[:-1]]
        found = [one for one in each if one is not None]
        return sum(found, Fraction(0)) if each and len(found) == len(each) else None

    @property
    def hindsight(self) -> Hindsight | None:
        """What nobody avoids with these tables, and nobody after the first of these releases."""
        return self.steps[0].hindsight if self.steps else None

    @property
    def loss(self) -> Fraction:
        """Information loss of all releases together."""
        return sum((step.loss for step in self.steps if step.loss is not None), Fraction(0))

    @property
    def query_error(self) -> float | None:
        """Mean over the releases of their median errors."""
        errors = [s.figures.query_error for s in self.made if s.figures and s.figures.query_error is not None]
        return sum(errors) / len(errors) if errors else None

    @property
    def violations(self) -> dict[str, int]:
        """In how many releases each requirement or limit is broken."""
        found: dict[str, int] = {}
        for step in self.made:
            assert step.figures is not None
            for name in step.figures.violations:
                found[name] = found.get(name, 0) + 1
        return found

    @property
    def audit(self) -> str:
        """What whoever holds all releases can conclude, in words."""
        last = next((step.verdict for step in reversed(self.made) if step.verdict is not None), None)
        if last is None:
            return "not audited"
        worst = max(
            (s.verdict.worst for s in self.made if s.verdict and s.verdict.worst is not None), default=None
        )
        return last.short if worst is None else f"{last.short}, worst {worst}"
