"""Smallest sets of compromised respondents in a series of Mondrian releases of Adult, and the time for it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

from ..solver.insight.what_if.what_if import what_if
from .audit import Audit
from .registry import Row, case


@case
@dataclass(frozen=True, kw_only=True)
class WhatIfCase(Audit):
    """The series of `audit`: who gives away others, smallest disclosing sets, probability of a breach."""

    name: ClassVar[str] = "what-if"
    small_settings: ClassVar[dict[str, int]] = {"respondents": 200, "releases": 3, "trials": 50}

    probability: str = "0.01"
    trials: int = 200

    def run(self) -> list[Row]:
        """One row per question; seconds are CPU time, those of the possible values included."""
        history = self._history()
        rows: list[Row] = []
        for question, asked in (
            ("singles", {}),
            ("pairs", {"pairs": True}),
            ("smallest sets", {"smallest": True}),
            ("probability", {"probability": self.probability, "trials": self.trials}),
        ):
            began = time.process_time()
            found = what_if(history, time_limit=self.time_limit, **asked)  # pyright: ignore[reportArgumentType]
            told = found.giveaways.pairs or found.giveaways.singles
            chance = found.chance
            rows.append(
                {
                    "question": question,
                    "cpu seconds": round(time.process_time() - began, 2),
                    "disclosed anyway": found.disclosed,
                    "give others away": found.giveaways.harmful,
                    "at most": len(told[0].others) if told else 0,
                    "smallest set": found.true_degree,
                    "in pairs": found.degree,
                    "sizes": ", ".join(f"{size}: {people}" for size, people in found.sizes.items()) or None,
                    "a respondent": None
                    if chance is None
                    else f"{chance.respondent.low:.4f} to {chance.respondent.high:.4f}",
                    "formula": None if chance is None or chance.formula is None else float(chance.formula),
                    "complete": found.complete,
                }
            )
        return rows
