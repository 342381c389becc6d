"""Reading a public copy back: membership is found where it is determined, refused where it is not."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import optanon as oa
from optanon.instances.reconstruct import public_release
from optanon.instances.steward_copy import steward_release
from optanon.models.box import covers
from optanon.models.numeric import Numeric
from optanon.models.release import steward_frame


def random_table(seed: int, tuples: int) -> oa.Microdata:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(tuples)],
            "age": random.integers(20, 40, tuples),
            "sex": random.choice(["F", "M"], tuples),
            "disease": random.choice(list("abcd"), tuples),
        }
    )
    return oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=["age", "sex"], sensitive="disease"
    )


def published(release: oa.Release) -> list[tuple[object, ...]]:
    return sorted(
        (str(group.box), sorted(group.histogram.items()), group.fakes, len(group.members))
        for group in release.groups
    )


@pytest.mark.parametrize("seed", range(20))
def test_some_membership_always_fits_and_publishes_the_same(seed: int):
    policy = oa.Policy([oa.WeakMInvariance(m=2)], ["counterfeits", "information_loss"])
    table = random_table(seed, 8)
    release = oa.solve(table, policy).release
    assert release is not None
    found = public_release(release.to_frame(), table, unique=False)
    assert published(found) == published(release)
    assert public_release(found.to_frame(), table, unique=False) == found


@pytest.mark.parametrize("seed", range(20))
def test_a_unique_membership_is_the_true_one(seed: int):
    policy = oa.Policy([oa.KCAnonymity(k=2)], ["information_loss"])
    table = random_table(seed, 8)
    release = oa.solve(table, policy).release
    assert release is not None
    try:
        found = public_release(release.to_frame(), table)
    except oa.ReleaseError:
        pytest.skip("several memberships fit this table")
    assert [g.respondents for g in found.groups] == [g.respondents for g in release.groups]


def drawn(seed: int) -> tuple[oa.Microdata, pd.DataFrame, int]:
    """A small table, a public copy that may be one of it, and how many tuples the copy leaves out."""
    random = np.random.default_rng(seed)
    tuples = int(random.integers(2, 9))
    ages, values = random.integers(20, 24, tuples), random.choice(list("ab"), tuples)
    frame = pd.DataFrame({"id": [f"r{i}" for i in range(tuples)], "age": ages, "disease": values})
    domain = Numeric(name="age", lo=Fraction(19), hi=Fraction(25))
    table = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers={"age": domain}, sensitive="disease"
    )
    home = random.integers(-1 if seed % 2 else 0, 3, tuples)
    rows: list[tuple[str, str, str, int]] = []
    for g in range(3):
        inside = ages[home == g]
        if not len(inside):
            continue
        lo, hi = (20, 23) if random.random() < 0.4 else (inside.min(), inside.max())
        cell = str(lo) if lo == hi else f"[{lo},{hi}]"
        fakes = int(random.integers(0, 3)) * int(random.random() < 0.3)
        told = [*values[home == g].tolist(), *random.choice(list("ab"), fakes).tolist()]
        if random.random() < 0.1:
            told[0] = "b" if told[0] == "a" else "a"
        rows += [(str(g), cell, value, fakes) for value in told]
    copy = pd.DataFrame(rows, columns=["group", "age", "disease", "counterfeits"])
    return table, copy, int((home == -1).sum())


def by_flow(table: oa.Microdata, copy: pd.DataFrame, missing: int) -> tuple[bool, set[tuple[str, ...]]]:
    """Whether some assignment fits, by one flow of single tuples, and all assignments that do, one by one."""
    groups = {str(g): part for g, part in copy.groupby("group")}
    boxes = {g: tuple(d.parse(part["age"].iloc[0]) for d in table.domains) for g, part in groups.items()}
    counts = {g: part["disease"].value_counts().to_dict() for g, part in groups.items()}
    people = {g: len(part) - int(part["counterfeits"].iloc[0]) for g, part in groups.items()}
    open_to = [
        [g for g in groups if counts[g].get(m.value) and covers(boxes[g], m.point)] + ["out"] * bool(missing)
        for m in table.members
    ]
    graph = nx.DiGraph()
    graph.add_nodes_from(["source", "sink"])
    for t, member in enumerate(table.members):
        graph.add_edge("source", t, capacity=1)
        for g in open_to[t]:
            graph.add_edge(t, (g, member.value), capacity=1)
            graph.add_edge(
                (g, member.value), ("group", g), capacity=counts.get(g, {}).get(member.value, missing)
            )
            graph.add_edge(("group", g), "sink", capacity=people.get(g, missing))
    fits = nx.maximum_flow_value(graph, "source", "sink") == len(table)
    every = set[tuple[str, ...]]()
    for homes in product(*open_to):
        placed = Counter(homes)
        told = Counter(zip(homes, (m.value for m in table.members), strict=True))
        if all(placed[g] == people[g] for g in groups) and all(
            count <= counts[g].get(value, 0) for (g, value), count in told.items() if g != "out"
        ):
            every.add(homes)
    return fits, every


def test_forced_and_flowing_memberships_are_those_of_a_flow_of_single_tuples():
    seen = Counter[str]()
    for seed in range(400):
        table, copy, missing = drawn(seed)
        if not len(copy):
            continue
        fits, every = by_flow(table, copy, missing)
        assert fits == bool(every)
        if not fits:
            with pytest.raises(oa.ReleaseError, match="does not fit the table"):
                public_release(copy, table, suppressed=missing, unique=False)
            seen["none"] += 1
            continue
        found = public_release(copy, table, suppressed=missing, unique=False)
        names = list(dict.fromkeys(copy["group"]))
        home = {m.respondent: g for g, group in zip(names, found.groups, strict=True) for m in group.members}
        assert tuple(home.get(m.respondent, "out") for m in table.members) in every
        told = {g: Counter(part["disease"]) for g, part in copy.groupby("group")}
        assert [group.histogram for group in found.groups] == [told[g] for g in names]
        if len(every) > 1:
            with pytest.raises(oa.ReleaseError, match="several ways"):
                public_release(copy, table, suppressed=missing)
            seen["several"] += 1
        else:
            assert public_release(copy, table, suppressed=missing) == found
            seen["one"] += 1
    assert min(seen[kind] for kind in ("none", "one", "several")) > 20


def test_people_who_lie_in_one_box_each_need_no_flow(monkeypatch: pytest.MonkeyPatch):
    policy = oa.Policy([oa.KAnonymity(k=2)], ["information_loss"], max_suppressed=3)
    release = oa.solve(random_table(3, 12), policy.changed(recoding="full_domain")).release
    assert release is not None
    monkeypatch.delattr(nx, "maximum_flow")
    found = public_release(release.to_frame(), random_table(3, 12), suppressed=3)
    assert [g.respondents for g in found.groups] == [g.respondents for g in release.groups]
    assert found.suppressed == release.suppressed


def twins(first: int, second: int) -> oa.Microdata:
    frame = pd.DataFrame(
        {"id": list("wxyz"), "age": [first, 30, second, 30], "disease": ["flu", "cold", "flu", "cold"]}
    )
    return oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="disease")


def test_interchangeable_people_are_ambiguous_and_others_are_not():
    boxes = pd.DataFrame(
        {
            "group": ["1", "1", "2", "2"],
            "age": ["[20,30]", "[20,30]", "[30,40]", "[30,40]"],
            "disease": ["cold", "flu", "cold", "flu"],
        }
    )
    with pytest.raises(oa.ReleaseError, match="several ways"):
        public_release(boxes, twins(20, 40))
    clear = boxes.assign(disease=["flu", "flu", "cold", "cold"])
    with pytest.raises(oa.ReleaseError, match="does not fit"):
        public_release(clear, twins(20, 40))


def test_wrong_copies_are_refused():
    frame = pd.DataFrame(
        {"group": ["1"] * 4, "age": ["[20,40]"] * 4, "disease": ["flu", "flu", "cold", "cold"]}
    )
    table = twins(20, 40)
    assert len(public_release(frame, table).groups) == 1
    with pytest.raises(oa.ReleaseError, match="no column 'age'"):
        public_release(frame.drop(columns="age"), table)
    with pytest.raises(oa.ReleaseError, match="3 real tuples, the table 4"):
        public_release(frame.head(3), table)
    with pytest.raises(oa.ReleaseError, match="different cells"):
        public_release(frame.assign(age=["[20,40]", "[20,30]", "[20,40]", "[20,40]"]), table)
    assert len(public_release(frame.head(3), table, suppressed=1, unique=False).suppressed) == 1


def test_a_cell_that_cannot_be_read_is_named_with_its_row():
    table = random_table(3, 6)
    release = oa.Problem(table=table, policy=oa.Policy([oa.KCAnonymity(k=2)])).assemble(
        [[0, 1, 2], [3, 4, 5]]
    )
    told = r"row 4: column 'sex': 'X' is not a label of its hierarchy"
    frame = release.to_frame()
    frame.loc[frame["group"] == frame["group"].max(), "sex"] = "X"
    with pytest.raises(oa.ReleaseError, match=told):
        public_release(frame, table)
    frame = steward_frame(release)
    frame.loc[frame["group"] == frame["group"].max(), "sex published"] = "X"
    with pytest.raises(oa.ReleaseError, match=told):
        steward_release(frame, respondent="respondent", domains=table.domains, sensitive="disease")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_both_copies_come_back_from_files(ending: str, tmp_path: Path):
    table = random_table(5, 8)
    policy = oa.Policy([oa.WeakMInvariance(m=2)], ["counterfeits", "information_loss"])
    release = oa.solve(table, policy).release
    assert release is not None
    for copy in ("public", "steward"):
        path = tmp_path / f"{copy}.{ending}"
        write = release.to_csv if ending == "csv" else release.to_parquet
        write(path, copy=copy, respondent="id")
        back = oa.read_release(path, table, suppressed=0, unique=False)
        assert published(back) == published(release)
        if copy == "steward":
            assert {g.respondents for g in back.groups} == {g.respondents for g in release.groups}
    with pytest.raises(oa.ReleaseError, match="no column 'kind'"):
        oa.read_release(tmp_path / f"public.{ending}", table)
