"""Bounds of groups that leave each member enough values by set intersection, against all groups."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases.certificates import changed, claim
from numpy.typing import NDArray
from oracle import brute_force as bf

from optanon.models.errors import CertificateError
from optanon.models.history import History
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirement import Requirement
from optanon.models.requirements import DistinctLDiversity, Intersection, KCAnonymity, ResistsInference
from optanon.models.table import Microdata
from optanon.solver.claims import MetClaim
from optanon.solver.colgen.boxes.met_pricing import MetPricing
from optanon.solver.colgen.duals import Duals
from optanon.solver.colgen.structure.histograms import Histograms
from optanon.solver.colgen.table import Rows
from optanon.solver.engines.partition.easier import part_of
from optanon.solver.engines.partition.withstand.anneal import SafeAnnealing
from optanon.solver.engines.partition.withstand.limits import WITHSTAND_LIMITS
from optanon.solver.engines.partition.withstand.met import MetBound, MetProgram, masks_of
from optanon.solver.search import solve_problem
from optanon.solver.settings import Clock
from optanon.solver.verify.boxes import Walk
from optanon.solver.verify.checking import verify
from optanon.solver.verify.duals import ClaimedDuals
from optanon.solver.verify.met import met_loss
from optanon.solver.verify.met_groups import MetAsked
from optanon.solver.verify.parts import units_of
from optanon.solver.verify.rows import CheckedRows

LEAST, RULE = 2, ResistsInference(min_values=2)


def series(seed: int, people: int, back: int, *, values: str = "abcd", rule: Requirement = RULE) -> Problem:
    """A second release: some of its people are in groups of a first one, made at random."""
    chance = random.Random(seed)
    new = people - back
    frame = pd.DataFrame(
        {
            "id": [f"r{i}" for i in range(people + new)],
            "number": [chance.randrange(12) for _ in range(people + new)],
            "grade": [chance.choice("ABC") for _ in range(people + new)],
            "sex": [chance.choice("fm") for _ in range(people + new)],
            "value": [chance.choice(values) for _ in range(people + new)],
        }
    )

    def table(rows: slice) -> Microdata:
        return Microdata.from_frame(
            frame.iloc[rows].reset_index(drop=True),
            respondent="id",
            quasi_identifiers={"number": "numeric", "grade": ["A", "B", "C"], "sex": "flat"},
            sensitive="value",
        )

    first, order = table(slice(0, people)), list(range(people))
    chance.shuffle(order)
    groups, begin = list[list[int]](), 0
    while begin < people:
        end = begin + chance.choice([3, 4])
        end = people if people - end < 3 else end
        groups.append(order[begin:end])
        begin = end
    before = Problem(table=first, policy=Policy([KCAnonymity(k=1)])).assemble(groups)
    policy = Policy([KCAnonymity(k=LEAST), rule])
    return Problem(table=table(slice(new, None)), policy=policy, history=History([before]))


def keeps(problem: Problem, group: tuple[int, ...], needed: int) -> bool:
    """By the definition: of all values that a member's groups have in common, so many are in this one."""
    inside = {problem.table.members[t].value for t in group}
    for t in group:
        record = problem.history.records.get(problem.table.members[t].respondent)
        left = inside if record is None else inside & set(record.inferable)
        if len(left) < needed:
            return False
    return True


def all_kept(problem: Problem, needed: int, least: int = LEAST) -> Iterator[tuple[int, ...]]:
    tuples = range(len(problem.table))
    for size in range(least, len(problem.table) + 1):
        yield from (group for group in combinations(tuples, size) if keeps(problem, group, needed))


def pricing_of(problem: Problem, needed: int) -> MetPricing:
    mask = masks_of(problem)
    numbers = {bits: n for n, bits in enumerate(sorted(set(mask)))}
    rows = Rows.of(problem, kinds=[numbers[bits] for bits in mask])
    own = np.array([mask[behind[0]] for behind in rows.tuples], dtype=np.int64)
    histograms = Histograms.of(part_of(problem, ()))
    assert isinstance(histograms, Histograms)
    found = MetPricing.of(rows, histograms, own, LEAST, needed, Clock())
    assert found is not None
    return found


@pytest.mark.parametrize("needed", [2, 3])
@pytest.mark.parametrize("seed", range(24))
def test_groups_that_pay_are_found_and_after_the_repair_none_does(seed: int, needed: int):
    problem = series(seed, 10, 6)
    pricing, random = pricing_of(problem, needed), np.random.default_rng(seed)
    rows, home = pricing.rows, np.empty(10, dtype=np.int64)
    for r, behind in enumerate(rows.tuples):
        home[list(behind)] = r
    known = [tuple(sorted(home[list(group)].tolist())) for group in all_kept(problem, needed)]
    costs = np.array(rows.group_costs(known), dtype=np.int64)

    def profits(duals: Duals) -> list[int]:
        return [
            int(duals.rows[list(g)].sum()) - int(cost) * duals.scale
            for g, cost in zip(known, costs, strict=True)
        ]

    paid = set[bool]()
    for high in (0.1, 0.25, 0.5):
        duals = pricing.duals(random.uniform(-0.1, high, len(rows)) * rows.dearest, np.zeros(0))
        found = pricing.price(duals, per_anchor=2)
        best = max(profits(duals), default=0)
        paid.add(best > 0)
        assert bool(len(found.lines)) == (best > 0)
        assert max(profits(duals.made_feasible(found.worst)), default=0) <= 0
        lines = {tuple(r for r in line if r >= 0) for line in found.lines.tolist()}
        assert lines <= set(known)
    assert paid


@pytest.mark.slow
@pytest.mark.parametrize("needed", [2, 3])
@pytest.mark.parametrize("seed", range(24))
def test_the_verifier_sees_a_group_that_pays_exactly_if_one_of_all_does(seed: int, needed: int):
    problem, random = series(seed, 10, 6), np.random.default_rng(seed)
    mask = masks_of(problem)
    rows = CheckedRows.of(problem.table, units_of(problem), kinds=mask)
    own = np.array([mask[tuples[0]] for tuples in rows.tuples], dtype=np.int64)
    walk = Walk.of(rows, None, MetAsked(own, needed, LEAST))
    assert walk is not None
    home, dear = {t: r for r, alike in enumerate(rows.tuples) for t in alike}, rows.one * sum(rows.units)
    known = [[home[t] for t in group] for group in all_kept(problem, needed)]
    wide = max(map(len, known), default=1)
    lines = np.array([[*group, *[-1] * (wide - len(group))] for group in known], dtype=np.int32)
    costs = rows.costs(lines) if known else np.zeros(0, dtype=np.int64)
    for high in (0.05, 0.15, 0.3, 0.5):
        per_row = (random.uniform(-0.1, high, len(rows)) * dear).astype(np.int64)
        pays = any(int(per_row[g].sum()) > cost for g, cost in zip(known, costs.tolist(), strict=True))
        duals = ClaimedDuals(rows=per_row, cuts=(), fake=0, scale=1)
        assert walk.pays(duals) == walk.pays(duals, workers=2) == pays


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_the_bound_is_below_every_release_that_keeps_the_masks_and_is_derived_again(seed: int):
    problem = series(seed, 9, 5)
    known = [list(range(9))]
    found = MetBound.of(problem, RULE, known, Clock())
    losses = [
        problem.objective(problem.assemble([list(group) for group in groups]))[0]
        for groups in bf.set_partitions(range(9))
        if min(map(len, groups)) >= LEAST and all(keeps(problem, tuple(group), 2) for group in groups)
    ]
    if found is None:
        pytest.skip("nothing is proven above 0")
    assert found.bound > 0
    assert all(found.bound <= loss for loss in losses)
    assert met_loss(problem, found.claim, lambda: False, 1) == found.bound


@pytest.mark.slow
def test_a_release_that_withstands_has_the_bound_in_its_certificate():
    rule = ResistsInference(max_posterior="4/5", min_values=2)  # pyright: ignore[reportArgumentType]
    problem = series(3, 60, 30, values="abcdef", rule=rule)
    found = solve_problem(problem, time_limit=4, workers=1, display=False)
    assert found.release is not None
    assert found.certificate is not None
    (level,), price = found.levels, found.price
    assert level.value is not None
    assert level.bound is not None
    assert price is not None
    assert price.bound is not None
    assert price.bound < level.bound <= level.value
    lines = verify(found.certificate, problem, found.release)
    assert lines.whole
    assert lines.bounds == (level.bound,)
    assert any("exact pricing under set intersection" in line for line in lines.confirmed)

    def refused(word: str, change: Callable[[dict[str, Any]], object]) -> None:
        assert found.certificate is not None
        with pytest.raises(CertificateError, match=word):
            verify(changed(found.certificate, change), problem, found.release)

    def dearer(content: dict[str, Any]) -> None:
        root = claim(content, "met")["root"]
        root["duals"] = [dual + root["scale"] for dual in root["duals"]]

    refused("prove nothing", dearer)
    refused("another number", lambda content: claim(content, "met")["root"]["duals"].pop())
    refused("another number", lambda content: claim(content, "met")["root"].update(cut_duals=[-1]))


@pytest.mark.slow
def test_the_bound_is_for_policies_that_ask_everybody_to_keep_values():
    problem = series(1, 12, 8)
    found = MetBound.of(problem, RULE, [list(range(12))], Clock())
    assert found is not None
    assert isinstance(found.claim, MetClaim)

    def under(*requirements: Requirement, **options: Any) -> Problem:
        return Problem(
            table=problem.table,
            policy=Policy([KCAnonymity(k=LEAST), *requirements], **options),
            history=problem.history,
        )

    same = under(Intersection(c=Fraction(1, 2), reading="set"))
    assert met_loss(same, found.claim, lambda: False, 1) == found.bound
    for other in (under(DistinctLDiversity(l=2)), under(ResistsInference(min_values=2, forgive_past=True))):
        with pytest.raises(CertificateError, match="nobody has to keep"):
            met_loss(other, found.claim, lambda: False, 1)
    for other in (
        under(RULE, max_suppressed=1),
        under(RULE, minimize=["counterfeits", "information_loss"]),
        Problem(table=problem.table, policy=problem.policy),
    ):
        assert MetBound.of(other, RULE, [list(range(12))], Clock()) is None


@pytest.mark.slow
def test_releases_of_the_program_are_near_its_bound_and_the_same_again():
    problem = series(3, 60, 30, values="abcdef")
    found = MetBound.of(problem, RULE, [list(range(60))], Clock())
    assert found is not None
    releases = list(found.program.releases(1, Clock()))
    assert len(releases) == WITHSTAND_LIMITS.met_dives
    for groups in releases:
        assert sorted(chain.from_iterable(groups)) == list(range(60))
        assert min(map(len, groups)) >= LEAST
        assert sum(not keeps(problem, tuple(group), 2) for group in groups) <= 2  # with whoever was left over
    losses = [problem.objective(problem.assemble(groups))[0] for groups in releases]
    assert max(losses) <= Fraction(5, 4) * found.bound
    assert list(found.program.releases(1, Clock())) == releases
    assert not list(found.program.releases(1, Clock(0)))


@pytest.mark.slow
def test_what_is_repaired_are_groups_priced_under_masks(monkeypatch: pytest.MonkeyPatch):
    dived, begun = list[set[frozenset[int]]](), list[set[frozenset[int]]]()
    releases, begin = MetProgram.releases, SafeAnnealing.begin

    def told(self: MetProgram, seed: int, clock: Clock) -> Iterator[list[list[int]]]:
        for groups in releases(self, seed, clock):
            dived.append(set(map(frozenset, groups)))
            yield groups

    def begins(self: SafeAnnealing, home: NDArray[np.int64]) -> None:
        begun.append({frozenset(np.flatnonzero(home == g).tolist()) for g in np.unique(home[home >= 0])})
        begin(self, home)

    monkeypatch.setattr(MetProgram, "releases", told)
    monkeypatch.setattr(SafeAnnealing, "begin", begins)
    rule = ResistsInference(max_posterior=Fraction(4, 5), min_values=2)
    found = solve_problem(series(3, 60, 30, values="abcdef", rule=rule), time_limit=4, display=False)
    assert found.release is not None
    assert dived
    assert all(groups in begun for groups in dived)
