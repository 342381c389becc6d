"""Reference pages that are read off the code: problem file, commands, requirements, losses, errors.

``python docs/draw_reference.py`` writes them below ``docs/generated``, and the tables of ``docs/requirements.md``; the
documentation does so each time it is built, so they are of the code as it is.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from optanon.instances import column_kinds, problem_keys, series_file
from optanon.models import errors
from optanon.models.losses import losses
from optanon.models.requirements import registered
from optanon.solver.cli.app import app
from optanon.solver.terms import term_of, use_of

FOLDER = Path(__file__).parent / "generated"
FILES = {
    "ProblemKeys": "The file",
    "QueryKeys": "A query, under `table`",
    "SensitiveKeys": "`sensitive`, if it is more than a column",
    "StoreKeys": "A stored history, under `history`",
    "PolicyKeys": "`policy`",
    "OutlookKeys": "`outlook`, under `policy`",
}
SERIES = {
    "_SeriesFile": "The file",
    "_FuturesFile": "`futures`",
    "_PublisherFile": "A publisher, under `publishers`",
}
HEAD = ("key", "what may stand there", "default", "meaning")
WORDS = {
    r"\bdict\[Literal\['respondent', 'sensitive'\], Choice\]": "mapping of respondent, sensitive to these",
    r"\bChoice\b": "'refuse', 'keep', 'merge'",
    r"\bMarksKey\b": "list[str] | dict[str, list[str]]",
    r"Literal\[([^\]]*)\]": r"\1",
    r" \| None": "",
    r"\bstr\b": "text",
    r"\b(?:float \| int|int \| float)(?: \| text)?\b": "number",
    r"\btext \| int \| float\b": "value",
    r"\bint\b": "whole number",
    r"\bdict\[(?:text|[^,\]]*), Any\](?: \| None)?": "parameters",
    r"dict\[text, ([^\]]*)\]": r"mapping of column to \1",
    r"\blist\[": "list of [",
    r"\b(?:_\w+File|\w+Keys|Kind)\b": "see below",
}
"""What Python's types are called in a file."""
MAPPED = dict.fromkeys(("requirements", "minimize", "publishers"), "name")
MAPPED |= dict.fromkeys(("survival", "arrivals"), "value")
"""What mappings are by, where it is no column."""
KINDS = ("_NumericKind", "_FlatKind", "OrderedKind", "TaxonomyKind", "_IntervalsKind", "_RoundingKind")
KINDS = (*KINDS, "_PrefixKind", "_DatesKind")


def cell(text: object) -> str:
    """Text for a table's cell."""
    return " ".join(str(text).split()).replace("|", "\\|")


def table(head: tuple[str, ...], rows: Iterator[tuple[object, ...]]) -> str:
    """A Markdown table."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell(each) for each in line) + " |" for line in lines) + "\n"


def plain(annotation: ast.expr) -> str:
    """A type in words."""
    text = ast.unparse(annotation)
    for pattern, words in WORDS.items():
        text = re.sub(pattern, words, text)
    return text


def keys(module: Any, name: str) -> Iterator[tuple[object, ...]]:
    """Key, what may stand there, what stands there unless said, and meaning, of a part of the problem file."""
    for node in ast.parse(inspect.getsource(module)).body:
        if not (isinstance(node, ast.ClassDef) and node.name == name):
            continue
        for field, after in zip(node.body, [*node.body[1:], None], strict=True):
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            if field.target.id == "kind":
                continue
            if not said:
                raise SystemExit(f"{module.__name__}: {name}.{field.target.id} has no words")
            by = MAPPED.get(field.target.id, "column")
            kind = f"`{plain(field.annotation).replace('mapping of column', f'mapping of {by}')}`"
            yield f"`{field.target.id}`", kind, usual(field.value), ast.literal_eval(after.value)


def usual(value: ast.expr | None) -> str:
    """What holds unless a key is given; empty if that is nothing."""
    if isinstance(value, ast.Call):
        given = {each.arg: each.value for each in value.keywords}
        value = given.get("default", given.get("default_factory"))
    if value is None:
        return "must be given"
    if isinstance(value, ast.Lambda):
        value = value.body
    try:
        found = ast.literal_eval(value)
    except ValueError:  # a kind of container, which is empty then
        return ""
    return "" if found is None else f"`{', '.join(map(str, found)) if isinstance(found, list) else found}`"


def problem_page() -> str:
    """Every key of a problem file."""
    parts = ["# The problem file\n"]
    for name, title in FILES.items():
        parts += [f"## {title}\n", table(HEAD, keys(problem_keys, name))]
    parts.append("## Kinds of columns, under `quasi_identifiers`\n")
    parts.append("Written as `column: numeric`, or as `column: {kind: intervals, widths: [5, 10]}`.\n")
    for name in KINDS:
        found = getattr(column_kinds, name)
        kind = found.model_fields["kind"].annotation.__args__[0]
        parts.append(f"### `{kind}`\n\n{inspect.getdoc(found)}\n")
        if rows := list(keys(column_kinds, name)):
            parts.append(table(HEAD, iter(rows)))
    return "\n".join(parts)


def series_page() -> str:
    """Every key of a series file."""
    parts = ["# The series file\n", "What `optanon backtest` reads; a problem file will do, too.\n"]
    for name, title in SERIES.items():
        parts += [f"## {title}\n", table(HEAD, keys(series_file, name))]
    return "\n".join(parts)


def commands_page() -> str:
    """Every command and option."""
    parts = ["# Commands\n"]
    groups: list[tuple[str, Any]] = [("optanon", typer.main.get_command(app))]
    while groups:
        name, group = groups.pop(0)
        for word, command in group.commands.items():
            if hasattr(command, "commands"):
                groups.append((f"{name} {word}", command))
                continue
            arguments = [part for part in command.params if part.param_type_name == "argument"]
            words = [f"`{part.metavar or part.name.upper()}`" for part in arguments]
            parts.append(f"## {name} {word}\n\n{inspect.cleandoc(command.help or '')}\n")
            if words:
                parts.append(f"Arguments: {', '.join(words)}\n")
            rows = (
                (
                    f"`{', '.join([*option.opts, *option.secondary_opts])}`",
                    set_to(option),
                    option.help,
                )
                for option in command.params
                if option.param_type_name == "option" and option.name != "help"
            )
            parts.append(table(("option", "default", "meaning"), rows))
    return "\n".join(parts)


def set_to(option: Any) -> object:
    """What an option is unless given; of a pair of flags, which of the two."""
    if option.default is None or (option.is_flag and not option.secondary_opts):
        return ""
    if option.is_flag:
        return (option.opts if option.default else option.secondary_opts)[0]
    return option.default


def require(what: str, *words: str) -> None:
    """Nothing is listed without saying what it means, and when to use it."""
    if not all(words):
        raise SystemExit(f"{what}: its docstring does not say when to use it, or what a parameter means")


def requirements_page() -> str:
    """Every requirement and loss: meaning, when to use it, parameters, source."""
    parts = ["# Requirements and losses, one by one\n"]
    for name, kind in sorted(registered().items()):
        term = term_of(kind)
        require(f"requirement {name}", term.use, *(each.help for each in term.parameters))
        parts.append(f"## {name}\n\n{term.help} {term.use}\n")
        rows = (
            (f"`{each.name}`", "must be given" if each.needed else each.default, each.help)
            for each in term.parameters
        )
        parts.append(table(("parameter", "default", "meaning"), rows))
        parts.append(f"Protects {kind.adversary.replace('either', 'any')} values.")
        parts.append(f"In Python `oa.{kind.__name__}`. Source: {kind.reference}.\n")
    parts.append("# Losses\n")
    for name, loss in sorted(losses().items()):
        words = (inspect.getdoc(type(loss)) or "").strip()
        require(f"loss {name}", use_of(words))
        parts.append(f"## {name}\n\n{words}\n\nSource: {loss.reference}.\n")
    return "\n".join(parts)


def overview() -> str:
    """Every requirement and loss on a line of its own."""
    kinds = ((term_of(kind), kind) for _, kind in sorted(registered().items()))
    requirements = (
        (f"`{term.name}`", ", ".join(f"`{each.name}`" for each in term.parameters), term.help, kind.reference)
        for term, kind in kinds
    )
    measures = (
        (f"`{name}`", (inspect.getdoc(type(loss)) or "").split("\n\n")[0], loss.reference)
        for name, loss in sorted(losses().items())
    )
    asked = table(("requirement", "parameters", "what it asks", "source"), requirements)
    return f"{asked}\n{table(('loss', 'what it measures', 'source'), measures)}"


def redrawn(page: str) -> str:
    """A page whose tables of requirements and losses are those of the code."""
    return re.sub(
        r"(?<=<!-- read off the code -->\n\n).*?(?=\n<!-- until here -->)",
        lambda _: overview(),
        page,
        flags=re.DOTALL,
    )


def errors_page() -> str:
    """Every error."""
    found = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]
    rows = ((f"`{kind.__name__}`", f"`{kind.__bases__[0].__name__}`", inspect.getdoc(kind)) for kind in found)
    return "# Errors\n\n" + table(("error", "is a", "when"), iter(sorted(rows)))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    by_hand = FOLDER.parent / "requirements.md"
    by_hand.write_text(redrawn(by_hand.read_text(encoding="utf-8")), encoding="utf-8")
    for name, page in (
        ("problem-file", problem_page()),
        ("series-file", series_page()),
        ("commands", commands_page()),
        ("each-requirement", requirements_page()),
        ("errors", errors_page()),
    ):
        (FOLDER / f"{name}.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
