"""The global guarantee and its two strategies, against hand-derived values and the brute-force oracle."""

from __future__ import annotations

import json
from collections.abc import Collection
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import brute_force as bf
import pandas as pd
import pytest
from brute_force_notation import people, release
from optanon.models.breach_probability import NOT_LINKED, Exposure, breach_probability, minimum_ratio
from optanon.models.encoding import Encoding
from optanon.models.errors import PolicyError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup, Release
from optanon.models.requirement import Requirement, build_requirement
from optanon.models.requirements.constant_ratio import ConstantRatio
from optanon.models.requirements.geometric import Geometric
from optanon.models.requirements.global_guarantee import GlobalGuarantee
from optanon.models.requirements.link_budget import LinkBudget, largest_share
from optanon.models.table import Member, Microdata, Sensitive
from optanon.solver.search import solve, solve_problem
from ortools.sat.python import cp_model

# --- from the oracle's notation to the package ----------------------------------------------


def published(made: bf.ReleaseLike) -> Release:
    def member(person: bf.Person) -> Member:
        return Member(person.name, tuple(Fraction(x) for x in person.qi) or (Fraction(0),), person.value)

    groups, gone = made
    return Release(
        groups=tuple(
            QIGroup(members=tuple(map(member, group.members)), counterfeits=group.fakes) for group in groups
        ),
        suppressed=tuple(map(member, gone)),
        attributes=("x",),
        sensitive="disease",
        form="anatomized",
    )


def past(*made: bf.ReleaseLike) -> History:
    return History(map(published, made))


def microdata(table: Collection[bf.Person], persistence: Any = "transient") -> Microdata:
    frame = pd.DataFrame(
        [(p.name, int(p.qi[0]) if p.qi else 0, p.value) for p in table], columns=["id", "x", "disease"]
    )
    return Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={"x": "numeric"},
        sensitive=Sensitive(name="disease", persistence=persistence),
    )


def safe(requirement: Requirement, made: bf.ReleaseLike, history: bf.History = ()) -> bool:
    return not list(requirement.check(published(made), past(*history)))


# --- the same requirements, read plainly --------------------------------------------------


def oracle(requirement: LinkBudget) -> bf.Check:
    """Each requirement from its formula and the oracle's probabilities only."""
    l, protected = requirement.l, requirement.protected_values
    if isinstance(requirement, GlobalGuarantee):
        return bf.global_guarantee(l, protected)

    def link_is_fine(
        group: bf.Group, name: str, value: str, made: bf.ReleaseLike, history: bf.History
    ) -> bool:
        before = bf.link_probability(history, name, value)
        share = Fraction(group.histogram[value], group.size)
        if isinstance(requirement, Geometric):
            left = Fraction(1) / l - before
            return left > 0 and 1 / share >= (1 - before) / ((1 - 1 / requirement.a) * left)
        assert isinstance(requirement, ConstantRatio)
        links = sum(value in old.signature for old in bf.groups_with(history, name))
        return (
            1 - (1 - share) ** requirement.k <= 1 / l
            and bf.link_probability((*history, made), name, value) <= 1 / l
            and (links < requirement.k or requirement.beyond == "slack")
        )

    def check(made: bf.ReleaseLike, history: bf.History) -> bool:
        return all(
            link_is_fine(group, name, value, made, history)
            for group in made[0]
            for name in group.names
            for value in group.signature
            if protected is None or value in protected
        )

    return check


REQUIREMENTS = [
    GlobalGuarantee(l=2),
    GlobalGuarantee(l=Fraction(3, 2), protected_values=["a", "b"]),
    ConstantRatio(l=Fraction(3, 2), k=2),
    ConstantRatio(l=Fraction(4, 3), k=2, beyond="slack"),
    ConstantRatio(l=2, k=2, protected_values=["a"]),
    Geometric(l=Fraction(4, 3), a=3),
    Geometric(l=Fraction(3, 2), a=Fraction(5, 2), protected_values=["a", "c"]),
]


def by_name(requirement: Requirement) -> str:
    return str(requirement)


def some_people(random: Random, names: Collection[str]) -> tuple[bf.Person, ...]:
    return tuple(bf.Person(n, (random.randint(0, 9),), random.choice("aabc")) for n in names)


def some_history(random: Random, releases: int, names: str) -> list[bf.Release]:
    """Random groups, mostly large, so that budgets are spent but seldom exhausted."""
    history: list[bf.Release] = []
    for _ in range(releases):
        chosen = random.sample(names, random.randint(len(names) // 2, len(names)))
        cut = random.randint(0, len(chosen))
        parts = [part for part in (chosen[:cut], chosen[cut:]) if part]
        fakes = [(("a", 1), ("b", 1), ("c", 2), ("d", 4)), (("b", 3),), ()]
        history.append(
            bf.Release(tuple(bf.Group(some_people(random, p), random.choice(fakes)) for p in parts))
        )
    return history


# --- the probability ------------------------------------------------------------------------


def test_probability_equals_enumeration_with_counterfeits_and_absences() -> None:
    random = Random(3)
    for _ in range(40):
        history = some_history(random, 3, "opqr")
        for name in "opqrz":
            for value in "abcde":
                expected = bf.link_probability(history, name, value)
                assert breach_probability(past(*history), name, value) == expected
                assert bf.ever_linked(history, name, value) == expected


def test_probability_follows_an_appended_release() -> None:
    history = past(release("1f 2c"))
    assert breach_probability(history, "2", "c") == Fraction(1, 2)
    history.append(published(release("1c 2f")))
    assert breach_probability(history, "2", "c") == Fraction(3, 4)


def test_two_groups_of_two_and_of_four() -> None:
    pairs = release("Ann:f Bob:c"), release("Ann:c Bob:f")
    assert not safe(GlobalGuarantee(l=2), pairs[1], pairs[:1])
    found = list(GlobalGuarantee(l=2).check(published(pairs[1]), past(pairs[0])))
    assert [v.witness["probability"] for v in found] == [Fraction(3, 4)] * 4
    assert not any(name in v.message for v in found for name in ("Ann", "Bob"))
    first, second = found[0], found[1]
    assert (first.respondents, first.witness["value"], first.earlier) == (("Ann",), "c", ((0, 0),))
    assert (second.respondents, second.witness["before"], second.witness["links"]) == (
        ("Bob",),
        Fraction(1, 2),
        2,
    )
    fours = release("1c 2f 3f 4v"), release("1f 2c 3v 4f")
    assert breach_probability(past(*fours), "1", "c") == Fraction(7, 16)


def test_figure_4_breaks_the_guarantee_for_flu() -> None:
    words = ["1:flu 2:chlamydia 3:flu 4:fever", "1:chlamydia 2:flu 3:fever 4:flu"]
    figure = [release(text) for text in words]
    assert not safe(GlobalGuarantee(l=2), figure[1], figure[:1])
    assert safe(GlobalGuarantee(l=2, protected_values={"chlamydia"}), figure[1], figure[:1])
    worst = {v.witness["value"] for v in GlobalGuarantee(l=2).check(published(figure[1]), past(figure[0]))}
    assert worst == {"flu"}


def test_third_release_of_the_example_needs_ratio_nine() -> None:
    assert minimum_ratio(2, Fraction(7, 16)) == 9
    assert minimum_ratio(2) == 2
    assert minimum_ratio(2, Fraction(1, 2)) is None
    spent = Exposure(links=2, never=Fraction(9, 16))
    guarantee = GlobalGuarantee(l=2)
    assert [guarantee.smallest_size(n, spent) for n in (1, 2, 5)] == [9, 18, 45]
    history = [release("1c 2f 3f 4v"), release("1f 2c 3v 4f")]
    for size in (8, 9):
        third = release("1c " + " ".join(f"{90 + i}{i}" for i in range(size - 1)))
        assert safe(GlobalGuarantee(l=2, protected_values={"c"}), third, history) == (size == 9)


def test_minimum_ratio_is_where_the_probability_reaches_the_bound() -> None:
    for l in (Fraction(3, 2), 2, 5):
        for spent in (Fraction(0), Fraction(1, 7), Fraction(1, 5)):
            ratio = minimum_ratio(l, spent)
            assert (ratio is None) == (l * spent == 1)
            assert ratio is None or 1 - (1 - spent) * (1 - 1 / ratio) == Fraction(1, 1) / l


def test_sizes_three_then_four_reach_one_half_and_exhaust_it() -> None:
    history = [release("1s 2a 3b"), release("1s 4a 5b 6c")]
    guarantee = GlobalGuarantee(l=2)
    assert safe(guarantee, history[1], history[:1])
    assert breach_probability(past(*history), "1", "s") == Fraction(1, 2)
    many = release("1x 7s " + " ".join(f"{100 + i}{i}" for i in range(8)))
    assert not safe(guarantee, many, history)
    # At the bound she may still be published, only not beside s.
    assert safe(guarantee, release("1x 7y", "8s 9t"), history)


def test_a_broken_bound_is_not_held_against_a_release_without_that_link() -> None:
    history = [release("1a 2b"), release("1a 2b")]
    assert safe(GlobalGuarantee(l=2), release("1c 2d"), history)
    assert not safe(GlobalGuarantee(l=2), release("1c 2d 3e 4f 5g 6h 7a"), history)


def test_merging_two_safe_groups_can_break_the_guarantee() -> None:
    history = [release("oc 2f 3f 4v"), release("oc 2f 3v 4f")]
    guarantee = GlobalGuarantee(l=2, protected_values=["c"])
    whole, split = release("ox 5y 6z 7w 8c 9u 10t 11r"), release("ox 5y 6z 7w", "8c 9u 10t 11r")
    assert safe(guarantee, split, history)
    found = list(guarantee.check(published(whole), past(*history)))
    assert [(v.respondents, v.witness["probability"]) for v in found] == [(("o",), Fraction(65, 128))]
    assert not GlobalGuarantee.monotone


def test_values_one_does_not_have_count_too() -> None:
    # 2 never had a, but was in two groups of four that publish it once: 7/16, so 5 must have eight others.
    history = [release("1a 2b 3c 4d"), release("1a 2b 3c 4d")]
    assert not safe(GlobalGuarantee(l=2), release("5a 2e 6f 7g 8h 9i 10j 11k"), history)
    assert safe(GlobalGuarantee(l=2), release("5a 2e 6f 7g 8h 9i 10j 11k 12l"), history)


# --- the strategies -------------------------------------------------------------------------

TABLE_1 = [  # l, k, exact ratio cut after five decimals, printed ratio, least size for one occurrence
    (2, 2, "3.41421", "3.44", 4),
    (2, 5, "7.72502", "7.75", 8),
    (2, 20, "29.35678", "29.41", 30),
    (5, 20, "90.12933", "90.13", 91),
    (10, 20, "190.32487", "190.33", 191),
    (2, 10, "14.93272", "15.10", 15),
    (5, 10, "45.31606", "45.35", 46),
    (10, 10, "95.41309", "95.42", 96),
]


@pytest.mark.parametrize(("l", "k", "exact", "printed", "size"), TABLE_1)
def test_table_1(l: int, k: int, exact: str, printed: str, size: int) -> None:  # noqa: E741
    strategy = ConstantRatio(l=l, k=k)
    assert strategy.smallest_size(1) == size
    # 10^5 occurrences need ceil(10^5 r) tuples, which shows five decimals of r.
    many = strategy.smallest_size(10**5)
    assert many == int(Fraction(exact) * 10**5) + 1
    assert many <= Fraction(printed) * 10**5  # the printed ratios are never too small


def test_rounding_to_whole_sizes() -> None:
    # r = 3.414...: three occurrences need 10.24 tuples, not three times four.
    assert ConstantRatio(l=2, k=2).smallest_size(3) == 11
    # The printed 15.10 for l = 2, k = 10 would cost a size of 16.
    assert ConstantRatio(l=2, k=10).fits(1, 15)
    assert not ConstantRatio(l=2, k=10).fits(1, 14)
    assert ConstantRatio(l=3, k=1).smallest_size(4) == 12


def test_what_constant_ratio_allows_beyond_k_links() -> None:
    twice = [release("1s 2a 3b 4c"), release("1s 5d 6e 7f")]
    assert safe(ConstantRatio(l=2, k=2), twice[1], twice[:1])
    third = [release("1s " + " ".join(f"{90 + i}{i}" for i in range(size - 1))) for size in (8, 9)]
    assert [safe(ConstantRatio(l=2, k=2), made, twice) for made in third] == [False, False]
    assert [safe(ConstantRatio(l=2, k=2, beyond="slack"), made, twice) for made in third] == [False, True]
    assert safe(ConstantRatio(l=2, k=2), release("1x 8y 9z 10w"), twice)
    # A history made under other rules: one link to s left 1/2, so k = 2 promises nothing.
    spoiled = [release("1s 2a")]
    assert not safe(ConstantRatio(l=2, k=2), third[1], spoiled)
    assert safe(ConstantRatio(l=2, k=2), third[1], [release("1s 2a 3b 4c")])


def test_equal_parts_always_suffice_for_k_links() -> None:
    for l, k in ((2, 2), (2, 5), (3, 4), (Fraction(3, 2), 3)):
        strategy, spent = ConstantRatio(l=l, k=k), NOT_LINKED
        for link in range(k):
            size = strategy.smallest_size(2, spent)
            assert size == strategy.smallest_size(2), link
            spent = spent.linked(2, size)
        assert spent.probability <= Fraction(1) / l
        assert strategy.smallest_size(2, spent) is None


def test_geometric_sizes_and_invariant() -> None:
    spent, sizes = NOT_LINKED, list[int | None]()
    for i in range(1, 7):
        sizes.append(Geometric(l=2, a=2).smallest_size(1, spent))
        spent = spent.linked(1, sizes[-1] or 0)
        assert spent.probability == Fraction(1, 2) * (1 - Fraction(1, 2**i))
    assert sizes == [4, 6, 10, 18, 34, 66]
    random = Random(4)
    for _ in range(60):
        l, a = Fraction(random.randint(5, 20), 4), Fraction(random.randint(5, 20), 4)
        strategy, spent = Geometric(l=l, a=a), NOT_LINKED
        for i in range(1, 8):
            count = random.randint(1, 3)
            least = strategy.smallest_size(count, spent)
            assert least is not None
            assert not strategy.fits(count, least - 1, spent)
            spent = spent.linked(count, least + random.randint(0, 3))
            assert spent.probability <= (1 - 1 / a**i) / l


def test_geometric_approaches_the_guarantee_and_implies_it() -> None:
    spent = Exposure(links=2, never=Fraction(9, 16))
    assert Geometric(l=2, a=10**6).smallest_size(1, spent) == 10  # ratio 9 exactly would spend all
    assert Geometric(l=2, a=10**6).smallest_size(10**5, spent) == 900001
    for strategy in (Geometric(l=2, a=3), ConstantRatio(l=2, k=3), ConstantRatio(l=2, k=3, beyond="slack")):
        for never in (Fraction(1), Fraction(3, 5), Fraction(1, 2), Fraction(1, 3)):
            for n, size in ((1, 4), (1, 9), (2, 30), (1, 5), (0, 3)):
                before = Exposure(links=0 if never == 1 else 1, never=never)
                if strategy.fits(n, size, before):
                    assert GlobalGuarantee(l=2).fits(n, size, before)


# --- meaning, encoding, optimum against the oracle ------------------------------------------


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_check_equals_the_oracle(requirement: LinkBudget) -> None:
    random, seen = Random(5), set[bool]()
    for _ in range(60):
        history = some_history(random, random.randint(0, 3), "opqrst")
        made = some_history(random, 1, "opqrst")[0]
        expected = oracle(requirement)(made, history)
        assert safe(requirement, made, history) == expected
        seen.add(expected)
    assert seen == {True, False}


class _All(cp_model.CpSolverSolutionCallback):
    def __init__(self, model: Encoding) -> None:
        super().__init__()
        self.model, self.found = model, set[Any]()

    def on_solution_callback(self) -> None:
        made = self.model.release(self.value)
        self.found.add(frozenset((g.respondents, g.counterfeits) for g in made.groups))


@pytest.mark.parametrize("fakes", [0, 1])
@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_encoding_has_exactly_the_safe_releases(requirement: LinkBudget, fakes: int) -> None:
    random = Random(6)
    for _ in range(4):
        history = some_history(random, 2, "opqrstu")
        table = some_people(random, "opqrs"[: 5 - fakes])
        policy = Policy([requirement], max_counterfeits=fakes, max_suppressed=1, form="anatomized")
        problem = Problem(table=microdata(table), policy=policy, history=past(*history))
        model = Encoding(problem)
        requirement.encode(model)
        solver, every = cp_model.CpSolver(), _All(model)
        solver.parameters.enumerate_all_solutions = True
        solver.solve(model.cp, every)
        candidates = bf.candidate_releases(table, fakes, problem.values, max_suppressed=1)
        expected = {
            frozenset((g.names, g.fakes) for g in made.groups)
            for made in candidates
            if sum(g.fake_count for g in made.groups) <= fakes and oracle(requirement)(made, history)
        }
        assert every.found == expected


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_solve_finds_the_oracles_optimum(requirement: LinkBudget) -> None:
    random = Random(7)
    for _ in range(3):
        history = some_history(random, 2, "opqrstu")
        table = some_people(random, "opqrst")
        xs = [p.qi[0] for p in table]
        policy = Policy([requirement], ["suppressed", "information_loss"])
        result = solve(microdata(table), policy, past(*history), seed=1, workers=1)
        attributes = [bf.Numeric(min(xs), max(xs))]
        expected = bf.optimum(
            table,
            attributes,
            [oracle(requirement)],
            ["suppressed", "information_loss"],
            history,
            max_suppressed=6,
        )
        assert result.objective == expected


def test_solve_splits_where_histories_differ() -> None:
    # The 65/128 example: all eight lie together, but o must keep away from c.
    history = past(release("o@0:c 2@0:f 3@0:f 4@0:v"), release("o@0:c 2@0:f 3@0:v 4@0:f"))
    table = microdata(people("o@0:x 5@1:y 6@2:z 7@3:w 8@4:c 9@5:u 10@6:t 11@7:r"))
    guarantee = GlobalGuarantee(l=2, protected_values=["c"])
    policy = Policy([guarantee, build_requirement("k_c_anonymity", {"k": 4})])
    result = solve(table, policy, history, seed=1, workers=1)
    assert result.release is not None
    assert {g.respondents for g in result.release.groups} == {
        frozenset(["o", "5", "6", "7"]),
        frozenset(["8", "9", "10", "11"]),
    }
    assert result.objective == (Fraction(8 * 3, 7),)


def test_exact_in_spite_of_huge_denominators() -> None:
    # 60 links of one in 97, 101 or 103: P' has a denominator of about 120 digits, far beyond 64 bits.
    history = History()
    for i in range(60):
        size = (97, 101, 103)[i % 3]
        group = bf.Group(people("o:s q:t"), (("b", size - 2),))
        history.append(published(bf.Release((group,))))
    spent = breach_probability(history, "o", "s")
    guarantee = GlobalGuarantee(l=2, protected_values=["s"])
    least = guarantee.smallest_size(1, Exposure(links=60, never=1 - spent))
    assert least is not None
    assert minimum_ratio(2, spent) <= least < minimum_ratio(2, spent) + 1  # type: ignore[operator]
    table = microdata(people("o:s q:t"))
    policy = Policy([guarantee], ["counterfeits"])
    result = solve(table, policy, history, seed=1, workers=1)
    # q, who was never linked to anything else, may stand alone; or both share one group: same cost.
    assert result.objective == (least - 2,)


# --- what engines ask beforehand ------------------------------------------------------------


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_obstacles_and_smallest_groups_are_true(requirement: LinkBudget) -> None:
    random, told = Random(8), 0
    for _ in range(40):
        history = some_history(random, random.randint(0, 3), "opqrst")
        table = some_people(random, random.sample("opqrst", random.randint(1, 5)))
        fakes = random.randint(0, 1)
        problem = Problem(
            table=microdata(table),
            policy=Policy([requirement], max_counterfeits=fakes),
            history=past(*history),
        )
        good = [
            made
            for made in bf.candidate_releases(table, fakes, problem.values)
            if oracle(requirement)(made, history)
        ]
        smallest = requirement.smallest_group(problem.table)
        assert all(group.size >= smallest for made in good for group in made.groups)
        if requirement.obstacle(problem) is not None:
            told += 1
            assert not good
            assert not any(f" {name} " in f"{requirement.obstacle(problem)} " for name in "opqrst")
    assert told


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_no_group_needs_more_than_the_largest_count(requirement: LinkBudget) -> None:
    random, padded = Random(9), 0
    for _ in range(15):
        history = some_history(random, random.randint(0, 2), "opqrst")
        table = some_people(random, "opqrs")
        policy = Policy([requirement], ["counterfeits"])
        problem = Problem(table=microdata(table), policy=policy, history=past(*history))
        cap = requirement.largest_count(problem)
        for some in range(1, 4):
            for members in combinations(table, some):
                rooms = [_room(requirement, problem, members, size, history) for size in range(some, 150)]
                if any(_fills(room, members, size, None) for size, room in enumerate(rooms, some)):
                    padded += 1
                    assert any(_fills(room, members, size, cap) for size, room in enumerate(rooms, some))
    assert padded


def _room(
    requirement: LinkBudget, problem: Problem, members: Any, size: int, history: bf.History
) -> dict[str, int]:
    """How many tuples of each value a group of this size and these members may have."""
    room = dict.fromkeys(problem.values, size)
    for value in problem.values:
        for person in members:
            if requirement.protects(value):
                links = sum(value in old.signature for old in bf.groups_with(history, person.name))
                spent = Exposure(links=links, never=1 - bf.link_probability(history, person.name, value))
                most = max(n for n in range(size + 1) if n == 0 or requirement.fits(n, size, spent))
                room[value] = min(room[value], most)
    return room


def _fills(room: dict[str, int], members: Any, size: int, cap: int | None) -> bool:
    bounded = {value: n if cap is None else min(n, cap) for value, n in room.items()}
    real = [person.value for person in members]
    return sum(bounded.values()) >= size and all(real.count(v) <= n for v, n in bounded.items())


def test_obstacles_by_hand() -> None:
    def obstacle(requirement: Requirement, text: str, *history: bf.Release, fakes: int = 0) -> str:
        policy = Policy([requirement], max_counterfeits=fakes)
        problem = Problem(table=microdata(people(text)), policy=policy, history=past(*history))
        assert solve_problem(problem).release is None or requirement.obstacle(problem) is None
        return requirement.obstacle(problem) or ""

    assert "3 of 5 tuples, 6 tuples would be needed" in obstacle(GlobalGuarantee(l=2), "1a 2a 3a 4b 5c")
    assert "3 different values" in obstacle(GlobalGuarantee(l=3), "1a 2a 3b 4b", fakes=9)
    assert obstacle(GlobalGuarantee(l=2), "1a 2b 3c") == ""
    exhausted = release("1a 2b")
    assert "row 1 can never be" in obstacle(GlobalGuarantee(l=2), "1a 3b 4c", exhausted, fakes=9)
    spent = release("1a 2b 3c 4d")
    again = release("1a 5b 6c 7d")
    assert "row 1 needs a group of 9 tuples" in obstacle(GlobalGuarantee(l=2), "1a 5b 6c", spent, again)
    # a and b are exhausted, c and d may fill a third of a group each: nothing for the last third.
    past_values = exhausted, release("1c 2d 3e 4f")
    assert "so many values" in obstacle(GlobalGuarantee(l=2), "1c 5a 6b 7d", *past_values)


# --- parameters -----------------------------------------------------------------------------


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=by_name)
def test_settings_round_trip_through_json(requirement: LinkBudget) -> None:
    settings = json.loads(json.dumps(requirement.settings()))
    assert build_requirement(requirement.name, settings) == requirement
    assert settings["protected_values"] is None or settings["protected_values"] == sorted(
        requirement.protected_values or ()
    )
    assert requirement.scope.value == "group"


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("global_guarantee", {"l": 1}, "l must be above 1"),
        ("global_guarantee", {"l": "many"}, "l must be a number"),
        ("global_guarantee", {"l": 2, "protected_values": []}, "at least one value"),
        ("global_guarantee", {"l": 2, "protected_values": "flu"}, "must list"),
        ("constant_ratio", {"l": 2, "k": 0}, "k must be a whole number of at least 1"),
        ("constant_ratio", {"l": 2, "k": 2, "beyond": "hope"}, "beyond must be"),
        ("geometric", {"l": 2, "a": 1}, "a must be above 1"),
    ],
)
def test_wrong_parameters(name: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        build_requirement(name, settings)


@pytest.mark.parametrize("requirement", REQUIREMENTS[::2], ids=by_name)
def test_only_for_transient_values(requirement: LinkBudget) -> None:
    table, policy = people("1a 2b"), Policy([requirement])
    with pytest.raises(PolicyError, match="protects transient values"):
        Problem(table=microdata(table, "persistent"), policy=policy)
    Problem(table=microdata(table, "both"), policy=policy)


def test_largest_share_equals_a_search_over_all_denominators() -> None:
    random = Random(10)
    for _ in range(300):
        limit, bound = random.randint(1, 40), Fraction(random.randint(0, 40), random.randint(40, 60))
        found = largest_share(lambda n, size, bound=bound: n <= bound * size, limit)
        assert found == max(Fraction(int(bound * q), q) for q in range(1, limit + 1))
    # No rational bound: 12/17 is the best approximation of 1/sqrt(2) from below up to 20.
    assert largest_share(lambda n, size: 2 * n * n <= size * size, 20) == Fraction(12, 17)
