"""What compromised respondents give away, against all subsets of people and all worlds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from random import Random

import oracle.brute_force as bf
import pytest
from cases.attacks import history
from cases.compromises import Oracle, Series, cases
from command_line import run
from oracle.brute_force_notation import group, release

from optanon.instances import catalog
from optanon.models.adversary.cells import population, respondents_of
from optanon.models.adversary.knowledge import Knowledge
from optanon.models.errors import InputError, PolicyError
from optanon.models.history import History
from optanon.models.n_choose import restriction_estimate
from optanon.models.requirements import HcSafety
from optanon.solver.insight.what_if.breach_chance import Estimate
from optanon.solver.insight.what_if.giveaways import giveaways
from optanon.solver.insight.what_if.what_if import pairwise_degree, what_if
from optanon.solver.settings import Clock
from optanon.solver.worlds.blocks import Block, Held, blocks
from optanon.solver.worlds.possible import possible_values


@pytest.mark.parametrize("seed", [1, 2])
def test_singles_and_pairs_equal_enumeration(seed: int) -> None:
    harmful = paired = 0
    for series, known in cases(seed):
        oracle = Oracle(series, dict(known))
        found = what_if(history(series), Knowledge(compromised=dict(known)), pairs=True)
        assert found.complete
        assert found.given == len(known)
        assert found.disclosed == len(oracle.free) - len(oracle.uncertain())
        told = {name: oracle.given_away(name) for name in oracle.free}
        assert found.giveaways.harmful == sum(map(bool, told.values()))
        # One entry per kind of interchangeable people; each says who exactly, and sizes descend.
        shown = [len(entry.others) for entry in found.giveaways.singles]
        assert shown == sorted(shown, reverse=True)
        assert shown[:1] == sorted(map(len, told.values()), reverse=True)[: len(shown[:1])]
        for entry in found.giveaways.singles:
            (who,) = entry.compromised
            assert entry.others == told[who]
        for entry in found.giveaways.pairs:
            assert len(entry.compromised) == 2
            assert entry.others == oracle.given_away(*entry.compromised)
        best = max((len(oracle.given_away(*pair)) for pair in combinations(oracle.free, 2)), default=0)
        listed = max((len(entry.others) for entry in found.giveaways.pairs), default=0)
        single = max(shown, default=0)
        # Pairs of which one gives away nobody are not listed across blocks.
        assert listed == best or (best <= single and listed <= best)
        harmful += bool(shown)
        paired += best > 2 * single
    assert harmful > 20
    assert paired


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_smallest_sets_equal_enumeration(seed: int) -> None:
    sizes: Counter[int | None] = Counter()
    for series, known in cases(seed):
        oracle = Oracle(series, dict(known))
        found = what_if(history(series), Knowledge(compromised=dict(known)), smallest=True)
        assert found.smallest is not None
        listed = {who: entry for entry in found.smallest for who in entry.targets}
        for who in oracle.uncertain():
            wanted = oracle.smallest(who)
            sizes[wanted] += 1
            if who not in listed:
                assert wanted is None
                continue
            entry = listed[who]
            assert entry.exact
            assert entry.never == (wanted is None)
            assert entry.size == wanted
            if wanted is not None and who == entry.targets[0]:
                assert len(set(entry.example)) == wanted
                assert oracle.disclosed(who, frozenset(entry.example))
        assert listed.keys() <= set(oracle.uncertain())
        wanted_sizes = [s for who in oracle.uncertain() if (s := oracle.smallest(who)) is not None]
        assert found.true_degree == min(wanted_sizes, default=None)
    assert {None, 1, 2, 3, 4} <= sizes.keys()


def test_cell_mates_tell_about_one_another() -> None:
    """Two people who were always together have a and b: whoever knows one knows the other."""
    series = [release("1a 2b 3c 4c"), release("1a 2b", "3c 4c")]
    found = what_if(history(series), smallest=True)
    assert [(e.compromised, e.others) for e in found.giveaways.singles] == [
        (("1",), {"2"}),
        (("2",), {"1"}),
    ]
    assert found.true_degree == 1
    assert found.disclosed == 2
    several = what_if(history([release("1a 2a 3b 4c")]), smallest=True)
    assert several.sizes == {"2": 2, "3": 2}  # a: the two others; b and c: three
    assert several.true_degree == 2


def test_counterfeits_may_protect_for_ever() -> None:
    found = what_if(history([release(group("1a 2b", "c"))]), smallest=True)
    assert found.smallest is not None
    assert found.true_degree is None
    assert not found.giveaways.singles
    assert found.sizes in ({}, {"never": 2})


def test_the_true_degree_is_below_the_pairwise_one() -> None:
    """A chain over three releases: no two groups share two people, yet knowing one gives two away."""
    series = [
        release("6a 7b 8c", "3a 4b 5c"),
        release("0a 7b 5c", "6a 4b 2c"),
        release("0a 1b 8c", "3a 7b 2c"),
    ]
    found = what_if(history(series), smallest=True)
    assert found.degree is not None
    assert found.degree >= 2
    assert found.true_degree == 1
    assert found.giveaways.singles[0].others >= {"3", "6"}


def test_pairwise_degree_is_what_the_requirement_says() -> None:
    seen: set[int | None] = set()
    for series, _ in (*cases(6), *equal_groups(7)):
        past = history(series)
        degree = pairwise_degree(past)
        seen.add(degree)

        def keeps(n: int, past: History = past) -> bool:
            rule = HcSafety(n=n, reading="definition")
            return not any(list(rule.check(new, History(past.releases[:i]))) for i, new in enumerate(past))

        if degree is None:
            assert keeps(8)
        else:
            assert degree == 0 or keeps(degree)
            assert not keeps(degree + 1)
    assert {None, 1, 2} <= seen


def equal_groups(seed: int) -> Iterator[tuple[Series, None]]:
    """Releases whose groups all publish a, b and c once."""
    random = Random(seed)
    for _ in range(60):
        people = [[bf.Person(f"{v}{i}", (), v) for i in range(3)] for v in "abc"]
        made: list[bf.Release] = []
        for _ in range(2):
            columns = [random.sample(column, 3) for column in people]
            made.append(bf.Release(tuple(bf.Group(tuple(row)) for row in zip(*columns, strict=True))))
        yield tuple(made), None


# --- probability ------------------------------------------------------------------------------


def exact_chances(series: Series, p: Fraction) -> tuple[Fraction, Fraction | None]:
    """Of somebody and of a random respondent being disclosed, over all sets of compromised people."""
    oracle = Oracle(series, {})
    uncertain = oracle.uncertain()
    times = Counter(p.name for groups, _ in series for g in groups for p in g.members)
    chance = {name: 1 - (1 - p) ** times[name] for name in oracle.free}
    someone = Fraction(0)
    each = dict.fromkeys(uncertain, Fraction(0))
    for size in range(len(oracle.free) + 1):
        for chosen in combinations(oracle.free, size):
            weight = Fraction(1)
            for name in oracle.free:
                weight *= chance[name] if name in chosen else 1 - chance[name]
            told = oracle.given_away(*chosen)
            someone += weight if told else 0
            for name in told:
                each[name] += weight / (1 - chance[name])
    return someone, sum(each.values(), Fraction(0)) / len(each) if each else None


def test_simulation_covers_the_exact_probability() -> None:
    """95 % intervals: of 40 estimates a few may miss, and they are not all wide."""
    missed = total = 0
    for number, (series, _) in enumerate(cases(8, 25)):
        p = Fraction(1, 5)
        someone, respondent = exact_chances(series, p)
        found = what_if(history(series), probability=p, trials=400, seed=number).chance
        assert found is not None
        for estimate, exact in ((found.someone, someone), (found.respondent, respondent)):
            if exact is None:
                assert estimate.share is None
                continue
            total += 1
            assert estimate.trials == 400
            assert estimate.high - estimate.low < 0.12
            missed += not estimate.low <= exact <= estimate.high
    assert total > 40
    assert missed <= 7  # 50 trials of 5 %: more has a probability below 0.004


def test_simulation_repeats_itself() -> None:
    series, _ = next(case for case in cases(9) if Oracle(case[0], {}).uncertain())
    one, again, other = (
        what_if(history(series), probability="0.3", trials=200, seed=seed).chance for seed in (1, 1, 2)
    )
    assert one == again
    assert one is not None
    assert other is not None
    assert other.seed == 2
    assert "no bound" in one.note


def test_the_formula_beside_the_simulation() -> None:
    """Two releases with one correlation of degree 1: f is .0086 or less, the truth near p."""
    past = history(
        [release("1a 2b 3c 4d 5e 6f", "7a 8b 9c xd ye zf"), release("1a 2b 3c 4d 5e zf", "7a 8b 9c xd ye 6f")]
    )
    found = what_if(past, probability=Fraction(1, 25), trials=4000).chance
    assert found is not None
    assert (found.history, found.signature, found.degree) == (2, 6, 1)
    assert found.formula == restriction_estimate(p=Fraction(1, 25), history=2, m=6, n=1)
    assert found.someone.low > found.formula


def test_interval_is_clopper_pearsons() -> None:
    """Its ends are where the tail of the binomial distribution is 2.5 %."""
    found = Estimate.of(7, 50, 0, Fraction(95, 100))

    def at_least(k: int, p: float) -> float:
        return sum(comb(50, i) * p**i * (1 - p) ** (50 - i) for i in range(k, 51))

    assert abs(at_least(7, found.low) - 0.025) < 1e-9
    assert abs(1 - at_least(8, found.high) - 0.025) < 1e-9
    assert (Estimate.of(0, 9, 0, Fraction(1, 2)).low, Estimate.of(9, 9, 0, Fraction(1, 2)).high) == (0.0, 1.0)
    doubtful = Estimate.of(7, 50, 5, Fraction(95, 100))
    assert doubtful.low == found.low
    assert doubtful.high > found.high
    assert doubtful.share == Fraction(7, 45)


# --- limits, reports, the command line ----------------------------------------------------------


def test_what_is_not_decided_in_time_is_open() -> None:
    left_open = 0
    for series, _ in cases(10, 40):
        oracle = Oracle(series, {})
        found = what_if(history(series), smallest=True, pairs=True, time_limit=1e-9)
        assert found.smallest is not None
        for entry in found.smallest:
            wanted = oracle.smallest(entry.targets[0])
            left_open += not entry.exact
            assert wanted is None or entry.at_least <= wanted
            assert not entry.exact or entry.never or entry.size == wanted
        for entry in found.giveaways.singles:
            assert entry.others <= oracle.given_away(*entry.compromised)
    assert left_open > 10


def test_nothing_is_asked_once_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    ask = Block.ask

    def counted(block: Block, target: int, held: Held, clock: Clock) -> object:
        asked.append(target)
        return ask(block, target, held, clock)

    monkeypatch.setattr(Block, "ask", counted)
    left_out = 0
    for series, _ in cases(10, 40):
        past = history(series)
        people = population(past, Knowledge())
        parts = list(blocks(people, possible_values(people, Clock()).bounds))
        names = respondents_of(people, past)
        whole = giveaways(parts, names, Clock(), pairs=True)
        for most in (0, 2, 5):
            asked.clear()
            found = giveaways(parts, names, Clock(stop=lambda most=most: len(asked) >= most), pairs=True)
            # The kinds of one block are asked about together: one who is compromised, all the others.
            assert len(asked) <= most + max((len(part.kinds) for part in parts), default=0)
            assert most or not asked
            assert found.undecided or found == whole
            assert found.harmful <= whole.harmful
            left_out += bool(found.undecided)
    assert left_out > 20


def test_worlds_that_are_kept_no_longer_are_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    for series, known in cases(1, 30):
        past, beside = history(series), Knowledge(compromised=dict(known))
        whole = what_if(past, beside, pairs=True, smallest=True)
        with monkeypatch.context() as few:
            few.setattr("optanon.solver.worlds.blocks.MOST_WORLDS", 1)
            found = what_if(past, beside, pairs=True, smallest=True)
        assert found.giveaways == whole.giveaways
        assert found.sizes == whole.sizes


def test_a_ray_is_not_believed_but_checked() -> None:
    """Every answer "certain" of the linear program agrees with CP-SAT."""
    excluded = 0
    for series, _ in cases(11, 60):
        people = population(history(series), Knowledge())
        for block in blocks(people, possible_values(people).bounds):
            for target in block.kinds:
                for other in block.kinds:
                    held = {other: 1}
                    if other == target and block.truth[target] < 2:
                        continue
                    verdict, _ = block.ask(target, held, Clock())
                    lower, upper = block.lower.copy(), block.upper.copy()
                    lower[other] = max(1, lower[other])
                    upper[target] = min(int(upper[target]), block.room(target, held))
                    if (lower <= upper).all():
                        assert block._search(lower, upper, Clock())[0] == verdict
                        excluded += verdict == 0
    assert excluded > 10


def test_report_names_nobody_unless_asked() -> None:
    series = [release("Ann:flu Bob:cold Cem:acne"), release("Ann:flu Bob:cold", "Cem:acne Dan:gout")]
    found = what_if(history(series), pairs=True, smallest=True, probability="0.1", trials=20)
    plain, shown = found.to_dict(), found.to_dict(show_ids=True)
    assert json.loads(json.dumps(plain)) == plain
    for text in (json.dumps(plain), repr(found), repr(found.giveaways), repr(found.smallest)):
        assert "Ann" not in text
        assert "Bob" not in text
    assert "Ann" in json.dumps(shown)
    assert plain["true_degree"] == 1
    assert found.note is None


def test_errors_say_what_to_do() -> None:
    past = history([release("1a 2b")])
    with pytest.raises(InputError, match="append a release first"):
        what_if(History())
    with pytest.raises(InputError, match="never change"):
        what_if(past, Knowledge(persistence="transient"))
    with pytest.raises(InputError, match="more than 0 seconds"):
        what_if(past, time_limit=-1)
    with pytest.raises(InputError, match="from 0 to 1"):
        what_if(past, probability=2)
    with pytest.raises(InputError, match="at least 1"):
        what_if(past, probability="0.5", trials=0)
    with pytest.raises(PolicyError, match="probability must be a number"):
        what_if(past, probability="half")
    with pytest.raises(PolicyError, match="seed must be a whole number of at least 0"):
        what_if(past, probability="0.5", seed=-1)


def test_options_of_a_simulation_are_not_for_nothing(tmp_path: Path) -> None:
    done = run("what-if", "r.csv", "--trials", 50, "--seed", 3, folder=tmp_path)
    assert done.returncode == 2
    assert "--trials, --seed: of a simulation, which needs --probability" in done.stderr


def test_command_line(tmp_path: Path) -> None:
    folder = catalog.path("hospital")
    files = [folder / f for f in ("release-1.steward.csv", "release-2-printed.steward.csv")]
    options = [
        "--pairs",
        "--smallest",
        "--probability",
        "0.04",
        "--trials",
        "50",
        "--json",
        tmp_path / "w.json",
    ]
    done = run("what-if", folder / "release-2.yaml", *files, *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Erica" not in done.stdout + (tmp_path / "w.json").read_text()
    report = json.loads((tmp_path / "w.json").read_text())
    assert report["true_degree"] == report["pairwise_degree"] == 1
    assert report["chance"]["formula_parameters"] == {"L": 2, "m": 3, "n": 1}
    assert "no bound" in done.stdout
    shown = run("what-if", folder / "release-2.yaml", *files, "--show-ids", folder=tmp_path)
    assert "Carl" in shown.stdout
    assert "Erica" in shown.stdout


def test_steward_copies_need_no_problem_file(tmp_path: Path) -> None:
    folder = catalog.path("hospital")
    files = [folder / f for f in ("release-1.steward.csv", "release-2-printed.steward.csv")]
    bare = run("what-if", *files, "--smallest", "--show-ids", "--json", tmp_path / "a.json", folder=tmp_path)
    named = run(
        "what-if",
        folder / "release-2.yaml",
        *files,
        "--smallest",
        "--show-ids",
        "--json",
        tmp_path / "b.json",
        folder=tmp_path,
    )
    assert bare.returncode == named.returncode == 0, bare.stderr + named.stderr
    assert json.loads((tmp_path / "a.json").read_text()) == json.loads((tmp_path / "b.json").read_text())
    assert bare.stdout == named.stdout
    # What is known anyway comes from a file, as for an audit.
    (tmp_path / "known.yaml").write_text("compromised: {Carl: gastritis}\n")
    refused = run("what-if", *files, "--knowledge", "known.yaml", folder=tmp_path)
    assert refused.returncode == 2
    assert "true value" in refused.stderr
