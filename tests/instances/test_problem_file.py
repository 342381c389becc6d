"""Problem files: every kind of column, and the policy's keys, arrive as meant."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

import optanon as oa
from optanon.instances.problem_file import load_problem
from optanon.instances.text_files import Reading
from optanon.models.categories import Categories, Ordered
from optanon.models.numeric import Numeric

TABLE = """who,age,wage,school,town,sex,score,disease
a,31,10.5,low,Oslo,F,3,flu
b,37,11.25,high,Rome,M,17,cold
c,42,9,mid,Bari,F,8,flu
d,44,12,low,Oslo,M,12,cold
"""
TOWNS = "Oslo;north;*\nRome;south;*\nBari;south;*\n"

PROBLEM = {
    "table": "people.csv",
    "respondent": "who",
    "quasi_identifiers": {
        "age": {"kind": "numeric", "lo": 0, "hi": 100},
        "wage": {"kind": "numeric", "decimals": 0},
        "school": {"kind": "ordered", "categories": ["low", "mid", "high"]},
        "town": {"kind": "taxonomy", "hierarchy": "towns.csv"},
        "sex": "flat",
        "score": {"kind": "intervals", "widths": [5, 10]},
    },
    "sensitive": {"column": "disease", "persistence": "both", "order": ["cold", "flu"], "domain": ["gout"]},
    "policy": {
        "requirements": [{"k_c_anonymity": {"k": 2, "c": 0.5}}, {"distinct_l_diversity": {"l": 2}}],
        "minimize": ["suppressed", {"information_loss": 1, "counterfeits": "1/10"}],
        "max_suppressed": 0.5,
        "max_counterfeits": 3,
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "towns.csv").write_text(TOWNS)
    return tmp_path


def load(folder: Path, **changes: object) -> oa.Problem:
    (folder / "p.yaml").write_text(yaml.safe_dump({**PROBLEM, **changes}, sort_keys=False))
    return load_problem(folder / "p.yaml")


def test_every_kind_of_column(folder: Path):
    age, wage, school, town, sex, score = load(folder).table.domains
    assert isinstance(age, Numeric)
    assert (age.lo, age.hi, age.span) == (0, 100, 100)
    assert isinstance(wage, Numeric)
    assert wage.rounded
    assert str(wage.cell(0, 2)) == "[9,12]"  # 9 to 11.25: rounded down to 9..11, published one step wider
    assert isinstance(school, Ordered)
    assert str(school.cell(0, 1)) == "low..mid"
    assert isinstance(town, Categories)
    assert {str(town.cell(0, 0)), str(town.cell(1, 2)), str(town.cell(0, 2))} == {"Oslo", "south", "*"}
    assert isinstance(sex, Categories)
    assert sex.width(sex.cell(0, 1)) == 1
    assert isinstance(score, Categories)
    assert str(score.cell(*score.encode(["12", "17"]).tolist())) == "[10,20)"


def test_policy_and_sensitive_keys(folder: Path):
    problem = load(folder)
    assert problem.table.sensitive.order == ("cold", "flu")
    assert problem.values == ("cold", "flu", "gout")
    assert [str(r) for r in problem.policy.requirements] == [
        "k_c_anonymity(k=2, c=1/2)",
        "distinct_l_diversity(l=2)",
    ]
    assert dict(problem.policy.levels[1].weights) == {"information_loss": 1, "counterfeits": Fraction(1, 10)}
    assert problem.policy.suppression_limit(4) == 2
    assert problem.policy.counterfeit_limit == 3
    result = oa.solve_problem(problem)
    assert result.status is oa.Status.OPTIMAL
    assert result.release is not None
    assert not list(problem.check(result.release))


@pytest.mark.parametrize(
    ("minimize", "levels"),
    [
        ({"information_loss": 1}, ["information_loss"]),
        ("discernibility", ["discernibility"]),
        (["discernibility", {"information_loss": 1}], ["discernibility", "information_loss"]),
        ({"information_loss": 1, "counterfeits": "1/10"}, ["1 information_loss + 1/10 counterfeits"]),
    ],
)
def test_one_level_needs_no_list(folder: Path, minimize: object, levels: list[str]):
    policy = load(folder, policy={"requirements": [{"k_anonymity": {"k": 2}}], "minimize": minimize}).policy
    assert [level.name for level in policy.levels] == levels


def test_column_names_alone_are_guessed(folder: Path):
    problem = load(folder, quasi_identifiers=["age", "sex"])
    age, sex = problem.table.domains
    assert isinstance(age, Numeric)
    assert isinstance(sex, Categories)


def test_full_domain_recoding_is_read(folder: Path):
    policy = {"requirements": [{"k_c_anonymity": {"k": 2}}], "recoding": "full_domain"}
    problem = load(folder, policy=policy, quasi_identifiers={"town": PROBLEM["quasi_identifiers"]["town"]})  # type: ignore[index]
    assert problem.policy.recoding == "full_domain"


def test_what_a_requirement_names_is_refused_with_file_and_key(folder: Path):
    columns = {"town": PROBLEM["quasi_identifiers"]["town"]}  # type: ignore[index]
    for asked, said in (
        (
            {"t_closeness": {"t": 0.5, "order": ["flu", "gout"]}},
            r"t_closeness: order lacks 1 value .*'cold'",
        ),
        (
            {"t_closeness": {"t": 0.5, "order": "flu"}},
            "t_closeness: order must be a list of values, got 'flu'",
        ),
        (
            {"resists_inference": {"min_values": 2, "knowledge": {"compromised": {"a": "none"}}}},
            "resists_inference: knowledge: compromised: knowledge excludes the true value of 1 respondents",
        ),
    ):
        with pytest.raises(oa.ProblemFileError, match=rf"p\.yaml, key policy: {said}"):
            load(folder, policy={"requirements": [asked]}, quasi_identifiers=columns)


def test_an_order_of_one_of_several_columns_lists_its_values(folder: Path):
    asked = {"t_closeness": {"t": 0.5, "order": ["flu", "gout"], "attribute": "disease"}}
    with pytest.raises(
        oa.ProblemFileError, match=r"p\.yaml, key policy: t_closeness: order lacks 1 value of"
    ):
        load(
            folder,
            policy={"requirements": [asked]},
            quasi_identifiers={"age": "numeric"},
            sensitive=["disease", "sex"],
        )


@pytest.mark.parametrize(
    ("minimize", "said"),
    [
        (
            ["information_loss", "information_loss"],
            "level 2 (information_loss) repeats level 1 (information_loss)",
        ),
        (
            ["counterfeits", "information_loss", {"information_loss": 2}],
            "level 3 (2 information_loss) repeats level 2 (information_loss)",
        ),
        (
            [{"suppressed": 1, "counterfeits": 2}, {"counterfeits": 1, "suppressed": "1/2"}],
            "level 2 (1 counterfeits + 1/2 suppressed) repeats level 1 (1 suppressed + 2 counterfeits)",
        ),
    ],
)
def test_a_level_that_repeats_another_is_refused(
    folder: Path, minimize: list[str | dict[str, object]], said: str
):
    """It was searched for again, and the proof of the first was lost."""
    asked = {"requirements": [{"k_anonymity": {"k": 2}}], "minimize": minimize}
    with pytest.raises(oa.ProblemFileError, match="p.yaml, key policy: minimize: " + re.escape(said)):
        load(folder, policy=asked)
    policy = oa.Policy([oa.KCAnonymity(k=2)], minimize)
    with pytest.raises(oa.PolicyError, match=re.escape(said)):
        oa.solve(load(folder).table, policy)


def test_a_level_that_shares_losses_with_another_is_none_that_repeats_it(folder: Path):
    minimize = [
        "counterfeits",
        {"counterfeits": 1, "information_loss": 1},
        {"counterfeits": 1, "information_loss": 2},
    ]
    asked = {"requirements": [{"k_anonymity": {"k": 2}}], "minimize": minimize}
    assert len(load(folder, policy=asked).policy.levels) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"policy": {"max_suppressed": "5%"}},
            "key policy: max_suppressed: the limit must be a number such as",
        ),
        (
            {"policy": {"max_counterfeits": -1}},
            "key policy: max_counterfeits: the limit must be a whole number",
        ),
        (
            {"policy": {"weights": {"age": ".nan"}}},
            "key policy: weights: the weight of age must be a number such",
        ),
        (
            {"age": {"kind": "intervals", "widths": [5, 7]}},
            "key quasi_identifiers.age: interval width 7 is not",
        ),
        ({"age": {"kind": "dates"}}, "key quasi_identifiers.age: '31' is not a date"),
        ({"sex": {"kind": "numeric"}}, "key quasi_identifiers.sex: column 'sex', row 1: 'F' is not a finite"),
    ],
)
def test_file_and_key_are_told_once(folder: Path, change: dict[str, object], said: str):
    policy = {"requirements": [{"k_anonymity": {"k": 2}}]} | change.get("policy", {})  # type: ignore[operator]
    columns = {"age": "numeric", "sex": "flat"} | {
        key: kind for key, kind in change.items() if key != "policy"
    }
    with pytest.raises(oa.ProblemFileError, match="^" + re.escape(f"{folder / 'p.yaml'}, {said}")):
        load(folder, quasi_identifiers=columns, policy=policy)


@pytest.mark.parametrize(
    ("kind", "cells", "said"),
    [
        (
            {"kind": "dates"},
            ["2020-01-02", "", "2020-01-02", "3.1.2020"],
            ", row 4: '3.1.2020' is not a",
        ),
        (
            {"kind": "intervals", "widths": [5]},
            ["1", "x", "2", "x"],
            ", row 2: the value 'x' is not",
        ),
        ({"kind": "dates"}, ["1.1.2020", "2.1.2020", "3.1.2020", "4.1.2020"], ": '1.1.2020' is not a date"),
        ({"kind": "prefix", "keep": [1]}, [""] * 4, ": all cells of the column are missing: leave it out"),
    ],
)
def test_a_cell_without_levels_is_named_with_its_row(
    tmp_path: Path, kind: dict[str, object], cells: list[str], said: str
):
    rows = [f"p{n},{cell},{'xy'[n % 2]}" for n, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join(["id,day,ill", *rows, ""]))
    spec = {"table": "t.csv", "respondent": "id", "sensitive": "ill", "missing": "category"}
    (tmp_path / "p.yaml").write_text(
        yaml.safe_dump({**spec, "quasi_identifiers": {"day": kind}, "policy": POLICY})
    )
    where = f"{tmp_path / 'p.yaml'}, key quasi_identifiers.day{said}"
    with pytest.raises(oa.ProblemFileError, match="^" + re.escape(where)):
        load_problem(tmp_path / "p.yaml")


def test_rows_with_a_missing_cell_are_left_out_where_that_is_said(tmp_path: Path):
    rows = "a,30,x,1\nb,,y,2\nc,-,x,x\nd,33,,4\ne,40,y,5\n"
    (tmp_path / "t.csv").write_text(f"id,age,ill,score\n{rows}")
    spec = {
        "table": "t.csv",
        "respondent": "id",
        "sensitive": "ill",
        "missing_marks": ["-"],
        "policy": POLICY,
    }
    said: list[Reading] = []

    def loaded(**changes: object) -> oa.Microdata:
        content = {**spec, "quasi_identifiers": {"age": "numeric"}, **changes}
        (tmp_path / "p.yaml").write_text(yaml.safe_dump(content))
        return load_problem(tmp_path / "p.yaml", tell=said.append).table

    table = loaded(drop_missing=["age", "ill"])
    assert [(member.respondent, member.point) for member in table.members] == [("a", (30,)), ("e", (40,))]
    assert str(said[-1]) == "read t.csv: comma, utf-8, 5 rows, 3 of them left out (drop_missing)"
    with pytest.raises(
        oa.ProblemFileError, match=r"key drop_missing: t\.csv has no column 'Age', only id, age"
    ):
        loaded(drop_missing=["Age"])
    counted = re.escape("(rows counted without the 2 left out)")
    with pytest.raises(oa.TableError, match=f"{counted}: column 'ill', row 2: the value is missing"):
        loaded(drop_missing=["age"])
    (tmp_path / "t.csv").write_text(f"id,age,ill,score\n{rows}f,41,x,z\n")
    with pytest.raises(oa.ProblemFileError, match=f"row 4: the value 'z' .*{counted}$"):
        loaded(
            drop_missing=["age"],
            missing="category",
            quasi_identifiers={"score": {"kind": "intervals", "widths": [5]}},
        )


@pytest.mark.parametrize("kind", ["numeric", {"kind": "prefix", "keep": [1]}])
def test_a_table_without_rows_is_told_as_such(folder: Path, kind: object):
    (folder / "people.csv").write_text(TABLE.partition("\n")[0] + "\n")
    with pytest.raises(oa.TableError, match="the table has no rows: give at least one"):
        load(folder, quasi_identifiers={"age": kind})


POLICY: dict[str, object] = {"requirements": [{"k_anonymity": {"k": 2}}]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sensitive": ["disease", 3]}, "key sensitive.1: must be a text or a mapping: correct it (got '3')"),
        ({"sensitive": {"order": []}}, "key sensitive.column: field required: add it"),
        (
            {"quasi_identifiers": 3},
            "key quasi_identifiers: must be a list or a mapping: correct it (got '3')",
        ),
        (
            {"quasi_identifiers": {"age": {"kind": "numeric", "low": 1}}},
            "key quasi_identifiers.age.low: there is no such key here: remove or correct it; keys are "
            "case-sensitive",
        ),
        (
            {"quasi_identifiers": {"age": "number"}},
            "key quasi_identifiers.age: must be 'numeric' or 'flat' or a mapping: correct it (got 'number')",
        ),
        (
            {"policy": POLICY | {"max_suppressed": [1], "form": "x"}},
            "key policy.max_suppressed: must be a number or a text: correct it (got '[1]')",
        ),
        (
            {"policy": {"requirements": [{"k_anonymity": 2}]}},
            "key policy.requirements.0.k_anonymity: must be a mapping: correct it (got '2')",
        ),
        (
            {"policy": POLICY | {"outlook": {"survival": [1]}}},
            "key policy.outlook.survival: must be a number or a text or a mapping: correct it (got '[1]')",
        ),
    ],
)
def test_the_first_wrong_key_is_said_once_and_in_plain_words(
    folder: Path, change: dict[str, object], said: str
):
    with pytest.raises(oa.OptanonError) as caught:
        load(folder, **change)
    assert str(caught.value).endswith(f"p.yaml: {said}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"quasi_identifiers": {"age": {"kind": "numeric", "decimals": -1}}}, "quasi_identifiers.age"),
        (
            {"quasi_identifiers": {"age": {"kind": "numeric", "lo": "nan"}}},
            "numeric: lo must be a number such",
        ),
        ({"quasi_identifiers": {"age": {"kind": "numeric", "hi": "x"}}}, "numeric: hi must be a number such"),
        ({"delimiter": "|"}, "correct the key delimiter ('|'), or leave it out"),
        ({"quasi_identifiers": {"town": {"kind": "taxonomy"}}}, "hierarchy: field required: add it"),
        ({"quasi_identifiers": {"age": {"kind": "numeric", "lo": 35}}}, "row 1: 31 is outside its domain"),
        ({"quasi_identifiers": {"score": {"kind": "intervals", "widths": [5, 12]}}}, "not a multiple of 5"),
        ({"sensitive": {"column": "disease", "order": ["flu"]}}, "not in the declared order"),
        ({"sensitive": {"column": "disease", "persistence": "never"}}, "sensitive"),
        (
            {"policy": {"requirements": [{"k_c_anonymity": {"k": 2}}], "minimize": ["pain"]}},
            "unknown loss 'pain'",
        ),
        ({"policy": {"requirements": [{"k_c_anonymity": {"k": 2, "c": 2}}]}}, "at most 1"),
        ({"policy": {"requirements": []}}, "policy.requirements"),
        ({"policy": {"requirements": ["k_anonymity"]}}, "k_anonymity needs k: write k_anonymity: {k: ...}"),
        ({"policy": {"requirements": ["k_anonymity"], "minimize": 3}}, "policy.minimize"),
        ({"missing": "ignore"}, "missing"),
    ],
)
def test_wrong_values_name_their_key(folder: Path, change: dict[str, object], said: str):
    with pytest.raises(oa.OptanonError, match=r"p\.yaml") as caught:
        load(folder, **change)
    assert said in str(caught.value)
