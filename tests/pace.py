"""Which draws of a test are fast: the first few of each kind; the others are run with ``-m slow``.

Many tests are the same question about numbered random tables. The first draws tell a mistake of today, all of
them are for the gate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

__all__ = ["DRAWN", "FEW", "beyond"]

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
