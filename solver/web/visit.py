"""What a visitor has chosen and found, kept as long as a tab of the browser shows it.

A tab names itself to the server, and keeps its name when it is loaded again. The files of a visit are removed
when no page of its tab is left, some time after the last one was closed (`reconnect_timeout`).
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .policy_form import PolicyForm
from .workbench import Workbench

__all__ = ["Visit", "Visits"]


@dataclass(kw_only=True)
class Visit:
    """One visitor's files, form and fields.

    Attributes
    ----------
    bench : Workbench
    form : PolicyForm
    table_note, appended : str
        What was last said of the table, and of the history.
    persistence : str
    time_limit, seed : float
        Of a search; fields of a page give numbers that may have a point.
    each : float
        Seconds for each search of a question.
    asked : dict of str to str
        Which policy each question was about.
    pages : set of str
        Pages that show it.
    """

    bench: Workbench
    form: PolicyForm = field(default_factory=PolicyForm)
    table_note: str = ""
    appended: str = ""
    persistence: str = "persistent"
    time_limit: float = 60
    seed: float = 0
    each: float = 10
    asked: dict[str, str] = field(default_factory=dict[str, str])
    pages: set[str] = field(default_factory=set[str])


class Visits:
    """All visits of a server.

    Parameters
    ----------
    home : Path
        Private folder for their files.
    base : Path
        What names of stored histories are relative to.
    """

    def __init__(self, home: Path, base: Path) -> None:
        self.home, self.base = home, base
        self._by_tab: dict[str, Visit] = {}

    def join(self, tab: str, page: str) -> Visit:
        """The visit of a tab, which a page shows from now on."""
        if tab not in self._by_tab:
            folder = Path(tempfile.mkdtemp(dir=self.home))
            self._by_tab[tab] = Visit(bench=Workbench(folder=folder, base=self.base))
        self._by_tab[tab].pages.add(page)
        return self._by_tab[tab]

    def leave(self, tab: str, page: str) -> None:
        """A page is gone; with the last one the visit is."""
        visit = self._by_tab[tab]
        visit.pages.discard(page)
        if not visit.pages:
            del self._by_tab[tab]
            visit.bench.close()

    def close(self) -> None:
        """End all visits."""
        while self._by_tab:
            self._by_tab.popitem()[1].bench.close()
