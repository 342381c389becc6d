"""Groups, releases and their copies: what is published, what comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.boxes import tight_box
from hypothesis import given, settings, strategies as st
from oracle.brute_force_tables import Interval as TheirInterval
from strategies import Instance, Source, instance, instances, random_release, seeded

from optanon.instances.foreign.rows import read_rows
from optanon.instances.readers import read_frame
from optanon.instances.reconstruct import public_release
from optanon.instances.steward_copy import steward_release
from optanon.models.box import Interval, Leaves, meets
from optanon.models.categories import Categories, Ordered
from optanon.models.combination import fold
from optanon.models.errors import InputError, ReleaseError
from optanon.models.group import Form
from optanon.models.hierarchy import Hierarchy
from optanon.models.missing import DOUBTFUL
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup, Release, anatomized_frames, published_frame, steward_frame
from optanon.models.requirements import KCAnonymity
from optanon.models.table import Microdata
from optanon.solver.search import solve

quick = settings(max_examples=40, deadline=None, derandomize=True)


def drawn_release(at: Instance, source: Source) -> bf.Release:
    return random_release(source, at.people, max_fakes=3, fake_values=at.fake_values, max_suppressed=2)


def as_sets(release: Release) -> object:
    """What a release says, whatever the order of groups and members."""
    groups = {
        (g.respondents, frozenset(Counter(dict(g.counterfeits)).items()), g.box) for g in release.groups
    }
    return groups, frozenset(release.members), frozenset(release.suppressed), release.form


@quick
@given(instances())
def test_sizes_histograms_and_boxes_are_those_of_the_oracle(drawn: tuple[Instance, Source]):
    at, source = drawn
    theirs = drawn_release(at, source)
    ours = at.ours(theirs)
    for one, other in zip(ours.groups, theirs.groups, strict=True):
        assert (one.size, one.fakes) == (other.size, other.fake_count)
        assert one.histogram == other.histogram
        assert (one.signature, one.respondents) == (other.signature, other.names)
        if at.form == "anatomized":
            assert one.box is None
            continue
        assert one.box is not None
        for cell, side in zip(one.box, bf.box(other, at.attributes), strict=True):
            if isinstance(cell, Interval):
                assert side == TheirInterval(cell.lo, cell.hi)
            else:
                assert cell.values == side
    assert ours.histogram == Counter(p.value for p in at.people)
    assert ours.where == {name: g for g, group in enumerate(theirs.groups) for name in group.names}
    assert ours.counterfeits == sum(group.fake_count for group in theirs.groups)


@quick
@given(instances(form="generalized"))
def test_boxes_meet_exactly_where_the_oracle_says_so(drawn: tuple[Instance, Source]):
    at, source = drawn
    theirs = drawn_release(at, source)
    groups = list(zip(at.ours(theirs).groups, theirs.groups, strict=True))
    for ours_one, one in groups:
        for ours_other, other in groups:
            assert ours_one.box is not None
            assert ours_other.box is not None
            sides = zip(bf.box(one, at.attributes), bf.box(other, at.attributes), strict=True)
            assert meets(ours_one.box, ours_other.box) == all(bf.compatible(a, b) for a, b in sides)


@quick
@given(instances())
def test_the_stewards_copy_comes_back_as_it_was(drawn: tuple[Instance, Source]):
    at, source = drawn
    release = at.ours(drawn_release(at, source))
    frame = steward_frame(release, "id")
    through_a_file = pd.read_csv(StringIO(frame.to_csv(index=False)), dtype=str, keep_default_na=False)
    for copy in (frame, through_a_file):
        back = steward_release(
            copy, respondent="id", domains=at.table.domains, sensitive="value", form=release.form
        )
        assert as_sets(back) == as_sets(release)


@quick
@given(instances(form="generalized"))
def test_the_public_copy_says_groups_and_no_more(drawn: tuple[Instance, Source]):
    at, source = drawn
    release = at.ours(drawn_release(at, source))
    frame = published_frame(release)
    assert "id" not in frame.columns
    assert ("counterfeits" in frame.columns) == bool(release.counterfeits)
    for number, group in enumerate(release.groups, start=1):
        rows = frame[frame["group"] == number]
        assert Counter(rows["value"]) == group.histogram
        assert rows["value"].tolist() == sorted(rows["value"])
        assert group.box is not None
        for name, cell in zip(release.attributes, group.box, strict=True):
            assert set(rows[name]) == {str(cell)}
        if release.counterfeits:
            assert set(rows["counterfeits"]) == {group.fakes}
    assert len(frame) == sum(group.size for group in release.groups)
    with pytest.raises(ReleaseError):
        anatomized_frames(release)


@quick
@given(instances(form="anatomized"))
def test_the_two_tables_of_an_anatomized_release(drawn: tuple[Instance, Source]):
    at, source = drawn
    release = at.ours(drawn_release(at, source))
    people, values = anatomized_frames(release)
    assert list(people.columns) == ["group", *release.attributes]
    for number, group in enumerate(release.groups, start=1):
        exact = people[people["group"] == number].drop(columns="group")
        wanted = sorted([str(v) for v in member.point] for member in group.members)
        assert sorted(exact.to_numpy().tolist()) == wanted
        assert exact.to_numpy().tolist() == wanted, "rows must be sorted, so that their order tells nothing"
        rows = values[values["group"] == number]
        assert dict(zip(rows["value"], rows["count"], strict=True)) == group.histogram
    with pytest.raises(ReleaseError):
        published_frame(release)


@quick
@given(instances(tuples=(2, 6)))
def test_the_public_copy_does_not_depend_on_the_order_of_the_table(drawn: tuple[Instance, Source]):
    """Published group numbers and rows are the same however the steward sorted the rows."""
    at, source = drawn
    release = at.ours(drawn_release(at, source))
    rows = [[at.table.row[who] for who in group.respondents] for group in release.groups]
    backwards = Microdata(
        respondent="id",
        members=at.table.members[::-1],
        domains=at.table.domains,
        sensitive=at.table.sensitive,
        codes=at.table.codes[::-1].copy(),
    )
    policy = Policy([KCAnonymity(k=1)], max_suppressed=len(at.people), form=at.form)
    last = len(at.people) - 1
    one = Problem(table=at.table, policy=policy).assemble(rows)
    other = Problem(table=backwards, policy=policy).assemble([[last - t for t in group] for group in rows])
    if at.form == "generalized":
        assert published_frame(one).equals(published_frame(other))
    else:
        for a, b in zip(anatomized_frames(one), anatomized_frames(other), strict=True):
            assert a.equals(b)


def test_files(tmp_path: Path):
    at = instance(
        seeded("files"), tuples=(5, 5), releases=(0, 0), form="generalized", kinds=("deep", "numeric")
    )
    release = at.ours(drawn_release(at, seeded("files 2")))
    release.to_csv(tmp_path / "r.csv")
    assert pd.read_csv(tmp_path / "r.csv", dtype=str).equals(published_frame(release).astype("str"))
    release.to_parquet(tmp_path / "r.parquet", copy="steward")
    assert pd.read_parquet(tmp_path / "r.parquet").astype(str).equals(steward_frame(release).astype(str))
    naked = replace(
        release, groups=tuple(replace(group, box=None) for group in release.groups), form="anatomized"
    )
    naked.to_csv(tmp_path / "a.csv")
    assert sorted(f.name for f in tmp_path.iterdir()) == ["a.csv", "a.values.csv", "r.csv", "r.parquet"]
    assert "id#" not in (tmp_path / "a.csv").read_text() + (tmp_path / "r.csv").read_text()


@pytest.mark.parametrize("form", ["generalized", "anatomized"])
@pytest.mark.parametrize("slip", ["pubic", "Public", "", None])
def test_a_copy_of_another_name_is_refused_before_anything_is_written(tmp_path: Path, form: Form, slip: Any):
    at = instance(seeded("slip"), tuples=(4, 4), releases=(0, 0), form=form)
    release = at.ours(drawn_release(at, seeded("slip 2")))
    asked: list[Callable[[], object]] = [
        lambda: release.to_frame(copy=slip),
        lambda: release.to_csv(tmp_path / "r.csv", copy=slip),
        lambda: release.to_parquet(tmp_path / "r.parquet", copy=slip),
        lambda: release.files(tmp_path / "r.csv", copy=slip),
    ]
    for ask in asked:
        with pytest.raises(InputError, match=rf"^copy must be 'public' or 'steward', got {slip!r}$"):
            ask()
    assert not list(tmp_path.iterdir())
    assert [file.private for file in release.files(tmp_path / "r.csv", copy="steward")] == [True]
    assert {file.private for file in release.files(tmp_path / "r.csv")} == {False}


def test_a_wrong_stewards_copy_is_refused():
    at = instance(
        seeded("copy"),
        tuples=(4, 4),
        releases=(0, 0),
        form="generalized",
        kinds=("numeric",),
        attributes=(1, 1),
    )
    release = at.ours(bf.Release((bf.Group(at.people[:2]), bf.Group(at.people[2:], (("a", 1),)))))
    good = steward_frame(release, "id")
    cell, exact = good.columns[4], good.columns[3]

    def read(frame: pd.DataFrame) -> Release:
        return steward_release(frame, respondent="id", domains=at.table.domains, sensitive="value")

    def changed(row: int, column: str, text: str) -> pd.DataFrame:
        frame = good.copy()
        frame.loc[row, column] = text
        return frame

    assert as_sets(read(good)) == as_sets(release)
    for wrong, message in [
        (good.drop(columns="kind"), "no column 'kind'"),
        (changed(0, "kind", "guest"), "row 1"),
        (changed(1, "kind", "id#7"), "row 2: column 'kind' says none of member, counterfeit, suppressed"),
        (changed(0, exact, "tall"), "'tall'"),
        (changed(0, cell, "[9,1]"), "row 2"),
        (changed(4, "group", "9"), "group 9"),
        (pd.concat([good, good.iloc[:1]]), "twice"),
        (changed(0, "group", "2"), "published cells"),
    ]:
        with pytest.raises(ReleaseError, match=message) as caught:
            read(wrong)
        assert "id#" not in str(caught.value)


def test_groups_do_not_print_their_people():
    at = instance(seeded("repr"), tuples=(4, 4), releases=(1, 1))
    release = at.ours(bf.Release((bf.Group(at.people),)))
    for thing in (release, release.groups[0], release.members[0], at.history, at.table):
        assert "id#" not in repr(thing)


LABELS = st.lists(
    st.text(" \t\xa0\u2028'\",;|=ab*.\r\n", min_size=1, max_size=5).filter(
        lambda label: fold(label) not in DOUBTFUL | {"*"}
    ),
    min_size=2,
    max_size=4,
    unique=True,
)


@quick
@given(LABELS)
def test_labels_with_blanks_quotes_and_separators_come_back_from_files(labels: list[str]):
    """Blanks around a label are part of it, also where another label is the same without them."""
    rows = [(f"p{n}", label, "a" if n % 2 else " a") for n, label in enumerate(labels)]
    table = Microdata.from_frame(
        pd.DataFrame(rows, columns=["id", "work", "value"]),
        respondent="id",
        quasi_identifiers={"work": "flat"},
        sensitive="value",
        spelling="keep",
    )
    for size in (1, len(labels)):
        groups = [table.members[at : at + size] for at in range(0, len(labels), size)]
        release = Release(
            groups=tuple(QIGroup(members=one, box=tight_box(one, table.domains)) for one in groups),
            attributes=table.attributes,
            sensitive="value",
        )
        with TemporaryDirectory() as folder:
            public, own = Path(folder, "public.csv"), Path(folder, "own.csv")
            release.to_csv(public)
            release.to_csv(own, copy="steward", respondent="id")
            published, copy = read_frame(public, own=True), read_frame(own, own=True)
        back = steward_release(copy, respondent="id", domains=table.domains, sensitive="value")
        assert as_sets(back) == as_sets(release)
        assert as_sets(public_release(published, table)) == as_sets(release)
        covered = {frozenset(member.point[0] for member in one) for one in groups}
        cells = [cell for (cell,) in read_rows(published, table).boxes if isinstance(cell, Leaves)]
        assert {cell.values for cell in cells} == covered


def test_values_are_found_as_they_stand_and_only_then_without_blanks():
    for domain in (
        Categories(name="x", hierarchy=Hierarchy.flat(["b", " b", "a"])),
        Ordered(name="x", categories=("b", " b", "a")),
    ):
        assert domain.encode([" b", "b", " a", "a\t"]).tolist() == [1, 0, 2, 2]
        assert [domain.parse_value(text) for text in (" b", "b", "\xa0a")] == [" b", "b", "a"]
        assert [domain.parse(text).label for text in (" b", "b", "b\t")] == [" b", "b", "b"]
    assert Ordered(name="x", categories=("b", " b", "a")).parse(" b..a").values == {" b", "a"}


def test_an_ordered_category_may_hold_the_sign_of_a_range():
    """Categories such as '1..5' must come back from a file as what they were."""
    frame = pd.DataFrame({"id": list("pqr"), "band": ["1..5", "6..9", "1..5"], "value": list("abb")})
    table = Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"band": ["1..5", "6..9"]}, sensitive="value"
    )
    for k in (1, 3):
        release = solve(table, Policy([KCAnonymity(k=k)]), workers=1, display=False).release
        assert release is not None
        copy = steward_frame(release, "id")
        back = steward_release(copy, respondent="id", domains=table.domains, sensitive="value")
        assert as_sets(back) == as_sets(release)


def test_cells_know_what_they_cover():
    assert Leaves("low..mid", frozenset({"low", "mid"})).meets(Leaves("mid", frozenset({"mid"})))
    assert not Leaves("low", frozenset({"low"})).meets(Leaves("mid", frozenset({"mid"})))
    with pytest.raises(ReleaseError):
        QIGroup(members=())


def test_an_interval_begins_with_its_lower_end():
    with pytest.raises(ValueError, match="from 3 to 1: give its lower end first"):
        Interval(Fraction(3), Fraction(1))
    assert Interval(Fraction(1), Fraction(1)).covers(Fraction(1))
