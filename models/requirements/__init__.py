"""One file per requirement: meaning, encoding, proof sketch and reference. Importing registers all."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from ..errors import PolicyError
from ..plugins import plug_in
from ..requirement import Requirement, known_requirements
from .constant_ratio import ConstantRatio
from .difference import Difference
from .geometric import Geometric
from .global_guarantee import GlobalGuarantee
from .hc_safety import HcSafety
from .hc_safety_deep import HcSafetyDeep
from .intersection import Intersection
from .k_c_anonymity import KAnonymity, KCAnonymity
from .l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveCLDiversity
from .of_attribute import for_attribute
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
    "KAnonymity",
    "KCAnonymity",
    "RecordTracing",
    "RecursiveCLDiversity",
    "ResistsInference",
    "SafeCorrelation",
    "TCloseness",
    "WeakMInvariance",
    "build_requirement",
    "for_attribute",
    "registered",
]


FAMILIAR = "k_anonymity"
ATTRIBUTE = "attribute"


def registered() -> Mapping[str, type[Requirement]]:
    """Every registered requirement by name."""
    return dict(known_requirements())


def build_requirement(name: str, settings: Mapping[str, Any]) -> Requirement:
    """Build a requirement from its name and plain parameters (as read from a file).

    ``k_anonymity`` is `k_c_anonymity` that says nothing of values; ``attribute`` binds a requirement to one
    of several sensitive attributes (`for_attribute`). A name that is not known is looked for in installed
    plug-ins.

    Raises
    ------
    PolicyError
        If the name or a parameter is unknown, a parameter is missing, or a value out of range.
    """
    said = name
    if name == FAMILIAR:
        name = KCAnonymity.name
    kinds = registered()
    if name not in kinds and plug_in():
        kinds = registered()
    if name not in kinds:
        raise PolicyError(f"unknown requirement {name!r}: known are {', '.join(sorted({*kinds, FAMILIAR}))}")
    kind = kinds[name]
    known = [f.name for f in fields(kind) if said != FAMILIAR or f.name == "k"]
    bound = None if ATTRIBUTE in known else settings.get(ATTRIBUTE)
    settings = {key: value for key, value in settings.items() if bound is None or key != ATTRIBUTE}
    for key in settings:
        if key not in known:
            raise PolicyError(f"{said} has no parameter {key!r}: it has {', '.join(known) or 'none'}")
    defaults = {f.name: (f.default, f.default_factory) for f in fields(kind) if f.init}
    missing = [key for key, given in defaults.items() if given == (MISSING, MISSING) and key not in settings]
    if missing:
        wanted = ", ".join(f"{key}: ..." for key in missing)
        raise PolicyError(f"{said} needs {' and '.join(missing)}: write {said}: {{{wanted}}}")
    try:
        found = kind(**settings)
    except TypeError as error:
        raise PolicyError(f"{name}: {error}") from error
    return found if bound is None else for_attribute(found, bound)
