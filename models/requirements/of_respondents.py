"""Requirements that name respondents, under the ids by which a history knows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from ..adversary.knowledge import Knowledge
from ..requirement import Requirement

__all__ = ["aligned", "knowledge_of", "names_respondents"]


def knowledge_of(requirement: Requirement) -> Iterator[Knowledge]:
    """What a requirement says of single respondents; nothing, most often."""
    found = (getattr(requirement, field.name) for field in fields(requirement))
    return (known for known in found if isinstance(known, Knowledge))


def names_respondents(requirement: Requirement) -> bool:
    """Whether something is known of single respondents, so that it matters in which groups they are."""
    return next(knowledge_of(requirement), None) is not None


def aligned(requirements: tuple[Requirement, ...], named: Callable[[str], str]) -> tuple[Requirement, ...]:
    """What is known of single respondents is known of them under their new ids; the same tuple if nothing is.

    A stored history may keep keyed hashes, and a policy is written before there are any.
    """
    found = tuple(_aligned(requirement, named) for requirement in requirements)
    return requirements if found == requirements else found


def _aligned(requirement: Requirement, named: Callable[[str], str]) -> Requirement:
    told = {field.name: getattr(requirement, field.name) for field in fields(requirement)}
    known = {name: value.renamed(named) for name, value in told.items() if isinstance(value, Knowledge)}
    return replace(requirement, **known) if known else requirement
