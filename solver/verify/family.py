"""Information loss within a family: releases that publish no signature more often than a given one.

**Claim.** Let a release that keeps the policy publish everybody, and each signature S at most L_S times: the
numbers of times that its groups with S hold each value add up to at most L_S. Let u be duals of tuples,
z_S <= 0 duals of a seat of S and w <= 0 duals of cuts, such that no group with S and each value c times
costs less than the duals of its members, ``c |S| z_S`` and those of the cuts that count it. Then the release
costs at least the sum of u, of ``|S| L_S z_S`` and of w times the cuts' limits.

*Proof.* Add up over its groups: each tuple is in one, seats of S are ``|S| L_S`` at most, and cuts count
their limits at most. Which groups have to be looked at is said in `past`: instead of a group of new people
with each value c times there are c with each value once, and a bucket's groups have each value as often as
said there. Where groups are cut, no signature changes, and none is published more often.

What earlier groups forbid is asked of groups with somebody of a bucket; nothing else of the policy is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from ...models.errors import CertificateError
from ...models.problem import Problem
from ...models.release import Release
from .. import claims
from .duals import ClaimedDuals, odd_sets
from .kinds import Kinds
from .listing import listed, refuted

__all__ = ["family_loss"]


def family_loss(
    problem: Problem, release: Release, claim: claims.FamilyClaim, over: Callable[[], bool] | None = None
) -> Fraction:
    """The bound that a claim proves of releases that publish no signature more often than this one.

    Raises
    ------
    CertificateError
        If it proves nothing.
    TooLongError
        If time is over.
    """
    kinds, root = Kinds.of(problem), claim.root
    family = sorted(_often(kinds, release).items())
    if len(claim.seat_duals) != len(family):
        raise CertificateError("the proof has another number of signatures than the release")
    seats = [len(signature) * times for signature, times in family]
    duals = ClaimedDuals.of(
        kinds.rows,
        root.duals,
        odd_sets(kinds.rows, claim.cuts),
        root.cut_duals,
        root.scale,
        fake=min(claim.seat_duals, default=0),
        fakes=2 * sum(seats),
        most=kinds.most,
    )
    bucket = {found.signature: b for b, found in enumerate(kinds.past.buckets)}
    for (signature, _), price in zip(family, claim.seat_duals, strict=True):
        own = replace(duals, fake=price)
        questions = [kinds.of_values(own, own.rows, signature, 1, kinds.among(signature))]
        if signature in bucket:
            questions += [question for _, question in kinds.of_bucket(own, own.rows, bucket[signature])]
        for question in questions:
            answer = listed(question, 0, over)
            if answer.paying:
                raise refuted(answer.groups[-1])
    value = replace(duals, fake=0).value(kinds.rows.count)
    value += sum(price * number for price, number in zip(claim.seat_duals, seats, strict=True))
    return Fraction(max(0, -(-value // duals.scale)), kinds.rows.one)


def _often(kinds: Kinds, release: Release) -> Counter[tuple[int, ...]]:
    """How often each signature is published."""
    number = {value: v for v, value in enumerate(kinds.past.values)}
    found = Counter[tuple[int, ...]]()
    for group in release.groups:
        times = set(group.histogram.values())
        if len(times) != 1 or not group.signature <= number.keys():
            raise CertificateError("a group of the release does not hold each of its values equally often")
        found[tuple(sorted(number[value] for value in group.signature))] += times.pop()
    return found
