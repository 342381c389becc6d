"""The exact audit against enumeration of all worlds, and on series whose named checks all pass."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import oracle.brute_force as bf
import pytest
from cases.attacks import HALF, history
from cases.audits import cases, local_series, possible, values_of
from oracle.brute_force_notation import group, release

from optanon.instances import catalog
from optanon.instances.problem_file import load_problem
from optanon.instances.release_files import read_release
from optanon.models.adversary.cells import population
from optanon.models.adversary.knowledge import Knowledge
from optanon.models.adversary.propagation import first_bounds, propagate
from optanon.models.errors import InputError, ReleaseError
from optanon.models.history import History
from optanon.models.requirement import Requirement
from optanon.models.requirements import HcSafety, KCAnonymity, WeakMInvariance
from optanon.models.requirements.difference import Difference
from optanon.models.requirements.intersection import Intersection
from optanon.solver.insight.audit.audit import audit
from optanon.solver.insight.audit.explain_value import explain_value
from optanon.solver.settings import Clock
from optanon.solver.worlds.possible import Verdict, possible_values
from optanon.solver.worlds.posterior import posterior

SEEDS = (1, 2, 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_possible_values_and_posteriors_equal_enumeration(seed: int) -> None:
    searched = 0
    for series, known in cases(seed, 170):
        found = possible(series, Knowledge(compromised=dict(known)))
        chances = posterior(found)
        searched += found.searched > 0
        for who, wanted in bf.posterior(series, dict(known)).items():
            assert found.values(who) == frozenset(wanted)
            assert not found.unknown(who)
            assert chances.of(who) == wanted
    assert searched > 10  # the solver had something to do


def test_excluded_and_prior_values_equal_enumeration() -> None:
    random = Random(4)
    for series, _ in cases(4):
        own = values_of(series)
        excluded = {n: {random.choice("abcd")} - {v} for n, v in own.items() if random.random() < 0.2}
        priors = {n: {v, random.choice("abcd")} for n, v in own.items() if random.random() < 0.2}
        worlds: Counter[tuple[str, str]] = Counter()
        total = 0
        for world, weight in bf.persistent_worlds(series):
            if all(world[n] not in out for n, out in excluded.items()) and all(
                world[n] in prior for n, prior in priors.items()
            ):
                total += weight
                for who, value in world.items():
                    worlds[who, value] += weight
        found = possible(series, Knowledge(excluded=excluded, priors=priors))
        chances = posterior(found)
        for who in own:
            wanted = {v: Fraction(w, total) for (n, v), w in sorted(worlds.items()) if n == who}
            assert chances.of(who) == wanted
            assert found.values(who) == wanted.keys()


def test_report_after_each_release_equals_enumeration() -> None:
    """Prefixes of the series; people given to the adversary do not count."""
    for series, known in cases(5, 60):
        report = audit(history(series), Knowledge(compromised=dict(known)))
        assert report.complete
        for entry in report.releases:
            part = series[: entry.release]
            own = values_of(part)
            given = {n: v for n, v in known if n in own}
            chances = {n: c for n, c in bf.posterior(part, given).items() if n not in given}
            assert entry.respondents == len(own)
            assert entry.persistent is not None
            assert entry.given == len(given)
            assert entry.persistent.exact == sum(len(c) == 1 for c in chances.values())
            assert entry.persistent.worst == max((max(c.values()) for c in chances.values()), default=None)
            assert entry.persistent.set_intersection <= entry.persistent.propagation <= entry.persistent.exact
        last = bf.possible_values(series, dict(known))
        assert report.disclosed >= {n for n, left in last.items() if len(left) == 1} - dict(known).keys()


@pytest.mark.parametrize("k", [4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_search_and_counting_agree_on_larger_series(seed: int, k: int) -> None:
    """Two independent ways: a value is possible exactly if worlds with it are counted."""
    found = possible(local_series(Random(seed), 60, 3, k))
    chances = posterior(found)
    system = found.population.system
    assert found.searched
    assert chances.counted > chances.uncounted
    sums = [Fraction(0)] * len(system.sizes)
    known = 0
    for cell, verdict, chance in zip(
        system.cell.tolist(), found.verdicts.tolist(), chances.probabilities, strict=True
    ):
        if chance is not None:
            sums[cell] += chance
            known += 1
            assert (chance > 0) == (verdict == Verdict.POSSIBLE)
            assert chance <= 1
    incomplete = {c for c, p in zip(system.cell.tolist(), chances.probabilities, strict=True) if p is None}
    assert all(total == 1 for cell, total in enumerate(sums) if cell not in incomplete)
    assert known > len(system.cell) // 2


def test_propagation_keeps_every_world() -> None:
    for series, _ in cases(6, 60):
        people = population(history(series), Knowledge())
        bounds = propagate(people.system, first_bounds(people.system))
        assert bounds is not None
        index = {
            (c, v): j
            for j, (c, v) in enumerate(
                zip(people.system.cell.tolist(), people.system.value.tolist(), strict=True)
            )
        }
        code = {v: i for i, v in enumerate(people.values)}
        for world, _ in bf.persistent_worlds(series):
            counts = np.zeros(len(people.system.cell), dtype=np.int64)
            for who, value in world.items():
                counts[index[people.cell_of[who], code[value]]] += 1
            assert (bounds.lower <= counts).all()
            assert (counts <= bounds.upper).all()
            rows = people.system.matrix @ counts
            assert (people.system.low <= rows).all()
            assert (rows <= people.system.high).all()


def test_contradictory_bounds_are_noticed() -> None:
    people = population(history([release("1a 2b")]), Knowledge())
    bounds = first_bounds(people.system)
    assert propagate(people.system, bounds._replace(upper=bounds.upper * 0)) is None


# --- worked cases ---------------------------------------------------------------------------


def shipped(name: str, problem: str, releases: Sequence[str]) -> History:
    folder = catalog.path(name)
    table = load_problem(folder / problem).table
    return History(read_release(folder / file, table) for file in releases)


INFERENCES = [(name, entry) for name in catalog.names() for entry in catalog.expected(name).inferences]


@pytest.mark.parametrize(("name", "entry"), INFERENCES)
def test_shipped_inferences(name: str, entry: catalog.Inference) -> None:
    past = shipped(name, entry.problem, entry.releases)
    report = audit(past, Knowledge(compromised=entry.known))
    assert report.disclosed == entry.certain.keys() - entry.known.keys()
    assert {d.respondent: d.value for d in report.disclosures}.items() <= entry.certain.items()
    assert len(report.explanations) == len(report.texts()) <= len(report.disclosed)


def test_carl_gives_erica_away() -> None:
    past = shipped("hospital", "release-2.yaml", ["release-1.steward.csv", "release-2-printed.steward.csv"])
    assert not audit(past).disclosures
    report = audit(past, Knowledge(compromised={"Carl": "AIDS"}))
    assert [(d.respondent, d.value) for d in report.disclosures] == [("Erica", "AIDS")]
    (why,) = report.explanations
    assert why.groups == ((0, 1), (1, 0))  # {Doris, Erica, Fiona} and {Carl, Doris, Fiona}
    assert why.irreducible
    assert report.texts(show_ids=True)[0].startswith("Erica of release 1 group 2 can only have AIDS, because")
    assert report.texts()[0].splitlines() == [
        "a respondent of release 1 group 2 can have one value only, "
        "because of 2 groups, each of them needed:",
        "  release 1 group 2: 3 respondents; published: AIDS 1, bronchitis 1, cancer 1",
        "  release 2 group 1: 3 respondents (2 also in release 1 group 2); "
        "published: AIDS 1, bronchitis 1, cancer 1",
        "  and what is known about 1 respondent of these groups",
    ]


def test_alice_and_bob_of_the_clinic() -> None:
    releases = ["release-1.steward.csv", "release-2-printed.steward.csv"]
    report = audit(shipped("clinic", "release-2-static.yaml", releases))
    # Bob and Eve by intersection; the others only because someone else's value is certain.
    assert {d.respondent: d.how for d in report.disclosures} == {
        "Bob": "set intersection",
        "Eve": "set intersection",
        "Alice": "propagation",
        "Hank": "propagation",
        "Sal": "propagation",
    }
    assert [entry.persistent and entry.persistent.exact for entry in report.releases] == [0, 5]


def passes(series: Sequence[bf.Release], *requirements: Requirement) -> bool:
    """Whether each release keeps the requirements, given those before."""
    past = history(series).releases
    return not any(
        list(requirement.check(new, History(past[:number])))
        for number, new in enumerate(past)
        for requirement in requirements
    )


def disclosed(series: Sequence[bf.Release], known: Mapping[str, str] | None = None) -> frozenset[str]:
    """By the audit, having compared it with the enumeration."""
    known = dict(known or {})
    found = audit(history(series), Knowledge(compromised=known)).disclosed
    left = bf.possible_values(series, known)
    assert found == {who for who, values in left.items() if len(values) == 1} - known.keys()
    return found


def test_difference_of_three_releases() -> None:
    """{1, 2} of the first and {3, 4} of the second release leave 5 alone in the third."""
    series = [release("1a 2b"), release("3c 4d"), release("1a 2b 3c 4d 5e")]
    rules = [KCAnonymity(k=2, c=HALF), Difference(k=2, c=HALF), Intersection(c=HALF)]
    assert passes(series, *rules)
    assert disclosed(series) == {"5"}
    report = audit(history(series))
    assert {e.groups for e in report.explanations} == {((0, 0), (1, 0), (2, 0))}


def test_chain_of_historical_correlations() -> None:
    """No two groups share two persons, but over three releases what one has four others have."""
    series = [
        release("6a 7b 8c", "3a 4b 5c"),
        release("0a 7b 5c", "6a 4b 2c"),
        release("0a 1b 8c", "3a 7b 2c"),
    ]
    assert passes(series, WeakMInvariance(m=3), HcSafety(n=2, reading="definition"))
    assert disclosed(series) == frozenset()
    assert disclosed(series, {"0": "a"}) == {"3", "6"}
    assert audit(history(series)).releases[-1].persistent.worst == Fraction(1, 3)  # pyright: ignore


def test_pigeonhole() -> None:
    """1 and 2 share a and b, so 3, who is with both of them, has neither."""
    series = [
        release("1a 6b", "2b 7a", "3c 8a", "4c 9d", "5d 0c"),
        release("1a 2b 3c 4c 5d", "6b 7a 8a 9d 0c"),
    ]
    assert passes(series, KCAnonymity(k=2, c=HALF), Difference(k=2, c=HALF), Intersection(c=HALF))
    assert "3" in disclosed(series)
    how = {d.respondent: d.how for d in audit(history(series)).disclosures}
    assert how["3"] == "exact"  # no single row shows it


def test_weak_m_invariance_gives_one_over_the_signature() -> None:
    """Over any number of releases, with counterfeits and people who leave and return."""
    random = Random(7)
    pools = ("ab", "abc", "cde")
    for _ in range(60):
        homes = {str(i): random.choice(pools) for i in range(12)}
        people = [bf.Person(n, (), random.choice(pool)) for n, pool in homes.items()]
        series: list[bf.Release] = []
        for _ in range(3):
            groups: list[bf.Group] = []
            for pool in pools:
                there = [p for p in people if homes[p.name] == pool and random.random() < 0.8]
                for half in (there[::2], there[1::2]):
                    counts = Counter(p.value for p in half)
                    most = max(counts.values(), default=0)
                    lacking = tuple((v, most - counts[v]) for v in pool if counts[v] < most)
                    if half:
                        groups.append(bf.Group(tuple(half), lacking))
            if groups:
                series.append(bf.Release(tuple(groups)))
        if not series:
            continue
        assert all(bf.weak_m_invariance(2)(new, series[:i]) for i, new in enumerate(series))
        found = possible(series)
        chances = posterior(found)
        for who in values_of(series):
            pool = homes[who]
            assert chances.of(who) == dict.fromkeys(pool, Fraction(1, len(pool)))
        assert not found.searched


def test_symmetry_is_not_assumed_where_somebody_is_known() -> None:
    series = [release("1a 2b 3c", "4a 5b 6c"), release("1a 5b 3c", "4a 2b 6c")]
    known = {"1": "a"}
    chances = posterior(possible(series, Knowledge(compromised=known)))
    for who, wanted in bf.posterior(series, known).items():
        assert chances.of(who) == wanted
    assert len({max(c.values()) for c in bf.posterior(series, known).values()}) > 1


# --- explanations ---------------------------------------------------------------------------


def excludes(series: Sequence[bf.Release], who: str, values: frozenset[str], known: dict[str, str]) -> bool:
    """Whether groups alone exclude the values, by enumeration."""
    names = {n for groups, _ in series for g in groups for n in g.names}
    if who not in names:
        return False
    left = bf.possible_values(series, {n: v for n, v in known.items() if n in names})
    return left[who].isdisjoint(values)


def only(series: Sequence[bf.Release], groups: Sequence[tuple[int, int]]) -> list[bf.Release]:
    return [
        bf.Release(tuple(g for i, g in enumerate(made.groups) if (r, i) in groups))
        for r, made in enumerate(series)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_explanations_exclude_and_are_irreducible(seed: int) -> None:
    several = 0
    for series, known in cases(seed):
        people = population(history(series), Knowledge(compromised=dict(known)))
        left = bf.possible_values(series, dict(known))
        for who, values in list(left.items())[:3]:
            for value in people.values:
                why = explain_value(people, who, [value])
                if value in values:
                    assert why is None
                    continue
                assert why is not None
                assert why.irreducible
                if who in dict(known):
                    continue
                several += len(why.groups) > 1
                alone = frozenset([value])
                assert excludes(only(series, why.groups), who, alone, dict(known))
                for drop in why.groups:
                    rest = [g for g in why.groups if g != drop]
                    assert not excludes(only(series, rest), who, alone, dict(known))
    assert several > 10


def test_far_groups_explain_too() -> None:
    """5 is certain only through 3, whom no group of 5 tells apart."""
    series = [release("1a 2b", "3c 9c"), release("3c 5d", "1a 9c")]
    people = population(history(series), Knowledge())
    why = explain_value(people, "5", ["a", "b", "c"])
    assert why is not None
    assert why.groups == ((0, 1), (1, 0))
    past = history(series)
    told = replace(why, own="d").text(past)
    assert told.startswith("a respondent of release 2 group 1 can have one value only")
    less = explain_value(people, "5", ["a", "c"])
    assert less is not None
    assert less.text(past).startswith("a respondent of release 2 group 1 cannot have 2 values, because")
    assert less.text(past, show_ids=True).startswith("5 of release 2 group 1 cannot have a, c, because")
    with pytest.raises(InputError, match="published values"):
        explain_value(people, "5", ["nothing"])


# --- limits, reports, errors ----------------------------------------------------------------


def test_what_is_not_decided_in_time_is_unknown() -> None:
    unknown = 0
    for series, known in cases(8):
        knowledge = Knowledge(compromised=dict(known))
        found = possible_values(population(history(series), knowledge), Clock(limit=0.0))
        for who, wanted in bf.possible_values(series, dict(known)).items():
            assert found.values(who) <= wanted <= found.values(who) | found.unknown(who)
            unknown += bool(found.unknown(who))
    assert unknown > 10
    report = audit(history([release("1a 2b 3c"), release("1a 4b 3c", "2b 5c")]), time_limit=1e-9)
    assert not report.complete
    assert report.releases[-1].persistent is not None
    assert report.releases[-1].persistent.unknown > 0


def test_too_many_states_give_no_posterior() -> None:
    missing = 0
    for seed in range(4):
        found = possible(local_series(Random(seed), 60, 3, 6))
        few, full = posterior(found, states=2), posterior(found)
        assert (few.uncounted > 0) == (None in few.probabilities)
        for who in found.population.cell_of:
            missing += few.of(who) is None
            assert few.of(who) is None or few.of(who) == full.of(who)
    assert missing > 0


def test_values_that_change_freely() -> None:
    series = [release(group("1a 2b", "b"), "3a 4c"), release("1b 3a", "2a 4a")]
    report = audit(history(series), Knowledge(persistence="transient"))
    for number, entry in enumerate(report.releases, start=1):
        chances = [bf.ever_linked(series[:number], who, value) for who in "1234" for value in "abc"]
        assert entry.transient is not None
        assert entry.transient.worst == max(chances)
    assert report.disclosed == {"2", "4"}
    # 2 and 4 had a for certain in the second release, where everybody of the group has it.
    assert [e.transient and (e.transient.certain, e.transient.worst) for e in report.releases] == [
        (0, Fraction(2, 3)),
        (2, Fraction(1)),
    ]
    assert all(entry.persistent is None for entry in report.releases)
    both = [release("1a 2b"), release("1a 2b")]
    entry = audit(history(both), Knowledge(persistence="both")).releases[-1]
    assert entry.persistent is not None
    assert entry.transient is not None
    assert (entry.persistent.worst, entry.transient.worst) == (HALF, Fraction(3, 4))


def test_report_names_nobody_unless_asked() -> None:
    series = [release("Ann:flu Bob:cold"), release("Ann:flu Cem:acne", "Bob:cold Dan:gout")]
    report = audit(history(series))
    plain = report.to_dict()
    shown = report.to_dict(show_ids=True)
    assert json.loads(json.dumps(plain)) == plain
    for text in (json.dumps(plain), repr(report), *map(repr, report.disclosures), repr(report.knowledge)):
        assert "Ann" not in text
        assert "Dan" not in text
    assert {d["respondent"] for d in shown["disclosures"]} == {"Ann", "Bob", "Cem", "Dan"}
    assert "Ann" in json.dumps(shown["explanations"])
    assert plain["releases"][-1]["persistent"]["worst"] == "1"
    assert len(audit(history(series), examples=2).explanations) == 2
    bare = audit(history(series), posterior=False, explain=False)
    assert not bare.explanations
    assert bare.releases[-1].persistent is not None
    assert bare.releases[-1].persistent.worst is None


def test_errors_say_what_to_do() -> None:
    past = history([release("Ann:flu Bob:cold")])
    with pytest.raises(InputError, match="append a release first"):
        audit(History())
    with pytest.raises(InputError, match="more than 0 seconds"):
        audit(past, time_limit=0)
    with pytest.raises(InputError, match="1 respondents who are in no published group") as strange:
        audit(past, Knowledge(compromised={"Zoe": "flu"}))
    assert "Zoe" not in str(strange.value)
    assert "compromised, excluded and priors" in str(strange.value)
    with pytest.raises(InputError, match="excludes the true value of 1 respondents"):
        audit(past, Knowledge(compromised={"Ann": "cold"}))
    with pytest.raises(ReleaseError, match="'value': a respondent of release 2 had another value"):
        audit(history([release("1a 2b"), release("1b 2a")]))
    with pytest.raises(InputError, match="in no published group"):
        possible([release("1a 2b")]).values("9")
    with pytest.raises(InputError, match="'persistent' or 'both'"):
        Knowledge(compromised={"Ann": "flu"}, persistence="transient")
    with pytest.raises(InputError, match="persistence must be"):
        Knowledge(persistence="sometimes")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="membership must be"):
        Knowledge(membership="nothing")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="without any value"):
        Knowledge(priors={"Ann": {"flu"}}, excluded={"Ann": {"flu"}})
    with pytest.raises(InputError, match="excluded by other knowledge"):
        Knowledge(compromised={"Ann": "flu"}, excluded={"Ann": {"flu"}})
    with pytest.raises(InputError, match="a set of values"):
        Knowledge(priors={"Ann": "flu"})
