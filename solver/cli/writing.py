"""How commands write what they found."""

from __future__ import annotations

import json
from pathlib import Path

from ...models.files import write_whole

__all__ = ["write_json", "write_text"]


def write_text(path: Path, text: str, *, private: bool = True) -> None:
    """Write a file, all of it or nothing; private files are readable for their owner only."""
    write_whole(path, lambda draft: draft.write_text(text, encoding="utf-8"), private=private)


def write_json(path: Path | None, content: object, *, private: bool = True) -> None:
    """Write a file of JSON that people may read, too; None is no file."""
    if path is not None:
        write_text(path, json.dumps(content, indent=2) + "\n", private=private)
