"""The best partitions that are known of the tables that publications on microaggregation mask.

They are shipped as the instance ``microaggregation``: per table and k a file with the number of the group of
each row, and in ``expected.yaml`` its value, 100 SSE/SST, and the bound that was certified with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..models.errors import InputError
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirements import KCAnonymity
from ..models.table import Microdata
from .catalog import expected, path
from .datasets import masked

__all__ = ["INSTANCE", "KnownPartition", "known_partitions", "masking"]

INSTANCE = "microaggregation"


@dataclass(frozen=True, kw_only=True)
class KnownPartition:
    """A partition of a table into groups of at least k rows.

    Attributes
    ----------
    data : str
        See `datasets.masked`.
    k : int
    value, bound : Fraction
        100 SSE/SST of z-scores, exact, and what no partition is below, as certified.
    certificate : str or None
        File of the certificate in the instance's folder, if that is small enough to be shipped.
    """

    data: str
    k: int
    value: Fraction
    bound: Fraction
    certificate: str | None

    @property
    def groups(self) -> list[list[int]]:
        """Rows of the table (from 0) of each group."""
        found: dict[str, list[int]] = {}
        text = (path(INSTANCE) / f"{self.data}-{self.k}.groups").read_text(encoding="utf-8")
        for row, group in enumerate(text.split()):
            found.setdefault(group, []).append(row)
        return list(found.values())

    def release(self, problem: Problem) -> Release:
        """The partition as a release of `masking`."""
        return problem.assemble(self.groups)


def masking(data: str, k: int, *, rows: int = 0, seed: int = 0) -> Problem:
    """Optimal microaggregation of a table, or of a sample of so many rows.

    Raises
    ------
    InputError
        If there is no such table, or its file is nowhere.
    """
    frame, roles = masked(data)
    if rows:
        frame = frame.sample(rows, random_state=seed).reset_index(drop=True)
    table = Microdata.from_frame(
        frame,
        respondent=roles.respondent,
        quasi_identifiers=roles.quasi_identifiers,
        sensitive=roles.sensitive,
    )
    return Problem(table=table, policy=Policy([KCAnonymity(k=k)], ["squared_error"]))


def known_partitions() -> tuple[KnownPartition, ...]:
    """All that are shipped."""
    entries: Any = (expected(INSTANCE).model_extra or {}).get("partitions")
    if not entries:
        raise InputError(f"the instance {INSTANCE} has no partitions")
    return tuple(
        KnownPartition(
            data=entry["data"],
            k=entry["k"],
            value=Fraction(entry["value"]),
            bound=Fraction(entry["bound"]),
            certificate=entry.get("certificate"),
        )
        for entry in entries
    )
