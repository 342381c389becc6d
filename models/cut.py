"""A constraint that is found while searching: what a release that was found breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .encoding import Encoding

__all__ = ["Cut"]


@dataclass(frozen=True)
class Cut:
    """A constraint some found release breaks; `apply` writes it into a model.

    `name` tells what it stands for, so that rounds of cuts can be reported.
    """

    name: str
    apply: Callable[[Encoding], None]
