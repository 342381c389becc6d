"""Which tests are fast; the others are run with ``-m slow``.

Many tests are the same question about numbered random tables. The first draws of each kind tell a mistake of
today, all of them are for the gate. So are those few hundred tests that held most of the time when all were
last measured. They are listed in ``slow.txt``, which is written anew by ::

    pytest -n auto -m "slow or not slow" --durations=0 | python tests/pace.py
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["DRAWN", "FEW", "LONG", "beyond", "long", "measured"]

LIST = Path(__file__).with_name("slow.txt")
LONG = 0.3
"""Seconds from which on a test is listed, fixtures included."""

DRAWN = frozenset({"seed", "number"})
"""Names of parameters that number draws."""
FEW = 5
"""Draws of a test that are fast, for each combination of its other parameters."""


def beyond(tests: Iterable[tuple[str, Mapping[str, object]]]) -> list[bool]:
    """Whether a test, by its name and parameters in the order of their runs, is one of too many draws."""
    had: Counter[tuple[str, str]] = Counter()
    answers: list[bool] = []
    for name, parameters in tests:
        if DRAWN.isdisjoint(parameters):
            answers.append(False)
            continue
        kind = name, repr(sorted((key, str(value)) for key, value in parameters.items() if key not in DRAWN))
        had[kind] += 1
        answers.append(had[kind] > FEW)
    return answers


def long() -> frozenset[str]:
    """The tests that took long when they were last measured."""
    return frozenset(LIST.read_text().splitlines())


def measured(lines: Iterable[str]) -> list[str]:
    """The tests that took long, from what pytest says of durations."""
    seconds: Counter[str] = Counter()
    for line in lines:
        found = re.match(r"([0-9.]+)s (?:setup|call|teardown) +(tests/.*\S)", line)
        if found:
            seconds[found[2]] += float(found[1])
    return sorted(test for test, took in seconds.items() if took >= LONG)


if __name__ == "__main__":
    LIST.write_text("".join(f"{test}\n" for test in measured(sys.stdin)))
