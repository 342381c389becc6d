"""Audits of files whose boxes, memberships or values could be taken for others than they are."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import run

import optanon as oa
from optanon.models.box import Interval

PEOPLE = {"p1": (1, "flu"), "p2": (5, "flu"), "p3": (1, "cold"), "p4": (5, "cold")}
PROBLEM = """
table: t.csv
respondent: id
quasi_identifiers: {age: numeric}
sensitive: dis
policy: {requirements: [k_anonymity: {k: 2}], max_suppressed: 1}
"""


def left_out(who: str) -> oa.Release:
    """Of two who are alike but for age one is not published: boxes and values are the same."""
    members = {name: oa.Member(name, (Fraction(age),), value) for name, (age, value) in PEOPLE.items()}
    (stays,) = {"p1", "p2"} - {who}
    low, high = Fraction(1), Fraction(5)
    return oa.Release(
        groups=(
            oa.QIGroup(members=(members["p3"],), box=(Interval(low, low),)),
            oa.QIGroup(members=(members[stays], members["p4"]), box=(Interval(low, high),)),
        ),
        suppressed=(members[who],),
        attributes=("age",),
        sensitive="dis",
    )


@pytest.mark.parametrize("order", list(permutations(["p1", "p2"])))
@pytest.mark.parametrize("gone", ["p1", "p2"])
def test_a_public_copy_that_does_not_say_who_was_left_out_is_refused(
    tmp_path: Path, order: tuple[str, ...], gone: str
):
    lines = [f"{who},{PEOPLE[who][0]},{PEOPLE[who][1]}" for who in (*order, "p3", "p4")]
    (tmp_path / "t.csv").write_text("\n".join(["id,age,dis", *lines]) + "\n")
    (tmp_path / "p.yaml").write_text(PROBLEM)
    (tmp_path / "k.yaml").write_text("membership: boxes\n")
    release = left_out(gone)
    release.to_csv(tmp_path / "r.csv")
    release.to_csv(tmp_path / "r.steward.csv", copy="steward", respondent="id")
    done = run("audit", "p.yaml", "r.csv", "--knowledge", "k.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "does not say who was left out" in done.stderr
    assert "`optanon history write --steward`" in done.stderr
    # The verdict depends on it.
    done = run("audit", "p.yaml", "r.steward.csv", "--knowledge", "k.yaml", folder=tmp_path)
    assert done.returncode == (1 if gone == "p1" else 0), done.stderr


def test_boxes_that_only_the_problem_can_read_are_not_taken_for_exact_ones(tmp_path: Path):
    frame = pd.DataFrame({"id": [*"abcd"], "zip": ["471", "472", "473", "474"], "dis": ["f", "f", "g", "c"]})
    spec = {"zip": oa.hierarchies.prefixes(frame["zip"], keep=[2])}
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=spec, sensitive="dis")
    release = oa.Problem(table=table, policy=oa.Policy([oa.KAnonymity(k=2)])).assemble([[0, 1], [2, 3]])
    release.to_csv(tmp_path / "r.steward.csv", copy="steward", respondent="id")
    (tmp_path / "k.yaml").write_text("membership: boxes\n")
    done = run("audit", "r.steward.csv", "--knowledge", "k.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "name the problem file before the releases" in done.stderr
    assert run("audit", "r.steward.csv", folder=tmp_path).returncode == 1  # who is in which group is enough


def test_numbers_are_known_as_the_table_spells_them():
    frame = pd.DataFrame({"id": [1.0, 2.0, 3.0], "age": [30, 31, 32], "dis": [1.0, 2.0, 2.5]})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="dis")
    release = oa.Problem(table=table, policy=oa.Policy([oa.KAnonymity(k=3)])).assemble([[0, 1, 2]])
    half = Fraction(1, 2)
    for known in ({1: [2.0]}, {1.0: [2]}, {np.int64(1): ["2"]}, {"1": [np.float64(2)]}):
        found = oa.audit([release], oa.Knowledge(excluded=known)).posterior("1")
        assert found == {"1": half, "2.5": half}
    told = oa.audit([release], oa.Knowledge(compromised={1.0: 1.0}))
    assert told.posterior("2") == {"2": half, "2.5": half}


def released(values: list[str], sensitive: Any = "dis", **more: Any) -> oa.Release:
    """One group of everybody."""
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(len(values))], "age": 3, "dis": values} | more)
    roles: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["age"], "sensitive": sensitive}
    table = oa.Microdata.from_frame(frame, **roles)
    problem = oa.Problem(table=table, policy=oa.Policy([oa.KAnonymity(k=2)]))
    return problem.assemble([list(range(len(values)))])


def test_a_single_column_may_have_the_separator_in_its_values_and_not_in_its_name():
    release = released(["flu ¦ mild", "flu ¦ severe", "flu ¦ none"])
    report = oa.audit([release], oa.Knowledge(persistence="both"))
    last = report.releases[-1].transient
    assert last is not None
    assert (last.certain, last.worst) == (0, Fraction(1, 3))
    assert report.posterior("p0", "dis") == report.posterior("p0")
    with pytest.raises(oa.TableError, match="no name may have one: rename it"):
        released(["flu"], "dis ¦ x", **{"dis ¦ x": ["a"]})


@pytest.mark.parametrize(
    "known",
    [
        {"priors": {"p0": ["a ¦ x", "b"]}},
        {"excluded": {"p0": ["b"]}},
        {"compromised": {"p0": "a"}},
        {"compromised": {"p0": "a ¦ x", "p1": "y"}},
    ],
)
def test_knowledge_of_several_columns_names_combinations(known: dict[str, Any]):
    release = released(["a", "b"], ["dis", "sal"], sal=["x", "y"])
    for ask in (oa.audit, oa.what_if):
        told = rf"{next(iter(known))}: .*in the order 'dis ¦ sal' .* name all combinations that are meant"
        with pytest.raises(oa.InputError, match=told):
            ask(oa.History([release]), oa.Knowledge(**known))


@pytest.mark.parametrize("command", ["audit", "what-if"])
@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("compromised: {p0: a}", "k.yaml: compromised: several columns are sensitive"),
        (
            "compromised: {p0: x ¦ a}",
            "k.yaml: compromised: .*(a value is a combination in the order 'dis ¦ sal')",
        ),
        (
            "priors: {p0: [a ¦ y, b ¦ y]}",
            "k.yaml: priors: knowledge excludes the true value of 1 respondents",
        ),
        ("excluded: {p0: [a ¦ x]}", "k.yaml: excluded: knowledge excludes the true value of 1 respondents"),
        (
            "compromised: {p7: a ¦ x}",
            "k.yaml: knowledge is about 1 respondents who are in no published group",
        ),
        ("compromised: {p0: [a, x]}", "k.yaml, key compromised: a value is one text, .*'flu ¦ low'"),
        ("priors: {p0: a ¦ x}", "k.yaml, key priors, below it: must be a list: correct it"),
        ("priors: p0", "k.yaml, key priors: must be a mapping: correct it"),
        ("membership: box", "k.yaml, key membership: must be 'groups' or 'boxes': correct it"),
        (
            "[p0]",
            "k.yaml: a knowledge file is a mapping with some of the keys compromised, excluded, priors, ",
        ),
        ("3", "k.yaml: a knowledge file is a mapping with some of the keys compromised, excluded, priors, "),
        ("p0: {}", "k.yaml: key number 1 is none of compromised, excluded, priors, persistence, "),
        ("excluded: {}\ncompromized: {p0: a}", "k.yaml: key number 2 is none of compromised, excluded, "),
        ("excluded: {1: [a], '1': [b]}", "k.yaml, key excluded: a respondent is named twice, "),
    ],
)
def test_knowledge_that_cannot_be_is_refused_with_its_file_and_key(
    tmp_path: Path, command: str, known: str, said: str
):
    """One column's value of two was called untrue, and neither file nor key was named."""
    released(["a", "b"], ["dis", "sal"], sal=["x", "y"]).to_csv(
        tmp_path / "r.csv", copy="steward", respondent="id"
    )
    (tmp_path / "k.yaml").write_text(known, encoding="utf-8")
    done = run(command, "r.csv", "--knowledge", "k.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert re.search(said.replace("(", r"\(").replace(")", r"\)"), done.stderr), done.stderr
    assert not re.search(r"\bp[07]\b", done.stderr)


def test_an_audit_begins_with_the_first_release_that_publishes_anybody():
    full = released(["a", "b"])
    empty = oa.Release(
        groups=(), suppressed=full.members, attributes=full.attributes, sensitive=full.sensitive
    )
    for persistence in ("persistent", "transient", "both"):
        report = oa.audit([empty, full], oa.Knowledge(persistence=persistence))
        assert [(entry.release, entry.respondents) for entry in report.releases] == [(2, 2)]
        assert report.disclosed == frozenset()
    with pytest.raises(oa.InputError, match="no published group"):
        oa.audit([empty])


def test_somebody_who_certainly_had_a_value_that_changes_ends_the_audit_with_1(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id,age,dis\np1,1,flu\np2,2,flu\n")
    (tmp_path / "p.yaml").write_text(
        PROBLEM.replace("sensitive: dis", "sensitive: {column: dis, persistence: transient}")
    )
    assert run("solve", "p.yaml", "--steward", folder=tmp_path).returncode == 0
    assert run("audit", "p.yaml", "p.steward.csv", folder=tmp_path).returncode == 1


def test_whoever_is_asked_for_another_file_is_told_what_makes_it(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id,age,dis\n1,5,flu\n2,5,cold\n3,6,flu\n4,7,cold\n")
    (tmp_path / "p.yaml").write_text(PROBLEM)
    (tmp_path / "h.yaml").write_text(PROBLEM + "history: [p.release.csv]\n")
    (tmp_path / "a.yaml").write_text(PROBLEM.replace("max_suppressed: 1", "form: anatomized"))
    for name in "pa":
        assert run("solve", f"{name}.yaml", folder=tmp_path).returncode == 0
    for words in (
        ["audit", "p.release.csv"],
        ["solve", "h.yaml"],
        ["check", "a.release.csv", "--problem", "a.yaml"],
    ):
        done = run(*words, folder=tmp_path)
        assert done.returncode == 2
        assert "`optanon solve --steward` writes it, `optanon history write" in done.stderr, words
    empty = run("audit", "p.yaml", folder=tmp_path)
    assert empty.returncode == 2
    assert "`optanon history append`" in empty.stderr
    append = run("solve", "p.yaml", "--append", "--force", folder=tmp_path)
    assert append.returncode == 2
    assert "`optanon history init` begins one" in append.stderr
