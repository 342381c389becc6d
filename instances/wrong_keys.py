"""What is wrong in a file that people write, in one sentence: the key, what may stand there, what does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import ValidationError

__all__ = ["first_wrong"]

Place: TypeAlias = tuple[str, ...]

_PLAIN = {
    "missing": "field required: add it",
    "extra_forbidden": "there is no such key here: remove or correct it; keys are case-sensitive",
    "union_tag_invalid": "kinds are numeric, flat, ordered, taxonomy, intervals, rounding, prefix, dates",
    "union_tag_not_found": "give a kind: numeric, flat, ordered, taxonomy, intervals, rounding, prefix...",
}
_KINDS = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "list_type": "a list",
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
}


def first_wrong(error: ValidationError, raw: object, *, private: bool = False) -> str:
    """The first wrong key of a file, and the remedy.

    Where several kinds of things may stand, each says why it is none of it. Those that got furthest are what
    was meant. In a `private` file what stands below the first keys is about respondents and not shown.
    """
    found = [(_place(one["loc"], raw, one["type"]), one) for one in error.errors()]
    first = found[0][0]
    place = max((place for place, _ in found if place[: len(first)] == first), key=len)
    here = [one for at, one in found if at == place]
    key = f"key {'.'.join(place[:1] if private else place) or '(file)'}"
    key += ", below it" if private and len(place) > 1 else ""
    for one in here:
        if one["type"] in _PLAIN:
            return f"{key}: {_PLAIN[one['type']]}"
    kinds = list(dict.fromkeys(_kind(one) for one in here))
    got = "correct it" if private else f"correct it (got {str(here[0]['input'])[:60]!r})"
    if None in kinds:
        wrong = next(str(one["msg"]).lower() for one in here if _kind(one) is None)
        return f"{key}: {wrong.removeprefix('value error, ')}: {got}"
    said = [kind for kind in kinds if kind and not (kind == "a whole number" and "a number" in kinds)]
    return f"{key}: must be {' or '.join(said)}: {got}"


def _place(location: Sequence[Any], raw: Any, kind: str) -> Place:
    """The keys of a place, without what names the kind that was tried."""
    place: list[str] = []
    for at, part in enumerate(location, start=1):
        if part in raw if isinstance(raw, Mapping) else isinstance(raw, list) and isinstance(part, int):
            raw = raw[part]
        elif kind != "missing" or at < len(location):
            continue
        place.append(str(part))
    return tuple(place)


def _kind(found: Any) -> str | None:
    """What may stand there, if that is all there is to say."""
    if found["type"] == "literal_error":
        return str(found["ctx"]["expected"])
    return _KINDS.get(found["type"])
