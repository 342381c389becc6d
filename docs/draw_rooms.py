"""Draw the rooms of the package and the imports between them, as the code has them now.

``python docs/draw_rooms.py`` writes ``docs/rooms.svg``; building the documentation does so, too. A room is a folder;
``solver`` and its folders are drawn apart. A room stands above everything it imports. Arrows that follow from
others (from a room to one that a third one leads to) are left out; those that run upwards are red.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
TOP = ("models", "instances", "solver")
WIDTH, HEIGHT, GAP, FLOOR = 150, 46, 34, 104


def room_of(parts: tuple[str, ...]) -> str:
    """The room of a file, by the parts of its path: folders of `solver` count, those below do not."""
    return "/".join(parts[:-1][:2]) if parts[0] == "solver" else parts[0]


def files() -> list[Path]:
    return [file for top in TOP for file in sorted((ROOT / top).rglob("*.py"))]


@cache
def imported(file: Path) -> set[tuple[str, ...]]:
    """Files that a file imports from, by the parts of their paths; what only the type checker sees is left out."""
    here = file.relative_to(ROOT).parent.parts
    found: set[tuple[str, ...]] = set()
    for node in statements(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = here[: len(here) - node.level + 1] + (tuple(node.module.split(".")) if node.module else ())
        for name in node.names:
            found.add(next(file for file in targets(base, name.name) if (ROOT.joinpath(*file)).is_file()))
    return found


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements in a node, without those that only the type checker sees; imports stand in no expression."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
            yield from statements(child)


def targets(base: tuple[str, ...], name: str) -> list[tuple[str, ...]]:
    """Where a name imported from `base` may be: a file, a folder, or in one of them."""
    return [
        (*base, f"{name}.py"),
        (*base, name, "__init__.py"),
        (*base[:-1], f"{base[-1]}.py"),
        (*base, "__init__.py"),
    ]


def arrows() -> dict[str, set[str]]:
    """What every room imports from others."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in files():
        room = room_of(file.relative_to(ROOT).parts)
        found[room] |= {room_of(parts) for parts in imported(file)} - {room}
    return {room: found[room] for room in sorted(found)}


def upward(found: dict[str, set[str]]) -> set[tuple[str, str]]:
    """Arrows to leave out until no circle is left, fewest imports first reversed by name: those are drawn red."""
    left, back = {room: set(to) for room, to in found.items()}, set[tuple[str, str]]()

    def reaches(start: str, goal: str) -> bool:
        seen, todo = {start}, [start]
        while todo:
            for other in left.get(todo.pop(), ()):
                if other == goal:
                    return True
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return False

    # Who imports fewest rooms is lowest: its arrows into a circle are the ones that run upwards.
    for room in sorted(found, key=lambda name: (len(found[name]), name)):
        for other in sorted(found[room], key=lambda name: (-len(found[name]), name)):
            if reaches(other, room) and len(found[other]) >= len(found[room]):
                left[room].discard(other)
                back.add((room, other))
    return back


def floors(found: dict[str, set[str]], back: set[tuple[str, str]]) -> dict[str, int]:
    """The longest way down from every room."""
    height: dict[str, int] = {}

    def of(room: str) -> int:
        if room not in height:
            below = [of(other) for other in found[room] if (room, other) not in back]
            height[room] = 1 + max(below, default=-1)
        return height[room]

    for room in found:
        of(room)
    return height


def needed(found: dict[str, set[str]], back: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Arrows downwards that do not follow from two others."""
    down = {room: {other for other in to if (room, other) not in back} for room, to in found.items()}

    def below(room: str) -> set[str]:
        return {far for other in down[room] for far in ({other} | below(other))}

    return [
        (room, other)
        for room, to in down.items()
        for other in sorted(to)
        if not any(other in below(third) for third in to - {other})
    ]


def drawn() -> str:
    """The picture as SVG."""
    found = arrows()
    back = upward(found)
    height = floors(found, back)
    rows: dict[int, list[str]] = defaultdict(list)
    for room in sorted(found):
        rows[height[room]].append(room)
    wide = max(map(len, rows.values())) * (WIDTH + GAP) + GAP
    high = len(rows) * FLOOR + GAP
    place: dict[str, tuple[float, float]] = {}
    for floor, rooms in rows.items():
        step = wide / len(rooms)
        for number, room in enumerate(rooms):
            place[room] = (step * (number + 0.5), high - FLOOR * (floor + 0.5))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 8 4 0 8z" fill="context-stroke"/></marker></defs>',
        f'<rect width="{wide}" height="{high}" fill="#fff"/>',
    ]
    for one, other in needed(found, back):
        (x, y), (u, v) = place[one], place[other]
        lines.append(
            f'<path d="M{x:.0f} {y + HEIGHT / 2:.0f} {u:.0f} {v - HEIGHT / 2:.0f}" stroke="#888" fill="none" '
            f'marker-end="url(#tip)"><title>{one} imports {other}</title></path>'
        )
    for one, other in sorted(back):
        (x, y), (u, v) = place[one], place[other]
        x, u = x + WIDTH / 2, u + WIDTH / 2
        bend = max(x, u) + GAP + abs(y - v) / 4
        lines.append(
            f'<path d="M{x:.0f} {y:.0f} Q{bend:.0f} {(y + v) / 2:.0f} {u:.0f} {v:.0f}" stroke="#c22" fill="none" '
            f'marker-end="url(#tip)"><title>{one} imports {other}</title></path>'
        )
    for room, (x, y) in place.items():
        count = sum(room_of(file.relative_to(ROOT).parts) == room for file in files())
        lines.append(
            f'<rect x="{x - WIDTH / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="6" '
            f'fill="#eef3f8" stroke="#357"><title>{escape(about(room))}</title></rect>'
            f'<text x="{x:.0f}" y="{y - 2:.0f}" text-anchor="middle" font-size="14">{room}</text>'
            f'<text x="{x:.0f}" y="{y + 14:.0f}" text-anchor="middle" font-size="10" fill="#567">{count} files</text>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def about(room: str) -> str:
    """The first line of a room's own docstring."""
    text = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8")))
    return (text or room).splitlines()[0]


if __name__ == "__main__":
    (ROOT / "docs" / "rooms.svg").write_text(drawn(), encoding="utf-8")
