"""Certificates taken apart and changed, for tests of what refuses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from optanon.models.problem import Problem
from optanon.solver.certificate import Certificate
from optanon.solver.exact.payload import packed, unpacked
from optanon.solver.verify.by_sizes import BySizes

__all__ = ["changed", "claim", "claims_of", "plain", "without_duals"]


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


def without_duals(problem: Problem, claim: dict[str, Any]) -> str:
    """The search tree of a claim about histograms, every dual 0."""
    asked = BySizes.of(problem, claim["sizes"]).asked(
        claim["level"], claim["costs"], claim["bound"], claim["sets"]
    )
    assert asked is not None
    tree = unpacked(claim["proof"], len(asked.program.low))
    nodes = tuple(
        replace(node, duals=replace(node.duals, rows=np.zeros_like(node.duals.rows))) for node in tree.nodes
    )
    text = packed(replace(tree, nodes=nodes))
    assert text is not None
    return text
