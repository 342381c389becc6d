"""The report as one HTML file: no script, no request to anywhere, light, dark and print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from typing import Any, cast

from jinja2 import Environment, StrictUndefined, TemplateError

from ....models.errors import OptanonError, ProblemFileError
from ...certificate import Certificate
from ...result import UNCHECKED
from . import charts
from .facts import FORMAT, Facts, Risk

__all__ = ["report_page"]

PLAIN = {
    "OPTIMAL": "Proven optimal: no release that keeps this policy loses less.",
    "FEASIBLE": "A release that keeps the policy. Better ones may exist, but none below the proven bound.",
}
MOST_SIZES = 24


def report_page(record: Mapping[str, Any], *, comparison: Mapping[str, Any] | None = None) -> str:
    """Make the page of one result.

    Parameters
    ----------
    record : mapping
        Content of a result file, with its facts.
    comparison : mapping, optional
        What `optanon compare --json` wrote for the same problem.

    Raises
    ------
    ProblemFileError
        If the result has no release or no facts, naming what is missing, is damaged, or the comparison
        is none of one problem.
    CertificateError
        If its certificate is damaged.
    """
    if comparison is not None and not {"columns", "rows"} <= comparison.keys():
        raise ProblemFileError(
            "the comparison is not of one problem: make it with `optanon compare --json` for the problem of "
            "this result alone"
        )
    if record.get("certificate") is not None:
        _ = Certificate.of(record["certificate"])
    try:
        return _page(record, comparison)
    except OptanonError:
        raise
    except (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ProblemFileError(
            f"the result file is damaged ({type(error).__name__}): make it again with `optanon solve`"
        ) from error


def _page(record: Mapping[str, Any], comparison: Mapping[str, Any] | None) -> str:
    known = record.get("facts")
    if not isinstance(known, Mapping) or known.get("format") != FORMAT:
        raise ProblemFileError(
            f"the result is {record['status']} and holds no facts of a release to report: if there is one, "
            "make the file again with `optanon solve`"
            if "status" in record
            else "this is no result file of `optanon solve`: it has no status"
        )
    found = cast("Facts", known)
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["number"] = _number
    template = environment.from_string(
        files("optanon.solver.insight.report").joinpath("page.html.j2").read_text(encoding="utf-8")
    )
    certificate = record.get("certificate") or {}
    return template.render(
        record=record,
        facts=found,
        plain=PLAIN.get(str(record["status"]), ""),
        unchecked=UNCHECKED if found.get("series_checked") is False else None,
        losses=_by_loss(found),
        charts=_charts(record, found),
        risks=_by_release(found["risks"]),
        claims=sorted({claim["kind"] for claim in certificate.get("claims", ())}),
        words=[
            f"{claim['solver']} ({claim['why']})"
            for claim in certificate.get("claims", ())
            if claim["kind"] == "trusted"
        ],
        certificate=certificate,
        comparison=comparison,
    )


def _number(text: str | float | None) -> str:
    """A number for people: exact if short, else six digits."""
    if text is None:
        return "–"
    value = Fraction(text)
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.6g}"


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


def _charts(record: Mapping[str, Any], found: Facts) -> dict[str, Any]:
    losses = _by_loss(found)
    made: dict[str, Any] = {
        "sizes": charts.histogram(
            "sizes",
            "How many QI-groups have which size",
            *_sizes(found["group_sizes"]),
            "tuples in a QI-group",
            "QI-groups",
        ),
        "attributes": charts.bars(
            "attributes",
            "Information loss by attribute",
            [name for name, _, _ in losses],
            [share for _, _, share in losses],
            "mean loss of a tuple (0 exact, 1 nothing is said)",
        ),
        "tuples": charts.histogram(
            "tuples",
            "Information loss per tuple",
            *_binned(found["loss_per_tuple"], len(found["attributes"])),
            "information loss of a tuple",
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
        "course": _course(record),
        "risks": None,
        "series": None,
    }
    if len(found["series"]) > 1:
        places = [entry["release"] for entry in found["series"]]
        made["series"] = charts.lines(
            "series",
            "Counterfeits and suppressed tuples over the releases",
            places,
            {
                "counterfeits": [entry["counterfeits"] for entry in found["series"]],
                "suppressed": [entry["suppressed"] for entry in found["series"]],
            },
            "tuples",
        )
        ways: dict[str, list[float]] = {}
        for risk in found["risks"]:
            ways.setdefault(risk["attack"], []).append(risk["at_risk"])
        drawn: dict[str, Sequence[float]] = {
            attack: counts for attack, counts in ways.items() if len(counts) == len(places)
        }
        if drawn:  # the audit may have been left out
            made["risks"] = charts.lines(
                "risks",
                "Respondents whose value is disclosed, over the releases",
                places,
                drawn,
                "respondents at risk",
            )
    return made


def _course(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """One chart per level of the objective that was searched."""
    made: list[tuple[str, str]] = []
    for index, level in enumerate(record["objective"]):
        points = [point for point in record["trajectory"] if point["level"] == index]
        if not points:
            continue
        made.append(
            (
                level["loss"],
                charts.steps(
                    f"course{index}",
                    f"Best release and proven bound over time: {level['loss']}",
                    [point["seconds"] for point in points],
                    [_float(point["value"]) for point in points],
                    [_float(point["bound"]) for point in points],
                    level["loss"].replace("_", " "),
                ),
            )
        )
    return made


def _float(text: str | None) -> float | None:
    return None if text is None else float(Fraction(text))


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
