"""What an adversary knows besides the releases."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..errors import InputError
from ..table import Persistence

__all__ = ["Knowledge"]


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """Background knowledge: true statements about single respondents.

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
    membership : {"groups"}
        The adversary knows who is in which group of each release, and how many counterfeits a
        group has. No weaker adversary is offered yet.

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
    membership: Literal["groups"] = "groups"

    def __post_init__(self) -> None:
        if self.persistence not in ("persistent", "transient", "both"):
            raise InputError(
                f"persistence must be 'persistent', 'transient' or 'both', got {self.persistence!r}"
            )
        if self.membership != "groups":
            raise InputError(f"membership must be 'groups', got {self.membership!r}")
        for name, sets in (("excluded", self.excluded), ("priors", self.priors)):
            if any(isinstance(values, str) for values in sets.values()):
                raise InputError(f"{name}: give a set of values for each respondent, not a text")
        if self.persistence == "transient" and self.about:
            raise InputError(
                "knowledge about respondents is about values that never change: "
                "use persistence 'persistent' or 'both', or drop it"
            )
        for who in self.about:
            prior = self.priors.get(who)
            if prior is not None and not any(self.allows(who, value) for value in prior):
                raise InputError("priors: what is known otherwise leaves a respondent no value: correct it")
            if who in self.compromised and not self.allows(who, self.compromised[who]):
                raise InputError(
                    "compromised: a respondent's value is excluded by other knowledge: correct it"
                )

    @property
    def about(self) -> frozenset[str]:
        """Respondents about whom something is known."""
        return frozenset((*self.compromised, *self.excluded, *self.priors))

    def allows(self, who: str, value: str) -> bool:
        """Whether what is known about a respondent leaves a value open."""
        return (
            self.compromised.get(who, value) == value
            and value not in self.excluded.get(who, ())
            and (who not in self.priors or value in self.priors[who])
        )
