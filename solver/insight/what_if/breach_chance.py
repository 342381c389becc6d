"""How likely compromised tuples disclose somebody: a simulation with a confidence interval.

Every published tuple is compromised with probability p, independently; one of a respondent's tuples
is enough to know the value that never changes. In each trial it is decided exactly whether
anybody's value that was neither certain nor compromised becomes certain, and whether that of one
respondent does, drawn at random among those whose value was not certain; she herself is taken not
to be compromised. What comes out is an *estimate*. The interval (Clopper and Pearson) covers
the true probability with at least the stated confidence, whatever it is.

Beside it stands the estimate f(p, L, m, n) of Riboni and Bettini: see `n_choose.restriction_estimate`
for what it assumes. It is no bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ....models.adversary.system import System
from ....models.errors import InputError
from ....models.parameters import whole
from ...settings import Clock
from ...worlds.blocks import Block
from ...worlds.possible import Verdict

__all__ = ["BreachChance", "Estimate", "breach_chance"]

CONFIDENCE = Fraction(95, 100)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A share of trials, and an interval for the probability.

    Attributes
    ----------
    hits, trials : int
        Trials in which it happened, and all of them.
    open : int
        Trials not decided in time; the interval holds whatever they would have been.
    low, high : float
        Exact interval of Clopper and Pearson at the confidence of `BreachChance`.
    """

    hits: int
    trials: int
    open: int
    low: float
    high: float

    @classmethod
    def of(cls, hits: int, trials: int, undecided: int, confidence: Fraction) -> Estimate:
        """With its interval, which is 0 to 1 without a trial."""
        if not trials:
            return cls(hits=hits, trials=0, open=undecided, low=0.0, high=1.0)
        from scipy.stats import binomtest  # loading it takes a second that other questions need not wait for

        low, high = (
            binomtest(many, trials).proportion_ci(float(confidence), method="exact")
            for many in (hits, hits + undecided)
        )
        return cls(hits=hits, trials=trials, open=undecided, low=float(low.low), high=float(high.high))

    @property
    def share(self) -> Fraction | None:
        """Hits among decided trials; None without any."""
        decided = self.trials - self.open
        return Fraction(self.hits, decided) if decided else None


@dataclass(frozen=True, kw_only=True)
class BreachChance:
    """Estimated probabilities of a breach by compromised tuples.

    Attributes
    ----------
    p : Fraction
        Probability that a tuple is compromised.
    seed : int
        Of the simulation.
    confidence : Fraction
        Of the intervals.
    someone : Estimate
        Somebody's value that is neither certain nor compromised becomes certain.
    respondent : Estimate
        A respondent's does, drawn from all those whose value is not certain as it is; the
        respondent's own tuples are not compromised.
    formula : Fraction or None
        The estimate f(p, L, m, n) of the literature for `respondent`; None if a group publishes a
        single value or nothing.
    history, signature, degree : int
        Its L (most releases of a respondent), m (values of the smallest signature) and n (degree of
        hc-safety that the groups keep pairwise, at most m).
    """

    p: Fraction
    seed: int
    confidence: Fraction
    someone: Estimate
    respondent: Estimate
    formula: Fraction | None
    history: int
    signature: int
    degree: int

    note: ClassVar[str] = (
        "simulated shares are estimates; f is the literature's estimate for a weakly m-invariant history, "
        "no bound: the true probability can be larger"
    )


def breach_chance(
    blocks: list[Block], system: System, p: Fraction, *, trials: int, seed: int, clock: Clock
) -> tuple[Estimate, Estimate]:
    """Simulate: somebody disclosed, and a respondent drawn at random disclosed.

    Parameters
    ----------
    blocks : list of Block
        All of the series (see `worlds.blocks`).
    system : System
        Its cells tell in how many releases their respondents are.
    p : Fraction
        0 to 1.
    trials : int
        At least 1.
    seed : int
        Same seed, same estimates (without a time limit).
    clock : Clock
        When over, the trial that was running counts as undecided and is the last.
    """
    if not 0 <= p <= 1:
        raise InputError(f"probability must be from 0 to 1, got {p}")
    if trials < 1:
        raise InputError(f"trials must be at least 1, got {trials}")
    random = np.random.default_rng(whole("what_if", "seed", seed, 0))
    views = [_View(block, system, float(p), clock) for block in blocks]
    ends = np.cumsum([view.people for view in views], dtype=np.int64)
    hits, undecided, done = [0, 0], [0, 0], 0
    if not views or not ends[-1]:
        return Estimate.of(0, trials, 0, CONFIDENCE), Estimate.of(0, 0, 0, CONFIDENCE)
    while done < trials and not clock.over:
        done += 1
        answers = (_someone(views, random), _one(views, ends, random))
        for which, answer in enumerate(answers):
            hits[which] += answer is True
            undecided[which] += answer is None
    someone, one = (Estimate.of(h, done, u, CONFIDENCE) for h, u in zip(hits, undecided, strict=True))
    return someone, one


def _someone(views: list[_View], random: np.random.Generator) -> bool | None:
    drawn = [(view, view.draw(random)) for view in views]
    answers = [view.discloses(held) for view, held in drawn if held]
    return True if True in answers else None if None in answers else False


def _one(
    views: list[_View], people: np.ndarray[tuple[int], np.dtype[np.int64]], random: np.random.Generator
) -> bool | None:
    total = int(people.sum())
    if not total:
        return False
    number = int(random.integers(total))
    view = views[int(np.searchsorted(np.cumsum(people), number, side="right"))]
    target = view.draw_target(random)
    return view.certain(target, view.draw(random, spared=target))


_Drawn = tuple[tuple[int, int], ...]


class _View:
    """A block, with the chance that a respondent of each kind is compromised."""

    def __init__(self, block: Block, system: System, p: float, clock: Clock) -> None:
        self.block, self.clock = block, clock
        self.kinds = np.array(block.kinds, dtype=np.int64)
        tuples = (system.patterns[block.cell[self.kinds]] >= 0).sum(axis=1)
        self.chance = 1 - (1 - p) ** tuples
        self.counts = block.truth[self.kinds]
        self.targets = [kind for kind in block.kinds if self._asked(kind, ()) is not True]
        self.open = np.array([kind in set(self.targets) for kind in block.kinds])
        self.people = int(self.counts[self.open].sum())
        self._known: dict[tuple[int, _Drawn], bool | None] = {}

    def draw(self, random: np.random.Generator, spared: int | None = None) -> _Drawn:
        """How many of each kind are compromised; one of the kind `spared` is not."""
        counts = self.counts - (self.kinds == spared if spared is not None else 0)
        found = random.binomial(counts, self.chance)
        return tuple((int(kind), int(n)) for kind, n in zip(self.kinds, found, strict=True) if n)

    def draw_target(self, random: np.random.Generator) -> int:
        """The kind of a respondent drawn among those whose value is not certain."""
        weights = np.where(self.open, self.counts, 0)
        return int(
            self.kinds[np.searchsorted(np.cumsum(weights), int(random.integers(self.people)), "right")]
        )

    def certain(self, target: int, held: _Drawn) -> bool | None:
        """Whether the target's value is certain if these are compromised; None if undecided."""
        key = (target, held)
        if self._known.get(key) is None:
            self._known[key] = self._asked(target, held)
        return self._known[key]

    def discloses(self, held: _Drawn) -> bool | None:
        """Whether somebody's value becomes certain who is not compromised."""
        count = dict(held)
        doubt = False
        for target in self.targets:
            if count.get(target, 0) == int(self.block.truth[target]):
                continue
            answer = self.certain(target, held)
            if answer:
                return True
            doubt |= answer is None
        return None if doubt else False

    def _asked(self, target: int, held: _Drawn) -> bool | None:
        if self.block.shown(target, dict(held)):
            return False
        verdict, _ = self.block.ask(target, dict(held), self.clock)
        return None if verdict is Verdict.UNKNOWN else verdict is Verdict.EXCLUDED
