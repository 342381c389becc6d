"""Series that look ahead: against brute force, against the series that does not, and what is proven."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np
import oracle.brute_force as bf
import pytest
from cases.series import KINDS
from clocks import faked
from oracle.series import people, table

import optanon as oa
from optanon.instances.generators import generated_roles, series, uniform_table
from optanon.models.history import History
from optanon.models.outlook.asked import Outlook
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import HcSafety, WeakMInvariance
from optanon.solver.baselines.registry import baselines
from optanon.solver.colgen.column import Column
from optanon.solver.colgen.primal.relieving import relieved
from optanon.solver.colgen.primal.seating import broken_rules
from optanon.solver.colgen.primal.seats import box_of
from optanon.solver.colgen.structure.signatures import Rules
from optanon.solver.colgen.structure.types import Types
from optanon.solver.engines.partition.ahead import search
from optanon.solver.engines.partition.ahead.counted import CountedFamilies
from optanon.solver.engines.partition.ahead.family import Charges, Family, FlatPrices, families, published
from optanon.solver.engines.partition.ahead.kindred import distances, kindred
from optanon.solver.engines.partition.ahead.mending import mended
from optanon.solver.engines.partition.ahead.needs import needs
from optanon.solver.engines.partition.ahead.people import Crowd
from optanon.solver.engines.partition.ahead.seated import seated
from optanon.solver.engines.partition.ahead.seats import no_columns, part_of, put_back, seats_of
from optanon.solver.engines.partition.plan import Plan
from optanon.solver.engines.partition.signature.construct import assembled
from optanon.solver.search import engines, solve_problem
from optanon.solver.settings import Clock
from optanon.solver.status import Status
from optanon.solver.verify.checking import verify

F = Fraction
LEVELS = ["counterfeits", "information_loss"]
SAFE = [WeakMInvariance(m=3), HcSafety(n=2)]


def signatures(release: bf.ReleaseLike, attributes: object) -> Fraction:
    return Fraction(len({frozenset(bf.published([group])) for group in release[0]}))


def ahead(history: History, here: oa.Microdata, **given: object) -> Problem:
    outlook = Outlook(draws=20, **given)  # pyright: ignore[reportArgumentType]
    return Problem(table=here, policy=Policy(SAFE, LEVELS, outlook=outlook), history=history)


def tables(seed: int, size: int, releases: int, moved: int, values: int = 5) -> list[oa.Microdata]:
    population = uniform_table(size + moved * releases, seed=seed, values=values)
    roles = generated_roles(values=values)
    found = series(population, first=size, releases=releases, insertions=moved, deletions=moved, seed=seed)
    return [roles.table(frame) for frame in found]


@pytest.mark.parametrize("seed", range(6))
def test_first_releases_have_the_fewest_signatures_there_can_be(seed: int):
    """Against every release of a small table."""
    random = Random(seed)
    requirements, checks = KINDS[(0, 1, 3)[seed % 3]]
    members = people(random, 5, "abc" if seed % 2 else "abcd")
    policy = Policy(requirements, ["counterfeits", "signatures", "information_loss"])
    problem = Problem(table=table(members), policy=policy)
    objective = ["counterfeits", signatures]
    least = requirements[0]
    assert isinstance(least, WeakMInvariance)
    best = bf.optimum(
        members,
        [],
        checks,
        objective,
        max_fakes=3,
        fake_values=problem.values,
        admits=lambda group: bf.weakly_unique(group, least.m),
    )
    result = solve_problem(problem, engine="partition", display=False)
    if best is None:
        assert result.status is Status.INFEASIBLE
        return
    assert result.objective[:2] == best
    assert all(level.bound is not None and level.bound <= level.value for level in result.levels)


@pytest.mark.parametrize("seed", range(3))
def test_who_returns_keeps_a_signature_so_there_are_at_least_these(seed: int):
    first, second = tables(seed, 40, 2, 6)
    policy = Policy(SAFE, ["counterfeits", "signatures", "information_loss"])
    earlier = solve_problem(Problem(table=first, policy=policy), time_limit=1.5, seed=seed).release
    assert earlier is not None
    back = set(second.row)
    kept = {group.signature for group in earlier.groups if back & set(group.respondents)}
    problem = Problem(table=second, policy=policy, history=History([earlier]))
    result = solve_problem(problem, time_limit=1.5, seed=seed)
    assert result.release is not None
    assert result.certificate is not None
    assert result.bound[1] == len(kept) > 1
    confirmed = verify(result.certificate, problem, result.release).confirmed
    assert any("signatures of people who return" in line for line in confirmed)


def cheapest_of_all(crowd: Crowd, fakes: int, prices: Charges) -> Fraction:
    """Over all numbers of groups of all signatures that seat everybody: counts, without buckets."""
    new, people = crowd.new.tolist(), len(crowd.value)
    signatures = [
        s for k in range(crowd.types.rules.least, len(new) + 1) for s in combinations(range(len(new)), k)
    ]
    best: list[Fraction] = []

    def go(i: int, seats: int, missing: list[int], price: Fraction) -> None:
        if seats < 0:
            return
        if i == len(signatures):
            if max(missing) <= 0:
                best.append(price)
            return
        size = len(signatures[i])
        for groups in range(seats // size + 1):
            left = [n - groups * (v in signatures[i]) for v, n in enumerate(missing)]
            go(i + 1, seats - size * groups, left, price + prices.of(size, groups))

    go(0, people + fakes, new, Fraction(0))
    return min(best)


@pytest.mark.parametrize("seed", range(4))
def test_no_family_is_cheaper_than_the_bound_over_all_counts(seed: int):
    policy = Policy([WeakMInvariance(m=2 + seed % 2)], LEVELS, outlook=Outlook(releases=2, draws=20))
    problem = Problem(table=table(people(Random(seed), 7, "abcd")), policy=policy)
    crowd, prices = crowd_of(problem), problem.prices
    assert prices is not None
    none = crowd.types.rules.fewest
    few = CountedFamilies(crowd, none, 9, prices).fewest(Clock())
    assert few is not None
    for fakes, charges in ((few.fakes, prices), (few.fakes + 1, FlatPrices()), (few.fakes + 2, prices)):
        family, bound = CountedFamilies(crowd, none, fakes, charges).cheapest(Clock())
        least = cheapest_of_all(crowd, fakes, charges)
        assert family is not None
        assert family.fakes <= fakes
        assert 0 < bound <= least <= family.price
        assert least <= 2 * bound


def played(policy: Policy, given: list[oa.Microdata]) -> list[Release]:
    history = History()
    for here in given:
        problem = Problem(table=here, policy=policy, history=history)
        result = solve_problem(problem, time_limit=2.0, workers=1, display=False)
        assert result.release is not None
        assert next(problem.check(result.release), None) is None
        assert result.certificate is not None
        verify(result.certificate, problem, result.release)
        history.append(result.release)
    return list(history)


def test_a_series_that_looks_ahead_needs_fewer_counterfeits(monkeypatch: pytest.MonkeyPatch):
    faked(monkeypatch, tick=0.003)
    given = tables(1, 60, 3, 8, values=12)
    looking = Policy(SAFE, LEVELS, outlook=Outlook(releases=3, survival=Fraction(13, 15)))
    now, later = played(Policy(SAFE, LEVELS), given), played(looking, given)
    assert now[0].counterfeits == later[0].counterfeits
    assert 4 * sum(r.counterfeits for r in later) < 3 * sum(r.counterfeits for r in now)


def test_the_same_seed_gives_the_same_release():
    first, second = tables(2, 40, 2, 6)
    history = History()
    problem = ahead(history, first)
    results = [solve_problem(problem, seed=3, display=False) for _ in range(2)]
    found = [result.release for result in results]
    assert found[0] == found[1]
    _, foreseen, _ = results[0].levels
    assert foreseen.value == foreseen.bound == problem.allowed
    assert foreseen.trusted_bound is None
    assert found[0] is not None
    fewest = solve_problem(ahead(history, first, allowed=F(0)), seed=3, display=False)
    _, foreseen, _ = fewest.levels
    assert foreseen.trusted_bound is not None
    assert 2 * foreseen.trusted_bound > foreseen.value >= foreseen.trusted_bound
    assert foreseen.value <= problem.allowed
    history.append(found[0])
    again = [solve_problem(ahead(history, second), seed=3, display=False).release for _ in range(2)]
    assert again[0] == again[1]


def test_the_plan_says_what_it_is_not_made_for():
    here = tables(0, 24, 1, 1)[0]
    for levels, words in (
        (["expected_counterfeits", *LEVELS], "between"),
        (["counterfeits", "information_loss", "signatures"], "between"),
        (["counterfeits", {"signatures": 1}, "discernibility"], "discernibility"),
    ):
        plan = Plan.of(Problem(table=here, policy=Policy(SAFE, levels)))
        assert isinstance(plan, str)
        assert words in plan
    hiding = Policy(SAFE, ["counterfeits", "signatures", "information_loss"], max_suppressed=2)
    assert "suppress" in str(Plan.of(Problem(table=here, policy=hiding)))
    small = Problem(table=table(people(Random(0), 6, "abc")), policy=Policy(SAFE, ["signatures"]))
    assert "no sum" in (engines()["subsets"].refuses(small) or "")


def test_the_direct_model_agrees_where_no_other_engine_takes_the_policy():
    members = people(Random(4), 4, "ab")
    policy = Policy([WeakMInvariance(m=2)], ["counterfeits", "signatures"])
    problem = Problem(table=table(members), policy=policy)
    result = solve_problem(problem, display=False)
    best = bf.optimum(
        members,
        [],
        [bf.weak_m_invariance(2)],
        ["counterfeits", signatures],
        max_fakes=2,
        fake_values="ab",
        admits=lambda group: bf.weakly_unique(group, 2),
    )
    assert result.objective == best
    assert result.engine.startswith("assignment")


def crowd_of(problem: Problem) -> Crowd:
    rules = Rules.of(problem)
    assert isinstance(rules, Rules)
    return Crowd.of(Types.of(problem, rules))


def test_families_seat_everybody_and_needs_are_enough():
    """Counts of a family add up; seats of a bucket that needs no more groups break no rule."""
    first, second = tables(5, 60, 2, 12)
    history = History()
    result = solve_problem(ahead(history, first), display=False)
    assert result.release is not None
    history.append(result.release)
    problem = ahead(history, second)
    crowd, prices = crowd_of(problem), problem.prices
    assert prices is not None
    needed = needs(crowd, 0, Clock())
    assert (needed >= crowd.types.rules.fewest).all()
    family = families(crowd, needed, [(0, 1, 2), (2, 3, 4), (0, 1, 3)], prices, Clock())
    assert family is not None
    joined = np.zeros(len(crowd.new), dtype=np.int64)
    for signature, old, groups, joining in zip(
        family.signatures, family.buckets, family.groups, family.joined, strict=True
    ):
        for v in signature:
            back = int(crowd.back[old, v]) if old >= 0 else 0
            assert back + joining.get(v, 0) <= groups
            joined[v] += joining.get(v, 0)
    assert (joined == crowd.new).all()
    seats = sum(len(s) * n for s, n in zip(family.signatures, family.groups, strict=True))
    assert family.fakes == seats - len(problem.table)
    assert family.price == sum(
        prices.of(len(s), n) for s, n in zip(family.signatures, family.groups, strict=True)
    )


def test_broken_rules_are_what_the_requirement_says():
    first, second = tables(7, 30, 2, 6)
    history = History()
    result = solve_problem(ahead(history, first), display=False)
    assert result.release is not None
    history.append(result.release)
    problem = ahead(history, second)
    crowd = crowd_of(problem)
    requirement, rules = HcSafety(n=2), crowd.types.rules
    compared = 0
    for b, signature in enumerate(rules.signatures):
        columns = [np.flatnonzero((rules.home == b) & (crowd.value == v)).tolist() for v in signature]
        for at in range(max(map(len, columns))):
            line = [column[at] if at < len(column) else -1 for column in columns]
            rows = [t for t in line if t >= 0]
            values = {problem.table.members[t].value for t in rows}
            fakes = {rules.values[v]: 1 for v in signature if rules.values[v] not in values}
            group = problem.assemble([rows], [fakes]).groups[0]
            broken = list(requirement.violations(group, problem.context))
            found = broken_rules(crowd.people, seats_of([line], [b], [signature]))
            assert (found[0] > 0) == bool(broken)
            compared += bool(broken)
    assert compared


def freed_from(seed: int) -> int:
    """Groups of one bucket, dealt at random; against every exchange of the first that is forbidden."""
    first, second = tables(30 + seed, 60, 2, 12)
    result = solve_problem(ahead(History(), first), time_limit=2.0, display=False)
    assert result.release is not None
    crowd = crowd_of(ahead(History([result.release]), second))
    rules, geometry, freed = crowd.types.rules, crowd.geometry, 0
    for b, signature in enumerate(rules.signatures):
        columns = [np.flatnonzero((rules.home == b) & (crowd.value == v)).tolist() for v in signature]
        most = max(map(len, columns))
        for column in columns:
            column += [-1] * (most - len(column))
            Random(seed).shuffle(column)
        lines = [list(line) for line in zip(*columns, strict=True) if any(t >= 0 for t in line)]
        if len(lines) < 2:
            continue
        seats = seats_of(lines, [b] * len(lines), [signature])
        before, wrong = seats.who.copy(), broken_rules(crowd.people, seats)
        left = relieved(geometry, crowd.people, seats)
        after = broken_rules(crowd.people, seats)
        assert left == (after > 0).sum() <= (wrong > 0).sum()
        assert (np.sort(seats.who, axis=0) == np.sort(before, axis=0)).all()
        if not wrong.any():
            continue
        q = int(np.flatnonzero(wrong)[0])
        costs = dict[tuple[int, int], int]()
        for i in range(len(signature)):
            for r in range(len(lines)):
                seats.who[:] = before
                seats.who[[q, r], i] = seats.who[[r, q], i]
                if r != q and not broken_rules(crowd.people, seats)[[q, r]].any():
                    costs[i, r] = sum(box_of(geometry, seats.who, g, -1) for g in (q, r)) - sum(
                        box_of(geometry, before, g, -1) for g in (q, r)
                    )
        seats.who[:] = before
        relieved(geometry, crowd.people, seats)
        moved = np.flatnonzero((seats.who != before).any(axis=1)).tolist()
        assert (q in moved) == bool(costs)
        if (wrong > 0).sum() == 1 and costs:
            now = sum(box_of(geometry, seats.who, g, -1) for g in moved)
            then = sum(box_of(geometry, before, g, -1) for g in moved)
            assert (len(moved), now - then) == (2, min(costs.values()))
            freed += 1
    return freed


def test_who_meets_too_many_is_freed_by_the_cheapest_exchange_that_may_be():
    assert sum(map(freed_from, range(2)))


def mended_from(seed: int) -> int:
    """Groups of all buckets, dealt at random: how many are seated anew, if not all."""
    first, second = tables(60 + seed, 90, 2, 18, values=8)
    result = solve_problem(ahead(History(), first), time_limit=2.0, display=False)
    assert result.release is not None
    crowd = crowd_of(ahead(History([result.release]), second))
    rules, random = crowd.types.rules, Random(seed)
    needed, lines, bucket = needs(crowd, seed, Clock()), list[list[int]](), list[int]()
    for b, signature in enumerate(rules.signatures):
        columns = [np.flatnonzero((rules.home == b) & (crowd.value == v)).tolist() for v in signature]
        for column in columns:
            column += [-1] * (int(needed[b]) - len(column))
            random.shuffle(column)
        lines += map(list, zip(*columns, strict=True))
        bucket += [b] * int(needed[b])
    seats, scale = seats_of(lines, bucket, rules.signatures), float(crowd.types.rows.scale)
    before, wrong = seats.who.copy(), broken_rules(crowd.people, seats) > 0
    if not wrong.any():
        return 0
    moved = np.isin(seats.bucket, seats.bucket[wrong])
    assert mended(crowd.geometry, crowd.people, seats, no_columns(), 20_000, scale, seed)
    assert not broken_rules(crowd.people, seats).any()
    assert (seats.who[~moved] == before[~moved]).all()
    for b in range(len(needed)):
        here = seats.bucket == b
        assert (np.sort(seats.who[here], axis=0) == np.sort(before[here], axis=0)).all()
    return 0 if moved.all() else int(moved.sum())


def test_who_meets_too_many_is_seated_anew_among_those_with_the_signature():
    """Everybody else stays."""
    assert sum(map(mended_from, range(3)))


@pytest.mark.parametrize("seed", range(3))
def test_the_family_of_a_release_costs_what_the_release_does(seed: int):
    """Of any release that keeps the policy: as many counterfeits, and the same price."""
    first, second = tables(40 + seed, 60, 2, 12)
    history, compared = History(), 0
    for here in (first, second):
        problem = ahead(history, here)
        crowd, prices = crowd_of(problem), problem.prices
        assert prices is not None
        for release in (
            baselines()["cor_split"].run(problem, 0),
            baselines()["cor_split_halving"].run(problem, 0),
            solve_problem(problem, time_limit=1.5, display=False).release,
        ):
            assert release is not None
            family = published(crowd, release, problem.table.row, prices)
            if family is None:
                continue
            compared += 1
            seats = sum(len(s) * n for s, n in zip(family.signatures, family.groups, strict=True))
            assert seats == len(here) + family.fakes
            assert family.fakes == release.counterfeits
            assert sum(sum(j.values()) for j in family.joined) == crowd.new.sum()
            level = replace(problem, policy=problem.policy.changed(minimize=["expected_counterfeits"]))
            assert max(family.price, level.allowed) == level.objective(release)[0]
        history.append(release)
    assert compared


@pytest.mark.parametrize("seed", range(2))
def test_values_that_suit_change_neither_counts_nor_price(seed: int):
    given = tables(seed, 40, 2, 12, values=6)
    history = History()
    first = ahead(history, given[0])
    if seed % 2:
        history.append(baselines()["m_invariance"].run(first, 0))
    problem = ahead(history, given[seed % 2])
    crowd = crowd_of(problem)
    prices = problem.prices
    assert prices is not None
    begun = [(a, b, c) for a in range(6) for b in range(a) for c in range(b)]
    begun = [tuple(sorted(s)) for s in begun if tuple(sorted(s)) not in crowd.types.rules.signatures]
    family = families(crowd, crowd.types.rules.fewest, begun, prices, Clock(1.0))
    apart = distances(crowd)
    assert family is not None
    assert apart is not None
    assert (apart == apart.T).all()
    found = kindred(family, apart, Random(seed))
    assert found.groups == family.groups
    assert found.fakes == family.fakes
    assert len(set(found.signatures)) == len(found.signatures)
    sums = [Counter[int](), Counter[int]()]
    for one, total in ((family, sums[0]), (found, sums[1])):
        for signature, bucket, groups, joined in zip(
            one.signatures, one.buckets, one.groups, one.joined, strict=True
        ):
            total.update(joined)
            assert set(joined) <= set(signature)
            back = crowd.back[bucket] if bucket >= 0 else np.zeros(len(crowd.new), dtype=int)
            assert all(joined.get(v, 0) + int(back[v]) <= groups for v in signature)
            if bucket >= 0:
                assert signature == crowd.types.rules.signatures[bucket]
    assert sums[0] == sums[1]
    assert found.price == sum(
        (prices.of(len(s), n) for s, n in zip(found.signatures, found.groups, strict=True)), Fraction(0)
    )
    assert unsuited(found, apart) <= unsuited(family, apart)
    columns = seated(crowd, found, seed, 2_000, Clock())
    release = assembled(crowd.types, problem, columns)
    assert release is not None
    assert next(problem.check(release), None) is None


def unsuited(family: Family, apart: np.ndarray) -> float:
    return sum(
        min(joined.get(v, 0), joined.get(u, 0)) * float(apart[v, u])
        for signature, joined in zip(family.signatures, family.joined, strict=True)
        for v in signature
        for u in signature
        if u < v
    )


@pytest.mark.parametrize("seed", range(3))
def test_values_change_signatures_with_everybody_who_has_them(seed: int):
    """A release has as many counterfeits as its family, and costs as much later."""
    given, history = tables(seed, 40, 2, 12, values=7), History()
    policy = Policy([WeakMInvariance(m=3)], LEVELS, outlook=Outlook(draws=20))
    if seed:
        first = Problem(table=given[0], policy=policy)
        history.append(baselines()["m_invariance"].run(first, 0))
    problem = Problem(table=given[seed > 0], policy=policy, history=history)
    crowd, prices = crowd_of(problem), problem.prices
    assert prices is not None
    rules = crowd.types.rules
    begun = [s for s in combinations(range(7), 3) if s not in rules.signatures]
    family = families(crowd, rules.fewest, begun, prices, Clock(1.0))
    assert family is not None
    release = assembled(crowd.types, problem, seated(crowd, family, seed, 20_000, Clock()))
    assert next(problem.check(release), None) is None
    assert release.counterfeits == family.fakes
    assert prices.release(release) == family.price


def test_two_signatures_of_as_many_groups_exchange_values():
    population = uniform_table(200, seed=3, values=6)
    value = generated_roles(values=6).sensitive.name
    here = generated_roles(values=6).table(population.groupby(value).head(5))
    problem = Problem(table=here, policy=Policy([WeakMInvariance(m=3)], LEVELS, outlook=Outlook(draws=20)))
    crowd, prices = crowd_of(problem), problem.prices
    assert prices is not None
    family = families(crowd, crowd.types.rules.fewest, [(0, 1, 2), (3, 4, 5)], prices, Clock())
    assert family is not None
    assert family.groups == (5, 5)
    found = set[frozenset[str]]()
    for seed in range(4):
        release = assembled(crowd.types, problem, seated(crowd, family, seed, 20_000, Clock()))
        made = {group.signature for group in release.groups}
        assert len(made) == 2
        assert not frozenset.intersection(*made)
        found |= made
    assert found != {frozenset(crowd.types.rules.values[v] for v in s) for s in family.signatures}


@pytest.mark.parametrize("seed", range(4))
def test_a_part_of_the_seats_is_what_its_groups_have_alone(seed: int):
    """Joined groups, too; all others keep their seats."""
    random = Random(seed)
    signatures = [tuple(sorted(random.sample(range(6), random.choice([2, 3])))) for _ in range(4)]
    bucket = sorted(random.randrange(4) for _ in range(9))
    groups = [
        [random.choice([-1, 10 * g + i]) for i in range(len(signatures[b]))] for g, b in enumerate(bucket)
    ]
    seats = seats_of(groups, bucket, signatures)
    chosen = np.isin(seats.bucket, [bucket[0], bucket[4]])
    first, second = np.flatnonzero(chosen)[:2].tolist()
    if bucket[first] == bucket[second]:
        seats.mate[first], seats.mate[second] = second, first
    before, part = seats.who.copy(), part_of(seats, chosen)
    kept = np.flatnonzero(chosen).tolist()
    alone = seats_of([groups[g] for g in kept], [bucket[g] for g in kept], signatures)
    wide = seats.who.shape[1]
    for name in ("bucket", "own", "own_start", "own_end"):
        assert getattr(part, name).tolist() == getattr(alone, name).tolist()
    assert part.start[: len(alone.start)].tolist() == alone.start.tolist()
    assert [kept[at // wide] * wide + at % wide for at in part.order.tolist()] == [
        at for at in seats.order.tolist() if chosen[at // wide]
    ]
    assert [(kept[q], kept[r]) for q, r in enumerate(part.mate.tolist()) if r >= 0] == [
        (q, r) for q, r in enumerate(seats.mate.tolist()) if r >= 0
    ]
    part.who[part.who >= 0] += 1_000
    part.mate[:] = -1
    put_back(seats, chosen, part)
    assert (seats.who[~chosen] == before[~chosen]).all()
    assert (seats.who[chosen] == np.where(before[chosen] >= 0, before[chosen] + 1_000, before[chosen])).all()
    assert (seats.mate == -1).all()


@pytest.mark.parametrize(("each", "searched"), [(1e9, False), (0.0, True)])
def test_signatures_are_searched_by_programs_only_where_seats_have_time_left(
    monkeypatch: pytest.MonkeyPatch, each: float, searched: bool
):
    """Of large tables, whose values can be dealt."""
    first, second = tables(3, 40, 2, 12)
    known = solve_problem(ahead(History(), first), time_limit=2, seed=1, display=False).release
    assert known is not None
    asked: list[bool] = []
    programs = search.families
    monkeypatch.setattr(search, "families", lambda *a, **k: asked.append(True) or programs(*a, **k))
    monkeypatch.setattr(search.CountedFamilies, "fits", staticmethod(lambda crowd: False))
    monkeypatch.setattr(search.AheadSearch, "_allowed", Fraction(-1))
    proposed = replace(search.AHEAD.proposed, value=each)
    monkeypatch.setattr(search, "AHEAD", replace(search.AHEAD, proposed=proposed))
    result = solve_problem(ahead(History([known]), second), time_limit=2.5, seed=1, display=False)
    assert result.release is not None
    assert bool(asked) == searched


def test_many_people_are_seated_with_as_many_exchanges_as_there_is_time_for(monkeypatch: pytest.MonkeyPatch):
    """And none of it is spent on brief seats, unless there is a lot."""
    faked(monkeypatch, tick=0.0003)
    monkeypatch.setattr(search, "LIMITS", replace(search.LIMITS, most_moves=2_000))
    slow = replace(search.AHEAD.exchange, value=1e-4)
    first, _ = tables(3, 60, 2, 12)
    whole, asked = search.LIMITS.moves * len(first), dict[tuple[int, float], list[int]]()
    for limit in (2, 4):
        for each in (2e-3, 1.0):
            compared = replace(search.AHEAD.compared, value=each)
            monkeypatch.setattr(search, "AHEAD", replace(search.AHEAD, exchange=slow, compared=compared))
            moves = asked[limit, each] = []

            def counted(
                crowd: Crowd, family: Family, seed: int, number: int, clock: Clock, moves: list[int] = moves
            ) -> list[Column]:
                moves.append(number)
                return seated(crowd, family, seed, min(number, 3_000), clock)

            monkeypatch.setattr(search, "seated", counted)
            result = solve_problem(ahead(History(), first), time_limit=limit, seed=1, display=False)
            assert result.release is not None
    assert 2_000 < max(asked[2, 1.0]) < max(asked[4, 1.0]) < whole
    assert len(set(asked[4, 1.0])) == 1
    assert min(asked[4, 2e-3]) < max(asked[4, 2e-3])
