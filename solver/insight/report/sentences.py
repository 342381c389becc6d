"""What requirements, attacks and findings mean: for whoever has to sign, and has read no paper."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

from ....models.requirement import Requirement
from ....models.requirements.of_attribute import OfAttribute

__all__ = [
    "Risk",
    "attack_in_words",
    "attack_name",
    "finding_in_words",
    "promise_in_words",
    "untried_in_words",
    "verdict_in_words",
    "without_parameters",
]

ATTACKS = {
    "difference": "A group of one release is subtracted from a group of another: few people, or mostly one "
    "value, may remain.",
    "intersection": "Only the values that all groups of a person share are kept: one of them may prevail.",
    "record_tracing": "A row of one release is found again in the next by its quasi-identifiers.",
    "hc_safety": "Somebody who knows some people's values compares two releases to learn those of others.",
    "groups intersected": "Only the values that all groups of a person share are kept: one may be left.",
    "groups counted": "In each group, values that certain people must have are crossed out for all others.",
    "everything at once": "All ways of giving every person a value that agree with all releases are counted.",
    "linked at some time": "For values that may change: the values a person must have had at some time.",
}


class Risk(TypedDict):
    """How many respondents one attack reaches for whoever holds the releases up to this one."""

    release: int
    attack: str
    at_risk: int
    respondents: int
    undecided: int
    worst: str | None


def _others(count: int) -> str:
    return "the value of one other person" if count == 1 else f"the values of {count} other people"


NAMES = {
    "difference": "subtracting groups",
    "intersection": "weighing what groups share",
    "record_tracing": "following rows",
    "hc_safety": "knowing some people's values",
    "groups intersected": "intersecting groups",
    "groups counted": "counting values off",
    "everything at once": "everything at once",
    "linked at some time": "linked at some time",
}


def _spared(asked: Any) -> str:
    """Of whom resistance to inference says nothing."""
    known = ["whose value is known besides"] * bool(asked.given)
    known += ["whom the releases before gave away already"] * bool(asked.forgive_past)
    return f" (apart from those {' or '.join(known)})" if known else ""


def _linked(asked: Any) -> str:
    return (
        "Counting all releases together, this one links nobody to a protected value with a probability above "
        f"{1 / asked.l}."
    )


PROMISES: Mapping[str, Callable[[Any], str]] = {
    "k_c_anonymity": lambda r: (
        f"Everybody is in a group of at least {r.k} rows that look alike"
        + (f", and no value makes up more than {r.c} of a group." if r.c < 1 else ".")
    ),
    "distinct_l_diversity": lambda r: f"Every group holds at least {r.l} different values.",
    "entropy_l_diversity": lambda r: (
        f"The values of every group are at least as mixed as {r.l} equally frequent values would be."
    ),
    "recursive_c_l_diversity": lambda r: (
        f"In every group the most frequent value has fewer rows than {r.c} times those of all values from "
        f"number {r.l} on, by frequency, taken together."
    ),
    "t_closeness": lambda r: (
        f"The values of every group are distributed as in the whole table, up to a distance of {r.t} "
        "(0 is exactly alike, 1 as different as can be)."
    ),
    "weak_m_invariance": lambda r: (
        f"In every release, everybody is in a group with the same {r.m} or more values, all equally often: "
        f"whoever compares a person's groups over the releases is left with at least {r.m} values."
    ),
    "hc_safety": lambda r: (
        "Nobody's value follows from comparing a group with one of another release that holds the same "
        "values equally often" + (f", even for somebody who knows {_others(r.n - 1)}." if r.n > 1 else ".")
    ),
    "global_guarantee": _linked,
    "constant_ratio": _linked,
    "geometric": _linked,
    "difference": lambda r: (
        f"If groups of another release are subtracted from a group, nobody remains, or at least {r.k} rows"
        + (f", and no value makes up more than {r.c} of them." if r.c < 1 else ".")
    ),
    "intersection": lambda r: (
        f"Among the values that all groups of a person share, none makes up more than {r.c}."
    ),
    "record_tracing": lambda r: (
        f"Whoever follows a row from one release to another finds at least {r.k} people it may belong to."
    ),
    "hc_safety_deep": lambda r: (
        "Nobody's value follows from adding and subtracting groups of several releases that hold the same "
        "values together" + (f", even for somebody who knows {_others(r.n - 1)}." if r.n > 1 else ".")
    ),
    "safe_correlation": lambda r: (
        "Nobody is linked to a value that goes along with "
        f"{r.attribute if isinstance(r.attribute, str) else ' and '.join(r.attribute)} with a probability "
        f"above 1/{r.l}."
    ),
    "resists_inference": lambda r: (
        f"Given all releases together, no value of any person{_spared(r)} has a probability above "
        f"{r.max_posterior}"
        + (f", and at least {r.min_values} values remain possible" if r.min_values > 1 else "")
        + (f", even for somebody who knows {_others(r.compromised)}." if r.compromised else ".")
    ),
}
"""What a release that keeps a requirement gives its people, with its parameters in the sentence."""
WHOLE = ("everything at once", "linked at some time")
"""What uses all there is."""


def attack_in_words(attack: str) -> str:
    """One sentence for an attack, named or of the audit; empty for one that nobody described."""
    return ATTACKS.get(attack.partition("(")[0], "")


def attack_name(attack: str) -> str:
    """A few words for an attack, as a label."""
    name = attack.partition("(")[0]
    return NAMES.get(name, name.replace("_", " "))


def finding_in_words(risk: Risk) -> str:
    """What an attack found, in a sentence."""
    who = f"{risk['at_risk']} of {risk['respondents']} people" if risk["at_risk"] else "nobody"
    told = f"It reaches {who}"
    if risk["undecided"]:
        told += f"; {risk['undecided']} more could not be decided in time"
    if risk["worst"] is not None:
        told += f"; the likeliest value of any person has a probability of {risk['worst']}"
    return f"{told}."


def untried_in_words(reason: str) -> str:
    """Why an attack was not carried out, and what stands in for it.

    What follows a semicolon in the reason tells the author of a policy what to change; here nothing is asked.
    """
    fact = reason.partition("; ")[0]
    return (
        f"It was not carried out: {fact}. Whatever it could show for certain is found by "
        f"'{NAMES['everything at once']}' as well."
    )


def without_parameters(text: str) -> str:
    """A sentence about requirements without their parameters, which are explained elsewhere."""
    return re.sub(r"\(\w+=[^()]*\)", "", text).replace("_", " ")


def promise_in_words(requirement: Requirement) -> str | None:
    """What a requirement promises to the people in the table; None if nobody wrote it down."""
    told = PROMISES.get(requirement.name)
    if told is None:
        return None
    if isinstance(requirement, OfAttribute):
        return f"{told(requirement)} This holds for {' with '.join(requirement.names)}."
    return told(requirement)


def verdict_in_words(risks: Sequence[Risk]) -> str | None:
    """What whoever holds all releases concludes, in a sentence; None if nobody looked."""
    whole = [risk for risk in risks if risk["attack"] in WHOLE]
    if not whole:
        return None
    last = max(risk["release"] for risk in whole)
    found = [risk for risk in whole if risk["release"] == last]
    who = "this release" if last == 1 else f"all {last} releases"
    known = f"Whoever has {who}, and knows who is in the table and in which group, is certain of "
    at_risk, open_ones = max(r["at_risk"] for r in found), max(r["undecided"] for r in found)
    some = f"the value of {at_risk} of {found[0]['respondents']} people"
    told = known + (some if at_risk else "nobody's value")
    if open_ones:
        told += f"; for {open_ones} more this is not known"
    worst = [risk["worst"] for risk in found if risk["worst"] is not None]
    if worst:
        told += f". The likeliest value of any person has a probability of {worst[0]}"
    return f"{told}."
