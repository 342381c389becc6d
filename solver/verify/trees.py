"""What search trees prove about integer programs that the verifier writes down for itself."""

from __future__ import annotations

from collections.abc import Callable

from ..exact.payload import unpacked
from ..exact.program import Program
from ..exact.tree_check import EndedError, check
from .outcome import UndecidedError

__all__ = ["searched"]


def searched(program: Program, text: str, over: Callable[[], bool] | None = None) -> int:
    """No solution of a program costs less than this; `text` is the proof.

    Raises
    ------
    CertificateError
        If it is no proof.
    UndecidedError
        If it could not be checked in time.
    """
    proof = unpacked(text, len(program.low))
    try:
        check(program, proof, over=over)
    except EndedError as error:
        raise UndecidedError("the search tree could not be checked in time") from error
    return proof.target
