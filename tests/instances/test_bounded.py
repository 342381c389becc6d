"""YAML and JSON of unknown origin: whatever is in it, reading ends soon with a value or one line."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings, strategies as st

import optanon as oa
from optanon.instances.bounded import FileLimits, parse_json, parse_yaml, read_json, read_yaml
from optanon.instances.knowledge_file import load_knowledge
from optanon.models.exact_numbers import LONGEST, exact_number

quick = settings(max_examples=100, deadline=None, derandomize=True)
SECONDS = 5
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-(10**30), 10**30) | TEXTS
PLAIN = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=4),
    max_leaves=12,
)


def bomb(levels: int, each: str) -> str:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n} {each % ', '.join([f'*a{n - 1}'] * 9)}" for n in range(1, levels + 1)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (bomb(9, "[%s]"), "more than 300,000 entries"),
        (bomb(9, "{<<: [%s]}"), "more than 300,000 entries"),
        ("[&a x" + ", *a" * 300_000 + "]", "more than 300,000 entries"),
        ("a: &a [1, *a]", "alias"),
        ("table: " + "[" * 900, "levels deep"),
        ("table: " + "[" * 20_000 + "]" * 20_000, "levels deep"),
        ("- " * 20_000 + "x", "levels deep"),
        ("{a: " * 20_000, "levels deep"),
        ("a: 1\nb: 2\na: 3", "line 3: .*'a' appears twice"),
        ("compromised: {2024-02-30: x}", "no date '2024-02-30'"),
        ("a: " + "9" * 5000, "more than 400 digits"),
        ("a: -1.5e+" + "9" * 500, "more than 400 digits"),
        ('a: "t\\0.csv"', "NUL"),
        ("a: t\0.csv", "not valid YAML"),
        ("a: [1", "not valid YAML"),
        ("a: !!python/object:os.system x", "not valid YAML"),
        ("a: 1\n---\nb: 2", "not valid YAML"),
    ],
)
def test_yaml_that_would_exhaust_its_reader_is_one_line(text: str, said: str):
    began = time.process_time()
    with pytest.raises(oa.InputError, match=said) as caught:
        parse_yaml(text, "p.yaml")
    assert str(caught.value).startswith("p.yaml")
    assert "\n" not in str(caught.value)
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 70 + "]" * 70, "levels deep"),
        ("[" * 100_000 + "]" * 100_000, "levels deep"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "levels deep"),
        ("9" * 401, "401 digits"),
        ("1." + "1" * 5000, "too large or too long"),
        ("[1e400]", "too large"),
        ("[NaN]", "NaN is not a number"),
        ("-Infinity", "is not a number"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "'c' appears twice"),
        ("{", "cannot be read as JSON"),
        ("", "cannot be read as JSON"),
    ],
)
def test_json_that_would_exhaust_its_reader_is_one_line(text: str, said: str):
    with pytest.raises(oa.CertificateError, match=said) as caught:
        parse_json(text, "c.json", kind=oa.CertificateError)
    assert str(caught.value).startswith("c.json")
    assert "\n" not in str(caught.value)


def test_files_are_bounded_in_size_and_entries(tmp_path: Path):
    small = FileLimits(size=20, depth=3, entries=5)
    (tmp_path / "x").write_text("[1, 2, 3, 4]")
    assert read_json(tmp_path / "x", bounds=small) == read_yaml(tmp_path / "x", bounds=small) == [1, 2, 3, 4]
    (tmp_path / "x").write_text("[1, 2, 3, 4, 5]")
    for read in (read_json, read_yaml):
        with pytest.raises(oa.InputError, match="more than 5 entries"):
            read(tmp_path / "x", bounds=small)
    (tmp_path / "x").write_text(" " * 21)
    for read in (read_json, read_yaml):
        with pytest.raises(oa.InputError, match="larger than 20 bytes"):
            read(tmp_path / "x", bounds=small)


@pytest.mark.parametrize("name", ["absent.yaml", ".", "a\0b.yaml", "n" * 300, "a\ud800.yaml"])
def test_files_that_cannot_be_read(tmp_path: Path, name: str):
    for read in (read_json, read_yaml):
        with pytest.raises(oa.InputError, match="cannot be read"):
            read(tmp_path / name)


def test_files_that_are_no_utf8(tmp_path: Path):
    (tmp_path / "x").write_bytes(b'{"a": "\xe9"}')
    for read in (read_json, read_yaml):
        with pytest.raises(oa.InputError, match=r"not UTF-8 text \(byte 7\)"):
            read(tmp_path / "x")


@quick
@given(PLAIN)
def test_what_is_within_bounds_is_read_as_by_the_library(value: object):
    assert parse_json(json.dumps(value), "x") == value
    text = yaml.safe_dump(value)
    assert parse_yaml(text, "x") == yaml.safe_load(text)


@quick
@given(st.text("[]{}:,-?&*a1 \n\"'!|>%@`#.e", max_size=60))
def test_no_text_does_more_than_be_refused(text: str):
    for parse in (parse_json, parse_yaml):
        try:
            parse(text, "x")
        except oa.InputError as error:
            said = str(error)
        else:
            said = ""
        assert "\n" not in said


def test_anchors_and_merges_within_bounds_work():
    text = "base: &b {kind: numeric, lo: 0}\nage: {<<: *b, lo: 5}\nagain: [*b, *b]"
    found = parse_yaml(text, "x")
    assert found["age"] == {"kind": "numeric", "lo": 5}
    assert found["again"] == [{"kind": "numeric", "lo": 0}] * 2


@pytest.mark.parametrize("text", ["1e401", "1e-999999999", "1e+9_99_999", "9" * 401, "0." + "1" * 400, "x"])
def test_numbers_beyond_all_bounds(text: str):
    began = time.process_time()
    with pytest.raises(ValueError):
        exact_number(text)
    assert time.process_time() - began < 1


def test_numbers_within_bounds_are_exact():
    assert exact_number("9" * LONGEST) == 10**LONGEST - 1
    assert exact_number("1e-400") == Fraction(1, 10**400)
    assert exact_number(" -7/21 ") == Fraction(-1, 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("compromised: {Ann: x, Ann: y}", "line 1: .*a key appears twice"),
        ("compromised: {2024-13-45: x}", "line 1: .*no such date: put it in quotes"),
        ("compromised: {!Ann b: x}", "line 1: .*no plain text"),
        ("compromised: {&Ann b: x, c: &Ann d}", "line 1: .*no plain text"),
        ("compromised: {Ann: x", "line 2: not valid YAML"),
    ],
)
def test_no_respondent_of_a_knowledge_file_is_in_a_message(tmp_path: Path, text: str, said: str):
    (tmp_path / "k.yaml").write_text(text + "\n")
    with pytest.raises(oa.ProblemFileError, match=said) as caught:
        load_knowledge(tmp_path / "k.yaml")
    assert "Ann" not in str(caught.value)
    assert "2024" not in str(caught.value)
