"""One file per requirement: meaning, encoding, proof sketch and reference. Importing registers all."""

from .constant_ratio import ConstantRatio
from .difference import Difference
from .geometric import Geometric
from .global_guarantee import GlobalGuarantee
from .hc_safety import HcSafety
from .hc_safety_deep import HcSafetyDeep
from .intersection import Intersection
from .k_c_anonymity import KCAnonymity
from .l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity
from .record_tracing import RecordTracing
from .resists_inference import ResistsInference
from .safe_correlation import SafeCorrelation
from .t_closeness import TCloseness
from .weak_m_invariance import WeakMInvariance

__all__ = [
    "ConstantRatio",
    "Difference",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Geometric",
    "GlobalGuarantee",
    "HcSafety",
    "HcSafetyDeep",
    "Intersection",
    "KCAnonymity",
    "RecordTracing",
    "RecursiveCLDiversity",
    "ResistsInference",
    "SafeCorrelation",
    "TCloseness",
    "WeakMInvariance",
]
