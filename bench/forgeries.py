"""Certificates of all kinds of runs, and what somebody might change in them.

Every leaf is replaced by others that its schema would take and by some that it would not, every entry is left
out, and proofs are changed byte by byte. A forgery must be refused, or claim nothing else than the original:
duals may be lower where a bound has slack, a proof may prove more than is asked of it.
"""

from __future__ import annotations

import base64
import binascii
import copy
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..instances import catalog
from ..instances.generators import clustered_table, generated_roles, series
from ..instances.problem_file import load_problem
from ..models.errors import CertificateError
from ..models.history import History
from ..models.policy import Policy
from ..models.problem import Problem
from ..models.requirements import Difference, HcSafety, KCAnonymity, ResistsInference, WeakMInvariance
from ..models.table import Microdata
from ..solver.certificate import Certificate
from ..solver.result import Result
from ..solver.search import solve_problem
from ..solver.verify.checking import verify
from ..solver.verify.outcome import Outcome
from .mutations import leaves, replaced

__all__ = ["RUNS", "Forgery", "Run", "forgeries"]

RATIO = re.compile(r"-?[0-9]+(/[0-9]+)?")
PROOF = 40
"""From so many characters on a text may be a proof."""
BYTES = 24
"""Places of a proof that are changed."""
SAID = ("problem", "status", "release", "values", "bounds")
"""What a certificate claims; the rest is how it is shown."""


@dataclass(frozen=True, kw_only=True)
class Forgery:
    """A changed certificate: where, how, and its content."""

    path: tuple[Any, ...]
    how: str
    content: Any


@dataclass(frozen=True)
class Run:
    """A solved problem with its certificate as plain values."""

    problem: Problem
    result: Result

    @cached_property
    def content(self) -> dict[str, Any]:
        """The certificate's."""
        assert self.result.certificate is not None
        return self.result.certificate.content

    @cached_property
    def outcome(self) -> Outcome:
        """Of the certificate as it is."""
        return self.verified(self.content)

    def verified(self, content: Any) -> Outcome:
        """Of a certificate with this content.

        Raises
        ------
        CertificateError
            If it is refused.
        """
        return verify(Certificate.of(content), self.problem, self.result.release, seconds=20)

    def judged(self, forgery: Forgery) -> str | None:
        """None if a forgery is refused; else what is wrong with that, empty if it claims nothing else."""
        try:
            outcome = self.verified(forgery.content)
        except CertificateError:
            return None
        for name in SAID:
            if forgery.content.get(name) != self.content[name]:
                return f"another {name} is confirmed"
        if outcome.whole and outcome.bounds != self.outcome.bounds:
            return f"bounds {outcome.bounds} are confirmed"
        if outcome.whole and not self.outcome.whole and self.result.release is None:
            return "what was somebody's word is confirmed"
        return ""


def forgeries(content: Any) -> Iterator[Forgery]:
    """Every change of one place."""
    places = {path[:end] for path, _ in leaves(content) for end in range(1, len(path) + 1)}
    for path in sorted(places, key=str):
        yield Forgery(path=path, how="left out", content=replaced(content, path, _left_out))
        for how, other in _others(_at(content, path)):
            yield Forgery(path=path, how=how, content=replaced(content, path, _set(other)))


def _at(content: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        content = content[key]
    return content


def _left_out(holder: Any, key: Any) -> None:
    del holder[key]


def _set(value: Any) -> Callable[[Any, Any], None]:
    def change(holder: Any, key: Any) -> None:
        holder[key] = copy.deepcopy(value)

    return change


def _others(value: Any) -> Iterator[tuple[str, Any]]:
    """What could stand there instead."""
    if value is not None:
        yield "null", None
    match value:
        case bool():
            yield "negated", not value
        case int():
            found = (value + 1, value - 1, 0, 1, -value, 2 * value + 1, 10**15)
            yield from ((str(other), other) for other in dict.fromkeys(found) if other != value)
        case str() if RATIO.fullmatch(value):
            exact = Fraction(value)
            ratios = (
                exact + 1,
                exact - 1,
                exact / 2,
                2 * exact,
                -exact,
                Fraction(0),
                exact + Fraction(1, 997),
            )
            yield from ((str(other), str(other)) for other in dict.fromkeys(ratios) if other != exact)
        case "OPTIMAL" | "FEASIBLE" | "INFEASIBLE":
            yield from ((s, s) for s in ("OPTIMAL", "FEASIBLE", "INFEASIBLE", "UNKNOWN") if s != value)
        case str():
            yield "a letter", ("0" if value[:1] != "0" else "1") + value[1:]
            yield "empty", ""
            yield from _garbled(value)
        case list():
            yield "empty", []
            yield "twice", [*value, *value]
            yield "turned", value[::-1]
        case None:
            yield from (("0", 0), ("text", "0"))
        case _:
            yield "empty", {}


def _garbled(text: str) -> Iterator[tuple[str, str]]:
    """A proof with one byte changed, and one cut short."""
    if len(text) < PROOF:
        return
    try:
        plain = zlib.decompress(base64.b64decode(text, validate=True))
    except (binascii.Error, zlib.error):
        return
    for at in range(0, len(plain), max(1, len(plain) // BYTES)):
        for step in (1, 2, 254):
            other = plain[:at] + bytes([(plain[at] + step) % 256]) + plain[at + 1 :]
            yield f"byte {at} by {step}", base64.b64encode(zlib.compress(other, 9)).decode("ascii")
    yield "half", base64.b64encode(zlib.compress(plain[: len(plain) // 2], 9)).decode("ascii")


def _table(tuples: int, seed: int, values: int = 6) -> Microdata:
    return generated_roles(values=values).table(clustered_table(tuples, seed=seed, values=values))


def _solved(problem: Problem, **options: Any) -> Run:
    return Run(problem, solve_problem(problem, seed=1, workers=1, display=False, **options))


def _shipped(name: str, file: str, **options: Any) -> Run:
    return _solved(load_problem(catalog.path(name) / file), **options)


def _later(policy: Policy, tuples: int, **options: Any) -> Run:
    """The second release of a series."""
    roles = generated_roles(values=5)
    population = clustered_table(3 * tuples, seed=3, values=5)
    first, second = (
        roles.table(frame)
        for frame in series(
            population, first=tuples, releases=2, insertions=tuples // 3, deletions=tuples // 3
        )
    )
    start = solve_problem(Problem(table=first, policy=policy), seed=1, workers=1, time_limit=2)
    assert start.release is not None
    return _solved(Problem(table=second, policy=policy, history=History([start.release])), **options)


SAFE = (WeakMInvariance(m=3), HcSafety(n=2))

RUNS: Mapping[str, Callable[[], Run]] = {
    "assignment": lambda: _shipped("hospital", "release-2.yaml", engine="assignment"),
    "prices": lambda: _solved(
        Problem(table=_table(30, 1), policy=Policy([KCAnonymity(k=3)])), engine="partition"
    ),
    "series": lambda: _later(Policy(SAFE, ["counterfeits", "information_loss"]), 18, engine="partition"),
    "ahead": lambda: _later(Policy(SAFE, ["counterfeits", "signatures", "information_loss"]), 18),
    "counts": lambda: _later(
        Policy(SAFE, ["counterfeits", "discernibility"], form="anatomized"), 24, engine="partition"
    ),
    "listed": lambda: _later(Policy([KCAnonymity(k=2), Difference(k=2)]), 12, engine="partition"),
    "withstanding": lambda: _later(
        Policy([KCAnonymity(k=2), ResistsInference(min_values=2)]), 36, engine="partition", time_limit=2
    ),
    "full domain": lambda: _solved(
        Problem(table=_table(24, 2), policy=Policy([KCAnonymity(k=2)], recoding="full_domain"))
    ),
    "unproven": lambda: _shipped("sixty-people", "series.yaml", time_limit=0.5),
    "infeasible": lambda: _shipped("infeasible", "frequent-value.yaml"),
    "infeasible by search": lambda: _shipped("infeasible", "signatures.yaml"),
    "drawn": lambda: _solved(Problem(table=_table(6, 1), policy=Policy([KCAnonymity(k=2)])), randomize="1/2"),
}
"""Kinds of runs; certificates of each have other claims."""
