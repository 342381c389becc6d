"""CP-SAT calls that Ctrl-C ends at any moment, with what they found kept.

CP-SAT's own handler catches the signal only some time after the call began: a signal before that would
end the program and lose the best release, or be noticed when the time limit ends.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import FrameType

from ortools.sat.python import cp_model

from ..schedule import SOLVERS

__all__ = ["interruptible", "prompt"]


def prompt(left: float, share: float = 1.0) -> float:
    """Seconds to tell CP-SAT so that it ends when `left` seconds have passed, or `share` of them."""
    return max(SOLVERS.least.value, min(share * left, left - SOLVERS.late.seconds(left, 0.0)))


def interruptible(
    solver: cp_model.CpSolver,
    model: cp_model.CpModel,
    listener: cp_model.CpSolverSolutionCallback | None = None,
) -> tuple[cp_model.CpSolverStatus, bool]:
    """Solve in a thread, so that the main thread hears the signal; outside the main thread nobody can.

    Parameters
    ----------
    solver : CpSolver
        Its parameters are set, except the one about signals.
    model : CpModel
        What to solve.
    listener : CpSolverSolutionCallback, optional
        Hears of solutions, from the other thread.

    Returns
    -------
    tuple of CpSolverStatus and bool
        The status, and whether a signal ended the search.
    """
    solver.parameters.catch_sigint_signal = False
    if threading.current_thread() is not threading.main_thread():
        return solver.solve(model, listener), False
    with _heard() as interrupt, ThreadPoolExecutor(1) as pool:
        call = pool.submit(solver.solve, model, listener)
        while not wait([call], timeout=SOLVERS.listen.value).done:
            if interrupt.is_set():
                solver.stop_search()
    return call.result(), interrupt.is_set()


@contextmanager
def _heard() -> Generator[threading.Event]:
    """Set the event when the signal comes, instead of raising wherever the main thread is."""
    interrupt = threading.Event()

    def hear(_number: int, _frame: FrameType | None) -> None:
        interrupt.set()

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
