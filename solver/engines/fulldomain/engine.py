"""Full-domain engine: the best level vector of the whole lattice, with proof.

The release of a level vector is fixed: tuples with equal cells are one group, and exactly
the groups that break a group-scope requirement are suppressed. It counts if no more tuples
are suppressed than the policy allows and every release- and series-scope requirement
holds. OPTIMAL, bounds and INFEASIBLE are about these releases.
"""

from __future__ import annotations

from ....models.errors import EngineError
from ....models.problem import Problem
from ....models.recoded import recoding_of
from ....models.release import Release
from ...claims import LatticeClaim, LatticeEmpty
from ...ending import concluded
from ...incumbent import BestRelease
from ...settings import Answer, Settings, Watch
from .grid import Grid, Vector
from .lattice import Lattice as Search

__all__ = ["FullDomainEngine"]


class FullDomainEngine:
    """Exact for every requirement and loss; no counterfeits, no constraints of the user's own."""

    name = "full_domain"

    def refuses(self, problem: Problem) -> str | None:
        policy = problem.policy
        if policy.recoding != "full_domain":
            return "the full-domain engine chooses levels for the whole table: ask for recoding 'full_domain'"
        if policy.counterfeit_limit != 0:
            return (
                "the full-domain engine adds no counterfeits: set max_counterfeits=0 and leave "
                "counterfeits out of `minimize`, or ask for recoding 'multidimensional'"
            )
        return None

    def solve(self, problem: Problem, settings: Settings, watch: Watch) -> Answer:
        """Search the lattice; see the module."""
        refusal = self.refuses(problem)
        if refusal is None and settings.extend is not None:
            refusal = "the full-domain engine has no CP-SAT model: leave `extend` out"
        if refusal is not None:
            raise EngineError(refusal)
        grid = Grid(problem)
        lattice = Search(problem, grid, watch)
        clock = settings.clock(watch.clock.began)
        done = interrupted = False
        try:
            done = lattice.run(clock, _start(problem, settings.initial) or _start(problem, settings.known))
        except KeyboardInterrupt:
            if lattice.bounds() is None:  # nothing was begun, so nothing is denied
                raise
            interrupted = True
        return concluded(lambda: _answer(problem, watch, lattice, done=done, interrupted=interrupted))


def _answer(problem: Problem, watch: Watch, lattice: Search, *, done: bool, interrupted: bool) -> Answer:
    """What a search that is over has found, as a release."""
    grid = lattice.grid
    effort = {"lattice": grid.nodes, "visited": lattice.visited, "open": lattice.left}
    incumbent, bounds, best = BestRelease(problem, watch), lattice.bounds(), lattice.best
    if bounds is None:
        return incumbent.refused(LatticeEmpty(), effort=effort)
    if best is not None:
        found = grid.release(best.levels, best.classes, best.gone)
        broken = next(problem.check(found), None)
        if broken is not None:  # a wrong admits_counts or measure, never the user's doing
            raise EngineError(
                f"the full-domain engine's release fails {broken.requirement}: {broken.message}"
            )
        incumbent.offer(found, checked=True)
    incumbent.raise_bounds(bounds)
    claims = tuple(LatticeClaim(level=index) for index in range(len(bounds)))
    return incumbent.answer(claims, interrupted=interrupted, late=not done, effort=effort)


def _start(problem: Problem, initial: Release | None) -> Vector | None:
    """Levels of a release to start from, if it is a full-domain one of this table."""
    if initial is None or next(problem.check(initial), None) is not None:
        return None
    found = recoding_of(initial, problem.ladders)
    return None if found is None else found.levels
