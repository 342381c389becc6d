"""The series a new table belongs to, as `optanon init` finds it: its stored history, or the place for one."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from ...instances.series_draft import Continued
from ...instances.store.opening import History
from ...models.hierarchy import Hierarchy
from ...models.problem import Problem
from ...models.release import Release
from ...models.requirements import build_requirement
from ..solved import stored
from .stored import begin_history, holds_history

__all__ = ["STORE", "EarlierReleases"]

STORE = "releases.db"
"""The stored history of a series that nobody gave a name; beside the problem file."""


@dataclass(frozen=True, kw_only=True)
class EarlierReleases:
    """The releases before.

    Attributes
    ----------
    where : str
        The store, from the current folder.
    key_file : Path or None
    folder : Path
        Of the problem file.
    begun : bool
        Whether there is a store.
    history : History
        What it holds; an empty history in memory if there is none yet.
    """

    where: str
    key_file: Path | None
    folder: Path
    begun: bool
    history: History

    @classmethod
    def of(cls, folder: Path, where: str, key_file: Path | None) -> EarlierReleases:
        """Find the series of a problem file in `folder`; `where` is its store.

        Raises
        ------
        StoreError
            If there is a store that cannot be opened, or the key is missing or wrong.
        """
        begun = Path(where).exists() if "://" not in where else holds_history(where)
        opened = History.open(where, create=False, key_file=key_file) if begun else History()
        return cls(where=where, key_file=key_file, folder=folder, begun=begun, history=opened)

    @property
    def last(self) -> Release | None:
        """The newest release."""
        return self.history[-1] if len(self.history) else None

    @property
    def drafted(self) -> Continued:
        """What a problem file says of it; the policy of the last release only if it is one for series."""
        kept = stored(self.history)
        policy = kept.entries[-1].policy if kept is not None and len(kept) else None
        if policy is not None:
            pairs = [pair for requirement in policy["requirements"] for pair in requirement.items()]
            blind = not any(build_requirement(*pair).structure().looks_back for pair in pairs)
            policy = None if blind else policy
        return Continued(
            store=self._beside(self.where) if "://" not in self.where else self.where,
            key_file=None if self.key_file is None else self._beside(self.key_file),
            releases=len(self.history),
            policy=policy,
        )

    def levels(self, target: Path) -> dict[Path, tuple[str, Hierarchy]]:
        """Hierarchies of the policy that is gone on with: a file beside `target` for each, and its column."""
        policy = self.drafted.policy or {}
        found: dict[Path, tuple[str, Hierarchy]] = {}
        for name, paths in policy.get("hierarchies", {}).items():
            plain = re.sub(r"[^\w-]+", "-", name)
            files = (target.with_name(f"{target.stem}.{plain}{end}.csv") for end in ("", *range(2, 1000)))
            file = next(file for file in files if file not in found)
            found[file] = (name, Hierarchy(tuple(map(tuple, paths))))
        return found

    @property
    def name(self) -> str:
        """The store as it may be printed: without a password."""
        kept = stored(self.history)
        return self.where if kept is None else kept.name

    def begin(self, console: Console) -> None:
        """Begin the store if there is none."""
        if not self.begun:
            begin_history(console, self.where, self.key_file)

    def go_on(self, console: Console, problem: Problem) -> None:
        """Say what the new table goes on with."""
        if not self.begun:
            return
        if not len(self.history):
            console.print(f"goes on with {self.name}, which holds no release yet", markup=False)
            return
        known = sum(member.respondent in self.history.records for member in problem.table.members)
        count, people = len(self.history), len(problem.table)
        told = f"goes on with {self.name}: {count} release{'s' if count > 1 else ''}; {known} of the "
        told += f"{people} people were in one before"
        if not known:
            told += f". NOBODY is recognized: does {problem.table.respondent!r} hold the same ids as before?"
        console.print(told, markup=False)

    def _beside(self, path: str | Path) -> str:
        """A path as the problem file names it."""
        return Path(os.path.relpath(Path(path).absolute(), self.folder)).as_posix()
