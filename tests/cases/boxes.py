"""The smallest boxes over some tuples, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from optanon.models.box import Box
from optanon.models.domain import Domain
from optanon.models.group import Member

__all__ = ["tight_box"]


def tight_box(members: Iterable[Member], domains: Sequence[Domain]) -> Box:
    """The smallest box over some members."""
    people = list(members)
    codes = [domain.encode([member.point[a] for member in people]) for a, domain in enumerate(domains)]
    return tuple(
        domain.cell(int(own.min()), int(own.max())) for domain, own in zip(domains, codes, strict=True)
    )
