"""Significance and its fixpoint for several quasi-identifiers together (al Bouna et al., Def. 7).

A dependency ``(A_1, ..., A_p) --> s`` is safe only if every non-empty subset of its attributes is; so the
fixpoint is taken for all subsets, small ones first. Whoever hides the cells of (a, s), a being a value of
some attributes, hides every longer combination that contains a along with them, since a row shows a
combination only if it shows all its cells. So the tuples that a subset's fixpoint hides are left out
before its supersets are looked at, and count among the hidden ones there (|T| stays what it is).

The reverse does not hold: a row that hides one of two cells may show the other. Which one is for
the suppression to decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .antecedents import antecedents, combination
from .correlation import PairCounts, PreSuppression, Significance, pre_suppress
from .group import Member

__all__ = ["combined_plans"]


def combined_plans(
    members: Sequence[Member],
    attributes: Sequence[int],
    significance: Significance,
    l: int,  # noqa: E741
) -> dict[tuple[int, ...], dict[str, PreSuppression]]:
    """The fixpoint for every subset of some quasi-identifiers, and for every combination of its values.

    Parameters
    ----------
    members
        The microdata.
    attributes
        Positions of the quasi-identifiers.
    significance, l
        As in `pre_suppress`.

    Returns
    -------
    dict
        For each subset the plans of its combinations; `PreSuppression.hidden` has the sensitive values
        that smaller subsets hide, too.
    """
    plans: dict[tuple[int, ...], dict[str, PreSuppression]] = {}
    for subset in antecedents(attributes):
        inherited: dict[str, set[str]] = {}
        left: list[tuple[str, str]] = []
        for member in members:
            value = combination(member.point, subset)
            gone = inherited.setdefault(value, set())
            if any(
                member.value in plans[smaller][combination(member.point, smaller)].hidden
                for smaller in antecedents(subset)
                if len(smaller) < len(subset)
            ):
                gone.add(member.value)
            else:
                left.append((value, member.value))
        own = pre_suppress(PairCounts.of_pairs(left, total=len(members)), significance, l)
        nothing = PreSuppression(hidden=frozenset(), significant=frozenset(), rounds=0)
        plans[subset] = {
            value: replace(plan, hidden=plan.hidden | gone)
            for value, gone in sorted(inherited.items())
            for plan in [own.get(value, nothing)]
        }
    return plans
