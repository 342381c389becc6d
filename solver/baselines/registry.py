"""All published heuristics under one signature, with what their sources promise.

A baseline takes a problem and a seed and gives a release of the whole table, or raises EngineError
with the reason. It takes its parameters from the policy's requirement of the kind it is made for,
and looks at nothing else in the policy but the form: ask ``problem.check`` what else its release
keeps. Same problem and seed, same release. `portfolio` runs them before every search.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements.l_diversity import DistinctLDiversity
from ..settings import Clock
from .constant_ratio import constant_ratio
from .cor_split import cor_split
from .cor_split_halving import cor_split_halving
from .geometric import geometric
from .hilbert import hilbert
from .incognito import incognito_checked, incognito_merge, incognito_static
from .joined import incognito_joined, mondrian_joined
from .k_member import k_member
from .m_invariance import m_invariance
from .microaggregation import mdav, variable_mdav
from .mondrian import mondrian_relaxed, mondrian_static
from .mondrian_series import mondrian_checked, mondrian_merge
from .pace import Pace
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
from .swap_search import swap_search

__all__ = ["Baseline", "BaselineRun", "baselines"]


class BaselineRun(Protocol):
    """The signature of every baseline."""

    def __call__(self, problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
        """Build a release of the whole table.

        Parameters
        ----------
        problem : Problem
            The policy's one requirement of the kind that a baseline is made for gives its parameters. If it
            does not say otherwise, it looks at no other requirement or limit.
        seed : int
            Not used, if it does not say what for.
        clock : Clock, optional
            Asked between pieces of work.

        Raises
        ------
        EngineError
            With the reason; OutOfTimeError if the clock is over.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A published heuristic.

    Attributes
    ----------
    name : str
        Key in the registry.
    run : BaselineRun
    promises : tuple of str
        Names of the requirements that its source says every release keeps; the first one holds
        its parameters.
    promised : callable
        ``promised(problem)``: the same as requirements with the problem's parameters, and what
        follows from them by the source; see `promises`.
    reference : str
        Where it is published.
    pace : Pace
        Says whether to try it.
    looks_back : bool
        Whether it differs from its static form only in what it does about earlier releases.
    full_domain : bool
        Whether its boxes are those of one level per quasi-identifier.
    """

    name: str
    run: BaselineRun
    promises: tuple[str, ...]
    promised: Callable[[Problem], Promise]
    reference: str
    pace: Pace
    looks_back: bool = False
    full_domain: bool = False


def anatomy(problem: Problem, seed: int = 0, clock: Clock | None = None) -> Release:
    """Anatomy's groups of l or more tuples, all with different values (see `anatomy.bucketize`).

    The policy's `DistinctLDiversity` gives l, the seed decides ties. The clock is asked at the beginning
    only, since it is soon done.

    Raises
    ------
    EngineError
        If more than 1/l of the tuples share a value.
    """
    (clock or Clock()).ask()
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
        pace=Pace(tuple=2.5e-5),
    ),
    Baseline(
        name="cor_split",
        run=cor_split,
        promises=("weak_m_invariance", "hc_safety"),
        promised=invariant,
        reference="Riboni and Bettini, Cor-Split",
        pace=Pace(tuple=2e-5),
    ),
    Baseline(
        name="cor_split_halving",
        run=cor_split_halving,
        promises=("weak_m_invariance", "hc_safety"),
        promised=invariant,
        reference="Riboni and Bettini, Cor-Split; Xiao and Tao, m-Invariance; the repair is ours",
        pace=Pace(tuple=3e-5),
    ),
    Baseline(
        name="mondrian_static",
        run=mondrian_static,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference=_MONDRIAN,
        pace=Pace(tuple=4e-6),
    ),
    Baseline(
        name="mondrian_relaxed",
        run=mondrian_relaxed,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference=f"{_MONDRIAN}, sec. 3.2",
        pace=Pace(tuple=1e-5),
    ),
    Baseline(
        name="mondrian_checked",
        run=mondrian_checked,
        promises=_SERIES,
        reference=f"{_MONDRIAN}; {_BYUN}",
        promised=inference_free,
        pace=Pace(tuple=7e-4),
        looks_back=True,
    ),
    Baseline(
        name="mondrian_merge",
        run=mondrian_merge,
        promises=_SERIES,
        reference=f"{_MONDRIAN}; {_BYUN}",
        promised=inference_free,
        pace=Pace(tuple=4e-6),
        looks_back=True,
    ),
    Baseline(
        name="incognito_static",
        run=incognito_static,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference=_INCOGNITO,
        pace=Pace(level=2.5e-7),
        full_domain=True,
    ),
    Baseline(
        name="incognito_checked",
        run=incognito_checked,
        promises=_SERIES,
        reference=f"{_INCOGNITO}; {_BYUN}",
        promised=inference_free,
        pace=Pace(level=5e-7),
    ),
    Baseline(
        name="incognito_merge",
        run=incognito_merge,
        promises=_SERIES,
        reference=f"{_INCOGNITO}; {_BYUN}",
        promised=inference_free,
        pace=Pace(level=2.5e-7),
        looks_back=True,
        full_domain=True,
    ),
    Baseline(
        name="mondrian_joined",
        run=mondrian_joined,
        promises=_SERIES,
        reference=f"{_MONDRIAN}; {_BYUN}, with one recoding scheme",
        promised=inference_free,
        pace=Pace(tuple=2.5e-5),
        looks_back=True,
    ),
    Baseline(
        name="incognito_joined",
        run=incognito_joined,
        promises=_SERIES,
        reference=f"{_INCOGNITO}; {_BYUN}, with one recoding scheme",
        promised=inference_free,
        pace=Pace(level=2.5e-7),
        looks_back=True,
        full_domain=True,
    ),
    Baseline(
        name="k_member",
        run=k_member,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference="Byun, Kamra, Bertino, Li, Efficient k-Anonymization Using Clustering Techniques",
        pace=Pace(point=1e-8),
    ),
    Baseline(
        name="hilbert",
        run=hilbert,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference="Ghinita, Karras, Kalnis, Mamoulis, Fast Data Anonymization with Low Information Loss",
        pace=Pace(tuple=4.5e-6, start=1e-3),
    ),
    Baseline(
        name="mdav",
        run=mdav,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference="Domingo-Ferrer and Torra, MDAV",
        pace=Pace(pair=6e-9, start=1e-3),
    ),
    Baseline(
        name="variable_mdav",
        run=variable_mdav,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference="Solanas and Martinez-Balleste, V-MDAV",
        pace=Pace(pair=8e-9, start=1e-3),
    ),
    Baseline(
        name="swap_search",
        run=swap_search,
        promises=("k_c_anonymity",),
        promised=anonymous,
        reference="local search, ours",
        pace=Pace(tuple=2.5e-5, point=1e-8, start=3e-3),
    ),
    Baseline(
        name="anatomy",
        run=anatomy,
        promises=("distinct_l_diversity",),
        promised=diverse,
        reference="Xiao and Tao, Anatomy",
        pace=Pace(tuple=1.2e-6),
    ),
    Baseline(
        name="safe_correlation",
        run=safe_correlation,
        promises=("safe_correlation",),
        promised=correlated,
        reference="al Bouna, Clifton, Malluhi, Algorithm 1",
        pace=Pace(tuple=2.5e-5),
    ),
    Baseline(
        name="constant_ratio",
        run=constant_ratio,
        promises=("constant_ratio",),
        promised=within_budget,
        reference="Fu, Wang, Wong, Wang, sec. 6.1",
        pace=Pace(tuple=8e-6),
    ),
    Baseline(
        name="geometric",
        run=geometric,
        promises=("geometric",),
        promised=within_budget,
        reference="after Fu, Wang, Wong, Wang, sec. 6; the rule is ours",
        pace=Pace(tuple=8e-6),
    ),
)


def baselines() -> Mapping[str, Baseline]:
    """Every baseline by name.

    Returns
    -------
    Mapping of str to Baseline
        ``baselines()["mondrian_static"].run(problem)`` is its release.
    """
    return {baseline.name: baseline for baseline in _ALL}
