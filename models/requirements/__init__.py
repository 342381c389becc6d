"""One file per requirement: meaning, encoding, proof sketch and reference. Importing registers all."""

from .hc_safety import HcSafety
from .k_c_anonymity import KCAnonymity
from .l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity
from .t_closeness import TCloseness
from .weak_m_invariance import WeakMInvariance

__all__ = [
    "DistinctLDiversity",
    "EntropyLDiversity",
    "HcSafety",
    "KCAnonymity",
    "RecursiveCLDiversity",
    "TCloseness",
    "WeakMInvariance",
]
