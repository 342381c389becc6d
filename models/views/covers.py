"""Edge covers of complete bipartite graphs, counted in closed form.

A world compatible with two published projections is, inside one join value, a set of
edges between the ``m`` tuples of one view and the ``n`` tuples of the other that leaves
no tuple without an edge (Wang and Lakshmanan, Lemma 5.1). Everything here is an exact
integer, obtained by inclusion-exclusion over the tuples left without an edge.
"""

from __future__ import annotations

from math import comb

from ..errors import PolicyError

__all__ = ["covers_avoiding", "riw", "rpw", "uiw", "upw"]


def covers_avoiding(m: int, n: int, s: int, t: int) -> int:
    r"""Count edge covers of :math:`K_{m,n}` with no edge between ``s`` and ``t`` given nodes.

    With :math:`c` of the ``s`` and :math:`d` of the other ``m - s`` left nodes isolated,
    every right node independently needs one of the remaining edges:

    .. math:: \sum_{c,d} (-1)^{c+d} \binom{s}{c} \binom{m-s}{d}
              (2^{m-s-d}-1)^{t} (2^{m-c-d}-1)^{n-t}, \qquad 0^0 = 1.

    Both breach probabilities need only this count: an association between ``s`` and
    ``t`` nodes is absent in ``covers_avoiding(m, n, s, t)`` worlds, and is the only one of
    the identifier in ``covers_avoiding(m, n, s, n - t)``.

    Parameters
    ----------
    m, n
        Nodes on the left and on the right, at least 0.
    s, t
        Marked nodes on the left (``0 <= s <= m``) and on the right (``0 <= t <= n``).

    Returns
    -------
    int
        The number of covers; the empty graph has one.

    Raises
    ------
    PolicyError
        If a count is out of its range.

    Notes
    -----
    Needs ``min((s+1)(m-s+1), (t+1)(n-t+1))`` products of integers of ``m * n`` bits.
    """
    if not (0 <= s <= m and 0 <= t <= n):
        raise PolicyError(
            f"covers_avoiding({m}, {n}, {s}, {t}): marked nodes must lie between 0 and the"
            " number of nodes on their side"
        )
    if (t + 1) * (n - t + 1) < (s + 1) * (m - s + 1):
        m, n, s, t = n, m, t, s  # the count is symmetric: sum over the cheaper side
    total = 0
    for c in range(s + 1):
        inner = 0
        for d in range(m - s + 1):
            term = (2 ** (m - s - d) - 1) ** t * (2 ** (m - c - d) - 1) ** (n - t)
            inner += (-1) ** d * comb(m - s, d) * term
        total += (-1) ** c * comb(s, c) * inner
    return total


def upw(m: int, n: int) -> int:
    """Count the unrestricted possible worlds: all edge covers of the graph.

    Parameters
    ----------
    m, n
        Tuples on the identifier and on the property side, at least 0.

    Returns
    -------
    int
        ``1`` for the empty graph, ``0`` if exactly one side is empty, ``1`` if a side has
        a single node (Wang and Lakshmanan, Lemma 5.2).

    Raises
    ------
    PolicyError
        If a count is negative.

    Examples
    --------
    >>> upw(2, 2), upw(3, 3)
    (7, 265)
    """
    return covers_avoiding(m, n, 0, 0)


def uiw(m: int, n: int) -> int:
    """Count the unrestricted interesting worlds: covers with the edge of the association.

    An interesting cover contains the *edge* between the two distinguished nodes; a path
    between them proves nothing, because its end points need not share a tuple.

    Parameters
    ----------
    m, n
        Tuples on the identifier and on the property side, at least 1.

    Returns
    -------
    int
        ``upw(m, n) - covers_avoiding(m, n, 1, 1)``, always more than half of ``upw(m, n)``:
        adding the edge to a cover without it is an injection into the covers with it, and
        misses those in which one of its end points has no other edge.

    Raises
    ------
    PolicyError
        If a count is below 1.

    Examples
    --------
    >>> uiw(2, 2), uiw(3, 3)
    (5, 161)
    """
    _require_nodes("uiw", m, n)
    return upw(m, n) - covers_avoiding(m, n, 1, 1)


def riw(m: int, n: int) -> int:
    """Count the restricted interesting worlds, property values all different.

    The identifier's node has the edge of the association and no other one; the rest of
    the graph covers the property node or leaves it to that edge
    (Wang and Lakshmanan, Lemma 5.4): ``upw(m - 1, n) + upw(m - 1, n - 1)``.

    Parameters
    ----------
    m, n
        Tuples on the identifier and on the property side, at least 1; not symmetric.

    Returns
    -------
    int
        ``0`` for ``m == 1 < n``: one tuple must then carry every property value.

    Raises
    ------
    PolicyError
        If a count is below 1.
    """
    _require_nodes("riw", m, n)
    return upw(m - 1, n) + upw(m - 1, n - 1)


def rpw(m: int, n: int) -> int:
    """Count the restricted possible worlds, property values all different: ``n * riw(m, n)``.

    Parameters
    ----------
    m, n
        Tuples on the identifier and on the property side, at least 1; not symmetric.

    Returns
    -------
    int
        The number of covers in which one given left node has exactly one edge.

    Raises
    ------
    PolicyError
        If a count is below 1.

    Examples
    --------
    >>> rpw(2, 3), rpw(3, 2)
    (6, 16)
    """
    return n * riw(m, n)


def _require_nodes(name: str, m: int, n: int) -> None:
    if m < 1 or n < 1:
        raise PolicyError(f"{name}({m}, {n}): both sides need at least one tuple")
