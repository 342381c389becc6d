"""What attacks, and what was found of them, mean: for whoever has to sign, and has read no paper."""

from __future__ import annotations

from collections.abc import Sequence

from .facts import Risk

__all__ = ["attack_in_words", "verdict_in_words"]

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
WHOLE = ("everything at once", "linked at some time")
"""What uses all there is."""


def attack_in_words(attack: str) -> str:
    """One sentence for an attack, named or of the audit; empty for one that nobody described."""
    return ATTACKS.get(attack.partition("(")[0], "")


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
