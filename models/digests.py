"""Fingerprints of table, history and policy, each with everything that an answer depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from .history import History
from .table import Microdata

__all__ = ["digests"]


def digests(table: Microdata, history: History, policy: object) -> Mapping[str, str]:
    """SHA-256 of each by its name; the policy as plain values."""
    return {"table": _digest(_table(table)), "history": history.fingerprint, "policy": _digest(policy)}


def _digest(part: object) -> str:
    return hashlib.sha256(json.dumps(part).encode()).hexdigest()


def _table(table: Microdata) -> object:
    private = table.sensitive
    return {
        "members": [m.plain for m in table.members],
        "attributes": [repr(domain) for domain in table.domains],
        "sensitive": [
            private.name,
            private.persistence,
            private.order,
            sorted(private.domain),
            *([part.name, part.order] for part in private.parts),
        ],
    }
