"""Record tracing by the definition: matchings of single records, asked literally; judge of the fast way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import networkx as nx
import oracle.brute_force as bf
import pytest
from cases.attacks import history, local, ours
from networkx.algorithms import bipartite
from oracle.brute_force_notation import release

from optanon.instances.generators import clustered_table, generated_roles, uniform_table
from optanon.models.adversary.matching import Matchings, SingleRecord
from optanon.models.adversary.tracing import Tracer
from optanon.models.errors import ReleaseError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import Release
from optanon.models.requirements import KCAnonymity, RecordTracing, record_tracing
from optanon.solver.baselines.registry import baselines


def small_pairs(seed: int, count: int) -> Iterator[tuple[Release, Release]]:
    """Earlier and new releases of a few people on a grid, with counterfeits now and then."""
    random = Random(seed)
    for _ in range(count):
        people = [
            bf.Person(str(i), (random.randint(0, 12), random.randint(0, 6)), random.choice("aab"))
            for i in range(random.randint(4, 12))
        ]
        old = local(random, [p for p in people if random.random() < 0.8] or people, random.randint(1, 4))
        new = local(random, people, random.randint(1, 5), random.choice(["", "ab"]))
        yield ours(old, boxed=True), ours(new, boxed=True)


def joined(graph: nx.Graph, group: int, target: int) -> bool:
    """Whether some matching takes a record of `group` to `target`: by matching the rest once more."""
    one, other = SingleRecord("old", group, 0), SingleRecord("new", target, 0)
    if not graph.has_edge(one, other):
        return False
    rest = nx.Graph(graph)
    rest.remove_nodes_from([one, other])
    earlier = {record for record in rest if record.side == "old"}
    return earlier <= set(bipartite.hopcroft_karp_matching(rest, earlier))


def test_an_edge_is_possible_if_the_rest_can_be_matched_without_its_ends() -> None:
    seen = Counter[bool]()
    for old, new in small_pairs(1, 60):
        judge = Matchings(old, new)
        for value in {member.value for group in old.groups for member in group.members}:
            found = judge.of(value)
            for e, possible in found.possible.items():
                for f in range(len(new.groups)):
                    assert joined(found.graph, e, f) == (f in possible)
                    seen[f in possible] += 1
    assert min(seen.values()) > 100


def test_a_new_record_is_bound_if_nothing_covers_the_earlier_ones_without_it() -> None:
    seen = Counter[bool]()
    for old, new in small_pairs(2, 60):
        judge = Matchings(old, new)
        for value in {member.value for group in old.groups for member in group.members}:
            found = judge.of(value)
            earlier = [record for record in found.graph if record.side == "old"]
            for record in [one for one in found.graph if one.side == "new"]:
                rest = nx.Graph(found.graph)
                rest.remove_node(record)
                covered = set(bipartite.hopcroft_karp_matching(rest, earlier))
                assert (record.group in found.bound) == (not covered >= set(earlier))
                seen[record.group in found.bound] += 1
    assert min(seen.values()) > 30


def grown(seed: int, policy: Policy) -> tuple[Release, Release]:
    """Two releases of a table that grows by a third."""
    make = uniform_table if seed % 2 else clustered_table
    frame = make(120, seed=seed, values=2 + seed % 3, categorical=1)
    roles, made = generated_roles(values=5), list[Release]()
    for rows in (90, 120):
        problem = Problem(table=roles.table(frame.head(rows)), policy=policy)
        made.append(baselines()["mondrian_static"].run(problem, 0))
    return made[0], made[1]


@pytest.mark.parametrize("seed", range(8))
def test_the_residual_graph_of_the_true_matching_says_the_same(seed: int) -> None:
    old, new = grown(seed, Policy([KCAnonymity(k=2 + seed % 2)]))
    judge, fast = Matchings(old, new), Tracer(old, new)
    for way in ("forward", "backward"):
        for below in (3, 99):
            assert list(judge.traces(way, "exact", below)) == list(fast.traces(way, "exact", below))
    assert list(judge.traces("forward", "plausible", 9)) == list(fast.traces("forward", "plausible", 9))
    assert judge.edges == sum(judge.of(value).graph.number_of_edges() for value in fast.values)


def test_check_matches_single_records_up_to_its_limits_and_says_the_same_beyond(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy = Policy([KCAnonymity(k=2)])
    releases = [grown(seed, policy) for seed in range(4)]
    asked = RecordTracing(k=3)
    told = [list(asked.check(new, History([old]))) for old, new in releases]
    assert any(told)
    used = Counter[str]()

    def watched(kind: type[Tracer | Matchings]) -> None:
        def build(old: Release, new: Release) -> Tracer | Matchings:
            used[kind.__name__] += 1
            return kind(old, new)

        monkeypatch.setattr(record_tracing, kind.__name__, build)

    watched(Tracer)
    watched(Matchings)
    assert [list(asked.check(new, History([old]))) for old, new in releases] == told
    assert used == {"Matchings": 4}
    monkeypatch.setattr(record_tracing, "EDGES", 10)
    assert [list(asked.check(new, History([old]))) for old, new in releases] == told
    assert used == {"Matchings": 8, "Tracer": 4}
    monkeypatch.setattr(record_tracing, "RECORDS", 209)
    assert [list(asked.check(new, History([old]))) for old, new in releases] == told
    assert used == {"Matchings": 8, "Tracer": 8}


def test_who_is_where_in_the_new_release_does_not_matter() -> None:
    # 3 and 4 have one value and lie in both boxes: they may change places, and nothing follows from it.
    old = ours(release("1@1s 3@3s 4@4x", "5@5s 4b@4s 6@6x"), boxed=True)
    new = ours(release("1@1s 4b@4s 6@6x", "3@3s 5@5s 4@4x 9@9z"), boxed=True)
    groups = list(new.groups)
    people = {member.respondent: member for group in groups for member in group.members}
    swap = {"4b": people["3"], "3": people["4b"]}
    changed = tuple(
        replace(group, members=tuple(swap.get(m.respondent, m) for m in group.members)) for group in groups
    )
    other = replace(new, groups=changed)
    assert other != new
    found = [
        [
            (t.way, t.group, t.value, t.partners, t.candidates)
            for t in Matchings(old, one).traces(way, "exact", 9)
        ]
        for way in ("forward", "backward")
        for one in (new, other)
    ]
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert found[0]


def test_records_that_cannot_all_go_on_are_refused() -> None:
    old = ours(release("1@1s 2@2s"), boxed=True)
    new = ours(release("1@1s 5@5x", "8@8s 9@9s"), boxed=True)  # one s is left for two
    with pytest.raises(ReleaseError, match="no assignment of new records covers"):
        Matchings(old, new).of("s")


def test_a_record_is_named_by_its_release_group_and_number() -> None:
    old = history([release("1@1s 2@2s")], boxed=True)[0]
    found = Matchings(old, old).of("s")
    assert set(found.graph) == {SingleRecord(side, 0, i) for side in ("old", "new") for i in (0, 1)}
    assert found.graph.number_of_edges() == 4
