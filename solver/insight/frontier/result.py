"""What `frontier` returns: the points, as a table, CSV, JSON and plot."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from ....models.exact_numbers import exact_text, plain_value
from ....models.files import write_frame
from ...status import Status
from .grid import FrontierGrid
from .plot import draw, draw_both
from .points import FrontierPoint

__all__ = ["Frontier"]


@dataclass(frozen=True, kw_only=True)
class Frontier:
    """Loss against privacy.

    Attributes
    ----------
    grid : Grid
    points : tuple of FrontierPoint
        In the order of the grid; those not reached are missing.
    complete : bool
        Whether every point was searched.
    """

    grid: FrontierGrid = field(repr=False)
    points: tuple[FrontierPoint, ...]
    complete: bool

    @property
    def decided(self) -> bool:
        """Whether every point has a release, or a proof that there is none."""
        return self.complete and all(point.status is not Status.UNKNOWN for point in self.points)

    def to_frame(self) -> pd.DataFrame:
        """One row per point: settings, status, then value (exact and as a number), bound and gap per loss."""
        rows: list[dict[str, object]] = []
        for point in self.points:
            row: dict[str, object] = {
                name: plain_value(value) for name, value in zip(self.grid.names, point.settings, strict=True)
            }
            row |= {"status": point.status.value, "termination": point.termination.value}
            for number, name in enumerate(point.losses):
                value = point.values[number] if point.values else None
                bound = point.bounds[number]
                gap = point.levels[number].gap if point.values else None
                row |= {
                    name: _decimal(value),
                    f"{name} exact": exact_text(value),
                    f"{name} bound": exact_text(bound),
                    f"{name} gap": _decimal(gap),
                }
            both = self.grid.both(point.settings, point.release)
            row |= {name: _decimal(both.get(name)) for name in self.grid.weighed}
            row |= {
                "groups": point.groups,
                "largest group": point.largest_group,
                "suppressed tuples": point.suppressed,
                "counterfeit tuples": point.counterfeits,
                "from neighbours": " ".join(point.borrowed),
                "engine": point.engine,
                "seconds": round(point.seconds, 3),
            }
            rows.append(row)
        return pd.DataFrame(rows, dtype=object)

    def _repr_html_(self) -> str:
        """`to_frame` without its exact numbers, for notebooks."""
        frame = self.to_frame()
        return frame[[name for name in frame.columns if not str(name).endswith(" exact")]].to_html(
            index=False
        )

    def to_csv(self, path: str | Path) -> None:
        """Write `to_frame`, whole or not at all."""
        write_frame(path, self.to_frame())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; exact numbers as strings; no memberships."""
        return {
            "axes": list(self.grid.names),
            "complete": self.complete,
            "points": [
                {
                    "settings": {
                        name: plain_value(value)
                        for name, value in zip(self.grid.names, point.settings, strict=True)
                    },
                    "status": point.status.value,
                    "termination": point.termination.value,
                    "objective": [
                        {
                            "loss": name,
                            "value": exact_text(point.values[number]) if point.values else None,
                            "bound": exact_text(point.bounds[number]),
                            "gap": exact_text(point.levels[number].gap) if point.values else None,
                        }
                        for number, name in enumerate(point.losses)
                    ],
                    **{k: str(v) for k, v in self.grid.both(point.settings, point.release).items()},
                    "groups": point.groups,
                    "largest group": point.largest_group,
                    "suppressed": point.suppressed,
                    "counterfeits": point.counterfeits,
                    "from neighbours": list(point.borrowed),
                    "engine": point.engine,
                    "seconds": round(point.seconds, 3),
                }
                for point in self.points
            ],
        }

    def plot(self, path: str | Path) -> None:
        """Draw loss against the first parameter, one line per combination of the others.

        Where an outlook's weight varies, draw what is lost now against the counterfeits that are expected.

        The format follows the file's ending: svg, pdf or png.

        Raises
        ------
        OptanonError
            If the ending is none of these, the folder does not exist or matplotlib is missing.
        """
        if self.grid.weighed:
            both = [(point, self.grid.both(point.settings, point.release)) for point in self.points]
            draw_both(self.grid.weighed, both, Path(path))
        else:
            draw(self.grid.names, self.points, Path(path))


def _decimal(number: Fraction | None) -> float | None:
    return None if number is None else float(number)
