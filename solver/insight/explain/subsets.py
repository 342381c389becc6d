"""All minimal conflicts and all minimal repairs of a few parts, from yes-or-no questions.

A set of parts is *possible* if they can be kept together; subsets of possible sets are possible. A
conflict is a minimal impossible set, a repair a minimal set to leave out. The search follows
Liffiton, Previti, Malik and Marques-Silva (Fast, Flexible MUS Enumeration): test a largest set
nothing is known about; if it is possible, all its subsets are explained; if not, shrink it to a
conflict, and all supersets of that are. For the few parts of a policy the map of what is known
is simply a set of bit masks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["MOST_PARTS", "Conflicts", "find_conflicts"]

MOST_PARTS = 12
"""With more parts only one conflict is sought: the map has 2**parts entries."""


@dataclass(frozen=True, kw_only=True)
class Conflicts:
    """What was found about sets of parts, numbered from 0.

    Attributes
    ----------
    conflicts : tuple of (frozenset, bool)
        Impossible sets; True if every set with one part fewer is proven possible.
    repairs : tuple of frozenset
        Sets without which the rest is possible.
    complete : bool
        Whether these are all minimal conflicts and all minimal repairs.
    """

    conflicts: tuple[tuple[frozenset[int], bool], ...]
    repairs: tuple[frozenset[int], ...]
    complete: bool


def find_conflicts(
    parts: int, possible: Callable[[frozenset[int]], bool | None], most: int = 16
) -> Conflicts:
    """Enumerate conflicts and repairs.

    Parameters
    ----------
    parts : int
        How many parts there are.
    possible : callable
        Whether a set of parts can be kept together; None if that is not known.
    most : int
        Stop after so many conflicts.

    Notes
    -----
    Each conflict takes at most `parts` questions, each repair one. At worst there are exponentially many.
    """
    everything = frozenset(range(parts))
    if parts > MOST_PARTS:
        found = _shrink(everything, possible)
        return Conflicts(conflicts=(found,), repairs=(), complete=False)
    unexplored = set(range(1 << parts))
    conflicts: list[tuple[frozenset[int], bool]] = []
    repairs: list[frozenset[int]] = []
    complete = True
    while unexplored:
        if len(conflicts) >= most:
            return Conflicts(conflicts=tuple(conflicts), repairs=tuple(repairs), complete=False)
        mask = max(unexplored, key=lambda one: (one.bit_count(), one))
        seed = frozenset(i for i in range(parts) if mask >> i & 1)
        verdict = possible(seed)
        if verdict is None:
            complete = False
            unexplored.discard(mask)
        elif verdict:
            repairs.append(everything - seed)
            unexplored = {other for other in unexplored if other & ~mask}
        else:
            found, minimal = _shrink(seed, possible)
            complete = complete and minimal
            conflicts.append((found, minimal))
            core = sum(1 << i for i in found)
            unexplored = {other for other in unexplored if other & core != core}
    conflicts.sort(key=lambda one: (len(one[0]), sorted(one[0])))
    repairs.sort(key=lambda one: (len(one), sorted(one)))
    return Conflicts(conflicts=tuple(conflicts), repairs=tuple(repairs), complete=complete)


def _shrink(
    seed: frozenset[int], possible: Callable[[frozenset[int]], bool | None]
) -> tuple[frozenset[int], bool]:
    """Leave out what can be left out of an impossible set; a part not decided stays."""
    kept, minimal = seed, True
    for part in sorted(seed):
        verdict = possible(kept - {part})
        if verdict is False:
            kept -= {part}
        elif verdict is None:
            minimal = False
    return kept, minimal
