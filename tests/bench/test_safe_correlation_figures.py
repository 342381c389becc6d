"""The figures on safe correlation: what their columns mean, by counting."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

from optanon.bench import __main__ as main, safe_correlation
from optanon.bench.global_guarantee import GlobalGuaranteeSizes
from optanon.bench.safe_correlation import SafeCorrelationReplay
from optanon.bench.safe_correlation_figures import hidden_by_value, probability
from optanon.models.errors import PolicyError
from optanon.models.exposure import ValueExposure
from optanon.models.release import QIGroup, Release
from optanon.models.table import Member

HALF = Fraction(1, 2)


def people(count: int) -> pd.DataFrame:
    """One education of four out of ten people, in which a, b and h are rare; the others have all alike."""
    rows = [
        (
            str(i),
            "HS-grad" if i % 10 < 4 else f"e{i % 6}",
            "abh"[i // 20 % 3] if i % 20 == 0 else "cdefg"[i % 5],
        )
        for i in range(count)
    ]
    return pd.DataFrame(rows, columns=["id", "education", "value"])


def frame_of(data: str) -> pd.DataFrame:
    return people(200)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    monkeypatch.setattr(safe_correlation, "_frame", frame_of)
    return SafeCorrelationReplay(
        data="adult,bank", l="3", time_limit=5, figures=True, figure_epsilon="1/4"
    ).run()


def of(rows: list[dict[str, object]], word: str) -> list[dict[str, object]]:
    return [row for row in rows if str(row["figure"]).startswith(word)]


def test_every_reading_of_support_is_in_one_table(rows: list[dict[str, object]]) -> None:
    readings = of(rows, "which reading")
    assert [(row["support"], row["shares"]) for row in readings] == [
        (support, shares) for support in ("joint", "qi") for shares in ("uniform", "worlds")
    ]
    assert all(row["LM/T"] == "0.0%" for row in readings if row["support"] == "joint")
    for row in readings[2:]:
        # All cells of the rare values' education are at stake, and no others.
        assert 0 < int(str(row["hidden"])) <= 80
        assert row["hidden"] == row["least"]
        assert row["LM/T"] == f"{int(str(row['hidden'])) / 200:.1%}"


def test_figure_6_has_one_l_less_and_five_pairs_on_both_data_sets(rows: list[dict[str, object]]) -> None:
    table = of(rows, "Fig. 6")
    assert [(row["data"], row["support"], row["l"]) for row in table] == [
        ("adult", "qi", 2),
        ("bank", "qi", 2),
    ]
    assert all(len([key for key in row if "/" in key]) == 5 for row in table)


def test_figures_4_and_5_name_the_values_of_the_source(rows: list[dict[str, object]]) -> None:
    assert {row["value"] for row in of(rows, "Fig. 5")} == {
        "Handlers-cleaners",
        "Craft-repair",
        "Exec-managerial",
        "Adm-clerical",
    }
    assert {row["education"] for row in of(rows, "Fig. 4")} == {"HS-grad"}
    with pytest.raises(PolicyError, match="too small"):
        SafeCorrelationReplay(data="adult", l="2", figures=True).run()


def test_equal_rows_share_what_their_group_hides() -> None:
    members = tuple(Member(f"p{i}", (v,), s) for i, (v, s) in enumerate(["va", "vb", "vb", "wa"]))
    groups = (QIGroup(members=members, hidden=((0, "v", 2),)),)
    lost = hidden_by_value(Release(groups=groups, attributes=("q",), sensitive="s", form="anatomized"))
    assert lost == {"a": Fraction(2, 3), "b": Fraction(4, 3)}


def test_a_probability_is_told_by_published_cells_alone() -> None:
    exposure = ValueExposure(
        value="v",
        significant=frozenset("ab"),
        groups=(0, 1),
        counts=(2, 2),
        hidden=(0, 0),
        shares=({"a": HALF, "b": HALF}, {"a": Fraction(1)}),
    )
    assert probability(exposure, (2, 2), "a") == Fraction(3, 4)
    assert probability(exposure, (2, 0), "a") == HALF
    assert probability(exposure, (0, 0), "a") == 0


def test_rows_of_different_figures_are_printed_as_different_tables(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main.print_rows(GlobalGuaranteeSizes(), [{"figure": "one", "x": 1}, {"figure": "two", "y": 2}], 0)
    told = capsys.readouterr().out
    one, two = told.index(" one "), told.index(" two ")
    assert one < told.index(" x ") < two < told.index(" y ")
    assert "figure" not in told
    main.print_rows(GlobalGuaranteeSizes(), [{"x": 1}, {"y": 2}], 0)
    assert capsys.readouterr().out.count("┏") == 1


def test_two_columns_together_are_sanitized_and_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = people(120).assign(sex=lambda rows: ["mfm"[int(who) % 3] for who in rows["id"]])
    monkeypatch.setattr(safe_correlation, "_frame", lambda data, *others: frame)  # pyright: ignore[reportUnknownLambdaType]
    asked = SafeCorrelationReplay(together=True, l="2", slice_rows=8, time_limit=10)
    table, uniform, worlds = asked.run()
    assert (table["cells"], uniform["cells"], worlds["shares"]) == (240, 16, "worlds")
    assert 0 < table["least"] <= table["hidden"] < 240
    for row in (uniform, worlds):
        assert row["jointly least"] <= row["jointly"] <= row["hidden"]
