"""What a release is, for whoever decides about publishing it: a dozen lines, before any table of groups.

How many rows are published, left out and invented; what each column keeps; what is lost, and how much less
any release could lose; whether the series was looked at. All of it is made from problem and release, so it
says the same on a terminal, in a notebook, in the report and on the web page. It names no respondent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TypeVar

from ..models.box import Cell, Interval
from ..models.categories import Ordered
from ..models.domain import Domain
from ..models.exact_numbers import show_number, show_share
from ..models.losses import loss as named_loss
from ..models.policy import AHEAD, Level
from ..models.problem import Problem
from ..models.release import Release
from .advice import advice
from .level_value import UNCHECKED, LevelValue
from .price import Price
from .settings import Hindsight

__all__ = ["ColumnSummary", "LossSummary", "Summary", "columns_of", "summarize", "tally"]

T = TypeVar("T")

LONGEST = 999
"""Denominators that are shown beside a rounded value."""


@dataclass(frozen=True, kw_only=True)
class ColumnSummary:
    """What is published of a quasi-identifier.

    Attributes
    ----------
    name : str
    lost : Fraction
        Mean loss of a row's cell, from 0 (exact) to 1 (nothing is said); 1 for a row that is left out.
    usual : str
        The cell in the middle of all published rows, from the narrowest to the widest, in words.
    blank : bool
        Nothing is said of anybody in this column.
    """

    name: str
    lost: Fraction
    usual: str
    blank: bool

    def __str__(self) -> str:
        if self.blank:
            return "* throughout: nothing is said"
        if not self.lost:
            return "published exactly"
        return f"{show_share(self.lost)} of its information lost; {self.usual}"


@dataclass(frozen=True, kw_only=True)
class LossSummary:
    """One level of the objective.

    Attributes
    ----------
    name : str
    value : Fraction
    most : Fraction or None
        What is lost if nothing is said of anybody; None where that is not known.
    bound : str
        What is proven about the best possible, in words.
    """

    name: str
    value: Fraction
    most: Fraction | None
    bound: str

    def __str__(self) -> str:
        share = ""
        if self.most:
            part = show_share(self.value / self.most)
            share = f", {part} of the maximum ({show_number(self.most)})"
        return f"{self._value}{share}; {self.bound}"

    @property
    def _value(self) -> str:
        shown = show_number(self.value)
        if Fraction(shown) == self.value or self.value.denominator > LONGEST:
            return shown
        return f"{shown} (exactly {self.value})"


@dataclass(frozen=True, kw_only=True)
class Summary:
    """See the module; `str` and a notebook show it as lines.

    Attributes
    ----------
    status : str
    rows, published, left_out, invented : int
        Of the table, and of the release: real rows, suppressed ones, counterfeits.
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
        rows = f"{self.published:,} of {self.rows:,} rows{out}{fakes} in {self.groups:,} groups"
        return f"{self.status}: {rows}; {lost}; every check passed: {', '.join(self.checked)}"

    @property
    def _rows(self) -> str:
        share = Fraction(self.published, self.rows)
        found = f"{self.published:,} of {self.rows:,} published"
        if self.left_out:
            found += f" ({show_share(share)}), {self.left_out:,} left out ({show_share(1 - share)})"
        if not self.invented:
            return f"{found}, none invented"
        shown = Fraction(self.invented, self.published + self.invented)
        return f"{found}, {self.invented:,} invented: {show_share(shown)} of what is shown"

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
        losses=_losses(problem, levels),
        series=_series(problem),
        checked=tuple(str(requirement) for requirement in problem.policy.requirements),
        outlook=_foreseen(problem, release, levels, alone) + _unavoidable(hindsight),
        price="" if price is None else str(price),
        later="; ".join(
            told
            for requirement in problem.policy.requirements
            if (told := requirement.afterwards(release, problem.history)) is not None
        ),
        advice=advice(
            rows=len(problem.table),
            left_out=left_out,
            invented=release.counterfeits,
            blank=[column.name for column in columns if column.blank],
            full_domain=problem.policy.recoding == "full_domain",
        ),
    )


def _losses(problem: Problem, levels: Sequence[LevelValue]) -> tuple[LossSummary, ...]:
    """What each level loses, against the most there is to lose and what is proven."""
    return tuple(
        LossSummary(
            name=value.name,
            value=value.value,
            most=_most(problem, level),
            bound=_bound(levels[: index + 1], counts=all(named_loss(name).counts for name in level.losses)),
        )
        for index, (level, value) in enumerate(zip(problem.policy.levels, levels, strict=True))
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
    told = f"{to_come} expected to need {show_number(expected)} counterfeits"
    if alone is None:
        return f"{told} (by a model: simulated lives of signatures)"
    now = [
        f"{name} is {show_number(level.value)} instead of {show_number(other)} now"
        for name, level, other in zip(names, levels, alone, strict=True)
        if name != AHEAD and level.value != other
    ]
    cost = ", ".join(now) or "it costs nothing now"
    other = "(compared with a search that does not look ahead)"
    # Fewer than allowed are counted as so many: then how many there were is not known.
    known = names[at] == AHEAD and alone[at] > problem.allowed
    instead = f" instead of {show_number(alone[at])}" if known else ""
    return f"{told} (by a model){instead}; {cost} {other}"


def _unavoidable(hindsight: Hindsight | None) -> str:
    """What no policy avoids, by hindsight."""
    if hindsight is None:
        return ""
    drawn = "a drawn future" if hindsight.futures == 1 else f"the mean of {hindsight.futures} drawn futures"
    return (
        f"; nobody avoids {show_number(hindsight.anybody)} counterfeits from now on, and after this release "
        f"{show_number(hindsight.from_here)} ({drawn}, by hindsight)"
    )


def columns_of(release: Release, domains: Sequence[Domain]) -> tuple[ColumnSummary, ...]:
    """What is published of each quasi-identifier."""
    boxed = [group for group in release.groups if group.box is not None]
    people = [len(group.members) for group in boxed]
    left_out = len(release.suppressed)
    total = max(1, left_out + sum(len(group.members) for group in release.groups))
    found: list[ColumnSummary] = []
    for a, domain in enumerate(domains):
        cells = [
            (domain.width(cell), cell, n)
            for cell, n in tally([group.box[a] for group in boxed if group.box is not None], people)
        ]
        lost = left_out + sum((width * n for width, _, n in cells), Fraction(0))
        found.append(
            ColumnSummary(
                name=domain.name,
                lost=lost / total,
                usual=_usual(cells, domain) if cells else "published exactly",
                blank=bool(cells) and all(width == 1 for width, _, _ in cells),
            )
        )
    return tuple(found)


def tally(things: Sequence[T], counts: Sequence[int] | None = None) -> list[tuple[T, int]]:
    """Counts (1 each by default) added up by object: large tables hold few objects, again and again."""
    found: Counter[int]
    if counts is None:
        found = Counter(map(id, things))
    else:
        found = Counter[int]()
        for thing, count in zip(things, counts, strict=True):
            found[id(thing)] += count
    known = dict(zip(map(id, things), things, strict=True))
    return [(known[number], count) for number, count in found.items()]


def _usual(cells: Sequence[tuple[Fraction, Cell, int]], domain: Domain) -> str:
    """The middle one of the rows' cells, from the narrowest to the widest."""
    ordered = sorted(cells, key=lambda each: (each[0], str(each[1])))
    half, seen = sum(n for _, _, n in ordered) / 2, 0
    for width, cell, n in ordered:
        seen += n
        if seen >= half:
            return _words(width, cell, domain)
    raise AssertionError("some cell is in the middle")


def _words(width: Fraction, cell: Cell, domain: Domain) -> str:
    if not width:
        return "usually exact"
    if isinstance(cell, Interval):
        return f"usually an interval {show_number(cell.hi - cell.lo)} wide"
    if width == 1:
        return "usually *"
    what = "neighbouring categories" if isinstance(domain, Ordered) else "categories"
    return f"usually one of {len(cell.values)} {what}"


def _most(problem: Problem, level: Level) -> Fraction | None:
    """The loss of a release that says nothing of anybody, if the losses tell."""
    total, rows = Fraction(0), len(problem.table)
    for name, weight in level.weights:
        each = named_loss(name)
        shares = each.box_weights(problem.table)
        whole = each.by_size(rows, 0, problem.policy.form)
        if problem.policy.form == "generalized" and shares is not None and each.box_payer == "tuple":
            total += weight * rows * sum(shares, Fraction(0))
        elif whole and each.combine == "sum" and each.counts is None:
            total += weight * whole
        else:
            return None
    return total


def _bound(levels: Sequence[LevelValue], *, counts: bool) -> str:
    """What is proven of the last of some levels, and whose word the rest is."""
    level = levels[-1]
    among = "" if len(levels) == 1 else f" as good on {' and '.join(each.name for each in levels[:-1])}"
    if level.value == level.bound:
        fewer = "does with fewer" if counts else "loses less"
        return f"proven: no release{among} {fewer}" if level.value else "proven: nothing can be less"
    if not level.bound:
        less = "how many fewer would do" if counts else "how much less could be lost"
        found = f"no bound yet: {less} is not known"
    else:
        gap = show_share((level.value - level.bound) / level.value)
        fewer = "do with fewer than" if counts else "lose less than"
        found = f"no release{among} can {fewer} {show_number(level.bound)}: at most {gap} to gain"
    if level.trusted_bound is not None:
        least = (
            "no less"
            if level.trusted_bound == level.value
            else f"no less than {show_number(level.trusted_bound)}"
        )
        found += f" ({least} by the word of {level.word}, which was not checked)"
    return found


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
