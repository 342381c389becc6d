"""`optanon init` on tables with doubtful cells and spellings: declared or asked, and solved as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from command_line import Done, run

from optanon.instances.problem_file import load_problem
from optanon.solver.cli import init as init_command

HEAD = "id,age,town,illness\n"
ILL = ["HIV", "HIV ", "hiv", "flu", "flu", "cold", "N/A", "null", "gout", "gout", "cold", "-"]


def rows(ill: list[str], *, ids: str = "p{}", towns: str = "AB-") -> str:
    return HEAD + "".join(
        f"{ids.format(n)},{20 + n},{towns[n % len(towns)]},{value}\n" for n, value in enumerate(ill)
    )


def start(folder: Path, content: str, *options: str, name: str = "t") -> Done:
    (folder / f"{name}.csv").write_text(content)
    return run("init", f"{name}.csv", *options, folder=folder)


def spec(folder: Path, name: str = "t") -> dict[str, Any]:
    return yaml.safe_load((folder / f"{name}.yaml").read_text())


@pytest.mark.parametrize("option", ["--once", "--series"])
def test_careful_answers_are_written_told_and_can_be_solved(tmp_path: Path, option: str):
    done = start(tmp_path, rows(ILL), option)
    assert done.returncode == 0, done.stderr
    found = spec(tmp_path)
    assert found["missing"] == "category"
    assert found["missing_marks"] == {"town": ["-"], "illness": ["n/a", "null", "-"]}
    assert found["spelling"] == {"sensitive": "merge"}
    text = (tmp_path / "t.yaml").read_text()
    told = " ".join(line.removeprefix("# ") for line in text.splitlines())
    assert "These cells look as if they were missing; name them under real_values" in told
    assert "composed letters only are one ('HIV', 'HIV ', 'hiv'). If they are different" in told
    assert "declared, please check: missing_marks: {town: ['-']" in done.stdout
    assert "declared, please check: spelling: {sensitive: merge}" in done.stdout
    values = load_problem(tmp_path / "t.yaml").table.histogram
    assert values == {"HIV": 3, "flu": 2, "cold": 2, "gout": 2, "missing": 3}
    solved = run("solve", "t.yaml", "--time-limit", "20", folder=tmp_path)
    assert solved.returncode == 0, solved.stdout + solved.stderr


def test_clean_tables_get_no_declaration(tmp_path: Path):
    done = start(tmp_path, rows(["flu", "cold", "gout"] * 4, towns="AB"), "--once")
    assert done.returncode == 0, done.stderr
    assert "declared" not in done.stdout
    assert not {"missing", "missing_marks", "real_values", "spelling"} & spec(tmp_path).keys()


def test_marks_of_columns_without_a_role_are_left_out(tmp_path: Path):
    done = start(tmp_path, rows(["flu", "cold", "gout"] * 4), "--once", "--qi", "age")
    assert done.returncode == 0, done.stderr
    assert "missing_marks" not in spec(tmp_path)


def test_numbers_with_a_mark_among_them_stay_numbers(tmp_path: Path):
    content = rows(["flu", "cold", "gout"] * 4, towns="AB").replace(",23,", ",n/a,")
    assert start(tmp_path, content, "--once").returncode == 0
    assert spec(tmp_path)["quasi_identifiers"]["age"]["kind"] == "intervals"
    assert spec(tmp_path)["missing_marks"] == {"age": ["n/a"]}
    assert run("solve", "t.yaml", folder=tmp_path).returncode == 0


def test_a_value_called_missing_beside_missing_cells_is_one_with_them(tmp_path: Path):
    assert start(tmp_path, rows(["flu", "cold", "missing", ""] * 3, towns="AB"), "--once").returncode == 0
    assert spec(tmp_path)["missing_marks"] == {"illness": ["missing"]}
    assert load_problem(tmp_path / "t.yaml").table.histogram["missing"] == 6


def test_odd_column_names_stay_whole_in_declarations(tmp_path: Path):
    content = rows(ILL).replace("town", '"to: wn, {x} #"')
    done = start(tmp_path, content, "--once")
    assert done.returncode == 0, done.stderr
    assert spec(tmp_path)["missing_marks"]["to: wn, {x} #"] == ["-"]


# -- the next table of a series --------------------------------------------------------------


def first_release(folder: Path, content: str, more: str = "", **changes: str) -> None:
    assert start(folder, content, name="t1").returncode == 0
    text = (folder / "t1.yaml").read_text()
    for old, new in changes.items():
        text = "\n".join(new if line.startswith(old) else line for line in text.splitlines()) + "\n"
    (folder / "t1.yaml").write_text(text + more)
    done = run("solve", "t1.yaml", "--append", "--time-limit", "20", folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_next_table_is_spelt_as_the_releases_before(tmp_path: Path):
    first_release(tmp_path, rows(["HIV", "flu", "cold", "gout"] * 3, towns="AB"))
    done = start(tmp_path, rows(["hiv", "flu", "Cold", "gout"] * 3, towns="AB"), name="t2")
    assert done.returncode == 0, done.stderr
    assert spec(tmp_path, "t2")["spelling"] == {"sensitive": "merge"}
    assert set(load_problem(tmp_path / "t2.yaml").table.histogram) == {"HIV", "flu", "cold", "gout"}
    done = run("solve", "t2.yaml", "--append", "--again", "--time-limit", "20", folder=tmp_path)
    assert done.returncode == 0, done.stderr


def test_cells_published_as_values_before_are_values_again(tmp_path: Path):
    content = rows(["None", "flu", "cold", "gout"] * 3, towns="AB")
    first_release(tmp_path, content, missing_marks="real_values: [none]")
    done = start(tmp_path, content, name="t2")
    assert done.returncode == 0, done.stderr
    found = spec(tmp_path, "t2")
    assert found["real_values"] == {"illness": ["none"]}
    assert "missing_marks" not in found
    assert "earlier releases published them as values" in (tmp_path / "t2.yaml").read_text()


def test_values_that_earlier_releases_kept_apart_stay_apart(tmp_path: Path):
    content = rows(["Flu", "flu", "cold", "gout"] * 3, towns="AB")
    first_release(tmp_path, content, spelling="spelling: {sensitive: keep}")
    assert start(tmp_path, content, name="t2").returncode == 0
    assert spec(tmp_path, "t2")["spelling"] == {"sensitive": "keep"}
    assert "as in the releases before" in (tmp_path / "t2.yaml").read_text()


# -- ids -------------------------------------------------------------------------------------


def test_ids_that_may_be_one_person_are_refused_unless_somebody_says(tmp_path: Path):
    first_release(tmp_path, rows(["HIV", "flu", "cold", "gout"] * 3, towns="AB"))
    content = rows(["HIV", "flu", "cold", "gout"] * 3, towns="AB", ids="P{}")
    done = start(tmp_path, content, name="t2")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "12 ids, in rows 1, 2, 3" in done.stderr
    assert "--spelling keep" in done.stderr
    assert "P1" not in done.stderr
    assert not (tmp_path / "t2.yaml").exists()
    for choice, people in (("merge", 12), ("keep", 24)):
        done = start(tmp_path, content, "--spelling", choice, "--force", name="t2")
        assert done.returncode == 0, done.stderr
        assert spec(tmp_path, "t2")["spelling"]["respondent"] == choice
        problem = load_problem(tmp_path / "t2.yaml")
        assert len(problem.history.records.keys() | {m.respondent for m in problem.table.members}) == people


@pytest.mark.parametrize("different", [True, False])
def test_ids_are_asked_about_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, different: bool):
    first_release(tmp_path, rows(["HIV", "flu", "cold", "gout"] * 3, towns="AB"))
    questions: list[str] = []

    def answer(question: str, **_: Any) -> bool:
        questions.append(question)
        return different if "different people" in question else True

    monkeypatch.setattr(init_command, "on_terminal", lambda: True)
    monkeypatch.setattr(typer, "confirm", answer)
    content = rows(["HIV", "flu", "cold", "gout"] * 3, towns="AB", ids="P{}")
    done = start(tmp_path, content, name="t2")
    assert done.returncode == 0, done.stderr
    assert sum("different people" in question for question in questions) == 1
    assert spec(tmp_path, "t2")["spelling"] == {"respondent": "keep" if different else "merge"}
    assert ("different people" if different else "one person") + ", as you said" in (
        tmp_path / "t2.yaml"
    ).read_text().replace("\n# ", " ")
