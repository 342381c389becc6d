"""Pieces of YAML as a person would write them: scalars, flow mappings, comments."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping
from typing import Any

__all__ = ["comment", "flow", "scalar"]

WIDTH = 100


def scalar(value: str) -> str:
    """A YAML scalar that is this text and nothing else."""
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_./-]*", value) is not None
    reserved = value.lower() in ("true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan")
    return value if plain and not reserved else json.dumps(value, ensure_ascii=False)


def flow(mapping: Mapping[str, Any]) -> str:
    """A mapping of plain values on one line."""
    return "{" + ", ".join(f"{key}: {json.dumps(value)}" for key, value in mapping.items()) + "}"


def comment(text: str, indent: int = 0) -> list[str]:
    """A sentence or two as comment lines."""
    mark = " " * indent + "# "
    return textwrap.wrap(
        " ".join(text.split()), WIDTH, initial_indent=mark, subsequent_indent=mark, break_on_hyphens=False
    )
