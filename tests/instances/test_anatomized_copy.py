"""The two public tables of an anatomized release, read back where it is known who is in which group."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from command_line import run

import optanon as oa
from optanon.instances.release_files import read_release
from optanon.solver.certify import release_digest

KNOWN = [[3, 0, 1], [4, 5]]
"""Rows in each group; row 2 is left out."""


def problem_of(sensitive: object) -> oa.Problem:
    frame = pd.DataFrame(
        {
            "id": list("abcdef"),
            "age": [1, 2, 3, 2, "1/2", 7],
            "sex": list("mfmfmf"),
            "ill": ["flu", "cold", "flu", "flu", "hiv", "cold"],
            "pay": ["low", "high", "low", "low", "high", "low"],
        },
        dtype=object,
    )
    kinds = {"age": "numeric", "sex": "flat"}
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=kinds, sensitive=sensitive)
    return oa.Problem(table=table, policy=oa.Policy([oa.KCAnonymity(k=2)], ["suppressed"], form="anatomized"))


def release_of(problem: oa.Problem) -> oa.Release:
    """With an invented tuple, and with hidden cells: one of two equal ones, and one of a number."""
    members, value = problem.table.members, problem.table.members[5].value
    return oa.Release(
        groups=(
            oa.QIGroup(members=tuple(members[t] for t in KNOWN[0]), hidden=((0, "2", 1), (1, "f", 2))),
            oa.QIGroup(
                members=tuple(members[t] for t in KNOWN[1]),
                counterfeits=((value, 2),),
                hidden=((0, "1/2", 1),),
            ),
        ),
        suppressed=(members[2],),
        attributes=problem.table.attributes,
        sensitive=problem.table.sensitive.name,
        form="anatomized",
    )


@pytest.mark.parametrize("sensitive", ["ill", ["ill", "pay"]], ids=str)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_it_is_the_release_that_was_published(tmp_path: Path, sensitive: object, ending: str):
    problem = problem_of(sensitive)
    release, path = release_of(problem), tmp_path / f"r.release.{ending}"
    release.to_csv(path) if ending == "csv" else release.to_parquet(path)
    found = read_release(path, problem.table, suppressed=1, known=KNOWN)
    assert release_digest(found) == release_digest(release)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("r.release.csv", "1,2,*", "1,1,*"),
        ("r.release.csv", "2,7,f\n", ""),
        ("r.release.csv", "2,*,m", "2,7,m"),
        ("r.release.values.csv", "1,cold,1,0", "1,hiv,1,0"),
        ("r.release.values.csv", "2,cold,3,2", "2,cold,3,1"),
        ("r.release.values.csv", "2,hiv,1,2\n", ""),
    ],
)
def test_another_one_is_refused(tmp_path: Path, name: str, old: str, new: str):
    problem = problem_of("ill")
    release_of(problem).to_csv(tmp_path / "r.release.csv")
    text = (tmp_path / name).read_text()
    assert text.count(old) == 1
    (tmp_path / name).write_text(text.replace(old, new))
    with pytest.raises(oa.ReleaseError, match="other groups than the certificate says"):
        read_release(tmp_path / "r.release.csv", problem.table, suppressed=1, known=KNOWN)


def test_results_are_verified_and_reported_without_the_steward_copy(tmp_path: Path):
    (tmp_path / "t.csv").write_text("id,age,ill\n1,5,flu\n2,5,cold\n3,6,flu\n4,7,cold\n")
    (tmp_path / "p.yaml").write_text(
        "table: t.csv\nrespondent: id\nquasi_identifiers: {age: numeric}\nsensitive: ill\n"
        "policy: {requirements: [distinct_l_diversity: {l: 2}], minimize: discernibility, form: anatomized}\n"
    )
    assert run("solve", "p.yaml", folder=tmp_path).returncode == 0
    assert not (tmp_path / "p.steward.csv").exists()
    done = run("verify", "p.result.json", "--problem", "p.yaml", folder=tmp_path)
    assert "confirmed: release by its digest" in done.stdout
    assert run("report", "p.result.json", "--problem", "p.yaml", folder=tmp_path).returncode == 0
    (tmp_path / "p.release.values.csv").unlink()
    lacks = run("verify", "p.result.json", "--problem", "p.yaml", folder=tmp_path)
    assert lacks.returncode == 2
    assert "put p.release.values.csv there, or give the steward's copy" in lacks.stderr
