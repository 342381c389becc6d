"""The names of `import optanon`, and where each of them lives; loaded on first use."""

from .instances.futures import Futures as Futures
from .instances.readers import read_csv as read_csv, read_parquet as read_parquet, read_sql as read_sql
from .instances.release_files import read_release as read_release
from .instances.store.opening import History as History
from .models import hierarchies as hierarchies
from .models.adversary.knowledge import Knowledge as Knowledge
from .models.box import Interval as Interval, Leaves as Leaves
from .models.breach_probability import breach_probability as breach_probability
from .models.categories import Ordered as Ordered
from .models.errors import (
    CertificateError as CertificateError,
    ConflictError as ConflictError,
    EngineError as EngineError,
    HierarchyError as HierarchyError,
    InputError as InputError,
    OptanonError as OptanonError,
    OutOfTimeError as OutOfTimeError,
    PolicyError as PolicyError,
    ProblemFileError as ProblemFileError,
    ReleaseError as ReleaseError,
    SeriesError as SeriesError,
    SpellingError as SpellingError,
    StoreError as StoreError,
    TableError as TableError,
    TooLargeError as TooLargeError,
)
from .models.hierarchy import Hierarchy as Hierarchy
from .models.losses.base import (
    BoxLoss as BoxLoss,
    Cost as Cost,
    Loss as Loss,
    register_loss as register_loss,
)
from .models.n_choose import (
    compromise_probability as compromise_probability,
    correlation_probability as correlation_probability,
    n_choose as n_choose,
    restriction_estimate as restriction_estimate,
)
from .models.numeric import Numeric as Numeric
from .models.outlook.asked import Outlook as Outlook
from .models.policy import Policy as Policy
from .models.problem import Problem as Problem
from .models.publisher import Publisher as Publisher
from .models.release import QIGroup as QIGroup, Release as Release
from .models.requirement import (
    GroupRequirement as GroupRequirement,
    Requirement as Requirement,
    Violation as Violation,
    register as register,
)
from .models.requirements import (
    ConstantRatio as ConstantRatio,
    Difference as Difference,
    DistinctLDiversity as DistinctLDiversity,
    EntropyLDiversity as EntropyLDiversity,
    Geometric as Geometric,
    GlobalGuarantee as GlobalGuarantee,
    HcSafety as HcSafety,
    HcSafetyDeep as HcSafetyDeep,
    Intersection as Intersection,
    KAnonymity as KAnonymity,
    KCAnonymity as KCAnonymity,
    RecordTracing as RecordTracing,
    RecursiveCLDiversity as RecursiveCLDiversity,
    ResistsInference as ResistsInference,
    SafeCorrelation as SafeCorrelation,
    TCloseness as TCloseness,
    WeakMInvariance as WeakMInvariance,
    for_attribute as for_attribute,
)
from .models.structure import DependsOn as DependsOn, Structure as Structure
from .models.table import Member as Member, Microdata as Microdata, Sensitive as Sensitive
from .models.value_restrictions import (
    correlated_sets as correlated_sets,
    ct_pvr as ct_pvr,
    hc_pvr as hc_pvr,
    restricted_values as restricted_values,
)
from .models.views import (
    AttackModel as AttackModel,
    ProtectedAssociation as ProtectedAssociation,
    SecretQuery as SecretQuery,
    breach as breach,
)
from .models.world_shares import WorldShares as WorldShares
from .solver.appending import SeriesVerdict as SeriesVerdict, append_release as append_release
from .solver.baselines.registry import baselines as baselines
from .solver.certificate import Certificate as Certificate
from .solver.engines.sanitize import sanitize as sanitize
from .solver.engines.views import choose_views as choose_views
from .solver.insight.audit.attacks import usual_attacks as usual_attacks
from .solver.insight.audit.audit import AuditReport as AuditReport, audit as audit
from .solver.insight.audit.foreign_audit import ForeignAudit as ForeignAudit, audit_release as audit_release
from .solver.insight.audit.minimality import Minimality as Minimality, minimality as minimality
from .solver.insight.audit.minimality_estimate import (
    MinimalityEstimate as MinimalityEstimate,
    minimality_estimate as minimality_estimate,
)
from .solver.insight.backtest.replay import backtest as backtest
from .solver.insight.backtest.result import Backtest as Backtest
from .solver.insight.comparison.comparing import compare as compare
from .solver.insight.comparison.found import Comparison as Comparison
from .solver.insight.explain.answer import explain as explain
from .solver.insight.explain.explanation import Explanation as Explanation
from .solver.insight.frontier.result import Frontier as Frontier
from .solver.insight.frontier.sweep import frontier as frontier
from .solver.insight.report.write import write_report as write_report
from .solver.insight.what_if.what_if import WhatIf as WhatIf, what_if as what_if
from .solver.price import Price as Price
from .solver.result import Result as Result
from .solver.search import solve as solve, solve_problem as solve_problem
from .solver.status import Randomized as Randomized, Status as Status, Termination as Termination
from .solver.summary import Summary as Summary
from .solver.verify.checking import verify as verify
from .solver.worlds.exclusions import Exclusion as Exclusion, verify_audit as verify_audit

__version__: str
