"""Tables that publications on microaggregation mask: MDAV's published values, and the partitions shipped."""

from __future__ import annotations

from fractions import Fraction

import pytest

from optanon.bench.microaggregation import Microaggregation
from optanon.instances import datasets
from optanon.instances.catalog import path
from optanon.instances.dataset_files import present
from optanon.instances.partitions import INSTANCE, KnownPartition, known_partitions, masking
from optanon.models.errors import InputError
from optanon.solver.baselines.microaggregation import mdav
from optanon.solver.certificate import Certificate
from optanon.solver.verify.checking import verify

SHIPPED = known_partitions()


def need(data: str) -> None:
    file = f"sdcmicro/{datasets.MASKED[data]}.csv"
    if present(file) is None:
        pytest.skip(f"{file} is not on this machine")


@pytest.mark.parametrize(
    ("data", "k", "published"),
    [
        ("tarragona", 3, "16.93"),
        ("tarragona", 10, "33.19"),
        ("census", 3, "5.69"),
        ("census", 5, "9.09"),
        pytest.param("eia", 3, "0.48", marks=pytest.mark.slow),
        pytest.param("eia", 10, "3.84", marks=pytest.mark.slow),
    ],
)
def test_mdav_gives_the_published_value(data: str, k: int, published: str):
    need(data)
    problem = masking(data, k)
    assert f"{float(problem.objective(mdav(problem))[0]):.2f}" == published


def test_a_table_that_nobody_masked_is_refused():
    with pytest.raises(InputError, match="tarragona, census, eia"):
        datasets.masked("adult")


@pytest.mark.parametrize("known", SHIPPED, ids=lambda known: f"{known.data}-{known.k}")
def test_shipped_partitions_are_what_they_say(known: KnownPartition):
    """Sizes and value by plain sums: squares within groups over those of the whole table."""
    need(known.data)
    frame, roles = datasets.masked(known.data)
    assert sorted(row for group in known.groups for row in group) == list(range(len(frame)))
    assert min(map(len, known.groups)) >= known.k
    columns = list(roles.quasi_identifiers)
    total = Fraction(0)
    for column in columns:
        numbers = [int(x) for x in frame[column].tolist()]
        spread = squares(numbers)
        within = sum((squares([numbers[row] for row in group]) for group in known.groups), Fraction(0))
        total += within / spread
    assert 100 * total / len(columns) == known.value
    assert 0 < known.bound <= known.value
    if known.certificate is not None:
        stated = Certificate.from_json((path(INSTANCE) / known.certificate).read_text(encoding="utf-8"))
        assert (stated.values, stated.bounds) == ((known.value,), (known.bound,))


def squares(numbers: list[int]) -> Fraction:
    return sum(x * x for x in numbers) - Fraction(sum(numbers) ** 2, len(numbers))


@pytest.mark.slow
@pytest.mark.parametrize(
    "known",
    [known for known in SHIPPED if known.certificate is not None],
    ids=lambda known: f"{known.data}-{known.k}",
)
def test_shipped_certificates_are_derived_again(known: KnownPartition):
    need(known.data)
    problem = masking(known.data, known.k)
    assert known.certificate is not None
    stated = Certificate.from_json((path(INSTANCE) / known.certificate).read_text(encoding="utf-8"))
    found = verify(stated, problem, known.release(problem))
    assert found.bounds == (known.bound,)
    assert found.whole


@pytest.mark.slow
def test_a_sample_is_measured_by_the_benchmark():
    need("census")
    row = Microaggregation(data="census", k="3", seconds=15.0, rows=24).run()[0]
    assert (row["rows"], row["status"], row["verified"]) == (24, "OPTIMAL", "whole")
    assert row["ours"] == row["certified bound"] <= min(row["MDAV"], row["V-MDAV"])
