"""Tables of the command line: no word is cut, however narrow the window is."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.table import Table

from optanon.solver.cli.tables import print_table
from optanon.solver.display import plain_console, soft_console

HEADS = ("release", "by intersection", "worst posterior", "policy")
ROWS = (
    ("1", "0", "1/3 (0.333)", "weak_m_invariance, hc_safety"),
    ("2", "12", "", "k_c_anonymity"),
)


def printed(width: int) -> str:
    table = Table(*HEADS, title="what is disclosed")
    for row in ROWS:
        table.add_row(*row)
    out = io.StringIO()
    print_table(Console(file=out, width=width), table)
    return out.getvalue()


@pytest.mark.parametrize("width", [36, 50, 57, 58, 59, 64, 70, 80, 140])
def test_every_word_is_there_and_no_line_is_too_long(width: int):
    text = printed(width)
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    for cell in (*HEADS, *(cell for row in ROWS for cell in row)):
        assert all(word in text for word in cell.split())
    assert "what is disclosed" in " ".join(text.split())


def test_where_words_do_not_fit_beside_each_other_rows_become_lines():
    # The longest words have 7 + 12 + 9 + 18 characters, and three more each with the frame, and one.
    assert "┃" in printed(59)
    lines = [" ".join(line.split()) for line in printed(58).splitlines()]
    first = ["release 1", "by intersection 0", "worst posterior 1/3 (0.333)"]
    second = ["release 2", "by intersection 12", "policy k_c_anonymity"]  # nothing of an empty cell
    assert lines == [
        "what is disclosed",
        *first,
        "policy weak_m_invariance, hc_safety",
        "",
        *second,
        "",
    ]


def test_a_table_that_fits_is_as_wide_as_it_wants():
    assert "│ 1       │ 0               │ 1/3 (0.333)     │ weak_m_invariance, hc_safety │" in printed(140)


def test_a_table_higher_than_wide_becomes_a_paragraph_per_row():
    for width, wanted in (
        (40, "│ method_1 │ 1.25             │ (1)    │"),
        (38, "│ method_1 │ 1.25             │ (1)  │"),
        (34, "│ method_1 │ 1.25         │ (1)  │"),
        (20, "method_1: information_loss 1.25; x best (1)"),
    ):
        table = Table("method", "information_loss", "x best")
        for number in range(5):
            table.add_row(f"method_{number}", f"{number}.25", f"({number})" if number else "")
        out = io.StringIO()
        print_table(Console(file=out, width=width), table)
        text = out.getvalue()
        assert wanted in (" ".join(text.split()) if width == 20 else text)
        assert all(len(line) <= width for line in text.splitlines())
        if width == 20:
            assert "information_loss 0.25 method_1:" in " ".join(
                text.split()
            )  # nothing is said of an empty cell


@pytest.mark.parametrize("columns", [80, 20])
def test_names_and_values_that_look_like_markup_or_emoji_are_printed_as_they_are(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """A closing tag in a name ended the command before its files were written."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    table = Table("group", "t[/x]own", "[bold]ill")
    table.add_row("1", "[a..c]", "a:b:c")
    for console in (plain_console(), soft_console()):
        print_table(console, table)
        console.print("[red]hot :heart:")
        text = capsys.readouterr().out
        shown = ("t[/x]own", "[bold]ill", "[a..c]", "a:b:c", "[red]hot :heart:")
        assert all(words in text for words in shown)
