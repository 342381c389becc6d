"""What a release is, for whoever decides about publishing it: a dozen lines, before any table of groups.

How many rows are published, left out and invented; what each column keeps; what is lost, and how much less
any release could lose; whether the series was looked at. All of it is made from problem and release, so it
says the same on a terminal, in a notebook, in the report and on the web page. It names no respondent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from ..models.exact_numbers import show_number, show_share
from ..models.losses import loss as named_loss
from ..models.outlook.foreseen import mean, nine_in_ten
from ..models.policy import AHEAD
from ..models.problem import Problem
from ..models.release import Release
from .advice import advice
from .column_summary import ColumnSummary, columns_of
from .level_value import UNCHECKED, LevelValue
from .loss_summary import LossSummary, losses_of
from .price import Price
from .settings import Hindsight

__all__ = ["Summary", "summarize"]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What a steward needs to know about a release, in a dozen lines; `str` and a notebook show them.

    Attributes
    ----------
    status : str
    rows, published, left_out, invented : int
        Of the table, and of the release: real rows, suppressed ones, counterfeits.
    dropped : int
        Rows that are not in the table, because a cell is missing.
    groups : int
    sizes : tuple of int
        Of the smallest, the median and the largest group; empty without groups.
    columns : tuple of ColumnSummary
    losses : tuple of LossSummary
    series : str
        Whether other releases were looked at, and by which requirement.
    checked : tuple of str
        Requirements whose checks the release passed.
    outlook : str
        What looking ahead costs now and saves later; empty without an outlook.
    price : str
        What `resists_inference` costs; empty if that is not known.
    later : str
        What the next release will not be able to do because of this one; empty for nothing.
    advice : tuple of str
        What stands out, and which setting usually changes it.
    """

    status: str
    rows: int
    published: int
    left_out: int
    invented: int
    groups: int
    sizes: tuple[int, ...]
    columns: tuple[ColumnSummary, ...]
    losses: tuple[LossSummary, ...]
    series: str
    checked: tuple[str, ...]
    dropped: int = 0
    outlook: str = ""
    price: str = ""
    later: str = ""
    advice: tuple[str, ...] = ()

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Each line's heading and text."""
        return [
            ("rows", self._rows),
            ("groups", self._groups),
            *((column.name, str(column)) for column in self.columns),
            *((each.name, str(each)) for each in self.losses),
            *([("outlook", self.outlook)] if self.outlook else []),
            *([("price", self.price)] if self.price else []),
            ("series", self.series),
            *([("later", self.later)] if self.later else []),
            ("checks", f"every check passed: {', '.join(self.checked)}"),
            *(("to consider", told) for told in self.advice),
        ]

    @property
    def short(self) -> str:
        """All in one line."""
        lost = ", ".join(f"{each.name} {show_number(each.value)} ({each.bound})" for each in self.losses)
        out = f", {self.left_out:,} left out" if self.left_out else ""
        fakes = f", {self.invented:,} invented" if self.invented else ""
        rows = (
            f"{self.published:,} of {self.rows:,} rows{out}{fakes} in {self.groups:,} groups{self._missing}"
        )
        return f"{self.status}: {rows}; {lost}; every check passed: {', '.join(self.checked)}"

    @property
    def _rows(self) -> str:
        share = Fraction(self.published, self.rows)
        found = f"{self.published:,} of {self.rows:,} published"
        if self.left_out:
            found += f" ({show_share(share)}), {self.left_out:,} left out ({show_share(1 - share)})"
        if not self.invented:
            return f"{found}, none invented{self._missing}"
        shown = Fraction(self.invented, self.published + self.invented)
        return f"{found}, {self.invented:,} invented: {show_share(shown)} of what is shown{self._missing}"

    @property
    def _missing(self) -> str:
        """Of whom nothing is promised."""
        return f"; {self.dropped:,} more lack a value and are not in the table" if self.dropped else ""

    @property
    def _groups(self) -> str:
        if not self.sizes:
            return "none"
        least, median, most = self.sizes
        if least == most:
            return f"{self.groups:,} of {least} rows each"
        return f"{self.groups:,} of {least} to {most:,} rows, median {median}"

    def __str__(self) -> str:
        wide = max(len(heading) for heading, _ in self.lines)
        return "\n".join([self.status, *(f"{heading:<{wide}}  {text}" for heading, text in self.lines)])

    @property
    def html(self) -> str:
        """The lines as a table."""
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(heading)}</th>"
            f"<td style='text-align:left'>{escape(text)}</td></tr>"
            for heading, text in self.lines
        )
        return f"<table><caption>{escape(self.status)}</caption><tbody>{rows}</tbody></table>"

    def _repr_html_(self) -> str:
        return self.html


def summarize(
    problem: Problem,
    release: Release,
    levels: Sequence[LevelValue],
    status: str,
    alone: Sequence[Fraction] | None = None,
    hindsight: Hindsight | None = None,
    price: Price | None = None,
) -> Summary:
    """Summarize a release that answers a problem; O(groups x attributes).

    Parameters
    ----------
    problem : Problem
    release : Release
        Has passed every check.
    levels : sequence of LevelValue
        What is lost, and what is proven of it.
    status : str
    alone, hindsight
        Of a release that was searched for without the policy's outlook: every level; what nobody avoids.
    price : Price, optional
        What `resists_inference` costs.
    """
    sizes = sorted(group.size for group in release.groups)
    left_out = len(release.suppressed)
    columns = columns_of(release, problem.table.domains)
    return Summary(
        status=status,
        rows=len(problem.table),
        published=len(problem.table) - left_out,
        left_out=left_out,
        invented=release.counterfeits,
        groups=len(sizes),
        sizes=(sizes[0], sizes[len(sizes) // 2], sizes[-1]) if sizes else (),
        columns=columns,
        losses=losses_of(problem, levels),
        series=_series(problem),
        checked=tuple(str(requirement) for requirement in problem.policy.requirements),
        dropped=problem.table.dropped,
        outlook=_foreseen(problem, release, levels, alone) + _unavoidable(hindsight),
        price="" if price is None else str(price),
        later="; ".join(
            told
            for requirement in problem.policy.requirements
            if (ask := requirement.structure().afterwards) is not None
            and (told := ask(release, problem.history)) is not None
        ),
        advice=advice(
            rows=len(problem.table),
            left_out=left_out,
            invented=release.counterfeits,
            blank=[column.name for column in columns if column.blank],
            full_domain=problem.policy.recoding == "full_domain",
        ),
    )


def _foreseen(
    problem: Problem, release: Release, levels: Sequence[LevelValue], alone: Sequence[Fraction] | None
) -> str:
    """What an outlook costs now, and what it makes expect of the releases to come."""
    outlook, names = problem.policy.outlook, [level.name for level in levels]
    at = next((i for i, level in enumerate(problem.policy.levels) if AHEAD in level.losses), None)
    if outlook is None or at is None:
        return ""
    prices = problem.prices
    expected = named_loss(AHEAD).of_release(release, problem) if prices is None else prices.release(release)
    to_come = "the next release is" if outlook.releases == 1 else f"the next {outlook.releases} releases are"
    lives = problem.lives(release)
    told = f"{to_come} expected to need {show_number(mean(lives) if lives else expected)} counterfeits"
    if lives and outlook.releases > 1:
        told += f", {show_number(mean(problem.lives(release, 1)))} of these in the next one"
    likely = nine_in_ten(lives)
    spread = "" if likely is None else f", {likely[0]} to {likely[1]} in nine of ten drawn lives"
    if alone is None:
        return f"{told} (by a model: simulated lives of signatures){spread}"
    now = [
        f"{name} is {show_number(level.value)} instead of {show_number(other)} now"
        for name, level, other in zip(names, levels, alone, strict=True)
        if name != AHEAD and level.value != other
    ]
    cost = ", ".join(now) or "it costs nothing now"
    other = "(compared with a search that does not look ahead)"
    # Fewer than allowed are counted as so many: then how many there were is not known.
    known = names[at] == AHEAD and alone[at] > problem.allowed
    instead = f", its signatures priced at {show_number(expected)} instead of {show_number(alone[at])}"
    return f"{told} (by a model){spread}{instead if known else ''}; {cost} {other}"


def _unavoidable(hindsight: Hindsight | None) -> str:
    """What no policy avoids, by hindsight."""
    if hindsight is None:
        return ""
    drawn = "a drawn future" if hindsight.futures == 1 else f"the mean of {hindsight.futures} drawn futures"
    return (
        f"; with perfect foresight at least {show_number(hindsight.anybody)} counterfeits would be needed "
        f"from now on, and at least {show_number(hindsight.from_here)} after this release ({drawn})"
    )


def _series(problem: Problem) -> str:
    looking = [str(r) for r in problem.policy.requirements if r.structure(problem).looks_back]
    if problem.series_checked is None:
        later = f"; later ones will be checked against this one ({', '.join(looking)})" if looking else ""
        return f"no earlier release was given{later}"
    if not problem.series_checked:
        return UNCHECKED
    earlier = len(problem.history)
    if not earlier:
        later = f"later ones will be checked against it ({', '.join(looking)})"
        return f"release 1, the first of its series; {later}"
    before = "the one before it" if earlier == 1 else f"the {earlier} before it"
    return f"release {earlier + 1}, checked against {before} ({', '.join(looking)})"
