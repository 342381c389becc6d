"""What an adversary knows besides the releases, and whose values that alone gives away.

Somebody's value is *given* if knowledge alone tells it, whatever is published: she is compromised, or her
prior without what is excluded has one value left. It is *disclosed* if it is not given, and all worlds that
fit the releases and the knowledge agree on it. Only the second is the releases' doing, so

- values that no release publishes count: with ``priors: {p5: [flu, asthma]}`` and a group that publishes flu,
  cold and gout, it is the group that rules asthma out, and p5 is disclosed. Nor does it matter for p5
  whether another group publishes asthma.
- exclusions without a prior give nobody away: nobody says which other values there are until a release does.
- a compromised respondent is given even if every group publishes one value.

So who is given does not depend on the releases, and who is disclosed stays disclosed by every further one
(they leave fewer worlds, never none: the truth is one of them).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..errors import InputError
from ..exact_numbers import plain_text
from ..parameters import require_kind
from ..sensitive import Persistence

__all__ = ["Knowledge", "given"]


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """Background knowledge: true statements about single respondents.

    Ids and values that are numbers are read as their text, as tables do: 2.0 is "2". Of several sensitive
    columns a value is the combination, in their order and with `` ¦ `` between: "flu ¦ low".

    Parameters
    ----------
    compromised : Mapping of str to str
        Respondents whose value is known.
    excluded : Mapping of str to values
        Values a respondent is known not to have.
    priors : Mapping of str to values
        Values a respondent is known to have one of.
    persistence : {"persistent", "transient", "both"}
        Whether values are believed never to change, to change freely between releases, or both
        beliefs are to be audited. Statements about respondents are about values that never change.
    membership : {"groups", "boxes"}
        Whether the adversary knows who is in which group of each release, or only everybody's exact
        quasi-identifiers, so that somebody may be in any group whose box holds them. Who is in which
        release is known in both cases. With "boxes" values must be persistent.
    counterfeits : {"known", "unknown"}
        Whether she knows how many counterfeits each group has. Whoever knows who is in a group
        knows that too, so "unknown" needs membership "boxes". Worlds count, too, in which a group has no real
        member: she is not taken to know that optanon publishes no such group.

    Raises
    ------
    InputError
        If statements contradict each other or leave a respondent no value, or there are some
        although values are transient.
    """

    compromised: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    excluded: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]], repr=False)
    priors: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]], repr=False)
    persistence: Persistence = "persistent"
    membership: Literal["groups", "boxes"] = "groups"
    counterfeits: Literal["known", "unknown"] = "known"

    def __post_init__(self) -> None:
        if self.persistence not in ("persistent", "transient", "both"):
            raise InputError(
                f"persistence must be 'persistent', 'transient' or 'both', got {self.persistence!r}"
            )
        if self.membership not in ("groups", "boxes"):
            raise InputError(f"membership must be 'groups' or 'boxes', got {self.membership!r}")
        if self.counterfeits not in ("known", "unknown"):
            raise InputError(f"counterfeits must be 'known' or 'unknown', got {self.counterfeits!r}")
        if self.membership == "groups" and self.counterfeits == "unknown":
            raise InputError(
                "who knows the members of a group knows how many of its tuples are counterfeits: "
                "use membership 'boxes' or counterfeits 'known'"
            )
        if self.membership == "boxes" and self.persistence != "persistent":
            raise InputError(
                "membership 'boxes' is about values that never change: use persistence 'persistent'"
            )
        for name in ("compromised", "excluded", "priors"):
            object.__setattr__(self, name, _as_texts(name, getattr(self, name)))
        if self.persistence == "transient" and self.about:
            raise InputError(
                "knowledge about respondents is about values that never change: "
                "use persistence 'persistent' or 'both', or drop it"
            )
        for who in self.about:
            prior = self.priors.get(who)
            if prior is not None and not any(self.allows(who, value) for value in prior):
                raise InputError(
                    "priors: the rest of the knowledge leaves a respondent without any value: correct it"
                )
            if who in self.compromised and not self.allows(who, self.compromised[who]):
                raise InputError(
                    "compromised: a respondent's value is excluded by other knowledge: correct it"
                )

    @classmethod
    def of(cls, given: Knowledge | None) -> Knowledge:
        """What functions were given: by default nothing is known."""
        if given is None:
            return cls()
        require_kind("knowledge", given, Knowledge, remedy="write Knowledge(compromised={...}) or the like")
        return given

    @property
    def about(self) -> frozenset[str]:
        """Respondents about whom something is known."""
        return frozenset((*self.compromised, *self.excluded, *self.priors))

    def among(self, people: Container[str]) -> Knowledge:
        """What is known about some respondents."""
        if all(who in people for who in self.about):
            return self
        return replace(
            self,
            compromised={who: value for who, value in self.compromised.items() if who in people},
            excluded={who: values for who, values in self.excluded.items() if who in people},
            priors={who: values for who, values in self.priors.items() if who in people},
        )

    def renamed(self, named: Callable[[str], str]) -> Knowledge:
        """The same about respondents under other ids."""
        return replace(
            self,
            compromised={named(who): value for who, value in self.compromised.items()},
            excluded={named(who): values for who, values in self.excluded.items()},
            priors={named(who): values for who, values in self.priors.items()},
        )

    def gives(self, who: str) -> bool:
        """Whether knowledge alone, without any release, tells a respondent's value."""
        return given(who, (self,))

    def allows(self, who: str, value: str) -> bool:
        """Whether what is known about a respondent leaves a value open."""
        return (
            self.compromised.get(who, value) == value
            and value not in self.excluded.get(who, ())
            and (who not in self.priors or value in self.priors[who])
        )


def given(who: str, told: Sequence[Knowledge]) -> bool:
    """Whether all of several pieces of knowledge, held by one adversary, tell a respondent's value alone."""
    if any(who in known.compromised for known in told):
        return True
    values = {value for known in told for value in known.priors.get(who, ())}
    return sum(all(known.allows(who, value) for known in told) for value in values) == 1


def _as_texts(name: str, told: Any) -> dict[str, Any]:
    """One kind of statements, as tables spell ids and values: else number 3 would be nobody beside text 3."""
    if not isinstance(told, Mapping):
        raise InputError(f"{name}: say for each respondent what is known")
    found: dict[str, Any] = {}
    for who, said in told.items():
        text = _text(name, who)
        if text in found:
            raise InputError(f"{name}: a respondent is named twice, as a number and as a text: correct it")
        found[text] = _text(name, said) if name == "compromised" else _set_of_texts(name, said)
    return found


def _set_of_texts(name: str, values: Any) -> Collection[str]:
    if isinstance(values, str) or not isinstance(values, Collection):
        raise InputError(f"{name}: give a set of values for each respondent, not a text")
    if all(isinstance(value, str) for value in values):
        return values
    found = frozenset(_text(name, value) for value in values)
    # 2.0 may be excluded of a data frame or of a file that is written with a point: nothing is lost by both.
    return found | set(map(str, values)) if name == "excluded" else found


def _text(name: str, cell: Any) -> str:
    if cell is None or isinstance(cell, bool | Mapping | list):
        raise InputError(f"{name}: an id or a value is no text: put quotes around it")
    return plain_text(cell)
