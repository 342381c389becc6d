"""Engines one after the other, each from the best release so far: small tables of which no engine knows most.

On two dozen tuples the direct model proves what it takes in, and lists of groups, guided by parts of it,
know more of what it finds hard: the claims of both count.
"""

from __future__ import annotations

from dataclasses import replace

from ..models.errors import TooLargeError
from ..models.problem import Problem
from .claims import Claim
from .engine import Engine
from .incumbent import BestRelease, refuse_denied
from .schedule import WHOLE
from .settings import Answer, Settings, Watch
from .status import Status, Termination

__all__ = ["InTurn"]


class InTurn:
    """Each engine but the last has a share of the time; what is too large for one is left to the others.

    Parameters
    ----------
    engines : Engine
        In their order.
    """

    def __init__(self, *engines: Engine) -> None:
        self.engines = engines
        self.name = ", then ".join(engine.name for engine in engines)

    def refuses(self, problem: Problem) -> str | None:
        """None if any of them takes it."""
        found = [engine.refuses(problem) for engine in self.engines]
        return None if None in found else "; ".join(why for why in found if why is not None)

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Ask one after the other, until one has the last word.

        Raises
        ------
        TooLargeError
            If the problem is too large for all of them.
        CertificateError
            If one proves something that the release of another disproves.
        """
        best, claims, answer = BestRelease(problem, watch), list[Claim](), None
        clock, late, too_large = settings.clock(watch.clock.began), False, list[TooLargeError]()
        takers = [engine for engine in self.engines if engine.refuses(problem) is None]
        for engine in takers:
            own = replace(settings, initial=best.best or settings.initial)
            allowed = None if engine is takers[-1] else clock.allowed(WHOLE.turn)
            if allowed is not None:
                own = replace(own, time_limit=clock.seconds + allowed)
            try:
                answer = engine.solve(problem, own, watch)
            except TooLargeError as error:
                too_large.append(error)
                continue
            except KeyboardInterrupt:  # before the engine listens to it
                if best.best is None:
                    raise
                return best.answer(claims, interrupted=True)
            if answer.status in (Status.OPTIMAL, Status.INFEASIBLE):
                refuse_denied(best, answer)
                return replace(answer, claims=(*claims, *answer.claims))
            best.offer(answer.release, checked=True)
            best.raise_bounds(answer.bounds)
            claims += answer.claims
            late = answer.termination is Termination.TIME_LIMIT
            if answer.interrupted or (settings.first and best.best is not None):
                break
        if answer is None:
            raise too_large[0]
        if best.best is None:
            return answer
        interrupted = answer.interrupted
        return best.answer(claims, interrupted=interrupted, late=late, rounds=answer.rounds)
