"""One file per kind of loss: value of a group, encoding, bound. Importing registers all."""

from ..loss import loss
from .counts import Counterfeits, HiddenCells, Suppressed
from .information import AverageInformationLoss, InformationLoss, Semiperimeter
from .sizes import AverageGroupSize, Discernibility, MaximumGroupSize

__all__ = [
    "AverageGroupSize",
    "AverageInformationLoss",
    "Counterfeits",
    "Discernibility",
    "HiddenCells",
    "InformationLoss",
    "MaximumGroupSize",
    "Semiperimeter",
    "Suppressed",
    "loss",
]
