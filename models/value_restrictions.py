"""How compromised tuples and historical correlations exclude values (Riboni and Bettini, Defs. 2 and 4).

Two *private value restriction* functions of a history of releases, for a respondent r with the possible
values S(r). Values are persistent; who is in which group is known.

``ct_pvr``
    Removes a from S(r) if, in a group of r, every tuple with a belongs to a compromised respondent *other
    than r* (as printed the definition may take r's own value away when r is compromised). A counterfeit
    with a is nobody's, so it stands in the way.
``hc_pvr``
    Removes a if r is in one side of a historical correlation (Def. 3) and a is possible for nobody on the
    other side. Two groups of different releases that publish equal multisets and share someone are
    correlated: who is only in the one has the values of who is only in the other. Common are all
    respondents that both have, which is the strongest choice. A counterfeit on a side may have any
    value, so that side excludes nothing. A side without anybody tells nothing.

`restricted_values` applies both to everybody until nothing changes. Both are sound, and neither is
complete: `what_if` and `audit` decide by all possible worlds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from .errors import InputError
from .history import History
from .release import QIGroup

__all__ = ["correlated_sets", "ct_pvr", "hc_pvr", "restricted_values"]


def _groups(history: History, respondent: str) -> list[tuple[int, QIGroup]]:
    """Release numbers and groups of a respondent."""
    found = [
        (number, release.groups[release.where[respondent]])
        for number, release in enumerate(history)
        if respondent in release.where
    ]
    if not found:
        raise InputError(f"no release has a respondent {respondent!r}")
    return found


def _prior(history: History, respondent: str) -> frozenset[str]:
    """What all groups of a respondent have in common."""
    return frozenset.intersection(*(group.signature for _, group in _groups(history, respondent)))


def ct_pvr(
    history: History,
    respondent: str,
    compromised: Collection[str],
    possible: Collection[str] | None = None,
) -> frozenset[str]:
    """Values left for a respondent by compromised tuples (Def. 2).

    Parameters
    ----------
    history : History
        All releases.
    respondent : str
        r.
    compromised : collection of str
        Respondents whose value the adversary knows.
    possible : collection of str, optional
        S(r); by default the values that all groups of r have in common.

    Returns
    -------
    frozenset of str

    Raises
    ------
    InputError
        If r is in no release.
    """
    excluded = set[str]()
    for _, group in _groups(history, respondent):
        invented = {value for value, _ in group.counterfeits}
        others = {
            member.value
            for member in group.members
            if member.respondent == respondent or member.respondent not in compromised
        }
        excluded |= group.signature - invented - others
    return frozenset(_prior(history, respondent) if possible is None else possible) - excluded


def correlated_sets(history: History, respondent: str) -> Iterator[frozenset[str]]:
    """Sets of respondents that a historical correlation links to a respondent (Def. 3), each once.

    Only sides of which all tuples belong to somebody: others exclude nothing.

    Parameters
    ----------
    history : History
        All releases.
    respondent : str

    Yields
    ------
    frozenset of str
        Respondents of whom one has the respondent's value.
    """
    found = set[frozenset[str]]()
    for number, mine in _groups(history, respondent):
        for other, release in enumerate(history):
            if other == number:
                continue
            for at in {release.where[who] for who in mine.respondents if who in release.where}:
                group = release.groups[at]
                rest = group.respondents - mine.respondents
                linked = respondent not in group.respondents and group.histogram == mine.histogram
                if linked and rest and not group.fakes and rest not in found:
                    found.add(rest)
                    yield rest


def hc_pvr(
    history: History,
    respondent: str,
    known: Mapping[str, Collection[str]],
    possible: Collection[str] | None = None,
) -> frozenset[str]:
    """Values left for a respondent by historical correlations (Def. 4).

    Parameters
    ----------
    history : History
        All releases.
    respondent : str
        r.
    known : Mapping of str to collection of str
        Possible values of other respondents; of those that are missing the values that all their groups
        have in common.
    possible : collection of str, optional
        S(r); by default the same.

    Returns
    -------
    frozenset of str

    Raises
    ------
    InputError
        If r is in no release.
    """
    left = frozenset(_prior(history, respondent) if possible is None else possible)
    for side in correlated_sets(history, respondent):
        left &= frozenset[str]().union(
            *(known[who] if who in known else _prior(history, who) for who in side)
        )
    return left


def restricted_values(history: History, compromised: Collection[str]) -> dict[str, frozenset[str]]:
    """Values left for everybody when both functions are applied until nothing changes.

    Parameters
    ----------
    history : History
        All releases.
    compromised : collection of str
        Respondents whose value the adversary knows.

    Returns
    -------
    dict of str to frozenset of str
        Of compromised respondents their value alone. Who is left with one value is disclosed.

    Raises
    ------
    InputError
        If a compromised respondent is in no release.
    """
    left = {who: _prior(history, who) for release in history for who in release.where}
    for who in compromised:
        _, group = _groups(history, who)[0]
        left[who] = frozenset(member.value for member in group.members if member.respondent == who)
    for who in left.keys() - set(compromised):
        left[who] = ct_pvr(history, who, compromised, left[who])
    sides = {who: list(correlated_sets(history, who)) for who in left}
    changed = True
    while changed:
        changed = False
        for who, linked in sides.items():
            for side in linked:
                now = left[who] & frozenset[str]().union(*(left[other] for other in side))
                changed = changed or now != left[who]
                left[who] = now
    return left
