"""The oracle's attacks and optimum, against printed or hand-derived results."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

import oracle.brute_force as bf
from oracle.brute_force_notation import group, people, release

HALF = Fraction(1, 2)

# Byun et al., Figures 2 and 4.
CLINIC = (
    release("Tom:asthma Mike:flu", "Bob:alzheimer Eve:diabetes"),
    release(
        "Tom:asthma Mike:flu Alice:cancer",
        "Bob:alzheimer Hank:hepatitis",
        "Sal:flu Eve:diabetes",
    ),
)


# --- difference and intersection -----------------------------------------------------------


def test_alice_has_cancer_and_bob_has_alzheimer() -> None:
    old, new = CLINIC
    assert bf.series(bf.k_c(2, HALF), CLINIC)
    found = list(bf.difference_breaches(old, new, 2, HALF))
    assert (frozenset({"Alice"}), Counter({"cancer": 1})) in found
    # {Bob, Eve} inside {Bob, Hank, Eve, Sal} leaves two people with two values: allowed.
    assert all(difference.names != {"Hank", "Sal"} for difference in found)
    assert not bf.difference_safety(2, HALF)(new, [old])
    assert bf.inferable_values(CLINIC, "Bob") == Counter({"alzheimer": 1})
    for reading in ("multiset", "set"):
        assert not bf.intersection_safety(HALF, reading)(new, [old])
        assert bf.intersection_safety(HALF, reading)(old, [])
    # "Three other records": Eve by intersection, then Hank and Sal by exclusion.
    certain = {name for name, values in bf.possible_values(CLINIC).items() if len(values) == 1}
    assert certain == {"Alice", "Bob", "Eve", "Hank", "Sal"}
    assert bf.possible_values(CLINIC)["Tom"] == {"asthma", "flu"}


def test_difference_needs_both_directions_and_all_releases() -> None:
    old, new = release("1a 2b 3c"), release("1a 2b")
    assert [d.names for d in bf.difference_breaches(new, old, 2, HALF)] == [{"3"}]
    assert not list(bf.difference_breaches(old, new, 2, HALF))
    check = bf.difference_safety(2, HALF)
    assert not check(new, [old])
    assert not check(new, [old, release("7a 8b")])
    # An unchanged table is no attack, nor are two halves of a group.
    assert check(old, [old])
    assert check(release("1a 2b 3c 4d"), [release("1a 2b", "3c 4d")])


def test_difference_and_fakes() -> None:
    # A fake lies in no other group, so this smaller group is inside nothing.
    assert bf.difference_safety(2, HALF)(release("1a 2b 3c"), [release(group("1a", "b"))])
    # The fake hides which of c and d belongs to 3; a difference of fakes harms nobody.
    assert bf.difference_safety(2, HALF)(release(group("1a 2b 3c", "d")), [release("1a 2b")])
    assert not bf.difference_safety(3, HALF)(release(group("1a 2b 3c", "d")), [release("1a 2b")])
    assert bf.difference_safety(2, HALF)(release(group("1a 2b", "d")), [release("1a 2b")])
    with pytest.raises(ValueError, match="differs"):
        bf.difference_safety(2, HALF)(release("1a 2c 3d"), [release("1a 2b")])


def test_safe_covers_can_be_bridged() -> None:
    # {1,2} and {3,4} have disjoint covers and are safe; {5,6,9} lies across both covers.
    old = release("1a 2a", "3a 4a", "5a 6a 9a")
    new = release("1a 2a 5a 7a", "3a 4a 6a 9a")
    (breach,) = bf.difference_breaches(old, new, 2, Fraction(1))
    assert breach.names == {"7"}


def test_three_releases_isolate_what_no_pair_does() -> None:
    history = [release("1a 2b"), release("3c 4d"), release("1a 2b 3c 4d 5e 6e")]
    for check in (bf.difference_safety(2, HALF), bf.intersection_safety(HALF)):
        assert bf.series(check, history)
    assert bf.possible_values(history)["5"] == {"e"}


def test_merging_can_harm_the_multiset_intersection() -> None:
    old = [release("1a 2b 3a 4b")]
    split = release("1a 2b", "3a 4b", "5a 6c")
    merged = release("1a 2b 5a 6c", "3a 4b")
    assert bf.inferable_values([*old, merged], "1") == Counter("aab")
    assert bf.intersection_safety(HALF)(split, old)
    assert not bf.intersection_safety(HALF)(merged, old)
    assert bf.intersection_safety(HALF, "set")(merged, old)


def test_intersection_of_three_releases_and_contradictions() -> None:
    history = [release("1a 2b 3c"), release("1a 4b 5d"), release("1a 6c 7d")]
    check = bf.intersection_safety(HALF)
    assert check(history[1], history[:1])
    assert check(history[2], history[:1])  # {a, c}
    assert not check(history[2], history[:2])  # {a}
    with pytest.raises(ValueError, match="in common"):
        check(release("1z 9y"), history[:1])


# --- record tracing ------------------------------------------------------------------------

LINE = (bf.Numeric(0, 100),)


def test_tracing_finds_what_no_definite_edge_shows() -> None:
    # The s of groups 0 and 1 fit new groups 0 and 1 only, so the s of group 2 must be in new
    # group 2, though it is compatible with all three.
    old = release("2@2s 3@3x", "4@4s 5@5y", "6@6z 25@25s")
    new = release("0@0u 2@2s 3@3x 6@6z 10@10w", "1@1u 4@4s 5@5y 9@9w", "20@20z 25@25s 30@30u")
    exact = {(t.source, t.value): t.targets for t in bf.trace_records(old, new, LINE)}
    loose = bf.trace_records(old, new, LINE, "plausible")
    assert exact[0, "s"] == exact[1, "s"] == {0, 1}
    assert exact[2, "s"] == {2}
    assert {(t.source, t.value): t.targets for t in loose}[2, "s"] == {0, 1, 2}
    assert exact[2, "z"] == {0, 2}
    (trace,) = (t for t in bf.trace_records(old, new, LINE) if (t.source, t.value) == (2, "s"))
    assert bf.traced_people(trace, old, new, LINE) == {"25"}
    assert not bf.tracing_safety(2, LINE)(new, [old])
    assert bf.tracing_safety(2, LINE, "plausible")(new, [old])
    assert bf.tracing_safety(1, LINE)(new, [old])


def test_tracing_counts_people_of_the_old_release_in_the_region() -> None:
    # The record may be in either new group: 0..2 or 8..9; 5 lies between the boxes.
    old = release("0@0a 5@5b 9@9c", "2@2b 3@3c")
    new = release("0@0a 2@2b", "8@8a 9@9c", "3@3c 5@5b")
    (trace,) = (t for t in bf.trace_records(old, new, LINE) if t.value == "a")
    assert trace.targets == {0, 1}
    assert bf.traced_people(trace, old, new, LINE) == {"0", "2", "9"}
    # The b of the old box 2..3 may be in 0..2 or 3..5: only people of the old box count.
    (trace,) = (t for t in bf.trace_records(old, new, LINE) if (t.source, t.value) == (1, "b"))
    assert trace.targets == {0, 2}
    assert bf.traced_people(trace, old, new, LINE) == {"2", "3"}


def test_tracing_categories() -> None:
    kinds = (bf.Flat(("m", "f", "x")), bf.Ordered(("low", "mid", "high")))
    ann, bob = bf.Person("1", ("f", "low"), "a"), bf.Person("2", ("f", "high"), "b")
    cy, di = bf.Person("3", ("m", "mid"), "a"), bf.Person("4", ("m", "mid"), "b")
    old = bf.Release((bf.Group((ann, bob)),))
    assert bf.box(old.groups[0], kinds) == ({"f"}, {"low", "mid", "high"})
    assert bf.box(bf.Group((ann, cy)), kinds) == ({"m", "f", "x"}, {"low", "mid"})
    # The new group of men fits neither record.
    apart = bf.Release((bf.Group((ann, bob)), bf.Group((cy, di))))
    assert all(t.targets == {0} for t in bf.trace_records(old, apart, kinds))
    mixed = bf.Release((bf.Group((ann, cy)), bf.Group((bob, di))))
    assert bf.tracing_safety(1, kinds)(mixed, [old])
    assert not bf.tracing_safety(2, kinds)(mixed, [old])


def test_tracing_refuses_what_is_not_defined() -> None:
    old = release("1@1a 2@2b")
    for past, now in (
        (old, release("1@1a 3@3b")),
        (release(group("1@1a 2@2b", "c")), release("1@1a 2@2b")),
    ):
        with pytest.raises(ValueError, match="published again"):
            bf.trace_records(past, now, LINE)
    with pytest.raises(ValueError, match="no matching"):
        bf.trace_records(old, release("1@1c 2@2b"), LINE)


# --- safe correlation ----------------------------------------------------------------------

SALES = {
    "United States": {"Mild": 3, "Retinoic": 3, "Azelaic": 2, "Adapalene": 1},
    "Columbia": {"Azelaic": 1, "Cytarabine": 1, "Retinoic": 1, "Epsom": 1},
    "France": {"Azelaic": 1, "Cytarabine": 1},
}
DRUGS = [
    bf.Person(f"{country} {drug} {i}", (country,), drug)
    for country, drugs in SALES.items()
    for drug, count in drugs.items()
    for i in range(count)
]


def test_significance_on_the_prescription_table() -> None:
    def found(low: Fraction, high: Fraction, share: Fraction, *, qi: bool = False) -> set[str]:
        support = "qi" if qi else "joint"
        return set(bf.significant_values(DRUGS, 0, low, high, share, support)["United States"])

    # Counts 3, 3, 2, 1 of 9; |T| = 15. Every threshold is inclusive.
    never, always, third = Fraction(0), Fraction(1), Fraction(1, 3)
    assert found(never, third, Fraction(3, 15)) == {"Mild", "Retinoic"}
    assert found(never, third + Fraction(1, 100), Fraction(3, 15)) == set()
    assert found(never, third, Fraction(4, 15)) == set()
    assert found(Fraction(1, 9), always, Fraction(1, 15)) == {"Adapalene"}
    assert found(Fraction(1, 9), always, Fraction(9, 15)) == set()
    assert found(Fraction(1, 9), always, Fraction(9, 15), qi=True) == {"Adapalene"}
    assert found(Fraction(1, 9), always, Fraction(10, 15), qi=True) == set()
    # One United States of Mild becomes '*': 3 of 8 have Retinoic, 2 of 8 Mild.
    hidden = [bf.Person("hidden", ("*",), "Mild"), *DRUGS[1:]]
    assert bf.significant_values(hidden, 0, never, Fraction(3, 8), never) == {
        "United States": {"Retinoic"},
        "Columbia": set(),
        "France": {"Azelaic", "Cytarabine"},
    }


def test_joint_support_empties_the_low_branch_of_the_printed_thresholds() -> None:
    random = Random(5)
    rare = 0
    for _ in range(200):
        rows = [bf.Person(str(i), (random.choice("xxxy"),), random.choice("aaab")) for i in range(15)]
        # No confidence reaches 2: only the low branch is left.
        low = (Fraction(1, 10), Fraction(2), Fraction(1, 5))
        assert not any(bf.significant_values(rows, 0, *low).values())
        rare += any(bf.significant_values(rows, 0, *low, "qi").values())
    assert rare


# --- optimum -------------------------------------------------------------------------------


def test_optimum_of_two_pairs() -> None:
    table = people("1@0a 2@1b 3@10a 4@11b")
    line = (bf.Numeric(0, 11),)
    best = bf.optimum(table, line, [bf.k_c(2, HALF)], ["suppressed", "information_loss"])
    assert best == (0, Fraction(4, 11))
    # Same-valued neighbours must be crossed: {1, 3}, {2, 4} costs 4 * 10/11, {1, 4} with {2, 3}
    # costs 2 * 11/11 + 2 * 9/11, and all four 4.
    table = people("1@0a 2@1a 3@10b 4@11b")
    cost, found = bf.optimal_releases(table, line, [bf.k_c(2, HALF)], ["information_loss"])
    assert cost == (Fraction(40, 11),)
    assert [sorted(sorted(g.names) for g in r.groups) for r in found] == [
        [["1", "4"], ["2", "3"]],
        [["1", "3"], ["2", "4"]],
    ]
    # A worse safe release met first is not kept.
    table = people("1@0a 2@10a 3@1b 4@11b")
    cost, found = bf.optimal_releases(table, line, [bf.k_c(2, HALF)], ["information_loss"])
    assert cost == (Fraction(4, 11),)
    assert len(found) == 1
    checks = [bf.k_c(3)]
    assert bf.optimum(table[:3], line, checks, ["information_loss"]) == (3 * Fraction(10, 11),)
    assert bf.optimum(table[:2], line, checks, ["information_loss"]) is None
    # A release of nobody does not count.
    assert bf.optimum(table[:2], line, checks, ["suppressed"], (), 0, "", 2) is None


def test_optimum_trades_suppression_against_counterfeits() -> None:
    history = [release("1a 2b")]
    table = people("1a 3c")
    checks = [bf.weak_m_invariance(2)]
    assert bf.optimum(table, (), checks, ["counterfeits"], history) is None
    # 1 needs a fake b; 3 is new and needs any other value, so one fake each.
    assert bf.optimum(table, (), checks, ["counterfeits"], history, 1, "abc") == (2,)
    order = ["counterfeits", "suppressed"]
    # One of them must stay, with one fake: a release of nobody does not count.
    assert bf.optimum(table, (), checks, order, history, 1, "abc", 2) == (1, 1)
    assert bf.optimum(table, (), checks, order[::-1], history, 1, "abc", 2) == (0, 2)


def test_minimality_attack() -> None:
    # Who knows that the release is optimal keeps 4 of the 12 worlds; in all of them p3 has H.
    places = (0, 0, 0, 4, 0)

    def best(values: tuple[str, ...]) -> tuple[tuple[Fraction, ...] | None, list[bf.Release]]:
        table = [bf.Person(f"p{i}", (x,), v) for i, (x, v) in enumerate(zip(places, values, strict=True))]
        axis = (bf.Numeric(0, 4),)
        return bf.optimal_releases(table, axis, [bf.k_c(2, HALF)], ["information_loss"])

    worlds = {(*first, *second) for first in permutations("ON") for second in permutations("NHO")}
    surviving = [
        world
        for world in worlds
        for release_ in best(world)[1]
        if {frozenset({"p0", "p1"}), frozenset({"p2", "p3", "p4"})} == {g.names for g in release_.groups}
    ]
    assert len(worlds) == 12
    assert best(("O", "N", "N", "H", "O"))[0] == (3,)
    assert len(surviving) == 4
    assert {world[3] for world in surviving} == {"H"}
