"""The house measured on its source: a name stands for one thing, functions and chains of imports are short.

Numbers of today stand here as the most that is allowed: they may only be lowered.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx

import optanon
from optanon.models.compiled import only_numbers
from optanon.models.requirement import GroupRequirement, Requirement
from optanon.models.verdicts import GroupJudge

ROOT = Path(optanon.__file__).parent
ROOMS = ("models", "instances", "solver")

LONG_LINES = 60
LONG = 2
"""Functions of more than `LONG_LINES` lines that are allowed, apart from `KERNELS`."""

SEARCH = "compiled: one depth-first search on parallel arrays"
KERNELS = {
    "solver/colgen/kernels/candidates.py:candidates": "compiled: the state of a search is passed as arrays",
    "solver/colgen/kernels/distinct.py:search_distinct": SEARCH,
    "solver/colgen/kernels/histogram.py:search": SEARCH,
    "solver/colgen/kernels/one_per_value.py:_root": "compiled: bounds of a whole search, filled in one pass",
    "solver/colgen/kernels/one_per_value.py:search_one_per_value": SEARCH,
    "solver/colgen/kernels/signature.py:search_signatures": SEARCH,
    "models/outlook/life.py:lives": "compiled: one simulation, its people and groups changed in place",
    "solver/colgen/primal/seating.py:annealed": "compiled: one chain of moves, costs changed in place",
    "solver/colgen/primal/loosened.py:loosened": "compiled: one chain of moves, costs changed in place",
    "solver/engines/partition/enumerated/near.py:_from": SEARCH,
    "solver/verify/listing_search.py:search": SEARCH,
    "solver/worlds/world_steps.py:advance": "compiled: one step of all states with their hash table",
}
"""Compiled functions, where splitting costs time: what they keep true is in their docstrings."""

COMPLEXITY = 30
COMPLEX = 3
"""Functions of a cyclomatic complexity above `COMPLEXITY` that are allowed."""

CIRCLES = 0
"""Circles of imports that are allowed."""

CHAIN = 15
"""Files on the longest chain of imports that starts where `solve` is."""

FILE_LINES = 400
LONG_FILES = 0
"""Files of more than `FILE_LINES` lines that are allowed."""

SOLVERS = {"solver/backends/cpsat.py": "CpSolver", "solver/backends/highs.py": "Highs"}
"""The only places where solvers are constructed."""

MEMBERS = 14
"""What a requirement offers, those of one group included."""

ENGINE = ("solver/engines", "solver/colgen", "solver/exact")
CONSTANTS = 60
"""Constants of modules of the engine that are numbers and stand in no record of limits."""


Parts = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.ImportFrom


def parts(text: str) -> list[Parts]:
    """What a file defines and imports, at whatever depth."""
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, Parts)]


@cache
def sources() -> dict[str, list[Parts]]:
    """The parts of every file of the library by its path."""
    files = [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]
    return {file.relative_to(ROOT).as_posix(): parts(file.read_text("utf-8")) for file in files}


def constants(text: str) -> set[str]:
    """Names that a file gives to numbers (those of a record of limits are its fields)."""
    found = set[str]()
    for node in ast.parse(text).body:
        if (
            isinstance(node, ast.Assign)
            and all(
                isinstance(
                    part,
                    ast.Constant
                    | ast.BinOp
                    | ast.UnaryOp
                    | ast.Tuple
                    | ast.operator
                    | ast.unaryop
                    | ast.Name
                    | ast.Load,
                )
                for part in ast.walk(node.value)
            )
            and any(
                isinstance(part, ast.Constant) and isinstance(part.value, int | float)
                for part in ast.walk(node.value)
            )
        ):
            found |= {
                part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)
            }
    return found


def homes(files: dict[str, list[Parts]]) -> dict[str, set[str]]:
    """In which files a class of that name is defined."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, nodes in files.items():
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                found[node.name].add(path)
    return found


def long_functions(files: dict[str, list[Parts]]) -> set[str]:
    return {
        f"{path}:{node.name}"
        for path, nodes in files.items()
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > LONG_LINES
    }


def compiled_functions(
    files: dict[str, list[Parts]], marks: tuple[str, ...] = ("compiled", "borrowing")
) -> dict[str, ast.FunctionDef]:
    return {
        f"{path}:{node.name}": node
        for path, nodes in files.items()
        for node in nodes
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(decorator) in marks for decorator in node.decorator_list)
    }


def calls(function: ast.FunctionDef) -> set[str]:
    """Names of functions that a function calls."""
    return {
        node.func.id
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def imported(path: str, nodes: list[Parts], known: set[str]) -> Iterator[str]:
    """Files that a file imports from, wherever it says so (in a function, for the type checker)."""
    for node in nodes:
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = list(Path(path).parent.parts)
        base = base[: len(base) - node.level + 1] + (node.module.split(".") if node.module else [])
        for alias in node.names:
            inside = "/".join([*base, alias.name])
            itself = "/".join(base)
            there = (f"{inside}.py", f"{inside}/__init__.py", f"{itself}.py", f"{itself}/__init__.py")
            yield from [file for file in there if file in known][:1]


def arrows(files: dict[str, list[Parts]]) -> nx.DiGraph[str]:
    found: nx.DiGraph[str] = nx.DiGraph()
    for path, nodes in files.items():
        found.add_node(path)
        found.add_edges_from((path, other) for other in imported(path, nodes, set(files)) if other != path)
    return found


def circles(found: nx.DiGraph[str]) -> list[list[str]]:
    return [sorted(part) for part in nx.strongly_connected_components(found) if len(part) > 1]


def chain(found: nx.DiGraph[str], start: str) -> list[list[str]]:
    """The longest chain of files, each imported by the one before."""
    whole = nx.condensation(found)
    first = whole.graph["mapping"][start]
    below = whole.subgraph(nx.descendants(whole, first) | {first})
    return [sorted(whole.nodes[place]["members"]) for place in nx.dag_longest_path(below)]


def test_no_class_name_stands_for_two_things():
    doubled = {name: sorted(files) for name, files in homes(sources()).items() if len(files) > 1}
    assert doubled == {}


def test_functions_are_short_enough_to_be_read_at_once():
    found = long_functions(sources())
    assert set(KERNELS) <= found & set(compiled_functions(sources())), (
        "only long compiled functions are listed"
    )
    assert len(found - set(KERNELS)) <= LONG, sorted(found - set(KERNELS))


def test_files_are_short_enough_to_be_read_at_once():
    found = {path: len((ROOT / path).read_text("utf-8").splitlines()) for path in sources()}
    long = {path: lines for path, lines in found.items() if lines > FILE_LINES}
    assert len(long) <= LONG_FILES, long


def test_solvers_are_constructed_where_backends_are():
    found = {
        path: node.func.attr
        for path in sources()
        for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in SOLVERS.values()
    }
    assert found == SOLVERS


def test_a_requirement_offers_little():
    members = vars(Requirement) | vars(GroupRequirement) | vars(GroupJudge)
    offered = {name for name in members if not name.startswith("_")}
    declared = {name for name in Requirement.__annotations__ if not name.startswith("_")}
    assert len(offered | declared) <= MEMBERS, sorted(offered | declared)


def test_few_numbers_stand_in_no_record_of_limits():
    found = {
        f"{file.relative_to(ROOT)}:{name}"
        for room in ENGINE
        for file in (ROOT / room).rglob("*.py")
        for name in constants(file.read_text("utf-8"))
    }
    assert len(found) <= CONSTANTS, sorted(found)


def test_few_functions_have_many_branches():
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--exit-zero"]
    rule = ["--select=C901", f"--config=lint.mccabe.max-complexity={COMPLEXITY}", "--output-format=json"]
    done = subprocess.run([*command, *rule, *ROOMS], cwd=ROOT, capture_output=True, text=True, check=True)
    found = [f"{finding['filename']}: {finding['message']}" for finding in json.loads(done.stdout)]
    assert len(found) <= COMPLEX, found


def test_a_number_of_a_plan_compiles_nothing_again():
    """Compiled code is made anew when a file changes that it has constants of."""
    files, plans = sources(), "solver/limits.py"
    compiled = {name.partition(":")[0] for name in compiled_functions(files)}
    assert plans in files
    assert [path for path in sorted(compiled) if plans in imported(path, files[path], set(files))] == []


def test_functions_that_borrow_arrays_call_none_that_returns_one():
    """It would never be freed: who counts no references drops none."""
    files = sources()
    returned = {
        name: only_numbers(ast.unparse(node.returns) if node.returns else "")
        for name, node in compiled_functions(files).items()
    }
    wrong = set[str]()
    for name, node in compiled_functions(files, ("borrowing",)).items():
        path = name.partition(":")[0]
        for called in calls(node):
            own = [f"{path}:{called}"] if f"{path}:{called}" in returned else returned
            if not all(returned[other] for other in own if other.endswith(f":{called}")):
                wrong.add(f"{name} calls {called}")
    assert wrong == set()


def test_duals_are_priced_in_one_loop():
    """A second loop would make duals feasible and offer their bound, too."""
    offers = {path for path in sources() if "made_feasible(" in (ROOT / path).read_text("utf-8")}
    assert offers == {
        "solver/colgen/loop.py",
        "solver/colgen/duals.py",  # where it is defined
        "solver/engines/partition/loosened.py",  # one price of known duals for larger groups, no rounds
    }, sorted(offers)


def test_imports_run_in_no_circles():
    found = circles(arrows(sources()))
    assert len(found) <= CIRCLES, found


def test_the_chain_of_imports_below_solve_is_short():
    found = chain(arrows(sources()), "solver/search.py")
    assert len(found) <= CHAIN, found


def test_the_measures_see_what_they_are_about():
    body = "\n".join("    a = 1" for _ in range(LONG_LINES))
    files = {
        "models/a.py": parts("from .b import c\nclass Twice: ..."),
        "models/b.py": parts("if TYPE_CHECKING:\n    from . import c"),
        "models/c/__init__.py": parts("def f():\n    from ..d import e\n    class Twice: ..."),
        "models/d.py": parts(f"from .b import e\ndef long():\n{body}\ndef short(): ..."),
    }
    assert constants("A, B = 1, -2.5\nC = 1 << A\nD = f(1)\nE = 'x'\n") == {"A", "B", "C"}
    assert homes(files)["Twice"] == {"models/a.py", "models/c/__init__.py"}
    assert long_functions(files) == {"models/d.py:long"}
    found = arrows(files)
    assert circles(found) == [["models/b.py", "models/c/__init__.py", "models/d.py"]]
    found.remove_edge("models/d.py", "models/b.py")
    assert chain(found, "models/a.py") == [
        ["models/a.py"],
        ["models/b.py"],
        ["models/c/__init__.py"],
        ["models/d.py"],
    ]
