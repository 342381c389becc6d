"""Numbers as people write them, read exactly and within bounds; and numbers for people to read.

Python's fractions know no bounds: ``Fraction("1e999999999")`` would take a gigabyte and minutes.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction
from math import gcd, lcm
from typing import Any, TypeVar

import numpy as np
import pandas as pd

__all__ = [
    "LONGEST",
    "common_unit",
    "exact_number",
    "exact_text",
    "in_units",
    "plain_text",
    "plain_value",
    "shortest_decimals",
    "show_count",
    "show_gap",
    "show_number",
    "show_share",
]

T = TypeVar("T")

LONGEST = 400
"""Characters of a number, and its largest exponent: more than any measured value needs."""


def exact_number(raw: object) -> Fraction:
    """Read a number exactly; a float means its shortest decimal form (0.1 is 1/10).

    Raises
    ------
    ValueError
        If `raw` is not a finite number, or longer than `LONGEST`.
    ZeroDivisionError
        If it is a ratio of nothing, such as ``1/0``.
    """
    if isinstance(raw, Fraction):
        return raw
    if isinstance(raw, bool | np.bool_):
        raise ValueError("a truth value is not a number")
    if isinstance(raw, int | np.integer):
        return Fraction(int(raw))
    if isinstance(raw, float | np.floating):
        return Fraction(str(raw))  # not by way of float, in which a float32 of 0.1 has eight digits more
    text = str(raw).strip()
    if len(text) > LONGEST:
        raise ValueError(f"the number has more than {LONGEST} digits")
    exponent = re.search(r"[eE]([+-]?[\d_]+)$", text)
    if exponent is not None and abs(int(exponent[1])) > LONGEST:
        raise ValueError(f"the number's exponent is beyond {LONGEST}")
    return Fraction(text)


def shortest_decimals(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column of 16 or 32 bit floats as floats of the same shortest decimal forms; any other as it is."""
    width = str(column.dtype).lower()
    if width not in ("float16", "float32"):
        return column
    numbers = column.to_numpy(width, na_value=np.nan)
    return pd.Series(numbers.astype(str).astype(float), index=column.index, name=column.name)


def plain_text(cell: object) -> str:
    """An id or value as text; whole numbers without a point, as files have them.

    Examples
    --------
    >>> [plain_text(cell) for cell in (2.0, 2.5, 2, "2.0")]
    ['2', '2.5', '2', '2.0']
    """
    return str(int(cell)) if isinstance(cell, float | np.floating) and cell.is_integer() else str(cell)


def in_units(numbers: Collection[Fraction]) -> tuple[list[int], int]:
    """The same numbers as integers in units of 1 / scale, and the scale."""
    scale = lcm(*{number.denominator for number in numbers})
    return [number.numerator * (scale // number.denominator) for number in numbers], scale


def common_unit(numbers: Collection[Fraction]) -> Fraction:
    """The largest number that divides all of them; 1 if all are 0.

    Examples
    --------
    >>> common_unit([Fraction(6), Fraction(9, 2), Fraction(0)])
    Fraction(3, 2)
    """
    whole, scale = in_units(numbers)
    return Fraction(gcd(*whole) or scale, scale)


def exact_text(number: Fraction | None) -> str | None:
    """A number for files, exactly; None if there is none."""
    return None if number is None else str(number)


def plain_value(value: Fraction | T) -> str | T:
    """A setting for files: a fraction exactly, as text, and whatever else as it is."""
    return str(value) if isinstance(value, Fraction) else value


def show_number(number: Fraction | None) -> str:
    """A number for people: exact if short, else six significant digits."""
    if number is None:
        return "-"
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.6g}"


def show_count(count: int, noun: str) -> str:
    """``1 tuple``, ``2 tuples``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def show_gap(value: Fraction | None, bound: Fraction | None) -> str:
    """How far a value may be from the best; where nothing is proven it is not called a gap of 100 %.

    Examples
    --------
    >>> [show_gap(Fraction(4), bound) for bound in (Fraction(4), Fraction(3), Fraction(0), None)]
    ['0.00%', '25.00%', 'no bound', 'no bound']
    """
    if value is None:
        return ""
    if bound is None or (value and bound <= 0):
        return "no bound"
    return f"{float((value - bound) / value) if value else 0:.2%}"


def show_share(share: Fraction) -> str:
    """A share for people; what is not nothing is never said to be 0 %, nor what is not all 100 %.

    Examples
    --------
    >>> [show_share(Fraction(n)) for n in ("0", "1/3", "1/9999", "9999/10000", "1")]
    ['0.0 %', '33.3 %', 'less than 0.1 %', 'more than 99.9 %', '100 %']
    """
    value = float(100 * share)
    if share and value < 0.05:
        return "less than 0.1 %"
    if share < 1 and value >= 99.95:
        return "more than 99.9 %"
    return f"{value:.1f} %" if value < 99.95 else f"{value:.0f} %"
