"""The global guarantee and its two strategies: published examples, traps, and values derived by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.transient import REQUIREMENTS, by_name, microdata, past, published, safe, some_history
from oracle.brute_force_notation import people, release

from optanon.models.breach_probability import (
    NOT_LINKED,
    Exposure,
    breach_probability,
    exposure,
    minimum_ratio,
)
from optanon.models.errors import PolicyError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirement import Requirement
from optanon.models.requirements import build_requirement
from optanon.models.requirements.constant_ratio import ConstantRatio
from optanon.models.requirements.geometric import Geometric
from optanon.models.requirements.global_guarantee import GlobalGuarantee
from optanon.models.requirements.link_budget import LinkBudget
from optanon.models.table import Microdata, Sensitive
from optanon.solver.search import solve, solve_problem

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


def test_a_group_without_the_value_is_no_link() -> None:
    assert NOT_LINKED.linked(0, 5) == NOT_LINKED
    assert NOT_LINKED.linked(1, 5).linked(0, 2) == Exposure(links=1, never=Fraction(4, 5))


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
    for most in (Fraction(2, 3), Fraction(1, 2), Fraction(1, 5)):
        for spent in (Fraction(0), Fraction(1, 7), Fraction(1, 5)):
            ratio = minimum_ratio(1 / most, spent)
            assert (ratio is None) == (spent == most)
            assert ratio is None or 1 - (1 - spent) * (1 - 1 / ratio) == most


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
    assert not GlobalGuarantee(l=2).structure().monotone


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
    for most, k in ((Fraction(1, 2), 2), (Fraction(1, 2), 5), (Fraction(1, 3), 4), (Fraction(2, 3), 3)):
        strategy, spent = ConstantRatio(l=1 / most, k=k), NOT_LINKED
        for link in range(k):
            size = strategy.smallest_size(2, spent)
            assert size == strategy.smallest_size(2), link
            spent = spent.linked(2, size)
        assert spent.probability <= most
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
        most, a = Fraction(4, random.randint(5, 20)), Fraction(random.randint(5, 20), 4)
        strategy, spent = Geometric(l=1 / most, a=a), NOT_LINKED
        for i in range(1, 8):
            count = random.randint(1, 3)
            least = strategy.smallest_size(count, spent)
            assert least is not None
            assert not strategy.fits(count, least - 1, spent)
            spent = spent.linked(count, least + random.randint(0, 3))
            assert spent.probability <= (1 - 1 / a**i) * most


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


# --- whole problems ---------------------------------------------------------------------------


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


def test_counterfeits_can_be_many_if_shares_barely_add_up_to_one() -> None:
    # P' is 4/7, 3/7 + (4/7)(1/3) and 2/3 for a, b, c: shares 5/12, 11/32 and 1/4 add up to 97/96.
    history = past(
        bf.Release((bf.Group(people("o:b"), (("c", 2),)),)),
        bf.Release((bf.Group(people("o:a"), (("a", 3), ("b", 3))),)),
    )
    guarantee = GlobalGuarantee(l=Fraction(4, 3))
    result = solve(
        microdata(people("o:a")), Policy([guarantee], ["counterfeits"]), history, seed=1, workers=1
    )
    assert result.release is not None
    # 12 is the least size S with floor(5S/12) + floor(11S/32) + floor(S/4) >= S.
    assert dict(result.release.groups[0].histogram) == {"a": 5, "b": 4, "c": 3}


def test_obstacles_by_hand() -> None:
    def obstacle(requirement: Requirement, text: str, *history: bf.Release, fakes: int = 0) -> str:
        policy = Policy([requirement], max_counterfeits=fakes)
        problem = Problem(table=microdata(people(text)), policy=policy, history=past(*history))
        assert (
            solve_problem(problem).release is None or requirement.bounds(problem).infeasible_because is None
        )
        return requirement.bounds(problem).infeasible_because or ""

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


@pytest.mark.parametrize("listed", [["A"], ["b", " a"], ["hiv", "cancer"]])
def test_protected_values_that_nobody_has_are_refused(listed: list[str]) -> None:
    table = microdata(people("1a 2b"), "transient")
    said = "has none of them" if "hiv" in listed else "differs in blanks, case"
    with pytest.raises(PolicyError, match=said):
        solve(table, Policy([GlobalGuarantee(l=2, protected_values=listed)]))


def test_a_protected_value_may_be_missing_from_one_table() -> None:
    table = microdata(people("1a 2b"), "transient")
    declared = replace(table, sensitive=replace(table.sensitive, domain=frozenset({"hiv"})))
    ordered = replace(table, sensitive=replace(table.sensitive, order=("a", "b", "hiv")))
    rule = Policy([GlobalGuarantee(l=2, protected_values=["hiv"])])
    rest = Policy([GlobalGuarantee(l=2, protected_values=["hiv", "a"])])
    before = History([published(release("1:hiv 2:b 3:b 4:b"))])
    asked = [(declared, rule, History()), (ordered, rule, History()), (table, rest, History())]
    for some, policy, history in [*asked, (table, rule, before)]:
        assert solve(some, policy, history, display=False).status.value == "OPTIMAL"


@pytest.mark.parametrize("requirement", REQUIREMENTS[::2], ids=by_name)
def test_only_for_transient_values(requirement: LinkBudget) -> None:
    table, policy = people("1a 2b"), Policy([requirement])
    with pytest.raises(PolicyError, match="protects transient values"):
        Problem(table=microdata(table, "persistent"), policy=policy)
    Problem(table=microdata(table, "both"), policy=policy)


# --- what is left for later releases ----------------------------------------------------------


def _afterwards(requirement: GlobalGuarantee, release: Release, history: History) -> str | None:
    ask = requirement.structure().afterwards
    assert ask is not None
    return ask(release, history)


def test_a_release_says_who_cannot_be_published_once_more() -> None:
    """Four people in two pairs reach 1/2 at once; who is counted has no release left, the others have."""
    frame = pd.DataFrame({"id": list("wxyz"), "age": [1, 2, 8, 9], "ill": list("abab")})
    table = Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers={"age": "numeric"},
        sensitive=Sensitive(name="ill", persistence="transient"),
    )
    pairs = Problem(table=table, policy=Policy([GlobalGuarantee(l=2)]))
    halves = pairs.assemble([[0, 1], [2, 3]])
    assert next(pairs.check(halves), None) is None
    told = _afterwards(GlobalGuarantee(l=2), halves, History())
    assert told is not None
    assert told.startswith("4 of 4 respondents have used up global_guarantee")
    again = solve(table, pairs.policy, History([halves]))
    assert again.status.value == "INFEASIBLE"
    first = solve(table, pairs.policy)
    assert first.release is not None
    assert first.summary is not None
    assert dict(first.summary.lines).get("later", "") == first.summary.later
    assert first.summary.later == (_afterwards(GlobalGuarantee(l=2), first.release, History()) or "")
    assert first.summary.later == told

    # 1 - (1/3) / (1/2) = 1/3 is left of either value: no shares that add up to 1.
    looser = GlobalGuarantee(l=Fraction(3, 2))
    told = _afterwards(looser, halves, History())
    assert told is not None
    assert told.startswith("4 of 4 respondents")
    assert solve(table, Policy([looser]), History([halves])).status.value == "INFEASIBLE"
    # 1 - (1/5) / (1/2) = 3/5 of either: one release more, and no other.
    five, history = GlobalGuarantee(l=Fraction(5, 4)), History([halves])
    assert _afterwards(five, halves, History()) is None
    second = solve(table, Policy([five]), history).release
    assert second is not None
    assert str(_afterwards(five, second, history)).startswith("4 of 4 respondents")
    history.append(second)
    assert solve(table, Policy([five]), history).status.value == "INFEASIBLE"
    # Beside values that nobody protects there is always room.
    one = _afterwards(GlobalGuarantee(l=2, protected_values=["a"]), halves, History())
    assert one is not None
    assert one.startswith("2 of 4 respondents")


def test_planned_releases_never_dead_end_and_lose_no_more_than_the_constant_ratio():
    """The same people with other values each time: in the end groups of 4 do, where the ratio asks for 5."""
    planned, constant = GlobalGuarantee(l=2, releases=3), ConstantRatio(l=2, k=3)
    losses: dict[str, list[Fraction]] = {}
    for requirement in (planned, constant):
        history = History()
        for time in range(3):
            frame = pd.DataFrame(
                [(f"p{i}", i // 2, "abcdef"[(i + time) % 6]) for i in range(12)],
                columns=["id", "x", "ill"],
            )
            table = Microdata.from_frame(
                frame,
                respondent="id",
                quasi_identifiers={"x": "numeric"},
                sensitive=Sensitive(name="ill", persistence="transient"),
            )
            problem = Problem(table=table, policy=Policy([requirement]), history=history)
            result = solve_problem(problem, time_limit=20, display=False)
            assert result.release is not None
            losses.setdefault(requirement.name, []).append(problem.objective(result.release)[0])
            history.append(result.release)
        assert all(
            exposure(history, f"p{i}").get(value, NOT_LINKED).probability <= Fraction(1, 2)
            for i in range(12)
            for value in "abcdef"
        )
    assert losses[planned.name][0] == losses[constant.name][0]
    assert losses[planned.name][2] < losses[constant.name][2]


def test_what_whole_sizes_left_over_is_used_by_a_plan():
    """After one of 5, one of 3 keeps the bound: 1 - 4/5 * 2/3 = 7/15; whoever was never linked needs 4."""
    rule = GlobalGuarantee(l=2, releases=2)
    spent = NOT_LINKED.linked(1, 5)
    assert rule.smallest_size(1) == 4
    assert rule.smallest_size(1, spent) == 3
    assert ConstantRatio(l=2, k=2).smallest_size(1, spent) == 4
    assert "releases" not in GlobalGuarantee(l=2).settings()
    assert rule.settings()["releases"] == 2
    with pytest.raises(PolicyError, match="releases"):
        GlobalGuarantee(l=2, releases=0)
