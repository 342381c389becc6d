"""Spellings: texts that people mean as one although computers do not.

``HIV``, ``HIV `` with a trailing blank and ``hiv`` are one diagnosis; counted as three they would pass
for diversity. ``a`` and ``a `` are one person; taken for two, nobody would notice that she returns.
Texts are compared by what `fold` leaves of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["fold", "spellings"]

_WHOLE = re.compile(r"([-+]?\d+)\.0+")


def fold(text: str) -> str:
    r"""What is left of a text without blanks around it, composed or decomposed letters, and case.

    Whole numbers count alike however a program wrote them (``7``, ``7.0``).

    Examples
    --------
    >>> fold(" HIV"), fold("Stra\u00dfe"), fold("e\u0301t\u00e9") == fold("\u00c9t\u00e9"), fold("7.0")
    ('hiv', 'strasse', True, '7')
    """
    plain = unicodedata.normalize("NFC", text.strip())
    folded = unicodedata.normalize("NFC", plain.casefold())
    whole = _WHOLE.fullmatch(folded)
    return folded if whole is None else whole[1]


def spellings(texts: Iterable[str]) -> dict[str, list[str]]:
    """Different texts that fold alike: by what they fold to, in order; texts alone in theirs are left out."""
    found: dict[str, list[str]] = {}
    for text in dict.fromkeys(texts):
        found.setdefault(fold(text), []).append(text)
    return {folded: sorted(group) for folded, group in found.items() if len(group) > 1}
