"""Inputs that nobody meant: bytes, cells, lines and leaves changed for what readers trip over."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

__all__ = ["leaves", "mutated_bytes", "mutated_csv", "mutated_json", "mutated_text", "replaced"]

NASTY = (
    *("", " ", "-", "*", "NaN", "null", "None", "N/A", "inf", "-inf", "1e400", "1e999999999", "1e-9999999"),
    *("-0", "0/0", "1/0", "0x10", "1_000", "\u0661\u0662", "1,2", "true", "~", "2024-02-30", "9" * 5000),
    *("[", "]", "{", "}", "[[[[", "&a", "*a", "!!python/object:os.system", "[" * 900, "{a: " * 900),
    *("'", '"', '"""', "\\", "\0", "\r", "\n", "\t", "\ufeff", "\u202e", "\u00e9", "e\u0301", "a" * 20_000),
    *("=1+1", "@SUM(1)", "<script>", "..", "/", "../../etc/passwd", "id", "group", "kind", "count", "20-30"),
    *("[20, 30)", "{a, b}", "hmac-sha256:00", "utf-16", "punycode"),
)
"""Texts put where others are expected."""
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**62, 2**64, 10**30, 0.5, 1e308),
    *("", "x", "1/0", "-1/0", "0", "1e400", [], {}, [0], {"x": 0}, "9" * 3000),
)
"""Values put in the place of a JSON leaf."""
DEEP = 3000


def mutated_bytes(content: bytes, random: Random) -> bytes:
    """Up to four places overwritten, cut out, doubled or filled with something else."""
    found = bytearray(content)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(found) + 1)
        length = min(len(found) - at, random.choice((1, 1, 2, 8, 64, 512)))
        match random.randrange(5):
            case 0:
                found[at : at + length] = random.randbytes(length)
            case 1:
                del found[at : at + length]
            case 2:
                found[at:at] = found[at : at + length]
            case 3:
                found[at:at] = random.choice(NASTY).encode()
            case _:
                found[at:] = b"" if random.random() < 0.3 else found[at:]
    return bytes(found)


def mutated_text(content: bytes, random: Random) -> bytes:
    """A word or a line of a text replaced, moved, doubled or left out; sometimes its bytes."""
    if random.random() < 0.2:
        return mutated_bytes(content, random)
    lines = content.decode("utf-8").split("\n")
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(lines))
        match random.randrange(5):
            case 0:
                words = lines[at].split(" ")
                words[random.randrange(len(words))] = random.choice(NASTY)
                lines[at] = " ".join(words)
            case 1:
                name, colon, _ = lines[at].partition(":")
                lines[at] = f"{name}{colon} {random.choice(NASTY)}"
            case 2:
                lines.insert(at, random.choice(lines))
            case 3:
                _ = lines.pop(at) if len(lines) > 1 else ""
            case _:
                lines[at] = "  " + lines[at] if random.random() < 0.5 else lines[at].lstrip()
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def mutated_csv(content: bytes, random: Random) -> bytes:
    """Cells replaced or exchanged, rows and columns doubled or left out; sometimes its bytes."""
    if random.random() < 0.2:
        return mutated_bytes(content, random)
    rows = [line.split(",") for line in content.decode("utf-8").split("\n")]
    for _ in range(random.randint(1, 3)):
        row = random.choice(rows)
        match random.randrange(6):
            case 0:
                row[random.randrange(len(row))] = random.choice(NASTY)
            case 1:
                row[random.randrange(len(row))] = random.choice(random.choice(rows))
            case 2:
                rows.insert(random.randrange(len(rows) + 1), list(row))
            case 3:
                _ = rows.remove(row) if len(rows) > 1 else None
            case 4:
                del row[random.randrange(len(row)) :]
                row[:] = row or [""]
            case _:
                at = random.randrange(len(row))
                for other in rows:
                    other.insert(at, other[min(at, len(other) - 1)])
    return "\n".join(map(",".join, rows)).encode("utf-8", "surrogatepass")


def leaves(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every leaf of a JSON value with the keys that lead to it; empty lists and mappings are leaves."""
    items = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    below = list(items)
    if not below:
        yield path, content
    for key, value in below:
        yield from leaves(value, (*path, key))


def replaced(content: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    """A copy with `change` made to the list or mapping that holds the place, which is given its key."""
    found = copy.deepcopy(content)
    holder = found
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return found


def mutated_json(content: bytes, random: Random) -> bytes:
    """A leaf replaced by an odd value, another leaf or something deep; a key left out; at times its bytes."""
    if random.random() < 0.15:
        return mutated_bytes(content, random)
    value = json.loads(content)
    for _ in range(random.randint(1, 2)):
        known = [path for path, _ in leaves(value) if path]
        if not known:
            return b"null"
        path = random.choice(known)
        path = path[: random.randint(1, len(path))] if random.random() < 0.3 else path
        match random.randrange(5):
            case 0 | 1:
                value = replaced(value, path, lambda holder, key: holder.__setitem__(key, random.choice(ODD)))
            case 2:
                other = dict(leaves(value))[random.choice(known)]
                value = replaced(value, path, lambda holder, key, o=other: holder.__setitem__(key, o))
            case 3:
                value = replaced(value, path, lambda holder, key: holder.__delitem__(key))
            case _:
                text = json.dumps(
                    replaced(value, path, lambda holder, key: holder.__setitem__(key, "@deep@"))
                )
                return text.replace('"@deep@"', "[" * DEEP + "]" * DEEP).encode()
    return json.dumps(value).encode()
