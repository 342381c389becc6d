"""Masks: texts of which characters are starred out, as ARX redacts codes."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["matching"]


def matching(mask: str, texts: Sequence[str]) -> list[int]:
    """Numbers of the texts that a mask stands for.

    ARX fills shorter values up with stars, in front if it redacts from the front, and masks all of
    them to the length of the longest.
    """
    filled = len(mask) == max(map(len, texts))
    pad = str.rjust if mask.startswith("*") else str.ljust
    return [
        number
        for number, text in enumerate(texts)
        if (filled or len(text) == len(mask))
        and all(star in ("*", sign) for star, sign in zip(mask, pad(text, len(mask), "*"), strict=False))
    ]
