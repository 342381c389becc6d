"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Expect", "Force", "RawCells"]

Expect = Annotated[
    str | None,
    typer.Option(
        metavar="DIGEST",
        help="Digest of the stored history's newest release, as `optanon history show` prints it: a history "
        "that was cut off or replaced is refused.",
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace results that exist; never a file that is read.")
]
RawCells = Annotated[
    bool,
    typer.Option(
        "--raw-cells",
        help="Write cells that a spreadsheet would run as formulas as they are, not with a ' in front.",
    ),
]
