"""Requirements and losses as a form or a report offers them: parameters, help in their own words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from ..models.losses import losses
from ..models.requirement import Requirement
from ..models.requirements import registered

__all__ = ["Term", "TermParameter", "loss_names", "requirement_terms", "term_of", "use_of"]


@dataclass(frozen=True, kw_only=True)
class TermParameter:
    """One parameter: how its docstring describes it, and its default (None if it must be given)."""

    name: str
    help: str
    default: Any
    needed: bool


@dataclass(frozen=True, kw_only=True)
class Term:
    """A requirement: its name, what it asks, when to use it, where it is published."""

    name: str
    help: str
    use: str
    reference: str
    parameters: tuple[TermParameter, ...]


def requirement_terms() -> tuple[Term, ...]:
    """Every registered requirement, by name."""
    return tuple(term_of(kind) for _, kind in sorted(registered().items()))


def term_of(kind: type[Requirement]) -> Term:
    """One requirement."""
    text = inspect.getdoc(kind) or ""
    described = _described(text)
    return Term(
        name=kind.name,
        help=" ".join(text.split("\n\n")[0].split()),
        use=use_of(text),
        reference=kind.reference,
        parameters=tuple(
            TermParameter(
                name=f.name,
                help=described.get(f.name, ""),
                default=None if f.default is MISSING else f.default,
                needed=f.default is MISSING and f.default_factory is MISSING,
            )
            for f in fields(kind)
        ),
    )


def use_of(text: str) -> str:
    """The paragraph of a docstring that says when to use it; empty without one."""
    found = (" ".join(part.split()) for part in text.split("\n\n"))
    return next((part for part in found if part.startswith("Use it ")), "")


def loss_names() -> tuple[str, ...]:
    """Every registered loss."""
    return tuple(sorted(losses()))


def _described(text: str) -> Mapping[str, str]:
    """What a numpydoc docstring says of each parameter."""
    part = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", text, flags=re.DOTALL | re.MULTILINE)
    found: dict[str, str] = {}
    names: list[str] = []
    for line in (part[1] if part else "").splitlines():
        head = re.match(r"^([\w, ]+?) : .*$", line)
        if head:
            names = [name.strip() for name in head[1].split(",")]
            found |= dict.fromkeys(names, "")
        elif line.startswith(" "):
            for name in names:
                found[name] = f"{found[name]} {line.strip()}".strip()
    return found
