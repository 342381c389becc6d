"""What a solve may say: bounds that its own verifier derives, and whose word the rest is.

An engine's answer comes with claims. Each is derived again, as anyone could who has the certificate; what
is derived are the result's bounds. A bound beyond them is kept beside them, under the name of whose word it
is: a solver's, or the engine's where its proof was not derived again in time, or Ctrl-C ended that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

from ..models.errors import CertificateError
from ..models.losses.squared import squared_error_of
from ..models.problem import Problem
from .claims import Claim, ListedClaim, Refusal, Trusted, TrustedRefusal
from .incumbent import settled_on
from .level_value import LevelValue
from .settings import Answer, Clock
from .status import Status, Termination
from .verify.bounds import Derived, derived
from .verify.given import Given
from .verify.refusals import refused

__all__ = ["Settled", "settled"]


@dataclass(frozen=True, kw_only=True)
class Settled:
    """The answer as it may be told.

    Attributes
    ----------
    answer : Answer
        With the claims that prove something, and words for what no claim proves.
    levels : tuple of LevelValue
    words : str
        Why it was not proven that there is no release, if an engine says so.
    """

    answer: Answer
    levels: tuple[LevelValue, ...] = ()
    words: str = ""


def settled(problem: Problem, answer: Answer, engine: str, clock: Clock, workers: int = 1) -> Settled:
    """Derive an answer's claims, in the time of the clock.

    Parameters
    ----------
    problem, answer
        The answer's release, if any, has passed the problem's check.
    engine : str
        Who answered.
    clock : Clock
    workers : int
        Threads.
    """
    if answer.release is not None:
        return _bounded(problem, answer, engine, clock, workers)
    if answer.status is Status.INFEASIBLE:
        return _none(problem, answer, engine, clock)
    return Settled(answer=answer)


def _none(problem: Problem, answer: Answer, engine: str, clock: Clock) -> Settled:
    refusal: Refusal = answer.refusal or TrustedRefusal(solver=engine, why="it wrote no proof down")
    try:
        words, trusted = refused(problem, refusal, clock)
    except (CertificateError, KeyboardInterrupt) as error:
        refusal = TrustedRefusal(solver=engine, why=_failed(error)[:2_000])
        words, trusted = refusal.whose, True
    told = replace(answer, refusal=refusal)
    if not trusted:
        return Settled(answer=told)
    return Settled(answer=replace(told, termination=Termination.PROOF_INCOMPLETE), words=words)


def _bounded(problem: Problem, answer: Answer, engine: str, clock: Clock, workers: int) -> Settled:
    assert answer.release is not None
    values = problem.objective(answer.release)
    given = Given(problem=problem, values=values, release=answer.release, clock=clock, workers=workers)
    made: list[tuple[Claim, Derived]] = []
    failed = ""
    for claim in chain.from_iterable(_steps(problem, claim) for claim in answer.claims):
        try:
            made += [(claim, line) for line in derived(given, claim) if line.bound <= values[line.level]]
        except CertificateError as error:
            failed = _failed(error)
        except KeyboardInterrupt as error:  # the release stays, with what was derived
            failed = _failed(error)
            break
    family = {line.level: line.bound for _, line in made if line.family}
    bounds = [Fraction(0)] * len(values)
    used: list[Claim] = []
    words: list[Trusted] = []
    for index, (value, stated) in enumerate(zip(values, answer.bounds, strict=True)):
        here = [(claim, line) for claim, line in made if line.level == index and not line.family]
        claim, line = max(
            ((claim, line) for claim, line in here if not line.trusted),
            key=lambda found: found[1].bound,
            default=(None, None),
        )
        if claim is not None and line is not None and line.bound > 0:
            bounds[index] = line.bound
            used += [] if any(claim is other for other in used) else [claim]
        word = max((line for _, line in here if line.trusted), key=lambda line: line.bound, default=None)
        if word is not None and word.bound > bounds[index]:
            words.append(_word(index, word.bound, word.how))
        elif word is None and stated is not None and bounds[index] < stated <= value:
            words.append(_word(index, stated, f"{engine} ({failed or 'it wrote no proof down'})"))
    told = {word.level: word for word in words}
    levels = tuple(
        LevelValue(
            name=level.name,
            value=value,
            bound=bound,
            trusted_bound=told[index].bound if index in told else None,
            word=told[index].solver if index in told else None,
            family=family.get(index),
        )
        for index, (level, value, bound) in enumerate(zip(problem.policy.levels, values, bounds, strict=True))
    )
    used += [claim for claim, line in made if line.family]
    return Settled(answer=settled_on(answer, values, bounds, (*used, *words)), levels=levels)


def _failed(error: CertificateError | KeyboardInterrupt) -> str:
    return f"its proof was not derived again: {str(error) or 'interrupted'}"


def _steps(problem: Problem, claim: Claim) -> tuple[Claim, ...]:
    """A claim, and before it what its duals prove by themselves: its tree may be too long for the time."""
    if isinstance(claim, ListedClaim) and squared_error_of(problem) is None:
        return claim.without_tree, claim
    return (claim,)


def _word(level: int, bound: Fraction, whose: str) -> Trusted:
    solver, _, why = whose.partition(" (")
    return Trusted(level=level, bound=bound, solver=solver[:200], why=why.removesuffix(")")[:2_000])
