"""The brute-force oracle itself, against printed or hand-derived numbers."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from random import Random

import pytest

import oracle.brute_force as bf
from oracle.brute_force_notation import group, people, release

# Riboni and Bettini, Table 1: groups 1, 2 | 3, 4.
HOSPITAL = (
    release("Alice:cancer Betty:bronchitis Carl:AIDS", "Doris:cancer Erica:AIDS Fiona:bronchitis"),
    release("Carl:AIDS Doris:cancer Fiona:bronchitis", "Erica:AIDS Grace:bronchitis Hanna:cancer"),
)


# --- enumeration ---------------------------------------------------------------------------


def test_set_partitions_are_counted_by_bell_numbers() -> None:
    for n, bell in enumerate([1, 1, 2, 5, 15, 52, 203, 877]):
        found = [frozenset(map(frozenset, blocks)) for blocks in bf.set_partitions(range(n))]
        assert len(found) == len(set(found)) == bell


def test_candidate_releases_are_complete_and_different() -> None:
    table = people("1a 2b 3a 4c")
    # Leaving tuples out is a block with a new dummy element: Bell(5), but not all of them.
    everything = list(bf.candidate_releases(table, max_suppressed=9))
    assert len(everything) == len(set(everything)) == 51
    assert all(release.groups for release in everything)
    assert len(list(bf.candidate_releases(table, max_suppressed=1))) == 15 + 4 * 5
    # At most 2 fakes out of {x, y}: 1 + 2 + 3 choices per group; Stirling numbers 1, 7, 6, 1.
    faked = list(bf.candidate_releases(table, 2, "xyx"))
    assert len(faked) == len(set(faked)) == 6 + 7 * 6**2 + 6 * 6**3 + 6**4
    assert all(set(bf.microdata(r)) == set(table) for r in faked)


def test_admits_filters_the_same_releases() -> None:
    table = people("1a 2b 3a 4b")
    plain = [r for r in bf.candidate_releases(table, 1, "ab") if bf.weak_m_uniqueness(2)(r, ())]
    quick = list(bf.candidate_releases(table, 1, "ab", admits=lambda g: bf.weakly_unique(g, 2)))
    assert quick == plain
    # Of the 15 partitions three have a block {1, 3} or {2, 4}, which one fake cannot balance; in
    # all others the fakes are forced.
    assert len(plain) == 12


# --- losses --------------------------------------------------------------------------------


def test_widths() -> None:
    assert bf.Numeric(0, 40).width([10, 20, 15]) == Fraction(1, 4)
    assert bf.Numeric(Fraction(1, 2), Fraction(5, 2)).width([Fraction(1, 2), 1]) == Fraction(1, 4)
    assert bf.Numeric(7, 7).width([7, 7]) == 0
    assert bf.Ordered(("low", "mid", "high")).width(["mid", "low"]) == Fraction(1, 2)
    assert bf.Ordered(("only",)).width(["only"]) == 0
    assert bf.Flat(("m", "f")).width(["m", "m"]) == 0
    assert bf.Flat(("m", "f")).width(["m", "f"]) == 1
    tree = bf.Taxonomy(
        {
            "Rome": ("Italy", "Europe", "*"),
            "Milan": ("Italy", "Europe", "*"),
            "Paris": ("Paris", "Europe", "Europe", "*"),
            "Tokyo": ("Asia", "*"),
        }
    )
    assert tree.node(["Rome", "Milan"]) == "Italy"
    assert tree.width(["Rome", "Rome"]) == tree.width(["Tokyo"]) == 0
    assert tree.width(["Rome", "Milan"]) == Fraction(2, 4)
    assert tree.width(["Rome", "Paris"]) == Fraction(3, 4)
    assert tree.width(["Rome", "Tokyo"]) == 1
    with pytest.raises(ValueError, match="two meanings"):
        bf.Taxonomy({"a": ("x", "*"), "b": ("x", "y", "*")})
    with pytest.raises(ValueError, match="domain"):
        tree.width(["Oslo"])


def test_losses_by_hand() -> None:
    attributes = (bf.Numeric(0, 10), bf.Flat(("m", "f")))
    who = [bf.Person(str(i), (x, s), "v") for i, (x, s) in enumerate(zip((0, 5, 9, 10), "mmfm", strict=True))]
    made = bf.Release((bf.Group((who[0], who[1]), (("w", 2),)), bf.Group((who[2],), (("u", 1),))), (who[3],))
    assert {name: loss(made, attributes) for name, loss in bf.LOSSES.items()} == {
        "suppressed": 1,
        "counterfeits": 3,
        "information_loss": 2 * Fraction(1, 2) + 0 + 2,
        "average_information_loss": Fraction(3, 4),
        "ncp": Fraction(3, 4 * 2),
        "semiperimeter": Fraction(1, 2),
        "semiperimeter_per_tuple": Fraction(3, 4),
        # Numbers 0, 5, 9, 10 around 6; 0 and 5 around 5/2, 9 alone, 10 left out: around 6.
        "squared_error": 100 * Fraction(25 + 2 * 16, 2 * (36 + 1 + 9 + 16)),
        "squared_error_unscaled": 100 * Fraction(25 + 2 * 16, 2 * (36 + 1 + 9 + 16)),
        "discernibility": 4**2 + 2**2 + 4,
        "maximum_group_size": 4,
        "average_group_size": 2,
    }
    nothing = bf.Release((), (who[3],))
    assert bf.LOSSES["average_group_size"](nothing, attributes) == 1
    assert bf.LOSSES["maximum_group_size"](nothing, attributes) == 0


# --- single groups -------------------------------------------------------------------------


def test_group_checks_at_their_thresholds() -> None:
    def holds(check: bf.Check, values: str) -> bool:
        return check(release(group("1" + values[0], values[1:])), ())

    assert holds(bf.k_c(4, Fraction(1, 2)), "aabc")
    assert not holds(bf.k_c(5, Fraction(1, 2)), "aabc")
    assert not holds(bf.k_c(4, Fraction(49, 100)), "aabc")
    assert holds(bf.distinct_l_diversity(3), "aabc")
    assert not holds(bf.distinct_l_diversity(4), "aabc")
    assert holds(bf.entropy_l_diversity(3), "abc")  # equality: l equal shares
    assert not holds(bf.entropy_l_diversity(Fraction(301, 100)), "abc")
    # a, a, b: 27 >= 4 l^3 up to l = 1.8898...
    assert holds(bf.entropy_l_diversity(Fraction(1889, 1000)), "aab")
    assert not holds(bf.entropy_l_diversity(Fraction(1890, 1000)), "aab")
    # counts 3, 2, 1: strict inequality
    assert not holds(bf.recursive_diversity(1, 2), "aaabbc")
    assert holds(bf.recursive_diversity(Fraction(101, 100), 2), "aaabbc")
    assert not holds(bf.recursive_diversity(3, 3), "aaabbc")
    assert holds(bf.recursive_diversity(4, 3), "aaabbc")
    assert not holds(bf.recursive_diversity(1000, 4), "aaabbc")
    assert holds(bf.weak_m_uniqueness(2), "aabb")
    assert not holds(bf.weak_m_uniqueness(2, strict=True), "aabb")
    assert not holds(bf.weak_m_uniqueness(2), "aab")


def test_t_closeness() -> None:
    # Li, Li and Venkatasubramanian: nine salaries; 0.375 and 0.167.
    order = "3456789xy"
    everybody = Counter(order)
    assert bf.distribution_distance(Counter("345"), everybody, order) == Fraction(3, 8)
    assert bf.distribution_distance(Counter("68y"), everybody, order) == Fraction(1, 6)
    assert bf.distribution_distance(Counter("345"), everybody) == Fraction(2, 3)
    # The reference has the suppressed tuple and no fake: 1/2, 1/4, 1/4 against 2/4, 2/4.
    made = release(group("1a 2a 3b", "b"), suppressed="4c")
    assert bf.t_closeness(Fraction(1, 4))(made, ())
    assert not bf.t_closeness(Fraction(24, 100))(made, ())


# --- invariance and historical correlations ------------------------------------------------


def test_weak_m_invariance_follows_the_respondent_over_gaps() -> None:
    first = release("1a 2b", "3c 4d")
    check = bf.weak_m_invariance(2)
    assert check(release("3c 4d"), [first])
    # 1 comes back after a gap, alone with a stranger: the signature must be {a, b} again.
    assert not check(release("1a 5c"), [first, release("3c 4d")])
    assert check(release(group("1a", "b")), [first, release("3c 4d")])
    assert check(release("1a 5b 6a 7b"), [first])
    assert not bf.weak_m_invariance(2, strict=True)(release("1a 5b 6a 7b"), [first])
    assert bf.series(check, HOSPITAL)
    assert bf.series(bf.weak_m_invariance(3, strict=True), HOSPITAL)


def test_hospital_correlations() -> None:
    (one, two), (three, four) = HOSPITAL[0].groups, HOSPITAL[1].groups
    assert three.names & one.names == {"Carl"}
    assert three.names & two.names == {"Doris", "Fiona"}
    assert bf.correlation_degree([three], [two]) == 1  # {Carl} ~ {Erica}
    assert bf.correlation_degree([three], [one]) == 2  # {Doris, Fiona} ~ {Alice, Betty}
    assert bf.correlation_degree([four], [two]) == 2  # {Grace, Hanna} ~ {Doris, Fiona}
    assert bf.correlation_degree([four], [one]) is None
    for reading in ("definition", "hcsafe"):
        assert bf.series(bf.hc_safety(1, reading), HOSPITAL)
        assert not bf.series(bf.hc_safety(2, reading), HOSPITAL)
        # Group 4 alone has degree 2.
        alone = bf.Release((four,))
        assert bf.hc_safety(2, reading)(alone, HOSPITAL[:1])
        assert not bf.hc_safety(3, reading)(alone, HOSPITAL[:1])


def test_hospital_inference() -> None:
    diseases = ("AIDS", "bronchitis", "cancer")
    assert bf.posterior(HOSPITAL)["Erica"] == dict.fromkeys(diseases, Fraction(1, 3))
    known = bf.possible_values(HOSPITAL, {"Carl": "AIDS"})
    assert known["Erica"] == {"AIDS"}
    assert known["Doris"] == known["Fiona"] == {"bronchitis", "cancer"}


def test_correlations_that_are_none() -> None:
    same = group("1a 2b")
    assert bf.correlation_degree([same], [same]) is None
    assert bf.hc_safety(2, "hcsafe")(bf.Release((same,)), [bf.Release((same,))])
    # Different sizes: Fig. 6 objects to the smaller group, the definition does not.
    old, new = release("1a 2b 3a 4b"), release("1a 2b")
    assert bf.hc_safety(2)(release("1a 5b"), [old])
    assert bf.hc_safety(2, "hcsafe")(new, [old])
    assert not bf.hc_safety(2, "hcsafe")(release("1a 5b"), [old])
    # No common respondent: safe even if n exceeds the size.
    assert bf.hc_safety(9, "hcsafe")(release("8a 9b"), [old])
    # Compared with every earlier release, not only the last.
    abc, middle = release("1a 2b 3c"), release("7a 8b 9c")
    for reading in ("definition", "hcsafe"):
        assert not bf.hc_safety(2, reading)(release("1a 2b 4c"), [abc, middle])


def test_fakes_block_correlations() -> None:
    # A fake against {3}: nobody can know the fake, and there is nobody on its side.
    old, new = group("1a 2b 3c"), group("1a 2b", "c")
    assert bf.correlation_degree([new], [old]) is None
    old, new = group("1a 2b 3c 4d"), group("1a 2b 5c", "d")
    # {3, 4} against 5 and a fake: knowing 3 and 4 tells about 5, not the other way round.
    assert bf.correlation_degree([new], [old]) == 2
    assert bf.correlation_degree([old], [new]) == 2
    both = group("1a 2b 3c", "d")
    assert bf.correlation_degree([new], [both]) is None
    # Fig. 6 objects all the same: overlap 3 of 4 tuples.
    assert not bf.hc_safety(2, "hcsafe")(release(group("1a 2b 5c", "d")), [release("1a 2b 5c 6d")])


def test_union_of_groups_has_degree_one() -> None:
    old = release("1a 2b 4c 7d", "3c 5a 6b 8d")
    new = release("4c 5a 6b 7d", "1a 2b 3c 9d")
    pairs = {bf.correlation_degree([n], [o]) for n in new.groups for o in old.groups}
    assert pairs == {2, 3}
    assert bf.hc_safety(2)(new, [old])
    assert bf.hc_safety(2, "hcsafe")(new, [old])
    assert bf.correlation_degree(new.groups, old.groups) == 1
    assert not bf.hc_safety(2, "unions")(new, [old])
    assert bf.weak_m_invariance(4)(new, [old])
    assert bf.possible_values([old, new])["9"] == set("abcd")
    assert bf.possible_values([old, new], {"8": "d"})["9"] == {"d"}


def test_chain_of_single_groups() -> None:
    # {a,b} ~ {c,d} and {a,c} ~ {b,d}: 2a = 2d, so a and d agree although no pair says it.
    history = [release(g) for g in ("ax bx py qy", "cx dx py qy", "ax cx ry sy", "bx dx ry sy")]
    assert bf.series(bf.hc_safety(2, "unions"), history)
    assert bf.possible_values(history)["d"] == {"x", "y"}
    assert bf.possible_values(history, {"a": "x"})["d"] == {"x"}


# --- transient values ----------------------------------------------------------------------


def test_two_groups_of_two_give_three_quarters() -> None:
    history = [release("1f 2c"), release("1c 2f")]
    assert bf.link_probability(history, "2", "c") == bf.ever_linked(history, "2", "c") == Fraction(3, 4)
    assert not bf.global_guarantee(2)(history[1], history[:1])
    steady = [release("1f 2c"), release("1f 2c")]
    assert bf.posterior(steady)["2"]["c"] == Fraction(1, 2)


def test_two_groups_of_four() -> None:
    history = [release("1f 2c 3f 4v"), release("1c 2f 3v 4f")]
    worlds = list(product(*(bf.arrangements(r.groups[0]) for r in history)))
    assert len(worlds) == 144
    assert sum("c" in (first[1], second[1]) for first, second in worlds) == 63
    assert bf.ever_linked(history, "2", "c") == bf.link_probability(history, "2", "c") == Fraction(7, 16)
    # Chlamydia is fine, flu (2 of 4, twice) is not.
    assert bf.global_guarantee(2, protected="c")(history[1], history[:1])
    assert not bf.global_guarantee(2)(history[1], history[:1])
    # A third link needs a group of nine.
    for size in (8, 9):
        third = release("2c " + " ".join(f"{90 + i}{i}" for i in range(size - 1)))
        assert bf.global_guarantee(2, protected="c")(third, history) == (size == 9)


def test_sizes_three_then_four_reach_one_half() -> None:
    history = [release("1s 2a 3b"), release("1s 4a 5b 6c")]
    assert bf.link_probability(history, "1", "s") == Fraction(1, 2)
    assert bf.global_guarantee(2)(history[1], history[:1])
    assert not bf.global_guarantee(2)(release("1s 7a 8b 9c"), history)
    assert bf.global_guarantee(2, protected="s")(release("1x 7x"), history)


def test_splitting_a_violating_group_can_heal_it() -> None:
    past = [release("oc 2f 3f 4v"), release("oc 2f 3v 4f")]
    whole = release("ox 5y 6z 7w 8c 9u 10t 11r")
    split = release("ox 5y 6z 7w", "8c 9u 10t 11r")
    assert bf.link_probability([*past, whole], "o", "c") == Fraction(65, 128)
    assert not bf.global_guarantee(2, protected="c")(whole, past)
    assert bf.global_guarantee(2, protected="c")(split, past)


def test_formula_agrees_with_enumeration() -> None:
    random = Random(1)
    for _ in range(30):
        history: list[bf.Release] = []
        for _ in range(random.randint(1, 3)):
            names = random.sample("123", random.randint(1, 3))
            text = " ".join(name + random.choice("ab") for name in ["o", *names])
            history.append(release(group(text, random.choice(["", "a", "bb"]))))
        worlds = list(product(*(bf.arrangements(r.groups[0]) for r in history)))
        hit = sum("a" in (slots[0] for slots in world) for world in worlds)
        chance = Fraction(hit, len(worlds))
        assert chance == bf.link_probability(history, "o", "a") == bf.ever_linked(history, "o", "a")


# --- persistent values ---------------------------------------------------------------------


def test_fakes_are_dummy_slots() -> None:
    found = bf.posterior([release(group("1a 2b", "ac"))])
    assert found["1"] == found["2"] == {"a": Fraction(1, 2), "b": Fraction(1, 4), "c": Fraction(1, 4)}
    worlds = list(bf.persistent_worlds([release(group("1a 2b", "ac"))]))
    # By persons only it would be 3 of 7.
    assert len(worlds) == 7
    assert sum(world.values["1"] == "a" for world in worlds) == 3
    assert sum(world.weight for world in worlds) == 12


def test_persistent_can_be_worse_than_transient() -> None:
    history = [release("1a 2b"), release("1a 3c")]
    assert bf.posterior(history)["1"] == {"a": 1}
    assert bf.ever_linked(history, "1", "a") == Fraction(3, 4)
    with pytest.raises(ValueError, match="no possible world"):
        bf.posterior(history, {"1": "b"})
    with pytest.raises(ValueError, match="in no group"):
        bf.posterior(history, {"7": "b"})


def test_posterior_equals_a_count_of_all_labelled_arrangements() -> None:
    random = Random(2)
    for _ in range(25):
        values = {name: random.choice("abc") for name in "12345"}
        history: list[bf.Release] = []
        for _ in range(2):
            names = random.sample("12345", 4)
            cut = random.randint(1, 3)
            texts = (" ".join(n + values[n] for n in part) for part in (names[:cut], names[cut:]))
            history.append(release(*(group(t, random.choice(["", "a", "bc"])) for t in texts)))
        assert bf.posterior(history) == _posterior_by_arrangements(history)


def _posterior_by_arrangements(history: list[bf.Release]) -> dict[str, dict[str, Fraction]]:
    groups = [g for r in history for g in r.groups]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    total = 0
    for world in product(*(bf.arrangements(g) for g in groups)):
        seen: dict[str, set[str]] = defaultdict(set)
        for g, slots in zip(groups, world, strict=True):
            for person, value in zip(g.members, slots, strict=False):
                seen[person.name].add(value)
        if all(len(found) == 1 for found in seen.values()):
            total += 1
            for name, (value,) in seen.items():
                counts[name][value] += 1
    return {n: {v: Fraction(k, total) for v, k in found.items()} for n, found in counts.items()}


def test_weak_m_invariance_gives_exactly_one_over_signature() -> None:
    random = Random(3)
    met_fakes = 0
    for _ in range(8):
        first = people(" ".join(f"{i}{v}" for i, v in enumerate("aabbcc")))
        old = random.choice(list(_invariant(first, [], 0)))
        stay = random.sample(first, 3)
        second = (*stay, *people(" ".join(f"{i}{random.choice('abc')}" for i in (7, 8))))
        choices = list(_invariant(second, [old], 2))
        if not choices:
            continue
        new = random.choice(choices)
        met_fakes += any(g.fakes for g in new.groups)
        for name, found in bf.posterior([old, new]).items():
            (signature,) = {g.signature for g in bf.groups_with([old, new], name)}
            assert found == dict.fromkeys(signature, Fraction(1, len(signature)))
        # Which implies the two attacks fail for k = m = 2, c = 1/2.
        assert bf.difference_safety(2, Fraction(1, 2))(new, [old])
        assert bf.intersection_safety(Fraction(1, 2))(new, [old])
    assert met_fakes


def _invariant(table: tuple[bf.Person, ...], history: list[bf.Release], max_fakes: int) -> list[bf.Release]:
    found = bf.candidate_releases(table, max_fakes, "abc", admits=lambda g: bf.weakly_unique(g, 2))
    return [r for r in found if bf.weak_m_invariance(2)(r, history)]
