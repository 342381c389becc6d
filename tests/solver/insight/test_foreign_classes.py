"""Releases of other tools: which records are one class, what stars publish, and whose memberships matter."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

import optanon as oa
from optanon.instances.foreign.release import read_foreign


def people(*rows: tuple[str, int, str]) -> oa.Microdata:
    frame = pd.DataFrame(rows, columns=["id", "age", "v"])
    return oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="v")


FIVE = people(("p", 41, "a"), ("q", 45, "b"), ("r", 50, "a"), ("s", 55, "b"), ("t", 58, "a"))


def released(cells: list[str], values: str) -> pd.DataFrame:
    return pd.DataFrame({"age": cells, "v": list(values)})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[40, 60[", "[0, 80["),  # both are cut to the domain, 41 to 58
        (">=41", "*"),
        (">=41", "41-58"),
        ("41-58", "{41,45,50,55,58}"),
        ("41-58", "**"),
    ],
)
def test_records_that_say_different_things_are_two_classes(one: str, other: str):
    """They were one group of five, said to keep k = 4, where everybody sees one of three and one of two."""
    asked = oa.Problem(table=FIVE, policy=oa.Policy([oa.KCAnonymity(k=4)]))
    frame = released([one] * 3 + [other] * 2, "ababa")
    found = oa.audit_release(frame, asked, stars="group", solve=False)
    assert sorted(group.size for group in found.release.groups) == [2, 3]
    assert found.passes is False
    alone = oa.audit_release(released([one] * 5, "ababa"), asked, solve=False)
    assert alone.passes is True


@pytest.mark.parametrize("other", ["[41,58]", "[41;58]", "41 - 58", "[41, 59["])
def test_spellings_of_the_same_are_one_class(other: str):
    found = read_foreign(released(["41-58"] * 3 + [other] * 2, "ababa"), FIVE)
    assert [group.size for group in found.release.groups] == [5]


def test_labels_above_each_other_are_two_classes():
    """The only region covers what the root covers; in the release it is another text."""
    levels = oa.Hierarchy((("Rome", "south", "Italy"), ("Bari", "south", "Italy")))
    frame = pd.DataFrame({"id": list("pqrs"), "city": ["Rome", "Bari"] * 2, "v": list("aabb")})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers={"city": levels}, sensitive="v")
    texts = ["south", "south", "Italy", "Italy"]
    found = read_foreign(pd.DataFrame({"city": texts, "v": list("abab")}), table)
    assert [group.size for group in found.release.groups] == [2, 2]


def test_nobody_lies_in_the_hole_of_a_set_of_numbers():
    table = people(("p", 20, "a"), ("q", 30, "a"), ("r", 40, "b"), ("s", 40, "b"))
    with pytest.raises(oa.ReleaseError, match="can be nobody"):
        read_foreign(released(["{20,40}"] * 4, "aabb"), table)
    found = read_foreign(released(["{20,40}", "30", "{20,40}", "{20,40}"], "aabb"), table)
    assert {group.respondents for group in found.release.groups} == {frozenset("prs"), frozenset("q")}


def test_counterfeits_stay_counterfeits_where_ids_are_not_believed():
    """A second group of three, one of them invented, was read as a group of two."""
    table = people(("p", 20, "a"), ("q", 25, "b"), ("r", 30, "b"), ("s", 40, "b"))
    frame = released(["20-25"] * 2 + ["30-40"] * 3, "abbbb")
    for ids in (["p", "q", "r", "", "s"], ["1", "2", "3", "", "4"]):
        found = read_foreign(frame.assign(id=ids), table, match="fit").release
        assert [(group.size, group.fakes) for group in found.groups] == [(2, 0), (3, 1)]


def test_missing_cells_do_not_make_other_values_of_numbers():
    """Pandas makes floats of a column of whole numbers that has gaps: 2.0 was none of the table's values."""
    frame = pd.DataFrame({"id": [1, 2, 3, 4], "age": [20, 21, 30, 31], "v": [1, 2, 1, 2]})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="v")
    printed = pd.DataFrame({"age": ["20-21"] * 2 + ["*"] * 2, "v": [1, 2, None, None]})
    assert len(read_foreign(printed, table).release.suppressed) == 2
    named = pd.DataFrame({"id": [1, 2, 3, None], "age": ["20-21"] * 2 + ["30"] * 2, "v": [1, 2, 1, 2]})
    assert read_foreign(named, table).release.counterfeits == 1


def test_sensitive_values_beside_stars_are_told():
    """Whoever lies in no cell of the others can only be there: t has a."""
    policy = oa.Policy([oa.KCAnonymity(k=2)], max_suppressed=1)
    asked = oa.Problem(table=FIVE, policy=policy)
    frame = released(["[41,55]"] * 4 + ["*"], "ababa")
    (note,) = oa.audit_release(frame, asked, solve=False).source.notes
    assert note.endswith("1 of them publish their sensitive values, which no requirement is asked of then")
    hidden = oa.audit_release(frame.assign(v=[*"abab", "*"]), asked, solve=False)
    assert hidden.passes is True
    assert "sensitive" not in hidden.source.notes[0]


def test_knowledge_of_single_people_makes_memberships_matter():
    """Whether the two who are known are in one group decides what is told of its third member."""
    rows = (("p", 25, "a"), ("q", 25, "a"), ("r", 25, "b"), ("s", 25, "b"), ("lo", 20, "c"), ("hi", 30, "c"))
    table = people(*rows)
    policy = oa.Policy([oa.ResistsInference(min_values=2, knowledge={"compromised": {"p": "a", "s": "b"}})])
    asked = oa.Problem(table=table, policy=policy)
    frame = released(["20-25"] * 3 + ["25-30"] * 3, "abcabc")
    verdicts = set[bool | None]()
    for order in permutations("pqrs", 4):
        ids = [order[0], order[1], "lo", order[2], order[3], "hi"]
        values = {who: value for who, _, value in rows}
        if [values[who] for who in ids] == list("abcabc"):
            known = oa.audit_release(frame.assign(id=ids), asked, solve=False)
            assert known.undecided == ()
            verdicts.add(known.passes)
    assert verdicts == {True, False}
    found = oa.audit_release(frame, asked, solve=False)
    assert found.passes is None
    assert found.undecided == ("resists_inference",)
    simple = oa.Problem(table=table, policy=oa.Policy([oa.ResistsInference(min_values=2)]))
    assert oa.audit_release(frame, simple, solve=False).passes is True


def test_a_table_that_is_released_already_is_told(tmp_path: Path):
    """The verdict is about one more release, whose past holds the one of the same table."""
    (tmp_path / "t.csv").write_text("id,age,town,disease\na,20,A,x\nb,21,A,y\nc,30,B,x\nd,31,B,y\n")
    for command in (("init", "t.csv"), ("solve", "t.yaml", "--append", "-q")):
        assert run(*command, folder=tmp_path).returncode == 0
    said = run("audit-release", "t.release.csv", "t.yaml", "--no-solve", folder=tmp_path).stdout
    assert "is release 1 of" in said
    assert "this is about one more, after all of them" in said
