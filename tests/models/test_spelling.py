"""Values and ids that differ in spelling only are asked about: refused, kept apart, or taken for one (M3)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import run

import optanon as oa
from optanon.instances.problem_file import load_problem
from optanon.models.combination import fold
from optanon.models.errors import SpellingError

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"
VARIANTS = [
    ["HIV", "HIV ", "hiv"],
    ["HIV", "\u00a0HIV", "Hiv\t"],
    [COMPOSED, DECOMPOSED, COMPOSED.upper()],
    ["Stra\u00dfe", "STRASSE", "strasse"],
]
ROLES: dict[str, Any] = {"respondent": "id", "quasi_identifiers": ["age"], "sensitive": "ill"}
PROBLEM = """
table: {table}
respondent: id
quasi_identifiers: [age]
sensitive: {{column: ill, persistence: persistent}}
history: {history}
policy:
  requirements: [weak_m_invariance: {{m: 2}}]
  minimize: [counterfeits, information_loss]
{more}
"""


def frame(ill: list[str], ids: list[str] | None = None) -> pd.DataFrame:
    people = [f"secret{n}" for n in range(len(ill))] if ids is None else ids
    return pd.DataFrame({"id": people, "age": range(30, 30 + len(ill)), "ill": ill})


def table(data: pd.DataFrame, spelling: Any = "refuse") -> oa.Microdata:
    return oa.Microdata.from_frame(data, **ROLES, spelling=spelling)


@pytest.mark.parametrize("variants", VARIANTS, ids=ascii)
def test_values_that_differ_in_spelling_are_listed_with_the_remedy(variants: list[str]):
    data = frame([*variants, "flu", "flu", "cold"])
    with pytest.raises(oa.TableError) as refused:
        table(data)
    message = str(refused.value)
    assert "'ill'" in message
    for value in variants:
        assert repr(value) in message or ascii(value) in message
    assert "cold" not in message, "only what collides"
    assert "spelling: {sensitive: merge}" in message
    assert "spelling: {sensitive: keep}" in message
    assert "secret" not in message
    assert "\n" not in message


@pytest.mark.parametrize("variants", VARIANTS, ids=ascii)
def test_three_spellings_are_no_diversity_unless_kept(variants: list[str]):
    """The case of the review: {HIV, "HIV ", flu} passed for three values."""
    data = frame([*variants, "flu", "flu", "cold"])
    policy = oa.Policy([oa.DistinctLDiversity(l=3)], minimize=["information_loss"])
    kept = oa.solve(table(data, "keep"), policy)
    assert len(table(data, "keep").histogram) == 5
    assert kept.release is not None
    assert len(kept.release.groups) == 2
    merged = oa.solve(table(data, "merge"), policy)
    assert merged.release is not None
    assert len(merged.release.groups) == 1, "flu, cold and one more: nothing can be split"
    (one,) = {m.value for m in merged.release.members} - {"flu", "cold"}
    assert one in variants


def test_values_are_merged_as_declared_else_as_most_rows_have_them():
    data = frame(["hiv", "HIV", "hiv", "flu"])
    assert table(data, "merge").histogram.keys() == {"flu", "hiv"}
    ordered = oa.Sensitive(name="ill", order=("flu", "HIV"))
    found = oa.Microdata.from_frame(data, **ROLES | {"sensitive": ordered}, spelling="merge")
    assert found.histogram.keys() == {"HIV", "flu"}
    with pytest.raises(oa.TableError, match="'HIV', 'hiv'"):
        oa.Microdata.from_frame(frame(["hiv", "flu"]), **ROLES | {"sensitive": ordered})


def test_one_value_in_one_spelling_needs_no_declaration():
    assert table(frame(["HIV ", "flu", "HIV "])).histogram.keys() == {"HIV ", "flu"}
    assert table(frame(["1", "1.5", "10", "01"])).histogram.keys() == {"01", "1", "1.5", "10"}


@pytest.mark.parametrize(
    "ids", [["secreta", "secreta "], ["secret\u00e9", "secrete\u0301"], ["Secret", "secret"], ["0815", "815"]]
)
def test_ids_are_refused_by_row_and_never_shown(ids: list[str]):
    data = frame(["flu", "cold", "gout", "flu"], ["x", ids[0], "y", ids[1]])
    with pytest.raises(SpellingError, match=r"rows 2 and 4: .*spelling: \{respondent: keep\}") as refused:
        table(data)
    assert not any(who in str(refused.value) for who in ("ecret", "815"))
    with pytest.raises(SpellingError, match="keep one row per respondent"):
        table(data, "merge")
    assert len(table(data, {"respondent": "keep"})) == 4


def test_a_wrong_choice_is_named():
    with pytest.raises(oa.TableError, match="'refuse', 'keep' or 'merge'"):
        table(frame(["a", "b"]), "fuse")
    with pytest.raises(oa.TableError, match="'respondent' and 'sensitive'"):
        table(frame(["a", "b"]), {"people": "keep"})


# -- over a series ---------------------------------------------------------------------------


POLICY = oa.Policy([oa.WeakMInvariance(m=2)], minimize=["counterfeits", "information_loss"])
FIRST = frame(["flu", "HIV", "flu", "HIV"], ["A1 ", "b", "c", "d"])
SECOND = frame(["Flu", "hiv", "flu", "HIV"], ["a1", "b", "c", "x"])


def begun(history: oa.History) -> oa.History:
    result = oa.solve(table(FIRST), POLICY, history)
    assert result.release is not None
    history.append(result.release)
    return history


@pytest.mark.parametrize("keyed", [False, True])
def test_a_returning_person_is_asked_about_and_recognized(tmp_path: Path, keyed: bool):
    """`A1 ` comes back as `a1`: the same under merge, another under keep, refused otherwise."""
    key = "k" * 32 if keyed else None
    begun(oa.History.open(tmp_path / "r.db", key=key))
    history = oa.History.open(tmp_path / "r.db", key=key)  # what the store says of spellings counts
    again = frame(["flu", "HIV", "flu", "HIV"], ["a1", "b", "c", "x"])
    with pytest.raises(SpellingError) as refused:
        oa.solve(table(again), POLICY, history)
    assert "row 1" in str(refused.value)
    assert "spelling: {respondent: merge}" in str(refused.value)
    assert "a1" not in str(refused.value).lower().replace("hmac", "")
    merged = oa.solve(table(again, "merge"), POLICY, history)
    assert merged.release is not None
    assert history.aligned_id("A1 ") in {m.respondent for m in merged.release.members}
    history.append(merged.release)
    assert len(history.records) == 5, "A1, b, c, d, x"
    grown = oa.History.open(tmp_path / "r.db", key=key)
    assert history.aligned_id("A1 ") in grown.records
    assert history.aligned_id("a1") not in grown.records
    kept = oa.solve(table(again, "keep"), POLICY, grown)
    assert kept.release is not None
    assert grown.aligned_id("a1") in {m.respondent for m in kept.release.members}


@pytest.mark.parametrize("keyed", [False, True])
def test_zeros_in_front_that_a_spreadsheet_took_make_nobody_new(tmp_path: Path, keyed: bool):
    policy, key = oa.Policy([oa.KAnonymity(k=2)]), "k" * 32 if keyed else None
    first = oa.History.open(tmp_path / "r.db", key=key)
    problem = oa.Problem(table=table(frame(["flu", "HIV"], ["0815", "x"])), policy=policy, history=first)
    first.append(problem.assemble([[0, 1]]))
    history, later = oa.History.open(tmp_path / "r.db", key=key), frame(["flu", "HIV"], ["815", "080"])
    with pytest.raises(SpellingError, match="the id in row 1 differs from one of an earlier release"):
        oa.Problem(table=table(later), policy=policy, history=history)
    merged = oa.Problem(table=table(later, "merge"), policy=policy, history=history)
    assert history.aligned_id("0815") in merged.table.row
    kept = oa.Problem(table=table(later, "keep"), policy=policy, history=history)
    assert history.aligned_id("0815") not in kept.table.row


def test_a_persistent_value_cannot_change_by_its_spelling():
    """Merged with the release before, value and person are the same as before: one spelling stays."""
    history = begun(oa.History())
    with pytest.raises(oa.TableError, match=r"'Flu', 'flu'.*'HIV', 'hiv'"):
        oa.solve(table(SECOND, {"respondent": "merge"}), POLICY, history)
    result = oa.solve(table(SECOND, "merge"), POLICY, history)
    assert result.release is not None
    history.append(result.release)
    assert history.values == {"flu", "HIV"}
    assert history.records["A1 "].member.value == "flu"
    again = oa.solve(table(SECOND, "merge"), POLICY, history)
    assert again.release is not None


def test_a_value_of_an_earlier_release_in_another_spelling_is_refused():
    history = begun(oa.History())
    with pytest.raises(oa.TableError, match=r"'Flu', 'flu'"):
        oa.solve(table(frame(["Flu", "HIV"], ["x", "y"])), POLICY, history)


def test_what_earlier_releases_have_twice_cannot_be_merged():
    first = frame(["flu", "Flu", "flu", "Flu"], ["a", "A", "c", "d"])
    history = oa.History()
    made = oa.solve(table(first, "keep"), POLICY, history).release
    assert made is not None
    history.append(made)
    later = frame(["flu", "Flu"], ["x", "y"])
    with pytest.raises(oa.TableError, match=r"cannot be merged: .*\{sensitive: keep\}"):
        oa.solve(table(later, "merge"), POLICY, history)
    returning = frame(["flu", "Flu"], ["a ", "y"])
    with pytest.raises(SpellingError, match=r"row 1 differs from several .*\{respondent: keep\}"):
        oa.solve(table(returning, {"respondent": "merge", "sensitive": "keep"}), POLICY, history)


# -- files -----------------------------------------------------------------------------------


def test_cells_and_histories_keep_one_spelling_through_files(tmp_path: Path):
    FIRST.to_csv(tmp_path / "t1.csv", index=False)
    SECOND.to_csv(tmp_path / "t2.csv", index=False)
    (tmp_path / "p1.yaml").write_text(PROBLEM.format(table="t1.csv", history="[]", more=""))
    assert run("solve", "p1.yaml", "--steward", folder=tmp_path).returncode == 0
    before = "[p1.steward.csv]"
    (tmp_path / "p2.yaml").write_text(PROBLEM.format(table="t2.csv", history=before, more=""))
    refused = run("solve", "p2.yaml", folder=tmp_path)
    assert refused.returncode == 2
    assert "spelling: {sensitive: merge}" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "p2.release.csv").exists()
    for name in ("p2", "p3"):
        (tmp_path / f"{name}.yaml").write_text(
            PROBLEM.format(table="t2.csv", history=before, more="spelling: merge")
        )
        done = run("solve", f"{name}.yaml", "--steward", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        before = "[p1.steward.csv, p2.steward.csv]"
    for name in ("p2", "p3"):
        public = (tmp_path / f"{name}.release.csv").read_text()
        assert set(re.findall(r"(?i)\b(?:flu|hiv)\b", public)) == {"flu", "HIV"}
        steward = pd.read_csv(tmp_path / f"{name}.steward.csv", dtype=str)
        assert set(steward["ill"]) == {"flu", "HIV"}
        assert "A1 " in set(steward["id"])
        assert "a1" not in set(steward["id"])
        assert run("check", f"{name}.steward.csv", "-p", f"{name}.yaml", folder=tmp_path).returncode == 0
        certificate = f"{name}.result.json"
        verified = run(
            "verify", certificate, "-p", f"{name}.yaml", "-r", f"{name}.steward.csv", folder=tmp_path
        )
        assert verified.returncode in (0, 5), verified.stdout + verified.stderr
    problem = load_problem(tmp_path / "p3.yaml")
    assert len(problem.history.records) == 5
    read = oa.read_csv(tmp_path / "t2.csv", **ROLES, spelling={"sensitive": "merge"})
    assert read.spelling == oa.Microdata.from_frame(SECOND, **ROLES, spelling={"sensitive": "merge"}).spelling


@pytest.mark.parametrize(
    "text", ["a", "ab", "\u1e9b\u0323", "\u0345\u03b1", "\u0130", "7.0", " 7 ", "\ufb01"]
)
def test_folding_twice_changes_nothing(text: str):
    assert fold(fold(text)) == fold(text)


def test_a_release_of_another_tool_is_read_with_the_declarations_of_its_table(tmp_path: Path):
    """The tool saw what is written in the table: HIV, hiv and N/A."""
    frame(["HIV", "hiv", "flu", "N/A"], ["a", "b", "c", "d"]).to_csv(tmp_path / "t.csv", index=False)
    rows = ['"[30,31]",HIV', '"[30,31]",hiv', '"[32,33]",flu', '"[32,33]",N/A']
    (tmp_path / "f.csv").write_text("\n".join(["age,ill", *rows]) + "\n")
    text = (
        "table: t.csv\nrespondent: id\nquasi_identifiers: [age]\nsensitive: ill\n{}\n"
        "policy: {{requirements: [distinct_l_diversity: {{l: 2}}], minimize: [information_loss]}}\n"
    )
    declared = "missing: category\nmissing_marks: [N/A]\nspelling: {}"
    (tmp_path / "p.yaml").write_text(text.format(declared.format("merge")))
    found = run("audit-release", "f.csv", "p.yaml", folder=tmp_path)
    assert found.returncode == 1, found.stdout + found.stderr
    assert "distinct_l_diversity" in found.stdout, "HIV and hiv are one value"
    (tmp_path / "p.yaml").write_text(text.format(declared.format("keep")))
    assert run("audit-release", "f.csv", "p.yaml", folder=tmp_path).returncode == 0
