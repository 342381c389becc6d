"""One file per requirement: meaning, encoding, proof sketch and reference. Importing registers all."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..errors import PolicyError
from ..requirement import Requirement, known_requirements
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
    "build_requirement",
    "registered",
]


def registered() -> Mapping[str, type[Requirement]]:
    """Every registered requirement by name."""
    return dict(known_requirements())


def build_requirement(name: str, settings: Mapping[str, Any]) -> Requirement:
    """Build a requirement from its name and plain parameters (as read from a file).

    Raises
    ------
    PolicyError
        If the name or a parameter is unknown, or a value out of range.
    """
    kinds = registered()
    if name not in kinds:
        raise PolicyError(f"unknown requirement {name!r}: known are {', '.join(sorted(kinds))}")
    kind = kinds[name]
    known = [f.name for f in fields(kind)]
    for key in settings:
        if key not in known:
            raise PolicyError(f"{name} has no parameter {key!r}: it has {', '.join(known) or 'none'}")
    try:
        return kind(**settings)
    except TypeError as error:
        raise PolicyError(f"{name}: {error}") from error
