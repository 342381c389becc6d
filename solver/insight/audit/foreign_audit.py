"""Judge a release of another tool (ARX, sdcMicro, anonypy, ANJANA): checks, losses, gap to the optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from ....instances.foreign.matching import How
from ....instances.foreign.notation import Ends
from ....instances.foreign.release import ForeignRelease, read_foreign
from ....instances.foreign.rows import COUNT, Stars
from ....models.errors import InputError, PolicyError
from ....models.exact_numbers import exact_number, exact_text, show_number
from ....models.problem import Problem, require_problem
from ....models.release import Release
from ....models.requirement import Violation
from ....models.requirements import RecordTracing
from ....models.requirements.of_respondents import names_respondents
from ...parts import RECODING
from ..comparison.comparing import Proofs, Searching
from ..comparison.distance import Distance, ProvenBounds, Reference
from ..comparison.figures import Figures, figures, queries_for

__all__ = ["ForeignAudit", "audit_release"]

ODD_CELLS = "no release of this policy has such, so it may lose less than the best of these"


@dataclass(frozen=True, kw_only=True)
class ForeignAudit:
    """What `audit_release` found.

    Attributes
    ----------
    source : ForeignRelease
        How the release was understood, and whether memberships are certain.
    figures : Figures
        Losses, sizes, number of violations.
    violations : tuple of Violation
        Every violation of the policy, with witnesses. Sets of categories that are no nodes of the problem's
        hierarchies are none here: the source's notes tell of them.
    undecided : tuple of str
        Requirements whose verdict might differ under other memberships that fit as well. Empty
        if memberships are certain or do not matter; nothing else depends on them.
    reference : Reference
        What is proven of the best release that keeps the policy.
    distance : Distance or None
        From that; None if nothing is proven. No distance if the release breaks the policy.
    kept : tuple of str
        Requirements of the policy that the release keeps.
    own : Distance or None
        From the best release that keeps just these requirements; None if it was not searched, or
        the release breaks a limit of the policy.
    searched : str
        Status of the search for the best release, or why there was none.
    levels : tuple of str
        Names of the objective's levels.
    """

    source: ForeignRelease
    figures: Figures
    violations: tuple[Violation, ...] = field(repr=False)
    undecided: tuple[str, ...]
    reference: Reference
    distance: Distance | None
    kept: tuple[str, ...]
    own: Distance | None
    searched: str
    levels: tuple[str, ...]

    @property
    def release(self) -> Release:
        """The release, as it was understood."""
        return self.source.release

    @property
    def passes(self) -> bool | None:
        """Whether the policy is kept; None if that depends on memberships that are not certain."""
        sure = set(self.figures.violations) - set(self.undecided)
        if sure:
            return False
        return None if self.undecided else True

    def to_dict(self) -> dict[str, Any]:
        """Plain values JSON can hold; exact numbers as text; no respondent and no sensitive value."""

        def place(found: Distance | None) -> dict[str, Any] | None:
            if found is None:
                return None
            return {
                "level": self.levels[found.level],
                "value": str(found.value),
                "reference": str(found.reference),
                "reference_is": "proven optimum" if found.proven else "bound",
                "multiple": exact_text(found.multiple),
            }

        found = self.figures
        return {
            "read": {
                "matched": self.source.matched,
                "uncertain": self.source.uncertain,
                "records": self.source.records,
                "ends": self.source.ends,
                "stars": self.source.stars,
                "notes": list(self.source.notes),
            },
            "passes": self.passes,
            "violations": dict(found.violations),
            "undecided": list(self.undecided),
            "objective": {name: str(value) for name, value in zip(self.levels, found.objective, strict=True)},
            "information_loss": str(found.information_loss),
            "discernibility": str(found.discernibility),
            "groups": found.groups,
            "sizes": [found.smallest, str(found.average), found.largest],
            "suppressed": found.suppressed,
            "query_error": found.query_error,
            "distance": place(self.distance),
            "kept": list(self.kept),
            "own": place(self.own),
            "searched": self.searched,
        }


def audit_release(
    source: pd.DataFrame | str | Path,
    problem: Problem,
    *,
    ends: Ends = "written",
    stars: Stars = "suppressed",
    match: How | Literal["auto"] = "auto",
    columns: Mapping[str, str] | None = None,
    count: str | None = COUNT,
    delimiter: str = ",",
    solve: bool = True,
    bound: Fraction | int | str | None = None,
    time_limit: float | None = 60.0,
    seed: int = 0,
    workers: int | None = None,
    selectivity: float = 0.1,
    queries: int = 1000,
) -> ForeignAudit:
    """Check and score a release made by another tool, and measure it against the proven optimum.

    Parameters
    ----------
    source, ends, stars, match, columns, count, delimiter
        The release, and how to read it: see `read_foreign`, or the options of `optanon audit-release`.
    problem : Problem
        The table it was made from, and the policy it is to be judged by.
    solve : bool
        Whether to search for the best release.
    bound : rational, optional
        A proven lower bound of the objective's first level, taken as given instead of a search.
    time_limit : float, optional
        Seconds for each search (there are two if the release breaks a requirement); None for no limit.
    seed, workers, selectivity, queries
        Of searches and queries, as in `compare`.

    Returns
    -------
    ForeignAudit

    Raises
    ------
    InputError
        If the release cannot be read, no tuples can lie behind it, or its loss shows that the bound is none.
    PolicyError
        If a number is out of its range, or the policy's form is not ``generalized``.
    """
    _require_generalized(problem)
    search = Searching(by="audit_release", time_limit=time_limit, seed=seed, workers=workers)
    given, asked = _bound(bound), queries_for(problem.table, queries, selectivity, search.seed)
    found = read_foreign(
        source,
        problem.table,
        ends=ends,
        stars=stars,
        match=match,
        columns=columns,
        count=count,
        delimiter=delimiter,
    )
    return _judged(problem, found, figures(problem, found.release, asked), given, search if solve else None)


def _require_generalized(problem: Problem) -> None:
    require_problem(problem)
    if problem.policy.form != "generalized":
        raise PolicyError("audit_release reads generalized releases: use a policy of form 'generalized'")


def _judged(
    problem: Problem,
    found: ForeignRelease,
    measured: Figures,
    given: Fraction | None,
    search: Searching | None,
) -> ForeignAudit:
    """A release that was read and measured, beside the bound that is given, or what searches prove."""
    proofs, violations = Proofs(problem), tuple(problem.check(found.release))
    odd = [v.message for v in violations if v.requirement == RECODING]
    if odd and problem.policy.recoding == "multidimensional":
        # How another tool puts categories together is its own affair, but no release of ours is among such.
        note = f"{odd[0]} ({len(odd)} such cells in all): {ODD_CELLS}"
        found = replace(found, notes=(*found.notes, note))
        violations = tuple(v for v in violations if v.requirement != RECODING)
        broken_else = {name: n for name, n in measured.violations.items() if name != RECODING}
        measured = replace(measured, violations=broken_else)
    else:
        proofs.add(measured)
    broken = frozenset(measured.violations)
    kept = proofs.known - broken
    limits = broken - proofs.known
    searched = "not asked for"
    if given is not None:
        _refuse_impossible(given, measured, problem.policy.levels[0].name)
        later = [None] * (len(problem.policy.levels) - 1)
        proofs.proofs.append(ProvenBounds(asked=proofs.known, bounds=(given, *later)))
        searched = "bound given"
    elif search is not None:
        searched = search.prove(problem, proofs.known, proofs)
        if kept and kept != proofs.known and not limits:
            search.prove(problem, kept, proofs)
    return ForeignAudit(
        source=found,
        figures=measured,
        violations=violations,
        undecided=_undecided(problem, found.release) if found.uncertain else (),
        reference=proofs.whole,
        distance=proofs.distance(measured, proofs.known),
        kept=tuple(sorted(kept)),
        own=None if limits or not kept else proofs.distance(measured, kept),
        searched=searched,
        levels=tuple(level.name for level in problem.policy.levels),
    )


def _refuse_impossible(bound: Fraction, measured: Figures, level: str) -> None:
    """A release that keeps the policy is itself as good as the best one can be at worst."""
    value = measured.objective[0]
    if not measured.violations and bound > value:
        raise InputError(
            f"bound {bound} is none: the release keeps the policy with {level} {show_number(value)}, and a "
            "lower bound is at most that"
        )


def _bound(raw: Fraction | int | str | None) -> Fraction | None:
    if raw is None:
        return None
    try:
        found = exact_number(raw)
    except (ValueError, ZeroDivisionError) as error:
        raise InputError(f"bound must be a number such as 12 or '37/5', got {raw!r}") from error
    if found < 0:
        raise InputError(f"bound must be at least 0, as no loss is below it, got {raw!r}: leave it out")
    return found


def _undecided(problem: Problem, release: Release) -> tuple[str, ...]:
    """Requirements that look at who was where before, or at people of whom more is known.

    Record tracing is decided by all matchings of boxes and values, whoever is behind them
    (`models.adversary.matching`; its fast double takes any one of them as the true one): only who was left
    out could change its verdict.
    """
    if not len(problem.history):
        return tuple(dict.fromkeys(r.name for r in problem.policy.requirements if names_respondents(r)))
    decided = problem.policy.decided_by_histograms(problem)
    asked = [r for index, r in enumerate(problem.policy.requirements) if index not in decided]
    if not release.suppressed:
        asked = [r for r in asked if not isinstance(r, RecordTracing)]
    return tuple(dict.fromkeys(r.name for r in asked))
