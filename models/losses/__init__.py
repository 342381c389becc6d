"""One file per kind of loss: value of a group, encoding, bound. Importing registers all."""

from collections.abc import Mapping

from ..errors import PolicyError
from ..loss import Loss, known_losses
from ..plugins import plug_in
from ..release import Counted
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

__all__ = [
    "AverageGroupSize",
    "AverageInformationLoss",
    "Counterfeits",
    "Discernibility",
    "ExpectedCounterfeits",
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


def losses() -> Mapping[str, Loss]:
    """Every registered loss by name."""
    return dict(known_losses())


def counter_of(what: Counted) -> str:
    """The name of the package's own loss that is their number."""
    return next(kind.name for kind in (Counterfeits, HiddenCells, Suppressed) if kind.counts == what)


def loss(name: str) -> Loss:
    """Look up a loss.

    Raises
    ------
    PolicyError
        If there is no loss of that name.
    """
    known = known_losses()
    if name not in known:
        plug_in()
    if name not in known:
        raise PolicyError(f"unknown loss {name!r}: known are {', '.join(sorted(known))}")
    return known[name]
