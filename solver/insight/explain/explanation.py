"""What `explain` returns: for programs as values and JSON, for people as sentences (see `words`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ....models.exact_numbers import exact_text, plain_value
from ...parts import PolicyPart
from .costs import PartCost
from .findings import Conflict, Findings
from .people import Core
from .remedies import Remedy
from .words import sentences

__all__ = ["Explanation", "without_rows"]


class Explanation(Findings):
    """Why a policy cannot be kept and what the nearest ones are, or what its parts cost.

    Attributes
    ----------
    problem : Problem
    status : Status
        INFEASIBLE (proven), FEASIBLE or OPTIMAL, or UNKNOWN: then nothing else is claimed.
    parts : tuple of PolicyPart
        Everything the policy asks.
    conflicts : tuple of Conflict
        If infeasible: minimal conflicts, small ones first.
    repairs : tuple of tuple of PolicyPart
        Smallest sets of parts without which the rest can be kept.
    complete : bool
        Whether conflicts and repairs are all there are.
    remedies : tuple of Remedy
        Nearest feasible policies.
    hopeless, unknown : tuple of str
        Parameters that alone never help (proven), and those for which that was not decided.
    losses : tuple of (name, Fraction, Fraction or None)
        If feasible: loss and proven bound of the best release found.
    costs : tuple of PartCost
        If feasible: what each part costs.
    groups_by : str
        The loss that `groups` share.
    groups : tuple of GroupShare
        The most expensive groups of the best release found.
    cap : int or None
        If counterfeits are unlimited somewhere: "no release" is meant with at most so many
        counterfeits of one value in a group.
    searches : int
        How many searches it took.
    notes : tuple of str
        What engines refused.
    """

    def __repr__(self) -> str:
        found = f"{len(self.conflicts)} conflicts, {len(self.remedies)} remedies"
        return f"Explanation({self.status.value}, {found})"

    def sentences(self, *, show_ids: bool = False) -> tuple[str, ...]:
        """The explanation in lines of plain words; see `to_dict` for programs."""
        return tuple(sentences(self, show_ids=show_ids))

    def to_dict(self, *, show_ids: bool = False) -> dict[str, Any]:
        """Plain values for JSON; exact numbers as strings.

        Parameters
        ----------
        show_ids : bool
            Also name the respondents of cores; for the steward's own eyes only.
        """
        return {
            "status": self.status.value,
            "policy": [_part(part) for part in self.parts],
            "conflicts": [_conflict(conflict, show_ids) for conflict in self.conflicts],
            "repairs": [[part.key for part in repair] for repair in self.repairs],
            "complete": self.complete,
            "remedies": [_remedy(remedy) for remedy in self.remedies],
            "hopeless": list(self.hopeless),
            "unknown": list(self.unknown),
            "losses": [
                {"loss": name, "value": str(value), "bound": exact_text(bound)}
                for name, value, bound in self.losses
            ],
            "costs": [_cost(cost) for cost in self.costs],
            "groups": {
                "loss": self.groups_by,
                "most expensive": [
                    {
                        "number": group.number,
                        "size": group.size,
                        "members": group.members,
                        "cells": list(group.cells),
                        "value": str(group.loss),
                        "share": str(group.share),
                    }
                    for group in self.groups
                ],
            },
            "counterfeit cap": self.cap,
            "searches": self.searches,
            "notes": list(self.notes),
        }


def without_rows(texts: Sequence[str]) -> tuple[str, ...]:
    """Sentences in which a row of the steward's table is not named by its number, each once."""
    return tuple(dict.fromkeys(re.sub(r"\brow \d+\b", "a row", text) for text in texts))


def _part(part: PolicyPart) -> dict[str, str]:
    return {"key": part.key, "label": part.label}


def _conflict(conflict: Conflict, show_ids: bool) -> dict[str, Any]:
    return {
        "parts": [part.key for part in conflict.parts],
        "minimal": conflict.minimal,
        "facts": list(conflict.facts),
        "core": None if conflict.core is None else _core(conflict.core, show_ids),
    }


def _core(core: Core, show_ids: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "size": len(core.respondents),
        "values": dict(core.values),
        "returning": core.returning,
        "minimal": core.minimal,
    }
    return found | ({"respondents": list(core.respondents)} if show_ids else {})


def _remedy(remedy: Remedy) -> dict[str, Any]:
    return {
        "changes": [
            {
                "parameter": change.name,
                "present": plain_value(change.present),
                "value": plain_value(change.value),
                "grid": change.grid,
                "complete grid": change.complete,
            }
            for change in remedy.changes
        ],
        "minimal": remedy.minimal,
    }


def _cost(cost: PartCost) -> dict[str, Any]:
    return {
        "part": cost.part.key,
        "status without": cost.status.value,
        "binds": cost.binds,
        "used": cost.used,
        "losses": [
            {
                "loss": level.loss,
                "with": str(level.present),
                "without": str(level.without),
                "low": exact_text(level.low),
                "high": exact_text(level.high),
            }
            for level in cost.levels
        ],
    }
