"""The program against brute force on random tiny cases, for as long as one likes."""

from __future__ import annotations

import contextlib
import gc
import importlib
import signal
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, ClassVar

from ..models.errors import OptanonError
from .registry import Case, Row, case

ORACLES = Path(__file__).parents[1] / "tests"
"""Where the brute force is: it belongs to the tests, and shares nothing with the package."""

Compare = Callable[[int], Iterator[str | None]]


class DifferentialError(OptanonError):
    """The program and brute force disagree."""


class _OverError(BaseException):
    """Raised by the alarm; nothing in between takes it for its own."""


@case
@dataclass(frozen=True, kw_only=True)
class Differential(Case):
    """Engines, audit and views against enumeration: comparisons made, disagreements; error if any.

    Parameters
    ----------
    seconds : float
        For all campaigns together.
    only : str
        Names of campaigns, separated by commas; all without.
    cases : int
        End each campaign after so many cases; 0 for any number.
    at : int
        Look at the case of this number alone, as a disagreement names it; -1 for random ones.
    """

    name: ClassVar[str] = "differential"
    small_settings: ClassVar[dict[str, float]] = {"seconds": 10.0}

    seconds: float = 120.0
    only: str = ""
    cases: int = 0
    at: int = -1

    def run(self) -> list[Row]:
        campaigns = _campaigns()
        wanted = [name for name in campaigns if not self.only or name in self.only.split(",")]
        if not wanted:
            raise OptanonError(f"--only {self.only}: name some of {', '.join(campaigns)}")
        rows = [self._compared(name, campaigns[name], self.seconds / len(wanted)) for name in wanted]
        wrong = sum(row["disagreements"] for row in rows)
        for row in rows:
            sys.stderr.write(f"{row['campaign']}: {row['comparisons']} comparisons of {row['cases']} cases, ")
            sys.stderr.write(f"{row['disagreements']} disagreements {row['first'] or ''}\n")
        if wrong:
            raise DifferentialError(f"{wrong} disagreements with brute force")
        if not all(row["comparisons"] for row in rows):
            raise OptanonError("the time was not enough for one comparison: give --seconds more")
        return rows

    def _compared(self, name: str, compare: Compare, seconds: float) -> Row:
        random, ends = Random(f"{self.seed}/{name}"), time.monotonic() + seconds
        cases = comparisons = 0
        wrong: list[str] = []
        most = 1 if self.at >= 0 else self.cases or sys.maxsize
        while time.monotonic() < ends and cases < most:
            number = random.randrange(2**31) if self.at < 0 else self.at
            cases += 1
            try:
                with _ending(ends):
                    for said in compare(number):
                        comparisons += 1
                        wrong += [f"--only {name} --at {number}: {said}"] if said else []
            except _OverError:
                break  # what the last case has compared by now counts
            except Exception as error:
                if isinstance(error, SystemError) and isinstance(
                    error.__cause__ or error.__context__, _OverError
                ):
                    break  # the alarm rang within compiled code, which says so in its own way
                # A traceback is a disagreement like any other; the case can be had again.
                wrong.append(f"--only {name} --at {number}: {traceback.format_exc(limit=-3)}")
        return {
            "campaign": name,
            "cases": cases,
            "comparisons": comparisons,
            "disagreements": len(wrong),
            "first": wrong[0] if wrong else None,
        }


@contextlib.contextmanager
def _ending(when: float) -> Generator[None]:
    """Enumeration takes as long as it takes: end it then, in the middle of a case."""

    def over(_: int, frame: FrameType | None) -> None:
        # What is raised in a callback of the garbage collector is lost: the alarm rings again.
        if frame is None or all(frame.f_code is not getattr(c, "__code__", None) for c in gc.callbacks):
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise _OverError

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, max(0.001, when - time.monotonic()), 0.01)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _campaigns() -> Mapping[str, Compare]:
    if not (ORACLES / "differential.py").is_file():
        raise OptanonError(
            f"the brute force is in the tests, which are not here ({ORACLES}): run it from a checkout"
        )
    sys.path.insert(0, str(ORACLES))
    try:
        found: Any = importlib.import_module("differential")
    except ModuleNotFoundError as error:
        raise OptanonError(f"the tests need {error.name}: pip install -e '.[test]'") from error
    finally:
        sys.path.remove(str(ORACLES))
    return found.CAMPAIGNS
