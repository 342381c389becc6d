"""optanon: provably optimal, attack-checked anonymization of tables that are released again and again."""

from optanon.instances.readers import read_csv, read_parquet
from optanon.models import losses as _losses  # noqa: F401 - importing registers every loss
from optanon.models.errors import (
    CertificateError,
    EngineError,
    HierarchyError,
    InputError,
    OptanonError,
    PolicyError,
    ProblemFileError,
    ReleaseError,
    TableError,
)
from optanon.models.hierarchy import Hierarchy
from optanon.models.history import History
from optanon.models.n_choose import n_choose
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup, Release
from optanon.models.requirement import Violation
from optanon.models.requirements import (
    DistinctLDiversity,
    EntropyLDiversity,
    HcSafety,
    KCAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    WeakMInvariance,
)
from optanon.models.table import Microdata, Sensitive
from optanon.solver.certificate import Certificate
from optanon.solver.certify import verify
from optanon.solver.result import Result, Status, Termination
from optanon.solver.search import solve, solve_problem

__version__ = "0.1.0"

__all__ = [
    "Certificate",
    "CertificateError",
    "DistinctLDiversity",
    "EngineError",
    "EntropyLDiversity",
    "HcSafety",
    "Hierarchy",
    "HierarchyError",
    "History",
    "InputError",
    "KCAnonymity",
    "Microdata",
    "OptanonError",
    "Policy",
    "PolicyError",
    "Problem",
    "ProblemFileError",
    "QIGroup",
    "RecursiveCLDiversity",
    "Release",
    "ReleaseError",
    "Result",
    "Sensitive",
    "Status",
    "TCloseness",
    "TableError",
    "Termination",
    "Violation",
    "WeakMInvariance",
    "__version__",
    "n_choose",
    "read_csv",
    "read_parquet",
    "solve",
    "solve_problem",
    "verify",
]
