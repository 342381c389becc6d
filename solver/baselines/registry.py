"""All published heuristics under one signature, with what their sources promise.

A baseline takes a problem and a seed and gives a release of the whole table, or raises EngineError
with the reason. It takes its parameters from the policy's requirement of the kind it is made for,
and looks at nothing else in the policy but the form: ask ``problem.check`` what else its release
keeps. Same problem and seed, same release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.l_diversity import DistinctLDiversity
from .constant_ratio import constant_ratio
from .cor_split import cor_split
from .geometric import geometric
from .incognito import incognito_checked, incognito_merge, incognito_static
from .k_member import k_member
from .m_invariance import m_invariance
from .mondrian_series import mondrian_checked, mondrian_merge, mondrian_static
from .parameters import parameters
from .promises import (
    Promise,
    anonymous,
    correlated,
    diverse,
    inference_free,
    invariant,
    once_invariant,
    within_budget,
)
from .safe_correlation import anatomized, safe_correlation

__all__ = ["Baseline", "Run", "baselines"]


class Run(Protocol):
    """The signature of every baseline."""

    def __call__(self, problem: Problem, seed: int = 0) -> Release:
        """Build a release, or raise EngineError with the reason."""
        ...


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A published heuristic.

    Attributes
    ----------
    name : str
        Key in the registry.
    run : callable
        ``run(problem, seed)``.
    promises : tuple of str
        Names of the requirements that its source says every release keeps; the first one holds
        its parameters.
    promised : callable
        ``promised(problem)``: the same as requirements with the problem's parameters, and what
        follows from them by the source; see `promises`.
    reference : str
        Where it is published.
    """

    name: str
    run: Run
    promises: tuple[str, ...]
    promised: Callable[[Problem], Promise]
    reference: str


def anatomy(problem: Problem, seed: int = 0) -> Release:
    """Anatomy's groups of l or more tuples, all with different values (see `anatomy.bucketize`).

    Parameters
    ----------
    problem : Problem
        Its policy's `DistinctLDiversity` gives l; other requirements and limits are not looked at.
    seed : int
        Decides ties.

    Raises
    ------
    EngineError
        If more than 1/l of the tuples share a value.
    """
    return anatomized(problem, parameters(problem, DistinctLDiversity, "anatomy").l, seed, "anatomy")


_SERIES = ("k_c_anonymity", "difference", "intersection", "record_tracing")
_MONDRIAN = "LeFevre, DeWitt, Ramakrishnan, Mondrian"
_INCOGNITO = "LeFevre, DeWitt, Ramakrishnan, Incognito"
_BYUN = "Byun, Li, Bertino, Li, Sohn, secs. 5.2 and 6.2"

_ALL = (
    Baseline(
        name="m_invariance",
        run=m_invariance,
        promises=("weak_m_invariance",),
        promised=once_invariant,
        reference="Xiao and Tao, m-Invariance",
    ),
    Baseline(
        name="cor_split",
        run=cor_split,
        promises=("weak_m_invariance", "hc_safety"),
        promised=invariant,
        reference="Riboni and Bettini, Cor-Split",
    ),
    Baseline(
        name="mondrian_static",
        run=mondrian_static,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference=_MONDRIAN,
    ),
    Baseline(
        name="mondrian_checked",
        run=mondrian_checked,
        promises=_SERIES,
        reference=f"{_MONDRIAN}; {_BYUN}",
        promised=inference_free,
    ),
    Baseline(
        name="mondrian_merge",
        run=mondrian_merge,
        promises=_SERIES,
        reference=f"{_MONDRIAN}; {_BYUN}",
        promised=inference_free,
    ),
    Baseline(
        name="incognito_static",
        run=incognito_static,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference=_INCOGNITO,
    ),
    Baseline(
        name="incognito_checked",
        run=incognito_checked,
        promises=_SERIES,
        reference=f"{_INCOGNITO}; {_BYUN}",
        promised=inference_free,
    ),
    Baseline(
        name="incognito_merge",
        run=incognito_merge,
        promises=_SERIES,
        reference=f"{_INCOGNITO}; {_BYUN}",
        promised=inference_free,
    ),
    Baseline(
        name="k_member",
        run=k_member,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference="Byun, Kamra, Bertino, Li, Efficient k-Anonymization Using Clustering Techniques",
    ),
    Baseline(
        name="anatomy",
        run=anatomy,
        promises=("distinct_l_diversity",),
        promised=diverse,
        reference="Xiao and Tao, Anatomy",
    ),
    Baseline(
        name="safe_correlation",
        run=safe_correlation,
        promises=("safe_correlation",),
        promised=correlated,
        reference="al Bouna, Clifton, Malluhi, Algorithm 1",
    ),
    Baseline(
        name="constant_ratio",
        run=constant_ratio,
        promises=("constant_ratio",),
        promised=within_budget,
        reference="Fu, Wang, Wong, Wang, sec. 6.1",
    ),
    Baseline(
        name="geometric",
        run=geometric,
        promises=("geometric",),
        promised=within_budget,
        reference="after Fu, Wang, Wong, Wang, sec. 6; the rule is ours",
    ),
)


def baselines() -> Mapping[str, Baseline]:
    """Every baseline by name."""
    return {baseline.name: baseline for baseline in _ALL}
