"""Values divided among signatures: who is seated, what it costs, and what buckets keep."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from optanon.instances.generators import generated_roles, series, uniform_table
from optanon.models.history import History
from optanon.models.outlook.asked import Outlook
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import HcSafety, WeakMInvariance
from optanon.solver.baselines.registry import baselines
from optanon.solver.colgen.primal.dividing import Charging, divided
from optanon.solver.colgen.structure.signatures import Rules
from optanon.solver.colgen.structure.types import Types
from optanon.solver.engines.partition.ahead.counted import CountedFamilies
from optanon.solver.engines.partition.ahead.dealing import dealt_family
from optanon.solver.engines.partition.ahead.divisions import divisions
from optanon.solver.engines.partition.ahead.family import Family, FlatPrices
from optanon.solver.engines.partition.ahead.limits import AHEAD as LIMITS
from optanon.solver.engines.partition.ahead.needs import needs
from optanon.solver.engines.partition.ahead.people import Crowd
from optanon.solver.engines.partition.ahead.seated import seated
from optanon.solver.engines.partition.signature.construct import assembled
from optanon.solver.engines.partition.signature.minimum_counterfeits import fewest
from optanon.solver.settings import Clock

LEVELS = ["counterfeits", "information_loss"]
HEAT, MISSING = np.array([2.0, 0.05]), np.array([0.5, 16.0])


def flat(values: int, groups: int) -> np.ndarray:
    """One for each signature in use."""
    price = np.ones((values + 1, groups + 1))
    price[0] = 0
    return price


def crowd_of(seed: int, releases: int) -> tuple[Problem, Crowd]:
    """The last of some tables, after releases of m-invariance."""
    population, roles = uniform_table(160, seed=seed, values=12), generated_roles(values=12)
    frames = series(population, first=60, releases=releases, insertions=20, deletions=20, seed=seed)
    history, requirements = History(), [WeakMInvariance(m=3), HcSafety(n=2)]
    for frame in frames[:-1]:
        before = Problem(
            table=roles.table(frame), policy=Policy([WeakMInvariance(m=3)], LEVELS), history=history
        )
        history.append(baselines()["m_invariance"].run(before, 0))
    policy = Policy(requirements, LEVELS, outlook=Outlook(draws=20))
    problem = Problem(table=roles.table(frames[-1]), policy=policy, history=history)
    rules = Rules.of(problem)
    assert isinstance(rules, Rules)
    return problem, Crowd.of(Types.of(problem, rules))


@pytest.mark.parametrize("seed", range(8))
def test_slots_hold_everybody_and_enough_values(seed: int):
    random = Random(seed)
    least = random.choice([2, 3])
    # The sum of some signatures, so that there is a way.
    count = Counter[int]()
    for _ in range(random.randint(1, 5)):
        groups = random.randint(1, 6)
        for v in random.sample(range(8), random.randint(least, least + 2)):
            count[v] += groups
    people = np.array(list(count.values()), dtype=np.int64)
    price = flat(len(people), int(people.max()))
    found = divided(
        people, Charging(price, np.zeros_like(price), 0.0, least), 6, 4, 100_000, HEAT, MISSING, seed
    )
    assert found[0, 0] >= 0
    assert [sum(s // 6 for s in slots if s >= 0) for slots in found.tolist()] == people.tolist()
    often = Counter(s for slots in found.tolist() for s in slots if s >= 0)
    assert min(often.values()) >= least
    for slots in found.tolist():
        assert max(Counter(s for s in slots if s >= 0).values()) == 1


def test_fewer_signatures_are_found_where_each_costs():
    people = np.array([6, 6, 6, 4, 4, 4, 2, 2, 2], dtype=np.int64)
    price = flat(9, 6)
    found = divided(people, Charging(price, np.zeros_like(price), 0.0, 3), 6, 4, 100_000, HEAT, MISSING, 1)
    assert len({s for slots in found.tolist() for s in slots if s >= 0}) == 2  # 4 for six values, 2 for six


def test_nothing_is_found_where_a_value_is_too_frequent():
    people = np.array([5, 1, 1], dtype=np.int64)
    price = flat(3, 5)
    found = divided(people, Charging(price, np.zeros_like(price), 0.0, 3), 6, 4, 10_000, HEAT, MISSING, 1)
    assert (found == -1).all()


def told(family: Family) -> dict[tuple[int, ...], tuple[int, int]]:
    """Groups and bucket of each signature."""
    return {
        s: (groups, b) for s, groups, b in zip(family.signatures, family.groups, family.buckets, strict=True)
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("releases", [1, 2, 3])
def test_families_keep_counterfeits_buckets_and_people(seed: int, releases: int):
    problem, crowd = crowd_of(seed, releases)
    prices, clock = problem.prices, Clock()
    assert prices is not None
    program = CountedFamilies(crowd, needs(crowd, 0, clock), 40, prices)
    family = program.fewest(clock)
    assert family is not None
    others = list(divisions(crowd, family, prices, problem.allowed, 0, clock))
    assert others or releases > 1  # what few begin need not be divided otherwise
    for other in others:
        seats = sum(len(s) * groups for s, groups in zip(other.signatures, other.groups, strict=True))
        assert other.fakes == family.fakes == seats - len(crowd.value)
        joined = Counter[int]()
        for s, here, groups, b in zip(
            other.signatures, other.joined, other.groups, other.buckets, strict=True
        ):
            assert len(s) >= 3
            joined.update(here)
            assert all(n + (crowd.back[b][v] if b >= 0 else 0) <= groups for v, n in here.items())
            assert b < 0 or crowd.types.rules.signatures[b] == s
        assert joined == Counter({v: int(n) for v, n in enumerate(crowd.new) if n})
        before, after = told(family), told(other)
        assert all(after[s][0] >= groups for s, (groups, b) in before.items() if b >= 0)
        assert other.price == sum(
            (prices.of(len(s), groups) for s, (groups, _) in after.items()), Fraction(0)
        )


@pytest.mark.parametrize("seed", range(3))
def test_they_cost_no_more_than_a_program_finds(seed: int):
    """Of a first release: the cheapest of all divisions beside an integer program's family."""
    problem, crowd = crowd_of(seed, 1)
    prices, clock = problem.prices, Clock()
    assert prices is not None
    family, bound = CountedFamilies(crowd, crowd.types.rules.fewest, 0, prices).cheapest(clock)
    assert family is not None
    alone = Family.of(crowd)
    assert sum(alone.groups) == len(crowd.value)
    least = min(other.price for other in divisions(crowd, alone, prices, Fraction(0), 0, clock))
    assert bound <= least <= family.price * Fraction(11, 10)


def test_they_are_found_where_many_values_are_rare():
    """Forty values of at most a dozen people each, five in a signature: no value fits many signatures."""
    table = generated_roles(values=40).table(uniform_table(240, seed=3, values=40))
    policy = Policy([WeakMInvariance(m=5), HcSafety(n=2)], LEVELS, outlook=Outlook(draws=20))
    problem = Problem(table=table, policy=policy)
    rules = Rules.of(problem)
    assert isinstance(rules, Rules)
    crowd, prices = Crowd.of(Types.of(problem, rules)), problem.prices
    assert prices is not None
    found = list(divisions(crowd, Family.of(crowd), prices, problem.allowed, 0, Clock()))
    assert len(found) > len(LIMITS.worth)
    assert min(family.price for family in found) <= problem.allowed


@pytest.mark.parametrize("releases", [1, 2, 3])
def test_a_dealt_family_seats_everybody(releases: int):
    problem, crowd = crowd_of(5, releases)
    counts, needed = fewest(crowd.types), crowd.types.rules.fewest
    family = dealt_family(crowd, needed, counts, FlatPrices())
    assert family is not None
    joined = Counter[int]()
    for signature, bucket, groups, here in zip(
        family.signatures, family.buckets, family.groups, family.joined, strict=True
    ):
        joined.update(here)
        for v in signature:
            back = int(crowd.back[bucket, v]) if bucket >= 0 else 0
            assert back + here.get(v, 0) <= groups
        if bucket >= 0:
            assert crowd.types.rules.signatures[bucket] == signature
            assert groups >= needed[bucket]
    assert [joined[v] for v in range(len(crowd.new))] == crowd.new.tolist()
    seats = sum(len(s) * n for s, n in zip(family.signatures, family.groups, strict=True))
    assert family.fakes == seats - len(problem.table) == counts.bound
    assert family.price == len(family.signatures)
    columns = seated(crowd, family, 0, 200_000, Clock())
    release = assembled(crowd.types, problem, columns)
    assert release is not None
    assert next(problem.check(release), None) is None
