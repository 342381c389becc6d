"""What the command line says about the worked examples of the five papers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import Done, run

from optanon.instances import catalog


def file(name: str) -> Path:
    instance, _, rest = name.partition("/")
    return catalog.path(instance) / rest


def check(*releases: str, problem: str, folder: Path) -> Done:
    named = [file(release) for release in releases]
    return run("check", *named, "--problem", file(problem), "--show-ids", folder=folder)


def words(done: Done) -> str:
    """The output without table lines and line breaks."""
    return " ".join(done.stdout.replace("│", " ").split())


def test_alices_cancer_and_bobs_alzheimer(tmp_path: Path):
    done = check("clinic/release-2-printed.steward.csv", problem="clinic/release-2.yaml", folder=tmp_path)
    assert done.returncode == 1
    rows = done.stdout.split("│ difference ")[1].split("│ intersection ")
    assert "Alice" in rows[0]
    assert "cancer" in rows[0]
    assert "Bob" in rows[1]
    assert "alzheimer" in rows[1]


def test_ericas_aids_given_carl(tmp_path: Path):
    names = ("hospital/release-2-printed.steward.csv", "hospital/release-2.yaml")
    done = check(names[0], problem=names[1], folder=tmp_path)
    assert done.returncode == 1
    assert "group 1: shares 2 of 3 tuples with group 2 of release 1" in words(done)
    assert "people_earlier = Erica, people_new = Carl, values = AIDS" in words(done)
    (tmp_path / "known.yaml").write_text("compromised: {Carl: AIDS}\n")
    series = [file("hospital/release-1.steward.csv"), file(names[0])]
    quiet = run("audit", file(names[1]), *series, "--known", "known.yaml", folder=tmp_path)
    assert quiet.returncode == 1
    assert "Erica" not in quiet.stdout
    shown = run("audit", file(names[1]), *series, "--known", "known.yaml", "--show-ids", folder=tmp_path)
    assert "Erica of release 1 group 2 can only have AIDS, because of 2 groups" in words(shown)
    nobody = run("audit", file(names[1]), *series, "--json", "report.json", folder=tmp_path)
    assert nobody.returncode == 0  # m-invariance alone keeps everyone at 1/3
    assert "1/3 (0.333)" in nobody.stdout
    assert "Erica" not in (tmp_path / "report.json").read_text()


@pytest.mark.parametrize(
    ("release", "problem", "said"),
    [
        ("figure-2b.steward.csv", "release-2-after-figure-2.yaml", ["probability 3/4", "chlamydia"]),
        ("release-3-of-8.steward.csv", "release-3.yaml", ["before = 7/16", "ratio needed = 9", "65/128"]),
    ],
)
def test_global_guarantee(release: str, problem: str, said: list[str], tmp_path: Path):
    folder = "transient-diseases"
    done = check(f"{folder}/{release}", problem=f"{folder}/{problem}", folder=tmp_path)
    assert done.returncode == 1
    assert all(part in words(done) for part in said), words(done)


def test_one_hidden_value_is_enough_not_three(tmp_path: Path):
    problem = "prescriptions/safe-correlation.yaml"
    done = check("prescriptions/figure-2.steward.csv", problem=problem, folder=tmp_path)
    assert done.returncode == 1
    assert "with these groups 1 hidden cells of country are enough (no fewer will do)" in words(done)
    assert "the release hides 3" in words(done)
    kept = check("prescriptions/one-hidden.steward.csv", problem=problem, folder=tmp_path)
    assert kept.returncode == 0, kept.stdout


def test_published_views(tmp_path: Path):
    views = [f"published-views/running-example-v{n}.csv" for n in (1, 2)]
    done = check(*views, problem="published-views/running-example.yaml", folder=tmp_path)
    assert done.returncode == 1
    assert "5/7" in done.stdout
    views = [f"published-views/patients-v{n}.csv" for n in (1, 2)]
    done = check(*views, problem="published-views/patients.yaml", folder=tmp_path)
    assert done.returncode == 1
    assert "161/265" in done.stdout
    assert "George" in done.stdout
    solved = run("solve", file("published-views/patients.yaml"), folder=tmp_path)
    assert solved.returncode == 0
    assert "OPTIMAL (proved" in solved.stdout
    assert "George" not in solved.stdout
    again = run(
        "check",
        "patients.view-1.csv",
        "patients.view-2.csv",
        "--problem",
        file("published-views/patients.yaml"),
        folder=tmp_path,
    )
    assert again.returncode == 0, again.stdout


@pytest.mark.parametrize(
    ("problem", "value"),
    [
        ("clinic/release-2.yaml", "150/19"),
        ("hospital/release-2.yaml", "75/7"),
        ("transient-diseases/release-2-after-figure-4.yaml", "8"),
        ("prescriptions/safe-correlation.yaml", "0"),
    ],
)
def test_solve_finds_a_release_that_passes(problem: str, value: str, tmp_path: Path):
    """The optima are compared with enumeration in test_instances; here only what the user sees."""
    done = run("solve", file(problem), "--steward", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "OPTIMAL" in done.stdout
    assert re.search(rf"^\w+ +{value}[,;]|exactly {value}\)", done.stdout, re.MULTILINE), done.stdout
    (copy,) = tmp_path.glob("*.steward.csv")
    assert run("check", copy, "--problem", file(problem), folder=tmp_path).returncode == 0


def test_views_files_with_mistakes_name_the_key(tmp_path: Path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    (tmp_path / "v.yaml").write_text("table: t.csv\nsecrets: [{query: 'select b', threshold: 1/2}]\n")
    done = run("solve", "v.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "v.yaml, key secrets" in done.stderr
    (tmp_path / "v.yaml").write_text("table: t.csv\nsecrets: [{query: \"select b from t where a = '1'\"}]\n")
    done = run("solve", "v.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "secrets.0.threshold" in done.stderr
