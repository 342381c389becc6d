"""What a drafted problem file says of a series: its stored history, and a policy for all releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .series_policy import fewest_counterfeits
from .usual_policy import SensitiveCounts, usual_policy
from .yaml_words import comment, flow, scalar

__all__ = ["Continued", "series_lines"]


@dataclass(frozen=True, kw_only=True)
class Continued:
    """The series that a table belongs to.

    Parameters
    ----------
    store : str
        Its stored history, as the problem file should name it.
    key_file : str, optional
        The history's key.
    releases : int
        How many releases there are.
    policy : Mapping, optional
        Of the last of them, as a stored history keeps it.
    levels : Mapping of str to str
        Files of the policy's hierarchies by column, as the problem file should name them.
    unfit : str, optional
        Why they do not fit the new table, if they do not.
    """

    store: str
    key_file: str | None = None
    releases: int = 0
    policy: Mapping[str, Any] | None = None
    levels: Mapping[str, str] = field(default_factory=dict[str, str])
    unfit: str | None = None


HISTORY = """
The releases of this series, with who was in which group: keep it private. `optanon solve --append`
checks the new release together with all of them, audits the series, and adds it. It refuses if somebody
who holds all releases could then be certain of anybody's value.
"""
KEPT = """
What every release must keep, as in release {}. A series keeps its policy: what was published under
another one may leave none here.
"""
LEVELS = """
Levels that numbers and ordered categories are published at, as in release {}.
"""
UNFIT = """
NOT KEPT: the levels of release {}. They do not fit this table: {}. Correct the files, and uncomment the
next line; as it is, columns are halved instead.
"""
COUNTERFEITS = """
counterfeits: invented rows. They even out the values of a group, for instance after somebody left. The
release says how many a group has, not which; whoever counts rows must subtract them. Their number is
what is minimized first.
"""
WEAK_M = """
m: every group shows {m} values of the private column or more, all equally often, and whoever comes back
is published among the same values again. So whoever holds all releases of the series, and knows who is
in which group of each, can give no value of anybody more than 1/{m}.
"""
UNEVEN = " One value has {most} of the {rows} rows: this takes {needed} counterfeits or more."
HC = "n: and whoever knows {people} besides learns nobody else's by comparing a group with an earlier one."


def series_lines(series: Continued, counts: SensitiveCounts, k: int | None) -> list[str]:
    """Where the history is, and the policy: of the release before, or one to begin a series with.

    Parameters
    ----------
    series : Continued
    counts : SensitiveCounts
    k : int, optional
        Smallest size of a group besides.
    """
    named = scalar(series.store)
    if series.key_file is not None:
        named = f"{{store: {named}, key_file: {scalar(series.key_file)}}}"
    lines = ["", *comment(HISTORY), f"history: {named}", "", "policy:"]
    before = series.policy
    if before is None:
        usual = usual_policy(again=True, counts=counts, k=k)
        lines += comment(usual.why, 2)
        asked = list(usual.requirements)
        minimize, limits = list(usual.minimize), list[str]()
    else:
        lines += comment(KEPT.format(series.releases), 2)
        asked = [pair for requirement in before["requirements"] for pair in requirement.items()]
        if k is not None:
            asked.insert(0, ("k_c_anonymity", {"k": k}))
        minimize = [_level(weights) for weights in before["minimize"]]
        names = [name for name in ("max_suppressed", "max_counterfeits") if before[name] is not None]
        limits = [f"  {name}: {before[name]}" for name in (*names, "form", "recoding")]
        if before.get("weights"):
            said = {scalar(name): weight for name, weight in before["weights"].items()}
            limits.append(f"  weights: {flow(said)}")
        if before.get("outlook"):
            said = before["outlook"]
            limits.append(f"  outlook: {said if isinstance(said, str) else flow(said)}")
        limits += _levels(series)
    lines.append("  requirements:")
    for name, settings in asked:
        lines += comment(_explained(name, settings, counts.combined), 4)
        given = {key: value for key, value in settings.items() if value is not None}
        lines.append(f"    - {name}: {flow(given)}")
    lines += comment("What should be lost least, the most important first.", 2)
    if "counterfeits" in minimize:
        lines += comment(COUNTERFEITS, 2)
    return [*lines, f"  minimize: [{', '.join(minimize)}]", *limits]


def _levels(series: Continued) -> list[str]:
    """Where the hierarchies of the policy are."""
    if not series.levels:
        return []
    line = f"hierarchies: {flow({scalar(name): path for name, path in series.levels.items()})}"
    if series.unfit is None:
        return [*comment(LEVELS.format(series.releases), 2), f"  {line}"]
    return [*comment(UNFIT.format(series.releases, series.unfit), 2), f"  # {line}"]


def _level(weights: Mapping[str, str]) -> str:
    """One level of an objective: a loss, or several with their weights."""
    alone = len(weights) == 1 and next(iter(weights.values())) == "1"
    return next(iter(weights)) if alone else flow(weights)


def _explained(name: str, settings: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """What a requirement asks, in plain words."""
    if name == "weak_m_invariance":
        needed = fewest_counterfeits(counts, settings["m"])
        uneven = {"most": max(counts.values()), "rows": sum(counts.values()), "needed": needed}
        return WEAK_M.format(m=settings["m"]).strip() + (UNEVEN.format(**uneven) if needed else "")
    if name == "hc_safety":
        known = settings["n"] - 1
        return HC.format(people="one person's value" if known == 1 else f"the values of {known} people")
    if name == "distinct_l_diversity" and isinstance(settings.get("attribute"), str):
        return f"l: every group shows {settings['l']} values of {settings['attribute']} or more."
    if name == "k_c_anonymity" and set(settings) == {"k"}:
        return f"k: nobody can be told from fewer than {settings['k']} rows."
    return "See the page `Requirements and losses` of the documentation."
