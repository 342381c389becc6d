"""What a history demands of groups that hold each of their values equally often, read a second time.

Somebody published before has a *signature*, the set of values of all groups he or she was in, and may only be
in groups with just these values. Present people with one signature make a *bucket*. A group of a bucket holds
each value c times: people of the bucket, new ones, and counterfeits where both are too few. All other groups
are *new*: nobody in them was published before.

Which of them a release needs, when it has the fewest counterfeits, or the least loss among releases with at
most so many:

* New groups with each value once. One with each value c times is c groups (each gets one tuple of each value;
  those with counterfeits only are dropped). Signatures stay, boxes shrink, and new people meet nobody. With m
  the least number of values: 2 m values or more are two groups, so m to 2 m - 1 will do; and of fewer than m
  people nothing matters but that m - people counterfeits are needed.
* A bucket's groups with each value once, by the same argument, if no meeting with an earlier group is
  forbidden.
* Otherwise a requirement forbids a meeting by its numbers alone, and never from some size on. Let c be the
  least number such that groups with c times each value, and with more, meet all earlier groups freely. One
  with 2 c times or more is one with c and one with the rest: 1 to 2 c - 1 times will do.

Should that be more than `MOST_TIMES`, the bucket is *loose*: all its meetings are allowed, which only adds
releases, and then once will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...models.errors import CertificateError
from ...models.problem import Problem
from ...models.release import QIGroup
from ...models.structure import DependsOn, Overlap, OverlapRule, SignatureRule
from .histograms import stood_for

__all__ = ["PastDemands", "SignatureBucket"]

MOST_TIMES = 7

Allowed = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class SignatureBucket:
    """Present people with one signature.

    Attributes
    ----------
    signature : tuple of int
        Numbers of its values, rising.
    tuples : tuple of int
        Its people, by their row of the microdata.
    times : int
        Most often a needed group has each value.
    loose : bool
    meetings : mapping of int to tuple of Allowed
        Per earlier group that forbids something, and for 1, 2, ... times each value (all is allowed from the
        end on): whether a group of so many members may have so many people of the earlier one.
    """

    signature: tuple[int, ...]
    tuples: tuple[int, ...]
    times: int
    loose: bool
    meetings: Mapping[int, tuple[Allowed, ...]]

    def tables(self, times: int) -> dict[int, Allowed]:
        """What is allowed to groups with each value so often, per earlier group that forbids any of them."""
        if self.loose:
            return {}
        return {g: found[times - 1] for g, found in self.meetings.items() if times <= len(found)}


@dataclass(frozen=True, kw_only=True)
class PastDemands:
    """The demands.

    Attributes
    ----------
    least : int
        Fewest values of a group.
    values : tuple of str
        Sensitive values that may be published: the table's, then others, each in sorted order.
    buckets : tuple of Bucket
        In the order of their signatures.
    home : tuple of int
        Bucket of each tuple, -1 for new ones.
    met : tuple of tuple of int
        The earlier groups that forbid something and that each tuple was in.
    """

    least: int
    values: tuple[str, ...]
    buckets: tuple[SignatureBucket, ...]
    home: tuple[int, ...]
    met: tuple[tuple[int, ...], ...]

    @property
    def kinds(self) -> list[int]:
        """A number per tuple; equal for tuples with the same past."""
        pasts = list(zip(self.home, self.met, strict=True))
        number = {past: n for n, past in enumerate(dict.fromkeys(pasts))}
        return [number[past] for past in pasts]

    @classmethod
    def of(cls, problem: Problem) -> PastDemands:
        """Read a problem.

        Raises
        ------
        CertificateError
            If requirements are of another form.
        """
        rule, meeting = _forms(problem)
        records, people = problem.history.records, problem.table.members
        values = tuple(sorted(problem.table.histogram))
        values += tuple(v for v in problem.values if v not in problem.table.histogram)
        number = {value: n for n, value in enumerate(values)}
        signatures: list[tuple[int, ...] | None] = []
        for person in people:
            record = records.get(person.respondent)
            if record is None:
                signatures.append(None)
            elif record.signature is None or len(record.signature) < rule.min_values:
                raise _other("somebody was published under signatures that no group can keep")
            else:
                signatures.append(tuple(sorted(number[v] for v in record.signature)))
        named = sorted({signature for signature in signatures if signature is not None})
        place = {signature: b for b, signature in enumerate(named)}
        home = tuple(-1 if s is None else place[s] for s in signatures)
        found, met = _meetings(problem, meeting, rule, [len(signature) for signature in named], home)
        buckets: list[SignatureBucket] = []
        inside: list[list[int]] = [[] for _ in named]
        for t, b in enumerate(home):
            if b >= 0:
                inside[b].append(t)
        for b, signature in enumerate(named):
            longest = max(map(len, found[b].values()), default=1)
            times = 1 if rule.multiplicity == 1 else 2 * longest - 1
            buckets.append(
                SignatureBucket(
                    signature=signature,
                    tuples=tuple(inside[b]),
                    times=1 if times > MOST_TIMES else times,
                    loose=times > MOST_TIMES,
                    meetings=found[b],
                )
            )
        _admitted(problem, rule, values, buckets)
        return cls(
            least=rule.min_values,
            values=values,
            buckets=tuple(buckets),
            home=home,
            met=tuple(map(tuple, met)),
        )


def _meetings(
    problem: Problem,
    meeting: list[OverlapRule],
    rule: SignatureRule,
    widths: list[int],
    home: tuple[int, ...],
) -> tuple[list[dict[int, tuple[Allowed, ...]]], list[list[int]]]:
    """Per bucket what overlaps with which earlier groups are allowed; per tuple the groups that matter."""
    records, people = problem.history.records, problem.table.members
    present: dict[tuple[int, int], list[int]] = {}
    for t, person in enumerate(people):
        for group in records[person.respondent].groups if home[t] >= 0 else ():
            present.setdefault(group, []).append(t)
    found: list[dict[int, tuple[Allowed, ...]]] = [{} for _ in widths]
    met: list[list[int]] = [[] for _ in people]
    known: dict[tuple[int, int, int, int, int], tuple[Allowed, ...]] = {}
    for group, here in sorted(present.items()):
        old, b = problem.history.group(*group), home[here[0]]
        asked = (*_facts(old), widths[b], len(here))
        if asked not in known:
            known[asked] = _tables(meeting, *asked, once=rule.multiplicity == 1)
        tables = known[asked]
        if all(table.all() for table in tables):
            continue
        earlier = sum(map(len, found))
        found[b][earlier] = tables
        for t in here:
            met[t].append(earlier)
    return found, met


def _other(why: str) -> CertificateError:
    return CertificateError(f"the bounds cannot be confirmed: {why}")


def _forms(problem: Problem) -> tuple[SignatureRule, list[OverlapRule]]:
    """What all requirements of equal counts say together, and the requirements on meetings."""
    rules, meetings = list[SignatureRule](), list[OverlapRule]()
    if joint := problem.policy.joint_requirements:
        raise _other(f"{joint[0].name} looks at whole releases")
    for r in problem.policy.group_requirements:
        structure = r.structure(problem)
        if structure.signature is not None:
            rules.append(structure.signature)
        elif structure.overlap is not None:
            meetings.append(structure.overlap)
        elif structure.depends_on is DependsOn.MEMBERS:
            raise _other(f"{r.name} asks who was where before")
    if not rules or any(rule.multiplicity not in (None, 1) for rule in rules):
        raise _other("no requirement asks for equal counts, or one asks for a number of times above 1")
    once = any(rule.multiplicity == 1 for rule in rules)
    return SignatureRule(
        min_values=max(rule.min_values for rule in rules), multiplicity=1 if once else None
    ), meetings


def _facts(old: QIGroup) -> tuple[int, int, int]:
    """Size and members of an earlier group, and how often it has each value (0 if not all equally often)."""
    times = set(old.histogram.values())
    return old.size, len(old.members), times.pop() if len(times) == 1 else 0


def _tables(
    meetings: Sequence[OverlapRule],
    old_size: int,
    old_members: int,
    old_times: int,
    values: int,
    present: int,
    *,
    once: bool,
) -> tuple[Allowed, ...]:
    """What is allowed with each value 1, 2, ... times, up to the first number from which all is.

    Where that makes the bucket loose, only so many that it is, of which the last allows nothing.
    """
    free = max((r.unrestricted_from(present, old_size) for r in meetings), default=1)
    most = 1 if once else max(1, -(-free // values))
    longest = (MOST_TIMES + 1) // 2

    def forbidden(times: int) -> Iterator[tuple[int, int]]:
        for members in range(times * values, 0, -1):
            for shared in range(min(members, present), 0, -1):
                overlap = Overlap(
                    size=times * values,
                    members=members,
                    shared=shared,
                    old_size=old_size,
                    old_members=old_members,
                    alike=old_times == times,
                )
                if not all(r.permits(overlap) for r in meetings):
                    yield members, shared

    loose = any(any(forbidden(times)) for times in range(most - 1, longest - 1, -1))
    if not (once or loose) and any(forbidden(most)):
        raise _other("a requirement forbids meetings from the size on from which it says it does not")
    made: list[Allowed] = []
    for times in range(1, min(most, longest) + 1):
        made.append(np.ones((times * values + 1, times * values + 1), dtype=np.bool_))
        for place in forbidden(times):
            made[-1][place] = False
    if loose:
        return (*made, np.zeros_like(made[-1]))
    while len(made) > 1 and made[-2].all():
        made.pop()
    return tuple(made)


def _admitted(
    problem: Problem, rule: SignatureRule, values: Sequence[str], buckets: Sequence[SignatureBucket]
) -> None:
    """Make sure that all other requirements admit every group that others are cut into."""
    if len(values) < rule.min_values:
        raise _other(f"fewer than {rule.min_values} values can be published")
    made = [
        (values[:wide], 1) for wide in range(rule.min_values, min(len(values), 2 * rule.min_values - 1) + 1)
    ]
    made += [
        ([values[v] for v in bucket.signature], times)
        for bucket in buckets
        for times in range(1, bucket.times + 1)
    ]
    for r in problem.policy.group_requirements:
        structure = r.structure(problem)
        if structure.signature or structure.overlap:
            continue
        if not structure.exchangeable:
            raise _other(f"{r.name} tells values apart")
        for published, times in {(tuple(names), times) for names, times in made}:
            group = stood_for(published, [times] * len(published))
            if not r.admits(group, problem.context):
                raise _other(f"{r.name} forbids groups of {group.size} tuples")
