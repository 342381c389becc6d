"""optanon: provably optimal, attack-checked anonymization of tables that are released again and again."""

from optanon.instances.readers import read_csv, read_parquet, read_sql
from optanon.instances.release_files import read_release
from optanon.instances.store import opening as _opening  # noqa: F401 - importing registers stored histories
from optanon.models import hierarchies
from optanon.models import losses as _losses  # noqa: F401 - importing registers every loss
from optanon.models.adversary.knowledge import Knowledge
from optanon.models.errors import (
    CertificateError,
    ConflictError,
    EngineError,
    HierarchyError,
    InputError,
    OptanonError,
    PolicyError,
    ProblemFileError,
    ReleaseError,
    StoreError,
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
    ConstantRatio,
    Difference,
    DistinctLDiversity,
    EntropyLDiversity,
    Geometric,
    GlobalGuarantee,
    HcSafety,
    HcSafetyDeep,
    Intersection,
    KCAnonymity,
    RecordTracing,
    RecursiveCLDiversity,
    ResistsInference,
    SafeCorrelation,
    TCloseness,
    WeakMInvariance,
)
from optanon.models.table import Microdata, Sensitive
from optanon.models.views import SecretQuery
from optanon.solver.baselines.registry import baselines
from optanon.solver.certificate import Certificate
from optanon.solver.certify import verify
from optanon.solver.engines.sanitize import sanitize
from optanon.solver.engines.views import choose_views
from optanon.solver.insight.attacks import usual_attacks
from optanon.solver.insight.audit import AuditReport, audit
from optanon.solver.insight.comparison.comparing import compare
from optanon.solver.insight.comparison.found import Comparison
from optanon.solver.insight.exclusions import Exclusion, verify_audit
from optanon.solver.insight.explain.answer import explain
from optanon.solver.insight.explain.explanation import Explanation
from optanon.solver.insight.foreign_audit import ForeignAudit, audit_release
from optanon.solver.insight.frontier.result import Frontier
from optanon.solver.insight.frontier.sweep import frontier
from optanon.solver.insight.minimality import Minimality, minimality
from optanon.solver.insight.report.write import write_report
from optanon.solver.insight.what_if import WhatIf, what_if
from optanon.solver.result import Randomized, Result, Status, Termination
from optanon.solver.search import solve, solve_problem

__version__ = "0.1.0"

__all__ = [
    "AuditReport",
    "Certificate",
    "CertificateError",
    "Comparison",
    "ConflictError",
    "ConstantRatio",
    "Difference",
    "DistinctLDiversity",
    "EngineError",
    "EntropyLDiversity",
    "Exclusion",
    "Explanation",
    "ForeignAudit",
    "Frontier",
    "Geometric",
    "GlobalGuarantee",
    "HcSafety",
    "HcSafetyDeep",
    "Hierarchy",
    "HierarchyError",
    "History",
    "InputError",
    "Intersection",
    "KCAnonymity",
    "Knowledge",
    "Microdata",
    "Minimality",
    "OptanonError",
    "Policy",
    "PolicyError",
    "Problem",
    "ProblemFileError",
    "QIGroup",
    "Randomized",
    "RecordTracing",
    "RecursiveCLDiversity",
    "Release",
    "ReleaseError",
    "ResistsInference",
    "Result",
    "SafeCorrelation",
    "SecretQuery",
    "Sensitive",
    "Status",
    "StoreError",
    "TCloseness",
    "TableError",
    "Termination",
    "Violation",
    "WeakMInvariance",
    "WhatIf",
    "__version__",
    "audit",
    "audit_release",
    "baselines",
    "choose_views",
    "compare",
    "explain",
    "frontier",
    "hierarchies",
    "minimality",
    "n_choose",
    "read_csv",
    "read_parquet",
    "read_release",
    "read_sql",
    "sanitize",
    "solve",
    "solve_problem",
    "usual_attacks",
    "verify",
    "verify_audit",
    "what_if",
    "write_report",
]
