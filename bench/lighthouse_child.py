"""project-lighthouse-anonymize in an interpreter of its own: it needs numpy before 2, others numpy 2.

Reads JSON on standard input: ``k``, ``numeric`` (column to numbers), ``categorical`` (column to texts) and
``paths`` (column to paths from leaf to root). Writes JSON: ``groups`` (rows with equal published cells),
``suppressed`` (rows that are missing), ``seconds`` and ``mega`` (memory beyond what was loaded before).
Imports nothing of ours.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any


def tree(paths: list[list[str]]) -> Any:
    """A hierarchy as the tool knows it; nodes are their labels, which it wants to be ``*`` at the top."""
    from project_lighthouse_anonymize.gtrees import GTree  # pyright: ignore[reportMissingImports]

    found = GTree()
    nodes: dict[tuple[str, ...], Any] = {}
    for path in paths:
        for at in reversed(range(len(path))):
            above = tuple(path[at:])
            if above not in nodes:
                parent = nodes.get(above[1:]) if len(above) > 1 else None
                if parent is not None and parent.tag == path[at] and len(above) > 1:
                    nodes[above] = parent  # a level that repeats its label
                    continue
                nodes[above] = found.create_node("*" if len(above) == 1 else path[at], parent=parent)
    found.add_default_geometric_sizes()
    found.update_highest_node_with_value_if()
    found.update_lowest_node_with_descendant_leaves_if()
    found.update_descendant_leaf_values_if()
    return found


def peak() -> int | None:
    """Most memory this program had, in kB, without its parent's; None where the system does not tell."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    except OSError:
        return None


def main() -> None:
    """Anonymize what is on standard input."""
    import pandas as pd
    from project_lighthouse_anonymize.wrappers.k_anonymize import (  # pyright: ignore[reportMissingImports]
        k_anonymize,
    )

    asked = json.load(sys.stdin)
    columns = {
        **{name: map(float, numbers) for name, numbers in asked["numeric"].items()},
        **asked["categorical"],
    }
    frame = pd.DataFrame({name: list(cells) for name, cells in columns.items()})
    public = list(frame.columns)
    frame["row"] = range(len(frame))
    trees = {name: tree(paths) for name, paths in asked["paths"].items()}
    before = peak()
    began = time.process_time()
    done = k_anonymize(
        logging.getLogger("lighthouse"), frame, public, asked["k"], trees, "row", parallelism=None
    )[0]
    seconds = time.process_time() - began
    mega = None if before is None else ((peak() or before) - before) / 1024
    groups = [[int(row) for row in rows] for _, rows in done.groupby(public, dropna=False)["row"]]
    left = {row for rows in groups for row in rows}
    suppressed = [row for row in range(len(frame)) if row not in left]
    told = {"groups": groups, "suppressed": suppressed, "seconds": seconds, "mega": mega}
    sys.stdout.write("\n" + json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
