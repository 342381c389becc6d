"""What is asked of `solve`, refused with a remedy where it makes no sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import float_info

import pandas as pd

from ..models.errors import PolicyError, TableError
from ..models.parameters import require_kind, require_time_limit, whole
from ..models.problem import Problem
from ..models.published_cells import cell_violations
from ..models.release import Release
from ..models.table import Microdata, QISpec, SensitiveSpec
from .incumbent import passes

__all__ = ["begun", "require_form", "sound", "table_of"]


def table_of(
    table: Microdata | pd.DataFrame,
    respondent: str | None,
    quasi_identifiers: Sequence[str] | Mapping[str, QISpec] | None,
    sensitive: SensitiveSpec | None,
) -> Microdata:
    """The table with the roles of its columns."""
    roles = {"respondent": respondent, "quasi_identifiers": quasi_identifiers, "sensitive": sensitive}
    if isinstance(table, Microdata):
        if given := [name for name, role in roles.items() if role is not None]:
            raise TableError(f"{', '.join(given)}: the table already has its roles: leave them out")
        return table
    made = ".to_pandas() makes one" if hasattr(table, "to_pandas") else "make a DataFrame of it"
    remedy = f"{made}, or read a file by read_csv"
    # That of polars, say, has the name, too.
    if not isinstance(table, pd.DataFrame) and type(table).__name__ == "DataFrame":  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TableError(f"table must be a DataFrame of pandas, not of {type(table).__module__}: {remedy}")
    require_kind("table", table, pd.DataFrame, Microdata, remedy=remedy, error=TableError)
    if respondent is None or quasi_identifiers is None or sensitive is None:
        missing = ", ".join(name for name, role in roles.items() if role is None)
        raise TableError(f"the columns of a DataFrame have no roles yet: give {missing}")
    return Microdata.from_frame(
        table, respondent=respondent, quasi_identifiers=quasi_identifiers, sensitive=sensitive
    )


def sound(
    time_limit: float | None, seed: int | None, workers: int | None, initial: Release | None
) -> tuple[float | None, int | None, int | None]:
    """Time limit, seed and workers, once nothing is wrong with the settings; no end of time is no limit."""
    require_time_limit(time_limit)
    if initial is not None:
        require_kind("initial", initial, Release, remedy="give result.release", error=PolicyError)
    return (
        None if time_limit is None or time_limit > float_info.max else float(time_limit),
        None if seed is None else whole("solve", "seed", seed, 0),
        None if workers is None else whole("solve", "workers", workers, 1),
    )


def require_form(problem: Problem) -> None:
    """Requirements on a series are about releases of the form that is published."""
    for r in problem.policy.requirements:
        form = r.structure(problem).form
        if len(problem.history) and form not in (None, problem.policy.form):
            raise PolicyError(
                f"{r.name} is about {form} releases: publish the {form!r} form, or leave it out"
            )


def begun(problem: Problem, initial: Release) -> Release | None:
    """A release to start from as one of the problem's table and form: losses of others mean nothing here.

    Of another form, of other columns or of an earlier state of the table its groups are left, as far as they
    are there now; whoever is new is in none of them. None if nobody is in one.
    """
    table, policy = problem.table, problem.policy
    if policy.recoding == "full_domain":  # one level for each column, or no start
        return initial if initial.form == policy.form and passes(problem, initial) else None
    same = initial.form == policy.form and initial.attributes == table.attributes
    same = same and set(initial.members) == set(table.members)
    if same and next(cell_violations(initial, table.domains), None) is None:
        return initial
    rows = [[table.row[who] for who in group.respondents if who in table.row] for group in initial.groups]
    left = [sorted(group) for group in rows if group]
    return problem.assemble(left) if left else None
