"""Shipped instances: every verdict and optimum, by the package and by the brute-force oracle."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import oracle.brute_force as bf
import pytest
import yaml

from optanon import Problem, solve_problem
from optanon.instances import catalog
from optanon.instances.problem_file import load_problem
from optanon.instances.readers import read_frame
from optanon.instances.release_files import read_release
from optanon.models.categories import Ordered
from optanon.models.domain import Domain
from optanon.models.errors import InputError
from optanon.models.losses import losses
from optanon.models.numeric import Numeric
from optanon.models.release import Release
from optanon.models.requirements import registered
from optanon.models.table import Member

VIEWS = "published-views"
PARTITIONS = "microaggregation"
"""Partitions of tables that are not shipped; see `test_partitions`."""
MINE = [name for name in catalog.names() if name not in (VIEWS, PARTITIONS)]


# --- into the oracle's notation ------------------------------------------------------------


class Asked(NamedTuple):
    """A problem file as the oracle sees it; requirements may be unknown to the package."""

    people: list[bf.Person]
    attributes: list[bf.Attribute]
    history: list[bf.Release]
    checks: dict[str, bf.Check]
    minimize: list[str]


def _person(member: Member) -> bf.Person:
    return bf.Person(member.respondent, member.point, member.value)


def _release(release: Release) -> bf.Release:
    groups = tuple(bf.Group(tuple(map(_person, g.members)), g.counterfeits) for g in release.groups)
    return bf.Release(groups, tuple(map(_person, release.suppressed)))


def _attribute(domain: Domain) -> bf.Attribute:
    if isinstance(domain, Numeric):
        return bf.Numeric(domain.lo, domain.hi)
    if isinstance(domain, Ordered):
        return bf.Ordered(domain.categories)
    return bf.Taxonomy({path[0]: path[1:] for path in domain.hierarchy.paths})


def _constant_ratio(l: int, k: int, protected: list[str]) -> bf.Check:  # noqa: E741
    """At most k links, each of ratio r = 1 / (1 - (1 - 1/l)^(1/k)) or more: (1 - n/|A|)^k >= 1 - 1/l."""

    def safe(group: bf.Group, value: str) -> bool:
        return (1 - Fraction(group.histogram[value], group.size)) ** k >= 1 - Fraction(1, l)

    return lambda release, _: all(safe(group, value) for group in release[0] for value in protected)


def _geometric(l: int, a: int, protected: list[str]) -> bf.Check:  # noqa: E741
    """First links only: a ratio of l a / (a - 1) spends the share 1 - 1/a of the budget."""

    def check(release: bf.ReleaseLike, history: bf.History) -> bool:
        assert not history
        return all(
            group.histogram[v] * l * a <= group.size * (a - 1) for group in release[0] for v in protected
        )

    return check


def _check(name: str, given: dict[str, Any], attributes: list[bf.Attribute]) -> bf.Check:
    c = Fraction(str(given.get("c", 1)))
    protected: Any = given.get("protected_values")
    known: dict[str, Callable[[], bf.Check]] = {
        "k_c_anonymity": lambda: bf.k_c(given["k"], c),
        "weak_m_invariance": lambda: bf.weak_m_invariance(given["m"], strict=given.get("multiplicity") == 1),
        "distinct_l_diversity": lambda: bf.distinct_l_diversity(given["l"]),
        "hc_safety": lambda: bf.hc_safety(given["n"], given.get("reading", "hcsafe")),
        "difference": lambda: bf.difference_safety(given["k"], c),
        "intersection": lambda: bf.intersection_safety(c, given["reading"]),
        "record_tracing": lambda: bf.tracing_safety(given["k"], attributes),
        "global_guarantee": lambda: bf.global_guarantee(given["l"], protected),
        "constant_ratio": lambda: _constant_ratio(given["l"], given["k"], protected),
        "geometric": lambda: _geometric(given["l"], given["a"], protected),
    }
    if name not in known:
        pytest.skip(f"the oracle has no {name}")
    return known[name]()


def _policy(file: Path) -> dict[str, Any]:
    return yaml.safe_load(file.read_text(encoding="utf-8"))["policy"]


def _requirements(file: Path) -> dict[str, dict[str, Any]]:
    return {name: given for entry in _policy(file)["requirements"] for name, given in entry.items()}


def _asked(file: Path) -> Asked:
    table = load_problem(file).table
    spec = yaml.safe_load(file.read_text(encoding="utf-8"))
    attributes = [_attribute(domain) for domain in table.domains]
    return Asked(
        people=[_person(member) for member in table.members],
        attributes=attributes,
        history=[_read(file, name) for name in spec.get("history", [])],
        checks={name: _check(name, given, attributes) for name, given in _requirements(file).items()},
        minimize=spec["policy"].get("minimize", ["information_loss"]),
    )


def _read(problem: Path, release: str) -> bf.Release:
    return _release(read_release(problem.parent / release, load_problem(problem).table))


def _problem(file: Path) -> Problem:
    unknown = sorted(set(_requirements(file)) - set(registered()))
    unknown += sorted(set(_policy(file).get("minimize", [])) - set(losses()))
    if unknown:
        pytest.skip(f"not registered yet: {', '.join(unknown)}")
    return catalog.load(file.parent.name, file.name)


# --- what there is ------------------------------------------------------------------------


def _entries(kind: str) -> list[Any]:
    found: list[Any] = []
    for name in MINE:
        for entry in getattr(catalog.expected(name), kind):
            parts = [name, entry.problem, getattr(entry, "release", "")]
            found.append(
                pytest.param(catalog.path(name) / entry.problem, entry, id="/".join(filter(None, parts)))
            )
    return found


def test_catalog() -> None:
    assert {"hospital", "clinic", "transient-diseases", "prescriptions", VIEWS} < set(catalog.names())
    assert {"hc-union", "observation-1", "fig10-missing-edge"} < set(catalog.names())
    for name in catalog.names():
        first, *_ = catalog.describe(name).splitlines()
        assert 40 < len(first) < 200
        assert first.endswith(".")
    with pytest.raises(InputError, match="no shipped instance is called 'nowhere'"):
        catalog.path("nowhere")


@pytest.mark.parametrize("name", MINE)
def test_no_file_is_left_over(name: str) -> None:
    """Every problem has an expectation, every file is used, and no key is misspelled."""
    known = catalog.expected(name)
    assert not known.model_extra
    entries = (*known.checks, *known.optima, *known.inferences, *known.links, *known.explained)
    folder = catalog.path(name)
    problems = {path.name for path in folder.glob("*.yaml")} - {"expected.yaml"}
    assert problems == {entry.problem for entry in entries}
    used = {"expected.yaml", *problems, *(check.release for check in known.checks)}
    for entry in (*known.inferences, *known.links):
        used |= set(entry.releases)
    for file in problems:
        spec = yaml.safe_load((folder / file).read_text(encoding="utf-8"))
        used |= {spec["table"], *spec.get("history", [])}
        kinds: Any = spec["quasi_identifiers"].values()
        used |= {kind["hierarchy"] for kind in kinds if isinstance(kind, dict) and "hierarchy" in kind}
    assert {path.name for path in folder.iterdir()} == used


@pytest.mark.parametrize(
    ("release", "shown", "mild", "retinoic"),
    [
        ("figure-1b", [2, 2, 1, 2, 2], "6/3", "7/3"),
        ("figure-2", [2, 2, 0, 0, 2], "6/3", "4/3"),
        ("one-hidden", [2, 2, 1, 1, 2], "6/3", "6/3"),
    ],
)
def test_estimates_of_the_prescriptions(release: str, shown: list[int], mild: str, retinoic: str) -> None:
    """A drug's estimate: over its groups, United States that are shown, times the drug's share."""
    frame = read_frame(catalog.path("prescriptions") / f"{release}.steward.csv")
    hidden = frame.get("country hidden")
    seen = frame["country"] if hidden is None else frame["country"].where(hidden.isna())
    states = (seen == "United States").groupby(frame["group"]).sum()
    assert states.tolist() == shown
    for drug, estimate in (("Mild Exfoliation", mild), ("Retinoic Acid", retinoic)):
        share = (frame["drug"] == drug).groupby(frame["group"]).sum()
        assert Fraction(int((states * share).sum()), 3) == Fraction(estimate)


# --- verdicts ------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "known"), _entries("checks"))
def test_verdict(file: Path, known: catalog.Check) -> None:
    problem = _problem(file)
    found = {
        violation.requirement
        for violation in problem.check(read_release(file.parent / known.release, problem.table))
    }
    assert found == known.violated


@pytest.mark.parametrize(("file", "known"), _entries("checks"))
def test_verdict_by_brute_force(file: Path, known: catalog.Check) -> None:
    asked = _asked(file)
    release = _read(file, known.release)
    assert set(asked.people) == set(bf.microdata(release))
    found = {name for name, check in asked.checks.items() if not check(release, asked.history)}
    assert found == known.violated


@pytest.mark.parametrize(("file", "known"), _entries("inferences"))
def test_inference(file: Path, known: catalog.Inference) -> None:
    history = [_read(file, name) for name in known.releases]
    possible = bf.possible_values(history, known.known)
    assert {who: set(left) for who, left in possible.items() if len(left) == 1} == {
        who: {value} for who, value in known.certain.items()
    }


@pytest.mark.parametrize(("file", "known"), _entries("links"))
def test_link(file: Path, known: catalog.Link) -> None:
    history = [_read(file, name) for name in known.releases]
    assert bf.link_probability(history, known.respondent, known.value) == known.probability


# --- optima --------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "known"), _entries("optima"))
def test_optimum(file: Path, known: catalog.Optimum) -> None:
    result = solve_problem(_problem(file), time_limit=60, workers=1)
    if known.word is None:
        assert result.status.value == known.status
    else:
        assert result.closed
        assert {level.word.split()[0] for level in result.levels if level.word} == {known.word}
    assert result.objective == known.objective
    assert (result.release is None) == (known.status == "INFEASIBLE")
    if known.groups is not None:
        assert result.release is not None
        assert {group.respondents for group in result.release.groups} == known.groups


@pytest.mark.parametrize(("file", "known"), _entries("optima"))
def test_optimum_by_brute_force(file: Path, known: catalog.Optimum) -> None:
    asked = _asked(file)
    if len(asked.people) > 8:
        pytest.skip(f"{len(asked.people)} tuples are too many to enumerate")
    # No group of an optimal release holds more counterfeits than the whole of it.
    fakes = int(known.objective[0]) if asked.minimize[0] == "counterfeits" else 0
    values = sorted({person.value for person in asked.people}) if fakes else ()
    invariance = _requirements(file).get("weak_m_invariance")
    best, releases = bf.optimal_releases(
        asked.people,
        asked.attributes,
        list(asked.checks.values()),
        asked.minimize,
        asked.history,
        fakes,
        values,
        admits=None if invariance is None else lambda group: bf.weakly_unique(group, invariance["m"]),
    )
    assert (best or ()) == known.objective
    assert (best is None) == (known.status == "INFEASIBLE")
    found = {frozenset(group.names for group in release.groups) for release in releases}
    assert known.groups is None or found == {known.groups}


def test_the_third_transient_release_against_all_partitions() -> None:
    """Eleven people; both requirements judge single groups, so one recursion over subsets tries all."""
    file = catalog.path("transient-diseases") / "release-3.yaml"
    asked, problem = _asked(file), _problem(file)
    assert set(asked.checks) == {"k_c_anonymity", "global_guarantee"}
    assert asked.minimize == ["information_loss"]
    loss = bf.LOSSES["information_loss"]
    full = (1 << len(asked.people)) - 1
    price: dict[int, Fraction] = {}
    for subset in range(1, full + 1):
        members = tuple(person for i, person in enumerate(asked.people) if subset >> i & 1)
        alone = bf.Release((bf.Group(members),))
        if all(check(alone, asked.history) for check in asked.checks.values()):
            price[subset] = loss(alone, asked.attributes)
    least = {0: Fraction(0)}
    for subset in range(1, full + 1):
        first = subset & -subset  # the group of the first person, then the best of the rest
        ways = [
            price[group] + least[subset ^ group]
            for group in price
            if group & first and group & subset == group and subset ^ group in least
        ]
        if ways:
            least[subset] = min(ways)
    assert solve_problem(problem, workers=1).objective == (least[full],) == (Fraction(31, 2),)
