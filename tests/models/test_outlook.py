"""The outlook: what is measured, simulated lives against closed forms, prices, losses made of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb, sqrt
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from oracle.series import people, table
from ortools.sat.python import cp_model

import optanon as oa
from optanon.instances.problem_file import load_policy, load_problem
from optanon.models.compiled_random import ONE
from optanon.models.encoding import Encoding
from optanon.models.errors import PolicyError, ProblemFileError
from optanon.models.history import History
from optanon.models.losses import loss
from optanon.models.outlook import life
from optanon.models.outlook.asked import Outlook
from optanon.models.outlook.forecast import Forecast, _filled, forecast  # pyright: ignore[reportPrivateUsage]
from optanon.models.outlook.prices import SignaturePrices, groups_by_signature, sizes
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import HcSafety, KCAnonymity, WeakMInvariance

F = Fraction
LEVELS = ["counterfeits", "information_loss"]


def verdicts(wide: int, bad: Sequence[int]) -> Any:
    """What plain groups may not share; groups may not join."""
    found = np.zeros((1, 2, 2 * wide + 1), dtype=np.bool_)
    found[0, 0, list(bad)] = True
    return found


def lived(start: int, wide: int, releases: int, stays: float, bad: Sequence[int], draws: int) -> float:
    """Mean counterfeits of lives in which nobody comes."""
    total = life.lives(
        start,
        wide,
        releases,
        draws,
        np.full(wide, 10, dtype=np.int64),
        np.full(wide, int(stays * ONE), dtype=np.int64),
        np.zeros(wide, dtype=np.int64),
        0,
        verdicts(wide, bad),
        np.array([4711], dtype=np.int64),
    )
    return total / draws


@pytest.mark.parametrize("stays", [0.9, 0.6])
@pytest.mark.parametrize("bad", [(), (2,)])
def test_the_life_of_one_group_is_what_chance_says(stays: float, bad: tuple[int, ...]):
    """Three people, one release: two who stay need one counterfeit, or apart from one another four."""
    gone, draws = 1 - stays, 4_000
    outcomes = {0: stays**3, 4 if bad else 1: 3 * stays**2 * gone, 2: 3 * stays * gone**2}
    mean = sum(fakes * chance for fakes, chance in outcomes.items())
    spread = sqrt(sum(fakes**2 * chance for fakes, chance in outcomes.items()) / draws)
    assert abs(lived(1, 3, 1, stays, bad, draws) - mean) < 5 * spread


def test_several_groups_need_as_many_as_their_most_frequent_value():
    """Two values, two groups, nothing forbidden: twice the larger of two binomials, less all who stay."""
    stays, draws = 0.7, 4_000
    chance = [comb(2, j) * stays**j * (1 - stays) ** (2 - j) for j in range(3)]
    mean = sum(chance[i] * chance[j] * (2 * max(i, j) - i - j) for i, j in product(range(3), repeat=2))
    assert abs(lived(2, 2, 1, stays, (), draws) - mean) < 5 * 2 / sqrt(draws)


def test_nobody_leaves_nothing_is_needed_and_compiled_lives_are_those_of_plain_python():
    assert lived(4, 3, 5, 1.0, (2,), 50) == 0
    plain = getattr(life.lives, "py_func", None)
    if plain is None:
        pytest.skip("numba is not installed")

    def total(run: object) -> int:
        assert callable(run)
        state = np.array([99], dtype=np.int64)
        many, stays = np.full(4, 9, dtype=np.int64), np.full(4, int(0.8 * ONE), dtype=np.int64)
        return run(3, 3, 2, 5, many, stays, stays, ONE // 5, verdicts(3, [2]), state)

    assert total(plain) == total(life.lives) > 0


def test_vacancies_are_filled_as_two_binomials_say():
    """E min(A, D) / E D, over all pairs of numbers, in fractions."""
    leaves, arrivals, many = F(1, 4), F(3, 2), 6
    trials = 24
    gone = [comb(many, j) * leaves**j * (1 - leaves) ** (many - j) for j in range(many + 1)]
    come = [
        comb(trials, j) * (arrivals / trials) ** j * (1 - arrivals / trials) ** (trials - j)
        for j in range(trials + 1)
    ]
    both = sum(min(i, j) * p * q for i, p in enumerate(gone) for j, q in enumerate(come))
    assert abs(_filled(many, float(leaves), float(arrivals)) - float(both / (many * leaves))) < 1e-12
    assert _filled(5, 0.0, 1.0) == 0 == _filled(5, 0.5, 0.0)
    assert _filled(5_000, 0.1, 500.0) > 0.95


# -- what is measured ---------------------------------------------------------------------


def in_groups_of(size: int, problem: Problem) -> Release:
    rows = range(len(problem.table))
    return problem.assemble([rows[i : i + size] for i in range(0, len(rows), size)])


def frames(*names: str) -> list[oa.Microdata]:
    """Tables of people with one letter, whose value is whether it is a vowel."""
    return [
        oa.Microdata.from_frame(
            pd.DataFrame({"id": list(n), "x": range(len(n)), "v": ["ab"[c in "aeiou"] for c in n]}),
            respondent="id",
            quasi_identifiers=["x"],
            sensitive="v",
        )
        for n in names
    ]


def test_survival_arrivals_and_returns_are_read_off_the_releases():
    first, second, third = frames("abcdef", "abcghi", "abcdgk")
    history = History()
    for here in (first, second):
        history.append(in_groups_of(3, Problem(table=here, policy=Policy([KCAnonymity(k=2)]))))
    found = forecast(third, history, Outlook(arrivals="measured"))
    # Three of six stayed, then four of six (a, b, c, g); d is back, of d, e, f who were away.
    assert found.survival == (int(F(7, 12) * ONE),) * 2
    assert found.returns == int(F(1, 3) * ONE)
    assert found.values == ("a", "b")
    assert found.people == (5, 1)
    given = Outlook(survival={"b": F(1, 2)}, returns=F(1, 4), arrivals={"a": 3})
    found = forecast(third, history, given)
    assert found.survival == (int(F(7, 12) * ONE), int(F(1, 2) * ONE))
    assert found.returns == int(F(1, 4) * ONE)
    assert found.refill[0] > 0 == found.refill[1]
    nothing = forecast(first, History(), Outlook())
    assert nothing.survival == (int(F(9, 10) * ONE),) * 2
    assert nothing.returns == 0


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"releases": 0}, "releases"),
        ({"survival": 1.5}, "survival"),
        ({"survival": {"flu": -1}}, "flu"),
        ({"arrivals": "soon"}, "arrivals"),
        ({"arrivals": {"flu": -1}}, "arrivals"),
        ({"returns": "never"}, "returns"),
        ({"draws": 0}, "draws"),
        ({"seed": -1}, "seed"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(settings: dict[str, object], named: str):
    with pytest.raises(PolicyError, match=named):
        Outlook(**settings)  # pyright: ignore[reportArgumentType]


# -- prices -------------------------------------------------------------------------------


def problem_of(random: Random, number: int = 9, **outlook: object) -> Problem:
    policy = Policy(
        [WeakMInvariance(m=2), HcSafety(n=2)],
        LEVELS,
        outlook=Outlook(draws=20, **outlook),  # pyright: ignore[reportArgumentType]
    )
    return Problem(table=table(people(random, number, "abc")), policy=policy)


def test_prices_are_straight_between_draws_and_go_on_beyond():
    prices = SignaturePrices(draws=2, starts=(1, 2, 4), totals=((3, (8, 6, 12)),))
    assert [prices.of(3, n) for n in range(6)] == [0, 4, 3, F(9, 2), 6, F(15, 2)]
    assert prices.of(6, 2) == 6  # value by value
    falling = SignaturePrices(draws=1, starts=(1, 2), totals=((2, (5, 3)),))
    assert falling.of(2, 7) == 3


def test_prices_are_straight_between_numbers_of_values_that_lives_are_drawn_for():
    prices = SignaturePrices(draws=1, starts=(1,), totals=((3, (6,)), (7, (16,))))
    assert [prices.of(k, 1) for k in (3, 4, 5, 7, 14)] == [6, F(17, 2), 11, 16, 32]
    assert sizes(3, 3) == [3, 4, 5, 7, 11]
    assert sizes(3, 12) == [3, 4, 5, 7, 11, 19]


@pytest.mark.parametrize(
    "prices",
    [
        SignaturePrices(draws=2, starts=(1, 2, 4), totals=((3, (8, 6, 12)), (5, (9, 10, 11)))),
        SignaturePrices(draws=1, starts=(1, 2), totals=((2, (5, 3)),)),
        SignaturePrices(draws=3, starts=(1,), totals=((3, (6,)), (7, (16,)))),
    ],
)
def test_prices_all_at_once_are_those_one_by_one(prices: SignaturePrices):
    found = prices.floats(9, 7)
    assert found.shape == (10, 8)
    assert found == pytest.approx(np.array([[float(prices.of(k, n)) for n in range(8)] for k in range(10)]))


def test_wide_signatures_cost_more_than_in_proportion():
    """The more values, the more frequent the most frequent of those who stay."""
    few, many = lived(6, 4, 3, 0.8, (), 2_000), lived(6, 16, 3, 0.8, (), 2_000)
    assert many > 5 * few


def test_a_problem_has_the_same_prices_every_time_and_others_with_another_seed():
    one, other = (problem_of(Random(3)).prices for _ in range(2))
    assert one == other
    assert one is not None
    assert problem_of(Random(3), seed=1).prices != one
    assert problem_of(Random(3), survival=1).prices.of(2, 3) == 0  # pyright: ignore[reportOptionalMemberAccess]


def test_the_level_is_the_sum_over_signatures_of_their_prices():
    problem = problem_of(Random(5))
    members = problem.table.members
    rows = sorted(range(len(members)), key=lambda t: members[t].value)
    release = problem.assemble([rows[i::3] for i in range(3)], [{"a": 1}, {"b": 1}, {}])
    counts: dict[frozenset[str], list[int]] = {}
    for group in release.groups:
        here = counts.setdefault(frozenset(group.histogram), [0, 0, 0])
        for value, count in group.histogram.items():
            here["abc".index(value)] += count
    expected = {signature: max(found) for signature, found in counts.items()}
    assert groups_by_signature(release) == expected
    prices = problem.prices
    assert prices is not None
    priced = sum(prices.of(len(s), n) for s, n in expected.items())
    assert prices.release(release) == priced
    assert problem.objective(release)[1] == max(problem.allowed, priced)
    assert loss("signatures").value(release, problem.table) == len(expected)


def test_without_equal_counts_there_are_no_prices():
    problem = Problem(
        table=table(people(Random(0), 6, "abc")), policy=Policy([KCAnonymity(k=2)], ["expected_counterfeits"])
    )
    with pytest.raises(PolicyError, match="equal counts"):
        problem.objective(in_groups_of(3, problem))


@pytest.mark.parametrize("name", ["signatures", "expected_counterfeits"])
@pytest.mark.parametrize("seed", range(4))
def test_the_least_cost_of_a_fixed_release_is_its_loss(name: str, seed: int):
    """As in `test_losses`, for losses of whole releases."""
    random = Random(seed)
    members = people(random, 5, "abc")
    policy = Policy(
        [WeakMInvariance(m=2)], ["counterfeits", name], outlook=Outlook(draws=5) if "e" in name[:1] else None
    )
    problem = Problem(table=table(members), policy=policy)
    model = Encoding(problem)
    cost = loss(name).encode(model)
    model.cp.minimize(cost.expression)
    rows = list(range(5))
    random.shuffle(rows)
    one, *_, last = problem.values
    release = problem.assemble([rows[:2], rows[2:4], rows[4:]], [{}, {one: 1, last: 1}, {last: seed % 2}])
    model.hint(release)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.fix_variables_to_their_hinted_value = True
    assert solver.solve(model.cp) == cp_model.OPTIMAL
    found = loss(name).decode(round(solver.objective_value), cost.scale, problem.table)
    assert found == loss(name).of_release(release, problem)


# -- the policy ---------------------------------------------------------------------------


def test_an_outlook_is_a_level_after_the_counterfeits_and_part_of_what_is_asked():
    asked = [WeakMInvariance(m=2)]
    plain, ahead = Policy(asked, LEVELS), Policy(asked, LEVELS, outlook=Outlook(releases=3))
    assert [level.name for level in ahead.levels] == [
        "counterfeits",
        "expected_counterfeits",
        "information_loss",
    ]
    assert ahead.changed(max_counterfeits=3).levels == ahead.levels
    assert Policy(asked, ["expected_counterfeits"]).outlook == Outlook()
    assert "outlook" not in plain.content
    assert ahead.content["outlook"]["releases"] == 3
    here = table(people(Random(1), 6, "abc"))
    digests = {Problem(table=here, policy=p).digests["policy"] for p in (plain, ahead)}
    digests.add(
        Problem(table=here, policy=Policy(asked, LEVELS, outlook=Outlook(releases=4))).digests["policy"]
    )
    assert len(digests) == 3
    with pytest.raises(PolicyError, match="counts counterfeits"):
        Policy(asked, ["information_loss"], outlook=Outlook())


def test_a_problem_file_may_look_ahead(tmp_path: Path):
    rows = "\n".join(f"{i},{i},{'abc'[i % 3]}" for i in range(6))
    (tmp_path / "t.csv").write_text(f"id,x,v\n{rows}\n")
    text = (
        "table: t.csv\nrespondent: id\nquasi_identifiers: [x]\nsensitive: v\npolicy:\n"
        "  requirements: [{weak_m_invariance: {m: 3}}]\n  minimize: [counterfeits, information_loss]\n"
        "  outlook: {releases: 2, survival: {a: 0.5}, returns: 1/10}\n"
    )
    (tmp_path / "p.yaml").write_text(text)
    found = load_problem(tmp_path / "p.yaml").policy.outlook
    assert found == Outlook(releases=2, survival={"a": F(1, 2)}, returns=F(1, 10))
    (tmp_path / "p.yaml").write_text(text.replace("releases: 2", "release: 2"))
    with pytest.raises(ProblemFileError, match="release"):
        load_problem(tmp_path / "p.yaml")


def test_survival_may_stand_in_a_column(tmp_path: Path):
    """Each person's own share; prices know the mean of those with one value."""
    shares = ["0.9", "1", "1/2", "0.7", "0", "1/2"]
    rows = "\n".join(f"{i},{i},{'abc'[i % 3]},{share}" for i, share in enumerate(shares))
    (tmp_path / "t.csv").write_text(f"id,x,v,stays\n{rows}\n")
    text = (
        "table: t.csv\nrespondent: id\nquasi_identifiers: [x]\nsensitive: v\npolicy:\n"
        "  requirements: [{weak_m_invariance: {m: 3}}]\n  minimize: [counterfeits, information_loss]\n"
        "  outlook: {releases: 2, survival_column: stays}\n"
    )
    (tmp_path / "p.yaml").write_text(text)
    means = {"a": F(4, 5), "b": F(1, 2), "c": F(1, 2)}
    problem, asked = load_problem(tmp_path / "p.yaml"), Outlook(releases=2, survival=means)
    assert problem.policy.outlook == asked
    assert load_policy(tmp_path / "p.yaml", {}) == problem.policy
    assert forecast(problem.table, History(), asked).survival[0] == int(F(4, 5) * ONE)
    for wrong, said in (("stays", "stay"), ("releases: 2", "releases: 2, survival: 1/2")):
        (tmp_path / "p.yaml").write_text(text.replace(wrong, said))
        with pytest.raises(ProblemFileError, match="survival_column"):
            load_problem(tmp_path / "p.yaml")
    with pytest.raises(PolicyError, match="survival in row 2"):
        Outlook.by_value("ab", ["0.5", 2])


def test_forecasts_are_whole_numbers():
    found = forecast(table(people(Random(2), 12, "abcd")), History(), Outlook())
    assert isinstance(found, Forecast)
    assert all(0 <= n <= ONE for n in (*found.survival, *found.refill, found.returns))
