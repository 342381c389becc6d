"""What nobody avoids: a lower bound of every policy, by hindsight over drawn futures.

**Theorem.** H is a history, T_1 ... T_k are tables to come, and N(T, H) is the optimum of the program over
counts of `minimum_counterfeits` for the table T after H alone. Whoever publishes everybody of T_1, ..., T_k
after H as the requirements demand invents at least ``N(T_1, H) + ... + N(T_k, H)`` respondents, knowing the
future or not.

*Proof.* Take the release of T_t, made after H and some R_1, ..., R_{t-1}. Whoever is in H has its signature
for ever, so has it there, and sits in a bucket of the program for T_t after H. All others are new to that
program, which asks nothing of them: those in groups with the signature of a bucket join it, the others are
in groups that publish each of their values equally often. Meetings with groups of H are forbidden after more
releases, too. So the counts of that release are a solution of the program, and it has N(T_t, H) counterfeits
at least. Sum over t.

**Information relaxation.** If tables to come are random, each policy's counterfeits are at least that sum for
each future, so their expectation is at least its mean: over all policies, those that cannot see the future
among them. What is told is the mean over some drawn futures. Each sum is exact (an integer program, bounded
with integer duals); their mean estimates the expectation, as any sample does.

The sum lets go that releases to come bind one another, so it is weak where H is empty: only somebody whose
value is that of more than 1/m of a table needs counterfeits then. With the release that is to be published
in H, it bounds all ways to go on from there: how much of what is expected that release has made certain.

**Why not prices of arrivals.** Buckets share nothing but arrivals: all who come with a value v to release t
join some bucket. With a price for each v and t instead of these equations, buckets fall apart into small
programs, whose sum bounds every policy that cannot see the future (weakly coupled dynamic programs; Hawkins,
Adelman and Mersereau). By counts alone that bound is 0 wherever as many come with each value as are expected
to leave, and nobody is invented at first. *Proof.* Let every bucket keep its groups and take, from a supply
without end, just those who fill its vacancies. Those who join with v are then expected to be as many as leave
with v, and so as come: whatever the prices are, what this costs with them is what it costs, 0 counterfeits.
The buckets' programs cost no more. Prices hold the equations on average only; what is told here holds them in
each future.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .....instances.futures import Futures
from .....models.history import History
from .....models.outlook.forecast import turnover
from .....models.policy import Policy
from .....models.problem import Problem
from .....models.release import Release
from .....models.table import Microdata
from ....colgen.structure.signatures import Rules
from ....colgen.structure.types import Types
from ....settings import Clock, Hindsight
from ..signature.minimum_counterfeits import fewest
from .limits import AHEAD as LIMITS

__all__ = ["hindsight", "unavoidable"]


def unavoidable(
    policy: Policy, tables: Sequence[Microdata], history: History, clock: Clock | None = None
) -> int | None:
    """Counterfeits that these tables need together after a history, whoever publishes them.

    None where the policy does not ask for equal counts or lets people be left out, or time is over.
    """
    found = 0
    for table in tables:
        if policy.suppression_limit(len(table)):
            return None
        if clock is not None and clock.over:
            return None
        problem = Problem(table=table, policy=policy, history=history)
        rules = Rules.of(problem)
        if isinstance(rules, str):
            return None
        found += fewest(Types.of(problem, rules), clock).bound
    return found


def hindsight(problem: Problem, release: Release, clock: Clock) -> Hindsight | None:
    """Draw futures by the policy's outlook, as many as there is time for; None if there is none for one.

    They begin with the problem's table; the same share of all stays and comes, and nobody returns.
    """
    outlook = problem.policy.outlook
    assert outlook is not None
    leave, come = turnover(problem.table, problem.history, outlook)
    if come < leave and (leave - come) * outlook.releases >= 1 - leave:
        return None  # hardly anybody will be left
    futures = Futures(
        releases=outlook.releases + 1,
        leave=leave,
        come=min(Fraction(1), come),
        seeds=tuple(outlook.seed + 1 + i for i in range(LIMITS.futures)),
    )
    policy = problem.policy.by_itself()
    after = problem.history.followed_by(release)
    found = list[tuple[int, int]]()
    for seed in futures.seeds:
        now, *later = futures.tables(problem.table, seed, problem.history.records)
        anybody = unavoidable(policy, (now, *later), problem.history, clock)
        from_here = unavoidable(policy, later, after, clock)
        if anybody is None or from_here is None:
            break
        found.append((anybody, from_here))
    if not found:
        return None
    anybody, from_here = (Fraction(sum(each), len(found)) for each in zip(*found, strict=True))
    return Hindsight(futures=len(found), anybody=anybody, from_here=from_here)
