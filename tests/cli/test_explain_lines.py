"""Explanations on a terminal: lines end between words."""

from __future__ import annotations

import io

from rich.console import Console

from optanon.solver.cli.explain import _wrapped  # pyright: ignore[reportPrivateUsage]

LINE = "  - distinct_l_diversity: l = 13 instead of 14. One step less is proven not to be enough."


def test_lines_end_between_words_under_where_they_began():
    console = Console(file=io.StringIO(), width=40, force_terminal=True)
    lines = _wrapped(LINE, console).splitlines()
    assert [line.strip() for line in lines] == [
        "- distinct_l_diversity: l = 13 instead",
        "of 14. One step less is proven not",
        "to be enough.",
    ]
    assert all(line.startswith("    ") for line in lines[1:])
    assert _wrapped(LINE, Console(file=io.StringIO(), width=40)) == LINE
