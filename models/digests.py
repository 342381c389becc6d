"""Fingerprints of table, history and policy, each with everything that an answer depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from .history import History
from .table import Member, Microdata

__all__ = ["digests"]


def digests(table: Microdata, history: History, policy: object) -> Mapping[str, str]:
    """SHA-256 of each by its name; the policy as plain values."""
    parts = {"table": _table(table), "history": _history(history), "policy": policy}
    return {name: hashlib.sha256(json.dumps(part).encode()).hexdigest() for name, part in parts.items()}


def _table(table: Microdata) -> object:
    private = table.sensitive
    return {
        "members": [_plain(m) for m in table.members],
        "attributes": [repr(domain) for domain in table.domains],
        "sensitive": [
            private.name,
            private.persistence,
            private.order,
            sorted(private.domain),
            *([part.name, part.order] for part in private.parts),
        ],
    }


def _history(history: History) -> object:
    """All releases, with everything the steward knows of them."""
    return [
        {
            "form": release.form,
            "columns": [*release.attributes, release.sensitive],
            "suppressed": sorted(_plain(m) for m in release.suppressed),
            "groups": [
                {
                    "members": sorted(_plain(m) for m in group.members),
                    "counterfeits": sorted(group.counterfeits),
                    "box": [str(cell) for cell in group.box or ()],
                    "hidden": sorted(group.hidden),
                }
                for group in release.groups
            ],
        }
        for release in history
    ]


def _plain(member: Member) -> list[object]:
    return [member.respondent, [str(v) for v in member.point], member.value]
