"""What so many hits in so many draws say of the chance of one."""

from __future__ import annotations

from scipy.stats import beta

__all__ = ["largest_chance", "least_chance"]


def least_chance(hits: int, draws: int, risk: float) -> float:
    """Clopper and Pearson's lower end: smaller chances give so many hits with at most this risk."""
    return 0.0 if not hits else float(beta.ppf(risk, hits, draws - hits + 1))


def largest_chance(hits: int, draws: int, risk: float) -> float:
    """The upper end: larger chances give so few hits with at most this risk."""
    return 1.0 if hits == draws else float(beta.ppf(1 - risk, hits + 1, draws - hits))
