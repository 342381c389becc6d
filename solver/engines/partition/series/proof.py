"""The proofs of both bounds: what is written down, and how it is confirmed with integers alone.

Counterfeits: a tree with integer duals over the integer program of counts, which is built anew from
the problem (`counts`, `program`). Information loss within a number of counterfeits: integer duals of
tuples, counterfeits and cuts; all needed groups above a floor are listed again, by another search than
the engine's: breadth first, in arrays, without compiled code (`listing`). If the duals alone do not
reach the claimed bound: a tree with integer duals over all groups that a better release may hold.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .....models.errors import CertificateError
from .....models.problem import Problem
from .... import claims
from ..cuts import Cuts
from ..proof import rows_of
from .counts import Fewest, program_of
from .finish import ListedTree, listed_program
from .flat import Flat
from .leaves import MOST_NUMBERS, written
from .listing import columns_above
from .pricing import Duals
from .program import confirm
from .rules import Rules
from .types import Types

__all__ = ["Proven", "counts_claim", "fewest_counterfeits", "least_loss", "series_claim"]

LIMIT = 1 << 61


class Proven(NamedTuple):
    """A bound on releases with at most so many counterfeits: duals, and a tree if they do not reach it."""

    types: Types
    cuts: Cuts
    duals: Duals | None
    fakes: int
    tree: ListedTree | None


def counts_claim(counts: Fewest, flat: Flat | None, level: int) -> claims.Counts:
    """Write down what proves the fewest counterfeits."""
    program = None
    if counts.bound == counts.tree.target:
        program = claims.Program(bound=counts.bound, nodes=written(counts.tree.nodes))
    by_groups = None
    if flat is not None:
        by_groups = _written(Proven(flat.types, flat.pricing.cuts, flat.duals, 0, flat.tree))
    return claims.Counts(level=level, program=program, by_groups=by_groups)


def series_claim(proven: Proven, level: int) -> claims.Series | None:
    """Write down what proves the least loss; None if nothing does."""
    found = _written(proven)
    return None if found is None else claims.Series(level=level, loss=found)


def _written(proven: Proven) -> claims.FakeDuals | None:
    types, cuts, duals, fakes, tree = proven
    if duals is None:
        return None
    first = [behind[0] for behind in types.rows.tuples]
    row_of = {t: r for r, behind in enumerate(types.rows.tuples) for t in behind}
    listed = None
    if tree is not None and sum(len(node.duals) for node in tree.tree.nodes) <= MOST_NUMBERS:
        listed = claims.ListedColumns(
            listed_for=tree.listed_for, target=tree.tree.target, nodes=written(tree.tree.nodes)
        )
    return claims.FakeDuals(
        fakes=fakes,
        scale=duals.scale,
        duals=tuple(int(duals.rows[row_of[t]]) for t in range(len(row_of))),
        fake_dual=duals.fake,
        cut_duals=tuple(duals.cuts.tolist()),
        cuts=tuple(tuple(first[row] for row in rows) for rows in cuts.sets),
        tree=listed,
    )


def fewest_counterfeits(problem: Problem, claim: claims.Counts) -> int:
    """Confirm a claim; no release has fewer counterfeits than this.

    Raises
    ------
    CertificateError
        If some statement does not hold.
    """
    rules = _rules(problem)
    fewest = 0
    if claim.program is not None:
        confirm(program_of(Types.of(problem, rules)), claim.program.bound, claim.program.nodes)
        fewest = claim.program.bound
    if claim.by_groups is not None:
        if claim.by_groups.fakes:
            raise CertificateError("the bound on counterfeits takes some of them as given")
        fewest = max(fewest, _confirmed(Types.flat(problem, rules), claim.by_groups))
    return fewest


def least_loss(problem: Problem, claim: claims.Series) -> Fraction:
    """Confirm a claim; no release with at most its number of counterfeits loses less information.

    Raises
    ------
    CertificateError
        If some statement does not hold.

    Notes
    -----
    Takes seconds for hundreds of tuples.
    """
    types = Types.of(problem, _rules(problem))
    return types.rows.loss(max(0, _confirmed(types, claim.loss)))


def _rules(problem: Problem) -> Rules:
    rules = Rules.of(problem)
    if isinstance(rules, str):
        raise CertificateError(f"the bounds cannot be confirmed: {rules}")
    return rules


def _confirmed(types: Types, stated: claims.FakeDuals) -> int:
    """The bound that duals, and a tree if there is one, prove."""
    row_of = {t: r for r, behind in enumerate(types.rows.tuples) for t in behind}
    cuts = Cuts(types.rows)
    for named in stated.cuts:
        cuts.add([rows_of(row_of, named)])
    duals = _duals(types, cuts, stated)
    paying = columns_above(types, cuts, duals, 0)
    if paying:
        raise CertificateError(
            f"the duals prove nothing: {len(paying)} groups have less cost than their duals, the first of "
            f"{len(paying[0].rows)} tuples"
        )
    bound = duals.bound(types, cuts, stated.fakes)
    if stated.tree is None:
        return bound
    listed_for, target = stated.tree.listed_for, stated.tree.target
    if target > listed_for:
        raise CertificateError("the tree claims more than the groups were listed for")
    slack = (listed_for - 1) * duals.scale - duals.value(types, cuts, stated.fakes)
    columns = sorted(columns_above(types, cuts, duals, -slack - 1))
    confirm(listed_program(types, cuts, stated.fakes, columns), target, stated.tree.nodes)
    return max(bound, target)


def _duals(types: Types, cuts: Cuts, stated: claims.FakeDuals) -> Duals:
    """Read duals back; interchangeable tuples have equal ones."""
    per_tuple, per_cut, scale, fake = stated.duals, stated.cut_duals, stated.scale, stated.fake_dual
    if len(per_tuple) != int(types.rows.count.sum()) or len(per_cut) > len(cuts):
        raise CertificateError("the proof has another number of tuples or cuts")
    if types.counting and fake != -scale:
        raise CertificateError("a counterfeit has another price than the level says")
    if any(len({per_tuple[t] for t in behind}) > 1 for behind in types.rows.tuples):
        raise CertificateError("tuples that are alike have different duals")
    largest = sum(map(abs, per_tuple)) + sum(map(abs, per_cut)) + scale * types.most
    widest = max([2 * types.rules.least, *map(len, types.rules.signatures)])
    times = int(types.rules.times.max(initial=1))
    if largest + abs(fake) * (widest * times + stated.fakes) > LIMIT:
        raise CertificateError("the proof's numbers are too large to be checked in 64 bits")
    return Duals(
        rows=np.array([per_tuple[behind[0]] for behind in types.rows.tuples], dtype=np.int64),
        cuts=np.array(per_cut, dtype=np.int64),
        fake=fake,
        scale=scale,
    )
