"""A frontier as a table for people: settings, status, and per loss its value, bound and gap."""

from __future__ import annotations

from ....models.exact_numbers import show_gap, show_number
from .points import FrontierPoint
from .result import Frontier

__all__ = ["cells", "columns"]


def columns(found: Frontier) -> tuple[str, ...]:
    """Headings of `cells`."""
    heads = [column for loss in _common(found) for column in (loss, "proven bound", "gap")]
    return (*found.grid.names, "status", *heads, *found.grid.weighed, "groups", "seconds")


def _common(found: Frontier) -> tuple[str, ...]:
    """Levels that all points have: not those in which what varies is weighed."""
    first = found.points[0].losses if found.points else ()
    return tuple(loss for loss in first if all(loss in point.losses for point in found.points))


def cells(frontier: Frontier, point: FrontierPoint) -> tuple[str, ...]:
    """One point; a star where the verdict or a bound came from a neighbouring point."""
    found: list[str] = [str(value) for value in point.settings]
    found.append(point.status.value + ("*" if point.borrowed else ""))
    for level in map(point.losses.index, _common(frontier)):
        value, bound = point.values[level] if point.values else None, point.bounds[level]
        found += [show_number(value), show_number(bound), show_gap(value, bound) or "-"]
    both = frontier.grid.both(point.settings, point.release)
    found += [show_number(both.get(name)) for name in frontier.grid.weighed]
    return (*found, "-" if point.groups is None else str(point.groups), f"{point.seconds:.1f}")
