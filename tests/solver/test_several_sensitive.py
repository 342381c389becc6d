"""Tables with several sensitive attributes: requirements bound to one, releases, files, audits, refusals."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.several import NAMES, paired_history, random_pairs
from command_line import run
from differential import pairs

import optanon as oa
from optanon.models.requirement import Requirement
from optanon.models.requirements import build_requirement
from optanon.solver.status import Status

ROLES: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["age", "sex"], "sensitive": list(NAMES)}

POLICIES: list[list[tuple[str, dict[str, Any], bf.Check]]] = [
    [("distinct_l_diversity", {"l": 2, "attribute": "illness"}, bf.distinct_l_diversity(2))],
    [
        ("k_anonymity", {"k": 2}, bf.k_c(2)),
        ("distinct_l_diversity", {"l": 2, "attribute": "illness"}, bf.distinct_l_diversity(2)),
        ("k_c_anonymity", {"k": 2, "c": "2/3", "attribute": "salary"}, bf.k_c(2, Fraction(2, 3))),
    ],
    [
        ("entropy_l_diversity", {"l": "1.5", "attribute": "salary"}, bf.entropy_l_diversity(Fraction(3, 2))),
        ("t_closeness", {"t": "1/2", "attribute": "illness"}, bf.t_closeness(Fraction(1, 2))),
    ],
    [
        ("recursive_c_l_diversity", {"c": 2, "l": 2, "attribute": "illness"}, bf.recursive_diversity(2, 2)),
        ("distinct_l_diversity", {"l": 2, "attribute": ["illness", "salary"]}, bf.distinct_l_diversity(2)),
    ],
]


def drawn(seed: int, rows: int = 6) -> pd.DataFrame:
    random = Random(seed)
    return pd.DataFrame(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": [random.randrange(30) for _ in range(rows)],
            "sex": [random.choice("fm") for _ in range(rows)],
            "illness": [random.choice("abc") for _ in range(rows)],
            "salary": [random.choice("xyz") for _ in range(rows)],
        }
    )


def seen(release: oa.Release, attribute: Any) -> bf.Release:
    """The oracle's view of a release: one letter of each value, or both."""
    at = [NAMES.index(name) for name in ([attribute] if isinstance(attribute, str) else attribute)]

    def person(member: oa.Member) -> bf.Person:
        letters = member.value.split(" ¦ ")
        return bf.Person(member.respondent, (), "".join(letters[place] for place in at))

    return bf.Release(tuple(bf.Group(tuple(map(person, group.members))) for group in release.groups))


@pytest.mark.parametrize("number", range(len(POLICIES)))
def test_the_best_release_is_that_of_enumeration(number: int):
    asked = POLICIES[number]
    requirements = [build_requirement(name, settings) for name, settings, _ in asked]
    found: set[bool] = set()
    for seed in range(2):
        table = oa.Microdata.from_frame(drawn(10 * number + seed + 1), **ROLES)
        problem = oa.Problem(table=table, policy=oa.Policy(requirements))
        best = None
        for parts in bf.set_partitions(range(len(table))):
            release = problem.assemble(parts)
            wanted = all(
                check(seen(release, settings.get("attribute", NAMES)), ()) for _, settings, check in asked
            )
            assert wanted == (next(problem.check(release), None) is None)
            if wanted:
                (loss,) = problem.objective(release)
                best = loss if best is None else min(best, loss)
        found.add(best is None)
        for engine in ("assignment", "partition", "subsets"):
            result = oa.solve(table, problem.policy, engine=engine, display=False)
            assert result.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)
            assert result.objective == (() if best is None else (best,))
    assert False in found


@pytest.mark.parametrize("seed", range(20))
def test_audit_of_each_attribute_and_of_both_equals_enumeration(seed: int):
    assert [said for said in pairs(seed) if said] == []


@pytest.mark.slow
def test_hundreds_of_random_series_equal_enumeration():
    assert [said for number in range(20, 320) for said in pairs(number) if said] == []


def test_releases_seen_through_one_attribute_would_call_people_safe_who_are_not():
    """Both groups of 1 hold illnesses a and b, so each alone tells nothing; combinations tell both."""
    first = bf.Release((bf.Group((bf.Person("1", (), "ax"), bf.Person("2", (), "by"))),))
    second = bf.Release((bf.Group((bf.Person("1", (), "ax"), bf.Person("3", (), "bz"))),))
    report = oa.audit(paired_history([first, second]))
    last = report.releases[-1].persistent
    assert last is not None
    assert [one.disclosed for one in last.attributes] == [3, 3]
    assert report.posterior("1", "illness") == {"a": 1}
    alone = paired_history([first, second])
    assert all(len({m.value[0] for m in group.members}) == 2 for entry in alone for group in entry.groups)


@pytest.mark.parametrize("seed", range(20))
def test_groups_that_explain_an_attribute_are_enough_to_tell_it(seed: int):
    series = random_pairs(Random(seed))
    report = oa.audit(paired_history(series), posterior=False, examples=100)
    assert {why.respondent for why in report.explanations} <= report.disclosed
    kinds = {(why.attribute, why.own) for why in report.explanations}
    assert kinds == {(one.attribute, one.value) for one in report.disclosures}
    for why in report.explanations:
        assert why.irreducible
        alone = [
            bf.Release(tuple(group for i, group in enumerate(release.groups) if (r, i) in why.groups))
            for r, release in enumerate(series)
        ]
        at = [NAMES.index(why.attribute)] if why.attribute else [0, 1]
        left = {" ¦ ".join(v[place] for place in at) for v in bf.possible_values(alone)[why.respondent]}
        assert left == {why.own}


DIAGNOSES = bf.Release(
    (
        bf.Group((bf.Person("1", (), "ax"), bf.Person("2", (), "ay"))),
        bf.Group((bf.Person("3", (), "by"), bf.Person("4", (), "ax"))),
    )
)


@pytest.mark.parametrize("membership", ["groups", "boxes"])
def test_an_attribute_that_is_certain_is_disclosed_and_explained(membership: Any):
    past = paired_history([DIAGNOSES if membership == "groups" else bf.Release(DIAGNOSES.groups[:1])])
    report = oa.audit(past, oa.Knowledge(membership=membership))
    assert report.verdict == "disclosed"
    assert report.disclosed == {"1", "2"}
    assert len(report.disclosed) == report.releases[-1].disclosed
    assert {(d.respondent, d.attribute, d.value) for d in report.disclosures} == {
        ("1", "illness", "a"),
        ("2", "illness", "a"),
    }
    (said,) = report.texts()
    assert said.startswith("a respondent of release 1 group 1 can have one value only as illness, because of")
    (shown,) = report.texts(show_ids=True)
    assert shown.startswith("1 of release 1 group 1 can only have a as illness, because of 1 group:")
    assert [d["attribute"] for d in report.to_dict(show_ids=True)["disclosures"]] == ["illness", "illness"]


def test_what_if_counts_attributes_and_says_that_the_rest_is_about_combinations(tmp_path: Path):
    past = paired_history([DIAGNOSES])
    found = oa.what_if(past, smallest=True)
    assert found.disclosed == oa.audit(past).releases[-1].disclosed == 2
    assert "combinations of illness, salary only" in str(found.note)
    assert found.to_dict()["note"] == found.note
    frame = pd.DataFrame({"id": [*"1234"], "age": [1, 1, 8, 8], "illness": [*"aaba"], "salary": [*"xyyx"]})
    roles: dict[str, Any] = ROLES | {"quasi_identifiers": ["age"]}
    release = oa.solve(frame, oa.Policy([oa.KAnonymity(k=2)]), display=False, **roles).release
    assert release is not None
    release.to_csv(tmp_path / "release.csv", copy="steward")
    done = run("what-if", "release.csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 are disclosed with nobody compromised" in done.stdout
    assert "combinations of illness, salary only" in done.stdout


def test_knowledge_that_tells_one_attribute_is_not_the_releases_doing():
    release = bf.Release((bf.Group((bf.Person("1", (), "ax"), bf.Person("2", (), "ay"))),))
    known = oa.Knowledge(priors={"1": ["a ¦ x", "a ¦ y"]})
    last = oa.audit(paired_history([release]), known).releases[-1].persistent
    assert last is not None
    assert [one.disclosed for one in last.attributes] == [1, 0]  # of 2 alone the release tells the illness
    assert (last.exact, last.disclosed, last.verdict) == (0, 1, "disclosed")
    assert oa.audit(paired_history([release]), known).disclosed == {"2"}
    nobody = oa.audit(paired_history(random_pairs(Random(1))), oa.Knowledge(persistence="transient"))
    assert nobody.releases[-1].transient is not None


def test_people_of_one_cell_who_are_known_by_halves_are_all_counted():
    frame = pd.DataFrame(
        {"id": [*"1234"], "age": [1, 1, 8, 8], "illness": [*"aabb"], "salary": [*"xxyy"], "job": [*"uvuv"]}
    )
    roles: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["age"]}
    roles["sensitive"] = ["illness", "salary", "job"]
    release = oa.solve(frame, oa.Policy([oa.KAnonymity(k=2)]), display=False, **roles).release
    assert release is not None
    ill = [f"a ¦ {salary} ¦ {job}" for salary in "xy" for job in "uv"]
    paid = [f"{illness} ¦ x ¦ {job}" for illness in "ab" for job in "uv"]
    report = oa.audit(oa.History([release]), oa.Knowledge(priors={"1": ill, "2": paid}))
    last = report.releases[-1].persistent
    assert last is not None
    assert [one.disclosed for one in last.attributes] == [3, 3, 0]
    assert last.disclosed == len(report.disclosed) == 4


def test_values_that_change_freely_are_told_of_each_attribute():
    release = bf.Release((bf.Group((bf.Person("1", (), "ax"), bf.Person("2", (), "ay"))),))
    last = oa.audit(paired_history([release]), oa.Knowledge(persistence="transient")).releases[-1].transient
    assert last is not None
    assert (last.certain, last.worst) == (2, 1)  # both have illness a, though nobody's combination is certain


SAFE = oa.SafeCorrelation(attribute="sex", l=2, min_confidence=Fraction(1, 3), max_confidence=Fraction(1, 2))
PROBLEM = """
table: people.csv
respondent: id
quasi_identifiers: [age, sex]
sensitive: [illness, salary]
policy:
  requirements:
    - k_anonymity: {k: 3}
    - distinct_l_diversity: {l: 2, attribute: illness}
    - distinct_l_diversity: {l: 2, attribute: salary}
"""


def test_files_have_a_column_for_each(tmp_path: Path):
    drawn(4, 12).to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "problem.yaml").write_text(PROBLEM)
    solved = run("solve", "problem.yaml", "--steward", folder=tmp_path)
    assert solved.returncode == 0, solved.stderr
    public, steward = (pd.read_csv(tmp_path / f"problem.{kind}.csv") for kind in ("release", "steward"))
    assert list(public.columns) == ["group", "age", "sex", *NAMES]
    assert list(steward.columns)[-2:] == list(NAMES)
    for _, group in public.groupby("group"):
        assert min(group["illness"].nunique(), group["salary"].nunique(), len(group) - 1) >= 2
    for file in ("problem.release.csv", "problem.steward.csv"):
        checked = run("check", file, "-p", "problem.yaml", folder=tmp_path)
        assert checked.returncode == 0, checked.stdout + checked.stderr
    verified = run("verify", "problem.result.json", "-p", "problem.yaml", folder=tmp_path)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    for asked in (
        ["problem.yaml", "problem.steward.csv"],
        ["problem.steward.csv"],
    ):  # the copy says by itself what it has
        audited = run("audit", *asked, folder=tmp_path)
        assert audited.returncode in (0, 1)
        assert "of each sensitive attribute" in audited.stdout


def test_a_stored_series_keeps_its_attributes(tmp_path: Path):
    history = oa.History.open(tmp_path / "series.db")
    policy = oa.Policy(
        [oa.KAnonymity(k=2), oa.for_attribute(oa.DistinctLDiversity(l=2), "illness")], max_suppressed=2
    )
    result = oa.solve(drawn(5, 10), policy, history, display=False, **ROLES)
    assert result.release is not None
    history.append(result.release, policy=policy)
    again = oa.History.open(tmp_path / "series.db")
    assert again[0].sensitive == " ¦ ".join(NAMES)
    assert oa.solve(drawn(5, 10), policy, again, display=False, **ROLES).release is not None


@pytest.mark.parametrize(
    ("requirements", "said"),
    [
        ([oa.DistinctLDiversity(l=2)], "say with attribute which of illness, salary"),
        ([oa.for_attribute(oa.DistinctLDiversity(l=2), "wage")], "no sensitive attribute 'wage'"),
        ([SAFE], "looks at whole releases"),
    ],
)
def test_a_requirement_that_does_not_fit_the_attributes_is_refused(
    requirements: list[Requirement], said: str
):
    with pytest.raises(oa.PolicyError, match=said):
        oa.solve(drawn(1), oa.Policy(requirements), display=False, **ROLES)


def test_what_looks_back_is_about_combinations():
    with pytest.raises(oa.PolicyError, match="looks at earlier releases"):
        oa.for_attribute(oa.WeakMInvariance(m=2), "illness")
    policy = oa.Policy([oa.WeakMInvariance(m=2), oa.for_attribute(oa.DistinctLDiversity(l=2), "illness")])
    with pytest.raises(oa.PolicyError, match="bound to one already"):
        oa.for_attribute(policy.requirements[1], "salary")
    assert oa.Problem(table=oa.Microdata.from_frame(drawn(1), **ROLES), policy=policy)


@pytest.mark.parametrize("requirement", [oa.HcSafety(n=1), oa.HcSafety(n=1, deep=True), oa.HcSafetyDeep(n=1)])
def test_a_degree_of_one_is_about_combinations_as_any_other_is(requirement: Requirement):
    """It forbids nothing and so looks at nothing, but may be one of the degrees that a frontier tries."""
    policy = oa.Policy([oa.WeakMInvariance(m=2), requirement])
    assert oa.Problem(table=oa.Microdata.from_frame(drawn(1), **ROLES), policy=policy)
    with pytest.raises(oa.PolicyError, match="looks at earlier releases"):
        oa.for_attribute(requirement, "illness")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sensitive": ["illness"]}, "two attributes or more"),
        ({"sensitive": ["illness", "illness"]}, "has two roles"),
        ({"sensitive": ["illness", oa.Sensitive(name="salary", persistence="transient")]}, "one persistence"),
        ({"sensitive": ["illness", oa.Sensitive(name="salary", domain=frozenset("q"))]}, "leave domain out"),
        ({"sensitive": ["illness", "wage"]}, "no column 'wage'"),
    ],
)
def test_attributes_that_do_not_go_together_are_refused(change: dict[str, Any], said: str):
    with pytest.raises(oa.TableError, match=said):
        oa.Microdata.from_frame(drawn(1), **(ROLES | change))


def test_a_value_that_would_pass_for_two_is_refused():
    frame = drawn(1).assign(illness=["a ¦ b", *"bcabc"])
    with pytest.raises(oa.TableError, match=r"column 'illness', row 1: .* stands between values"):
        oa.Microdata.from_frame(frame, **ROLES)


def test_spellings_are_compared_attribute_by_attribute():
    frame = drawn(1).assign(illness=["flu", "Flu ", "flu", "cold", "cold", "cold"])
    with pytest.raises(oa.TableError, match="column 'illness'"):
        oa.Microdata.from_frame(frame, **ROLES)
    table = oa.Microdata.from_frame(frame, **ROLES, spelling="merge")
    assert {member.value.split(" ¦ ")[0] for member in table.members} == {"flu", "cold"}


def test_a_bound_requirement_is_a_value_like_any_other():
    bound = oa.for_attribute(oa.KCAnonymity(k=3, c=Fraction(1, 2)), "illness")
    assert pickle.loads(pickle.dumps(bound)) == bound
    assert build_requirement(bound.name, bound.settings()) == bound
    assert bound != oa.for_attribute(oa.KCAnonymity(k=3, c=Fraction(1, 2)), "salary")
    assert [known.name for known in bound.parameters()] == ["k", "c"]


@pytest.mark.parametrize(
    "requirement",
    [
        oa.DistinctLDiversity(l=2),
        oa.EntropyLDiversity(l=2),
        oa.RecursiveCLDiversity(c=2, l=2),
        oa.TCloseness(t=Fraction(1, 4)),
    ],
)
def test_a_bound_requirement_claims_no_rule_on_combinations(requirement: Requirement):
    """Engines would read it as one on all the values of the table: two salaries are no two illnesses."""
    claims = oa.for_attribute(requirement, "illness").structure()
    assert (claims.distinct, claims.values) == (None, None)
