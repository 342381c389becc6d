"""What commands do with stored histories; the database library is loaded when there is one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from ...instances.store.opening import History
from ...models.errors import OptanonError, StoreError
from ...models.history import Statement
from ...models.problem import Problem
from ...models.release import Release
from ..appending import SeriesVerdict
from ..solved import stored

if TYPE_CHECKING:
    from ...instances.store.stored import StoredHistory

__all__ = ["NO_STORE", "begin_history", "holds_history", "open_stored", "record_answer"]

NO_STORE = (
    "--append needs a stored history: name one with --history or in the problem file (`optanon history init` "
    "begins one)"
)


def record_answer(
    problem: Problem, release: Release, certificate: Statement | None, verdict: SeriesVerdict
) -> str:
    """Append a release to its problem's stored history; return what was done, in words."""
    history = stored(problem.history)
    if history is None:
        raise OptanonError(NO_STORE)
    history.append(release, policy=problem.policy, certificate=certificate, audit=verdict.to_dict())
    return f"appended to {history.name} as release {len(history)}; its digest is now {history.digest}"


def begin_history(console: Console, where: str, key_file: Path | None) -> None:
    """Begin an empty history, with a new key if the key file does not exist; say what was made.

    If there is no history after all, there is no new key either.
    """
    from ...instances.store.identities import new_key_file  # with the database library

    new = key_file if key_file is not None and not key_file.exists() else None
    if new is not None:
        new_key_file(new)
    try:
        history = stored(History.open(where, key_file=key_file))
    except OptanonError:
        if new is not None:
            new.unlink(missing_ok=True)
        raise
    assert history is not None
    if new is not None:
        console.print(f"wrote a new random key to {new}: keep it safe, and apart from the history")
    kept = "as given" if key_file is None else "as keyed hashes"
    console.print(f"began {history.name}; respondent ids are kept {kept}", markup=False)


def open_stored(where: str, expect: str | None = None) -> StoredHistory:
    """Open a stored history that is there."""
    found = stored(History.open(where, create=False, expect=expect))
    assert found is not None
    return found


def holds_history(where: str) -> bool:
    """Whether there is a history that can be opened; what else may be wrong is found by beginning one."""
    try:
        _ = open_stored(where)
    except StoreError:
        return False
    return True
