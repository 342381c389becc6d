"""The fingerprint of a list that only grows: what was read before is not read again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

__all__ = ["Fingerprint"]


class Fingerprint:
    """SHA-256 of a list of plain values in JSON."""

    def __init__(self) -> None:
        self._hash, self.read = hashlib.sha256(b"["), 0

    def add(self, values: Iterable[object]) -> None:
        """Read further values."""
        for value in values:
            self._hash.update((", " * (self.read > 0) + json.dumps(value)).encode())
            self.read += 1

    def hexdigest(self) -> str:
        """Of all that was read."""
        whole = self._hash.copy()
        whole.update(b"]")
        return whole.hexdigest()

    def copy(self) -> Fingerprint:
        """One that has read as much."""
        found = Fingerprint()
        found._hash, found.read = self._hash.copy(), self.read
        return found

    def __reduce__(self) -> tuple[type[Fingerprint], tuple[()]]:
        """Sent to another process it begins anew: what has been hashed cannot be written down."""
        return Fingerprint, ()
