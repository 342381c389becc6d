"""Spellings: texts that people mean as one although computers do not.

``HIV``, ``HIV `` with a trailing blank and ``hiv`` are one diagnosis; counted as three they would pass
for diversity. ``a`` and ``a `` are one person; taken for two, nobody would notice that she returns.
Texts are compared by what `combination.fold` leaves of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .combination import fold
from .errors import SpellingError, TableError

__all__ = [
    "KEYED_HASH",
    "Choice",
    "Spelling",
    "is_keyed_hash",
    "one_spelling",
    "refuse_id_spellings",
    "refuse_value_spellings",
    "shown",
    "spellings",
]

_MOST = 20
"""Groups of rows that a message lists."""

KEYED_HASH = re.compile(r"hmac-([0-9a-f]{16}):[0-9a-f]{64}")
"""What a stored history with a key makes of an id; the first part tells the key."""


def is_keyed_hash(respondent: str) -> bool:
    """Whether an id looks like what a stored history with a key makes of one."""
    return KEYED_HASH.fullmatch(respondent) is not None


def spellings(texts: Iterable[str], folding: Callable[[str], str] = fold) -> dict[str, list[str]]:
    """Different texts that fold alike: by what they fold to, in order; texts alone in theirs are left out."""
    found: dict[str, list[str]] = {}
    for text in dict.fromkeys(texts):
        found.setdefault(folding(text), []).append(text)
    return {folded: sorted(group) for folded, group in found.items() if len(group) > 1}


def one_spelling(texts: Sequence[str], declared: Collection[str] = ()) -> dict[str, str]:
    """For each text that others differ from in spelling only: as declared, else as most write it."""
    counts = Counter(texts)
    return {
        text: min(group, key=lambda one: (one not in declared, -counts[one], one != one.strip(), one))
        for group in spellings((*declared, *counts)).values()
        for text in group
    }


Choice: TypeAlias = Literal["refuse", "keep", "merge"]
"""What is done about spellings: an error; they differ; they are one."""


@dataclass(frozen=True, kw_only=True)
class Spelling:
    """What is declared about spellings of respondent ids and of sensitive values.

    Parameters
    ----------
    respondent, sensitive : {"refuse", "keep", "merge"}
        ``"merge"``: values are written as the releases before, else as most rows write them; an id is
        that of the respondent whom the releases before write otherwise. Two rows of one table are never
        one respondent.
    """

    respondent: Choice = "refuse"
    sensitive: Choice = "refuse"

    @classmethod
    def of(cls, given: Spelling | Choice | Mapping[str, Choice]) -> Spelling:
        """One choice for both, or a mapping with the keys ``respondent`` and ``sensitive``.

        Raises
        ------
        TableError
            If it is no such choice.
        """
        if isinstance(given, Spelling):
            return given
        by_role: dict[Any, Any] = (
            dict(given) if isinstance(given, Mapping) else {"respondent": given, "sensitive": given}
        )
        known = all(choice in ("refuse", "keep", "merge") for choice in by_role.values())
        if not known or not by_role.keys() <= {"respondent", "sensitive"}:
            raise TableError(
                f"spelling must be 'refuse', 'keep' or 'merge', or say so for 'respondent' and 'sensitive', "
                f"got {given!r}"
            )
        return cls(**by_role)


def shown(texts: Iterable[str]) -> str:
    """Spellings for a message, so that one sees how they differ."""
    found = list(texts)
    alike = len({unicodedata.normalize("NFC", text) for text in found}) < len(found)
    return ", ".join(ascii(text) if alike else repr(text) for text in found)


def refuse_value_spellings(name: str, found: Iterable[Sequence[str]], *, merging: bool = False) -> None:
    """Refuse sensitive values that differ in spelling only, if there are any: all of them are listed.

    Raises
    ------
    TableError
    """
    groups = list(found)
    if not groups:
        return
    remedy = "declare spelling: {sensitive: keep} if they are different values"
    if merging:
        remedy = "the releases before have both, so they cannot be merged: " + remedy
    else:
        remedy = "correct them, declare spelling: {sensitive: merge} if they are one value, or " + remedy
    raise TableError(
        f"column {name!r}: values that differ in blanks, case or composed letters only would count as "
        f"different ones ({'; '.join(shown(group) for group in groups)}): {remedy}"
    )


def refuse_id_spellings(name: str, rows: Sequence[Sequence[int]], *, merging: bool = False) -> None:
    """Refuse respondent ids of one table that differ in spelling only; rows are named, no id.

    Raises
    ------
    SpellingError
    """
    if not rows:
        return
    listed = "; ".join(" and ".join(map(str, group)) for group in rows[:_MOST])
    more = f"; and {len(rows) - _MOST} more" if len(rows) > _MOST else ""
    remedy = "keep one row per respondent" if merging else "correct them"
    raise SpellingError(
        f"column {name!r}: ids differ in blanks, case, composed letters or zeros in front only, in rows "
        f"{listed}{more}: {remedy}, or declare spelling: {{respondent: keep}} if they are different people"
    )
