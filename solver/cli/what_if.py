"""The command line's answers about compromised respondents."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Table

from ...instances.asked_series import read_asked
from ...models.errors import OptanonError
from ...models.files import write_json
from ..display import plain_console
from ..insight.what_if.breach_chance import BreachChance, Estimate
from ..insight.what_if.giveaways import Giveaway
from ..insight.what_if.what_if import WhatIf, what_if as ask
from ..overwriting import may_write
from .audit import problems
from .command import options_given
from .commands.adversary import WhatIfCommand
from .reading import teller_of_dropped
from .tables import print_table

__all__ = ["what_if"]

EXAMPLES = 10


def what_if(asked: WhatIfCommand) -> None:
    """Rank who gives away whom, and print it."""
    may_write(
        [asked.json_file],
        force=asked.force,
        problems=problems(asked.files),
        inputs=[*asked.files, asked.knowledge_file],
    )
    simulated = options_given(asked, ("trials", "seed"))
    if simulated and asked.probability is None:
        raise OptanonError(
            f"{', '.join(simulated)}: of a simulation, which needs --probability: give it, too"
        )
    console = plain_console()
    series = read_asked(
        asked.files, asked.knowledge_file, expect=asked.expect, tell=teller_of_dropped(console)
    )
    report = ask(
        series.history,
        series.knowledge,
        pairs=asked.pairs,
        smallest=asked.smallest,
        probability=asked.probability,
        trials=asked.trials,
        seed=asked.seed,
        time_limit=asked.time_limit,
    )
    _print(console, report, asked.show_ids)
    write_json(asked.json_file, report.to_dict(show_ids=asked.show_ids), private=True)
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
    if report.note is not None:
        console.print(report.note, markup=False, soft_wrap=True)
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
        print_table(console, table)
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
    print_table(console, table)
    console.print(chance.note, soft_wrap=True)


def _estimate(estimate: Estimate) -> tuple[str, str]:
    share = "-" if estimate.share is None else f"{float(estimate.share):.4f}"
    return share, f"{estimate.low:.4f} to {estimate.high:.4f} ({estimate.trials} trials)"
