"""Which column of a data frame plays which role, kept beside the frame it fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import pandas as pd

from ..models.table import Microdata, QISpec, Sensitive

__all__ = ["Dataset", "Roles", "numbered_rows"]


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Roles of columns, ready for `Microdata.from_frame`.

    Parameters
    ----------
    respondent : str
        Column of respondent ids.
    quasi_identifiers : mapping of column to QISpec
        How each is generalized. For a series of releases give domains, ordered lists or
        hierarchies, not guesses, so that all releases have the same domains.
    sensitive : Sensitive
        The sensitive column with its options.
    missing : {"refuse", "category"}
        What missing values are.
    """

    respondent: str
    quasi_identifiers: Mapping[str, QISpec]
    sensitive: Sensitive
    missing: Literal["refuse", "category"] = "refuse"

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns with a role: respondent, quasi-identifiers, sensitive."""
        return (self.respondent, *self.quasi_identifiers, self.sensitive.name)

    def table(self, frame: pd.DataFrame) -> Microdata:
        """Microdata of a frame with these columns.

        Raises
        ------
        TableError
            As `Microdata.from_frame`.
        """
        return Microdata.from_frame(
            frame,
            respondent=self.respondent,
            quasi_identifiers=self.quasi_identifiers,
            sensitive=self.sensitive,
            missing=self.missing,
        )


class Dataset(NamedTuple):
    """A frame with one row per tuple, and roles of its columns; ``roles.table(frame)`` is microdata."""

    frame: pd.DataFrame
    roles: Roles


def numbered_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a column `id`: ``r1``, ``r2``, ... by row, where a set has no ids of its own."""
    return frame.assign(id=[f"r{row}" for row in range(1, len(frame) + 1)])
