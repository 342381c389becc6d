"""Figures 4, 5 and 6 of al Bouna, Clifton and Malluhi, and what each reading of support costs.

The figures' numbers are not in the text but for one: for Craft-repair and l = 5 the loss metric "reaches
56 %". Groups are Anatomy's; epsilon is not printed either (one tuple here, as shares by worlds are hardly
ever equal). The loss of a sensitive value counts the hidden cells of its tuples: in a group that hides h of c
equal cells each of their owners is taken to be hidden with h / c.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from ..models.correlation import PairCounts, Support
from ..models.errors import PolicyError
from ..models.exposure import ValueExposure
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.release import Release
from ..models.requirements import KCAnonymity, SafeCorrelation
from ..models.table import Microdata
from ..solver.baselines.anatomy import bucketize
from ..solver.engines.sanitize import Sanitized, sanitize
from .registry import Row

__all__ = ["Figures", "anatomized", "policy_of"]

NAMED = ("Handlers-cleaners", "Craft-repair", "Exec-managerial", "Adm-clerical")
"""The sensitive values of Figures 4 and 5."""

PAIRS = (("0.05", "0.95"), ("0.1", "0.9"), ("0.15", "0.85"), ("0.2", "0.8"), ("0.25", "0.75"))
"""Five pairs of minConf and maxConf around the printed 0.1 and 0.9; those of Figure 6 are not in the text."""

PUBLISHED = {("Craft-repair", 5): "56%"}

CAUSE = (
    "groups, epsilon and the reading of support are not printed; at minSup 0.2 the support of the pair makes "
    "nothing significant, that of the education only HS-grad and Some-college: their tuples bound the loss"
)

Weights = Literal["uniform", "worlds"]


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What the figures are drawn from.

    Attributes
    ----------
    tables : Mapping
        Data sets by name; the first is the one of Figures 4 and 5.
    attribute : str
    l : sequence of int
        Of Figures 4 and 5; Figure 6 has one less each.
    min_support, epsilon : rational
    time_limit : float
        Seconds per quasi-identifier value.
    seed : int
    """

    tables: Mapping[str, Microdata]
    attribute: str
    l: Sequence[int]  # noqa: E741 - the field's own name
    min_support: Fraction
    epsilon: Fraction
    time_limit: float
    seed: int
    _done: dict[tuple[str, SafeCorrelation], Sanitized] = field(
        default_factory=dict[tuple[str, SafeCorrelation], Sanitized], init=False, repr=False
    )
    _groups: dict[tuple[str, int], Release] = field(
        default_factory=dict[tuple[str, int], Release], init=False, repr=False
    )

    def rows(self) -> list[Row]:
        """All of them, each under the name of its figure."""
        main = next(iter(self.tables))
        return [
            *({"figure": "which reading of support gives which loss", **row} for row in self._readings(main)),
            *({"figure": "Fig. 4: Pr(value | education), by worlds", **row} for row in self._fourth(main)),
            *({"figure": "Fig. 5: loss of each sensitive value", **row} for row in self._fifth(main)),
            *({"figure": "Fig. 6: loss by minConf/maxConf", **row} for row in self._sixth()),
        ]

    def _requirement(
        self,
        l: int,  # noqa: E741
        support: Support,
        shares: Weights,
        pair: tuple[str, str] = ("0.1", "0.9"),
    ) -> SafeCorrelation:
        return SafeCorrelation(
            attribute=self.attribute,
            l=l,
            min_confidence=Fraction(pair[0]),
            max_confidence=Fraction(pair[1]),
            min_support=self.min_support,
            support=support,
            epsilon=self.epsilon,
            shares=shares,
        )

    def _sanitized(self, name: str, requirement: SafeCorrelation) -> Sanitized:
        if (name, requirement) not in self._done:
            at = (name, requirement.l)
            if at not in self._groups:
                self._groups[at] = anatomized(self.tables[name], requirement, self.seed)
            self._done[name, requirement] = sanitize(
                self._groups[at], requirement, time_limit=self.time_limit, seed=self.seed
            )
        return self._done[name, requirement]

    def _readings(self, name: str) -> Iterator[Row]:
        for support in ("joint", "qi"):
            for shares in ("uniform", "worlds"):
                for l in self.l:  # noqa: E741
                    done = self._sanitized(name, self._requirement(l, support, shares))
                    lost, there = hidden_by_value(done.release), done.release.histogram
                    craft = NAMED[1]
                    yield {
                        "support": support,
                        "shares": shares,
                        "l": l,
                        "educations": sum(bool(v.exposure.significant) for v in done.values),
                        "hidden": done.release.hidden_cells,
                        "least": done.least_hidden,
                        "LM/T": percent(Fraction(done.release.hidden_cells, len(self.tables[name]))),
                        f"LM of {craft}": percent(Fraction(lost[craft], there.get(craft, 0) or 1)),
                    }

    def _fourth(self, name: str) -> Iterator[Row]:
        for l in self.l:  # noqa: E741
            requirement = self._requirement(l, "qi", "worlds")
            done = self._sanitized(name, requirement)
            known = PairCounts.count(self.tables[name].members, requirement.positions([self.attribute]))
            for value in done.values:
                if not value.exposure.significant:
                    continue
                for sensitive in NAMED:
                    told = [
                        probability(value.exposure, cells, sensitive)
                        for cells in (value.exposure.counts, value.suppression.kept)
                    ]
                    yield {
                        "l": l,
                        self.attribute: value.exposure.value,
                        "value": sensitive,
                        "significant": "yes" if sensitive in value.exposure.significant else "no",
                        "confidence": percent(known.confidence(value.exposure.value, sensitive)),
                        "Anatomy": percent(told[0]),
                        "sanitized": percent(told[1]),
                    }

    def _fifth(self, name: str) -> Iterator[Row]:
        there = self.tables[name].histogram
        for shares in ("uniform", "worlds"):
            for l in self.l:  # noqa: E741
                lost = hidden_by_value(self._sanitized(name, self._requirement(l, "qi", shares)).release)
                for sensitive in NAMED:
                    row: Row = {
                        "shares": shares,
                        "l": l,
                        "value": sensitive,
                        "tuples": there.get(sensitive, 0),
                        "hidden": round(float(lost[sensitive]), 1),
                        "LM/v": percent(Fraction(lost[sensitive], there.get(sensitive, 0) or 1)),
                        "LM/T": percent(Fraction(lost[sensitive], len(self.tables[name]))),
                    }
                    if (sensitive, l) in PUBLISHED:
                        row |= {"published": PUBLISHED[sensitive, l], "cause": CAUSE}
                    yield row

    def _sixth(self) -> Iterator[Row]:
        """Only with support of the education: with that of the pair nothing is significant in any of them."""
        for name, table in self.tables.items():
            for l in self.l:  # noqa: E741
                if l < 3:
                    raise PolicyError(f"Figure 6 has l - 1 for every l of Figures 4 and 5: {l} is too small")
                row: Row = {"data": name, "support": "qi", "l": l - 1}
                for pair in PAIRS:
                    done = self._sanitized(name, self._requirement(l - 1, "qi", "uniform", pair))
                    row["/".join(pair)] = percent(Fraction(done.release.hidden_cells, len(table)))
                yield row


def anatomized(table: Microdata, requirement: SafeCorrelation, seed: int) -> Release:
    """Anatomy's groups of a table, without hidden cells."""
    groups = bucketize([member.value for member in table.members], requirement.l, seed)
    if groups is None:
        raise PolicyError(f"l = {requirement.l}: one sensitive value is too frequent: take a smaller l")
    return Problem(table=table, policy=policy_of(requirement)).assemble(groups)


def policy_of(requirement: SafeCorrelation) -> Policy:
    """What Anatomy and the sanitization promise together."""
    diverse = KCAnonymity(k=requirement.l, c=Fraction(1, requirement.l))
    return Policy([diverse, requirement], ["hidden_cells", "average_group_size"], form="anatomized")


def hidden_by_value(release: Release) -> defaultdict[str, Fraction]:
    """Hidden cells by the sensitive value of their owners, expected over rows that are equal."""
    lost = defaultdict[str, Fraction](Fraction)
    for group in release.groups:
        for a, value, count in group.hidden:
            owners = [member.value for member in group.members if str(member.point[a]) == value]
            for sensitive in owners:
                lost[sensitive] += Fraction(count, len(owners))
    return lost


def probability(exposure: ValueExposure, cells: Sequence[int], sensitive: str) -> Fraction:
    """Pr(sensitive | value) as told by so many published cells per group."""
    told = (x * share.get(sensitive, Fraction(0)) for x, share in zip(cells, exposure.shares, strict=True))
    return sum(told, Fraction(0)) / (sum(cells) or 1)


def percent(share: Fraction) -> str:
    """With one decimal."""
    return f"{float(share):.1%}"
