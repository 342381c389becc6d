"""Def. 7 of al Bouna, Clifton and Malluhi: combinations of quasi-identifiers, and their fixpoint."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

from optanon.models.antecedents import antecedents, combination, shown
from optanon.models.combined_plans import combined_plans
from optanon.models.correlation import Significance
from optanon.models.release import QIGroup
from optanon.models.table import Member


def test_subsets_come_small_ones_first() -> None:
    assert list(antecedents((4, 1, 2))) == [(4,), (1,), (2,), (4, 1), (4, 2), (1, 2), (4, 1, 2)]


def test_different_combinations_have_different_texts() -> None:
    words = ["a", "&", "a &", "& a", "a & a", "&&", ""]
    texts = {combination(pair, (0, 1)) for pair in product(words, words)}
    assert len(texts) == len(words) ** 2
    assert combination(("a & b", "c"), (0,)) == "a & b"


def test_a_row_shows_a_combination_if_it_hides_none_of_its_cells() -> None:
    people = (Member("1", ("u", "x"), "a"), Member("2", ("u", "y"), "b"), Member("3", ("v", "x"), "c"))
    group = QIGroup(members=people, hidden=((0, "u", 1), (1, "y", 1)))
    assert shown(group, (0,)) == {"u": 1, "v": 1}
    assert shown(group, (1,)) == {"x": 2}
    assert shown(group, (0, 1)) == {"v & x": 1}


def significant(pairs: list[tuple[str, str]], v: str, total: int, rule: Significance) -> set[str]:
    mine = [s for w, s in pairs if w == v]
    found = set[str]()
    for s, count in Counter(mine).items():
        base = count if rule.support == "joint" else len(mine)
        confident = not rule.min_confidence < Fraction(count, len(mine)) < rule.max_confidence
        if confident and Fraction(base, total) >= rule.min_support:
            found.add(s)
    return found


def test_what_a_subset_hides_its_supersets_do_not_count() -> None:
    """Tuple by tuple, from the definition: a hidden part hides the whole combination."""
    random, inherited = Random(5), 0
    for _ in range(150):
        people = [
            Member(f"p{i}", (random.choice("uv"), random.choice("xy")), random.choice("abc"))
            for i in range(random.randint(2, 14))
        ]
        low, high = sorted(Fraction(random.randint(0, 6), 6) for _ in range(2))
        rule = Significance(
            min_confidence=low,
            max_confidence=high,
            min_support=Fraction(random.randint(0, 2), 10),
            support=random.choice(["joint", "qi"]),
        )
        plans = combined_plans(people, (0, 1), rule, 2)
        gone: dict[tuple[int, ...], set[str]] = {}
        for subset in ((0,), (1,), (0, 1)):
            smaller = [gone[(a,)] for a in subset] if len(subset) > 1 else []
            before = set[str]().union(*smaller)
            hidden = set(before)
            while True:
                left = [(combination(m.point, subset), m.value) for m in people if m.respondent not in hidden]
                few = {
                    (v, s)
                    for v in {v for v, _ in left}
                    for found in [significant(left, v, len(people), rule)]
                    if 0 < len(found) < 2
                    for s in found
                }
                if not few:
                    break
                hidden |= {m.respondent for m in people if (combination(m.point, subset), m.value) in few}
            gone[subset] = hidden
            inherited += bool(before)
            told = {
                m.respondent for m in people if m.value in plans[subset][combination(m.point, subset)].hidden
            }
            assert told == hidden
            for v, plan in plans[subset].items():
                assert plan.significant == significant(left, v, len(people), rule)
    assert inherited > 20
