"""What a solve may say: bounds that its own verifier derives, and whose word the rest is.

An engine's answer comes with claims. Each is derived again, as anyone could who has the certificate; what
is derived are the result's bounds. A bound beyond them is kept beside them, under the name of whose word it
is: a solver's, or the engine's where its proof was not derived again in time, or Ctrl-C ended that.

The release has passed its check, so a derived bound above its value is wrong, or the value is: that is an
error and never an answer. What is derived on a level after the first is about this release, too. A word above
the value says nothing: floats of a solver may be a little too high, and on a later level it may be about
releases that are better on those before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

from ..models.errors import CertificateError
from ..models.losses.squared import squared_error_of
from ..models.problem import Problem
from .claims import Claim, ListedClaim, Refusal, Rest, Trusted, TrustedRefusal, Within
from .incumbent import settled_on
from .level_value import LevelValue
from .price import Price
from .settings import Answer, Clock
from .status import Status, Termination
from .verify.bounds import Derived, derived
from .verify.given import Given
from .verify.outcome import RefutedError, UndecidedError
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

    Raises
    ------
    CertificateError
        If a bound that is derived is above the release's own value, or a release is derived that is said not
        to exist.
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
    except RefutedError:
        raise
    except (CertificateError, KeyboardInterrupt) as error:
        refusal = TrustedRefusal(solver=engine, why=_failed(error, refusal.kind)[:2_000])
        words, trusted = refusal.whose, True
    told = replace(answer, refusal=refusal)
    if not trusted:
        return Settled(answer=told)
    return Settled(answer=replace(told, termination=Termination.PROOF_INCOMPLETE), words=words)


def _bounded(problem: Problem, answer: Answer, engine: str, clock: Clock, workers: int) -> Settled:
    assert answer.release is not None
    values = problem.objective(answer.release)
    given = Given(problem=problem, values=values, release=answer.release, clock=clock, workers=workers)
    made, failed = _derived(given, answer.claims)
    family = {line.level: line.bound for _, line in made if line.family}
    bounds = [Fraction(0)] * len(values)
    used: list[Claim] = []
    told: dict[int, Trusted] = {}
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
        words = [_word(index, line.bound, line.how) for _, line in here if line.trusted]
        if stated is not None:
            words.append(_word(index, stated, f"{engine} ({failed or 'it wrote no proof down'})"))
        word = max((w for w in words if w.bound <= value), key=lambda word: word.bound, default=None)
        if word is not None and word.bound > bounds[index]:
            told[index] = word
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
    if answer.price is not None:
        answer, part = _priced(answer, answer.price, made)
        used += [claim for claim in part if all(claim is not other for other in used)]
    return Settled(answer=settled_on(answer, values, bounds, (*used, *told.values())), levels=levels)


def _priced(
    answer: Answer, price: Price, made: Sequence[tuple[Claim, Derived]]
) -> tuple[Answer, list[Claim]]:
    """An answer with the bound of the rest of the policy as far as it was derived, and the claim of that."""
    rest = [(claim, line.bound) for claim, line in made if isinstance(claim, Within) and not line.trusted]
    claim, bound = max(rest, key=lambda found: found[1], default=(None, None))
    return replace(answer, price=replace(price, bound=bound)), [] if claim is None else [claim]


def _derived(given: Given, claims: Iterable[Claim]) -> tuple[list[tuple[Claim, Derived]], str]:
    """What claims prove, and why one of them proves nothing.

    Raises
    ------
    CertificateError
        If one proves more than the release's own value.
    """
    made, failed = list[tuple[Claim, Derived]](), ""
    for claim in chain.from_iterable(_steps(given.problem, claim) for claim in claims):
        try:
            lines = derived(given, claim)
        except RefutedError:
            raise
        except CertificateError as error:
            failed = _failed(error, claim.kind)
            continue
        except KeyboardInterrupt as error:  # the release stays, with what was derived
            failed = _failed(error, claim.kind)
            break
        for line in lines:
            if not line.trusted and not line.family:  # the release may be of another family
                _refuse_above(given, line.level, line.bound, f"a claim of kind {claim.kind!r} ({line.how})")
        made += [(claim, line) for line in lines if line.bound <= given.values[line.level]]
    return made, failed


def _refuse_above(given: Given, level: int, bound: Fraction, whose: str) -> None:
    value = given.values[level]
    if bound > value:
        name = given.problem.policy.levels[level].name
        raise CertificateError(
            f"{name} of a release that passed every check is {value}, below the bound {bound} by {whose}: "
            "one of check, loss and bound is wrong; please report this"
        )


def _failed(error: CertificateError | KeyboardInterrupt, kind: str) -> str:
    """Why a claim became a word: a refused proof is not one for which there was no time."""
    if isinstance(error, CertificateError) and not isinstance(error, UndecidedError):
        return f"its proof of kind {kind!r} was refused: {error}"
    return f"its proof was not derived again: {str(error) or 'interrupted'}"


def _steps(problem: Problem, claim: Claim) -> tuple[Claim, ...]:
    """A claim, and before it what its duals prove by themselves: its tree may be too long for the time.

    Claims about a part are derived one by one: a tree may be about the part's release, which is another.
    """
    if isinstance(claim, Rest):
        return tuple(claim.model_copy(update={"claim": own}) for own in _steps(problem, claim.claim))
    if isinstance(claim, Within):
        alone = chain.from_iterable(_steps(problem, own) for own in claim.claims)
        return tuple(claim.model_copy(update={"claims": (own,)}) for own in alone)
    if isinstance(claim, ListedClaim) and squared_error_of(problem) is None:
        return claim.without_tree, claim
    return (claim,)


def _word(level: int, bound: Fraction, whose: str) -> Trusted:
    solver, _, why = whose.partition(" (")
    return Trusted(level=level, bound=bound, solver=solver[:200], why=why.removesuffix(")")[:2_000])
