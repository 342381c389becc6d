"""Values as texts: of several sensitive attributes as one, apart again, and whatever way they are spelt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

__all__ = ["SEPARATOR", "fold", "fold_id", "joined", "part_of", "parted"]

SEPARATOR = " ¦ "

_WHOLE = re.compile(r"([-+]?\d+)\.0+")


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


def fold(text: str) -> str:
    r"""What is left of a text without blanks around it, composed or decomposed letters, and case.

    Whole numbers count alike however a program wrote them (``7``, ``7.0``).

    Examples
    --------
    >>> fold(" HIV"), fold("Stra\u00dfe"), fold("e\u0301t\u00e9") == fold("\u00c9t\u00e9"), fold("7.0")
    ('hiv', 'strasse', True, '7')
    """
    if text.isascii():  # most are, and tables have millions
        folded = text.strip().lower()
    else:
        if SEPARATOR in text:
            return joined(map(fold, parted(text)))
        plain = unicodedata.normalize("NFC", text.strip())
        folded = unicodedata.normalize("NFC", plain.casefold())
    whole = _WHOLE.fullmatch(folded) if folded.endswith((".0", "00")) else None
    return folded if whole is None else whole[1]


def fold_id(text: str) -> str:
    """What is left of a respondent's id: as `fold`, and spreadsheets take zeros in front from numbers.

    Examples
    --------
    >>> fold_id("007"), fold_id("7.0"), fold_id("000"), fold_id("0a")
    ('7', '7', '0', '0a')
    """
    folded = fold(text)
    return (folded.lstrip("0") or "0") if folded[:1] == "0" and folded.isdecimal() else folded
