"""What Riboni and Bettini draw: Fig. 2 (their lemmas), n-Choose, and the domain of birthplaces they used.

The plots' numbers are not in the text, only what is read off them: the probability of a breach is "very
high" for n = 1, below 0.15 for n = 2 and below 0.1 for n = 3 (m = 6, p = 0.04).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from ..models.n_choose import (
    compromise_probability,
    correlation_probability,
    n_choose,
    restriction_estimate,
)
from .registry import Row

__all__ = ["birthplace", "closeness", "figure_2"]

RELEASES = (1, 3, 6, 9, 12, 15, 18, 21, 24)
CHANCES = ("0.01", "0.02", "0.04", "0.08")
P, M, H = Fraction(4, 100), 6, Fraction(1, 10)
CLOSE = 1.1
CAUSE = (
    "as printed (Fig. 5) a group is the head of one sorted list: narrow in one attribute, random in the "
    "others, in the first release, too, where nothing is unsafe yet"
)
LIMITS = {1: "very high", 2: "below 0.15", 3: "below 0.1"}
CHOSEN = {24: 3, 21: 3}

REGIONS = (
    (60, None),
    (100, "US islands"),
    (200, "Europe"),
    (300, "Asia"),
    (303, "Northern America"),
    (321, "Mexico and Central America"),
    (360, "Caribbean"),
    (400, "South America"),
    (500, "Africa"),
)
"""Upper ends of the census' codes; states of the US keep theirs, beyond are Oceania and the rest."""


def birthplace(code: str) -> str:
    """One of 60 birthplaces: a state of the US (51 with its capital), or one of nine regions."""
    number = int(code)
    for end, region in REGIONS:
        if number < end:
            return code if region is None else f"{end} {region}"
    return "600 Oceania and elsewhere"


def figure_2() -> Iterator[Row]:
    """Probabilities over the releases that a tuple is in, exact and then rounded."""
    for chance in CHANCES:
        lemma = _each(lambda count, p=Fraction(chance): compromise_probability(p=p, history=count))
        yield {"figure": "Fig. 2(a): a value excluded by compromised tuples (Lemma 1)", "p": chance} | lemma
    for n in range(1, M + 1):
        lemma = _each(lambda count, n=n: correlation_probability(p=P, history=count, m=M, n=n))
        yield {"figure": "Fig. 2(b): a value excluded by correlations (Lemma 2)", "n": n} | lemma
    for n in range(1, M + 1):
        told = _each(lambda count, n=n: restriction_estimate(p=P, history=count, m=M, n=n))
        row: Row = {"figure": "Fig. 2(c): breach (Theorem 2, as in Fig. 3)", "n": n}
        yield row | told | {"published": LIMITS.get(n)}
    for releases, published in CHOSEN.items():
        found = n_choose(p=P, history=releases, m=M, h=H)
        row = {"figure": "Fig. 3: n-Choose", "L": releases, "n": found, "published": published}
        if found != published:
            least = restriction_estimate(p=P, history=releases, m=M, n=found or M)
            row["cause"] = f"the formula as printed gives {_shown(least)} for n = {found}, below h = 0.1"
        yield row


def _each(chance: Callable[[int], Fraction]) -> Row:
    return {str(releases): _shown(chance(releases)) for releases in RELEASES}


def closeness(rows: Sequence[Row]) -> Iterator[Row]:
    """Per variant of Cor-Split, how far its errors are above those of m-invariance at most, and why.

    Parameters
    ----------
    rows : sequence of Row
        Errors by selectivity, of m-invariance and of variants.
    """
    errors: dict[str, dict[tuple[int, str], float]] = {}
    for row in rows:
        for share, error in row.items():
            if share.endswith("%") and error is not None:
                mine = errors.setdefault(str(row["algorithm"]), {})
                mine[row["release"], share] = float(str(error).rstrip("%"))
    known = errors.pop("m_invariance", {})
    for name, mine in errors.items():
        times = [mine[at] / known[at] for at in mine if known.get(at)]
        if times:
            close = max(times) <= CLOSE
            yield {
                "algorithm": name,
                "most times m-invariance": round(max(times), 2),
                "published": "very close (no numbers)",
                "agrees": close,
                "cause": None if close else CAUSE,
            }


def _shown(probability: Fraction) -> str:
    return f"{float(probability):.4f}"
