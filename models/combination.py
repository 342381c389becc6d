"""Values of several sensitive attributes as one text, and apart again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["SEPARATOR", "joined", "part_of", "parted"]

SEPARATOR = " ¦ "


def joined(parts: Iterable[str]) -> str:
    """The name of several attributes, or one combination of their values.

    Examples
    --------
    >>> joined(["diagnosis", "salary"]), parted("flu ¦ low"), part_of("flu ¦ low", [1])
    ('diagnosis ¦ salary', ('flu', 'low'), 'low')
    """
    return SEPARATOR.join(parts)


def parted(joint: str) -> tuple[str, ...]:
    """Each attribute's name or value; a single attribute is itself."""
    return tuple(joint.split(SEPARATOR))


def part_of(value: str, at: Sequence[int]) -> str:
    """What a combination says of the attributes with these numbers."""
    parts = parted(value)
    return joined(parts[place] for place in at)
