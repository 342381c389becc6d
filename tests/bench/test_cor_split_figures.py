"""Figures of Riboni and Bettini: their lemmas, n-Choose, and error curves."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from optanon.bench.cor_split import CorSplit
from optanon.bench.cor_split_figures import birthplace, closeness, figure_2
from optanon.instances import dataset_files
from optanon.models.errors import InputError


def test_figure_2_has_the_lemmas_and_what_is_read_off_them() -> None:
    rows = list(figure_2())
    first = next(row for row in rows if row.get("p") == "0.04")
    assert first["24"] == f"{float(1 - Fraction(24, 25) ** 24):.4f}"
    second = next(row for row in rows if "2(b)" in row["figure"] and row["n"] == 2)
    assert second["24"] == f"{float(1 - (1 - Fraction(1, 30) ** 2) ** 72):.4f}"
    breach = {row["n"]: row for row in rows if "2(c)" in row["figure"]}
    assert [breach[n]["24"] for n in (1, 2, 3)] == ["0.9858", "0.1192", "0.0956"]
    assert [breach[n]["published"] for n in (1, 2, 3)] == ["very high", "below 0.15", "below 0.1"]


def test_n_choose_differs_from_the_text_for_21_releases_and_says_why() -> None:
    chosen = {row["L"]: row for row in figure_2() if "n-Choose" in row["figure"]}
    assert (chosen[24]["n"], chosen[24]["published"], chosen[24].get("cause")) == (3, 3, None)
    assert (chosen[21]["n"], chosen[21]["published"]) == (2, 3)
    assert "0.0806" in chosen[21]["cause"]


def test_birthplaces_are_states_and_regions() -> None:
    assert birthplace("030") == "030"
    assert birthplace("072") == "100 US islands"
    assert birthplace("303") == "321 Mexico and Central America"
    assert birthplace("554") == "600 Oceania and elsewhere"
    named = {birthplace(f"{code:03}") for code in range(60, 600)}
    assert len(named) == 9
    # The order of the codes is kept.
    texts = [birthplace(f"{code:03}") for code in range(1, 600)]
    assert texts == sorted(texts)


def test_curves_are_errors_of_the_same_releases() -> None:
    asked: dict[str, Any] = {
        "source": "generated",
        "tuples": 200,
        "releases": 2,
        "m": 3,
        "n": 2,
        "queries": 40,
        "engine_tuples": 0,
    }
    curves = [row for row in CorSplit(**asked, curves=True).run() if "release" in row]
    told = CorSplit(**asked).run()
    plain = [row for row in told if "release" in row]
    assert [row["algorithm"] for row in told if "agrees" in row] == ["cor_split", "cor_split_halving"]
    assert [(row["algorithm"], row["release"]) for row in curves] == [
        (row["algorithm"], row["release"]) for row in plain
    ]
    for curve, row in zip(curves, plain, strict=True):
        assert [key for key in curve if key.endswith("%")] == [f"{i}%" for i in range(1, 11)]
        for share in ("1%", "5%", "10%"):
            assert curve[share] == row[f"error at {share}"]


def test_a_curve_is_close_if_no_error_is_far_above() -> None:
    rows = [
        {"algorithm": "m_invariance", "release": 1, "1%": "10.00%", "2%": None},
        {"algorithm": "cor_split", "release": 1, "1%": "15.00%", "2%": "1.00%"},
        {"algorithm": "cor_split_halving", "release": 1, "1%": "10.90%", "2%": None},
    ]
    printed, halving = closeness(rows)
    assert (printed["most times m-invariance"], printed["agrees"]) == (1.5, False)
    assert "sorted list" in printed["cause"]
    assert (halving["most times m-invariance"], halving["agrees"], halving["cause"]) == (1.09, True, None)


@pytest.mark.data
def test_both_domains_of_birthplaces_are_drawn() -> None:
    if dataset_files.present("acs_pums_2018/acs2018_person_14states.csv") is None:
        pytest.skip("ACS 2018 is not on this machine")
    found = CorSplit(tuples=300, releases=1, queries=50, variant="halving", curves=True).run()
    rows = [row for row in found if "release" in row]
    assert [row["agrees"] for row in found if "agrees" in row] == [True, True]
    assert [(str(row["figure"]).split(", ")[1], row["algorithm"]) for row in rows] == [
        (domain, name)
        for domain in ("the extract's own birthplaces", "60 birthplaces")
        for name in ("m_invariance", "cor_split_halving")
    ]
    with pytest.raises(InputError, match="birthplaces"):
        CorSplit(birthplaces=61).run()
