"""The command line's answers about compromised respondents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ..instances.asked_series import read_asked
from ..models.files import write_whole
from .cli_audit import Files, KnowledgeFile, problems
from .cli_options import Expect, Force
from .insight.breach_chance import BreachChance, Estimate
from .insight.giveaways import Giveaway
from .insight.what_if import WhatIf, what_if as ask
from .overwriting import may_write

__all__ = ["what_if"]

EXAMPLES = 10


def what_if(
    files: Files,
    knowledge_file: KnowledgeFile = None,
    pairs: Annotated[bool, typer.Option("--pairs", help="Rank pairs of respondents, too.")] = False,
    smallest: Annotated[
        bool, typer.Option("--smallest", help="Fewest compromised respondents that disclose somebody.")
    ] = False,
    probability: Annotated[
        str | None, typer.Option(help="Chance that a tuple is compromised, for example 0.04: simulate.")
    ] = None,
    trials: Annotated[int, typer.Option(help="Trials of the simulation.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the simulation.")] = 0,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds; what is not decided by then is said.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the report to this file.")
    ] = None,
    show_ids: Annotated[
        bool, typer.Option("--show-ids", help="Name respondents (steward's own eyes only).")
    ] = False,
    expect: Expect = None,
    force: Force = False,
) -> None:
    """Say who, if compromised, gives away whom, and how few compromised respondents disclose somebody.

    Exit code 0 if everything asked was decided, 4 otherwise.
    """
    may_write([json_file], force=force, problems=problems(files), inputs=[*files, knowledge_file])
    asked = read_asked(files, knowledge_file, expect=expect)
    report = ask(
        asked.history,
        asked.knowledge,
        pairs=pairs,
        smallest=smallest,
        probability=probability,
        trials=trials,
        seed=seed,
        time_limit=time_limit,
    )
    console = Console(width=140, highlight=False)
    _print(console, report, show_ids)
    if json_file is not None:
        text = json.dumps(report.to_dict(show_ids=show_ids), indent=2) + "\n"
        write_whole(json_file, lambda draft: draft.write_text(text, encoding="utf-8"), private=True)
    if not report.complete:
        console.print("not everything was decided in time: numbers may be too small, open is not safe")
        raise typer.Exit(4)


def _print(console: Console, report: WhatIf, show_ids: bool) -> None:
    told = report.giveaways
    given = f"the values of {report.given} are given by knowledge, " if report.given else ""
    console.print(
        f"{report.respondents} respondents in {report.releases} releases; {given}"
        f"{report.disclosed} are disclosed with nobody compromised besides, "
        f"{told.harmful} would give others away",
        soft_wrap=True,
    )
    for title, entries in (("respondent", told.singles), ("pair", told.pairs)):
        if entries:
            console.print(_ranking(title, entries[:EXAMPLES], show_ids))
    if report.smallest is not None:
        _print_smallest(console, report)
    if report.chance is not None:
        _print_chance(console, report.chance)


def _ranking(title: str, entries: tuple[Giveaway, ...], show_ids: bool) -> Table:
    table = Table(f"compromised {title}", "gives away", *(["who"] if show_ids else []))
    for number, entry in enumerate(entries, start=1):
        name = ", ".join(entry.compromised) if show_ids else str(number)
        who = [", ".join(sorted(entry.others))] if show_ids else []
        table.add_row(name, str(len(entry.others)), *who)
    return table


def _print_smallest(console: Console, report: WhatIf) -> None:
    table = Table("compromised respondents needed", "respondents they disclose")
    for size, people in report.sizes.items():
        table.add_row(size, str(people))
    if report.sizes:
        console.print(table)
    pairwise = "no two groups correlate" if report.degree is None else f"{report.degree} compared in pairs"
    least = "nobody can be disclosed so" if report.true_degree is None else str(report.true_degree)
    console.print(f"fewest compromised respondents that disclose somebody: {least} (hc-safety: {pairwise})")


def _print_chance(console: Console, chance: BreachChance) -> None:
    table = Table("every tuple compromised with probability " + str(chance.p), "estimate", "95 % interval")
    table.add_row("somebody's value becomes certain", *_estimate(chance.someone))
    table.add_row("a respondent's value becomes certain", *_estimate(chance.respondent))
    if chance.formula is not None:
        parameters = f"f(p, L={chance.history}, m={chance.signature}, n={chance.degree})"
        table.add_row(f"the same by {parameters}", f"{float(chance.formula):.4g}", "")
    console.print(table)
    console.print(chance.note, soft_wrap=True)


def _estimate(estimate: Estimate) -> tuple[str, str]:
    share = "-" if estimate.share is None else f"{float(estimate.share):.4f}"
    return share, f"{estimate.low:.4f} to {estimate.high:.4f} ({estimate.trials} trials)"
