r"""Resistance to the full adversary: who holds all releases and draws every conclusion there is.

Meaning. Values never change; the adversary knows who is in which group of every release,
how many counterfeits a group has, and the values of up to c respondents, whoever they are. Every
world that fits is equally likely (respondents' values and the order of counterfeits together). For
every respondent of any release up to the new one, and every set of up to c *others* with their true
values known,

- at least ``min_values`` values are possible, and
- no value, the respondent's own or any other, has a probability above ``max_posterior``.

Difference, intersection and historical-correlation attacks, in pairs or over many releases, are all
ways to such conclusions; each of them alone sees less. ``check`` counts worlds exactly, without a
search (see ``adversary/counting.py``), and says so if they are too many. ``min_values`` alone promises
little: a series of five releases that keeps ``min_values`` 2 had posteriors up to 40/41; say
``max_posterior``, too.

Tables of more than 30 tuples are searched with the audit inside (``engines/partition/withstand``), unless
the past is forgiven; the bound is that of the rest of the policy, or what set intersection alone forbids
(``engines/partition/withstand/met``). Smaller ones are solved by
programs with cuts: first releases of 6 to 13 tuples under (3, 1/2)-anonymity and ``max_posterior`` 1/2 are
optimal within 1 s of CPU time. Earlier releases that break the requirement alone make every further one break
it; ``forgive_past`` leaves them out, and says nothing about them.

Knowledge. The adversary may know more of single respondents, as in an audit: values of some
(``compromised``), values that some do not have (``excluded``), sets that they are in (``priors``). Only
worlds that fit are counted, in every check and every component of a search. Whose value that alone tells is
*given* and asks for nothing; whoever it leaves too few values without telling which makes it impossible.

Encoding. Within one group, ``distinct values >= min_values``, and without counterfeits
``count of v <= max_posterior * (tuples - c)``: for others than those with v, c at most of them
compromised, the chances of v add up to its count over everybody else of the group (if fewer than c
have another value, only v is left). Necessary, not sufficient; the rest is done by cuts, see
`resists_inference_cuts`.

Not monotone: a larger group may leave some value likelier for somebody, together with old ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from weakref import WeakKeyDictionary

from ..adversary.cells import check_knowledge
from ..adversary.inference import Conclusion, conclusions, linked_groups
from ..adversary.knowledge import Knowledge
from ..errors import InputError, PolicyError
from ..group_bounds import GroupBounds
from ..history import History
from ..parameters import hold_truth
from ..release import Release
from ..requirement import Requirement, Scope, Violation, hold_share, hold_whole, register
from ..structure import Structure
from .resists_inference_cuts import CutLimits, cuts
from .resists_inference_told import told_by_all, told_by_difference

if TYPE_CHECKING:
    from ..encoding import Cut, Encoding
    from ..problem_view import ProblemView

__all__ = ["ResistsInference"]

SETS = ("excluded", "priors")
"""Kinds of knowledge that are sets of values."""

_forgiven: WeakKeyDictionary[History, dict[tuple[int, str], frozenset[str]]] = WeakKeyDictionary()
# By the rule and the number of releases: published groups never change, so nothing grows old.


@register
@dataclass(frozen=True, kw_only=True)
class ResistsInference(Requirement):
    """Nobody's value can be inferred from all releases, even with some others compromised.

    Use it where nobody may be inferred from all releases: up to hundreds of tuples (thousands in tables that
    grow), also with one or two others compromised; about a dozen if the past is forgiven.

    Parameters
    ----------
    max_posterior : rational, default 1
        Above 0, at most 1: largest probability of any value of any respondent. A float means its
        shortest decimal form.
    min_values : int, default 1
        How many possible values every respondent keeps at least.
    compromised : int, default 0
        How many others' values the adversary may know, whoever they are.
    forgive_past : bool, default False
        Whether to leave out respondents for whom earlier releases alone break the limits.
    knowledge : Knowledge or mapping, optional
        What the adversary knows of single respondents besides: `compromised`, `excluded` and `priors`,
        each by respondent. Whose value that alone tells is not asked for.

    Notes
    -----
    Checking costs one count of worlds per set of compromised respondents in a block of overlapping
    groups. Probabilities are #P-hard to compute in general.
    """

    name: ClassVar[str] = "resists_inference"
    scope: ClassVar[Scope] = Scope.SERIES
    adversary: ClassVar[Literal["persistent", "transient", "either"]] = "persistent"
    reference: ClassVar[str] = "Riboni and Bettini, Def. 2, for all conclusions from all releases"

    max_posterior: Fraction = Fraction(1)
    min_values: int = 1
    compromised: int = 0
    forgive_past: bool = False
    knowledge: Knowledge | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        hold_share(self, self.name, "max_posterior")
        hold_whole(self, self.name, "min_values", 1)
        hold_whole(self, self.name, "compromised", 0)
        hold_truth(self, self.name, "forgive_past")
        object.__setattr__(self, "knowledge", _known(self.name, self.knowledge))
        if self.needed == 1:
            raise PolicyError(
                f"{self.name} asks for nothing: give max_posterior below 1 or min_values above 1"
            )

    @property
    def needed(self) -> int:
        """How many values everybody keeps: ``1 / max_posterior`` at least, too."""
        return max(self.min_values, ceil(1 / self.max_posterior))

    @property
    def _limits(self) -> CutLimits:
        return CutLimits(needed=self.needed, max_posterior=self.max_posterior)

    @property
    def given(self) -> frozenset[str]:
        """Whose value knowledge alone tells."""
        known = self.knowledge
        return frozenset() if known is None else frozenset(who for who in known.about if known.gives(who))

    def settings(self) -> dict[str, Any]:
        """Parameters by name; knowledge only where there is some, as policies were before it had a say."""
        found, known = super().settings(), self.knowledge
        del found["knowledge"]
        if known is None:
            return found
        told: dict[str, Any] = {"compromised": dict(sorted(known.compromised.items()))}
        told["excluded"] = {who: sorted(values) for who, values in sorted(known.excluded.items())}
        told["priors"] = {who: sorted(values) for who, values in sorted(known.priors.items())}
        return found | {"knowledge": told}

    def __str__(self) -> str:
        if self.knowledge is None:
            return super().__str__()
        told = str(replace(self, knowledge=None)).removesuffix(")")
        return f"{told}, knowledge=of {len(self.knowledge.about)} respondents)"

    def _breaks(self, found: Conclusion) -> bool:
        return len(found.chances) < self.needed or found.worst > self.max_posterior

    def _broken(self, series: History, forgiven: frozenset[str]) -> Iterator[Conclusion]:
        """Conclusions about somebody not forgiven that break a limit."""
        for found in conclusions(series, self.compromised, self.knowledge):
            if self._breaks(found) and not forgiven.issuperset(found.respondents):
                yield found

    def _spared(self, history: History) -> frozenset[str]:
        """Whom the requirement leaves out."""
        if not self.forgive_past or not len(history):
            return self.given
        known = _forgiven.setdefault(history, {})
        rule = (len(history), str(self.settings()))
        if rule not in known:
            broken = self._broken(history, frozenset())
            known[rule] = frozenset(who for found in broken for who in found.respondents)
        return known[rule] | self.given

    def structure(self, problem: ProblemView | None = None) -> Structure:
        return Structure(looks_back=True)

    def check(self, release: Release, history: History) -> Iterator[Violation]:
        """Yield one violation per kind of respondent and number of compromised others.

        All tables that agree with all releases (possible worlds) are counted exactly: the share of those in
        which a person has a value is its probability to whoever holds the releases and knows who is in
        which group.

        Yields
        ------
        Violation
            "2 respondents can have 1 values, one of them with probability 1; wanted are 2 values and at
            most 1/2", with the groups that tell, witness `possible`, `posterior` and `compromised`, and in
            `private` the likeliest value and whose values the adversary knows.

        Raises
        ------
        ReleaseError
            If a respondent's value differs between two releases.
        EngineError
            If worlds are too many to be counted.
        """
        series = history.followed_by(release)
        spared = self._spared(history)
        seen: set[tuple[tuple[str, ...], int]] = set()
        for found in self._broken(series, spared):
            people = tuple(sorted(who for who in found.respondents if who not in spared))
            if (people, len(found.compromised)) in seen:
                continue
            seen.add((people, len(found.compromised)))
            places = linked_groups(series, found.place)
            known = len(found.compromised)
            worst = max(found.chances, key=lambda value: (found.chances[value], value))
            yield Violation(
                requirement=self.name,
                message=f"{len(people)} respondents can have {len(found.chances)} values, one of them with "
                f"probability {found.worst}"
                + (f", if {known} others are compromised" if known else "")
                + f"; wanted are {self.needed} values and at most {self.max_posterior}",
                groups=tuple(index for number, index in places if number == len(history)),
                earlier=tuple(where for where in places if where[0] < len(history)),
                respondents=people,
                witness={
                    "possible": len(found.chances),
                    "posterior": found.worst,
                    "compromised": known,
                },
                private={"likeliest": worst, "known": tuple(sorted(found.compromised))},
            )

    def encode(self, model: Encoding) -> None:
        if not self._spared(model.problem.history).isdisjoint(model.table.row):
            return
        few, parts = self.max_posterior.numerator, self.max_posterior.denominator
        for g in model.slots:
            present = [model.present(g, v) for v in model.values]
            model.cp.add(sum(present) >= self.needed * model.used(g))
            for v in model.values:
                real = model.count(g, v) - model.all_fakes(g)
                rest = model.members(g)
                if not model.may_fake:
                    rest = rest - self.compromised * model.used(g)
                if self.max_posterior < 1:
                    model.cp.add(parts * real <= few * rest)

    def cuts(self, release: Release | None, history: History) -> Iterator[Cut]:
        if release is None:
            return
        series = history.followed_by(release)
        broken = self._broken(series, self._spared(history))
        yield from cuts(self.name, broken, series, self._limits, self._spared(history))

    def bounds(self, problem: ProblemView) -> GroupBounds:
        return GroupBounds(
            problem=problem,
            smallest=1 if self.forgive_past or self.given else self.needed,
            reason=self._infeasible_because,
            misfit=self._untrue,
        )

    def _untrue(self, problem: ProblemView) -> str | None:
        """Knowledge must be true of those whom it is about, as far as they are there or were."""
        if self.knowledge is None:
            return None
        own = _values_of(problem)
        try:
            check_knowledge(self.knowledge.among(own), own, problem.table.sensitive.name)
        except InputError as error:
            return f"{self.name}: knowledge: {error}"
        return None

    def _infeasible_because(self, problem: ProblemView) -> str | None:
        """Earlier releases that leave somebody too few values, or people whom two tables tell apart."""
        if why := self._known_before(problem):
            return why
        if self.forgive_past:
            return None
        lost = {
            who
            for found in conclusions(problem.history, self.compromised, self.knowledge)
            if len(found.chances) < self.needed
            for who in found.respondents
        } - self.given
        if not lost:
            if not self.given.isdisjoint((*problem.table.row, *problem.history.records)):
                return None  # whom knowledge gives may be those who are told
            limits = self._limits
            why = told_by_difference(problem, limits)
            why = why or told_by_all(problem, limits, self.compromised, self.knowledge)
            return None if why is None else f"{self.name}: {why}"
        return (
            f"{self.name}: earlier releases alone leave {len(lost)} respondents fewer than {self.needed} "
            "values"
            + (f" if {self.compromised} others are compromised" if self.compromised else "")
            + "; nothing published later changes that: set forgive_past to protect the others"
        )

    def _known_before(self, problem: ProblemView) -> str | None:
        """Respondents whom knowledge alone leaves too few values, although it does not tell which."""
        if self.knowledge is None:
            return None
        if why := self._untrue(problem):
            raise PolicyError(why)
        known = self.knowledge.among(_values_of(problem))
        few = {
            who
            for who in known.about - self.given
            if sum(known.allows(who, value) for value in problem.values) < self.needed
            and (who in known.priors or problem.policy.counterfeit_limit == 0)
        }
        few -= self._spared(problem.history) if few else few
        if not few:
            return None
        return (
            f"{self.name}: what is known besides the releases leaves {len(few)} respondents fewer than "
            f"{self.needed} values: set knowledge or the limits otherwise"
        )


def _values_of(problem: ProblemView) -> dict[str, str]:
    """The value of everybody of the table and of the releases before."""
    own = {who: record.member.value for who, record in problem.history.records.items()}
    return own | {member.respondent: member.value for member in problem.table.members}


def _known(name: str, told: object) -> Knowledge | None:
    """Knowledge as it was given, or as a policy file says it; None if it says nothing."""
    if isinstance(told, Mapping):
        known = [f.name for f in fields(Knowledge)]
        wrong = next((str(key) for key in told if key not in known), None)
        if wrong is not None:
            raise PolicyError(f"{name}: knowledge has no {wrong!r}: it has {', '.join(known[:3])}")
        try:
            told = Knowledge(**told)
        except (TypeError, InputError) as error:
            raise PolicyError(f"{name}: knowledge: {error}") from error
    if told is None:
        return None
    if not isinstance(told, Knowledge):
        raise PolicyError(f"{name}: knowledge must name compromised, excluded or priors, each by respondent")
    if told.persistence != "persistent" or told.membership != "groups":
        raise PolicyError(
            f"{name}: knowledge is of values that never change and of who is in which group: leave "
            "persistence and membership to an audit"
        )
    sets = {kind: {who: frozenset(values) for who, values in getattr(told, kind).items()} for kind in SETS}
    return replace(told, **sets) if told.about else None
