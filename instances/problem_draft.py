"""A problem file for a table, with every line explained, written for a person to read and change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from .declared_cells import MISSING_CELLS, DeclaredCells
from .guess import Guess
from .series_draft import Continued, series_lines
from .text_files import Reading
from .usual_policy import SensitiveCounts, UsualPolicy, usual_policy
from .yaml_words import comment, scalar

__all__ = ["AS_BEFORE", "draft_problem"]

AS_BEFORE = "as in the releases before"
"""Why a column has its role, if an earlier release of the series says so."""
AGAIN_INSTEAD = """
If the table is to be released again, make this file with `optanon init --series`, before the first release.
"""


def draft_problem(
    frame: pd.DataFrame,
    reading: Reading,
    table: str,
    guesses: Sequence[Guess],
    *,
    k: int | None = None,
    series: Continued | None = None,
    declared: DeclaredCells | None = None,
) -> str:
    """The text of a problem file that can be solved as it is.

    Parameters
    ----------
    frame : DataFrame
        The table, as text, and as `declared` makes it.
    reading : Reading
        How it was read.
    table : str
        Its path, as the problem file should name it.
    guesses : sequence of Guess
        Roles of all columns.
    k : int, optional
        Smallest size of a group; default by the table's size, or none in a series.
    series : Continued, optional
        Where its releases are kept, if it is released again and again; otherwise this is its only release.
    declared : DeclaredCells, optional
        What is said of cells that look missing, and of spellings.
    """
    private = [guess.name for guess in guesses if guess.role == "sensitive"]
    lines = [
        "# A problem for `optanon solve`: what is to be published, and what must be kept.",
        "# The roles below are guesses: read them, and change what is wrong.",
        "",
        f"# The table, beside this file: {reading.rows:,} rows, one per person.",
        f"table: {scalar(table)}",
        *_read_so(reading),
        *_roles(guesses),
    ]
    used = [guess.name for guess in guesses if guess.role != "left out"]
    if frame[used].isna().to_numpy().any():
        lines += MISSING_CELLS
    if declared is not None:
        lines += declared.lines()
    counts = SensitiveCounts.of(frame, private)
    if series is None:
        lines += _once(usual_policy(again=False, counts=counts, k=k))
    else:
        lines += series_lines(series, counts, k)
    return "\n".join(lines) + "\n"


def _read_so(reading: Reading) -> list[str]:
    """How the table's file is to be read, where that is not plain."""
    lines: list[str] = []
    if reading.delimiter:
        lines += [
            "# How its cells are separated, and its letters stored.",
            f"delimiter: {json.dumps(reading.delimiter)}",
            f"encoding: {reading.encoding}",
        ]
    if reading.decimal_commas:
        lines += [
            "# Numbers are written with decimal commas: " + ", ".join(map(_plain, reading.decimal_commas)),
            'decimal: ","',
        ]
    return lines


def _roles(guesses: Sequence[Guess]) -> list[str]:
    """What each column is, and why that is thought."""
    (who,) = (guess for guess in guesses if guess.role == "respondent")
    private = [guess for guess in guesses if guess.role == "sensitive"]
    named = [f"{{column: {scalar(guess.name)}, persistence: persistent}}" for guess in private]
    left = [guess for guess in guesses if guess.role == "left out"]
    lines = [
        "",
        "# Who a row is about. It is never published; it lets later releases recognize the same person.",
        *_said(who),
        f"respondent: {scalar(who.name)}",
        "",
        "# What others may know of a person. These columns are published, only as exactly as is safe.",
        "quasi_identifiers:",
    ]
    for guess in guesses:
        if guess.role == "quasi-identifier":
            lines += [f"  # {_plain(guess.why)}", f"  {scalar(guess.name)}: {guess.kind}"]
    if left:
        lines += ["  # Left out, so not published at all:"]
        lines += [f"  #   {_plain(guess.name)}: {_plain(guess.why)}" for guess in left]
    return [
        *lines,
        "",
        "# What nobody may learn of a person. persistent: it stays the same over the releases;",
        "# transient: it may change from one release to the next. Several columns: sensitive: [a, b]; what",
        "# is asked of groups then says which one it protects: distinct_l_diversity: {l: 3, attribute: a}.",
        *_said(private[0]),
        f"sensitive: {named[0] if len(named) == 1 else '[' + ', '.join(named) + ']'}",
    ]


def _once(usual: UsualPolicy) -> list[str]:
    """The policy of a table that is published once."""
    lines = [
        "",
        *comment(f"{usual.why} {AGAIN_INSTEAD.strip()}"),
        "",
        "policy:",
        "  # What the release must keep.",
        "  requirements:",
        *(line for _, asked in usual.requirements for line in _requirement(asked)),
        "  # What should be lost least.",
        f"  minimize: [{', '.join(usual.minimize)}]",
    ]
    if usual.max_suppressed is not None:
        lines += [
            "  # One level per column for the whole table: solved in seconds. Without this line groups may",
            "  # be of any shape, which loses less but takes longer (give --time-limit).",
            f"  recoding: {usual.recoding}",
            "  # Which share of the rows may be left out: a few unusual people would make all coarse.",
            f"  max_suppressed: {usual.max_suppressed}",
        ]
    return lines


def _said(guess: Guess) -> list[str]:
    if guess.why == "given":
        return ["# As you said."]
    return comment(_sentence(guess.why) if guess.why == AS_BEFORE else f"Guessed: {guess.why}.")


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _requirement(asked: Mapping[str, Any]) -> list[str]:
    """What each row gets, with its limits in words; an attribute is one of several private columns."""
    said = dict(asked)
    if "attribute" in said:
        said["attribute"] = json.dumps(said["attribute"], ensure_ascii=False)
    line = "    - k_c_anonymity: {" + ", ".join(f"{name}: {value}" for name, value in said.items()) + "}"
    of = _plain(asked.get("attribute", "the private column"))
    if "c" not in asked:
        return [
            f"    # Nobody can be told from fewer than {asked['k']} rows. (More cannot be asked: one value",
            "    # has nearly all rows, so whoever is in the table has it almost surely.)",
            line,
        ]
    return [
        f"    # k: nobody can be told from fewer than {asked['k']} rows.",
        f"    # c: in no group do more than {asked['c']} of the rows share one value of {of}.",
        line,
    ]


def _plain(text: str) -> str:
    """For a comment: on one line."""
    return " ".join(text.split())
