"""The command line from a user's seat: what is printed, written, and returned."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from command_line import run

RELEASE_1 = """name,age,gender,zip,disease
Alice,33,Female,12000,cancer
Betty,31,Female,11000,bronchitis
Carl,35,Male,12000,AIDS
Doris,40,Female,13000,cancer
Erica,41,Female,14000,AIDS
Fiona,37,Female,13000,bronchitis
"""
RELEASE_2 = """name,age,gender,zip,disease
Carl,35,Male,12000,AIDS
Doris,40,Female,13000,cancer
Fiona,37,Female,13000,bronchitis
Erica,41,Female,14000,AIDS
Grace,42,Female,13000,bronchitis
Hanna,42,Female,13000,cancer
"""
NAMES = ("Alice", "Betty", "Carl", "Doris", "Erica", "Fiona", "Grace", "Hanna")
PROBLEM = {
    "table": "release-1.csv",
    "respondent": "name",
    "quasi_identifiers": {"age": "numeric", "gender": "flat", "zip": "numeric"},
    "sensitive": "disease",
    "policy": {
        "requirements": [{"weak_m_invariance": {"m": 3}}],
        "minimize": ["counterfeits", "information_loss"],
    },
}


@pytest.fixture
def hospital(tmp_path: Path) -> Path:
    (tmp_path / "release-1.csv").write_text(RELEASE_1)
    (tmp_path / "release-2.csv").write_text(RELEASE_2)
    (tmp_path / "release-1.yaml").write_text(yaml.safe_dump(PROBLEM))
    second = {**PROBLEM, "table": "release-2.csv", "history": ["release-1.steward.csv"]}
    second["policy"] = {
        "requirements": [{"weak_m_invariance": {"m": 3}}, {"hc_safety": {"n": 2}}],
        "minimize": ["counterfeits", "information_loss"],
    }
    (tmp_path / "release-2.yaml").write_text(yaml.safe_dump(second))
    return tmp_path


def test_a_series_solved_checked_and_verified(hospital: Path):
    first = run("solve", "release-1.yaml", "--steward", folder=hospital)
    assert first.returncode == 0, first.stderr
    assert "OPTIMAL" in first.stdout
    assert "every check passed: weak_m_invariance(m=3)" in first.stdout
    second = run("solve", "release-2.yaml", "--steward", folder=hospital)
    assert second.returncode == 0, second.stderr
    assert "75/7" in second.stdout  # the cheapest pair of groups that splits both old ones two to one
    for release in ("release-2.steward.csv", "release-2.release.csv"):
        checked = run("check", release, "--problem", "release-2.yaml", folder=hospital)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        verified = run(
            "verify", "release-2.result.json", "-p", "release-2.yaml", "-r", release, folder=hospital
        )
        assert verified.returncode == 0, verified.stdout + verified.stderr
        assert "CONFIRMED: the release is optimal, without a solver" in verified.stdout


def test_what_rests_on_a_solver_is_confirmed_in_part(hospital: Path, monkeypatch: pytest.MonkeyPatch):
    run("solve", "release-1.yaml", "--steward", folder=hospital)
    file = hospital / "release-1.result.json"
    certificate = json.loads(file.read_text())["certificate"]
    word = {"kind": "trusted", "level": 1, "bound": certificate["bounds"][1], "solver": "CP-SAT", "why": "so"}
    certificate |= {"status": "FEASIBLE", "bounds": ["0", "0"], "claims": [word]}
    file.write_text(json.dumps(certificate))
    asked = ("verify", file.name, "-p", "release-1.yaml", "-r", "release-1.release.csv")
    # Six tuples are within reach without it: the word is not needed.
    assert run(*asked, folder=hospital).returncode == 0
    monkeypatch.setattr("optanon.solver.verify.exhaustive.refusal", lambda problem: "a larger table")
    verified = run(*asked, folder=hospital)
    assert verified.returncode == 5, verified.stdout + verified.stderr
    assert "CONFIRMED IN PART" in verified.stdout
    assert "the word of CP-SAT" in verified.stdout


def test_files_for_others_carry_no_respondent(hospital: Path):
    shown = run("solve", "release-1.yaml", folder=hospital).stdout
    written = [
        file.read_text() for file in hospital.iterdir() if ".release." in file.name or ".result." in file.name
    ]
    assert len(written) == 2
    assert not any(name in text for name in NAMES for text in [shown, *written])
    assert not (hospital / "release-1.steward.csv").exists()


def test_a_failing_check_exits_1_with_witnesses_and_names_only_on_request(hospital: Path):
    run("solve", "release-1.yaml", "--steward", folder=hospital)
    steward = pd.read_csv(hospital / "release-1.steward.csv", dtype=str, keep_default_na=False)
    swapped = steward.replace({"disease": {"AIDS": "cancer"}})
    swapped.to_csv(hospital / "bad.steward.csv", index=False)
    table = pd.read_csv(hospital / "release-1.csv").replace({"disease": {"AIDS": "cancer"}})
    table.to_csv(hospital / "release-1.csv", index=False)
    quiet = run("check", "bad.steward.csv", "--problem", "release-1.yaml", folder=hospital)
    assert quiet.returncode == 1
    assert "fewer than m = 3" in quiet.stdout
    assert not any(name in quiet.stdout for name in NAMES)
    named = run("check", "bad.steward.csv", "--problem", "release-1.yaml", "--show-ids", folder=hospital)
    assert named.returncode == 1
    assert "Alice" in named.stdout.replace("\n", "")


def test_verify_catches_a_changed_bound(hospital: Path):
    run("solve", "release-1.yaml", "--steward", folder=hospital)
    path = hospital / "release-1.result.json"
    content = json.loads(path.read_text())
    content["certificate"]["bounds"][1] = "1000"
    content["objective"][1] |= {"bound": "1000", "gap": "0"}
    path.write_text(json.dumps(content))
    done = run("verify", path, "-p", "release-1.yaml", "-r", "release-1.steward.csv", folder=hospital)
    assert done.returncode == 2
    assert "REFUSED: " in done.stderr
    assert "bound 1000 is stated" in done.stderr


def test_infeasible_says_what_conflicts(hospital: Path):
    strict = {**PROBLEM, "policy": {"requirements": [{"k_c_anonymity": {"k": 3, "c": "1/4"}}]}}
    (hospital / "strict.yaml").write_text(yaml.safe_dump(strict))
    done = run("solve", "strict.yaml", folder=hospital)
    assert done.returncode == 3
    assert "INFEASIBLE" in done.stdout
    assert "k_c_anonymity(k=3, c=1/4)" in done.stdout
    assert not list(hospital.glob("strict.*.csv"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"respondent": "nmae"}, ["no column 'nmae'", "release-1.csv"]),
        ({"polcy": 1}, ["key polcy", "remove or correct it"]),
        ({"policy": {"requirements": [{"weak_m_invarance": {"m": 3}}]}}, ["weak_m_invarance", "known are"]),
        ({"policy": {"requirements": [{"weak_m_invariance": {"n": 3}}]}}, ["no parameter 'n'", "it has m"]),
        ({"policy": {"requirements": [{"weak_m_invariance": {"m": 0}}]}}, ["m must be a whole number"]),
        ({"policy": {"requirements": ["k_c_anonymity"]}}, ["k_c_anonymity needs k"]),
        ({"quasi_identifiers": {"age": {"kind": "bands"}}}, ["quasi_identifiers.age", "kinds are"]),
        ({"quasi_identifiers": ["age", "zip", "age"]}, ["quasi_identifiers: names column 'age' twice"]),
        ({"quasi_identifiers": {"salary": "numeric"}}, ["no column 'salary'"]),
        ({"history": ["nowhere.csv"]}, ["nowhere.csv", "cannot be read"]),
        ({"table": "nowhere.csv"}, ["nowhere.csv", "cannot be read"]),
    ],
)
def test_wrong_problem_files_name_file_key_and_remedy(
    hospital: Path, change: dict[str, object], said: list[str]
):
    (hospital / "wrong.yaml").write_text(yaml.safe_dump({**PROBLEM, **change}))
    before = sorted(hospital.iterdir())
    done = run("solve", "wrong.yaml", folder=hospital)
    assert done.returncode == 2
    assert "wrong.yaml" in done.stderr
    for words in said:
        assert words in done.stderr
    assert sorted(hospital.iterdir()) == before


def test_yaml_that_does_not_parse_names_the_line(hospital: Path):
    (hospital / "wrong.yaml").write_text("table: a.csv\n  respondent: [")
    done = run("solve", "wrong.yaml", folder=hospital)
    assert done.returncode == 2
    assert "wrong.yaml, line 2" in done.stderr


def test_ctrl_c_keeps_the_best_release(tmp_path: Path):
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(60)],
            **{name: random.integers(0, 1000, 60) for name in "abcd"},
            "v": random.choice(list("uvwxyz"), 60),
        }
    )
    frame.to_csv(tmp_path / "big.csv", index=False)
    problem = {
        "table": "big.csv",
        "respondent": "id",
        "quasi_identifiers": list("abcd"),
        "sensitive": "v",
        "policy": {"requirements": [{"k_c_anonymity": {"k": 3, "c": 0.5}}]},
    }
    (tmp_path / "big.yaml").write_text(yaml.safe_dump(problem))
    command = [
        sys.executable,
        "-m",
        "optanon",
        "solve",
        "big.yaml",
        "--engine",
        "assignment",
        "--time-limit",
        "120",
    ]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    for patience in (6, 20, 60):  # a slow machine may still be importing when the signal comes
        with subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
        ) as started:
            time.sleep(patience)
            started.send_signal(signal.SIGINT)
            try:
                out, err = started.communicate(timeout=90)
            except subprocess.TimeoutExpired:  # or be so busy that even the end takes long
                started.kill()
                out, err = started.communicate()
        if started.returncode == 0:
            break
    assert started.returncode == 0, err
    assert "FEASIBLE (interrupted" in out
    assert (tmp_path / "big.release.csv").exists()
    assert (tmp_path / "big.result.json").exists()
