"""`optanon init` on the tables of a series: defaults only disclose nobody, or are refused and say why."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from command_line import Done, run

import optanon as oa
from optanon.instances.problem_file import load_problem
from optanon.instances.series_policy import MINIMIZE, fewest_counterfeits, series_requirements
from optanon.instances.store.stored import StoredHistory
from optanon.instances.usual_policy import SensitiveCounts
from optanon.solver.cli import init as init_command

ROOT = Path(oa.__file__).parent
VALUES = ("flu", "flu", "cold", "cold", "gout", "acne", "mumps")


def years(folder: Path, seed: int = 3, people: int = 30) -> None:
    """Three tables: a third leaves each year and is replaced, some of those who left come back."""
    source = random.Random(seed)
    pool = {
        f"p{n:03}": (source.randrange(20, 80), source.choice("mf"), source.choice(VALUES))
        for n in range(3 * people)
    }
    names = list(pool)
    first, fresh = names[:people], names[people:]
    staying = source.sample(first, 2 * people // 3)
    second = staying + fresh[: people // 3]
    back = source.sample([who for who in first if who not in staying], 4)
    third = source.sample(second, 2 * people // 3) + back + fresh[people // 3 : people // 2]
    for number, there in enumerate((first, second, third), start=1):
        rows = [(who, *pool[who]) for who in sorted(there)]
        frame = pd.DataFrame(rows, columns=["person_id", "age", "sex", "diagnosis"])
        frame.to_csv(folder / f"year{number}.csv", index=False)


def ok(*arguments: object, folder: Path) -> str:
    done = run(*arguments, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def spec(folder: Path, name: str = "year1.yaml") -> Any:
    return yaml.safe_load((folder / name).read_text(encoding="utf-8"))


# -- as a new user would ------------------------------------------------------------------------------


def test_three_years_with_defaults_only_disclose_nobody(tmp_path: Path):
    years(tmp_path)
    for number in (1, 2, 3):
        began = ok("init", f"year{number}.csv", folder=tmp_path)
        assert "taken to be one release of a series; give --once if it is published only once" in began
        assert f"optanon solve year{number}.yaml --append --time-limit 60" in began
        told = ok("solve", f"year{number}.yaml", "--append", "--time-limit", 20, folder=tmp_path)
        assert f"audit of the series up to release {number}: nobody disclosed" in told
        assert "NOT CHECKED" not in told
        assert (tmp_path / f"year{number}.release.csv").exists()
    assert "goes on with releases.db: 2 releases; 24 of the 29 people were in one before" in began
    audited = ok("audit", "year3.yaml", folder=tmp_path)
    assert audited.count("nobody disclosed") == 3
    assert ok("history", "show", "releases.db", folder=tmp_path).count("nobody disclosed") == 3


def test_three_years_of_a_policy_for_one_are_refused_and_told_why(tmp_path: Path):
    years(tmp_path)
    ok("init", "year1.csv", "--once", folder=tmp_path)
    ok("history", "init", "releases.db", folder=tmp_path)
    where = ("--history", "releases.db", "--append")
    refused = run("solve", "year1.yaml", *where, folder=tmp_path)
    assert refused.returncode == 2
    assert "optanon init --series" in refused.stderr
    codes: list[int] = []
    for number in (1, 2, 3):
        ok("init", f"year{number}.csv", "--once", "--force", folder=tmp_path)
        done = run("solve", f"year{number}.yaml", *where, "--policy-ignores-history", folder=tmp_path)
        codes.append(done.returncode)
        if done.returncode:
            break
    assert codes[-1] == 5, "sooner or later somebody would be disclosed"
    assert "would be disclosed by the series" in done.stdout
    assert "can have one value only, because of" in done.stdout


# -- what it writes -----------------------------------------------------------------------------------


def test_the_default_policy_is_one_everywhere(tmp_path: Path):
    """On the command line, on the page, in the README."""
    from optanon.solver.web.policy_form import PolicyForm

    years(tmp_path)
    ok("init", "year1.csv", folder=tmp_path)
    policy = spec(tmp_path)["policy"]
    wanted = [{name: given} for name, given in series_requirements().items()]
    assert policy["requirements"] == wanted == [{"weak_m_invariance": {"m": 3}}, {"hc_safety": {"n": 2}}]
    assert policy["minimize"] == list(MINIMIZE)
    page = PolicyForm().policy()
    assert page["requirements"] == wanted
    assert page["minimize"] == list(MINIMIZE)
    once = PolicyForm()
    once.how = "once"
    once.suit(SensitiveCounts.of(pd.read_csv(tmp_path / "year1.csv"), ["diagnosis"]))
    ok("init", "year1.csv", "--once", "--output", "once.yaml", folder=tmp_path)
    text = (tmp_path / "once.yaml").read_text()
    said = yaml.safe_load(text)["policy"]
    asked = {"requirements": said["requirements"], "minimize": said["minimize"]}
    assert asked == {name: once.policy()[name] for name in asked}
    plain = " ".join(text.replace("#", " ").split())
    assert once.proposed.why in plain, "and why, in the same words"
    series = " ".join((tmp_path / "year1.yaml").read_text().replace("#", " ").split())
    assert PolicyForm().proposed.why in series
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    wanted_text = (
        '[oa.WeakMInvariance(m=3), oa.HcSafety(n=2)], minimize=["counterfeits", "information_loss"],'
    )
    assert wanted_text in text


def test_the_page_starts_with_what_suits_the_table(tmp_path: Path):
    """As `init` does; what somebody chose stays."""
    from optanon.solver.web.policy_form import PolicyForm
    from optanon.solver.web.workbench import Workbench

    rows = "".join(f"{n},{20 + n},{'flu' if n % 4 == 0 else 'cold'}\n" for n in range(12))
    bench = Workbench(folder=tmp_path, base=tmp_path)
    bench.take_table("year1.csv", f"id,age,disease\n{rows}".encode())
    assert bench.counts is not None
    assert bench.counts.combined == {"flu": 3, "cold": 9}
    form = PolicyForm()
    assert form.suit(bench.counts)
    wanted = [{name: given} for name, given in series_requirements(bench.counts.combined).items()]
    assert form.policy()["requirements"] == wanted
    assert wanted[0] == {"weak_m_invariance": {"m": 2}}
    chosen = PolicyForm()
    chosen.asked[0].given["m"] = "4"
    assert not chosen.suit(bench.counts)
    assert chosen.policy()["requirements"][0] == {"weak_m_invariance": {"m": 4}}


@pytest.mark.parametrize(("how", "option"), [("again", "--series"), ("once", "--once")])
def test_the_page_proposes_what_init_proposes_for_several_columns(tmp_path: Path, how: str, option: str):
    from optanon.solver.web.policy_form import PolicyForm
    from optanon.solver.web.workbench import Workbench

    rows = "".join(f"p{n},{20 + n % 50},{'xyz'[n % 3]},{'aab'[n % 3]}\n" for n in range(240))
    (tmp_path / "year1.csv").write_text(f"id,age,diagnosis,on\n{rows}")
    ok("init", "year1.csv", option, "--sensitive", "diagnosis", "--sensitive", "on", folder=tmp_path)
    bench = Workbench(folder=tmp_path / "work", base=tmp_path)
    bench.folder.mkdir()
    bench.take_table("year1.csv", (tmp_path / "year1.csv").read_bytes())
    for column, role in zip(
        bench.columns, ("respondent", "quasi_identifier", "sensitive", "sensitive"), strict=True
    ):
        column.role = role
    bench.count()
    form = PolicyForm()
    form.how = how
    assert form.suit(bench.counts)
    page = form.policy()
    said = spec(tmp_path)["policy"]
    assert said == {name: page[name] for name in said}
    assert [
        given["attribute"] for one in page["requirements"] for given in one.values() if "attribute" in given
    ]
    bench.write_problem(page, "persistent")
    bench.close()


def test_counterfeits_are_explained_and_counted(tmp_path: Path):
    content = "id,age,ill\n" + "".join(f"{n},{20 + n},{'y' if n % 4 == 0 else 'x'}\n" for n in range(12))
    (tmp_path / "year1.csv").write_text(content)
    ok("init", "year1.csv", "--sensitive", "ill", folder=tmp_path)
    text = (tmp_path / "year1.yaml").read_text()
    plain = " ".join(line.strip().removeprefix("# ") for line in text.splitlines())
    assert "counterfeits: invented rows" in plain
    assert "The release says how many a group has, not which" in plain
    assert "One value has 9 of the 12 rows: this takes 6 counterfeits or more." in plain
    assert spec(tmp_path)["policy"]["requirements"][0] == {"weak_m_invariance": {"m": 2}}
    solved = ok("solve", "year1.yaml", "--append", "--time-limit", 20, folder=tmp_path)
    assert "OPTIMAL" in solved
    history = oa.History.open(tmp_path / "releases.db")
    assert history[0].counterfeits == fewest_counterfeits({"x": 9, "y": 3}, 2) == 6


def test_m_is_what_values_allow():
    assert series_requirements({"a": 1, "b": 1, "c": 1})["weak_m_invariance"] == {"m": 3}
    assert series_requirements({"a": 2, "b": 1, "c": 2})["weak_m_invariance"] == {"m": 2}
    assert fewest_counterfeits({"a": 1, "b": 1, "c": 1}, 3) == 0


def test_a_table_published_once_promises_nothing_about_others(tmp_path: Path):
    years(tmp_path)
    ok("init", "year1.csv", "--once", folder=tmp_path)
    text = (tmp_path / "year1.yaml").read_text()
    assert "history:" not in text
    assert "the policy looks at no other release" in text
    assert "safe together" not in text
    assert not (tmp_path / "releases.db").exists()
    assert not oa.Policy([oa.KCAnonymity(k=5, c="1/2")]).looks_back


def test_every_setting_has_a_comment(tmp_path: Path):
    years(tmp_path)
    ok("init", "year1.csv", "-k", 4, folder=tmp_path)
    lines = (tmp_path / "year1.yaml").read_text().splitlines()
    keys = ("history:", "  requirements:", "  minimize:", "    - k_c_anonymity:", "    - weak_m_invariance:")
    for key in (*keys, "    - hc_safety:"):
        (at,) = (n for n, line in enumerate(lines) if line.startswith(key))
        assert lines[at - 1].strip().startswith("#"), key
    assert spec(tmp_path)["policy"]["requirements"][0] == {"k_c_anonymity": {"k": 4}}
    assert max(map(len, lines)) <= 110
    solved = ok("solve", "year1.yaml", "--append", "--time-limit", 3, folder=tmp_path)
    assert "every check passed: k_c_anonymity(k=4, c=1), weak_m_invariance" in solved


# -- going on ---------------------------------------------------------------------------------------


def test_later_tables_go_on_with_roles_and_policy(tmp_path: Path):
    rows = [(n, 20 + n % 9, "mf"[n % 2], "xyzu"[n % 4], "ab"[n % 2]) for n in range(24)]
    frame = pd.DataFrame(rows, columns=["id", "age", "sex", "ill", "town"])
    frame.to_csv(tmp_path / "year1.csv", index=False)
    frame[["town", "ill", "sex", "age", "id"]].to_csv(tmp_path / "year2.csv", index=False)
    options = ("--sensitive", "ill", "--qi", "sex", "--qi", "age")
    ok("init", "year1.csv", *options, folder=tmp_path)
    path = tmp_path / "year1.yaml"
    path.write_text(
        path.read_text().replace("{m: 3}", "{m: 2}").replace("{n: 2}", "{n: 2, reading: definition}")
    )
    first = load_problem(path).policy
    ok("solve", "year1.yaml", "--append", "--time-limit", 20, folder=tmp_path)
    ok("init", "year2.csv", folder=tmp_path)
    again = spec(tmp_path, "year2.yaml")
    assert again["sensitive"]["column"] == "ill"
    assert list(again["quasi_identifiers"]) == ["age", "sex"], "in the order of the series"
    assert load_problem(tmp_path / "year2.yaml").policy == first
    text = (tmp_path / "year2.yaml").read_text()
    assert "# As in the releases before." in text
    assert "as in release 1" in text
    ok("solve", "year2.yaml", "--time-limit", 20, folder=tmp_path)


def test_what_was_not_wanted_stays_unwanted(tmp_path: Path):
    """A series without an outlook does not get the usual one with its second release."""
    rows = [(n, 20 + n % 9, "xyzu"[n % 4]) for n in range(120)]
    frame = pd.DataFrame(rows, columns=["id", "age", "ill"])
    for number in (1, 2):
        frame.to_csv(tmp_path / f"year{number}.csv", index=False)
    ok("init", "year1.csv", "--sensitive", "ill", folder=tmp_path)
    path = tmp_path / "year1.yaml"
    path.write_text(f"{path.read_text()}  outlook: none\n")
    ok("solve", "year1.yaml", "--append", "--time-limit", 5, folder=tmp_path)
    ok("init", "year2.csv", folder=tmp_path)
    assert spec(tmp_path, "year2.yaml")["policy"]["outlook"] == "none"
    second = load_problem(tmp_path / "year2.yaml")
    assert second.policy.outlook is None
    assert [level.name for level in second.policy.levels] == ["counterfeits", "information_loss"]
    assert second.policy.identity == load_problem(path).policy.identity


def full_domain(folder: Path, limit: str = "0.5") -> oa.Policy:
    """A first release at levels of its own, two to a table; the policy it was made with."""
    rows = [(n, 20 + n % 8, "xy"[n % 2]) for n in range(24)]
    frame = pd.DataFrame(rows, columns=["id", "age", "ill"])
    frame.to_csv(folder / "year1.csv", index=False)
    oa.Hierarchy.intervals(range(20, 30), [2, 10], origin=20).to_csv(folder / "ages.csv")
    ok("init", "year1.csv", "--sensitive", "ill", folder=folder)
    path = folder / "year1.yaml"
    kept = path.read_text().partition("policy:")[0]
    asked = "  requirements: [{weak_m_invariance: {m: 2}}]\n  recoding: full_domain\n"
    path.write_text(f"{kept}policy:\n{asked}  max_suppressed: {limit}\n  hierarchies: {{age: ages.csv}}\n")
    ok("solve", "year1.yaml", "--append", "--time-limit", 10, folder=folder)
    return load_problem(path).policy


def test_levels_are_gone_on_with(tmp_path: Path):
    first = full_domain(tmp_path)
    (tmp_path / "ages.csv").unlink()
    frame = pd.read_csv(tmp_path / "year1.csv")
    frame["age"] += 1
    frame["id"] += 100
    frame.to_csv(tmp_path / "year2.csv", index=False)
    told = ok("init", "year2.csv", folder=tmp_path)
    assert "wrote year2.age.csv: the levels of 'age', as in the release before" in told
    assert "NOT KEPT" not in told
    assert load_problem(tmp_path / "year2.yaml").policy == first
    (tmp_path / "year2.yaml").unlink()
    again = run("init", "year2.csv", folder=tmp_path)
    assert again.returncode == 2, "a file of levels is not replaced either"
    assert "year2.age.csv: exists already" in again.stderr


def test_levels_that_do_not_fit_are_told(tmp_path: Path):
    first = full_domain(tmp_path)
    frame = pd.read_csv(tmp_path / "year1.csv")
    frame["id"] += 100
    frame.loc[5, "age"] = 95
    frame.to_csv(tmp_path / "year2.csv", index=False)
    told = ok("init", "year2.csv", folder=tmp_path)
    assert "NOT KEPT: these levels do not fit the table" in told
    path = tmp_path / "year2.yaml"
    plain = " ".join(path.read_text().replace("#", " ").split())
    assert "row 6: its value lies in no node of the hierarchy" in plain
    drafted = load_problem(path).policy
    assert drafted == first.changed(hierarchies={})
    levels = tmp_path / "year2.age.csv"
    levels.write_text(levels.read_text() + "95;[90,100);[90,100);*\n")
    path.write_text(path.read_text().replace("  # hierarchies:", "  hierarchies:"))
    amended = load_problem(path).policy
    assert amended.changed(hierarchies={}) == drafted
    assert [name for name, _ in amended.hierarchies] == ["age"]


@pytest.mark.parametrize(("said", "drafted"), [("1.0", Fraction(1)), ("1", 1), ("2", 2)])
def test_a_share_of_all_is_no_count_of_one(tmp_path: Path, said: str, drafted: int | Fraction):
    first = full_domain(tmp_path, said)
    (tmp_path / "year1.csv").rename(tmp_path / "year2.csv")
    ok("init", "year2.csv", folder=tmp_path)
    found = load_problem(tmp_path / "year2.yaml").policy
    assert (type(found.max_suppressed), found.max_suppressed) == (type(drafted), drafted)
    assert found == first
    assert f"max_suppressed: {said}\n" in (tmp_path / "year2.yaml").read_text()


def test_a_blind_policy_before_is_not_gone_on_with(tmp_path: Path):
    years(tmp_path)
    ok("init", "year1.csv", "--once", folder=tmp_path)
    ok("history", "init", "releases.db", folder=tmp_path)
    insist = ("--append", "--policy-ignores-history", "--audit-limit", "none")
    ok("solve", "year1.yaml", "--history", "releases.db", *insist, folder=tmp_path)
    ok("init", "year2.csv", folder=tmp_path)
    names = [name for each in spec(tmp_path, "year2.yaml")["policy"]["requirements"] for name in each]
    assert names == ["weak_m_invariance", "hc_safety"]


def test_a_key_and_another_store(tmp_path: Path):
    years(tmp_path)
    options = ("--history", "private/all.db", "--key-file", "private/secret.key")
    (tmp_path / "private").mkdir()
    began = ok("init", "year1.csv", *options, folder=tmp_path)
    assert "taken to be one release" not in began, "whoever names a history means a series"
    assert "wrote a new random key" in began
    assert "ids are kept as keyed hashes" in began
    assert spec(tmp_path)["history"] == {"store": "private/all.db", "key_file": "private/secret.key"}
    ok("solve", "year1.yaml", "--append", "--time-limit", 20, folder=tmp_path)
    assert "20 of the 30 people were in one before" in ok("init", "year2.csv", *options, folder=tmp_path)
    without = run("init", "year3.csv", "--history", "private/all.db", folder=tmp_path)
    assert without.returncode == 2
    assert "give its key" in without.stderr
    assert not (tmp_path / "year3.yaml").exists()


def test_strangers_are_pointed_out(tmp_path: Path):
    years(tmp_path)
    ok("init", "year1.csv", folder=tmp_path)
    ok("solve", "year1.yaml", "--append", "--time-limit", 20, folder=tmp_path)
    frame = pd.read_csv(tmp_path / "year2.csv")
    frame["person_id"] = [f"other{n}" for n in range(len(frame))]
    frame.to_csv(tmp_path / "year2.csv", index=False)
    assert "NOBODY is recognized: does 'person_id' hold the same ids" in ok(
        "init", "year2.csv", folder=tmp_path
    )


def test_nothing_is_left_behind_by_a_failure(tmp_path: Path):
    (tmp_path / "year1.csv").write_text("id,age,ill\n1,5,x\n2,6,x\n")
    done = run("init", "year1.csv", "--sensitive", "ill", folder=tmp_path)
    assert done.returncode == 2
    assert [file.name for file in tmp_path.iterdir()] == ["year1.csv"]
    (tmp_path / "releases.db").write_bytes(b"something else entirely")
    years(tmp_path)
    done = run("init", "year1.csv", folder=tmp_path)
    assert done.returncode == 2
    assert not (tmp_path / "year1.yaml").exists()


@pytest.mark.parametrize(
    ("store", "key", "told"),
    [
        ("there/is/none.db", "new.key", "there is no folder there/is: create it or name another"),
        ("new.db", "there/new.key", "the key file cannot be written"),
        ("new.db", "short.key", "use at least 16"),
    ],
)
def test_a_store_that_cannot_be_begun_leaves_no_problem_and_no_key(
    tmp_path: Path, store: str, key: str, told: str
):
    years(tmp_path)
    (tmp_path / "short.key").write_text("abc")
    (tmp_path / "year1.yaml").write_text("of before")
    there = sorted(tmp_path.iterdir())
    done = run("init", "year1.csv", "--force", "--history", store, "--key-file", key, folder=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert sorted(tmp_path.iterdir()) == there
    assert (tmp_path / "year1.yaml").read_text() == "of before"


def test_other_columns_than_the_series_are_told(tmp_path: Path):
    years(tmp_path)
    ok("init", "year1.csv", folder=tmp_path)
    ok("solve", "year1.yaml", "--append", "--time-limit", 20, folder=tmp_path)
    frame = pd.read_csv(tmp_path / "year2.csv").rename(columns={"diagnosis": "disease"})
    frame.to_csv(tmp_path / "year2.csv", index=False)
    done = run("init", "year2.csv", folder=tmp_path)
    assert done.returncode == 2
    assert "there is no column 'diagnosis'" in done.stderr
    assert isinstance(oa.History.open(tmp_path / "releases.db"), StoredHistory)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("c,30,01.07.2021", "c,3o,01.07.2021", "column 'age', row 3: '3o' is no number"),
        ("c,30,01.07.2021", "c,30,2021-07-01", "column 'day', row 3: '2021-07-01' is no date"),
        ("c,30,01.07.2021,x", "c,30,01.07.2021,", "column 'disease', row 3: the value is missing"),
        (
            "id,age",
            "id,Age",
            "'age', which the releases in releases.db have (is it 'Age'?): call it",
        ),
    ],
)
def test_a_slip_in_a_later_table_is_told_and_changes_no_kind(tmp_path: Path, old: str, new: str, told: str):
    rows = "a,20,01.02.2020,x\nb,21,03.02.2020,y\nc,30,01.07.2021,x\nd,31,03.07.2021,y\n"
    first = f"id,age,day,disease\n{rows}"
    (tmp_path / "y1.csv").write_text(first)
    (tmp_path / "y2.csv").write_text(first.replace(old, new))
    ok("init", "y1.csv", folder=tmp_path)
    ok("solve", "y1.yaml", "--append", "-q", folder=tmp_path)
    done = run("init", "y2.csv", folder=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert not (tmp_path / "y2.yaml").exists()
    (tmp_path / "y2.csv").write_text(first)
    ok("init", "y2.csv", folder=tmp_path)
    assert spec(tmp_path, "y2.yaml")["quasi_identifiers"] == spec(tmp_path, "y1.yaml")["quasi_identifiers"]


@pytest.mark.parametrize("cell", ["", "?", "n/a"])
def test_a_number_that_is_missing_in_a_later_table_leaves_its_row_out(tmp_path: Path, cell: str):
    """A series of numbers has no value of its own for what is missing."""
    first = "id,age,town,disease\na,20,A,x\nb,21,A,y\nc,30,B,x\nd,31,B,y\n"
    (tmp_path / "y1.csv").write_text(first)
    (tmp_path / "y2.csv").write_text(f"{first.replace('c,30', f'c,{cell}')}e,32,,x\n")
    ok("init", "y1.csv", folder=tmp_path)
    ok("solve", "y1.yaml", "--append", "-q", folder=tmp_path)
    told = ok("init", "y2.csv", folder=tmp_path)
    assert "left out: 1 of 5 rows, without a value of 'age'" in told
    assert "declared, please check: drop_missing: [age]" in told
    written = spec(tmp_path, "y2.yaml")
    assert written["quasi_identifiers"]["age"] == "numeric"
    assert written["drop_missing"] == ["age"]
    assert written["missing"] == "category", "a town is missing, too"
    table = load_problem(tmp_path / "y2.yaml").table
    assert [member.respondent for member in table.members] == ["a", "b", "d", "e"]
    assert "5 rows, 1 of them left out" in run("solve", "y2.yaml", folder=tmp_path).stdout


def test_numbers_that_are_missing_nearly_everywhere_are_told(tmp_path: Path):
    first = "id,age,town,disease\na,20,A,x\nb,21,A,y\nc,30,B,x\nd,31,B,y\n"
    (tmp_path / "y1.csv").write_text(first)
    (tmp_path / "y2.csv").write_text("id,age,town,disease\na,,A,x\nb,,A,y\nc,,B,x\nd,31,B,y\n")
    ok("init", "y1.csv", folder=tmp_path)
    ok("solve", "y1.yaml", "--append", "-q", folder=tmp_path)
    done = run("init", "y2.csv", folder=tmp_path)
    assert done.returncode == 2
    assert "y2.csv: column 'age': 3 of 4 rows lack a number" in done.stderr
    assert not (tmp_path / "y2.yaml").exists()


# -- asking -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "written"), [(True, "weak_m_invariance"), (False, "k_c_anonymity")])
def test_on_a_terminal_it_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool, written: str):
    asked: list[str] = []

    def confirm(text: str, default: bool) -> bool:
        asked.append(text)
        assert default
        return answer

    years(tmp_path)
    monkeypatch.setattr(init_command, "on_terminal", lambda: True)
    monkeypatch.setattr("typer.confirm", confirm)
    done: Done = run("init", "year1.csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert asked == ["Will this table be released again, with people who stay?"]
    assert written in spec(tmp_path)["policy"]["requirements"][0]
    assert "taken to be one release" not in done.stdout
    # Whoever said it is not asked.
    for flag in ("--series", "--once"):
        assert run("init", "year1.csv", "--force", flag, folder=tmp_path).returncode == 0
    assert len(asked) == 1


def test_once_has_no_history(tmp_path: Path):
    years(tmp_path)
    done = run("init", "year1.csv", "--once", "--history", "releases.db", folder=tmp_path)
    assert done.returncode == 2
    assert "leave out --once" in done.stderr


@pytest.mark.slow
def test_several_private_columns_are_gone_on_with(tmp_path: Path):
    years(tmp_path)
    for number in (1, 2):
        frame = pd.read_csv(tmp_path / f"year{number}.csv", dtype=str)
        frame["salary"] = [("low", "mid", "high")[int(who[1:]) % 3] for who in frame["person_id"]]
        frame.to_csv(tmp_path / f"year{number}.csv", index=False)
    roles = ("--sensitive", "diagnosis", "--sensitive", "salary")
    ok("init", "year1.csv", *roles, folder=tmp_path)
    asked = spec(tmp_path)["policy"]["requirements"]
    assert asked[2:] == [
        {"distinct_l_diversity": {"l": 2, "attribute": name}} for name in ("diagnosis", "salary")
    ]
    told = ok("solve", "year1.yaml", "--append", "--time-limit", 1, folder=tmp_path)
    assert "audit of the series up to release 1: nobody disclosed" in told
    ok("init", "year2.csv", folder=tmp_path)
    second = spec(tmp_path, "year2.yaml")
    assert [one["column"] for one in second["sensitive"]] == ["diagnosis", "salary"]
    assert second["policy"]["requirements"][2:] == asked[2:]
    ok("init", "year2.csv", "--once", *roles, "-o", "once.yaml", folder=tmp_path)
    once = spec(tmp_path, "once.yaml")["policy"]["requirements"]
    assert [one["k_c_anonymity"]["attribute"] for one in once] == ["diagnosis", "salary"]
    assert "every check passed" in ok("solve", "once.yaml", "-q", "--time-limit", 1, folder=tmp_path)
