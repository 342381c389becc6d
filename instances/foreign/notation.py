r"""Published cells in the notations of other tools, read as cells of a domain.

=====================  =====================================================================
``20``, ``cook``       exact (any label of the column's hierarchy as well)
``*``, empty, ``NA``   nothing is said: the whole domain; also ``NULL`` (ARX)
``20-30``, ``20..30``  a range (anonypy; closed unless asked otherwise)
``[20-30]``            the same with brackets
``[20, 30[``           an interval, ends as the brackets say (ARX); also ``[20,30)`` (ANJANA),
                       ``(20,30]`` (R's cut, sdcMicro), ``]20;30]``
``(60,Inf]``           ends may be infinite (R's cut), in any notation of intervals
``>=40``, ``<20``      open to one side (ARX)
``{a, b}``, ``a,b``    a set (ARX; anonypy); also with ``;`` or ``|`` between
``['20-30']``          a list as Python prints it (anonypy's frames, written to a file)
``130**``, ``*****``   each star stands for one character (ARX's masks); if the mask is as
                       long as the longest value, also for one that shorter values lack
=====================  =====================================================================

These are what the tools print by their published code and documentation: ARX's interval, set, bounds and
redaction hierarchies, ``*`` and ``NULL``; sdcMicro's global recoding (R's ``cut``) and local
suppression. ARX's Java interface writes ``[20, 40]`` for an interval without 40, unless told to write
``[20, 40[``: read it with ``ends="upper-open"``. What sdcMicro changes rather than coarsens (noise, swapped
or averaged values) has no notation: such cells are read as the values they show.

A text that is a label of the column is always read as that label. Intervals are cut to the domain,
and an interval of numbers is the range of the column's grid in it: with whole numbers ``[20,30)`` is
``[20,29]``. A set of numbers becomes the range around it, which overstates its loss; it covers no others.
Cells that say different things are different, though they may cover the same values of the table. In a column
with a category ``missing``, so are ``*``, empty cells and ``NA``, and other marks (``?``) are that category.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Literal, TypeAlias

from ...models.box import Cell, Leaves, covered_by, format_number
from ...models.categories import Categories, Ordered
from ...models.combination import fold
from ...models.domain import Domain
from ...models.errors import ReleaseError
from ...models.exact_numbers import exact_number
from ...models.missing import DOUBTFUL, MISSING
from ...models.numeric import Numeric
from .masks import matching

__all__ = ["NOTHING_SAID", "CoveredValues", "Ends", "Reader"]

Ends: TypeAlias = Literal["written", "closed", "half-open", "upper-open"]
"""Which ends belong to an interval: see `Reader`."""

NOTHING_SAID = ("", "*", "NA", "NaN", "nan", "<NA>", "None", "NULL")
"""Cells that say nothing."""

_NUMBER = r"[-+]?(?:\d+/\d+|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_END = rf"{_NUMBER}|[-+]?(?i:inf(?:inity)?)"
_BRACKETS = re.compile(r"([\[\](])\s*(.+?)\s*([\])\[])")
_PAIR = re.compile(rf"({_END})\s*(?:,|;|:|\.\.|-|–|\sto\s)\s*({_END})")
_COMPARED = re.compile(rf"(>=|<=|≥|≤|>|<)\s*({_NUMBER})")
_MASKED = 10**6
"""Columns with more different numbers are not compared with masks one by one."""
_RANGE_SIGNS = ("..", ",", ";", "-", "–", " to ")
_SET_SIGNS = (",", ";", "|")


@dataclass(frozen=True)
class CoveredValues:
    """What a published cell covers.

    Attributes
    ----------
    cell : Cell
        In a form that is the same for all spellings of the same.
    lo, hi : int
        First and last code it covers.
    codes : frozenset of int or None
        All codes, if not every one between is covered.
    cut : bool
        Whether it reached beyond the domain.
    widened : bool
        Whether the cell is wider than what was published.
    said : object
        What was published, where something else may cover the same: readers tell records apart by that.
    """

    cell: Cell
    lo: int
    hi: int
    codes: frozenset[int] | None = None
    cut: bool = False
    widened: bool = False
    said: object = None

    @property
    def published(self) -> object:
        """Equal for cells that nobody can tell apart: all spellings of the same are one."""
        return self.said, covered_by(self.cell)


@dataclass(frozen=True)
class _Span:
    """An interval of numbers; None is no limit."""

    lo: Fraction | None
    hi: Fraction | None
    low_in: bool = True
    high_in: bool = True

    def holds(self, number: Fraction) -> bool:
        low = self.lo is None or number > self.lo or (self.low_in and number == self.lo)
        return low and (self.hi is None or number < self.hi or (self.high_in and number == self.hi))


class Reader:
    """Reads the cells of one column.

    Parameters
    ----------
    domain : Domain
        The column's domain in the problem.
    ends : {"written", "closed", "half-open", "upper-open"}
        ``"written"``: brackets say which ends belong to an interval, and a range without
        brackets (``20-30``) has both. ``"closed"``: every interval has both, whatever its brackets
        say. ``"half-open"``: a range without brackets lacks its upper end. ``"upper-open"``: every
        interval has its lower and lacks its upper end, whatever its brackets say.
    """

    def __init__(self, domain: Domain, ends: Ends = "written") -> None:
        self.domain = domain
        self.ends: Ends = ends
        self._known: dict[str, CoveredValues] = {}
        self._read: Callable[[str], CoveredValues]
        if isinstance(domain, Numeric):
            self._last = int((domain.hi - domain.lo) // domain.step)
            self._numeric = domain
            self._rank: dict[str, int] = {}
            self._read = self._number
        elif isinstance(domain, Categories | Ordered):
            self._labels = domain.categories if isinstance(domain, Ordered) else domain.hierarchy.leaves
            self._pieces = {sign: _pieces(domain, sign) for sign in _SET_SIGNS}
            self._last = len(self._labels) - 1
            self._rank = {label: code for code, label in enumerate(self._labels)}
            self._numbers = _as_numbers(self._labels)
            self._read = self._category
        else:
            raise ReleaseError(f"column {domain.name!r}: cells of {type(domain).__name__} cannot be read")

    def read(self, text: str) -> CoveredValues:
        """Read a cell.

        Raises
        ------
        ReleaseError
            If the text is no notation of the column, or covers no value of it. The message does not
            name the column.
        """
        if text not in self._known:
            # Blanks around a text say nothing, unless the column has that very label.
            self._known[text] = self._read(text if self._is_label(text) else _unlisted(text.strip()))
        return self._known[text]

    def silent(self, text: str) -> bool:
        """Whether a cell says nothing, in words that are no value of the column."""
        return text.strip() in NOTHING_SAID and text not in self._rank and text.strip() not in self._rank

    # -- numbers -----------------------------------------------------------------------------

    def _number(self, text: str) -> CoveredValues:
        if text in NOTHING_SAID:
            return self._grid(_Span(None, None), text)
        span = self._span(text)
        if span is not None:
            return self._grid(span, text)
        numbers = _as_numbers(_members(text))
        if numbers is not None:
            return self._listed({self._grid(_Span(number, number), text).lo for number in numbers})
        if re.fullmatch(r"[\d*]+", text) and self._last < _MASKED:
            return self._masked(text)
        raise ReleaseError(
            f"{text[:60]!r} is not a number, interval or set of numbers: correct it, or call the column "
            "categorical"
        )

    def _masked(self, text: str) -> CoveredValues:
        """The range around the numbers that a mask stands for."""
        domain = self._numeric
        shown = [format_number(domain.lo + code * domain.step) for code in range(self._last + 1)]
        codes = matching(text, shown)
        if not codes:
            raise ReleaseError(f"{text[:60]!r} covers no number of the column's domain: correct it")
        return self._listed(codes, said=text)

    def _grid(self, span: _Span, text: str) -> CoveredValues:
        """The codes in an interval of numbers."""
        domain = self._numeric
        lo, hi = 0, self._last
        if span.lo is not None:
            steps = (span.lo - domain.lo) / domain.step
            lo = floor(steps) if domain.rounded else ceil(steps) if span.low_in else floor(steps) + 1
        if span.hi is not None:
            steps = (span.hi - domain.lo) / domain.step
            hi = floor(steps) if span.high_in else ceil(steps) - 1
        if lo > self._last or hi < 0:
            raise ReleaseError(
                f"{text[:60]!r} is outside the column's domain [{format_number(domain.lo)},"
                f"{format_number(domain.hi)}]: correct it, or widen the domain in the problem"
            )
        if lo > hi:
            raise ReleaseError(
                f"{text[:60]!r} holds no number of the column's grid (step {format_number(domain.step)}): "
                "correct it, or read with ends='closed' if both ends are meant"
            )
        said = (None if span.lo is None else lo, None if span.hi is None else hi)
        cut = None not in said and (lo < 0 or hi > self._last)
        lo, hi = max(0, lo), min(self._last, hi)
        return CoveredValues(self.domain.cell(lo, hi), lo, hi, cut=cut, said=said)

    def _listed(self, numbers: Collection[int], said: object = None) -> CoveredValues:
        """The range around some codes; without a hole it says what an interval says."""
        lo, hi = min(numbers), max(numbers)
        codes = frozenset(numbers) if len(numbers) <= hi - lo else None
        said = said or codes or (lo, hi)
        return CoveredValues(self.domain.cell(lo, hi), lo, hi, codes, widened=codes is not None, said=said)

    def _span(self, text: str) -> _Span | None:
        """An interval of numbers in any notation; None if it is none, or has longer numbers than are read."""
        try:
            return self._interval(text)
        except ReleaseError:
            raise
        except ValueError:
            return None

    def _interval(self, text: str) -> _Span | None:
        compared = _COMPARED.fullmatch(text)
        if compared is not None:
            sign, number = compared[1], exact_number(compared[2])
            inside = sign in (">=", "<=", "≥", "≤")
            if sign in (">", ">=", "≥"):
                return _Span(number, None, low_in=inside)
            return _Span(None, number, high_in=inside)
        brackets = _BRACKETS.fullmatch(text)
        inner = text if brackets is None else brackets[2]
        pair = _PAIR.fullmatch(inner)
        if pair is None or (brackets is None and re.search(r"[,;]", text)):
            return None
        lo, hi = _end(pair[1]), _end(pair[2])
        if lo is not None and hi is not None and lo > hi:
            raise ReleaseError(f"the interval {text[:60]!r} ends before it starts: correct it")
        return _Span(lo, hi, *self._ends_in(brackets))

    def _ends_in(self, brackets: re.Match[str] | None) -> tuple[bool, bool]:
        """Whether the lower and the upper end belong to an interval."""
        if self.ends == "upper-open":
            return True, False
        if brackets is None:
            return True, self.ends != "half-open"
        return (True, True) if self.ends == "closed" else (brackets[1] == "[", brackets[3] == "]")

    # -- categories --------------------------------------------------------------------------

    def _category(self, text: str) -> CoveredValues:
        if self.silent(text):
            # Where values are missing, one mark may stand for these and another one for suppressed cells.
            return self._of(range(self._last + 1), text if MISSING in self._rank else None)
        if MISSING in self._rank and text not in self._rank and fold(text) in DOUBTFUL:
            text = MISSING
        ways = (
            (self._label, True),
            (self._range, bool(self._numbers)),
            (self._set, False),
            (self._mask, True),
        )
        # Nodes above each other, intervals and masks may cover the same values and say different things.
        found = ((way(text), text.strip() if by_text else None) for way, by_text in ways)
        codes, said = next(((codes, said) for codes, said in found if codes is not None), (None, None))
        if codes is None:
            raise ReleaseError(
                f"{text[:60]!r} is not a value, range or set of the column, nor a label of one node of its "
                "hierarchy: correct it, or add it to the hierarchy in the problem"
            )
        if not codes:
            raise ReleaseError(f"{text[:60]!r} covers no value of the column: correct it")
        return self._of(codes, said)

    def _is_label(self, text: str) -> bool:
        return (
            not isinstance(self.domain, Numeric) and not self.silent(text) and self._label(text) is not None
        )

    def _label(self, text: str) -> Sequence[int] | None:
        try:
            cell = self.domain.parse(text)
        except ReleaseError:
            return None
        assert isinstance(cell, Leaves), "categories have sets for cells"
        return [self._rank[value] for value in cell.values]

    def _range(self, text: str) -> list[int] | None:
        """A range of ordered categories, or an interval over categories that are numbers."""
        brackets = _BRACKETS.fullmatch(text)
        if isinstance(self.domain, Ordered):
            inner = text if brackets is None else brackets[2]
            for sign in _RANGE_SIGNS if brackets is not None else ("..", "-", "–", " to "):
                for found in re.finditer(re.escape(sign), inner):
                    lo = self._rank.get(inner[: found.start()].strip())
                    hi = self._rank.get(inner[found.end() :].strip())
                    if lo is not None and hi is not None and lo <= hi:
                        return self._between(lo, hi, brackets)
        if self._numbers is None:
            return None
        span = self._span(text)
        return None if span is None else [c for c, number in enumerate(self._numbers) if span.holds(number)]

    def _between(self, lo: int, hi: int, brackets: re.Match[str] | None) -> list[int]:
        low_in, high_in = self._ends_in(brackets)
        return list(range(lo + (not low_in), hi + high_in))

    def _set(self, text: str) -> list[int] | None:
        """A set of labels; commas inside a label are allowed for."""
        inner = text[1:-1] if text[:1] == "{" and text[-1:] == "}" else text
        for sign in _SET_SIGNS:
            parts = inner.split(sign)
            found = self._joined(parts, sign) if len(parts) > 1 or inner is not text else None
            if found is not None:
                return found
        return None

    def _joined(self, parts: list[str], sign: str) -> list[int] | None:
        """Codes of labels whose texts, joined, are these parts; the longest first."""
        most = self._pieces[sign]
        after: list[tuple[int, Sequence[int]] | None] = [*([None] * len(parts)), (len(parts), ())]
        for at in reversed(range(len(parts))):  # from the end, as sets may be long
            for end in range(min(at + most, len(parts)), at, -1):
                codes = None if after[end] is None else self._label(sign.join(parts[at:end]).strip())
                if codes is not None:
                    after[at] = end, codes
                    break
        at, found = 0, list[int]()
        while (step := after[at]) is not None:
            at, codes = step
            found += codes
            if at == len(parts):
                return found
        return None

    def _mask(self, text: str) -> list[int] | None:
        return matching(text, self._labels) or None if "*" in text else None

    def _of(self, found: Sequence[int], said: str | None = None) -> CoveredValues:
        """The cell of some codes: a node or range of the domain if there is one with just these."""
        codes = frozenset(found)
        lo, hi = min(codes), max(codes)
        cell = self.domain.cell(lo, hi)
        covered = frozenset(self._labels[code] for code in codes)
        if not isinstance(cell, Leaves) or cell.values != covered:
            cell = Leaves("{" + ",".join(self._labels[code] for code in sorted(codes)) + "}", covered)
        return CoveredValues(cell, lo, hi, None if len(codes) == hi - lo + 1 else codes, said=said)


def _pieces(domain: Categories | Ordered, sign: str) -> int:
    """Into how many pieces a sign can cut one label; a range of ordered categories has two of them."""
    if isinstance(domain, Ordered):
        return 1 + 2 * max(category.count(sign) for category in domain.categories)
    return 1 + max(label.count(sign) for path in domain.hierarchy.paths for label in path)


def _end(text: str) -> Fraction | None:
    """An end of an interval; None if it is infinite."""
    return None if text.lstrip("+-")[:1] in "iI" else exact_number(text)


def _unlisted(text: str) -> str:
    """A printed Python list as the text or set it holds."""
    if not re.fullmatch(r"\[\s*(['\"]).*\1\s*\]", text):
        return text
    try:
        parts = literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # the last two: it has too many parts
        return text
    return parts[0].strip() if len(parts) == 1 else "{" + ",".join(map(str, parts)) + "}"


def _members(text: str) -> list[str]:
    inner = text[1:-1] if text[:1] == "{" and text[-1:] == "}" else text
    return [part.strip() for part in re.split(r"[,;|]", inner)]


def _as_numbers(texts: Sequence[str]) -> list[Fraction] | None:
    try:
        return [exact_number(text) for text in texts]
    except (ValueError, ZeroDivisionError):
        return None
