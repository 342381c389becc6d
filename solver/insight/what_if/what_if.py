"""What if some respondents were compromised: who gives away whom, and how few disclose somebody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ....models.adversary.cells import Population, population, respondents_of
from ....models.adversary.knowledge import Knowledge
from ....models.combination import parted
from ....models.errors import InputError
from ....models.history import History
from ....models.n_choose import restriction_estimate
from ....models.parameters import require_time_limit
from ....models.release import Release
from ....models.requirement import as_fraction
from ...settings import Clock
from ...worlds.blocks import Block, blocks
from ...worlds.possible import Verdict, possible_values
from ...worlds.smallest_sets import SmallestSet, smallest_sets
from ..audit.attribute_audit import attribute_audits
from .breach_chance import CONFIDENCE, BreachChance, breach_chance
from .giveaways import Giveaway, Giveaways, giveaways

__all__ = ["WhatIf", "pairwise_degree", "what_if"]

NOTE = (
    "who gives away whom, smallest sets and probabilities are about combinations of {} only: fewer "
    "compromised respondents may disclose the value of one attribute"
)


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """What `what_if` found.

    Attributes
    ----------
    releases, respondents : int
        How many there are.
    given : int
        Respondents whose value knowledge alone tells, without any release; see `Knowledge.gives`.
    disclosed : int
        Respondents (not given) whose value is certain with nobody compromised besides; of several sensitive
        attributes, some value.
    giveaways : Giveaways
        Who gives away others.
    smallest : tuple of SmallestSet or None
        For every kind of respondent whose value is not certain and may become so; None if not asked.
    degree : int or None
        Degree of hc-safety as the groups keep it in pairs (Riboni and Bettini, Def. 3): the fewest
        known respondents that a correlation of two groups needs. None: no two groups correlate.
    chance : BreachChance or None
        Estimated probability of a breach; None if not asked.
    undecided : int
        Pairs (kind of respondent, value) whose possibility was not decided in time.
    note : str or None
        If there are several sensitive attributes: that all but `disclosed` is about combinations of their
        values, and the value of one attribute may take fewer compromised respondents.
    seconds : float
        Wall time.
    """

    releases: int
    respondents: int
    given: int
    disclosed: int
    giveaways: Giveaways = field(repr=False)
    smallest: tuple[SmallestSet, ...] | None = field(repr=False)
    degree: int | None
    chance: BreachChance | None
    undecided: int
    note: str | None
    seconds: float

    @property
    def true_degree(self) -> int | None:
        """Fewest compromised respondents that disclose somebody else whose value is not certain yet.

        The smallest size *proven so far to be needed* if `complete` is False. None if not asked for, or
        nobody can be disclosed.
        """
        sizes = [found.at_least for found in self.smallest or () if not found.never]
        return min(sizes, default=None)

    @property
    def complete(self) -> bool:
        """Whether everything asked for was decided."""
        chance = self.chance
        return (
            not self.undecided
            and not self.giveaways.undecided
            and all(found.exact for found in self.smallest or ())
            and (chance is None or not (chance.someone.open or chance.respondent.open))
        )

    @property
    def sizes(self) -> dict[str, int]:
        """Respondents by the size of their smallest disclosing set: a number, ``never`` or ``open``."""
        found: Counter[str] = Counter()
        for entry in self.smallest or ():
            key = "never" if entry.never else str(entry.size) if entry.exact else "open"
            found[key] += len(entry.targets)
        return dict(sorted(found.items(), key=lambda item: (not item[0].isdigit(), item[0].zfill(6))))

    def to_dict(self, *, show_ids: bool = False, examples: int = 10) -> dict[str, Any]:
        """Plain values JSON can hold; fractions as text. No respondent is named unless asked."""
        found: dict[str, Any] = {
            "releases": self.releases,
            "respondents": self.respondents,
            "given": self.given,
            "disclosed": self.disclosed,
            "complete": self.complete,
            "harmful": self.giveaways.harmful,
            "singles": [_plain(told, show_ids) for told in self.giveaways.singles[:examples]],
            "pairs": [_plain(told, show_ids) for told in self.giveaways.pairs[:examples]],
            "pairwise_degree": self.degree,
        }
        if self.note is not None:
            found["note"] = self.note
        if self.smallest is not None:
            found["true_degree"] = self.true_degree
            found["smallest"] = self.sizes
            if show_ids:
                found["sets"] = [
                    {
                        "targets": list(entry.targets),
                        "at_least": entry.at_least,
                        "size": entry.size,
                        "never": entry.never,
                        "example": list(entry.example),
                    }
                    for entry in self.smallest
                ]
        if self.chance is not None:
            found["chance"] = _chance(self.chance)
        return found


def _plain(told: Giveaway, show_ids: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"gives_away": len(told.others)}
    if show_ids:
        found |= {"compromised": list(told.compromised), "others": sorted(told.others)}
    return found


def _chance(chance: BreachChance) -> dict[str, Any]:
    found: dict[str, Any] = {
        "p": str(chance.p),
        "seed": chance.seed,
        "confidence": str(chance.confidence),
        "formula": None if chance.formula is None else float(chance.formula),
        "formula_parameters": {"L": chance.history, "m": chance.signature, "n": chance.degree},
        "note": chance.note,
    }
    for name, estimate in (("someone", chance.someone), ("respondent", chance.respondent)):
        found[name] = {
            "hits": estimate.hits,
            "trials": estimate.trials,
            "undecided": estimate.open,
            "interval": [estimate.low, estimate.high],
        }
    return found


def what_if(
    releases: History | Iterable[Release],
    knowledge: Knowledge | None = None,
    *,
    pairs: bool = False,
    smallest: bool = False,
    probability: Fraction | float | str | None = None,
    trials: int = 1000,
    seed: int = 0,
    time_limit: float | None = None,
) -> WhatIf:
    """Ask what compromised respondents give away about others (for values that never change).

    Of several sensitive attributes it is asked about their combinations, and `WhatIf.note` says so.

    Parameters
    ----------
    releases : History, or releases oldest first
        At least one with a group; made by any tool.
    knowledge : Knowledge, optional
        What the adversary knows besides; default: nothing.
    pairs : bool
        Whether to rank pairs of respondents, too.
    smallest : bool
        Whether to find the fewest respondents that disclose somebody, for everybody.
    probability : rational from 0 to 1, optional
        Probability that a tuple is compromised, to estimate how likely it is that somebody is disclosed.
    trials, seed : int
        Of that simulation.
    time_limit : float, optional
        Seconds of wall time; what is undecided by then is reported as open.

    Returns
    -------
    WhatIf

    Raises
    ------
    InputError
        If a parameter is out of its range, values are believed to change, or as `population`.
    ReleaseError
        If a respondent's value differs between two releases.
    """
    history = releases if isinstance(releases, History) else History(releases)
    known = Knowledge.of(knowledge)
    _refuse_unusable(history, known, time_limit)
    p = None if probability is None else as_fraction("what_if", "probability", probability)
    clock = Clock(time_limit)
    return _answered(history, known, p, clock, pairs=pairs, smallest=smallest, trials=trials, seed=seed)


def _answered(
    history: History,
    known: Knowledge,
    p: Fraction | None,
    clock: Clock,
    *,
    pairs: bool,
    smallest: bool,
    trials: int,
    seed: int,
) -> WhatIf:
    people = population(history, known)
    possible = possible_values(people, clock)
    names = respondents_of(people, history)
    parts = list(blocks(people, possible.bounds))
    told = giveaways(parts, names, clock, pairs=pairs)
    sets = tuple(smallest_sets(parts, names, clock)) if smallest else None
    degree = pairwise_degree(history)
    chance = None
    if p is not None:
        chance = _breach_chance(history, people, parts, p, degree, trials=trials, seed=seed, clock=clock)
    sizes = people.system.sizes
    names = parted(history[-1].sensitive)
    _, partly = attribute_audits(possible, None, known, history[-1].sensitive)
    return WhatIf(
        releases=len(history),
        respondents=int(sizes.sum()),
        given=len(people.given),
        disclosed=max(partly, _disclosed(people, possible.verdicts.tolist())),
        giveaways=told,
        smallest=None if sets is None else tuple(found for found in sets if found.size != 0),
        degree=degree,
        chance=chance,
        undecided=sum(verdict == Verdict.UNKNOWN for verdict in possible.verdicts.tolist()),
        note=NOTE.format(", ".join(names)) if len(names) > 1 else None,
        seconds=round(clock.seconds, 3),
    )


def _refuse_unusable(history: History, known: Knowledge, time_limit: float | None) -> None:
    if known.persistence == "transient":
        raise InputError("what if is about values that never change: use persistence 'persistent' or 'both'")
    if str(known.membership) != "groups":
        raise InputError("what if is about known groups: use membership 'groups'")
    require_time_limit(time_limit, InputError)
    if not len(history):
        raise InputError("the history is empty: append a release first")


def _disclosed(people: Population, verdicts: list[int]) -> int:
    """Respondents not given all but one of whose values are excluded."""
    left: Counter[int] = Counter()
    for cell, verdict in zip(people.system.cell.tolist(), verdicts, strict=True):
        left[cell] += verdict != Verdict.EXCLUDED
    asked = people.asked.tolist()
    return sum(asked[cell] for cell, count in left.items() if count == 1)


def _breach_chance(
    history: History,
    people: Population,
    parts: list[Block],
    p: Fraction,
    degree: int | None,
    *,
    trials: int,
    seed: int,
    clock: Clock,
) -> BreachChance:
    someone, respondent = breach_chance(parts, people.system, p, trials=trials, seed=seed, clock=clock)
    longest = max(len(record.groups) for record in history.records.values())
    m = min(len(group.signature) for release in history for group in release.groups)
    n = m if degree is None else min(m, max(1, degree))
    return BreachChance(
        p=p,
        seed=seed,
        confidence=CONFIDENCE,
        someone=someone,
        respondent=respondent,
        formula=restriction_estimate(p=p, history=longest, m=m, n=n) if m > 1 else None,
        history=longest,
        signature=m,
        degree=n,
    )


def pairwise_degree(history: History) -> int | None:
    """Fewest known respondents that the historical correlation of two groups needs (Def. 3).

    Groups of two releases that publish the same values and share respondents correlate what they do not
    share; whoever is to be told about must be a respondent, and those who are known must not be mixed with
    counterfeits. None if no two groups correlate. O(pairs of groups that share somebody).
    """
    found: list[int] = []
    for number, release in enumerate(history):
        for group in release.groups:
            met = {at for who in group.respondents for at in history.records[who].groups if at[0] < number}
            for at in met:
                old = history.group(*at)
                if old.histogram != group.histogram:
                    continue
                rest_old, rest_new = old.respondents - group.respondents, group.respondents - old.respondents
                if rest_old and not group.fakes:
                    found.append(len(rest_new))
                if rest_new and not old.fakes:
                    found.append(len(rest_old))
    return min(found, default=None)
