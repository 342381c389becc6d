"""Bad input: each gets one clear error, or INFEASIBLE with the reason.

The message names the column, row or parameter and the remedy, and no respondent.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from optanon import (
    EngineError,
    Hierarchy,
    HierarchyError,
    History,
    InputError,
    KCAnonymity,
    Microdata,
    Numeric,
    OptanonError,
    Policy,
    PolicyError,
    Problem,
    QIGroup,
    Release,
    ReleaseError,
    Sensitive,
    Status,
    TableError,
    TCloseness,
    WeakMInvariance,
    audit,
    n_choose,
    read_csv,
    read_parquet,
    solve,
    verify,
)
from optanon.models.box import Leaves
from optanon.models.hierarchies import intervals
from optanon.models.requirements import build_requirement
from optanon.models.table import QISpec

SECRET = "person-"
"""Every respondent id starts with this; no message may hold it."""


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": [f"{SECRET}{n}" for n in range(3)],
            "age": [31, 42, 53],
            "sex": ["F", "M", "F"],
            "ill": ["flu", "cold", "gout"],
            **columns,
        }
    )


def table(
    data: pd.DataFrame | None = None,
    qi: Mapping[str, QISpec] | list[str] | None = None,
    sensitive: str | Sensitive = "ill",
    respondent: str = "id",
    **options: Any,
) -> Microdata:
    return Microdata.from_frame(
        frame() if data is None else data,
        respondent=respondent,
        quasi_identifiers=["age", "sex"] if qi is None else qi,
        sensitive=sensitive,
        **options,
    )


def fails(kind: type[OptanonError], ask: Callable[[], object], *words: str) -> None:
    """`ask` ends in exactly this kind of error, whose message has all the words and no respondent."""
    with pytest.raises(OptanonError) as caught:
        ask()
    message = str(caught.value)
    assert type(caught.value) is kind, message
    assert SECRET not in message
    for word in words:
        assert word in message, message


K2 = Policy([KCAnonymity(k=2)])


def ask(data: Microdata, policy: Policy = K2, **options: Any) -> Any:
    return solve(data, policy, **{"display": False, "workers": 1, **options})


# -- tables --------------------------------------------------------------------------------


def test_an_empty_table():
    fails(TableError, lambda: table(frame().iloc[:0]), "empty", "at least one row")


def test_one_tuple_is_infeasible_with_the_reason_or_published_alone():
    alone = table(frame().iloc[:1])
    result = ask(alone)
    assert (result.status, result.release) == (Status.INFEASIBLE, None)
    assert "groups of 2 tuples, the table has 1" in result.reason
    assert ask(alone, Policy([KCAnonymity(k=1)])).status is Status.OPTIMAL
    assert ask(alone, Policy([KCAnonymity(k=2)], ["counterfeits"])).objective == (1,)


def test_duplicate_respondents_are_named_by_their_rows():
    fails(TableError, lambda: table(frame(id=["a", "b", "a"])), "'id'", "rows 1 and 3")
    fails(TableError, lambda: table(frame(id=[1, "1", 2])), "'id'", "rows 1 and 2")


@pytest.mark.parametrize("role", ["respondent", "qi", "sensitive"])
def test_unknown_columns(role: str):
    given: dict[str, Any] = {role: ["age", "zip"] if role == "qi" else "zip"}
    fails(TableError, lambda: table(**given), "no column 'zip'", "'age'", "'ill'")


def test_columns_with_two_roles_or_none():
    fails(TableError, lambda: table(qi=["id"]), "'id'", "two roles")
    fails(TableError, lambda: table(qi=["ill"]), "'ill'", "two roles")
    fails(TableError, lambda: table(qi=[]), "quasi-identifier")
    fails(TableError, lambda: table(qi=["age", "age"]), "'age'")


@pytest.mark.parametrize("column", ["id", "age", "sex", "ill"])
@pytest.mark.parametrize("gap", [None, float("nan"), pd.NA])
def test_missing_values_are_named_by_column_and_row(column: str, gap: object):
    data = frame().astype(object)
    data.loc[1, column] = gap
    fails(TableError, lambda: table(data), f"'{column}'", "row 2", "missing")


@pytest.mark.parametrize("raw", ["nan", ""])
def test_cells_of_numbers_that_look_missing(raw: object):
    data = frame(age=[31, raw, 53])
    fails(TableError, lambda: table(data, {"age": "numeric"}), "'age'", "row 2", "missing_marks")


@pytest.mark.parametrize("raw", [float("inf"), -float("inf"), "inf", "1/0", "twelve"])
def test_numbers_that_are_none(raw: object):
    data = frame(age=[31, raw, 53])
    fails(TableError, lambda: table(data, {"age": "numeric"}), "'age'", "row 2", "not a finite number")


def test_cells_of_several_values():
    several = [["F"], ["M", "F"], []]
    for kind in (None, "flat", "numeric", ["F", "M"]):
        fails(TableError, lambda k=kind: table(frame(sex=several), {"sex": k}), "'sex', row 1", "not a list")


@pytest.mark.parametrize("column", ["id", "sex", "ill"])
def test_cells_of_several_values_or_bytes_in_any_role(column: str):
    """Python's notation of them was published: ``b'flu'``."""
    for cell, words in ((["F"], "not a list"), (b"F", "not bytes: decode it")):
        data = frame(**{column: pd.Series(["a", cell, "c"], dtype=object)})
        fails(TableError, lambda t=data: table(t), f"'{column}', row 2", words)


def test_numbers_of_the_decimal_module_are_numbers():
    """They were categories, and published as ``*``."""
    read = table(frame(age=[Decimal("31.5"), Decimal(42), Decimal("53")]))
    assert isinstance(read.domains[0], Numeric)
    assert [member.point[0] for member in read.members] == [Fraction(63, 2), 42, 53]


def test_a_missing_number_is_not_said_to_become_a_category():
    for data, kinds in (
        (frame(age=["31", None, "53"]), {"age": "numeric"}),
        (frame(age=[31.0, np.nan, 53.0]), {"age": None}),
    ):
        with pytest.raises(TableError, match=r"row 2: .*drop_missing: \[age\]") as caught:
            table(data, kinds)
        assert "category" not in str(caught.value)


def test_columns_that_are_not_named_by_texts():
    """They ended in an AttributeError."""
    data = frame().rename(columns={"age": 0})
    fails(TableError, lambda: table(data, qi=[0, "sex"]), "got 0", "frame.columns.map(str)")  # pyright: ignore[reportArgumentType]
    fails(TableError, lambda: table(frame().set_index("id")), "no column 'id'", "frame.reset_index()")
    fails(TableError, lambda: table(pd.DataFrame()), "no column 'id': the table has none")


@pytest.mark.parametrize("given", [3, "age", None, {"age", "sex"}])
def test_quasi_identifiers_that_are_no_list(given: Any):
    def read() -> object:
        return Microdata.from_frame(frame(), respondent="id", quasi_identifiers=given, sensitive="ill")

    fails(TableError, read, "quasi_identifiers", repr(given), "a list of column names")


def test_quasi_identifiers_may_be_gone_through_once():
    assert table(qi=(name for name in ("age", "sex"))).attributes == ("age", "sex")  # pyright: ignore[reportArgumentType]


# A mapping was taken for the list of its keys, and a set for a list, in another order in every run.
@pytest.mark.parametrize("kind", [3, Numeric, "number", {"kind": "intervals", "widths": [5]}, {31, 42, 53}])
def test_quasi_identifiers_of_an_unknown_kind(kind: Any):
    fails(TableError, lambda: table(qi={"age": kind}), "'age'", repr(kind), "use 'numeric', 'flat'")


@pytest.mark.parametrize("given", [1, [1, 2]])
def test_sensitive_columns_that_are_no_names(given: Any):
    fails(TableError, lambda: table(sensitive=given), "sensitive names a column", "1")


def test_domains_of_no_numbers_and_of_decimals_that_are_none():
    fails(TableError, lambda: Numeric.of("age", []), "'age'", "give lo and hi")
    assert Numeric.of("age", [], lo=1, hi=3) == Numeric(name="age", lo=Fraction(1), hi=Fraction(3))
    wrong: Any
    for wrong in (-1, 1.5, True):
        fails(
            TableError, lambda w=wrong: Numeric.of("age", [1], decimals=w), "'age'", "decimals", repr(wrong)
        )


@pytest.mark.parametrize("widths", [[0, 5], [5, 0], [-5]])
def test_widths_of_intervals_are_above_0(widths: list[int]):
    for build in (Hierarchy.intervals, intervals):
        fails(HierarchyError, lambda b=build: b([1, 2], widths), "interval widths must be above 0")


def test_values_outside_their_domain():
    fails(TableError, lambda: table(qi={"sex": Hierarchy.flat(["F"])}), "'sex'", "row 2", "'M'", "hierarchy")
    fails(TableError, lambda: table(qi={"sex": ["M", "X"]}), "'sex'", "row 1", "'F'", "categories")
    fails(TableError, lambda: table(qi={"sex": "taxonomy"}), "'sex'", "unknown kind 'taxonomy'")
    ordered = Sensitive(name="ill", order=("flu", "cold"))
    fails(TableError, lambda: table(sensitive=ordered), "'ill'", "row 3", "order")


def test_numbers_too_fine_for_exact_integers():
    data = frame(age=["0.1", "1e-400", "3"])
    fails(TableError, lambda: table(data, {"age": "numeric"}), "'age'", "decimals")


# -- files ---------------------------------------------------------------------------------


def csv(folder: Path, content: str | bytes, **options: Any) -> Microdata:
    path = folder / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_csv(path, **{"respondent": "id", "quasi_identifiers": ["age"], "sensitive": "ill", **options})


def test_files_that_are_no_text(tmp_path: Path):
    content = f"id,age,ill\n{SECRET}1,5,fièvre\n".encode("latin-1")
    fails(TableError, lambda: csv(tmp_path, content, encoding="utf-8"), "table.csv", "not utf-8 text")
    fails(TableError, lambda: csv(tmp_path, content, encoding="latin-99"), "table.csv", "no encoding")
    fails(TableError, lambda: csv(tmp_path, content + b"\x00\x01"), "table.csv", "not text", "UTF-8")
    fails(
        TableError, lambda: csv(tmp_path, b"PK\x03\x04rest"), "table.csv", "workbook", "save the table as CSV"
    )
    # What is no text at all is not said to be nearly so.
    fails(TableError, lambda: csv(tmp_path, b"\xc3\xa9\x00\xff\x01"), "not text")
    fails(TableError, lambda: csv(tmp_path, gzip.compress(content)), "it is compressed: call it .gz")
    fails(TableError, lambda: csv(tmp_path, b"SQLite format 3\x00\x00"), "name the problem file")
    (tmp_path / "sex.csv").write_bytes("homme;é\n".encode("latin-1"))
    fails(HierarchyError, lambda: Hierarchy.from_csv(tmp_path / "sex.csv"), "sex.csv", "UTF-8")


def test_files_that_hold_no_table(tmp_path: Path):
    fails(TableError, lambda: csv(tmp_path, ""), "table.csv", "empty")
    fails(TableError, lambda: csv(tmp_path, "id,age,ill\n"), "table.csv", "empty")
    fails(TableError, lambda: csv(tmp_path, "id:age:ill\n1:2:3\n"), "table.csv", "no column 'id'")
    with pytest.raises(TableError, match=r"absent\.csv"):
        read_csv(tmp_path / "absent.csv", respondent="id", quasi_identifiers=["age"], sensitive="ill")
    (tmp_path / "table.parquet").write_bytes(b"none")
    with pytest.raises(TableError, match=r"table\.parquet"):
        read_parquet(tmp_path / "table.parquet", respondent="id", quasi_identifiers=["age"], sensitive="ill")


def test_rows_of_the_wrong_length(tmp_path: Path):
    fails(TableError, lambda: csv(tmp_path, f"id,age,ill\n{SECRET}1,5\n"), "line 2 has 2 cells", "header 3")
    fails(TableError, lambda: csv(tmp_path, f"id,age,ill\n{SECRET}1,5,x\n{SECRET}2,5,x,y\n"), "table.csv")
    # One cell too many in every row must not shift the columns.
    fails(TableError, lambda: csv(tmp_path, f"id,age,ill\n{SECRET}1,5,x,y\n{SECRET}2,6,x,z\n"), "table.csv")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"delimiter": 5}, "the delimiter is one character"),
        ({"encoding": 5}, "the encoding is a name"),
        ({"decimal": ";"}, "the decimal sign is '.' or ','"),
        ({"missing": "drop"}, "missing must be 'refuse' or 'category'"),
        ({"missing_marks": "N/A"}, "missing_marks lists cells, got the text 'N/A': write ['N/A']"),
        ({"real_values": {"age": "-"}}, "real_values lists cells, got the text '-'"),
        ({"quasi_identifiers": "age"}, "quasi_identifiers is a list of column names"),
        ({"path": frame()}, "not DataFrame: name a file, or give a data frame to Microdata.from_frame"),
    ],
)
def test_arguments_of_read_csv(tmp_path: Path, given: dict[str, Any], words: str):
    """Some were ignored, a text of marks was read letter by letter, others ended in a traceback."""
    frame().to_csv(tmp_path / "t.csv", index=False)
    roles = {"respondent": "id", "quasi_identifiers": ["age"], "sensitive": "ill"}
    fails(TableError, lambda: read_csv(**{"path": tmp_path / "t.csv", **roles, **given}), words)


def test_a_data_frame_of_another_library_is_told_so():
    """It was "not DataFrame: make a DataFrame of it"."""

    class DataFrame:
        def to_pandas(self) -> pd.DataFrame:
            return frame()

    other: Any = DataFrame()
    fails(TableError, lambda: ask(other), "a DataFrame of pandas, not of ", ".to_pandas() makes one")


def test_a_column_that_appears_twice(tmp_path: Path):
    fails(TableError, lambda: csv(tmp_path, f"id,age,age,ill\n{SECRET}1,5,6,x\n"), "'age'", "twice")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "at least one row"),
        ("a;x;*\na;y;*\n", "row 2 repeats the leaf 'a'"),
        ("a;x;*\nb;x\n", "row 2 has 2 levels"),
        ("a;;*\n", "row 1 has an empty cell"),
        ("a;x;r;*\nb;x;s;*\n", "row 2: 'x'"),
    ],
)
def test_hierarchies_that_are_no_trees(tmp_path: Path, content: str, words: str):
    path = tmp_path / "sex.csv"
    path.write_text(content)
    fails(HierarchyError, lambda: Hierarchy.from_csv(path), "sex.csv", words)


def test_labels_that_releases_could_not_be_read_by():
    starred = frame(sex=["F", "*", "F"])
    fails(TableError, lambda: table(starred, {"sex": "flat"}), "'sex'", "'*'", "missing_marks: ['*']")
    declared = table(starred, {"sex": "flat"}, missing_marks=["*"], missing="category")
    assert [member.point for member in declared.members] == [("F",), ("missing",), ("F",)]
    inner = Hierarchy.from_tree({"F": ["F", "X"], "M": ["M"]})
    fails(TableError, lambda: table(qi={"sex": inner}), "'sex'", "'F'", "rename")
    apart = Hierarchy((("F", "F", "*"), ("M", "x", "*"), ("X", "x", "*"), ("Y", "y", "*"), ("y", "*", "*")))
    fails(TableError, lambda: table(qi={"sex": apart}), "'sex'", "'y'", "rename")
    fails(TableError, lambda: table(qi={"sex": ["F", "F..M", "M"]}), "'sex'", "'F..M'", "two ranges")
    # A label of a node with one leaf is not published where the leaf has one of its own.
    codes = Hierarchy((("1", "1*", "1*"), ("12", "12*", "1*")))
    assert table(frame(sex=["1", "12", "1"]), {"sex": codes}).domains[0].parse("1*") == Leaves(
        "1*", frozenset({"1", "12"})
    )


# -- policies ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, -1, 1.5, "2", True, None])
def test_whole_parameters(k: Any):
    fails(PolicyError, lambda: KCAnonymity(k=k), "k_c_anonymity", "k must be a whole number", repr(k))


@pytest.mark.parametrize("c", [0, 2, "x", float("nan"), float("inf"), True, None])
def test_rational_parameters(c: Any):
    fails(PolicyError, lambda: KCAnonymity(k=2, c=c), "k_c_anonymity", "c must be")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *(("p", wrong) for wrong in (float("nan"), "abc", 2)),
        *(("h", wrong) for wrong in (float("nan"), "abc", 0)),
        *(("history", wrong) for wrong in (0, 2.0, "2")),
        *(("m", wrong) for wrong in (0, 3.0, None)),
    ],
)
def test_parameters_of_n_choose(name: str, wrong: Any):
    given: dict[str, Any] = {"p": 0.1, "history": 2, "m": 3, "h": 0.1, name: wrong}
    fails(PolicyError, lambda: n_choose(**given), "n_choose", f"{name} must be", str(wrong))


def test_requirements_by_name():
    fails(PolicyError, lambda: build_requirement("kk_anonymity", {}), "'kk_anonymity'", "k_c_anonymity")
    fails(PolicyError, lambda: build_requirement("k_c_anonymity", {"l": 2}), "no parameter 'l'", "k, c")
    fails(PolicyError, lambda: build_requirement("k_c_anonymity", {}), "k_c_anonymity needs k")


def test_the_familiar_name_is_among_those_that_are_known():
    fails(PolicyError, lambda: build_requirement("kanonymity", {}), " k_anonymity, k_c_anonymity, ")


@pytest.mark.parametrize("limit", [-1, 1.5, "x", float("nan"), True])
def test_limits(limit: Any):
    fails(PolicyError, lambda: Policy([KCAnonymity(k=2)], max_suppressed=limit), "max_suppressed")
    fails(PolicyError, lambda: Policy([KCAnonymity(k=2)], max_counterfeits=limit), "max_counterfeits")


@pytest.mark.parametrize(
    ("minimize", "word"),
    [
        ([], "minimize"),
        (["loss"], "'loss'"),
        ([{"suppressed": 0}], "suppressed"),
        ([{}], "minimize"),
        ([{"suppressed": 1, "maximum_group_size": 1}], "maximum_group_size"),
        ([3], "minimize"),
    ],
)
def test_objectives(minimize: Any, word: str):
    fails(PolicyError, lambda: Policy([KCAnonymity(k=2)], minimize), word)


def test_policies_without_requirements():
    fails(PolicyError, lambda: Policy([]), "at least one requirement")
    alone: Any = KCAnonymity(k=2)
    fails(PolicyError, lambda: Policy(alone), "requirements must be a list, not k_c_anonymity")
    wrong: Any = ["k_c_anonymity"]
    fails(PolicyError, lambda: Policy(wrong), "requirement")


@pytest.mark.parametrize(
    "options",
    [
        {"time_limit": 0},
        {"time_limit": -1},
        {"time_limit": float("nan")},
        {"time_limit": "5"},
        {"time_limit": True},
        {"initial": "x"},
        {"workers": 0},
        {"workers": 1.5},
        {"seed": 2**40},
        {"seed": -(2**40)},
        {"seed": 0.5},
        {"engine": "simplex"},
    ],
)
def test_options_of_solve(options: dict[str, Any]):
    (name,) = options
    fails(PolicyError, lambda: ask(table(), **options), name)


# -- problems that have no answer ------------------------------------------------------------


@pytest.mark.parametrize("policy", [None, [KCAnonymity(k=2)]])
def test_policies_that_are_none(policy: Any):
    fails(PolicyError, lambda: ask(table(), policy), "policy must be a Policy", "Policy([...])")


def test_audits_and_checks_of_something_else():
    data = table()
    result: Any = ask(data)
    alone = result.release
    fails(ReleaseError, lambda: audit(alone), "a list of releases", "[release]")
    wrong: Any
    for wrong in ("3", 0, True):
        fails(InputError, lambda w=wrong: audit([alone], time_limit=w), "time_limit", repr(wrong))
    fails(
        InputError, lambda: verify(result, Problem(table=data, policy=K2)), "result.certificate", "not Result"
    )


def test_more_values_asked_for_than_there_are():
    for policy in (
        Policy([WeakMInvariance(m=4)]),
        Policy([WeakMInvariance(m=4)], ["counterfeits"]),
        Policy([WeakMInvariance(m=4)], max_suppressed=1),
    ):
        result = ask(table(), policy)
        assert (result.status, result.release) == (Status.INFEASIBLE, None)
        assert "m=4" in result.reason
        assert SECRET not in result.reason


def test_an_order_of_values_that_lacks_some():
    policy = Policy([TCloseness(t="1/2", order=("flu", "cold"))])
    fails(
        PolicyError,
        lambda: ask(table(), policy),
        "t_closeness: order lacks 1 value of the domain ('gout'): list every value that occurs or is",
    )
    declared = table(sensitive=Sensitive(name="ill", domain=frozenset({"flu", "cold", "gout", "zz"})))
    full = Policy([TCloseness(t="1/2", order=("flu", "cold", "gout"))])
    lacks = ("lacks 1 value of the domain ('zz')", "or is declared once")
    fails(PolicyError, lambda: ask(declared, full, engine="assignment"), *lacks)
    policy = Policy([TCloseness(t="1/2", order=("x", "y"))])
    fails(PolicyError, lambda: ask(table(frame(ill=[*"abc"])), policy), "lacks 3 values", "('a', 'b', 'c')")
    more = pd.concat([frame(ill=[*"abc"]), frame(ill=[*"def"], id=[f"{SECRET}{n}" for n in "xyz"])])
    fails(PolicyError, lambda: ask(table(more), policy), "lacks 6 values", "('a', 'b', 'c', ...)")


@pytest.mark.parametrize("order", ["flu", 7])
def test_an_order_that_is_no_list(order: Any):
    fails(
        PolicyError,
        lambda: TCloseness(t="1/2", order=order),
        f"order must be a list of values, got {order!r}",
    )


def test_a_table_too_large_for_the_assignment_engine():
    rows = 10**5
    data = pd.DataFrame({"id": np.arange(rows), "age": "x", "ill": np.arange(rows) % 7})
    large = table(data, {"age": "flat"})
    fails(EngineError, lambda: ask(large, engine="assignment"), "100000", "200 tuples")


# -- histories and releases --------------------------------------------------------------------


def test_histories_that_do_not_fit():
    history = History([ask(table()).release])
    other = table(qi=["age"])
    fails(ReleaseError, lambda: ask(other, history=history), "age", "sex", "columns")
    changed = table(frame(ill=["flu", "gout", "gout"]))
    fails(TableError, lambda: ask(changed, history=history), "'ill'", "row 2", "release 1")
    before = len(history)
    strange = ask(other).release
    fails(ReleaseError, lambda: history.append(strange), "columns")
    assert len(history) == before
    assert len(history.records) == 3


def test_releases_that_contradict_themselves():
    members = table().members
    box = ask(table()).release.groups[0].box
    assert box is not None
    shape: dict[str, Any] = {"attributes": ("age", "sex"), "sensitive": "ill"}
    group = QIGroup(members=members, box=box)
    fails(ReleaseError, lambda: QIGroup(members=()), "real tuple")
    fails(ReleaseError, lambda: QIGroup(members=(members[0], members[0])), "twice")
    fails(ReleaseError, lambda: QIGroup(members=members, counterfeits=(("flu", 0),)), "counterfeit")
    small = tuple(cell for cell in ask(table().__class__.from_frame(
        frame().iloc[:1], respondent="id", quasi_identifiers=["age", "sex"], sensitive="ill"
    ), Policy([KCAnonymity(k=1)])).release.groups[0].box)  # fmt: skip
    fails(ReleaseError, lambda: QIGroup(members=members, box=small), "cover")
    fails(ReleaseError, lambda: Release(groups=(group,), form="anatomized", **shape), "group 1", "boxes")
    fails(ReleaseError, lambda: Release(groups=(QIGroup(members=members),), **shape), "group 1", "boxes")
    fails(ReleaseError, lambda: Release(groups=(group, group), **shape), "group 2", "respondent")
    fails(ReleaseError, lambda: Release(groups=(group,), suppressed=members[:1], **shape), "suppressed")
    wrong: Any = "other"
    fails(ReleaseError, lambda: Release(groups=(group,), form=wrong, **shape), "'other'")


# -- nothing half-written ------------------------------------------------------------------------


def test_a_release_is_written_whole_or_not_at_all(tmp_path: Path):
    release = ask(table()).release
    fails(InputError, lambda: release.to_csv(tmp_path / "absent" / "r.csv"), "r.csv")
    target = tmp_path / "r.csv"
    target.write_text("as it was")

    class StopError(Exception):
        pass

    def stop(*args: object, **options: object) -> None:
        Path(str(args[1])).write_text("half")
        raise StopError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pd.DataFrame, "to_csv", stop)
        with pytest.raises(StopError):
            release.to_csv(target)
    assert target.read_text() == "as it was"
    assert [file.name for file in tmp_path.iterdir()] == ["r.csv"]


def test_nothing_shown_names_a_respondent():
    data = table()
    result: Any = ask(data)
    shown = [
        repr(data),
        repr(data.members[0]),
        repr(result),
        repr(result.release),
        repr(result.release.groups),
    ]
    shown += [
        result.certificate.to_json(),
        result.release.to_frame().to_csv(),
        repr(History([result.release])),
    ]
    assert not [text for text in shown if SECRET in text]
    assert re.search(SECRET, result.release.to_frame(copy="steward").to_csv())
