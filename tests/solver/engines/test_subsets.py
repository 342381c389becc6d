"""The exact programs over all sets of tuples and all groupings, against exhaustive enumeration."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, ClassVar

import numpy as np
import oracle.brute_force as bf
import pandas as pd
import pytest
from cases.drawn import LEVELS, Case, drawn_case
from cases.examples import EXAMPLES, build
from strategies import instance, seeded

import optanon as oa
from optanon.models.history import History
from optanon.models.losses import losses
from optanon.models.losses.base import Loss, loss
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.release import QIGroup, Release
from optanon.models.requirement import (
    Context,
    GroupRequirement,
    Scope,
    Violation,
)
from optanon.models.requirements import (
    Difference,
    HcSafety,
    Intersection,
    KAnonymity,
    KCAnonymity,
    RecordTracing,
    WeakMInvariance,
    registered,
)
from optanon.models.structure import DependsOn, Structure
from optanon.models.table import Member, Microdata
from optanon.solver.certify import digests, published
from optanon.solver.claims import (
    Empty,
    GroupingsClaim,
    SubsetsClaim,
    Trusted,
    TrustedRefusal,
)
from optanon.solver.engines.assignment.engine import AssignmentEngine
from optanon.solver.engines.subsets import engine as subset_engine
from optanon.solver.exact import costs, proving, subsets, ways
from optanon.solver.exact.costs import level_costs
from optanon.solver.exact.groupings import Groupings
from optanon.solver.exact.proving import counted, proven
from optanon.solver.exact.sets import BeyondReachError, Sets, members
from optanon.solver.exact.subsets import Subsets
from optanon.solver.schedule import SUBSETS
from optanon.solver.search import engines, solve_problem
from optanon.solver.settings import Answer, Clock, Settings, Watch
from optanon.solver.status import Status, Termination
from optanon.solver.verify import exhaustive
from optanon.solver.verify.outcome import Outcome

F = Fraction
BY_GROUPS = [name for name in sorted(EXAMPLES) if registered()[name].scope is Scope.GROUP]
WHOLE = [name for name in sorted(EXAMPLES) if registered()[name].scope is not Scope.GROUP]


def by_groups(case: Case) -> bool:
    return all(requirement.scope is Scope.GROUP for requirement, _ in case.parts)


def found_by(case: Case) -> tuple[F, ...] | None:
    """The program's optimum; the release that goes with it has these losses and passes every check."""
    found = Subsets(case.problem).optimum()
    assert found.exact
    if found.release is None:
        return None
    assert next(case.problem.check(found.release), None) is None
    assert case.problem.objective(found.release) == found.values
    return found.values


def agrees(case: Case, found: tuple[F, ...] | None) -> None:
    """The optimum is that of exhaustive enumeration."""
    limit = 2 if case.fakes < 0 else case.fakes
    best = case.optimum(limit)
    if case.fakes < 0 and best is None:
        # More counterfeits than can be enumerated.
        assert found is None or found[0] > limit
    else:
        assert found == best


# -- all sets of tuples -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("name", BY_GROUPS)
def test_the_optimum_is_that_of_exhaustive_enumeration(name: str, seed: int):
    """Histories, suppression, counterfeits, all losses, further requirements; see `drawn_case`."""
    case = drawn_case(name, 5000 + seed)
    if by_groups(case):
        agrees(case, found_by(case))


@pytest.mark.parametrize(("name", "number"), [(n, i) for n in BY_GROUPS for i in range(len(EXAMPLES[n]))])
def test_tables_of_six_to_eight_tuples_with_and_without_a_history(name: str, number: int):
    requirement, made = build(name, number)
    adversary = requirement.adversary
    for seed, times in product(range(2), (0, 2)):
        source = seeded("sets", name, number, seed, times)
        at = instance(
            source,
            **{
                "tuples": (6, 8),
                "releases": (times, times),
                "values": (2, 4),
                "persistence": "both" if adversary == "either" else adversary,
                "prefers": made.oracle(()) if not made.needs else None,
                **made.needs,
            },
        )
        levels = LEVELS[source(0, len(LEVELS) - 1)]
        case = Case(at=at, parts=((requirement, made),), levels=levels, suppressed=source(0, 1), fakes=0)
        agrees(case, found_by(case))


def test_every_loss_is_an_objective_here():
    """What `drawn_case` and the tests above draw from names all losses but hidden cells, which are none.

    Losses of whole releases have no place here.
    """
    named = {
        name
        for levels in LEVELS
        for level in levels
        for name in ([level] if isinstance(level, str) else level)
    }
    whole = {name for name, kind in losses().items() if kind.combine == "release"}
    assert named | {"hidden_cells"} == set(losses()) - whole, "LEVELS of tests/cases/drawn.py names each"


@pytest.mark.parametrize("seed", range(30))
def test_any_number_of_counterfeits_on_a_later_level(seed: int):
    """The number of counterfeits is bounded by what one more would cost at least, or by nothing better."""
    name = BY_GROUPS[seed % len(BY_GROUPS)]
    requirement, made = build(name, 0)
    adversary = requirement.adversary
    at = instance(
        seeded("open", seed),
        **{
            "tuples": (1, 3),
            "values": (2, 3),
            "persistence": "both" if adversary == "either" else adversary,
            **made.needs,
        },
    )
    case = Case(
        at=at,
        parts=((requirement, made),),
        levels=("information_loss", "counterfeits"),
        suppressed=0,
        fakes=-1,
    )
    best = case.optimum(2)
    other = AssignmentEngine().solve(case.problem, Settings(), Watch())
    try:
        found = found_by(case)
    except BeyondReachError:
        return
    assert best is None or (found is not None and found <= best)
    assert found == (None if other.release is None else other.bounds)


@pytest.mark.parametrize("seed", range(12))
def test_costs_beyond_one_word_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch):
    """Costs are multiplied by a number of 59 bits: sums carry, and no comparison changes."""
    case = drawn_case(BY_GROUPS[seed % len(BY_GROUPS)], 6000 + seed)
    if not by_groups(case):
        return
    plain = Subsets(case.problem).optimum()
    level_costs = subsets.level_costs

    def huge(*given: Any) -> costs.LevelCosts:
        found = level_costs(*given)
        if found.kind != "sum":
            return found
        times = (1 << 59) + 12345
        return costs.LevelCosts(
            level=found.level,
            kind="sum",
            scale=times * found.scale,
            groups=times * found.groups.astype(object),
            tuples=tuple(times * cost for cost in found.tuples),
            fake=found.fake,
        )

    monkeypatch.setattr(subsets, "level_costs", huge)
    assert Subsets(case.problem).optimum().values == plain.values


@pytest.mark.parametrize("name", ["squared_error", "squared_error_unscaled"])
@pytest.mark.parametrize("seed", range(4))
def test_squares_of_all_sets_are_those_of_their_groups(name: str, seed: int):
    """By sums of codes and of their squares, as group by group."""
    draw = Random(seed)
    frame = pd.DataFrame(
        {
            "id": range(8),
            "x": [draw.choice([0.25, 3.5, -7.75, 100]) for _ in range(8)],
            "y": [draw.randint(0, 9) for _ in range(8)],
            "z": [7] * 8,
            "value": [draw.choice("uv") for _ in range(8)],
        }
    )
    made = Microdata.from_frame(frame, respondent="id", quasi_identifiers=["x", "y", "z"], sensitive="value")
    policy = Policy([KAnonymity(k=2)], [{name: Fraction(2, 3)}], weights={"x": Fraction(5, 7)})
    problem = Problem(table=made, policy=policy)
    sets = Sets(problem)
    fewest = np.where(sets.sizes > 1, 0, -1).astype(np.int16)
    found = level_costs(policy.levels[0], sets, fewest, Clock())
    for number, cost in zip(np.flatnonzero(fewest >= 0).tolist(), found.groups.tolist(), strict=True):
        (group,) = problem.assemble([members(number)]).groups
        assert found.value(int(cost), problem) == Fraction(2, 3) * loss(name).of_group(group, problem.table)


def table(tuples: int, values: int, seed: int = 1) -> Microdata:
    draw = Random(seed)
    frame = pd.DataFrame(
        {
            "id": [f"id#{t}" for t in range(tuples)],
            "x": [draw.randint(0, 60) for _ in range(tuples)],
            "y": [draw.randint(0, 999) for _ in range(tuples)],
            "z": [draw.choice("abcd") for _ in range(tuples)],
            "value": [str(draw.randrange(values)) for _ in range(tuples)],
        }
    )
    return Microdata.from_frame(
        frame,
        respondent="id",
        quasi_identifiers=["x", "y", "z"],
        sensitive=oa.Sensitive(name="value", persistence="both"),
    )


def grown(tuples: int, policy: Policy, seed: int = 1) -> tuple[Microdata, History]:
    """A table two thirds of which were published before."""
    whole = table(tuples, 4, seed)
    part = tuples * 2 // 3
    first = Microdata(
        respondent=whole.respondent,
        members=whole.members[:part],
        domains=whole.domains,
        sensitive=whole.sensitive,
        codes=whole.codes[:part].copy(),
    )
    release = Subsets(Problem(table=first, policy=policy)).optimum().release
    assert release is not None
    return whole, History([release])


KC = KCAnonymity(k=3, c="2/3")


@pytest.mark.parametrize(
    "policy",
    [
        Policy([KCAnonymity(k=3, c="1/2")]),
        Policy([KCAnonymity(k=4)], ["semiperimeter"], max_suppressed=2),
        Policy([WeakMInvariance(m=2)], ["information_loss"], max_counterfeits=1),
        Policy([WeakMInvariance(m=2), HcSafety(n=2)], ["counterfeits", "information_loss"]),
        Policy(
            [KCAnonymity(k=3), Intersection(c="1/2")], ["suppressed", "maximum_group_size", "semiperimeter"]
        ),
    ],
    ids=lambda policy: ", ".join(level.name for level in policy.levels),
)
def test_twelve_tuples_as_the_assignment_engine_has_them(policy: Policy):
    whole, history = grown(12, Policy([WeakMInvariance(m=2)], ["counterfeits", "information_loss"]))
    problem = Problem(table=whole, policy=policy, history=history)
    other = AssignmentEngine().solve(problem, Settings(), Watch())
    assert other.status is Status.OPTIMAL
    assert Subsets(problem).optimum().values == other.bounds


# -- requirements and losses that declare nothing ---------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Mixed(GroupRequirement):
    """No two tuples of a group are equal in the last quasi-identifier; declares nothing."""

    name: ClassVar[str] = "mixed"
    reference: ClassVar[str] = "this test"

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        last = [str(member.point[-1]) for member in group.members]
        if len(set(last)) < len(last):
            yield Violation(requirement=self.name, message="two tuples are equal in a quasi-identifier")

    def encode(self, model: Any) -> None:
        people = model.table.members
        for g in model.slots:
            for label in {str(member.point[-1]) for member in people}:
                alike = [t for t in model.candidates(g) if str(people[t].point[-1]) == label]
                model.cp.add(sum(model.x(t, g) for t in alike) <= 1)


@dataclass(frozen=True, kw_only=True)
class OddSizes(GroupRequirement):
    """Groups of odd size; says that sizes decide, and nothing of many at once."""

    name: ClassVar[str] = "odd_sizes"
    reference: ClassVar[str] = "this test"

    def violations(self, group: QIGroup, context: Context) -> Iterator[Violation]:
        if group.size % 2 == 0:
            yield Violation(requirement=self.name, message="an even size")

    def structure(self, problem: Any = None) -> Structure:
        return Structure(depends_on=DependsOn.SIZE)

    def encode(self, model: Any) -> None:
        for g in model.slots:
            half = model.cp.new_int_var(0, model.largest_size, f"half[{g}]")
            model.cp.add(model.size(g) == 2 * half + model.used(g))


class Squares(Loss):
    """Squared perimeters: neither sizes nor boxes say it linearly."""

    name: ClassVar[str] = "squares"

    def of_group(self, group: QIGroup, table: Microdata) -> Fraction:
        assert group.box is not None
        widths = sum(d.width(cell) for d, cell in zip(table.domains, group.box, strict=True))
        return F(widths) ** 2

    def of_suppressed(self, member: Member, table: Microdata) -> Fraction:
        return F(7, 3)

    def encode(self, model: Any) -> Any:
        raise AssertionError("nobody needs a model here")


@pytest.mark.parametrize("fakes", [0, 1])
def test_a_requirement_that_declares_nothing_is_asked_of_each_set(fakes: int):
    for seed in range(4):
        at = instance(seeded("mixed", seed), tuples=(6, 7), releases=(0, 0), values=(2, 3))
        policy = Policy(
            [Mixed(), OddSizes(), KCAnonymity(k=2)], ["suppressed", "discernibility"], form=at.form
        )
        problem = Problem(table=at.table, policy=policy.changed(max_counterfeits=fakes, max_suppressed=3))
        other = AssignmentEngine().solve(problem, Settings(), Watch())
        found = Subsets(problem).optimum()
        assert found.values == (() if other.release is None else other.bounds)


def test_a_loss_that_declares_nothing_is_asked_of_each_group(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("optanon.models.losses.base._registry", {**losses(), "squares": Squares()})
    at = instance(seeded("squares", 1), tuples=(7, 7), releases=(0, 0), values=(3, 3), form="generalized")
    problem = Problem(table=at.table, policy=Policy([KCAnonymity(k=2)], ["squares"], max_suppressed=2))
    rows = range(7)
    partitions = (
        blocks
        for gone in range(3)
        for kept in _choices(rows, 7 - gone)
        for blocks in bf.set_partitions(kept)
        if all(len(block) > 1 for block in blocks)
    )
    best = min(problem.objective(problem.assemble(blocks)) for blocks in partitions)
    assert Subsets(problem).optimum().values == best
    # With counterfeits such a loss might depend on which ones: that is not claimed.
    with pytest.raises(BeyondReachError, match="squares may depend on which counterfeits"):
        Subsets(Problem(table=at.table, policy=problem.policy.changed(max_counterfeits=1)))


def _choices(rows: range, size: int) -> Iterator[list[int]]:
    from itertools import combinations

    return map(list, combinations(rows, size))


# -- all groupings ---------------------------------------------------------------------------------


def best_grouping(case: Case) -> tuple[F, ...] | None:
    found: list[tuple[F, ...]] = []
    for release in Groupings(subsets=Subsets(case.problem)).better(None):
        assert next(case.problem.check(release), None) is None
        found.append(case.problem.objective(release))
    assert found == sorted(set(found), reverse=True)
    best = found[-1] if found else None
    if best is not None:
        # The best is a proof of itself: of all that are better, none keeps the policy.
        assert list(Groupings(subsets=Subsets(case.problem)).better(best)) == []
    return best


@pytest.mark.parametrize("seed", [*range(7), *range(8, 15)])
@pytest.mark.parametrize("name", WHOLE)
def test_the_best_grouping_is_that_of_exhaustive_enumeration(name: str, seed: int):
    case = drawn_case(name, seed)
    try:
        agrees(case, best_grouping(case))
    except BeyondReachError as error:
        assert "any number of counterfeits" in str(error)  # noqa: PT017 - the only reason there may be
        assert case.fakes < 0


@pytest.mark.parametrize("name", ["difference", "safe_correlation"])
def test_all_groupings_of_eight_tuples_are_gone_through(name: str):
    case = drawn_case(name, 7)
    agrees(case, best_grouping(case))


@pytest.mark.parametrize("seed", range(12))
def test_groupings_of_requirements_on_groups_need_no_check_to_be_found(seed: int):
    """All that the bound lets through keeps what is asked of groups: the first grouping is a release."""
    case = drawn_case(BY_GROUPS[seed % len(BY_GROUPS)], 7000 + seed)
    if by_groups(case) and not case.fakes:
        listed = Groupings(subsets=Subsets(case.problem))
        agrees(case, best := best_grouping(case))
        if best is not None:
            assert next(listed.better(None), None) is not None
            assert listed.number == 0


def test_too_many_groupings_are_beyond_reach():
    whole, history = grown(12, Policy([KC]))
    problem = Problem(table=whole, policy=Policy([KC, RecordTracing(k=3)]), history=history)
    with pytest.raises(BeyondReachError, match="more than 3 groupings"):
        list(Groupings(subsets=Subsets(problem), most=3).better(None))


def test_hidden_cells_are_no_matter_of_groupings():
    case = drawn_case("safe_correlation", 0)
    policy = case.problem.policy.changed(minimize=["hidden_cells"])
    with pytest.raises(BeyondReachError, match="cells to be hidden"):
        Groupings(subsets=Subsets(Problem(table=case.at.table, policy=policy, history=case.at.history)))


# -- the engine, its claims and their verification -----------------------------------------------------


def confirmed(problem: Problem, result: oa.Result) -> oa.Certificate:
    assert result.certificate is not None
    certificate = oa.Certificate.from_json(result.certificate.to_json())
    outcome = oa.verify(certificate, problem, result.release)
    assert outcome.whole, outcome.trusted
    return certificate


@pytest.mark.parametrize("engine", ["auto", "assignment"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_whatever_is_claimed_of_a_small_table_is_confirmed_without_a_solver(
    name: str, seed: int, engine: str
):
    case = drawn_case(name, 40 + seed)
    try:
        result = solve_problem(case.problem, engine=engine, workers=1, display=False)
    except oa.PolicyError:
        return  # a requirement about a column that the drawn table does not have
    if result.status is Status.UNKNOWN or case.fakes < 0:
        return
    certificate = confirmed(case.problem, result)
    claims = {*certificate.claims, certificate.refusal} - {None}
    assert not any(isinstance(claim, Trusted) for claim in claims)


def safe(tuples: int = 12) -> Problem:
    whole, history = grown(tuples, Policy([KC]))
    return Problem(
        table=whole, policy=Policy([KC, Difference(k=3, c="2/3"), RecordTracing(k=3)]), history=history
    )


def test_forged_claims_are_refused():
    problem = safe()
    result = solve_problem(problem, workers=1, display=False)
    certificate = confirmed(problem, result)
    (claim,) = certificate.claims
    assert isinstance(claim, GroupingsClaim)
    assert claim.checked > 0
    content = certificate.content
    for changed in (claim.checked + 1, claim.checked - 1, 10**9, 2**61):
        forged = copy.deepcopy(content)
        forged["claims"][0]["checked"] = changed
        with pytest.raises(oa.CertificateError, match="grouping"):
            oa.verify(oa.Certificate.of(forged), problem, result.release)
    # The bound of requirements on groups alone is below the value here, so it proves less.
    forged = copy.deepcopy(content)
    for claims in ([{"kind": "subsets"}], []):
        forged["claims"] = claims
        with pytest.raises(oa.CertificateError, match="is stated"):
            oa.verify(oa.Certificate.of(forged), problem, result.release)
    # A worse release, said to be optimal.
    worse = problem.assemble([range(len(problem.table))])
    assert next(problem.check(worse), None) is None
    forged = copy.deepcopy(content)
    value = [str(v) for v in problem.objective(worse)]
    forged |= {"values": value, "bounds": value}
    forged["release"] = published(problem, worse).model_dump(mode="json")
    for checked in (claim.checked, 1_000):
        forged["claims"][0]["checked"] = checked
        with pytest.raises(oa.CertificateError, match=r"keeps the policy|more than 13 groupings"):
            oa.verify(oa.Certificate.of(forged), problem, worse)


def test_no_release_is_a_claim_like_any_other():
    empty, possible = without_and_with_a_release()
    result = solve_problem(empty, workers=1, display=False, reasons=False)
    assert result.status is Status.INFEASIBLE
    certificate = confirmed(empty, result)
    assert certificate.refusal == Empty(checked=None)
    asked = digests(possible)
    with pytest.raises(oa.CertificateError, match="some grouping keeps"):
        oa.verify(certificate.model_copy(update={"problem": asked}), possible)
    for checked in (0, 1, 10**9):
        refusal = Empty(checked=checked)
        with pytest.raises(oa.CertificateError, match=r"grouping|a release keeps"):
            oa.verify(certificate.model_copy(update={"problem": asked, "refusal": refusal}), possible)


def without_and_with_a_release() -> tuple[Problem, Problem]:
    """No group of eight tuples has equal counts, and single requirements see nothing of that."""
    whole = table(9, 3)
    at_once = Policy([WeakMInvariance(m=2), KCAnonymity(k=8)])
    return Problem(table=whole, policy=at_once), Problem(table=whole, policy=Policy([KCAnonymity(k=8)]))


WORD = {"kind": "trusted", "solver": "CP-SAT 9", "why": "told so"}


@pytest.mark.parametrize("safe_series", [False, True])
def test_a_solvers_word_on_a_small_table_is_derived_or_refuted(safe_series: bool):
    """Also where the solve had no time to prove it: nothing of a release is left to anybody's word."""
    problem = safe() if safe_series else Problem(table=table(12, 3), policy=Policy([KC]))
    result = solve_problem(problem, workers=1, display=False)
    assert result.certificate is not None
    assert result.release is not None
    content = result.certificate.content

    def told(release: Release, bound: Fraction) -> Outcome:
        values = [str(v) for v in problem.objective(release)]
        word = {**WORD, "level": 0, "bound": str(bound)}
        forged = {
            **content,
            "values": values,
            "bounds": ["0"],
            "claims": [word],
            "status": "FEASIBLE",
            "release": published(problem, release).model_dump(mode="json"),
        }
        return oa.verify(oa.Certificate.of(copy.deepcopy(forged)), problem, release)

    (best,) = result.objective
    assert told(result.release, best).bounds == (best,)
    worse = problem.assemble([range(len(problem.table))])
    (value,) = problem.objective(worse)
    with pytest.raises(oa.CertificateError, match=r"can be reached|a release is better"):
        told(worse, value)
    (least,) = Subsets(problem).optimum().values
    assert told(worse, least).bounds == (least,)
    if not safe_series:
        with pytest.raises(oa.CertificateError, match="can be reached"):
            told(worse, best + F(1, 1000))


def test_a_solvers_word_that_there_is_no_release_is_derived_or_refuted():
    empty, possible = without_and_with_a_release()
    result = solve_problem(empty, workers=1, display=False, reasons=False)
    assert result.certificate is not None
    word = TrustedRefusal(solver="CP-SAT 9", why="told so")
    told = result.certificate.model_copy(update={"refusal": word})
    assert oa.verify(told, empty).whole
    for problem in (possible, safe()):
        forged = told.model_copy(update={"problem": digests(problem)})
        with pytest.raises(oa.CertificateError, match="said not to exist"):
            oa.verify(forged, problem)


def test_without_time_nothing_is_confirmed_that_was_not_derived():
    problem = Problem(table=table(18, 4), policy=Policy([KCAnonymity(k=3)], ["semiperimeter"]))
    result = solve_problem(problem, workers=1, display=False)
    assert result.certificate is not None
    assert [claim.kind for claim in result.certificate.claims] == ["subsets"]
    outcome = oa.verify(result.certificate, problem, result.release, seconds=1e-6)
    assert not outcome.whole
    assert "time limit" in outcome.trusted[0]
    assert oa.verify(result.certificate, problem, result.release).whole
    for wrong in (0, -1, float("nan")):
        with pytest.raises(oa.InputError, match="time_limit must be a number of more than 0 seconds"):
            oa.verify(result.certificate, problem, result.release, seconds=wrong)


def test_claims_of_all_sets_of_a_table_that_is_too_large_are_refused():
    problem = Problem(table=table(21, 4), policy=Policy([KC]))
    result = solve_problem(problem, workers=1, display=False)
    assert result.certificate is not None
    for claim in ({"kind": "subsets"}, {"kind": "groupings", "checked": 3}):
        forged = {**result.certificate.content, "claims": [claim]}
        with pytest.raises(oa.CertificateError, match="up to 20 tuples"):
            oa.verify(oa.Certificate.of(copy.deepcopy(forged)), problem, result.release)


def test_groupings_that_all_fail_are_a_refusal(monkeypatch: pytest.MonkeyPatch):
    for seed in range(40):
        case = drawn_case("difference", 100 + seed)
        found = Subsets(case.problem).optimum()
        if case.fakes or found.release is None or case.optimum(0) is not None:
            continue
        result = solve_problem(case.problem, workers=1, display=False, reasons=False)
        refusal = confirmed(case.problem, result).refusal
        assert isinstance(refusal, Empty)
        assert refusal.checked
        forged = result.certificate.model_copy(update={"refusal": Empty(checked=None)})
        with pytest.raises(oa.CertificateError, match="some grouping keeps"):
            oa.verify(forged, case.problem)
        return
    raise AssertionError("no such case was drawn")


def test_what_is_beyond_reach_rests_on_the_solver_and_says_so(monkeypatch: pytest.MonkeyPatch):
    problem = safe()
    best = solve_problem(problem, workers=1, display=False).objective
    monkeypatch.setattr(subset_engine, "MOST_CHECKED", 0)
    monkeypatch.setattr(proving, "counted", lambda program, values: counted(program, values, 0))
    result = solve_problem(problem, workers=1, display=False)
    assert (result.closed, result.status, result.objective) == (True, Status.FEASIBLE, best)
    assert result.certificate is not None
    assert [claim.kind for claim in result.certificate.claims] == ["subsets", "trusted"]
    assert oa.verify(result.certificate, problem, result.release).whole
    monkeypatch.setattr(exhaustive, "MOST_COUNTED", 0)
    outcome = oa.verify(result.certificate, problem, result.release)
    assert not outcome.whole
    assert "CP-SAT" in outcome.trusted[0]
    assert outcome.bounds[0] is not None
    assert 0 < outcome.bounds[0] < best[0]


def test_a_wrong_claim_of_an_engine_is_an_error_and_no_answer():
    problem = Problem(table=table(8, 3), policy=Policy([KCAnonymity(k=2)]))
    worse = problem.assemble([range(8)])
    values = problem.objective(worse)
    word = Trusted(level=0, bound=values[0], solver="somebody", why="told so")
    claimed = Answer(
        release=worse,
        bounds=values,
        status=Status.OPTIMAL,
        termination=Termination.COMPLETED,
        claims=(word,),
    )
    with pytest.raises(oa.CertificateError, match="better than what was claimed"):
        proven(problem, claimed, Clock())
    good = Subsets(problem).optimum()
    assert good.release is not None
    claimed = Answer(
        release=good.release,
        bounds=good.values,
        status=Status.OPTIMAL,
        termination=Termination.COMPLETED,
        claims=(word,),
    )
    assert proven(problem, claimed, Clock()).claims == (SubsetsClaim(),)


def test_time_that_ends_leaves_the_best_known_release_and_true_bounds():
    problem = Problem(table=table(18, 4), policy=Policy([KCAnonymity(k=3)], ["semiperimeter"]))
    best = Subsets(problem).optimum().values
    for seconds in (1e-9, 0.02, 0.06):
        result = solve_problem(problem, engine="subsets", time_limit=seconds, display=False)
        assert result.status in (Status.OPTIMAL, Status.FEASIBLE, Status.UNKNOWN)
        assert all(bound is None or bound <= value for bound, value in zip(result.bounds, best, strict=True))
    with pytest.raises(BeyondReachError, match="time limit"):
        Subsets(problem, Clock(0.0)).optimum()


def test_a_limit_too_short_for_all_sets_is_spent_on_the_direct_model(monkeypatch: pytest.MonkeyPatch):
    slow = replace(SUBSETS, pairs=replace(SUBSETS.pairs, value=1.0))
    monkeypatch.setattr(subset_engine, "SUBSETS", slow)
    problem = Problem(table=table(9, 3), policy=Policy([KCAnonymity(k=2)], ["semiperimeter"]))
    answer = engines()["subsets"].solve(problem, Settings(time_limit=60.0), Watch())
    assert answer.status is Status.OPTIMAL
    assert all(isinstance(claim, Trusted) for claim in answer.claims)
    # What time is left proves it afterwards.
    result = solve_problem(problem, engine="subsets", time_limit=60.0, workers=1, display=False)
    assert result.certificate is not None
    assert result.certificate.claims == (SubsetsClaim(),)


def test_too_much_work_is_said_and_left_to_the_direct_model(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ways, "MOST_JUDGED", 20)
    problem = Problem(table=table(7, 3), policy=Policy([Mixed(), KCAnonymity(k=2)], max_suppressed=4))
    with pytest.raises(BeyondReachError, match="one by one"):
        Subsets(problem).optimum()
    answer = engines()["subsets"].solve(problem, Settings(), Watch())
    assert answer.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert all(isinstance(claim, Trusted) for claim in answer.claims)


def test_the_engine_says_what_it_does_not_take():
    engine = engines()["subsets"]
    large = Problem(table=table(21, 4), policy=Policy([KCAnonymity(k=2)]))
    assert "up to 20 tuples" in str(engine.refuses(large))
    whole = Problem(table=table(8, 4), policy=Policy([KCAnonymity(k=2)], recoding="full_domain"))
    assert "multidimensional" in str(engine.refuses(whole))
    small = Problem(table=table(8, 4), policy=Policy([KCAnonymity(k=2)]))
    with pytest.raises(oa.EngineError, match="leave `extend` out"):
        engine.solve(small, Settings(extend=lambda model: None), Watch())


def test_equal_runs_give_equal_releases():
    problem = safe()
    runs = [solve_problem(problem, workers=w, seed=s, display=False) for w, s in ((1, 0), (1, 0), (2, 5))]
    assert runs[0].release == runs[1].release == runs[2].release


def test_sums_that_do_not_fit_one_word_are_exact():
    """Spans whose common multiple is beyond 64 bits: costs take several words, and nothing is rounded."""
    draw = Random(3)
    columns = {
        f"x{i}": [draw.randrange(span) for _ in range(7)] + [0, span - 1] for i, span in enumerate(SPANS)
    }
    frame = pd.DataFrame({"id": [f"id#{t}" for t in range(9)], **columns, "value": list("abcabcabc")})
    whole = Microdata.from_frame(frame, respondent="id", quasi_identifiers=list(columns), sensitive="value")
    problem = Problem(table=whole, policy=Policy([KCAnonymity(k=2)], ["information_loss", "discernibility"]))
    program = Subsets(problem)
    found = program.optimum()
    assert (
        costs.Packed.of(
            [program.level(i, program.admissible.fewest) for i in (0, 1)],
            int(np.count_nonzero(program.admissible.fewest >= 0)),
            9,
        ).groups.shape[1]
        > 1
    )
    blocks = (b for b in bf.set_partitions(range(9)) if all(len(block) > 1 for block in b))
    assert found.values == min(problem.objective(problem.assemble(b)) for b in blocks)


SPANS = (1_000_003, 999_983, 1_299_709, 15_485_863)
"""Primes."""
