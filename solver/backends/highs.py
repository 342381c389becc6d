"""HiGHS, set up the same way everywhere."""

from __future__ import annotations

from typing import Any

import highspy  # pyright: ignore[reportMissingTypeStubs]

__all__ = ["quiet_solver"]


def quiet_solver() -> Any:
    """A HiGHS instance with one thread that prints nothing."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    return solver
