"""What requirements, attacks and findings mean: for whoever has to sign, and has read no paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....models.requirement import Requirement
from .risk import Risk

__all__ = ["attack_in_words", "attack_name", "finding_in_words", "promise_in_words", "verdict_in_words"]

ATTACKS = {
    "difference": "Groups of one release are taken from those of another: few people, or one value, remain.",
    "intersection": "Only values that all groups of a person have in common are kept.",
    "record_tracing": "A row of one release is followed to the next by its quasi-identifiers.",
    "hc_safety": "With some people's values known, two releases are compared for what they say of others.",
    "groups intersected": "Only values that all groups of a person have in common are kept.",
    "groups counted": "Each group's values are counted off against the people who must have them.",
    "everything at once": "All ways in which values may belong to people, given all releases, are counted.",
    "linked at some time": "For values that change: whether a person surely had one of them at some time.",
}


def _others(count: int) -> str:
    return "the value of one other person" if count == 1 else f"the values of {count} other people"


NAMES = {
    "difference": "subtracting groups",
    "intersection": "intersecting groups, by share",
    "record_tracing": "following rows",
    "hc_safety": "knowing some people's values",
    "groups intersected": "intersecting groups",
    "groups counted": "counting values off",
    "everything at once": "everything at once",
    "linked at some time": "linked at some time",
}
PROMISES: Mapping[str, Callable[[Any], str]] = {
    "k_c_anonymity": lambda r: (
        f"Everybody is in a group of at least {r.k} rows that look alike"
        + (f", and no value makes up more than {r.c} of a group." if r.c < 1 else ".")
    ),
    "distinct_l_diversity": lambda r: f"Every group holds at least {r.l} different values.",
    "entropy_l_diversity": lambda r: (
        f"The values of every group are at least as mixed as {r.l} that are equally frequent."
    ),
    "recursive_c_l_diversity": lambda r: (
        f"In every group the most frequent value has fewer than {r.c} times the rows of all values from the "
        f"{r.l}. most frequent on, taken together."
    ),
    "t_closeness": lambda r: (
        f"The values of every group are distributed as in the whole table, up to a distance of {r.t} (of 1)."
    ),
    "weak_m_invariance": lambda r: (
        f"Everybody is in groups with the same {r.m} or more values in every release, each equally often: "
        f"whoever compares a person's groups over the releases is left with at least {r.m} values."
    ),
    "hc_safety": lambda r: (
        "Nobody's value follows from comparing two releases"
        + (f", even for somebody who knows {_others(r.n - 1)}." if r.n > 1 else ".")
    ),
    "global_guarantee": lambda r: (
        f"Over all releases together, nobody is linked to a protected value with a probability above 1/{r.l}."
    ),
    "resists_inference": lambda r: (
        f"From all releases together no value of anybody has a probability above {r.max_posterior}"
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
        told += f"; the likeliest value of anybody has probability {risk['worst']}"
    return f"{told}."


def promise_in_words(requirement: Requirement) -> str | None:
    """What a requirement promises to the people in the table; None if nobody wrote it down."""
    told = PROMISES.get(requirement.name)
    return None if told is None else told(requirement)


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
        told += f". The likeliest value of anybody has probability {worst[0]}"
    return f"{told}."
