"""No script is made from data: what the page's source may say at all, read from its syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import optanon.solver.web

FOLDER = Path(optanon.solver.web.__file__).parent

PARTS = frozenset(
    [
        "button",
        "card",
        "checkbox",
        "colors",
        "column",
        "context",
        "download",
        "echart",
        "element",
        "expansion",
        "grid",
        "input",
        "label",
        "linear_progress",
        "navigate",
        "notify",
        "number",
        "refreshable_method",
        "row",
        "run",
        "select",
        "separator",
        "space",
        "table",
        "textarea",
        "timer",
        "upload",
        "add_head_html",
    ]
)
"""Of NiceGUI only parts that show text as text. Others (html, markdown, ...) make a page of it."""

READ = frozenset(["props", "classes", "style", "tag", "element", "add_head_html"])
"""What is given to these is read as a list or as markup, so it must be written out in the source."""

EVALUATED = frozenset(
    [
        "html",
        "markdown",
        "mermaid",
        "run_javascript",
        "add_body_html",
        "add_css",
        "add_slot",
        "add_resource",
        "run_method",
        "html_id",
        "default_props",
        "add_scss",
        "add_sass",
        "from_pandas",
        "aggrid",
        "chat_message",
        "link",
        "image",
        "interactive_image",
    ]
)
"""Methods that evaluate or load what they are given."""

WRITTEN = frozenset(["upload.run_method('pickFiles')"])
"""Calls of these that hold no data."""

ALLOWED_KEYS = frozenset(["data-testid", "aria-label"])


def violations(source: str) -> Iterator[str]:
    """What a file says that could make script from data."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "ui" and node.attr not in PARTS:
            yield f"line {node.lineno}: ui.{node.attr}"
        if isinstance(node, ast.Dict):
            keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
            yield from (f"line {node.lineno}: {key}" for key in keys if str(key).startswith(":"))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("nicegui"):
            yield from (
                f"line {node.lineno}: import {alias.name}"
                for alias in node.names
                if alias.name not in ("app", "events", "ui", "Element")
            )
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if node.value.attr in ("props", "_props") and key not in ALLOWED_KEYS:
                yield f"line {node.lineno}: props[{ast.unparse(node.slice)}]"
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name = node.func.attr
        if name in EVALUATED and ast.unparse(node) not in WRITTEN:
            yield f"line {node.lineno}: {name}"
        values = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "shared")]
        if name in READ and not all(map(_written_out, values)):
            yield f"line {node.lineno}: {name}({', '.join(map(ast.unparse, values))})"
        for keyword in node.keywords:
            if keyword.arg in ("js_handler", "html", "sanitize", "template"):
                yield f"line {node.lineno}: {keyword.arg}="


def _written_out(value: ast.expr) -> bool:
    """A text in the source, with numbers that count something, or the page's lock."""
    if isinstance(value, ast.JoinedStr):
        return all(isinstance(part, ast.Constant) or _counts(part) for part in value.values)
    return (isinstance(value, ast.Constant) and isinstance(value.value, str)) or (
        isinstance(value, ast.Name) and value.id == "LOCK"
    )


def _counts(part: ast.expr) -> bool:
    """``{len(...)}``, which is a number whatever it is of."""
    return isinstance(part, ast.FormattedValue) and (
        isinstance(part.value, ast.Call)
        and ast.unparse(part.value.func) == "len"
        and part.format_spec is None
    )


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.name)
def test_no_part_of_the_page_reads_data_as_anything_but_text(file: Path) -> None:
    assert not list(violations(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "source",
    [
        "part.props(f'dense data-testid=\"role-{column.name}\"')",
        "part.props('a' + name)",
        "part.props(text)",
        "part.props('x={}'.format(name))",
        "part.props(add=name)",
        "part.props[name] = 1",
        "part.props[':data-x'] = name",
        "part._props['innerHTML'] = name",
        "part.classes(f'w-{name}')",
        "part.style(name)",
        "part.style(f'--heads: {len(names)}; {name}')",
        "part.style(f'--heads: {len}')",
        "ui.html('fixed')",
        "ui.markdown(name)",
        "ui.run_javascript('1')",
        "client.run_javascript(f'{name}')",
        "ui.element(name)",
        "ui.add_head_html(name)",
        "part.on('click', js_handler=name)",
        "part.add_slot('body', name)",
        "ui.notify(name, html=True)",
        "ui.echart({':formatter': name})",
        "from nicegui.functions.javascript import run_javascript",
    ],
)
def test_a_slip_is_seen(source: str) -> None:
    assert list(violations(source))
