"""Random problems with a past."""

from __future__ import annotations

from random import Random

import oracle.brute_force as bf
from oracle.series import people, table, theirs

from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import HcSafety, KCAnonymity, WeakMInvariance
from optanon.solver.search import partition_engine
from optanon.solver.settings import Settings, Watch

LEVELS = ["counterfeits", "information_loss"]
KINDS: list[tuple[list[Requirement], list[bf.Check]]] = [
    ([WeakMInvariance(m=2)], [bf.weak_m_invariance(2)]),
    ([WeakMInvariance(m=3)], [bf.weak_m_invariance(3)]),
    ([WeakMInvariance(m=2), HcSafety(n=2)], [bf.weak_m_invariance(2), bf.hc_safety(2, "hcsafe")]),
    ([WeakMInvariance(m=3), HcSafety(n=2)], [bf.weak_m_invariance(3), bf.hc_safety(2, "hcsafe")]),
    ([WeakMInvariance(m=3), HcSafety(n=3)], [bf.weak_m_invariance(3), bf.hc_safety(3, "hcsafe")]),
    (
        [WeakMInvariance(m=3), HcSafety(n=2, reading="definition")],
        [bf.weak_m_invariance(3), bf.hc_safety(2)],
    ),
    (
        [WeakMInvariance(m=2, multiplicity=1), HcSafety(n=2, reading="definition")],
        [bf.weak_m_invariance(2, strict=True), bf.hc_safety(2)],
    ),
    ([WeakMInvariance(m=2), KCAnonymity(k=2)], [bf.weak_m_invariance(2), bf.k_c(2)]),
]


def series(seed: int, tuples: int, releases: int = 2) -> tuple[Problem, list[bf.Person], list[bf.Release]]:
    """A problem with a past: each release drops some people and gets others."""
    requirements, _ = KINDS[seed % len(KINDS)]
    random = Random(seed)
    values = "abc" if random.random() < 0.5 else "abcd"
    history, past = History(), list[bf.Release]()
    present, made = people(random, tuples, values), tuples
    problem = Problem(table=table(present), policy=Policy(requirements, LEVELS), history=history)
    for _ in range(releases - 1):
        release = partition_engine().solve(problem, Settings(time_limit=5), Watch()).release
        if release is None:
            break
        history.append(release)
        past.append(theirs(release, present))
        gone = random.randint(1, 3)
        present = random.sample(present, len(present) - gone) + people(random, gone, values, first=made)
        made += gone
        problem = Problem(table=table(present), policy=Policy(requirements, LEVELS), history=history)
    return problem, present, past
