"""What is said of the sensitive attribute, or of several that are published together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .combination import SEPARATOR, joined
from .errors import TableError

__all__ = ["Persistence", "Sensitive", "SensitiveSpec", "refuse_separator"]

Persistence: TypeAlias = Literal["persistent", "transient", "both"]


@dataclass(frozen=True, kw_only=True)
class Sensitive:
    """The sensitive attribute.

    Parameters
    ----------
    name : str
        Column name.
    persistence : {"persistent", "transient", "both"}
        Whether a respondent's value stays the same over releases. It decides
        which adversary is meant; ``"both"`` (unchanging data, requirements of
        either kind) makes the user's choice explicit when the two are mixed.
    order : tuple of str, optional
        The values in their natural order, if they have one (a salary band);
        ordered t-closeness needs it.
    domain : frozenset of str
        Values that may be used for counterfeits although no tuple has them.
    parts : tuple of Sensitive
        The attributes, if it stands for several: its values are their combinations (see `attributes`).
    """

    name: str
    persistence: Persistence = "persistent"
    order: tuple[str, ...] | None = None
    domain: frozenset[str] = frozenset()
    parts: tuple[Sensitive, ...] = ()

    @classmethod
    def of(cls, said: SensitiveSpec) -> Sensitive:
        """One attribute, or several as one.

        Raises
        ------
        TableError
            If there is none, or several of them disagree about persistence or declare further values.
        """
        if isinstance(said, str | Sensitive):
            return said if isinstance(said, Sensitive) else cls(name=said)
        if not isinstance(said, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TableError(f"sensitive names a column, or lists two or more by their names, got {said!r}")
        parts = tuple(map(cls.of, said))
        names = [part.name for part in parts]
        if len(parts) < 2:
            raise TableError("sensitive: a list names two attributes or more: give a single one by its name")
        if len({part.persistence for part in parts}) > 1:
            raise TableError(f"columns {', '.join(names)}: declare one persistence for all of them")
        for part in parts:
            if part.domain or part.parts:
                raise TableError(
                    f"column {part.name!r}: several sensitive attributes declare no further values: "
                    "leave domain out"
                )
        return cls(name=joined(names), persistence=parts[0].persistence, parts=parts)

    @property
    def attributes(self) -> tuple[Sensitive, ...]:
        """Each sensitive attribute; itself, if it is the only one."""
        return self.parts or (self,)

    def __post_init__(self) -> None:
        if self.persistence not in ("persistent", "transient", "both"):
            raise TableError(
                f"persistence of column {self.name!r} must be 'persistent', 'transient' or 'both', "
                f"got {self.persistence!r}"
            )
        if not self.parts and SEPARATOR in self.name:
            raise TableError(
                f"column {self.name!r}: a {SEPARATOR.strip()!r} stands between the names of several "
                "sensitive attributes, so no name may have one: rename it"
            )


SensitiveSpec: TypeAlias = str | Sensitive | Sequence[str | Sensitive]
"""The sensitive column by name or with its options, or several of them."""


def refuse_separator(name: str, texts: Iterable[str]) -> None:
    """Refuse values that could not be told from combinations.

    Raises
    ------
    TableError
    """
    for row, text in enumerate(texts, start=1):
        if SEPARATOR.strip() in text:
            raise TableError(
                f"column {name!r}, row {row}: a {SEPARATOR.strip()!r} stands between values of several "
                "sensitive attributes, so none may have one: write it otherwise"
            )
