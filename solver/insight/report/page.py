"""The report as one HTML file: no script, no request to anywhere, light, dark and print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from typing import Annotated, Any

from jinja2 import Environment, StrictUndefined
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ....models.errors import ProblemFileError
from ....models.exact_numbers import show_gap, show_number
from ...level_value import UNCHECKED, LevelValue
from ...written import Ratio, Words
from . import charts
from .facts import Facts
from .sentences import (
    Risk,
    attack_in_words,
    attack_name,
    finding_in_words,
    untried_in_words,
    verdict_in_words,
    without_parameters,
)
from .told import Told

__all__ = ["report_page"]

PLAIN = {
    "OPTIMAL": "Proven optimal: no release that keeps this policy loses less.",
    "FEASIBLE": "A release that keeps the policy. Whether a better one exists is not known; the bound says "
    "how much better it could be at most.",
}
MOST_SIZES = 24
PRINTED = 40
"""Groups on paper; the page on a screen shows more."""


class ComparisonReference(BaseModel):
    """What the comparison says is proven: values of levels, most important first."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    optimum: Annotated[list[Ratio], Field(max_length=100)]


class ComparisonTable(BaseModel):
    """What `optanon compare --json` wrote for one problem, as far as a report shows it or can check it."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    tuples: int
    release: int
    policy: Words
    requirements: Annotated[list[Words], Field(max_length=100)]
    minimize: Annotated[list[Words], Field(max_length=100)]
    reference: ComparisonReference
    columns: Annotated[list[Words], Field(max_length=100)]
    rows: Annotated[list[list[Words | int | float | None]], Field(max_length=1_000)]


def report_page(said: Told, found: Facts, *, comparison: object = None) -> str:
    """Make the page of one result.

    Parameters
    ----------
    said : Told
        What was verified.
    found : Facts
        Of its release.
    comparison : mapping, optional
        What `optanon compare --json` wrote for the same problem.

    Raises
    ------
    ProblemFileError
        If the comparison is none of one problem, or of another one.
    """
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["number"] = _number
    environment.filters["gap"] = _gap
    environment.filters["attack"] = attack_in_words
    environment.filters["attack_name"] = attack_name
    environment.filters["names"] = without_parameters
    environment.filters["finding"] = finding_in_words
    environment.filters["untried"] = untried_in_words
    template = environment.from_string(
        files("optanon.solver.insight.report").joinpath("page.html.j2").read_text(encoding="utf-8")
    )
    return template.render(
        said=said,
        facts=found,
        printed=PRINTED,
        plain=PLAIN[said.status],
        unchecked=UNCHECKED if found.get("series_checked") is False else None,
        losses=_by_loss(found),
        charts=_charts(said, found),
        risks=_by_release(found["risks"]),
        verdict=verdict_in_words(found["risks"]),
        certificate=said.certificate,
        comparison=None if comparison is None else _compared(comparison, said, found),
    )


def _compared(comparison: object, said: Told, facts: Facts) -> ComparisonTable:
    try:
        found = ComparisonTable.model_validate(comparison)
    except ValidationError as error:
        raise ProblemFileError(
            "the comparison is not of one problem: make it with `optanon compare --json` for the problem of "
            "this result alone"
        ) from error
    if any(len(row) != len(found.columns) for row in found.rows):
        raise ProblemFileError(
            "the comparison is damaged: its rows do not have as many cells as it has columns"
        )
    _refuse_another(found, said, facts)
    return found


def _refuse_another(found: ComparisonTable, said: Told, facts: Facts) -> None:
    """Refuse a comparison of another problem than the result's, as far as the two can be told apart."""
    pairs: list[tuple[str, object, object]] = [
        ("rows", found.tuples, facts["tuples"]),
        ("release", found.release, facts["release"]),
        ("requirements", found.requirements, [one["text"] for one in facts["requirements"]]),
        ("minimize", found.minimize, [level.name for level in said.levels]),
    ]
    differing = [
        f"{name} {_listed(theirs)}, not {_listed(ours)}" for name, theirs, ours in pairs if theirs != ours
    ]
    if not differing and found.policy != said.certificate.problem.policy:
        differing.append("another policy (its limits, weights or outlook)")
    if not differing and _contradicts(found.reference.optimum, said, facts):
        differing.append("a proven optimum that the verified result contradicts, so another table or history")
    if differing:
        raise ProblemFileError(
            f"the comparison is of another problem than the result: {'; '.join(differing)}"
        )


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _contradicts(optimum: Sequence[Fraction], said: Told, facts: Facts) -> bool:
    """Whether the result is better than this optimum, or proves that it cannot be reached."""
    if not optimum:
        return False
    if [level.value for level in said.levels[: len(optimum)]] < list(optimum):
        return True
    # Beside recodings, the comparison's optimum is that of any grouping, below that of full-domain releases.
    bound = said.levels[0].bound
    return facts["limits"]["recoding"] != "full-domain" and bound is not None and optimum[0] < bound


def _number(text: str | float | Fraction | None) -> str:
    """A number for people, see `show_number`; a dash that is as wide as one if there is none."""
    return "–" if text is None else show_number(Fraction(text))


def _gap(level: LevelValue) -> str:
    return show_gap(level.value, level.bound)


def _by_loss(found: Facts) -> list[tuple[str, str, float]]:
    """Attribute, loss and its share of one tuple per tuple."""
    return [
        (name, loss, float(Fraction(loss) / found["tuples"]))
        for name, loss in found["loss_by_attribute"].items()
    ]


def _by_release(risks: Sequence[Risk]) -> dict[int, list[Risk]]:
    grouped: dict[int, list[Risk]] = {}
    for risk in risks:
        grouped.setdefault(risk["release"], []).append(risk)
    return grouped


def _charts(said: Told, found: Facts) -> dict[str, Any]:
    losses = _by_loss(found)
    return {
        "sizes": charts.histogram(
            "sizes",
            "How many groups have which size",
            *_sizes(found["group_sizes"]),
            "rows in a group",
            "groups",
        ),
        "attributes": charts.bars(
            "attributes",
            "Information lost by column",
            [name for name, _, _ in losses],
            [100 * share for _, _, share in losses],
            "% of its information lost",
        ),
        "tuples": charts.histogram(
            "tuples",
            "Information loss by row",
            *_binned(found["loss_per_tuple"], len(found["attributes"])),
            "information loss of a row",
        ),
        "spreads": [
            charts.pairs(
                f"spread{number}",
                f"Distribution of {spread['attribute']}, original and released",
                spread["labels"],
                spread["original"],
                spread["released"],
                spread["attribute"],
            )
            for number, spread in enumerate(found["spreads"])
        ],
        "course": _course(said),
        **_over_releases(found),
    }


def _over_releases(found: Facts) -> dict[str, Any]:
    """Charts of a series: what was invented and suppressed, and who is at risk; None for a single release."""
    made: dict[str, Any] = {"risks": None, "risks_told": "", "likeliest": None, "series": None}
    places = [entry["release"] for entry in found["series"]]
    if len(places) < 2:
        return made
    made["series"] = charts.lines(
        "series",
        "Rows invented and rows left out, release by release",
        places,
        {
            "invented": [entry["counterfeits"] for entry in found["series"]],
            "left out": [entry["suppressed"] for entry in found["series"]],
        },
        "rows",
    )
    ways: dict[str, list[float]] = {}
    for risk in found["risks"]:
        ways.setdefault(attack_name(risk["attack"]), []).append(risk["at_risk"])
    whole = {attack: counts for attack, counts in ways.items() if len(counts) == len(places)}
    reaching = {attack: counts for attack, counts in whole.items() if any(counts)}
    if reaching:
        told = "People reached by each attack, release by release"
        made["risks"] = charts.lines("risks", told, places, reaching, "people")
        idle = ", ".join(attack for attack in whole if attack not in reaching)
        made["risks_told"] = f"In no release do these reach anybody: {idle}." if idle else ""
    elif whole:  # the audit may have been left out
        made["risks_told"] = f"In no release does an attack reach anybody ({', '.join(whole)})."
    likeliest = [risk["worst"] for risk in found["risks"] if risk["worst"] is not None]
    if len(likeliest) == len(places):
        shares = [float(Fraction(worst)) for worst in likeliest]
        told = "Probability of the likeliest value of any person, release by release"
        made["likeliest"] = charts.lines("likeliest", told, places, {"": shares}, "probability", counts=False)
    return made


def _course(said: Told) -> list[tuple[str, str]]:
    """One chart per level of the objective that was searched."""
    made: list[tuple[str, str]] = []
    for index, level in enumerate(said.levels):
        points = [point for point in said.course if point.level == index]
        if not points:
            continue
        made.append(
            (
                level.name,
                charts.steps(
                    f"course{index}",
                    f"Best release and bound over time: {level.name}",
                    [point.seconds for point in points],
                    [None if point.value is None else float(point.value) for point in points],
                    [None if point.bound is None else float(point.bound) for point in points],
                    level.name.replace("_", " "),
                ),
            )
        )
    return made


def _sizes(counted: Mapping[str, int]) -> tuple[list[str], list[int]]:
    """Sizes in order; beyond `MOST_SIZES` different ones, the largest together."""
    sizes = sorted((int(size), count) for size, count in counted.items())
    labels, counts = [str(size) for size, _ in sizes], [count for _, count in sizes]
    if len(sizes) <= MOST_SIZES:
        return labels, counts
    kept = MOST_SIZES - 1
    return [*labels[:kept], f"{labels[kept]} or more"], [*counts[:kept], sum(counts[kept:])]


def _binned(losses: Sequence[Sequence[Any]], attributes: int) -> tuple[list[str], list[int]]:
    """Losses from 0 to the number of attributes, in twelve bins."""
    bins = 12
    counts = [0] * bins
    top = max([Fraction(loss) for loss, _ in losses], default=Fraction(0)) or Fraction(attributes)
    for loss, count in losses:
        counts[min(bins - 1, int(Fraction(loss) / top * bins))] += int(count)
    return [f"{float(top * i / bins):.2g}–{float(top * (i + 1) / bins):.2g}" for i in range(bins)], counts
