"""One file per kind of loss: value of a group, encoding, bound. Importing registers all."""

from ..release import Counted
from .base import loss, losses
from .counts import Counterfeits, HiddenCells, Suppressed
from .information import (
    AverageInformationLoss,
    InformationLoss,
    NormalizedCertaintyPenalty,
    Semiperimeter,
    SemiperimeterPerTuple,
)
from .signatures import ExpectedCounterfeits, Signatures
from .sizes import AverageGroupSize, Discernibility, MaximumGroupSize
from .squared import SquaredError, UnscaledSquaredError
from .widening import ExpectedWidening

__all__ = [
    "AverageGroupSize",
    "AverageInformationLoss",
    "Counterfeits",
    "Discernibility",
    "ExpectedCounterfeits",
    "ExpectedWidening",
    "HiddenCells",
    "InformationLoss",
    "MaximumGroupSize",
    "NormalizedCertaintyPenalty",
    "Semiperimeter",
    "SemiperimeterPerTuple",
    "Signatures",
    "SquaredError",
    "Suppressed",
    "UnscaledSquaredError",
    "counter_of",
    "loss",
    "losses",
]


def counter_of(what: Counted) -> str:
    """The name of the package's own loss that is their number."""
    return next(kind.name for kind in (Counterfeits, HiddenCells, Suppressed) if kind.counts == what)
