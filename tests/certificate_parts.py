"""Certificates taken apart and changed, for tests of what refuses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from optanon.solver.certificate import Certificate

__all__ = ["changed", "claim", "claims_of", "plain"]


def plain(certificate: Certificate | None) -> dict[str, Any]:
    """Its content, to be changed."""
    assert certificate is not None
    return certificate.content


def claims_of(content: Any, kind: str) -> Iterator[dict[str, Any]]:
    """All claims of a kind, also those inside others."""
    if isinstance(content, dict):
        if content.get("kind") == kind:
            yield content
        for part in content.values():
            yield from claims_of(part, kind)
    elif isinstance(content, list):
        for part in content:
            yield from claims_of(part, kind)


def claim(content: Any, kind: str) -> dict[str, Any]:
    """The first claim of a kind."""
    return next(claims_of(content, kind))


def changed(certificate: Certificate | None, change: Callable[[dict[str, Any]], object]) -> Certificate:
    """A certificate read again after a change of its content."""
    content = plain(certificate)
    change(content)
    return Certificate.of(content)
