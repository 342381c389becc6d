r"""Cuts against releases that let somebody be inferred: from linear programs, valid for every release.

Let ``x[q, v]`` be 1 if respondent q has value v in a world. For every published group, the x of its
members add up to the real tuples of each value. Give prices ``y[g, v]`` to old groups and one
of several price vectors y to each new group, and let Y[q, v] be the sum over q's old groups. Adding
up priced rows, in every world (and in every mixture of worlds), with any objective c,

    sum_q,v c[q, v] x[q, v]  <=  sum_q ( max_v (c - Y - y)[q, v] + (Y + y)[q, own value of q] ) + fakes,

where a group with f counterfeits, ``f[v]`` of them with value v, adds
``sum_v f[v] y[v] - f min_v y[v]``: the adversary's counterfeits may carry other values than the true
ones. The maximum is over values that all old groups of q publish; compromised respondents have their own
value only and add 0. The right side is a sum over new groups of sums over their members, whatever
the groups are. The smallest over the price vectors is a valid choice for each group, so

    sum_groups  min_y ( sum_members r(q, y) + fakes )  +  (others, in no new group: y = 0)

bounds the left side for **every** release, of any groups. Prices may be any numbers: they are taken
from a linear program and rounded; only the cut's strength depends on them.

values     If p can only have values of V, fewer than are needed, then in every good release p may have
           another one: with c = 1 for p's values outside V, the bound is at least 1.
chances    In a good release, average worlds: every x is a probability, at most ``max_posterior``. With
           c = -z for z >= 0, ``-max_posterior sum z`` is at most the bound.

Both are checked to be broken by the release at hand, in integers. If neither is (the linear
program sees less than worlds do), the cut forbids only that the same groups, linked to one
another by shared respondents, are published again: they alone decide what is known of their members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ..adversary.inference import Conclusion, linked_groups
from ..cut_pieces import hidden_if
from ..encoding import Cut, Encoding
from ..history import History
from .inference_prices import Place, ValuePrices
from .inference_program import WorldDuals, WorldProgram

__all__ = ["CutLimits", "cuts", "prices"]

MOST = 16
"""Cuts returned at a time."""

_SCALES = (1, 2, 6, 12, 60, 840)


@dataclass(frozen=True, kw_only=True)
class CutLimits:
    """What everybody must keep: so many values, and no value likelier than so."""

    needed: int
    max_posterior: Fraction


def cuts(
    name: str, broken: Iterable[Conclusion], series: History, limits: CutLimits, spared: frozenset[str]
) -> Iterator[Cut]:
    """Cuts for conclusions that break a limit, one per kind of respondent, at most `MOST`.

    Parameters
    ----------
    name : str
        Of the requirement.
    broken : iterable of Conclusion
    series : History
        The earlier releases and, last, the one at hand.
    limits : CutLimits
    spared : frozenset of str
        Respondents to whom limits do not apply.
    """
    seen: set[tuple[str, ...]] = set()
    forbidden: set[tuple[Place, ...]] = set()
    for found in broken:
        if len(seen) >= MOST:
            return
        if found.respondents in seen:
            continue
        seen.add(found.respondents)
        places = linked_groups(series, found.place)
        priced = prices(found, series, limits, spared)
        if priced is not None:
            name_it = f"{name}: somebody of {len(places)} linked groups"
            yield Cut(name_it, partial(_price_or_forbid, priced, series, places))
        elif tuple(places) not in forbidden:
            forbidden.add(tuple(places))
            yield Cut(f"{name}: the same {len(places)} linked groups", partial(_forbid, series, places))


def _price_or_forbid(priced: ValuePrices, series: History, places: list[Place], model: Encoding) -> None:
    """The priced cut, unless values that only the model knows (for counterfeits) make it useless."""
    if priced.reached(series, model.values) < priced.least:
        priced.apply(series, model)
    else:
        _forbid(series, places, model)


def _forbid(series: History, places: list[Place], model: Encoding) -> None:
    """Not these new groups again with nobody else of the linked old ones published."""
    last = len(series) - 1
    new = [series.group(*where) for where in places if where[0] == last]
    published = {who for group in new for who in group.respondents}
    linked = {who for where in places for who in series.group(*where).respondents}
    missing = [model.table.row[who] for who in linked - published if who in model.table.row]
    same = [literal for group in new for literal in model.same_group(group)]
    model.cp.add_bool_or([]).only_enforce_if(*same, *hidden_if(model, missing))


def prices(
    found: Conclusion, series: History, limits: CutLimits, spared: frozenset[str]
) -> ValuePrices | None:
    """Prices that show a conclusion to follow; None if a linear program does not see it.

    A program with a variable per respondent of the linked groups and value.
    """
    program = WorldProgram(found, series, spared)
    values = program.values
    options: list[tuple[WorldDuals, Fraction]] = []
    if len(found.chances) < limits.needed:
        who = next((who for who in found.free if who not in spared), None)
        if who is not None:
            options.append((program.another_value(who, frozenset(found.chances)), Fraction(1)))
    if limits.max_posterior < 1:
        options.append((program.capped(limits.max_posterior), limits.max_posterior))
    for duals, cap in options:
        for scale in _SCALES:
            rounded = program.rounded(duals, scale, cap)
            if rounded.reached(series, values) < rounded.least:
                return rounded
    return None
