"""Baselines beside engines: figures, proven distances, files; against brute force where it reaches."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import oracle.brute_force as bf
import pandas as pd
import pytest
from command_line import run
from oracle.partition import random_problem

import optanon as oa
from optanon.instances import catalog
from optanon.instances.generators import clustered_table, generated_roles, series
from optanon.models.policy import RecodingKind
from optanon.solver import settling
from optanon.solver.baselines.registry import baselines
from optanon.solver.insight.comparison import comparing
from optanon.solver.insight.comparison.distance import (
    FoundRelease,
    ProvenBounds,
    Reference,
    distance,
    reference,
)
from optanon.solver.insight.comparison.figures import figures, queries_for
from optanon.solver.verify.outcome import UndecidedError

A, B, AB = frozenset("a"), frozenset("b"), frozenset("ab")


def levels(*numbers: int | None) -> tuple[Fraction | None, ...]:
    return tuple(None if number is None else Fraction(number) for number in numbers)


def value(*numbers: int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, numbers))


# --- what is proven, put together ------------------------------------------------------------------


def test_a_bound_for_fewer_requirements_holds_for_more_and_not_the_other_way():
    found = [FoundRelease(objective=value(9), broken=frozenset())]
    proofs = [ProvenBounds(asked=A, bounds=levels(5)), ProvenBounds(asked=AB, bounds=levels(4))]
    assert reference(AB, AB, found, proofs) == Reference(optimum=(), bound=Fraction(5))
    assert reference(B, AB, found, proofs) == Reference(optimum=(), bound=None)
    assert reference(A, AB, [], proofs) == Reference(optimum=(), bound=Fraction(5))


def test_a_release_at_the_bound_is_optimal_whoever_found_it():
    proofs = [ProvenBounds(asked=A, bounds=levels(5))]
    kept = FoundRelease(objective=value(5), broken=frozenset())
    assert reference(AB, AB, [kept], proofs).optimum == value(5)
    broken = FoundRelease(objective=value(5), broken=B)
    assert reference(AB, AB, [broken], proofs) == Reference(optimum=(), bound=Fraction(5))
    assert reference(A, AB, [broken], proofs).optimum == value(5)
    limited = FoundRelease(objective=value(5), broken=frozenset({"counterfeits"}))
    assert reference(A, AB, [limited], proofs).optimum == ()


def test_later_levels_count_only_after_the_same_proven_values():
    found = [FoundRelease(objective=value(2, 7), broken=frozenset())]
    first = ProvenBounds(asked=A, bounds=levels(1, 7))  # says something of releases with 1, not with 2
    whole = ProvenBounds(asked=AB, bounds=levels(2, 6))
    assert reference(AB, AB, found, [first, whole]) == Reference(optimum=value(2), bound=Fraction(6))
    same = ProvenBounds(asked=A, bounds=levels(2, 7))
    assert reference(AB, AB, found, [same, whole]) == Reference(optimum=value(2, 7), bound=None)
    none = ProvenBounds(asked=AB, bounds=levels(2, None))
    assert reference(AB, AB, found, [none]) == Reference(optimum=value(2), bound=None)


def test_infeasible_with_some_is_infeasible_with_more():
    proofs = [ProvenBounds(asked=A, bounds=(), infeasible=True)]
    assert reference(AB, AB, [], proofs).infeasible
    assert not reference(B, AB, [], proofs).infeasible


def test_distance_is_taken_on_the_first_level_that_differs():
    known = Reference(optimum=value(0, 10), bound=None)
    worse, dearer, best = (distance(value(*v), known) for v in ((2, 3), (0, 25), (0, 10)))
    assert worse is not None
    assert (worse.level, worse.multiple, worse.excess, worse.text) == (0, None, 2, "0 + 2")
    assert dearer is not None
    assert (dearer.level, dearer.multiple, dearer.text) == (1, Fraction(5, 2), "2.50")
    assert best is not None
    assert (best.level, best.multiple) == (1, 1)
    half = Reference(optimum=value(0), bound=Fraction(8))
    unproven = distance(value(0, 10), half)
    assert unproven is not None
    assert not unproven.proven
    assert unproven.multiple == Fraction(5, 4)
    assert distance(value(0, 10), Reference(optimum=value(0), bound=None)) is None
    assert distance(value(1, 10), half) == distance(value(1, 99), half)


# --- against brute force ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_every_multiple_is_the_one_of_brute_force(seed: int):
    """Seven people; what each baseline promises is enumerated by an oracle of its own."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(7)],
            "x": random.integers(0, 30, 7),
            "v": random.permutation(list("aabbcde")),
        }
    )
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x"], sensitive="v")
    policy = oa.Policy([oa.KCAnonymity(k=2), oa.WeakMInvariance(m=2)])
    asked = oa.Problem(table=table, policy=policy)
    found = oa.compare(asked, queries=0, seed=seed)
    people = [bf.Person(m.respondent, m.point, m.value) for m in table.members]
    low, high = min(frame["x"]), max(frame["x"])
    attributes: list[bf.Attribute] = [bf.Numeric(Fraction(int(low)), Fraction(int(high)))]
    checks = {"k_c_anonymity": bf.k_c(2, Fraction(1)), "weak_m_invariance": bf.weak_m_invariance(2)}

    def best(names: tuple[str, ...]) -> tuple[Fraction, ...]:
        wanted = [checks[name] for name in names]
        optimum, _ = bf.optimal_releases(people, attributes, wanted, ["information_loss"], (), 0, ())
        assert optimum is not None
        return tuple(optimum)

    whole = best(tuple(checks))
    assert found.reference.optimum == whole
    seen = set[str]()
    for row in found.rows:
        if row.figures is None or row.release is None:
            continue
        seen.add(row.name)
        release = row.release
        loss = bf.LOSSES["information_loss"](
            bf.Release(
                tuple(
                    bf.Group(
                        tuple(bf.Person(m.respondent, m.point, m.value) for m in g.members), g.counterfeits
                    )
                    for g in release.groups
                ),
                (),
            ),
            attributes,
        )
        # Incognito publishes its hierarchy's cells, all others the tightest boxes.
        assert row.figures.objective[0] >= loss
        assert row.figures.objective[0] == loss or row.name.startswith("incognito")
        assert row.distance is not None
        assert row.distance.proven
        assert row.distance.reference == whole[0]
        if row.kind == "baseline" and row.keeps_promises:
            assert row.own is not None
            assert row.own.reference == best(row.promises)[0]
            assert row.own.multiple is not None
            assert row.own.multiple >= 1
        if row.keeps_policy:
            assert row.distance.multiple is not None
            assert row.distance.multiple >= 1
        else:
            assert row.figures.violations
    assert {"mondrian_static", "k_member", "subsets"} <= seen


def test_figures_by_hand():
    """The clinic's printed groups: {Tom, Mike} and {Bob, Eve}; |D| is 36 years and two genders."""
    asked = catalog.load("clinic", "release-1.yaml")
    release = asked.assemble([[0, 1], [2, 3]])
    found = figures(asked, release)
    assert found.information_loss == Fraction(43, 18) == found.objective[0]
    assert (found.groups, found.smallest, found.average, found.largest) == (2, 2, 2, 2)
    assert found.discernibility == 8
    assert found.query_error is None
    assert found.violations == {}
    alone = figures(asked, asked.assemble([[0], [1], [2, 3]]))
    assert alone.violations == {"k_c_anonymity": 4}  # each of two groups is too small and of one value
    assert (alone.smallest, alone.average, alone.largest) == (1, Fraction(4, 3), 2)


# --- sixty people ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sixty() -> oa.Comparison:
    return oa.compare(catalog.load("sixty-people", "generalized.yaml"), seed=0)


def test_the_table_is_the_generators():
    made = clustered_table(60, seed=19, clusters=6).astype(str)
    shipped = pd.read_csv(catalog.path("sixty-people") / "table.csv", dtype=str)
    pd.testing.assert_frame_equal(shipped, made, check_dtype=False)


def test_every_baseline_is_a_multiple_of_the_proven_optimum(sixty: oa.Comparison):
    assert sixty.reference.optimum == (Fraction(1027, 100),)
    rows = [row for row in sixty.rows if row.kind == "baseline"]
    assert {row.name for row in rows} == set(oa.baselines())
    assert [row.name for row in rows if row.refused is not None] == ["safe_correlation"]
    for row in rows:
        if row.figures is None:
            continue
        assert row.distance is not None
        assert row.own is not None
        assert row.distance.proven
        assert row.own.proven
        assert (
            row.distance.value == row.distance.multiple * row.distance.reference == row.figures.objective[0]
        )
        assert row.keeps_promises
        assert row.own.excess >= 0
        assert row.figures.query_error is not None
    engine = sixty["partition"]
    assert engine.status == "OPTIMAL"
    assert engine.distance is not None
    assert engine.distance.multiple == 1


def test_the_best_heuristic_that_keeps_the_policy_is_named(sixty: oa.Comparison):
    kept = [row for row in sixty.rows if row.kind == "baseline" and row.keeps_policy and row.figures]
    best = sixty.best_heuristic
    assert best in kept
    assert best.figures is not None
    assert best.figures.objective == min(row.figures.objective for row in kept if row.figures)
    assert sixty.to_dict()["best_heuristic"] == best.name
    assert oa.compare(catalog.load("sixty-people", "generalized.yaml"), [], []).best_heuristic is None


def test_whoever_promises_less_is_shown_with_its_violations(sixty: oa.Comparison):
    mondrian = sixty["mondrian_static"]
    assert mondrian.figures is not None
    assert mondrian.promises == ("k_c_anonymity",)
    assert set(mondrian.figures.violations) == {
        "distinct_l_diversity",
        "weak_m_invariance",
        "constant_ratio",
        "geometric",
    }
    assert not mondrian.keeps_policy
    assert mondrian.keeps_promises
    for name in ("m_invariance", "cor_split", "anatomy"):
        assert sixty[name].keeps_policy


def test_the_anatomized_policy_has_the_last_baseline():
    found = oa.compare(catalog.load("sixty-people", "anatomized.yaml"))
    row = found["safe_correlation"]
    assert row.keeps_policy
    assert row.distance is not None
    assert row.distance.value == 8
    assert not row.distance.proven, "that 8 hidden cells are fewest is a solver's word"
    assert row.figures is not None
    assert row.figures.query_error is None
    assert found["anatomy"].figures is not None
    assert not found["anatomy"].keeps_policy
    assert found["anatomy"].keeps_promises


def test_the_series_is_the_generators():
    people = clustered_table(150, seed=24, clusters=6)
    frames = series(people, first=60, releases=3, insertions=20, deletions=24, returns=8, seed=24)
    asked = catalog.load("sixty-people", "series.yaml")
    assert [m.respondent for m in asked.table.members] == frames[2]["id"].tolist()
    ever, last = (set(asked.history.records), set(asked.history[-1].where))
    back = {m.respondent for m in asked.table.members} & ever - last
    assert len(back) == 8
    for frame, release in zip(frames, asked.history, strict=False):
        table = generated_roles().table(frame)
        assert set(release.members) == set(table.members)


def test_heuristics_of_a_series_beside_the_proven_optimum():
    found = oa.compare(catalog.load("sixty-people", "series.yaml"), ["m_invariance", "cor_split"])
    assert found.reference.optimum == (Fraction(3), Fraction(1452, 25))
    kept, broken = found["cor_split"], found["m_invariance"]
    assert kept.keeps_policy
    assert kept.distance is not None
    assert (kept.distance.level, kept.distance.multiple, kept.distance.proven) == (0, Fraction(5), True)
    assert broken.figures is not None
    assert set(broken.figures.violations) == {"hc_safety"}
    assert broken.own is not None
    assert broken.own.proven


@pytest.mark.slow
def test_one_command_has_every_heuristic_beside_a_proven_optimum(tmp_path: Path):
    folder = catalog.path("sixty-people")
    files = [str(folder / f"{name}.yaml") for name in ("generalized", "anatomized", "series")]
    outs = [str(tmp_path / f"c.{ending}") for ending in ("csv", "json", "svg")]
    done = run("compare", *files, "--csv", outs[0], "--json", outs[1], "--plot", outs[2], folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    count = len(baselines())
    assert f"{count} of {count} heuristics have a release, {count - 1} of them beside a proven" in done.stdout
    assert "no release by" not in done.stdout
    frame = pd.read_csv(outs[0])
    assert list(frame["problem"].unique()) == files
    proven = frame[(frame["kind"] == "baseline") & (frame["promised reference is"] == "proven optimum")]
    assert set(proven["name"]) == set(oa.baselines()) - {"safe_correlation"}, "CP-SAT's word alone"
    content = json.loads(Path(outs[1]).read_text())
    assert list(content["problems"]) == files
    assert content["problems"][files[2]]["reference"]["optimum"] == ["3", "1452/25"]
    picture = Path(outs[2]).read_text()
    assert all(f"<!-- {name} -->" in picture for name in ("m_invariance", "safe_correlation"))


def test_a_problem_named_twice_is_refused(tmp_path: Path):
    file = str(catalog.path("sixty-people") / "anatomized.yaml")
    done = run("compare", file, file, folder=tmp_path)
    assert done.returncode != 0
    assert "named twice" in done.stderr + done.stdout


def test_the_proof_holds_without_a_solver():
    asked = catalog.load("sixty-people", "generalized.yaml")
    result = oa.solve_problem(asked, display=False)
    assert result.certificate is not None
    confirmed = oa.verify(result.certificate, asked, result.release)
    assert any("exact pricing" in word for word in confirmed.lines)


def test_what_goes_into_files(sixty: oa.Comparison, tmp_path: Path):
    sixty.to_csv(tmp_path / "c.csv")
    sixty.to_json(tmp_path / "c.json")
    frame = pd.read_csv(tmp_path / "c.csv").set_index("name")
    content: dict[str, Any] = json.loads((tmp_path / "c.json").read_text())
    by_name = {row["name"]: row for row in content["results"]}
    assert content["columns"][:3] == ["", "information_loss", "x best"]
    assert {row[0]: row[2] for row in content["rows"]}["mondrian_static"] == "(1.64)"
    for row in sixty.rows:
        flat, nested = frame.loc[row.name], by_name[row.name]
        if row.figures is None:
            assert flat["refused"] == nested["refused"] == row.refused
            continue
        assert Fraction(flat["information_loss exactly"]) == row.figures.objective[0]
        assert Fraction(nested["figures"]["objective"][0]) == row.figures.objective[0]
        assert nested["distance"]["reference_is"] == flat["reference is"] == "proven optimum"
        assert flat["keeps policy"] == nested["keeps_policy"] == row.keeps_policy
    assert not any(f'"r{i}"' in (tmp_path / "c.json").read_text() for i in range(1, 61))


def test_the_plot(sixty: oa.Comparison, tmp_path: Path):
    for name in ("one.svg", "two.svg"):
        sixty.plot(tmp_path / name)
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text()
    for ending in ("png", "pdf"):
        sixty.plot(tmp_path / f"c.{ending}")
        assert (tmp_path / f"c.{ending}").stat().st_size > 5000
    with pytest.raises(oa.InputError, match=r"a plot is a file ending in \.png, \.svg, \.pdf"):
        sixty.plot(tmp_path / "c.jpg")


# --- asking ---------------------------------------------------------------------------------------


def test_wrong_settings_are_refused():
    asked = catalog.load("clinic", "release-1.yaml")
    with pytest.raises(oa.PolicyError, match="unknown baseline 'mondrain'"):
        oa.compare(asked, "mondrain")
    with pytest.raises(oa.InputError, match="baseline 'k_member' is named twice"):
        oa.compare(asked, ["k_member", "k_member"])
    with pytest.raises(oa.PolicyError, match="unknown engine 'fast'"):
        oa.compare(asked, [], "fast")
    with pytest.raises(oa.EngineError, match="engine full_domain"):
        oa.compare(asked, [], ["full_domain"])
    with pytest.raises(oa.PolicyError, match="time_limit"):
        oa.compare(asked, time_limit=0)
    with pytest.raises(oa.InputError, match="selectivity"):
        oa.compare(asked, selectivity=2)
    with pytest.raises(oa.InputError, match="queries"):
        oa.compare(asked, queries=-1)


def test_without_engines_nothing_is_proven():
    asked = catalog.load("clinic", "release-1.yaml")
    found = oa.compare(asked, "mondrian_static", [], promised=False)
    assert found.reference == Reference(optimum=(), bound=None)
    assert [row.name for row in found.rows] == ["mondrian_static"]
    assert found["mondrian_static"].distance is None
    with pytest.raises(KeyError):
        found["subsets"]
    # The search for what it promises, which here is all, proves the optimum as well.
    assert oa.compare(asked, "mondrian_static", []).reference.optimum == (Fraction(43, 18),)


def test_a_counterfeit_counts_on_the_first_level():
    """x was published with y, who has gone: an invented b must stand in."""
    frame = pd.DataFrame({"id": list("xyzw"), "q": [0, 4, 6, 10], "v": list("abcd")})
    roles: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["q"], "sensitive": "v"}
    before = oa.Microdata.from_frame(frame.head(2), **roles)
    table = oa.Microdata.from_frame(frame.drop(index=1), **roles)
    free = oa.Policy([oa.WeakMInvariance(m=2)], ["counterfeits", "information_loss"])
    first = oa.solve(before, free).release
    assert first is not None
    history = oa.History([first])
    found = oa.compare(oa.Problem(table=table, policy=free, history=history), "m_invariance")["m_invariance"]
    assert found.figures is not None
    assert found.figures.objective == (1, Fraction(4, 5))  # z and w: 2 (4/10)
    assert found.keeps_policy
    assert found.distance is not None
    assert (found.distance.level, found.distance.multiple) == (1, 1)
    none = oa.Policy([oa.WeakMInvariance(m=2)])
    strict = oa.compare(oa.Problem(table=table, policy=none, history=history), "m_invariance")
    row = strict["m_invariance"]
    assert strict.reference.infeasible
    assert row.broken_limits == ("counterfeits",)
    assert not row.keeps_promises
    assert row.distance is None


def test_queries_that_count_nobody_are_left_out():
    frame = pd.DataFrame({"id": list("xy"), "q": [0, 10**6], "v": list("ab")})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["q"], sensitive="v")
    assert queries_for(table, 5, 0.0001, 0) is None
    assert queries_for(table, 0, 0.5, 0) is None
    assert queries_for(table, 50, 1, 0) is not None


# --- the command line -----------------------------------------------------------------------------


def test_command(tmp_path: Path):
    problem = catalog.path("hospital") / "release-2.yaml"
    files = ("--csv", "c.csv", "--json", "c.json", "--plot", "c.svg")
    done = run("compare", problem, "--baseline", "m_invariance,cor_split,anatomy", *files, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = [line for line in done.stdout.splitlines() if line.startswith("│")]
    lines = {line.split("│")[1].strip(): line for line in reversed(shown)}  # the first table's
    assert "proven optimum: counterfeits 0, information_loss 10.7143" in done.stdout
    # 60/7 is the printed release, 75/7 the best one that is safe.
    assert "(0.80)" in lines["m_invariance"]
    assert "hc_safety" in done.stdout
    assert "1.00" in lines["cor_split"]
    assert "no release by anatomy" in done.stdout
    assert "not a distance from the optimum" in done.stdout
    assert {file.name for file in tmp_path.iterdir()} == {"c.csv", "c.json", "c.svg"}
    frame = pd.read_csv(tmp_path / "c.csv").set_index("name")
    assert frame.loc["m_invariance", "information_loss exactly"] == "60/7"
    assert frame.loc["m_invariance", "violations"] == "hc_safety 1"
    assert Fraction(str(frame.loc["subsets", "information_loss exactly"])) == Fraction(75, 7)
    assert not any(name in done.stdout for name in ("Carl", "Erica", "Fiona"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--plot", "c.jpg"), "a plot is a file ending in"),
        (("--plot", "nowhere/c.png"), "there is no folder nowhere"),
        (("--csv", "nowhere/c.csv"), "there is no folder nowhere"),
        (("--baseline", "mondrian"), "unknown baseline 'mondrian'"),
        (("--engine", "quick"), "unknown engine 'quick'"),
        (("--selectivity", "0"), "selectivity must be above 0"),
        (("--seed", "-1"), "seed must be a whole number of at least 0"),
        (("--workers", "0"), "workers must be a whole number of at least 1"),
    ],
)
def test_command_errors(options: tuple[str, str], said: str, tmp_path: Path):
    done = run("compare", catalog.path("clinic") / "release-1.yaml", *options, folder=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert not list(tmp_path.iterdir())


def test_command_without_engines_says_that_nothing_is_proven(tmp_path: Path):
    problem = catalog.path("clinic") / "release-1.yaml"
    done = run("compare", problem, "--engine", "none", "--no-promised", folder=tmp_path)
    assert done.returncode == 4
    assert "nothing is proven about the best release" in done.stdout
    views = run("compare", catalog.path("published-views") / "patients.yaml", folder=tmp_path)
    assert views.returncode == 2
    assert "published views" in views.stderr


# --- both recodings --------------------------------------------------------------------------------


def two_ways(recoding: RecodingKind = "multidimensional") -> oa.Problem:
    people = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(12)],
            "age": [20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 90],
            "sex": list("fmfmfmfmfmfm"),
            "ill": list("abcabcabcabc"),
        }
    )
    table = oa.Microdata.from_frame(
        people, respondent="id", quasi_identifiers={"age": "numeric", "sex": "flat"}, sensitive="ill"
    )
    policy = oa.Policy([oa.KCAnonymity(k=3)], max_suppressed=1, recoding=recoding)
    return oa.Problem(table=table, policy=policy)


@pytest.mark.parametrize("recoding", ["multidimensional", "full_domain"])
def test_both_recodings_side_by_side_whichever_is_asked_for(recoding: RecodingKind):
    found = oa.compare(two_ways(recoding), baselines=(), workers=1, queries=0, recodings=True)
    best, full = found.rows
    assert (best.name, full.name) == ("subsets", "full_domain")
    for row, asked in ((best, "multidimensional"), (full, "full_domain")):
        alone = oa.solve_problem(two_ways(asked), workers=1, display=False)
        assert row.figures is not None
        assert row.figures.objective == alone.objective
        assert row.keeps_policy
        assert alone.release is not None
        assert row.figures.suppressed == len(alone.release.suppressed)
    assert full.figures is not None
    assert full.figures.suppressed == 1
    assert full.distance is not None
    assert full.distance.multiple is not None
    assert full.distance.multiple > 1
    assert full.own is not None
    assert (full.own.multiple, full.own.proven) == (1, True)
    assert best.own is None


def test_any_grouping_starts_from_the_full_domain_release(monkeypatch: pytest.MonkeyPatch):
    starts: dict[str, oa.Release | None] = {}

    def solve(problem: oa.Problem, **asked: Any) -> oa.Result:
        starts[problem.policy.recoding] = asked.get("initial")
        return oa.solve_problem(problem, **asked)

    monkeypatch.setattr(comparing, "solve_problem", solve)
    found = oa.compare(two_ways(), baselines=(), workers=1, queries=0, recodings=True)
    assert found["full_domain"].release is not None
    assert starts == {"full_domain": None, "multidimensional": found["full_domain"].release}


def test_optimal_is_what_was_derived_again_here_as_in_solve(monkeypatch: pytest.MonkeyPatch):
    def undecided(given: object, claim: object):
        raise UndecidedError("out of time")

    monkeypatch.setattr(settling, "derived", undecided)
    alone = oa.solve_problem(two_ways("full_domain"), workers=1, display=False)
    found = oa.compare(two_ways("full_domain"), baselines=(), workers=1, queries=0, recodings=True)
    assert alone.status is oa.Status.FEASIBLE
    assert {row.status for row in found.rows} == {"FEASIBLE"}
    assert found.reference.optimum == ()
    own = found["full_domain"].own
    assert own is None or not own.proven


def test_full_domain_that_cannot_be_is_said():
    plain = two_ways()
    problem = oa.Problem(table=plain.table, policy=plain.policy.changed(form="anatomized"))
    found = oa.compare(problem, baselines=(), workers=1, queries=0, recodings=True)
    assert found["full_domain"].refused is not None
    assert "generalizes" in found["full_domain"].refused


def test_a_search_that_ctrl_c_ends_ends_the_comparison(monkeypatch: pytest.MonkeyPatch):
    whole, calls = comparing.solve_problem, list[str]()

    def interrupted(problem: oa.Problem, **options: Any) -> Any:
        calls.append(options["engine"])
        return replace(whole(problem, **options), interrupted=True)

    monkeypatch.setattr(comparing, "solve_problem", interrupted)
    with pytest.raises(KeyboardInterrupt):
        oa.compare(random_problem(1, 6, [oa.KCAnonymity(k=2)]), engines=["partition", "assignment"])
    assert calls == ["partition"]
