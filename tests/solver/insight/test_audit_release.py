"""Releases of other tools: read as they print them, checked, scored, measured; and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import cases.foreign as cases
import numpy as np
import pandas as pd
import pytest
from command_line import run

import optanon as oa
from optanon.instances.foreign.matching import match_rows
from optanon.instances.foreign.release import read_foreign
from optanon.instances.foreign.rows import read_rows
from optanon.models.requirements import record_tracing

FIRST = ["p01", "p02", "p06"]


def groups(release: oa.Release) -> set[frozenset[str]]:
    return {frozenset(group.respondents) for group in release.groups}


# --- what other tools print ---------------------------------------------------------------------


def test_anonypy():
    """|D| is 37 years and 3 cities; Oslo | Rome and Bari | the same | Oslo and Rome:

    3 (16/37) + 3 (6/37 + 2/3) + 3 (5/37 + 2/3) + 3 (7/37 + 2/3) = 324/37.
    """
    found = oa.audit_release(cases.frame(cases.ANONYPY), cases.problem())
    assert groups(found.release) == {
        frozenset(names.split()) for names in ("p01 p02 p06", "p03 p04 p05", "p07 p08 p09", "p10 p11 p12")
    }
    assert found.source.uncertain == 0
    assert found.source.records == 12
    assert found.figures.objective == (Fraction(324, 37),)
    assert found.figures.discernibility == 4 * 3**2
    assert found.passes is True
    best = oa.solve(cases.people(), cases.problem().policy).objective
    assert found.reference.optimum == best
    assert found.distance is not None
    assert found.distance.proven
    assert found.distance.multiple == Fraction(324, 37) / best[0]
    assert found.distance == found.own
    (note,) = (note for note in found.source.notes if "no release of this policy" in note)
    assert note.startswith("column 'city': the cell '{Oslo,Rome}' covers other categories than each node")
    assert "(1 such cells in all)" in note
    assert "recoding" in {violation.requirement for violation in cases.problem().check(found.release)}


def test_a_release_of_odd_cells_is_no_optimum():
    """Sets of two cities lose less than nodes: the best release is still that by nodes."""
    problem = cases.problem()
    best = oa.solve(cases.people(), problem.policy).objective
    assert best is not None
    rows = [line.split(",") for line in cases.PEOPLE.split()[1:]]
    pairs = [rows[at : at + 3] for at in range(0, 12, 3)]
    printed = [
        (f"{group[0][1]}-{group[-1][1]}", "{" + ",".join(sorted({row[2] for row in group})) + "}", row[3])
        for group in pairs
        for row in group
    ]
    found = oa.audit_release(pd.DataFrame(printed, columns=["age", "city", "disease"]), problem)
    assert found.passes is True
    assert found.reference.optimum == best
    assert found.distance is not None
    assert found.distance.value == found.figures.objective[0]


def test_anonypys_frame_has_lists_for_cells():
    frame = cases.frame(cases.ANONYPY)
    for name in ("age", "city"):
        frame[name] = [[cell[2:-2]] for cell in frame[name]]
    lists = oa.audit_release(frame, cases.problem(), solve=False)
    assert lists.figures == oa.audit_release(cases.frame(cases.ANONYPY), cases.problem(), solve=False).figures


def test_anjana_prints_intervals_without_their_upper_end_that_have_it():
    """With both ends: 7 (19/37) + 5 (18/37) + 2/3 for each of the seven in the south."""
    frame = cases.frame(cases.ANJANA)
    with pytest.raises(oa.ReleaseError, match=r"row 7 can be nobody: rows 4, 7 need 2 .*ends='closed'"):
        oa.audit_release(frame, cases.problem())
    found = oa.audit_release(frame, cases.problem(), ends="closed")
    assert found.source.ends == "closed"
    assert found.figures.objective == (Fraction(7 * 19 + 5 * 18, 37) + 7 * Fraction(2, 3),)
    assert sorted(group.size for group in found.release.groups) == [2, 3, 3, 4]
    assert found.passes is False
    assert found.figures.violations == {"k_c_anonymity": 1}
    assert found.kept == ()
    assert found.own is None
    assert any("beyond the domain" in note for note in found.source.notes)


def test_anjana_leaves_suppressed_records_out():
    frame = cases.frame(cases.ANJANA_SUPPRESSED)
    found = oa.audit_release(frame, cases.problem(suppressed=2), ends="closed")
    assert {member.respondent for member in found.release.suppressed} == {"p10", "p11"}
    assert found.passes is True
    # As above without the two of the group that is left out, and 2 for each of them.
    loss = Fraction(7 * 19 + 3 * 18, 37) + 7 * Fraction(2, 3) + 2 * 2
    assert found.figures.objective == (loss,)
    assert "columns not read, so no check is about what they tell: 'index'" in found.source.notes
    strict = oa.audit_release(frame, cases.problem(), ends="closed")
    assert strict.figures.violations == {"suppression": 1}
    assert strict.own is None


def test_arx():
    """Groups of 3, 3 and 4; [20, 40[ is 21 to 39, >=40 is 40 to 58; two suppressed by stars."""
    found = oa.audit_release(cases.frame(cases.ARX, ";"), cases.problem(suppressed=2))
    assert groups(found.release) == {
        frozenset(names.split()) for names in ("p01 p02 p06", "p03 p04 p05", "p07 p08 p09 p12")
    }
    assert {member.respondent for member in found.release.suppressed} == {"p10", "p11"}
    assert found.passes is True
    loss = 6 * Fraction(18, 37) + 4 * Fraction(18, 37) + 7 * Fraction(2, 3) + 2 * 2
    assert found.figures.objective == (loss,)
    assert any(note.startswith("2 rows show no quasi-identifier") for note in found.source.notes)
    # As a group the two are published, and too few.
    grouped = oa.audit_release(cases.frame(cases.ARX, ";"), cases.problem(suppressed=2), stars="group")
    assert grouped.figures.objective == (loss,)
    assert grouped.figures.violations == {"k_c_anonymity": 1}


def test_sdcmicro():
    """Missing cells say nothing: groups of 3, 3 and 6 with all of 37 years or 3 cities, or part of them."""
    found = oa.audit_release(cases.frame(cases.SDCMICRO), cases.problem(), solve=False)
    assert sorted(group.size for group in found.release.groups) == [3, 3, 6]
    assert found.figures.objective == (6 * Fraction(17, 37) + 6 * Fraction(19, 37) + 9 * Fraction(1),)
    assert found.passes is True
    assert found.distance is None
    assert found.searched == "not asked for"


def test_our_own_public_copy_and_columns_in_any_order():
    result = oa.solve(cases.people(), cases.problem().policy)
    assert result.release is not None
    copy = result.release.to_frame().sample(frac=1, random_state=3)
    for frame in (copy, copy[["disease", "city", "group", "age"]]):
        found = oa.audit_release(frame, cases.problem())
        assert found.figures.objective == result.objective
        assert found.distance is not None
        assert found.distance.multiple == 1


def test_missing_values_are_not_one_group_with_suppressed_cells(tmp_path: Path):
    """Two cells are starred and two were missing all along: four records that all see as two and two."""
    people = pd.DataFrame(
        {"id": list("pqrs"), "job": ["cook", None, "cook", None], "age": [1, 1, 1, 2], "v": list("abab")}
    )
    table = oa.Microdata.from_frame(
        people,
        respondent="id",
        quasi_identifiers={"job": "flat", "age": "numeric"},
        sensitive="v",
        missing="category",
    )
    released = people.drop(columns="id").assign(age="1-2")
    file = tmp_path / "released.csv"
    for mark in ("NA", "", "?", "missing"):
        released.assign(job=["*", mark, "*", mark]).to_csv(file, index=False)
        for source in (file, released.assign(job=["*", mark, "*", mark])):
            assert [len(group.members) for group in read_foreign(source, table).release.groups] == [2, 2]
    empty = read_foreign(released.assign(job=["*", "", "*", ""]), table)
    assert any("write 'missing' where that category is meant" in note for note in empty.notes)
    told = read_foreign(released.assign(job=["*", "?", "*", "?"]), table)
    assert [str(group.box[0]) for group in told.release.groups if group.box] == ["*", "missing"]
    assert told.notes == ()


def test_a_column_of_other_counts_is_suspected_where_there_are_too_many_records():
    with pytest.raises(oa.ReleaseError, match=r"its counts mean something else, say count=None"):
        read_foreign(TWINS.assign(count=[3, 1, 2, 1]), twins().table)
    assert read_foreign(TWINS.assign(count=[3, 1, 2, 1]), twins().table, count=None).records == 4


# --- who is behind a record ---------------------------------------------------------------------


def steward(order: bool = False) -> pd.DataFrame:
    """Two groups of six by age, with ids."""
    frame = cases.frame(cases.PEOPLE).assign(age=["[21,37]"] * 6 + ["[40,58]"] * 6, city="*")
    return frame.drop(columns="id") if order else frame


def test_ids_and_the_order_of_rows_tell_memberships():
    by_id = oa.audit_release(steward().sample(frac=1, random_state=1), cases.problem(), solve=False)
    by_order = oa.audit_release(steward(order=True), cases.problem(), match="order", solve=False)
    assert by_id.source.matched == "respondents"
    assert by_order.source.matched == "order"
    assert groups(by_id.release) == groups(by_order.release)
    assert by_id.figures == by_order.figures
    assert by_id.source.uncertain == by_order.source.uncertain == 0


def test_records_without_a_respondent_are_counterfeits():
    """Two groups of six; a seventh record in the second one was invented, with a value of its own."""
    made_up = {"id": "", "age": "[40,58]", "city": "*", "disease": "gout"}
    frame = pd.concat([steward(), pd.DataFrame([made_up])], ignore_index=True)
    policy = cases.problem().policy.changed(max_counterfeits=1)
    people = cases.people()
    declared = replace(people.sensitive, domain=(*sorted(people.histogram), "gout"))
    asked = oa.Problem(table=replace(people, sensitive=declared), policy=policy)
    found = oa.audit_release(frame, asked, solve=False)
    assert found.release.counterfeits == 1
    assert found.source.records == 12
    assert found.figures.suppressed == 0
    assert found.passes is True
    assert sorted(group.counterfeits for group in found.release.groups) == [(), (("gout", 1),)]
    without = oa.audit_release(steward(), asked, solve=False).figures
    assert found.figures.information_loss == without.information_loss  # of the people alone
    assert (found.figures.discernibility, without.discernibility) == (6**2 + 7**2, 2 * 6**2)
    assert oa.audit_release(frame, cases.problem(), solve=False).passes is False
    unknown = oa.audit_release(frame, oa.Problem(table=people, policy=policy), solve=False)
    assert unknown.passes is False  # gout is a value that nobody has
    with pytest.raises(oa.ReleaseError, match=r"13 records, .* add a column 'id' that is empty for these"):
        oa.audit_release(frame.drop(columns="id").replace("gout", "flu"), asked)
    alone = pd.concat([steward(), pd.DataFrame([made_up | {"age": "[40,57]"}])], ignore_index=True)
    with pytest.raises(oa.ReleaseError, match=r"column 'id', row 13: .* nobody is in a group with it"):
        oa.audit_release(alone, asked)


def twins(values: str = "abab") -> oa.Problem:
    """Two people of 20 and two of 30, who may be in either of two overlapping groups."""
    frame = pd.DataFrame({"id": list("wxyz"), "age": [20, 25, 25, 30], "v": list(values)})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="v")
    return oa.Problem(table=table, policy=oa.Policy([oa.KCAnonymity(k=2)]))


TWINS = pd.DataFrame({"age": ["20-25", "20-25", "25-30", "25-30"], "v": list("abab")})


def test_memberships_that_are_not_certain_are_counted():
    # a: w is 20 and y is 25, so w is left, y right. b: x is 25, z is 30: certain as well.
    assert oa.audit_release(TWINS, twins(), solve=False).source.uncertain == 0
    # a: w and x in the left group, y and z in the right, or y for x.
    same = oa.audit_release(TWINS.assign(v="a"), twins("aaaa"), solve=False)
    assert same.source.uncertain == 2
    assert same.passes is True
    assert same.undecided == ()


def test_what_depends_on_memberships_is_said():
    """x and y have two groups to choose from; w and x were a group of the last release."""
    first = oa.solve(twins("aaaa").table, oa.Policy([oa.KCAnonymity(k=2)])).release
    assert first is not None
    policy = oa.Policy([oa.KCAnonymity(k=2), oa.Difference(k=2)])
    asked = oa.Problem(table=twins("aaaa").table, policy=policy, history=oa.History([first]))
    found = oa.audit_release(TWINS.assign(v="a"), asked, solve=False)
    assert found.source.uncertain == 2
    assert found.undecided == ("difference",)
    assert found.passes is None
    sure = oa.audit_release(TWINS.assign(v="a", id=list("wxyz")), asked, solve=False)
    assert sure.undecided == ()
    assert sure.passes is not None
    alone = oa.audit_release(
        TWINS.assign(v="a", age=["20-25", "20-25", "20-30", "25-30"]), asked, solve=False
    )
    assert alone.passes is False  # two groups of one, whoever they are


@pytest.mark.parametrize("judged", ["by single records", "by the residual graph"])
def test_tracing_is_decided_though_nobody_knows_who_is_where(judged: str, monkeypatch: pytest.MonkeyPatch):
    """x and y may change places; whatever they do, the same records can be the same."""
    if judged == "by the residual graph":
        monkeypatch.setattr(record_tracing, "RECORDS", 0)
    first = oa.solve(twins("aaaa").table, oa.Policy([oa.KCAnonymity(k=2)])).release
    assert first is not None
    for k, passes in ((2, True), (4, False)):
        policy = oa.Policy([oa.KCAnonymity(k=2), oa.RecordTracing(k=k)])
        asked = oa.Problem(table=twins("aaaa").table, policy=policy, history=oa.History([first]))
        found = oa.audit_release(TWINS.assign(v="a"), asked, solve=False)
        told = [
            found,
            *(
                oa.audit_release(TWINS.assign(v="a", id=list(ids)), asked, solve=False)
                for ids in ("wxyz", "wyxz")
            ),
        ]
        assert [one.source.uncertain for one in told] == [2, 0, 0]
        assert [one.undecided for one in told] == [()] * 3
        assert [one.passes for one in told] == [passes] * 3
    # Who was left out does matter: nobody may vanish who was published before.
    policy = oa.Policy([oa.KCAnonymity(k=2), oa.RecordTracing(k=2)], max_suppressed=1)
    asked = oa.Problem(table=twins("aaaa").table, policy=policy, history=oa.History([first]))
    found = oa.audit_release(TWINS.assign(v="a").head(3), asked, solve=False)
    assert found.undecided == ("record_tracing",)


@pytest.mark.parametrize("seed", range(60))
def test_matching_against_every_assignment(seed: int):
    """Six people or fewer, random intervals and values: feasibility, and who is certain."""
    random = np.random.default_rng(seed)
    n, records = 6, int(random.integers(4, 7))
    ages = random.integers(0, 6, n).tolist()
    values = random.choice(["a", "b"], n).tolist()
    who = random.permutation(n)[:records].tolist()
    rows: list[tuple[int, int, str]] = []
    for t in who:
        lo, hi = ages[t] - int(random.integers(0, 3)), ages[t] + int(random.integers(0, 3))
        value = str(random.choice(["a", "b"])) if seed % 4 == 0 else values[t]
        rows.append((max(lo, min(ages)), min(hi, max(ages)), value))
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(n)], "age": ages, "v": values})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="v")
    release = pd.DataFrame({"age": [f"[{lo},{hi}]" for lo, hi, _ in rows], "v": [v for *_, v in rows]})
    homes: list[tuple[object, ...]] = []
    for order in permutations(range(n), records):
        if all(lo <= ages[t] <= hi and values[t] == v for t, (lo, hi, v) in zip(order, rows, strict=True)):
            home: list[object] = [None] * n
            for t, (lo, hi, _) in zip(order, rows, strict=True):
                home[t] = (lo, hi)
            homes.append(tuple(home))
    if not homes:
        with pytest.raises(oa.ReleaseError, match=r"can be nobody|none of the table's"):
            read_foreign(release, table)
        return
    found = match_rows(read_rows(release, table), table)
    assert found.uncertain == sum(len(set(places)) > 1 for places in zip(*homes, strict=True))
    index: dict[object, int] = {}
    for lo, hi, _ in rows:
        index.setdefault((lo, hi), len(index))
    mine = {tuple(-1 if place is None else index[place] for place in home) for home in homes}
    assert tuple(found.group.tolist()) in mine
    loss = {
        sum(Fraction(p[1] - p[0], max(ages) - min(ages)) if p else 1 for p in home)  # pyright: ignore
        for home in homes
    }
    released = read_foreign(release, table).release
    policy = oa.Policy([oa.KCAnonymity(k=1)], max_suppressed=n)
    assert {oa.Problem(table=table, policy=policy).objective(released)[0]} == loss


# --- the gap --------------------------------------------------------------------------------------


def test_a_bound_is_not_an_optimum():
    frame = cases.frame(cases.ANONYPY)
    found = oa.audit_release(frame, cases.problem(), bound="162/37")
    assert found.distance is not None
    assert not found.distance.proven
    assert found.distance.multiple == 2
    assert found.searched == "bound given"
    # A release at the bound is optimal, unless its cells are sets that are no nodes.
    sets = oa.audit_release(frame, cases.problem(), bound="324/37")
    assert sets.distance is not None
    assert not sets.distance.proven
    best = oa.solve(cases.people(), cases.problem().policy)
    assert best.release is not None
    assert best.objective is not None
    tight = oa.audit_release(best.release.to_frame(), cases.problem(), bound=best.objective[0])
    assert tight.distance is not None
    assert tight.distance.proven
    with pytest.raises(oa.InputError, match="bound must be a number"):
        oa.audit_release(frame, cases.problem(), bound="low")
    with pytest.raises(oa.InputError, match=r"bound must be at least 0.*'-1'"):
        oa.audit_release(frame, cases.problem(), bound="-1")
    # The release keeps the policy: it is itself a proof that no bound is above its loss.
    with pytest.raises(oa.InputError, match=r"bound 1000 is none: .* information_loss 8\.75676"):
        oa.audit_release(frame, cases.problem(), bound=1000)
    broken = oa.Problem(table=cases.people(), policy=oa.Policy([oa.KCAnonymity(k=7)]))
    assert not oa.audit_release(frame, broken, bound=20).passes


def test_a_release_that_breaks_a_requirement_is_measured_by_what_it_keeps():
    policy = oa.Policy([oa.KCAnonymity(k=3), oa.EntropyLDiversity(l=2)])
    asked = oa.Problem(table=cases.people(), policy=policy)
    found = oa.audit_release(cases.frame(cases.ANONYPY), asked)
    assert found.figures.violations == {"entropy_l_diversity": 1}  # two flu, one cold in the first group
    assert found.passes is False
    assert found.kept == ("k_c_anonymity",)
    only_k = oa.audit_release(cases.frame(cases.ANONYPY), cases.problem())
    assert found.own == only_k.distance
    assert found.distance is not None
    assert found.distance.reference == oa.solve(cases.people(), policy).objective[0]


def test_a_policy_that_nothing_keeps():
    policy = oa.Policy([oa.KCAnonymity(k=3), oa.EntropyLDiversity(l=3)])  # five of twelve have the flu
    found = oa.audit_release(cases.frame(cases.ANONYPY), oa.Problem(table=cases.people(), policy=policy))
    assert found.reference.infeasible
    assert found.distance is None
    assert found.own is not None


# --- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"age": "70-80"}, r"column 'age', row 5: '70-80' is outside the column's domain \[21,58\]"),
        ({"age": "young"}, "column 'age', row 5: 'young' is not a number"),
        ({"city": "Paris"}, "column 'city', row 5: 'Paris' is not a value"),
        ({"city": "Oslo,Paris"}, "column 'city', row 5"),
        ({"disease": "gout"}, "column 'disease', row 5: the sensitive value is none of the table's"),
        ({"disease": "*"}, "column 'disease', row 5: the sensitive value is not published"),
        ({"count": "0"}, "column 'count', row 5: '0' is not a number of records"),
        ({"count": "2"}, "13 records, the table 12 tuples"),
        ({"age": "21-22"}, "row 5 can be nobody: no tuple of the table lies in its cells"),
        ({"age": "51-55"}, "row 5 can be nobody.*column 'age' or column 'city' alone"),
        ({"city": "Bari"}, "row 5 can be nobody: no tuple in its cells has its value of 'disease'"),
    ],
)
def test_bad_rows_are_named(change: dict[str, str], said: str):
    frame = cases.frame(cases.ANONYPY).astype(object)
    for name, cell in change.items():
        frame.loc[4, name] = cell
    with pytest.raises(oa.ReleaseError, match=said):
        oa.audit_release(frame, cases.problem(), solve=False)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"workers": 0}, "workers must be a whole number of at least 1"),
        ({"count": "number"}, "no column 'number' of counts, only 'age', 'city', 'disease', 'count'"),
    ],
)
def test_settings_that_are_none_are_refused(setting: dict[str, Any], said: str):
    with pytest.raises((oa.PolicyError, oa.ReleaseError), match=said):
        oa.audit_release(cases.frame(cases.ANONYPY), cases.problem(), solve=False, **setting)


def test_other_refusals():
    frame, asked = cases.frame(cases.ANONYPY), cases.problem()
    with pytest.raises(
        oa.ReleaseError, match="no column 'city', only 'age', 'disease', 'count': rename it"
    ) as no:
        oa.audit_release(frame.drop(columns="city"), asked)
    assert "--column city=" in str(no.value)
    rows = pd.DataFrame({"id": [1, 2], "age": [30, 40], "disease": ["flu", "hiv"], "salary": ["low", "high"]})
    several = oa.Microdata.from_frame(
        rows, respondent="id", quasi_identifiers=["age"], sensitive=["disease", "salary"]
    )
    twice = oa.Problem(table=several, policy=oa.Policy([oa.KCAnonymity(k=1)]))
    with pytest.raises(oa.ReleaseError, match=r"2 sensitive columns \(disease, salary\)"):
        oa.audit_release(rows.drop(columns="id"), twice, solve=False)
    renamed = frame.rename(columns={"city": "town"})
    assert oa.audit_release(renamed, asked, columns={"city": "town"}, solve=False).passes is True
    with pytest.raises(oa.ReleaseError, match="'town', which is not a column of the table"):
        oa.audit_release(renamed, asked, columns={"town": "city"})
    with pytest.raises(oa.ReleaseError, match="empty"):
        oa.audit_release(frame.head(0), asked)
    with pytest.raises(oa.ReleaseError, match="no column 'id' of respondents"):
        oa.audit_release(frame, asked, match="respondents")
    with pytest.raises(oa.ReleaseError, match="one row per tuple"):
        oa.audit_release(frame, asked, match="order")
    with pytest.raises(oa.ReleaseError, match="column 'id', row 1: the table has no such respondent"):
        oa.audit_release(steward().replace({"id": {"p01": "p99"}}), asked)
    with pytest.raises(oa.ReleaseError, match=r"column 'id', row 2: .* more than once"):
        oa.audit_release(steward().replace({"id": {"p02": "p01"}}), asked)
    with pytest.raises(oa.ReleaseError, match=r"column 'age', row 1: .* does not cover"):
        oa.audit_release(steward().replace({"age": {"[21,37]": "[22,37]"}}), asked)
    with pytest.raises(oa.ReleaseError, match=r"column 'disease', row 2: .* not that of the respondent"):
        oa.audit_release(steward().assign(disease=["flu"] * 12), asked)
    with pytest.raises(oa.ReleaseError, match="ends must be one of"):
        oa.audit_release(frame, asked, ends="open")  # pyright: ignore[reportArgumentType]
    with pytest.raises(oa.PolicyError, match="time_limit"):
        oa.audit_release(frame, asked, time_limit=0)
    anatomized = oa.Policy([oa.KCAnonymity(k=3)], form="anatomized")
    with pytest.raises(oa.PolicyError, match="form 'generalized'"):
        oa.audit_release(frame, oa.Problem(table=cases.people(), policy=anatomized))
    for error in ("p01", "p02"):
        with pytest.raises(oa.ReleaseError) as raised:
            oa.audit_release(steward().replace({"id": {error: "p03"}}), asked)
        assert "p03" not in str(raised.value)


# --- the command line ------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(cases.PEOPLE)
    (tmp_path / "city.csv").write_text(cases.CITIES)
    (tmp_path / "problem.yaml").write_text(cases.PROBLEM)
    (tmp_path / "anonypy.csv").write_text(cases.ANONYPY)
    (tmp_path / "anjana.csv").write_text(cases.ANJANA)
    (tmp_path / "arx.csv").write_text(cases.ARX)
    return tmp_path


def test_command(folder: Path):
    done = run("audit-release", "anonypy.csv", "problem.yaml", "--json", "report.json", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "324/37" in done.stdout
    assert "memberships are certain" in done.stdout
    assert "every check passed" in done.stdout
    assert "times the proven optimum" in done.stdout
    report = json.loads((folder / "report.json").read_text())
    assert report["distance"]["reference_is"] == "proven optimum"
    assert report["objective"] == {"information_loss": "324/37"}
    assert not any(f"p{i:02}" in text for i in range(1, 13) for text in (done.stdout, json.dumps(report)))


def test_command_with_a_broken_policy_and_with_a_bound(folder: Path):
    done = run("audit-release", "anjana.csv", "problem.yaml", "--ends", "closed", "--no-solve", folder=folder)
    assert done.returncode == 1
    assert "group 4: 2 tuples, fewer than k = 3" in done.stdout
    assert "nothing is proven" in done.stdout
    bound = run("audit-release", "anonypy.csv", "problem.yaml", "--bound", "162/37", folder=folder)
    assert bound.returncode == 0
    assert "2 times a proven bound, perhaps not the optimum" in bound.stdout
    none = run("audit-release", "anonypy.csv", "problem.yaml", "--bound", "0", folder=folder)
    assert none.returncode == 0
    assert (
        "information_loss is 8.75676; of releases that keep the policy, no bound above 0 is proven"
        in none.stdout
    )


@pytest.mark.parametrize(("mark", "typed"), [(";", "';'"), ("\t", r"$'\t'"), ("|", "'|'")])
def test_a_file_that_is_cut_otherwise_is_told_so(tmp_path: Path, mark: str, typed: str):
    """The advice was to rename the column `age;city;...`."""
    frame = cases.frame(cases.ANONYPY).replace(",", " ", regex=True)
    path = tmp_path / "r.csv"
    path.write_text(
        "\n".join(mark.join(row) for row in [frame.columns, *frame.astype(str).to_numpy()]) + "\n"
    )
    with pytest.raises(oa.ReleaseError) as caught:
        oa.audit_release(path, cases.problem(), solve=False)
    assert f"{path}: ',' is not between its columns" in str(caught.value)
    assert f"delimiter={mark!r} (on the command line: --delimiter {typed})" in str(caught.value)
    assert "rename" not in str(caught.value)


@pytest.mark.parametrize("comma", [",", " ", "."], ids=["decimal commas", "no commas", "points"])
def test_decimal_commas_do_not_hide_what_cuts_a_file(tmp_path: Path, comma: str):
    """They cut its rows, which then had more cells than the header: the advice was to name every column."""
    path = tmp_path / "r.csv"
    path.write_text(f"age;city;disease\n20{comma}5;B;flu\n21{comma}5;B;flu\n")
    with pytest.raises(oa.ReleaseError, match="--delimiter ';'"):
        oa.audit_release(path, cases.problem(), solve=False)


def test_command_errors(folder: Path):
    wrong = run("audit-release", "anjana.csv", "problem.yaml", folder=folder)
    assert wrong.returncode == 2
    assert "anjana.csv: row 7 can be nobody" in wrong.stderr
    semicolons = run("audit-release", "arx.csv", "problem.yaml", folder=folder)
    assert semicolons.returncode == 2
    assert "arx.csv" in semicolons.stderr
    suppressed = run(
        "audit-release", "arx.csv", "problem.yaml", "--delimiter", ";", "--no-solve", folder=folder
    )
    assert suppressed.returncode == 1
    assert "2 tuples are suppressed, the policy allows 0" in suppressed.stdout
    for option, value in (("--json", "nowhere/x.json"), ("--column", "city"), ("--ends", "open")):
        assert (
            run("audit-release", "anonypy.csv", "problem.yaml", option, value, folder=folder).returncode == 2
        )


def test_histograms_of_foreign_groups_are_those_of_the_file():
    released = read_foreign(cases.frame(cases.ANONYPY), cases.people()).release
    found = Counter((str(group.box), tuple(sorted(group.histogram.items()))) for group in released.groups)
    assert len(found) == 4
    assert all(sum(count for _, count in values) == 3 for _, values in found)
