"""Families of view pairs that break a threshold for the same reason.

The breach probability depends on a pair of projections only through the components of
the identifier and the distinct tuples in them. Adding a column that splits none of these
tuples, or leaving out one that separates none, changes nothing; distinct tuples only grow
with the columns, so if both ends of an interval of column sets agree, so does everything
between. One bad pair therefore condemns a whole family of pairs, which is what an exact
search over pairs of projections has to exclude.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from .breach import exceeds
from .coded import CodedTable, Relevant
from .protection import ProtectedAssociation
from .query import SecretQuery

__all__ = ["Pattern", "is_broken", "standing_patterns", "violated_pattern"]

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """A family of ordered view pairs, given by columns that are in or out.

    Parameters
    ----------
    first_in, first_out
        Columns the first view has and has not.
    second_in, second_out
        Columns the second view has and has not.
    join_in, join_out
        Columns both views have, and columns that at least one of them lacks.
    """

    first_in: frozenset[str] = _NONE
    first_out: frozenset[str] = _NONE
    second_in: frozenset[str] = _NONE
    second_out: frozenset[str] = _NONE
    join_in: frozenset[str] = _NONE
    join_out: frozenset[str] = _NONE

    def matches(self, first: Collection[str], second: Collection[str]) -> bool:
        """Tell whether a pair of views belongs to the family.

        Parameters
        ----------
        first, second
            Columns of the two views.

        Returns
        -------
        bool
            True if every condition holds.
        """
        one, two = set(first), set(second)
        return (
            self.first_in <= one
            and self.second_in <= two
            and self.join_in <= one & two
            and not (self.first_out & one or self.second_out & two or self.join_out & one & two)
        )

    def mirrored(self) -> Pattern:
        """Return the family with first and second view exchanged."""
        return Pattern(
            first_in=self.second_in,
            first_out=self.second_out,
            second_in=self.first_in,
            second_out=self.first_out,
            join_in=self.join_in,
            join_out=self.join_out,
        )


def standing_patterns(coded: CodedTable, secret: ProtectedAssociation) -> tuple[Pattern, ...]:
    """Name the families that are bad whatever the other columns.

    Parameters
    ----------
    coded
        The base table.
    secret
        A secret whose query has both values.

    Returns
    -------
    tuple of Pattern
        For a true association: both columns in one view, and, if the threshold forbids
        joining, both columns published at all. Mirrored families are left out.
    """
    if not coded.has(secret.query):
        return ()
    i, p = frozenset({secret.query.id_attribute}), frozenset({secret.query.property_attribute})
    together = Pattern(first_in=i | p)
    return (together, Pattern(first_in=i, second_in=p)) if secret.forbids_joining else (together,)


def is_broken(
    coded: CodedTable,
    secret: ProtectedAssociation,
    first: Collection[str],
    second: Collection[str],
) -> bool:
    """Tell whether a pair of views reveals a secret with more than its threshold.

    Parameters
    ----------
    coded
        The base table.
    secret
        A secret whose query has both values.
    first, second
        Columns of the two views.

    Returns
    -------
    bool
        The verdict that :func:`~optanon.models.views.breach.breach` gives on the projections.
    """
    query = secret.query
    i, p = query.id_attribute, query.property_attribute
    one, two = set(first), set(second)
    if {i, p} <= one or {i, p} <= two:
        return coded.has(query)
    if not {i, p} <= one | two:
        return False
    id_view, property_view = (one, two) if i in one else (two, one)
    counts = coded.counts(query, id_view, property_view)
    return exceeds(counts, query.property_value, secret.model, secret.threshold)


def violated_pattern(
    coded: CodedTable,
    secret: ProtectedAssociation,
    first: Collection[str],
    second: Collection[str],
) -> Pattern | None:
    """Test a pair of views against a threshold and generalize a failure.

    Parameters
    ----------
    coded, secret, first, second
        As in :func:`is_broken`.

    Returns
    -------
    Pattern or None
        None if the threshold holds. Otherwise a family that contains the pair and whose
        every member breaks the threshold.

    Notes
    -----
    Three lemmas widen the family beyond equal counts.

    * A true association that is certain stays certain in every larger join: its cover, or
      the set of other identifiers beside it, only shrinks.
    * If the threshold forbids joining, every smaller join breaks it too: the value stays
      among those joined with the identifier.
    * Otherwise the family keeps all counts, by the interval argument above.
    """
    if not is_broken(coded, secret, first, second):
        return None
    query = secret.query
    i, p = query.id_attribute, query.property_attribute
    one, two = frozenset(first), frozenset(second)
    together = Pattern(first_in=frozenset({i, p}))
    if together.matches(one, two):
        return together
    if together.matches(two, one):
        return together.mirrored()
    if i in two:
        return _split_pattern(coded, secret, two, one).mirrored()
    return _split_pattern(coded, secret, one, two)


def _split_pattern(
    coded: CodedTable, secret: ProtectedAssociation, one: frozenset[str], two: frozenset[str]
) -> Pattern:
    """Generalize a broken pair with the identifier in the first view only."""
    query = secret.query
    join = one & two
    if _certain(coded, query, join):
        return Pattern(
            first_in=frozenset({query.id_attribute}),
            second_in=frozenset({query.property_attribute}),
            join_in=_shrunk(join, lambda smaller: _certain(coded, query, smaller)),
        )
    if secret.forbids_joining:
        return _smaller_joins(coded, query, join)
    return _equal_counts(coded, query, one, two)


def _certain(coded: CodedTable, query: SecretQuery, join: frozenset[str]) -> bool:
    """Tell whether an association is true, and certain under a join in every model."""
    relevant = coded.relevant(query, join)
    own = coded.identifier_rows(query)
    others = np.bincount(relevant.component[~own[relevant.rows]], minlength=relevant.number)
    values = coded.labels({query.property_attribute})[relevant.rows]
    with_pair = own & coded.property_rows(query)
    alone = others[relevant.component[with_pair[relevant.rows]]] == 0
    return len(np.unique(values)) == 1 or bool(alone.any())


def _smaller_joins(coded: CodedTable, query: SecretQuery, join: frozenset[str]) -> Pattern:
    """Every join inside the returned one still joins the identifier with the value."""
    i, p = query.id_attribute, query.property_attribute
    with_property = coded.property_rows(query)
    grown = join
    for attribute in coded.attributes:
        larger = grown | {attribute}
        if attribute not in (i, p) and bool(with_property[coded.relevant(query, larger).rows].any()):
            grown = larger
    return Pattern(
        first_in=frozenset({i}),
        first_out=frozenset({p}),
        second_in=frozenset({p}),
        second_out=frozenset({i}),
        join_out=frozenset(coded.attributes) - grown - {i, p},
    )


def _equal_counts(coded: CodedTable, query: SecretQuery, one: frozenset[str], two: frozenset[str]) -> Pattern:
    """All pairs with the same components and as many distinct tuples in each."""
    i, p = frozenset({query.id_attribute}), frozenset({query.property_attribute})
    everything = frozenset(coded.attributes)
    join = one & two
    relevant = coded.relevant(query, join)
    join_in = _shrunk(join, lambda smaller: relevant.same_as(coded.relevant(query, smaller)))
    constant = frozenset(a for a in everything if int(coded.sizes(relevant, {a}).max()) == 1)
    first_in, first_max = _interval(coded, relevant, one, i)
    second_in, second_max = _interval(coded, relevant, two, p)
    return Pattern(
        first_in=first_in | i,
        first_out=(everything - first_max) | p,
        second_in=second_in | p,
        second_out=(everything - second_max) | i,
        join_in=join_in,
        join_out=everything - constant - i - p,
    )


def _interval(
    coded: CodedTable, relevant: Relevant, view: frozenset[str], kept: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Smallest (greedily) and largest column set with the distinct tuples of a view."""
    target = coded.sizes(relevant, view)

    def same(columns: frozenset[str]) -> bool:
        return bool(np.array_equal(coded.sizes(relevant, columns), target))

    low = _shrunk(view - kept, lambda smaller: same(smaller | kept)) | kept
    # columns that split no tuple one by one split none together
    high = frozenset(a for a in coded.attributes if a in view or same(view | {a}))
    return low, high


def _shrunk(columns: frozenset[str], keeps: Callable[[frozenset[str]], bool]) -> frozenset[str]:
    """Leave out columns one by one, in the order of their names, while a condition holds."""
    for column in sorted(columns):
        smaller = columns - {column}
        if keeps(smaller):
            columns = smaller
    return columns
