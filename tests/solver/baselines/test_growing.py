"""The quick checks of a table that is being cut: the verdicts of the requirements after every cut."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from optanon.instances.generators import clustered_table, generated_roles, uniform_table
from optanon.models.box import Box
from optanon.models.domain import Ordered
from optanon.models.errors import EngineError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import Difference, KCAnonymity, RecordTracing
from optanon.solver.baselines.growing import Growing
from optanon.solver.baselines.mondrian_series import mondrian_checked, mondrian_static
from optanon.solver.baselines.top_down import Rows, group_of


def series(seed: int, *policies: Policy) -> list[Problem]:
    """A table that grows by a third; numbers, a hierarchy, and an order of categories in turn."""
    random = Random(seed)
    make = random.choice([uniform_table, clustered_table])
    frame = make(30, seed=seed, values=random.choice([2, 3]), categorical=1)
    roles = generated_roles(values=3)
    if seed % 2:
        specs = dict(roles.quasi_identifiers) | {
            "c1": Ordered(name="c1", categories=("west", "north", "east", "south"))
        }
        roles = type(roles)(respondent="id", quasi_identifiers=specs, sensitive=roles.sensitive)
    history = History()
    problems: list[Problem] = []
    for rows, policy in zip((15, 22, 30), policies, strict=True):
        problem = Problem(table=roles.table(frame.head(rows)), policy=policy, history=history)
        problems.append(problem)
        history = History([*history, mondrian_static(problem)])
    return problems


def halves(problem: Problem, part: Rows, random: Random) -> tuple[Rows, Rows] | None:
    """A part cut at some number of some column."""
    codes = problem.table.codes[part, random.randrange(problem.table.codes.shape[1])]
    low = codes <= random.choice(codes.tolist())
    return None if low.all() else (part[low], part[~low])


@pytest.mark.slow
def test_after_every_cut_the_quick_verdict_is_the_one_of_the_requirements() -> None:
    verdicts = Counter(verdict for seed in range(60) for verdict in compared(seed))
    # Safe; only differences; records traced: each is met often enough to tell something.
    assert min(verdicts[safe] for safe in ((), ("difference",), ("record_tracing",))) >= 30


def compared(seed: int) -> list[tuple[str, ...]]:
    """Random cuts, safe or not, judged twice: what each release is vulnerable to."""
    random = Random(seed)
    k, c = random.choice([2, 3]), random.choice([Fraction(1, 2), Fraction(2, 3), Fraction(1)])
    policy = Policy([KCAnonymity(k=2)])
    problem = series(seed, policy, policy, policy)[-1]
    tracing, difference = RecordTracing(k=k), Difference(k=k, c=c)
    everybody = np.arange(len(problem.table), dtype=np.int64)
    found: list[tuple[str, ...]] = []
    for old in problem.history:
        watched = Growing(problem, old, box_of(problem, everybody), tracing, difference)
        parts = [everybody]
        for _ in range(10):
            number = random.randrange(len(parts))
            cut = halves(problem, parts[number], random)
            if cut is None:
                continue
            watched.state = watched.cut(number, [(rows, box_of(problem, rows)) for rows in cut])
            parts = [*parts[:number], cut[0], *parts[number + 1 :], cut[1]]
            release = Release(
                groups=tuple(group_of(problem, rows) for rows in parts),
                attributes=problem.table.attributes,
                sensitive="value",
            )
            before = History([old])
            broken = {v.requirement for check in (tracing, difference) for v in check.check(release, before)}
            assert watched.vulnerable(watched.state) == bool(broken)
            found.append(tuple(sorted(broken)))
    return found


def box_of(problem: Problem, rows: Rows) -> Box:
    box = group_of(problem, rows).box
    assert box is not None
    return box


@pytest.mark.parametrize("seed", range(6))
def test_a_policy_with_a_weaker_tracing_check_is_followed_too(seed: int) -> None:
    asked = KCAnonymity(k=2)
    both = Policy([asked, RecordTracing(k=2)])
    forward = Policy([asked, RecordTracing(k=2, direction="forward")])
    for problem in series(seed, both, forward, forward)[1:]:
        try:
            release = mondrian_checked(problem)
        except EngineError:
            continue  # vulnerable as one group already
        assert list(problem.check(release)) == []
