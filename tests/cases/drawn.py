"""Random problems about every registered requirement, with what the oracle needs to solve them, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import oracle.brute_force as bf
import pandas as pd
from strategies import Instance, Source, instance, pick, seeded

from cases.examples import EXAMPLES, Example, build
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement, Scope
from optanon.models.requirements import registered
from optanon.models.table import Microdata
from optanon.solver.result import Result
from optanon.solver.search import solve_problem

F = Fraction


LEVELS: tuple[tuple[str | Mapping[str, Any], ...], ...] = (
    ("information_loss",),
    ("suppressed", "information_loss"),
    ("counterfeits", "information_loss"),
    ("discernibility",),
    ("average_group_size", "semiperimeter"),
    ("maximum_group_size", "information_loss"),
    ("semiperimeter",),
    ({"information_loss": 1, "suppressed": "3/2"},),
    ("average_information_loss", "discernibility"),
    ("counterfeits", "suppressed", "maximum_group_size"),
    ({"semiperimeter": "1/3", "counterfeits": 2}, "average_group_size"),
    ({"discernibility": 1, "information_loss": "2/7"},),
    ({"maximum_group_size": "5/2"}, {"average_group_size": "1/2"}),
    ("suppressed", "counterfeits", "average_information_loss"),
    ({"ncp": 3, "suppressed": "1/5"},),
    ("semiperimeter_per_tuple",),
    ({"squared_error": "1/20", "information_loss": 1},),
    ("semiperimeter", "squared_error_unscaled"),
)
"""Objectives; every loss the oracle knows occurs."""


def names(level: str | Mapping[str, Any]) -> list[str]:
    return [level] if isinstance(level, str) else list(level)


def oracle_loss(level: str | Mapping[str, Any]) -> bf.Loss:
    """A level of the objective for the oracle, with its weights."""
    weights = {level: 1} if isinstance(level, str) else level

    def value(release: bf.ReleaseLike, attributes: Sequence[bf.Attribute]) -> Fraction:
        return sum((F(w) * bf.LOSSES[name](release, attributes) for name, w in weights.items()), F(0))

    return value


@dataclass(frozen=True)
class Case:
    """A problem with what the oracle needs to solve it, too."""

    at: Instance
    parts: tuple[tuple[Requirement, Example], ...]
    levels: tuple[str | Mapping[str, Any], ...]
    suppressed: int
    fakes: int
    """Counterfeits the policy allows; -1 for any number, if the first level counts them."""

    @cached_property
    def problem(self) -> Problem:
        policy = Policy(
            [requirement for requirement, _ in self.parts],
            self.levels,
            max_suppressed=self.suppressed,
            max_counterfeits=None if self.fakes < 0 else self.fakes,
            form=self.at.form,
        )
        return Problem(table=self.at.table, policy=policy, history=self.at.history)

    @property
    def checks(self) -> list[bf.Check]:
        return [made.oracle(self.at.attributes) for _, made in self.parts]

    def optimum(self, fakes: int) -> tuple[Fraction, ...] | None:
        """By enumeration, with at most so many counterfeits."""
        people, past = self.at.people, self.at.past
        judges = [
            made.oracle(self.at.attributes)
            for requirement, made in self.parts
            if requirement.scope is Scope.GROUP
        ]

        def admits(group: bf.Group) -> bool:
            rest = tuple(person for person in people if person.name not in group.names)
            return all(judge(bf.Release((group,), rest), past) for judge in judges)

        def few(release: bf.ReleaseLike, history: bf.History) -> bool:
            return sum(group.fake_count for group in release[0]) <= fakes

        return bf.optimum(
            people,
            self.at.measured,
            [few, *self.checks],
            [oracle_loss(level) for level in self.levels],
            past,
            max_fakes=fakes,
            fake_values=self.at.fake_values,
            max_suppressed=self.suppressed,
            admits=admits,
        )

    def solve(self, **options: Any) -> Result:
        return solve_problem(self.problem, engine="assignment", **{"workers": 1, "display": False, **options})

    def accepts(self, result: Result) -> None:
        """The oracle finds the result's release safe, and its losses as stated."""
        assert result.release is not None
        release = self.at.theirs(result.release)
        assert {p.name for p in bf.microdata(release)} == {p.name for p in self.at.people}
        assert len(release.suppressed) <= self.suppressed
        assert self.fakes < 0 or sum(group.fake_count for group in release.groups) <= self.fakes
        assert all(check(release, self.at.past) for check in self.checks)
        found = tuple(oracle_loss(level)(release, self.at.measured) for level in self.levels)
        assert result.objective == found


def drawn_case(name: str, seed: int) -> Case:
    """Half with a history; every fifth with a second requirement; every eighth with up to 8 tuples."""
    source = seeded("engine", name, seed)
    parts = [build(name, seed % len(EXAMPLES[name]))]
    if seed % 5 == 4:
        other = pick(source, sorted(set(registered()) & set(EXAMPLES)))
        if {registered()[other].adversary, parts[0][0].adversary} != {"persistent", "transient"}:
            parts.append(build(other, source(0, len(EXAMPLES[other]) - 1)))
    levels = LEVELS[seed % len(LEVELS)]
    shape = "large" if seed % 8 == 7 else pick(source, ("plain", "suppress", "fakes", "both", "any"))
    if shape == "any" and names(levels[0]) != ["counterfeits"]:
        shape = "fakes"
    tuples = {"large": (7, 8), "plain": (3, 6), "suppress": (2, 5)}.get(
        shape, (1, 4 if len(levels) > 1 else 3)
    )
    kinds = {requirement.adversary for requirement, _ in parts} - {"either"}
    persistence = kinds.pop() if kinds else "both"
    needs = {key: value for _, made in parts for key, value in made.needs.items()}
    check = parts[0][1].oracle if not needs else None
    at = instance(
        source,
        **{
            "tuples": tuples,
            "releases": (0, 2) if seed % 2 else (0, 0),
            "values": (2, 3) if shape in ("fakes", "both", "any") else (2, 4),
            "persistence": persistence,
            "prefers": check(()) if check is not None and source(0, 1) else None,
            **needs,
        },
    )
    return Case(
        at=at,
        parts=tuple(parts),
        levels=levels,
        suppressed=source(1, 2) if shape in ("suppress", "both") else 0,
        fakes={"fakes": 1 if len(at.people) > 3 else 2, "both": 1, "any": -1}.get(shape, 0),
    )


NAMES = [name for name in sorted(registered()) if name in EXAMPLES]


def hard_table(tuples: int) -> Microdata:
    draw: Source = seeded("hard", tuples)
    frame = pd.DataFrame(
        {
            "id": [f"id#{n}" for n in range(tuples)],
            **{name: [draw(0, 60) for _ in range(tuples)] for name in ("x", "y", "z")},
            "value": [pick(draw, "abcde") for _ in range(tuples)],
        }
    )
    return Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x", "y", "z"], sensitive="value")
