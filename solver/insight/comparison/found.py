"""What a comparison found, and how it leaves the house: frame, CSV, JSON, picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ....models.exact_numbers import exact_text
from ....models.files import write_frame, write_json
from .distance import Distance, Reference
from .rows import ComparisonRow
from .table import cells, columns

__all__ = ["Comparison", "comparisons_to_csv", "comparisons_to_json"]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    rows : tuple of ComparisonRow
        Engines first, then baselines in the order of the registry.
    levels : tuple of str
        The policy's objective, most important first.
    requirements : tuple of str
        The policy's requirements in words.
    reference : Reference
        What is proven of the best release that keeps the policy.
    tuples : int
        Size of the table.
    release : int
        Which release of its series the table becomes, from 1.
    policy : str
        Digest of the policy. There is none of the table: whoever knows all of it but one value could try
        that value's candidates, and a comparison is shown to others.
    settings : Mapping
        Seed, time limit per search, number and selectivity of queries.
    """

    rows: tuple[ComparisonRow, ...]
    levels: tuple[str, ...]
    requirements: tuple[str, ...]
    reference: Reference
    tuples: int
    release: int
    policy: str
    settings: Mapping[str, Any]

    def __getitem__(self, name: str) -> ComparisonRow:
        """The row of a baseline or engine.

        Raises
        ------
        KeyError
            If there is none of that name.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    @property
    def best_heuristic(self) -> ComparisonRow | None:
        """The baseline whose release keeps the policy and is best, the first of equals; None if none does."""
        kept = [row for row in self.rows if row.kind == "baseline" and row.figures and row.keeps_policy]
        return min(kept, key=lambda row: row.figures.objective if row.figures else (), default=None)

    def to_frame(self) -> pd.DataFrame:
        """One row per baseline or engine; exact numbers as text, floats where they are shown so."""
        frame = pd.DataFrame([self._flat(row) for row in self.rows])
        return frame.astype(dict.fromkeys(_COUNTS, "Int64"))

    def _repr_html_(self) -> str:
        """The table as it is shown on a terminal, for notebooks."""
        shown = [row for row in self.rows if row.figures is not None]
        lines = [cells(self.levels, shown, row) for row in shown]
        return pd.DataFrame(lines, columns=list(columns(self.levels, shown))).to_html(index=False)

    def to_csv(self, path: str | Path) -> None:
        """Write `to_frame` as CSV, whole or not at all."""
        write_frame(path, self.to_frame())

    def to_dict(self) -> dict[str, Any]:
        """Plain values JSON can hold, exact numbers as text; no respondent and no sensitive value.

        ``columns`` and ``rows`` are the table as it is shown, ``results`` has everything.
        """
        shown = [row for row in self.rows if row.figures is not None]
        return {
            "columns": list(columns(self.levels, shown)),
            "rows": [list(cells(self.levels, shown, row)) for row in shown],
            "tuples": self.tuples,
            "release": self.release,
            "policy": self.policy,
            "requirements": list(self.requirements),
            "minimize": list(self.levels),
            "settings": dict(self.settings),
            "best_heuristic": None if self.best_heuristic is None else self.best_heuristic.name,
            "reference": {
                "optimum": [str(value) for value in self.reference.optimum],
                "bound": exact_text(self.reference.bound),
                "infeasible": self.reference.infeasible,
            },
            "results": [self._nested(row) for row in self.rows],
        }

    def to_json(self, path: str | Path) -> None:
        """Write `to_dict` as JSON, whole or not at all."""
        write_json(path, self.to_dict(), private=False)

    def plot(self, path: str | Path) -> None:
        """Draw into a .png, .svg or .pdf file, whole or not at all.

        Raises
        ------
        InputError
            If the file has another ending, its folder does not exist, or no row has a release.
        """
        # Imported here: drawing takes a second to load.
        from .chart import save_picture

        save_picture({"": self}, path)

    def _flat(self, row: ComparisonRow) -> dict[str, Any]:
        found = row.figures
        flat: dict[str, Any] = {"name": row.name, "kind": row.kind}
        for level, name in enumerate(self.levels):
            value = None if found is None else found.objective[level]
            flat[name] = None if value is None else float(value)
            flat[f"{name} exactly"] = exact_text(value)
        for label, place in (("", row.distance), ("promised ", row.own)):
            flat[f"{label}reference"] = None if place is None else str(place.reference)
            flat[f"{label}reference is"] = None if place is None else _kind(place)
            multiple = None if place is None else place.multiple
            flat[f"{label}multiple"] = None if multiple is None else float(multiple)
        broken = {} if found is None else found.violations
        flat["keeps policy"] = row.keeps_policy
        flat["violations"] = "; ".join(f"{name} {count}" for name, count in broken.items())
        flat["promises"] = "; ".join(row.promises)
        flat |= {name: None if found is None else getattr(found, name) for name in _COUNTS}
        flat["information loss"] = None if found is None else float(found.information_loss)
        flat["average size"] = None if found is None else float(found.average)
        return flat | {
            "query error": None if found is None else found.query_error,
            "seconds": round(row.seconds, 3),
            "status": row.status,
            "refused": row.refused,
        }

    def _nested(self, row: ComparisonRow) -> dict[str, Any]:
        found = row.figures
        return {
            "name": row.name,
            "kind": row.kind,
            "source": row.source,
            "promises": list(row.promises),
            "refused": row.refused,
            "status": row.status,
            "seconds": round(row.seconds, 3),
            "keeps_policy": row.keeps_policy,
            "figures": None
            if found is None
            else {
                "objective": [str(value) for value in found.objective],
                "information_loss": str(found.information_loss),
                "discernibility": str(found.discernibility),
                "average": str(found.average),
                "query_error": found.query_error,
                "violations": dict(found.violations),
            }
            | {name: getattr(found, name) for name in _COUNTS},
            "distance": _place(row.distance, self.levels),
            "own": _place(row.own, self.levels),
        }


def comparisons_to_csv(found: Mapping[str, Comparison], path: str | Path) -> None:
    """Write comparisons of several problems as one CSV; they are told apart by a column `problem`."""
    if len(found) == 1:
        next(iter(found.values())).to_csv(path)
        return
    frames = [one.to_frame().assign(problem=name) for name, one in found.items()]
    frame = pd.concat(frames, ignore_index=True)
    frame = frame[["problem", *(column for column in frame.columns if column != "problem")]]
    write_frame(path, frame)


def comparisons_to_json(found: Mapping[str, Comparison], path: str | Path) -> None:
    """Write comparisons as one JSON file: that of the only problem, or ``{"problems": {name: ...}}``."""
    if len(found) == 1:
        next(iter(found.values())).to_json(path)
        return
    write_json(path, {"problems": {name: one.to_dict() for name, one in found.items()}}, private=False)


_COUNTS = ("groups", "smallest", "largest", "counterfeits", "suppressed", "hidden_cells")


def _kind(place: Distance) -> str:
    return "proven optimum" if place.proven else "proven bound"


def _place(place: Distance | None, levels: tuple[str, ...]) -> dict[str, Any] | None:
    if place is None:
        return None
    return {
        "level": levels[place.level],
        "value": str(place.value),
        "reference": str(place.reference),
        "reference_is": _kind(place),
        "multiple": exact_text(place.multiple),
        "excess": str(place.excess),
    }
