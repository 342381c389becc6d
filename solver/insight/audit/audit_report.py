"""What an audit found: numbers per release, disclosures, explanations, proofs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import Any, Literal, TypeAlias

import pandas as pd

from ....models.adversary.knowledge import Knowledge
from ....models.combination import parted
from ....models.errors import InputError
from ....models.history import History
from ...worlds.exclusions import Exclusion, ProofKind, certificates, exclusions
from ...worlds.intervals import Interval
from ...worlds.possible import AnyPopulation, Possible
from ...worlds.posterior import ValueProbabilities
from ...worlds.sampling import CountEstimate
from .attacks import Attack
from .attribute_audit import AttributeAudit, seen_through
from .changing import TransientAudit, chances_of_ever
from .explain_value import ValueExplanation

__all__ = [
    "HOW",
    "AuditReport",
    "AuditVerdict",
    "Disclosure",
    "How",
    "PersistentAudit",
    "ReleaseAudit",
]

How: TypeAlias = Literal["set intersection", "propagation", "exact"]
HOW: tuple[How, ...] = ("set intersection", "propagation", "exact")

AuditVerdict: TypeAlias = Literal["disclosed", "nobody disclosed", "unknown"]
"""Whether somebody's value is certain; "unknown" if nobody's is found to be, but not all was decided."""


@dataclass(frozen=True, kw_only=True)
class PersistentAudit:
    """Conclusions about values that never change.

    Attributes
    ----------
    set_intersection, propagation, exact : int
        Respondents with one possible value: by intersecting the values of their groups, by bounds
        besides, and in all possible worlds. Each includes the one before. Respondents whose value
        is given (see `ReleaseAudit`) do not count.
    undecided : int
        Respondents with one value found possible and others unknown: `exact` is too small by at
        most so many.
    unknown : int
        Pairs (kind of respondent, value) not decided in time.
    worst : Fraction or None
        Largest probability of any value of any respondent not given, over those it is known for.
        None if it is not known for anybody or was not asked for.
    at_most : Fraction or None
        No value of any respondent not given is likelier: the largest of `worst` and of the upper ends of
        guaranteed intervals of respondents without exact probabilities. None if somebody has neither.
    without_posterior : int
        Respondents whose probabilities are not known: too many worlds, no time, or memberships unknown.
    estimated : int
        Those of them who have an estimate instead.
    worst_estimate : CountEstimate or None
        The largest of these, with its interval; no proof.
    proofs : Mapping of str to int
        Exclusions (kind of respondent, value) beyond set intersection, by what they rest on.
    searched, open_pairs : int
        Components the solver was asked about, and pairs in the largest.
    attributes : tuple of AttributeAudit
        If there are several sensitive attributes: each of them; all else is about their combinations.
    partly : int
        Respondents with one possible value of some of them.
    """

    set_intersection: int
    propagation: int
    exact: int
    undecided: int
    unknown: int
    worst: Fraction | None
    without_posterior: int
    estimated: int
    worst_estimate: CountEstimate | None
    proofs: Mapping[ProofKind, int]
    searched: int
    open_pairs: int
    at_most: Fraction | None = None
    attributes: tuple[AttributeAudit, ...] = ()
    partly: int = 0

    @property
    def disclosed(self) -> int:
        """Respondents whose value is certain; of several attributes, some value."""
        return max(self.exact, self.partly)

    @property
    def doubtful(self) -> int:
        """At most so many respondents more are disclosed."""
        return self.undecided + sum(one.undecided for one in self.attributes)

    @property
    def likeliest(self) -> Fraction | None:
        """The largest known probability, of several attributes of a value of one of them."""
        of_each = [one.worst for one in self.attributes] or [self.worst]
        return max((worst for worst in of_each if worst is not None), default=None)

    @property
    def verdict(self) -> AuditVerdict:
        """What may be said of the release; what was not decided is never called safe."""
        return "disclosed" if self.disclosed else "unknown" if self.unknown else "nobody disclosed"


@dataclass(frozen=True, kw_only=True)
class ReleaseAudit:
    """The adversary after one release.

    Attributes
    ----------
    release : int
        Number of the release, from 1; all up to it are known.
    respondents, given : int
        Respondents published so far, and those of them whose value knowledge alone tells, without any
        release; see `Knowledge.gives`.
    persistent, transient
        Conclusions; None if that adversary was not asked for.
    attacks : tuple of Attack
        The named attacks, one by one.
    seconds : float
        Wall time.
    """

    release: int
    respondents: int
    given: int
    persistent: PersistentAudit | None
    transient: TransientAudit | None
    attacks: tuple[Attack, ...]
    seconds: float

    @property
    def disclosed(self) -> int:
        """Respondents whose value is certain, at some time at least if values may change."""
        if self.persistent is not None:
            return self.persistent.disclosed
        return 0 if self.transient is None else self.transient.certain


@dataclass(frozen=True, kw_only=True)
class Disclosure:
    """A respondent with one possible value that knowledge alone does not tell, and what shows it.

    Of several sensitive attributes `attribute` is the one whose value is certain; None if all are.
    """

    respondent: str = field(repr=False)
    value: str = field(repr=False)
    how: How
    attribute: str | None = None


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """What `audit` found.

    Attributes
    ----------
    releases : tuple of ReleaseAudit
        One per release that was asked about, oldest first, from the first that published anybody on.
    disclosures : tuple of Disclosure
        After the last release; for the steward's eyes.
    explanations : tuple of ValueExplanation
        Of some disclosures, those hardest to see first.
    possible : Possible or None
        Verdicts after the last release.
    probabilities : ValueProbabilities or None
        Of values after the last release; None if they were not asked for, or memberships are unknown.
    history : History
        The releases that were audited.
    knowledge : Knowledge
        What the adversary knows besides.
    """

    releases: tuple[ReleaseAudit, ...]
    disclosures: tuple[Disclosure, ...] = field(repr=False)
    explanations: tuple[ValueExplanation, ...] = field(repr=False)
    history: History = field(repr=False)
    knowledge: Knowledge = field(repr=False)
    possible: Possible[AnyPopulation] | None = field(repr=False)
    probabilities: ValueProbabilities | None = field(default=None, repr=False)

    @property
    def verdict(self) -> AuditVerdict | None:
        """Of the last release; None if only values that change freely were asked about."""
        last = self.releases[-1].persistent
        return None if last is None else last.verdict

    def exclusions(self) -> Iterator[Exclusion]:
        """What is excluded after the last release, each with a proof that `Exclusion.check` re-checks."""
        return iter(()) if self.possible is None else exclusions(self.possible)

    def certificates(self) -> dict[str, Any]:
        """All these proofs for a file, see `check_certificates`; no respondent is named."""
        return {} if self.possible is None else certificates(self.possible)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What may make people safer in this report than they are; nobody is named."""
        alike = self.history.spelt_alike
        if not alike:
            return ()
        return (
            f"{alike} respondent ids differ from others of these releases in blanks, case or composed "
            "letters only, and count as different people. If they are the same, more can be concluded "
            "about them than this audit says: write them alike, or read the releases by a problem file "
            "with spelling: {respondent: merge}",
        )

    @property
    def complete(self) -> bool:
        """Whether every question about possible values was decided."""
        return all(entry.persistent is None or not entry.persistent.unknown for entry in self.releases)

    @cached_property
    def disclosed(self) -> frozenset[str]:
        """Respondents whose value is certain after the last release; of several attributes, some value.

        Who certainly had some value at some time, if only values that change freely were asked about. For
        the steward's own eyes only.
        """
        if self.releases[-1].persistent is None:
            chances = chances_of_ever(self.history, len(self.history))
            return frozenset(who for who, chance in chances.items() if chance == 1)
        return frozenset(found.respondent for found in self.disclosures)

    def posterior(self, respondent: str, attribute: str | None = None) -> dict[str, Fraction] | None:
        """The probability of each possible value of a person after the last release.

        For the steward's eyes.

        Parameters
        ----------
        respondent : str
        attribute : str, optional
            One of several sensitive attributes; by default their combinations.

        Returns
        -------
        dict of str to Fraction, or None
            None if it is not known (not asked for, or too many worlds).

        Raises
        ------
        InputError
            If the person is in no published group, or there is no such attribute.
        """
        known = None if self.probabilities is None else self.probabilities.of(respondent)
        if attribute is None:
            return known
        names = parted(self.history[-1].sensitive)
        if attribute not in names:
            raise InputError(f"there is no sensitive attribute {attribute!r}: there are {', '.join(names)}")
        if known is None or len(names) == 1:
            return known
        return seen_through(known, names.index(attribute))

    def between(self, respondent: str) -> dict[str, Interval] | None:
        """Between which two numbers the probability of each value of a person lies, for certain.

        For the steward's eyes.

        Parameters
        ----------
        respondent : str

        Returns
        -------
        dict of str to pair of numbers, or None
            The two are equal where worlds could be counted. None if probabilities were not asked for.

        Raises
        ------
        InputError
            If the person is in no published group.
        """
        return None if self.probabilities is None else self.probabilities.between(respondent)

    def posteriors(self) -> pd.DataFrame:
        """One row per person after the last release, the likeliest to be guessed right first.

        Columns: respondent, how many values are left, the likeliest of them, its probability (exact; None
        if not known). For the steward's eyes.
        """
        rows = [] if self.possible is None else [self._guess(who) for who in self.possible.population.cell_of]
        frame = pd.DataFrame(rows, columns=["respondent", "values", "likeliest", "probability"], dtype=object)
        return frame.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    def _guess(self, who: str) -> tuple[str, int, str | None, Fraction | None]:
        assert self.possible is not None
        left = len(self.possible.values(who) | self.possible.unknown(who))
        chances = self.posterior(who)
        if not chances:
            return who, left, None, None
        likeliest = max(chances, key=lambda value: (chances[value], value))
        return who, left, likeliest, chances[likeliest]

    def to_frame(self) -> pd.DataFrame:
        """One row per release: how many are disclosed, and the largest probability; nobody is named.

        Probabilities are exact fractions.
        """
        return pd.DataFrame([_line(entry) for entry in self.releases], dtype=object)

    def _repr_html_(self) -> str:
        """`to_frame`, warnings and explanations, for notebooks."""
        told = "".join(f"<p>{escape(text)}</p>" for text in (*self.warnings, *self.texts()))
        return self.to_frame().to_html(index=False) + told

    def texts(self, *, show_ids: bool = False) -> tuple[str, ...]:
        """The explanations in words."""
        return tuple(e.text(self.history, self.knowledge, show_ids=show_ids) for e in self.explanations)

    def to_dict(self, *, show_ids: bool = False, proofs: bool = False) -> dict[str, Any]:
        """Plain values JSON can hold; fractions as text. No respondent is named unless asked.

        With `proofs` all certificates are part of it.
        """
        found: dict[str, Any] = {
            "persistence": self.knowledge.persistence,
            "membership": self.knowledge.membership,
            "complete": self.complete,
            "verdict": self.verdict,
            "releases": [_entry(entry, show_ids) for entry in self.releases],
            "explanations": list(self.texts(show_ids=show_ids)),
            "warnings": list(self.warnings),
        }
        if show_ids:
            found["disclosures"] = [asdict(disclosure) for disclosure in self.disclosures]
        if proofs:
            found["certificates"] = self.certificates()
        return found


def _line(entry: ReleaseAudit) -> dict[str, object]:
    found: dict[str, object] = {"release": entry.release, "people": entry.respondents}
    if entry.persistent is not None:
        found |= {
            "disclosed by intersection": entry.persistent.set_intersection,
            "by propagation": entry.persistent.propagation,
            "exactly": entry.persistent.exact,
            "undecided": entry.persistent.undecided,
            "largest probability": entry.persistent.worst,
        }
        for one in entry.persistent.attributes:
            found |= {f"{one.attribute} disclosed": one.disclosed, f"{one.attribute} at most": one.worst}
    if entry.transient is not None:
        found |= {
            "certainly had a value at some time": entry.transient.certain,
            "largest probability of ever": entry.transient.worst,
        }
    return found


def _entry(entry: ReleaseAudit, show_ids: bool) -> dict[str, Any]:
    plain = _plain(asdict(entry))
    if entry.persistent is not None:
        plain["persistent"]["verdict"] = entry.persistent.verdict
        if not entry.persistent.attributes:
            del plain["persistent"]["attributes"], plain["persistent"]["partly"]
    for attack, line in zip(entry.attacks, plain["attacks"], strict=True):
        line["respondents"] = sorted(attack.respondents) if show_ids else None
        if not show_ids:
            del line["respondents"]
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, Fraction) else value
