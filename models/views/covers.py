"""Edge covers of complete bipartite graphs, counted in closed form.

A world compatible with two published projections is, inside one join value, a set of
edges between the ``m`` tuples of one view and the ``n`` tuples of the other that leaves
no tuple without an edge (Wang and Lakshmanan, Lemma 5.1). Everything here is an exact
integer, obtained by inclusion-exclusion over the tuples left without an edge.
"""

from __future__ import annotations

from math import comb

from ..errors import PolicyError

__all__ = ["covers_avoiding"]


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
