"""Significance, the fixpoint, estimates and the loss metric of al Bouna, Clifton and Malluhi."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from cases.correlations import FIGURE_2, GROUPS, fixpoint, safe_choices, significant

from optanon.models.correlation import PairCounts, Significance, pre_suppress, significant_values
from optanon.models.errors import PolicyError
from optanon.models.exposure import LossMetric, ValueExposure, exposures
from optanon.models.release import QIGroup
from optanon.models.table import Member

THIRD = Fraction(1, 3)


def members(pairs: list[tuple[str, str]]) -> list[Member]:
    return [Member(f"p{i}", (v,), s) for i, (v, s) in enumerate(pairs)]


def pair_counts(pairs: list[tuple[str, str]]) -> PairCounts:
    return PairCounts.count(members(pairs), 0)


def figure_1() -> tuple[QIGroup, ...]:
    return tuple(
        QIGroup(
            members=tuple(
                Member(f"{g}{i}", (country, maker), drug) for i, (country, maker, drug) in enumerate(rows)
            )
        )
        for g, rows in enumerate(GROUPS)
    )


def all_members(groups: tuple[QIGroup, ...]) -> list[Member]:
    return [member for group in groups for member in group.members]


def limits(low: str = "0.1", high: str = "0.9", least: str = "0.2", support: str = "joint") -> Significance:
    return Significance(
        min_confidence=Fraction(low),
        max_confidence=Fraction(high),
        min_support=Fraction(least),
        support=support,  # pyright: ignore[reportArgumentType]
    )


# --- counts and significance -----------------------------------------------------------------


def test_counts_of_the_printed_table() -> None:
    counts = PairCounts.count(all_members(figure_1()), 0)
    assert counts.total == 15
    assert {v: counts.occurrences(v) for v in counts.of} == {"United States": 9, "Columbia": 4, "France": 2}
    assert counts.confidence("United States", "Mild") == THIRD
    assert counts.confidence("United States", "Azelaic") == Fraction(2, 9)
    assert counts.confidence("United States", "Epsom") == counts.confidence("Peru", "Mild") == 0
    assert counts.support("United States", "Mild", "joint") == Fraction(1, 5)
    assert counts.support("United States", "Mild", "qi") == Fraction(3, 5)


def test_thresholds_are_inclusive_and_absent_values_no_candidates() -> None:
    counts = pair_counts([("v", s) for s in "aabbbbbbbb"] + [("w", "c")] * 10)
    # conf(a) = 1/5, conf(b) = 4/5; joint supports 2/20 and 8/20.
    assert significant_values(counts, "v", limits("1/5", "4/5", "1/10")) == {"a", "b"}
    assert significant_values(counts, "v", limits("1/5", "4/5", "1/9")) == {"b"}
    assert significant_values(counts, "v", limits("19/100", "81/100", "0")) == frozenset()
    assert significant_values(counts, "v", limits("0", "1", "0")) == frozenset()
    assert significant_values(counts, "v", limits("1/5", "1", "1/2", "qi")) == {"a"}
    assert significant_values(counts, "v", limits("1/5", "1", "51/100", "qi")) == frozenset()


def test_joint_support_leaves_the_low_branch_of_the_printed_thresholds_empty() -> None:
    # c(v, s)/|T| <= conf(v, s) <= 0.1 < 0.2: no table can have such a value.
    random = Random(0)
    low_with_qi = 0
    for _ in range(300):
        counts = pair_counts(
            [(random.choice("vvvw"), random.choice("aaaaaaaab")) for _ in range(random.randint(1, 30))]
        )
        for v in counts.of:
            joint = significant_values(counts, v, limits())
            assert all(counts.confidence(v, s) >= Fraction(9, 10) for s in joint)
            qi = significant_values(counts, v, limits(support="qi"))
            assert joint <= qi
            low_with_qi += any(counts.confidence(v, s) <= Fraction(1, 10) for s in qi)
    assert low_with_qi > 20


def test_significance_against_the_oracle() -> None:
    random = Random(1)
    for _ in range(300):
        pairs = [(random.choice("vvw"), random.choice("abcd")) for _ in range(random.randint(1, 12))]
        low, high = sorted(Fraction(random.randint(0, 6), 6) for _ in range(2))
        least, support = Fraction(random.randint(0, 3), 6), random.choice(["joint", "qi"])
        found = limits(str(low), str(high), str(least), support)
        for v in {v for v, _ in pairs}:
            assert significant_values(pair_counts(pairs), v, found) == significant(
                pairs, v, low, high, least, support
            )


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"low": "-0.1"}, "min_confidence"),
        ({"high": "1.1"}, "max_confidence"),
        ({"low": "0.5", "high": "0.4"}, "exchange"),
        ({"least": "2"}, "min_support"),
        ({"support": "lift"}, "support"),
    ],
)
def test_thresholds_out_of_range(settings: dict[str, str], word: str) -> None:
    with pytest.raises(PolicyError, match=word):
        limits(**settings)


# --- the fixpoint ----------------------------------------------------------------------------


def test_one_pass_is_not_enough() -> None:
    # c = 1, 5, 3, 2 of 11, max_confidence 1/2, l = 2: only a (1/11) is significant. Without it
    # b has 5/10, then c 3/5, then d 2/2: each alone, so each is hidden as well.
    counts = pair_counts([("v", s) for s in "a" + "b" * 5 + "c" * 3 + "dd"])
    plan = pre_suppress(counts, limits("0.1", "0.5", "0"), 2)["v"]
    assert (plan.rounds, plan.hidden, plan.significant) == (4, frozenset("abcd"), frozenset())


def test_values_may_become_significant_together() -> None:
    # Without a, both b and c have 5/10: enough for l = 2, so they are equalized, not hidden.
    counts = pair_counts([("v", s) for s in "a" + "b" * 5 + "c" * 5])
    plan = pre_suppress(counts, limits("0.1", "0.5", "0"), 2)["v"]
    assert (plan.rounds, plan.hidden, plan.significant) == (1, frozenset("a"), frozenset("bc"))


def test_fixpoint_against_the_oracle() -> None:
    random = Random(2)
    repeated = 0
    for _ in range(400):
        pairs = [(random.choice("vvw"), random.choice("abcd")) for _ in range(random.randint(1, 12))]
        low, high = sorted(Fraction(random.randint(0, 6), 6) for _ in range(2))
        least, support = Fraction(random.randint(0, 2), 8), random.choice(["joint", "qi"])
        l = random.randint(2, 3)  # noqa: E741
        plans = pre_suppress(pair_counts(pairs), limits(str(low), str(high), str(least), support), l)
        early, sets = fixpoint(pairs, l, low, high, least, support)
        assert early == [s in plans[v].hidden for v, s in pairs]
        assert {v: plan.significant for v, plan in plans.items() if plan.significant} == {
            v: found for v, found in sets.items() if found
        }
        assert all(not plan.significant or len(plan.significant) >= l for plan in plans.values())
        repeated += any(plan.rounds > 1 for plan in plans.values())
    assert repeated > 20


# --- estimates -------------------------------------------------------------------------------


def united_states() -> ValueExposure:
    # With l = 2 and max_confidence 1/3 the significant drugs of "United States" are Mild and Retinoic.
    groups = figure_1()
    plans = pre_suppress(PairCounts.count(all_members(groups), 0), limits("0.05", "1/3"), 2)
    return next(e for e in exposures(groups, 0, plans) if e.value == "United States")


def test_the_printed_example_has_five_groups_and_nine_united_states() -> None:
    found = united_states()
    assert found.groups == (0, 1, 2, 3, 4)
    assert found.counts == (2, 2, 1, 2, 2)
    assert found.hidden == (0, 0, 0, 0, 0)
    assert found.occurrences == 9
    assert found.significant == {"Mild", "Retinoic"}


def test_figure_2_is_not_even_under_uniform_probabilities() -> None:
    told = united_states().linkage(FIGURE_2)
    assert told.expected == {"Mild": 2, "Retinoic": Fraction(4, 3)}
    assert told.spread == Fraction(2, 3)
    assert (told.probability("Mild"), told.probability("Retinoic")) == (THIRD, Fraction(2, 9))
    assert told.constant == 3
    assert not told.is_safe(2, Fraction(0))
    assert told.is_safe(2, Fraction(2, 3))
    assert told.is_safe(3, Fraction(2, 3))
    assert not told.is_safe(4, Fraction(2, 3))


def test_no_published_cell_is_safe_and_tells_nothing() -> None:
    told = united_states().linkage((0, 0, 0, 0, 0))
    assert told.is_safe(6, Fraction(0))
    assert told.constant is None
    assert told.probability("Mild") == 0


def test_cells_of_the_fixpoint_are_counted_apart() -> None:
    # Columbia: four drugs with confidence 1/4, the only significant values at max_confidence
    # 1/4; l = 5 is more than four, so all of its cells are hidden beforehand.
    groups = figure_1()
    plans = pre_suppress(PairCounts.count(all_members(groups), 0), limits("0", "1/4", "0"), 5)
    columbia = next(e for e in exposures(groups, 0, plans) if e.value == "Columbia")
    assert (columbia.groups, columbia.counts, columbia.hidden) == ((0, 2, 4), (0, 0, 0), (1, 2, 1))
    assert columbia.significant == frozenset()


def test_the_cap_is_redundant_for_uniform_shares_in_diverse_groups() -> None:
    # p_jk <= 1/l in every group, so est_k <= sum x / l whatever is published.
    random = Random(3)
    for _ in range(200):
        l, chosen = random.randint(2, 4), []  # noqa: E741
        for _ in range(random.randint(1, 4)):
            times = random.randint(1, 2)
            values = random.sample("abcdef", random.randint(l, 6))
            chosen.append({k: Fraction(times, times * len(values)) for k in values})
        counts = [random.randint(0, 2) for _ in chosen]
        epsilon, wanted = Fraction(random.randint(0, 2), 3), set(random.sample("abcdef", 3))
        with_cap = set(safe_choices(counts, chosen, wanted, l, epsilon))
        assert with_cap == set(safe_choices(counts, chosen, wanted, 1, epsilon))


def test_given_probabilities_must_be_probabilities() -> None:
    parts = {"value": "v", "significant": frozenset("ab"), "groups": (0,), "counts": (2,), "hidden": (0,)}
    with pytest.raises(PolicyError, match="group 1: probabilities"):
        ValueExposure(**parts, shares=({"a": Fraction(2, 3), "b": Fraction(2, 3)},))
    with pytest.raises(PolicyError, match="probabilities"):
        ValueExposure(**parts, shares=({"a": Fraction(-1, 3)},))
    with pytest.raises(PolicyError, match="per group"):
        ValueExposure(**parts, shares=())
    with pytest.raises(PolicyError, match="at least 0"):
        ValueExposure(**{**parts, "counts": (-1,)}, shares=({},))


# --- loss metric -----------------------------------------------------------------------------


def test_loss_metric_of_figure_2_over_both_denominators() -> None:
    metric = LossMetric(hidden=9 - sum(FIGURE_2), occurrences=9, tuples=15)
    assert metric.of_table == Fraction(1, 5)  # by the definition
    assert metric.of_value == THIRD  # as the text says


@pytest.mark.parametrize("numbers", [(-1, 2, 3), (3, 2, 3), (1, 4, 3), (0, 0, 3)])
def test_loss_metric_refuses_impossible_counts(numbers: tuple[int, int, int]) -> None:
    hidden, occurrences, tuples = numbers
    with pytest.raises(PolicyError, match="loss metric"):
        LossMetric(hidden=hidden, occurrences=occurrences, tuples=tuples)
