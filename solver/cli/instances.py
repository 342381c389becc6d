"""``optanon instances``: what is shipped."""

from __future__ import annotations

from rich.table import Table

from ...instances import catalog
from ..display import plain_console
from .commands.table import InstancesCommand
from .tables import print_table

__all__ = ["instances"]


def instances(asked: InstancesCommand) -> None:
    """Print a line for each instance, or one's description and files."""
    console = plain_console()
    if asked.name is None:
        table = Table("instance", "what it is")
        for known in catalog.names():
            table.add_row(known, catalog.describe(known).splitlines()[0])
        print_table(console, table)
        return
    console.print(catalog.describe(asked.name), markup=False)
    for file in sorted(catalog.path(asked.name).iterdir()):
        console.print(f"  {file}", markup=False)
