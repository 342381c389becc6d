"""Published views: closed forms, breach probabilities, secret queries, choice of views.

The brute force here works on relations: a possible base table is a set of rows of the
natural join whose two projections are the published views. It shares no code with the
package beyond the types of question and answer.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from hypothesis import given, settings, strategies as st
from oracle.views import RESTRICTED, UNRESTRICTED, enumerated, random_base, secret

from optanon.models.errors import PolicyError, ReleaseError, TableError
from optanon.models.views import (
    AttackModel,
    CodedTable,
    ComponentCounts,
    JoinComponent,
    Pattern,
    Posterior,
    ProtectedAssociation,
    PublishedWeight,
    SecretColumns,
    SecretQuery,
    ViewPair,
    association_cover,
    associations,
    breach,
    connectivity_graph,
    cover_share,
    covers_avoiding,
    exceeds,
    is_broken,
    parse_secret_query,
    posterior,
    project,
    standing_patterns,
    violated_pattern,
)
from optanon.solver.engines.views import ChoiceStatus, ViewChoice, choose_views

DATA = Path(__file__).parents[2] / "instances" / "data" / "published-views"
EXPECTED: dict[str, Any] = yaml.safe_load((DATA / "expected.yaml").read_text(encoding="utf-8"))
PER_JOIN_VALUE = AttackModel.RESTRICTED_PER_JOIN_VALUE


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(DATA / name)


def component(*properties: str, others: int = 1, s: int = 1) -> ComponentCounts:
    return ComponentCounts(
        m=s + others, s=s, multiplicity={v: properties.count(v) for v in sorted(set(properties))}
    )


# --- closed forms -----------------------------------------------------------------------


def edge_covers(m: int, n: int) -> Iterator[set[tuple[int, int]]]:
    edges = list(itertools.product(range(m), range(n)))
    for size in range(len(edges) + 1):
        for chosen in itertools.combinations(edges, size):
            if {a for a, _ in chosen} == set(range(m)) and {b for _, b in chosen} == set(range(n)):
                yield set(chosen)


def upw(m: int, n: int) -> int:
    """Unrestricted possible worlds of Wang and Lakshmanan: all covers."""
    return covers_avoiding(m, n, 0, 0)


def uiw(m: int, n: int) -> int:
    """Unrestricted interesting worlds: covers with the edge of the association, not only a path."""
    return upw(m, n) - covers_avoiding(m, n, 1, 1)


def riw(m: int, n: int) -> int:
    """Restricted interesting worlds (Lemma 5.4): the identifier has the association's edge and no other."""
    return upw(m - 1, n) + upw(m - 1, n - 1)


def rpw(m: int, n: int) -> int:
    """Restricted possible worlds, property values all different."""
    return n * riw(m, n)


SHAPES = [(m, n) for m in range(1, 5) for n in range(1, 5) if m * n <= 12]


@pytest.mark.parametrize(("m", "n"), SHAPES)
def test_closed_forms_count_edge_covers(m: int, n: int) -> None:
    covers = list(edge_covers(m, n))
    assert upw(m, n) == len(covers)
    assert uiw(m, n) == sum((0, 0) in cover for cover in covers)
    restricted = [cover for cover in covers if sum(a == 0 for a, _ in cover) == 1]
    assert rpw(m, n) == len(restricted)
    assert riw(m, n) == sum((0, 0) in cover for cover in restricted)


@pytest.mark.parametrize(("m", "n"), [shape for shape in SHAPES if shape[0] * shape[1] <= 9])
def test_covers_avoiding_a_block_of_edges(m: int, n: int) -> None:
    covers = list(edge_covers(m, n))
    for s, t in itertools.product(range(m + 1), range(n + 1)):
        wanted = sum(not any(a < s and b < t for a, b in cover) for cover in covers)
        assert covers_avoiding(m, n, s, t) == wanted == covers_avoiding(n, m, t, s)


def test_known_numbers() -> None:
    shapes = [(2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (4, 4)]
    assert [upw(*shape) for shape in shapes] == [7, 25, 79, 265, 2161, 41503]
    assert [uiw(*shape) for shape in shapes] == [5, 17, 53, 161, 1265, 23045]


def test_conventions_at_the_border() -> None:
    assert upw(0, 0) == 1
    assert upw(0, 3) == upw(3, 0) == 0
    assert all(upw(1, n) == uiw(1, n) == upw(n, 1) == uiw(n, 1) == 1 for n in range(1, 7))


def test_identifier_and_property_side_are_not_interchangeable() -> None:
    assert (rpw(2, 3), rpw(3, 2)) == (6, 16)


@pytest.mark.parametrize("m", range(2, 7))
@pytest.mark.parametrize("n", range(2, 7))
def test_sums_as_printed_by_wang_and_lakshmanan(m: int, n: int) -> None:
    terms = [(i, j, (-1) ** (m + n - i - j)) for i in range(2, m + 1) for j in range(2, n + 1)]
    printed = sum(comb(m, m - i) * comb(n, n - j) * sign * (2 ** (i * j) - 1) for i, j, sign in terms)
    printed += (-1) ** (m + 1) * m + (-1) ** (n + 1) * n + (-1) ** (m + n + 1) * m * n
    interesting = sum(
        comb(m - 1, m - i) * comb(n - 1, n - j) * sign * 2 ** (i * j - 1) for i, j, sign in terms
    )
    interesting += (-1) ** (m + 1) + (-1) ** (n + 1) + (-1) ** (m + n + 1)
    assert (upw(m, n), uiw(m, n)) == (printed, interesting)


@pytest.mark.parametrize(("size", "with_path", "with_edge"), [(2, 6, 5), (3, 236, 161)])
def test_interesting_means_an_edge_and_not_a_path(size: int, with_path: int, with_edge: int) -> None:
    def connected(cover: set[tuple[int, int]]) -> bool:
        left, right = {0}, set[int]()
        for _ in range(2 * size):
            right |= {b for a, b in cover if a in left}
            left |= {a for a, b in cover if b in right}
        return 0 in right

    assert sum(map(connected, edge_covers(size, size))) == with_path
    assert uiw(size, size) == with_edge


def test_unrestricted_probability_is_always_above_one_half() -> None:
    for m, n in itertools.product(range(1, 9), repeat=2):
        assert 2 * uiw(m, n) > upw(m, n)
    shares = [Fraction(uiw(k, k), upw(k, k)) for k in range(2, 12)]
    assert shares[:2] == [Fraction(5, 7), Fraction(161, 265)]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] - Fraction(1, 2) < Fraction(1, 1000)


@pytest.mark.parametrize("arguments", [(-1, 2, 0, 0), (2, 2, 3, 0), (2, 2, 0, -1)])
def test_counts_out_of_range_are_refused(arguments: tuple[int, int, int, int]) -> None:
    with pytest.raises(PolicyError, match="between 0 and"):
        covers_avoiding(*arguments)


@given(st.data())
def test_bounds_enclose_the_exact_share(data: st.DataObject) -> None:
    m, n = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 12))
    s, t = data.draw(st.integers(0, m)), data.draw(st.integers(0, n))
    bits = data.draw(st.integers(8, 200))
    exact = Fraction(covers_avoiding(m, n, s, t), 2 ** (m * n))
    low, high = cover_share(m, n, s, t, bits=bits)
    assert low <= exact <= high
    assert cover_share(m, n, s, t) == (exact, exact)
    if bits > 150 and exact:
        assert high - low < exact / 1000


# --- the examples as printed -------------------------------------------------------------


def paper_cases() -> Iterator[Any]:
    for case in EXPECTED["views"]:
        for verdict in case["verdicts"]:
            yield pytest.param(case, verdict, id=verdict["secret"].split("where ")[1])


@pytest.mark.parametrize(("case", "verdict"), list(paper_cases()))
def test_worked_examples(case: dict[str, Any], verdict: dict[str, Any]) -> None:
    views = ViewPair(first=read(case["first"]), second=read(case["second"]))
    query = parse_secret_query(verdict["secret"])
    assert views.join_attributes == tuple(case["join"])
    (graph,) = connectivity_graph(views, query)
    assert {"m": graph.counts.m, "n": graph.counts.n} == verdict["shape"]
    assert sorted(map(str, association_cover(views, query))) == sorted(verdict["cover"])
    for model, wanted in verdict["breach"].items():
        found = breach(views, query, AttackModel(model))
        assert found.is_exact
        assert found.probability == Fraction(wanted)
        assert found.cover_size == len(verdict["cover"])


@pytest.mark.parametrize("case", EXPECTED["views"], ids=lambda case: case["table"])
def test_shipped_views_are_the_projections_of_their_table(case: dict[str, Any]) -> None:
    for part in ("first", "second"):
        view = read(case[part])
        assert project(read(case["table"]), list(view.columns)).equals(view)


def test_graph_of_figure_4() -> None:
    views = ViewPair(first=read("patients-v1.csv"), second=read("patients-v2.csv"))
    (graph,) = connectivity_graph(views, parse_secret_query("select Problem from T where Name='George'"))
    assert graph == JoinComponent(
        join_value=(45,),
        id_side=(("John", 45), ("George", 45), ("Sarah", 45)),
        property_side=(
            (45, "Professor", "Diarrhea"),
            (45, "Professor", "HIV"),
            (45, "Engineer", "Cold"),
        ),
        id_nodes=(1,),
        properties=("Diarrhea", "HIV", "Cold"),
    )


# --- pitfalls ----------------------------------------------------------------------------


def test_cover_has_each_property_value_once_and_need_not_hold_the_secret() -> None:
    # three tuples, two values: (Ann, flu) is in the cover once although two tuples carry flu
    first = pd.DataFrame({"i": ["Ann", "Bob"], "b": [1, 1]})
    second = pd.DataFrame({"b": [1, 1, 1], "c": [1, 2, 3], "p": ["flu", "flu", "gout"]})
    views = ViewPair(first=first, second=second)
    assert association_cover(views, secret("Ann", "HIV")) == ("flu", "gout")
    assert breach(views, secret("Ann", "HIV"), UNRESTRICTED).probability == 0


def test_nodes_are_view_tuples_and_not_their_projections() -> None:
    # K_{2,3} with multiplicities 2 and 1; without the column c the third tuple would vanish
    first = pd.DataFrame({"i": ["l", "x"], "b": [1, 1]})
    second = pd.DataFrame({"b": [1, 1, 1], "c": [1, 2, 1], "p": ["p", "p", "q"]})
    views = ViewPair(first=first, second=second)
    collapsed = ViewPair(first=first, second=project(second, ["b", "p"]))
    assert breach(views, secret("l", "p"), RESTRICTED).probability == Fraction(4, 5)
    assert breach(views, secret("l", "q"), RESTRICTED).probability == Fraction(1, 5)
    assert breach(collapsed, secret("l", "p"), RESTRICTED).probability == Fraction(1, 2)
    # unrestricted: 1 - covers without an edge from l to the two nodes, over all covers
    assert breach(views, secret("l", "p"), UNRESTRICTED).probability == 1 - Fraction(
        covers_avoiding(2, 3, 1, 2), 25
    )


def test_repeated_rows_of_a_view_are_one_tuple() -> None:
    first = pd.DataFrame({"i": ["l", "x", "x"], "b": [1, 1, 1]})
    second = pd.DataFrame({"b": [1, 1, 1], "p": ["p", "p", "q"]})
    found = breach(ViewPair(first=first, second=second), secret("l", "p"), UNRESTRICTED)
    assert found.probability == Fraction(5, 7)


def test_equal_multiplicities_give_one_over_the_cover() -> None:
    counts = component("a", "a", "b", "b", "c", "c", others=5)
    assert posterior([counts], "b", RESTRICTED).lower == Fraction(1, 3)


def test_no_restricted_world_counts_as_certainty() -> None:
    lonely = component("a", "b", others=0)
    found = posterior([lonely], "a", RESTRICTED)
    assert found == Posterior(lower=Fraction(1), upper=Fraction(1), consistent=False)
    assert rpw(1, 2) == riw(1, 2) == 0
    assert exceeds([lonely], "a", RESTRICTED, Fraction(99, 100))
    assert posterior([lonely], "c", RESTRICTED).upper == 0


def test_components_without_the_identifier_cancel() -> None:
    views = ViewPair(first=read("patients-v1.csv"), second=read("patients-v2.csv"))
    alone = ViewPair(first=views.first.query("Age == 45"), second=views.second.query("Age == 45"))
    query = parse_secret_query("select Problem from T where Name = 'George' and Problem = 'HIV'")
    for model in AttackModel:
        assert breach(views, query, model) == breach(alone, query, model)


def test_identifier_in_several_components() -> None:
    ab, ac = component("a", "b"), component("a", "c")
    assert posterior([ab, ac], "a", UNRESTRICTED).upper == 1 - Fraction(2, 7) ** 2
    assert posterior([ab, ac], "a", PER_JOIN_VALUE).upper == 1 - Fraction(1, 2) ** 2
    # one value in the whole table: only a fits both components
    assert posterior([ab, ac], "a", RESTRICTED).upper == 1
    assert posterior([ab, ac], "b", RESTRICTED).upper == 0
    assert posterior([ab, ab], "a", RESTRICTED).upper == Fraction(1, 2)


def test_only_the_identifier_asked_about_is_restricted() -> None:
    # John and Sarah may have several problems: 3 * (UPW(2,3) + UPW(2,2)) worlds, not 3! = 6
    assert rpw(3, 3) == 3 * (25 + 7) == 96


@pytest.mark.parametrize("model", AttackModel)
def test_what_one_view_shows_is_certain_and_what_none_shows_is_open(model: AttackModel) -> None:
    table = pd.DataFrame({"i": ["l", "x"], "b": [1, 2], "p": ["p", "q"]})
    together = ViewPair.of(table, ["i", "p"], ["b", "p"])
    withheld = ViewPair.of(table, ["i", "b"], ["b"])
    assert together.exposure(secret("l", "p")) is SecretColumns.TOGETHER
    assert breach(together, secret("l", "p"), model).probability == 1
    assert breach(together, secret("l", "q"), model).probability == 0
    assert breach(withheld, secret("l", "p"), model).exposure is SecretColumns.WITHHELD
    assert breach(withheld, secret("l", "p"), model).probability == 0


# --- brute force over relations ----------------------------------------------------------


def enumerated_parts(views: ViewPair, query: SecretQuery) -> Fraction:
    """One value per join value: independent components, each enumerated on its own."""
    absent = Fraction(1)
    for value in {row[-1] for row in views.first.itertuples(index=False, name=None)}:
        part = ViewPair(
            first=views.first[views.first["b"] == value], second=views.second[views.second["b"] == value]
        )
        if query.id_value in set(part.first["i"]) and query.property_value in set(part.second["p"]):
            share = enumerated(part, query, RESTRICTED)
            absent *= 1 - (Fraction(1) if share is None else share)
    return 1 - absent


@pytest.mark.parametrize("seed", range(60))
def test_breach_equals_enumeration_of_relations(seed: int) -> None:
    rng = random.Random(seed)
    table = random_base(rng, rng.randint(1, 5))
    id_columns = rng.choice([["i"], ["i", "b"], ["i", "a", "b"]])
    property_columns = rng.choice([["p"], ["c", "p"], ["b", "p"], ["b", "c", "p"]])
    views = ViewPair.of(table, id_columns, property_columns)
    if len(views.first) * len(views.second) > 12 and not views.join_attributes:
        views = ViewPair.of(table.head(3), id_columns, property_columns)
    for i, p in itertools.product("lx", "pq"):
        query = secret(i, p)
        if i not in set(views.first["i"]) or p not in set(views.second["p"]):
            assert breach(views, query, RESTRICTED).probability == 0
            continue
        for model in (UNRESTRICTED, RESTRICTED):
            wanted = enumerated(views, query, model)
            if wanted is None:
                wanted = Fraction(int(p in association_cover(views, query)))
            found = breach(views, query, model)
            assert found.probability == found.posterior.lower == wanted
            # bounds are right at any precision, also where they say little
            graph = [part.counts for part in connectivity_graph(views, query)]
            for bits in (8, 64):
                bounds = posterior(graph, p, model, bits=bits)
                assert bounds.lower <= wanted <= bounds.upper
        if views.join_attributes == ("b",):
            found = breach(views, query, PER_JOIN_VALUE)
            assert found.probability == enumerated_parts(views, query)


@pytest.mark.parametrize("model", AttackModel)
def test_very_large_components_are_bounded_and_decided(model: AttackModel) -> None:
    # 10,000 tuples on both sides: counts of 10**8 bits. With so many other identifiers nearly
    # every tuple is covered anyway, so c outweighs b like 2**3999 - 1 does 2**3001 - 1
    counts = ComponentCounts(m=10_000, s=1, multiplicity={"a": 3000, "b": 3001, "c": 3999})
    bounds = posterior([counts], "c", model, bits=64)
    assert bounds.upper - bounds.lower < Fraction(1, 2**40)
    assert exceeds([counts], "c", model, Fraction(99, 100))
    for value in "ab":
        assert exceeds([counts], value, model, Fraction(1, 100)) is (model is UNRESTRICTED)


def test_bounds_of_a_large_component_enclose_the_exact_value() -> None:
    # m = 4 identifiers, 4,200 tuples: still countable exactly, and beyond the default limit
    counts = ComponentCounts(m=4, s=1, multiplicity={"a": 4, "b": 5, "c": 4191})
    for value, model in itertools.product("ab", AttackModel):
        exact = posterior([counts], value, model)
        bounds = posterior([counts], value, model, bits=8192)
        assert bounds.lower <= exact.lower == exact.upper <= bounds.upper
        assert not exceeds([counts], value, model, exact.upper)
        assert exceeds([counts], value, model, exact.upper - Fraction(1, 10**9))


# --- views that cannot be ----------------------------------------------------------------


def test_views_of_no_common_table_are_refused() -> None:
    first = pd.DataFrame({"i": ["l", "x"], "b": [1, 2]})
    with pytest.raises(ReleaseError, match="1 join values occur in only one"):
        ViewPair(first=first, second=pd.DataFrame({"b": [1], "p": ["p"]}))
    with pytest.raises(ReleaseError, match="empty"):
        ViewPair(first=first, second=pd.DataFrame({"b": [], "p": []}))


def test_missing_values_and_columns_are_refused() -> None:
    table = pd.DataFrame({"i": ["secret-id", None], "p": ["p", "q"]})
    with pytest.raises(TableError, match="column 'i', row 2: missing value") as caught:
        project(table, ["i"])
    assert "secret-id" not in str(caught.value)
    with pytest.raises(TableError, match="column 'b' must be in the table"):
        project(table, ["b"])
    with pytest.raises(TableError, match="each column once"):
        project(table, ["p", "p"])


def test_a_number_is_not_looked_up_among_texts() -> None:
    views = ViewPair(
        first=pd.DataFrame({"i": [7, 8], "b": [1, 1]}),
        second=pd.DataFrame({"b": [1, 1], "p": ["p", "q"]}),
    )
    assert breach(views, secret(7, "p"), RESTRICTED).probability == Fraction(1, 2)
    with pytest.raises(TableError, match=r"column 'i' holds numbers but .* text") as caught:
        breach(views, secret("7", "p"), RESTRICTED)
    assert "'7'" not in str(caught.value)
    with pytest.raises(TableError, match="column 'p' holds text"):
        breach(views, secret(7, 0), RESTRICTED)


def test_incomplete_questions_are_refused() -> None:
    views = ViewPair(first=read("patients-v1.csv"), second=read("patients-v2.csv"))
    with pytest.raises(PolicyError, match="needs both values"):
        breach(views, parse_secret_query("select Problem from T where Name='George'"), RESTRICTED)
    with pytest.raises(PolicyError, match="needs an id_value"):
        association_cover(views, parse_secret_query("select Name, Problem from T"))
    with pytest.raises(PolicyError, match="different views"):
        connectivity_graph(views, parse_secret_query("select Job from T where Age = 45"))


@pytest.mark.parametrize(
    "build",
    [
        lambda: ComponentCounts(m=1, s=2, multiplicity={"a": 1}),
        lambda: ComponentCounts(m=1, s=1, multiplicity={}),
        lambda: Posterior(lower=Fraction(1), upper=Fraction(1, 2)),
        lambda: SecretQuery(id_attribute="i", property_attribute="i"),
        lambda: SecretQuery(id_attribute="", property_attribute="i"),
        lambda: ProtectedAssociation(query=secret("l"), threshold=Fraction(1)),
        lambda: ProtectedAssociation(query=secret("l"), threshold=Fraction(-1, 2)),
        lambda: ProtectedAssociation(query=secret("l"), threshold=0.5),  # type: ignore[arg-type]
        lambda: cover_share(2, 2, 1, 1, bits=7),
        lambda: cover_share(2, 2, 3, 1),
        lambda: PublishedWeight(weights={"a": 0}),
        lambda: PublishedWeight(weights={"a": 2**26}),
        lambda: ViewChoice(status=ChoiceStatus.OPTIMAL, termination="proved"),
    ],
)
def test_values_validate_themselves(build: Any) -> None:
    with pytest.raises(PolicyError):
        build()


# --- secret queries ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("select p from T where i = 'l'", secret("l")),
        ("SELECT p FROM T WHERE i='l' AND p='q';", secret("l", "q")),
        ("select p from T where p = 'q' and i = 'l'", secret("l", "q")),
        ("select i, p from T where p = 'q'", secret(None, "q")),
        ("select i, p from T", secret(None)),
        ('select "p" from `my table` where "i" = 12', secret(12)),
        ("select p from T where i = 'O''Hara, \"x\"; drop'", secret('O\'Hara, "x"; drop')),
        ("select p from T where i = -1.5", secret(-1.5)),
    ],
)
def test_secret_queries_in_sql(text: str, query: SecretQuery) -> None:
    assert parse_secret_query(text) == query


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 'select' at character 1"),
        ("select p from T", "the identifier"),
        ("select p from T where p = 'q'", "the identifier"),
        ("select p from T where i = 'l' and b = 'm'", "exactly one other"),
        ("select i, p from T where b = 'm'", "'b' is compared but not selected"),
        ("select i, b, p from T", "at most two"),
        ("select i, i from T", "both the identifier"),
        ("select * from T", "expected a name"),
        ("select p from T where i < 3", "at character 25"),
        ("select p from T where i = 'l' or p = 'q'", "at character 31"),
        ("select p from T where i = George", "expected a quoted text or a number at character 27"),
        ("select p from T where i = 'George", "at character 27"),
        ("select p from T where i = 'George' and i = 'Bill'", "compared twice"),
        ("select p from T where i = 'l' p", "expected the end"),
        ("select p from T where i = 12x", "at character 27"),
        ("select from from T where i = 'l'", "expected a column name at character 8"),
    ],
)
def test_other_sql_is_refused_without_repeating_values(text: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message) as caught:
        parse_secret_query(text)
    assert "George" not in str(caught.value)


TEXT = st.text("aB9 _'\"`;=é,\n", min_size=1, max_size=6)
VALUES = st.none() | st.integers() | TEXT | st.just("")


@settings(max_examples=60, deadline=None)
@given(i=VALUES, p=VALUES, names=st.tuples(TEXT, TEXT).filter(lambda pair: pair[0] != pair[1]))
def test_written_queries_read_back(i: Any, p: Any, names: tuple[str, str]) -> None:
    query = SecretQuery(id_attribute=names[0], property_attribute=names[1], id_value=i, property_value=p)
    assert parse_secret_query(query.sql()) == query


def test_a_value_without_literal_cannot_be_written() -> None:
    with pytest.raises(PolicyError, match="type Timestamp"):
        secret(pd.Timestamp("2006-10-30")).sql()


def test_open_queries_select_associations_of_the_table() -> None:
    table = read("patients.csv")
    cold = parse_secret_query("select Name, Problem from T where Problem = 'Cold'")
    assert [q.id_value for q in associations(cold, table)] == ["Bill", "Alan", "Sarah"]
    everyone = parse_secret_query("select Job, Problem from T")
    assert len(associations(everyone, table)) == 3  # one of the three engineers' colds
    false = parse_secret_query("select Problem from T where Name = 'Alan' and Problem = 'HIV'")
    assert associations(false, table) == (false,)
    with pytest.raises(TableError, match="selects no row") as caught:
        associations(parse_secret_query("select Problem from T where Name = 'Zoe'"), table)
    assert "Zoe" not in str(caught.value)
    with pytest.raises(TableError, match="column 'p' of a secret"):
        associations(secret("Bill", id_attribute="Name"), table)


# --- choice of views ---------------------------------------------------------------------


def subsets(columns: Sequence[str]) -> list[tuple[str, ...]]:
    sizes = range(1, len(columns) + 1)
    return [chosen for size in sizes for chosen in itertools.combinations(columns, size)]


def random_task(seed: int) -> tuple[pd.DataFrame, list[ProtectedAssociation], random.Random]:
    rng = random.Random(seed)
    rows = rng.randint(2, 6)
    columns = ["i", *"abc"[: rng.choice([1, 1, 2, 2, 3])], "p"]
    rng.shuffle(columns)
    key = rng.random() < 0.6
    table = pd.DataFrame(
        {c: [r if c == "i" and key else rng.randint(1, 3) for r in range(rows)] for c in columns}
    )
    secrets: list[ProtectedAssociation] = []
    for _ in range(rng.randint(1, 2)):
        i = table["i"].tolist()[rng.randrange(rows)]
        p = rng.choice([None, *table["p"].tolist()])
        secrets.append(
            ProtectedAssociation(
                query=secret(i, p),
                threshold=Fraction(rng.choice(["0", "1/5", "1/3", "1/2", "2/3", "3/4", "9/10"])),
                model=rng.choice(list(AttackModel)),
            )
        )
    return table, secrets, rng


@pytest.mark.parametrize("seed", range(24))
def test_choice_equals_enumeration_of_all_pairs(seed: int) -> None:
    table, secrets, rng = random_task(seed)
    columns = list(table.columns)
    weights = {c: rng.randint(1, 3) for c in columns}
    required = [c for c in columns if rng.random() < 0.25]
    choice = choose_views(table, secrets, weights=weights, required=required)

    total = sum(weights.values())
    views = {chosen: project(table, chosen) for chosen in subsets(columns)}
    best = None
    for first, second in itertools.combinations_with_replacement(views, 2):
        if not set(required) <= {*first, *second}:
            continue
        value = (total + 1) * sum(weights[c] for c in {*first, *second})
        value += sum(weights[c] for c in set(first) & set(second))
        if best is not None and value <= best:
            continue
        pair = ViewPair(first=views[first], second=views[second])
        if all(
            breach(pair, query, s.model).probability <= s.threshold
            for s in secrets
            for query in associations(s.query, table)
        ):
            best = value
    assert choice.objective == best
    assert choice.termination == "proved"
    if best is None:
        assert choice.status is ChoiceStatus.INFEASIBLE
        return
    assert choice.status is ChoiceStatus.OPTIMAL
    assert choice.bound == best
    assert choice.objective == (total + 1) * (choice.published or 0) + (choice.joined or 0)
    assert choice.first is not None
    assert choice.second is not None
    assert choice.join == tuple(c for c in choice.first if c in choice.second)


@pytest.mark.parametrize("seed", range(12))
def test_a_pattern_condemns_only_broken_pairs(seed: int) -> None:
    table, secrets, rng = random_task(seed)
    columns = list(table.columns)
    coded = CodedTable(table, columns)
    views = {chosen: project(table, chosen) for chosen in subsets(columns)}
    pairs = list(itertools.product(views, repeat=2))
    s = secrets[0]
    query = associations(s.query, table)[0]
    single = ProtectedAssociation(query=query, threshold=s.threshold, model=s.model)

    def truth(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
        pair = ViewPair(first=views[first], second=views[second])
        return breach(pair, query, s.model).probability > s.threshold

    patterns = set(standing_patterns(coded, single))
    for first, second in rng.sample(pairs, min(40, len(pairs))):
        pattern = violated_pattern(coded, single, first, second)
        assert (pattern is not None) is truth(first, second)
        assert is_broken(coded, single, first, second) is truth(first, second)
        if pattern is not None:
            assert pattern.matches(first, second)
            assert pattern.mirrored().matches(second, first)
            patterns.add(pattern)
    for first, second in rng.sample(pairs, min(60, len(pairs))):
        if any(pattern.matches(first, second) for pattern in patterns):
            assert truth(first, second)


def test_patterns_generalize_over_irrelevant_columns() -> None:
    # c is constant, d follows from i: neither changes what joining on b reveals about l
    table = pd.DataFrame(
        {"i": list("lxyz"), "b": [1, 1, 2, 2], "c": [0] * 4, "d": [1, 1, 2, 2], "p": list("pqpq")}
    )
    single = ProtectedAssociation(query=secret("l", "p"), threshold=Fraction(1, 3))
    pattern = violated_pattern(CodedTable(table, list(table)), single, ["i", "b"], ["b", "p"])
    assert pattern == Pattern(
        first_in=frozenset("i"),
        first_out=frozenset("p"),
        second_in=frozenset("p"),
        second_out=frozenset("i"),
        join_in=frozenset("b"),
    )


def test_patterns_keep_columns_that_matter() -> None:
    # a splits the tuple of x, and with three tuples on l's side 17/25 replaces 5/7
    table = pd.DataFrame({"i": list("lxx"), "a": [1, 1, 2], "b": [1] * 3, "p": list("pqq")})
    query = secret("l", "p")
    limit = ProtectedAssociation(query=query, threshold=Fraction(7, 10), model=UNRESTRICTED)
    coded = CodedTable(table, list(table))
    assert breach(ViewPair.of(table, "ib", "bp"), query, UNRESTRICTED).probability == Fraction(5, 7)
    assert breach(ViewPair.of(table, "iab", "bp"), query, UNRESTRICTED).probability == Fraction(17, 25)
    pattern = violated_pattern(coded, limit, "ib", "bp")
    assert pattern is not None
    assert not pattern.matches("iab", "bp")
    assert pattern.matches("i", "p")  # b is constant
    assert violated_pattern(coded, limit, "iab", "bp") is None


def chosen_cases() -> Iterator[Any]:
    for number, case in enumerate(EXPECTED["choices"], start=1):
        yield pytest.param(case, id=f"choice {number}")


@pytest.mark.parametrize("case", list(chosen_cases()))
def test_choices_for_the_patients(case: dict[str, Any]) -> None:
    secrets = [
        ProtectedAssociation(
            query=parse_secret_query(entry["secret"]),
            threshold=Fraction(entry["threshold"]),
            model=AttackModel(entry["model"]),
        )
        for entry in case["secrets"]
    ]
    table = read("patients.csv")
    choice = choose_views(table, secrets, required=case.get("required", ()))
    assert choice.status == case["status"]
    assert (choice.published, choice.joined) == (case.get("published"), case.get("joined"))
    if choice.first is None or choice.second is None:
        assert choice.breaches == ()
        return
    assert choice.objective == 26 * case["published"] + case["joined"]
    views = ViewPair.of(table, choice.first, choice.second)
    wanted = [(s, q) for s in secrets for q in associations(s.query, table)]
    assert list(choice.breaches) == [breach(views, q, s.model) for s, q in wanted]
    assert all(b.probability <= s.threshold for b, (s, _) in zip(choice.breaches, wanted, strict=True))


def test_restricted_choice_shares_age_only() -> None:
    george = parse_secret_query("select Problem from T where Name = 'George'")
    choice = choose_views(
        read("patients.csv"), [ProtectedAssociation(query=george, threshold=Fraction(1, 3))]
    )
    assert choice.join == ("Age",)
    assert [b.probability for b in choice.breaches] == [Fraction(1, 3)]


def test_unrestricted_one_half_can_only_be_met_by_withholding() -> None:
    george = parse_secret_query("select Problem from T where Name = 'George'")
    half = ProtectedAssociation(query=george, threshold=Fraction(1, 2), model=UNRESTRICTED)
    assert half.forbids_joining
    choice = choose_views(read("patients.csv"), [half])
    assert [b.exposure for b in choice.breaches] == [SecretColumns.WITHHELD]
    more = ProtectedAssociation(query=george, threshold=Fraction(61, 100), model=UNRESTRICTED)
    assert not more.forbids_joining
    choice = choose_views(read("patients.csv"), [more])
    assert choice.published == 25
    assert choice.breaches[0].probability > Fraction(1, 2)


def test_threshold_zero_may_hold_without_withholding() -> None:
    # l has p in one row and q in another, which a restricted adversary takes for impossible:
    # joined on b, q is the only value that fits both of l's components, so p has probability 0
    table = pd.DataFrame({"i": list("lxl"), "b": [1, 1, 2], "p": list("pqq")})
    never = ProtectedAssociation(query=secret("l", "p"), threshold=Fraction(0))
    choice = choose_views(table, [never], required=["i", "p"])
    assert choice.status is ChoiceStatus.OPTIMAL
    assert choice.join == ("b",)
    assert choice.breaches[0].exposure is SecretColumns.SPLIT
    assert choice.breaches[0].probability == 0


def test_no_secret_publishes_everything_twice() -> None:
    table = read("patients.csv")
    choice = choose_views(table, [])
    assert choice.first == choice.second == tuple(table.columns)


def test_choice_is_repeatable_and_stops_in_time() -> None:
    rng = random.Random(5)
    columns = ["i", *"abcdef", "p"]
    table = pd.DataFrame({c: [r if c == "i" else rng.randint(1, 4) for r in range(60)] for c in columns})
    single = ProtectedAssociation(query=secret(0), threshold=Fraction(2, 5))
    choice = choose_views(table, [single], seed=1)
    assert choice.status is ChoiceStatus.OPTIMAL
    assert choice == choose_views(table, [single], seed=1)
    many = ProtectedAssociation(query=secret(None), threshold=Fraction(1, 4))
    stopped = choose_views(table, [many], time_limit=0.001)
    assert stopped.termination == "time limit"
    assert stopped.status in (ChoiceStatus.UNKNOWN, ChoiceStatus.FEASIBLE)
    if stopped.status is ChoiceStatus.FEASIBLE:
        assert stopped.bound is None or (stopped.objective or 0) <= stopped.bound
        assert all(b.probability <= Fraction(1, 4) for b in stopped.breaches)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": {"ID": 1}}, "give every"),
        ({"weights": dict.fromkeys(("ID", "Name", "Age", "Job", "Problem", "X"), 1)}, "'X'"),
        ({"weights": dict.fromkeys(("ID", "Name", "Age", "Job", "Problem"), 1.0)}, "'ID' must be"),
        ({"required": ["Sex"]}, "required column 'Sex'"),
        ({"time_limit": 0}, "time_limit"),
        ({"time_limit": float("nan")}, "time_limit"),
        ({"time_limit": "60"}, "time_limit"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"required": "Age"}, "required must be a list, not str"),
        ({"required": [3]}, "number 1 of required must be a str"),
        ({"weights": [1, 2]}, "weights must be a Mapping, not list"),
    ],
)
def test_choice_refuses_wrong_parameters(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        choose_views(read("patients.csv"), [], **arguments)


@pytest.mark.parametrize("secrets", [secret("George"), "select Problem from T", ["select Problem from T"]])
def test_choice_refuses_other_things_for_secrets(secrets: Any) -> None:
    with pytest.raises(PolicyError, match=r"secrets must be .*write ProtectedAssociation"):
        choose_views(read("patients.csv"), secrets)


def test_choice_refuses_other_things_for_a_table() -> None:
    table: Any = "patients.csv"
    with pytest.raises(TableError, match="table must be a DataFrame, not str"):
        choose_views(table, [])


def test_without_a_limit_the_choice_is_proven() -> None:
    assert choose_views(read("patients.csv"), [], time_limit=None).status is ChoiceStatus.OPTIMAL


def test_choice_refuses_an_empty_table() -> None:
    with pytest.raises(TableError, match="no rows"):
        choose_views(pd.DataFrame({"i": [], "p": []}), [])
