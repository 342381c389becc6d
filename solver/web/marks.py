"""How parts of the page are named for tests and screen readers, whatever the data are.

NiceGUI reads ``element.props("...")`` as a list of props, and evaluates props that begin with a colon as
JavaScript. Text that holds data must therefore never go through it. A prop that is set by itself is a
plain attribute: whatever its value says, it is not read again.
"""

from __future__ import annotations

from typing import TypeVar

from nicegui.element import Element

__all__ = ["marked"]

Part = TypeVar("Part", bound=Element)


def marked(part: Part, *mark: str | int, label: str | None = None) -> Part:
    """Name a part of the page.

    Parameters
    ----------
    part : Element
    mark : str or int
        Joined by hyphens to the test id; columns of a table by their number.
    label : str, optional
        What a screen reader says.
    """
    part.props["data-testid"] = "-".join(map(str, mark))
    if label is not None:
        part.props["aria-label"] = label
    return part
