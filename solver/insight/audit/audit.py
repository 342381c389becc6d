"""What an adversary who holds all releases can conclude, exactly; also for releases made elsewhere.

Requirements judge groups, pairs of releases, single attacks. The audit asks the question itself:
whose value is certain, how likely is the likeliest one, and which groups give it away? It does so
for the adversary after each release, who holds that one and all before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from ....models.adversary.boxes import BoxPopulation, box_population
from ....models.adversary.cells import Integers, Population, population
from ....models.adversary.knowledge import Knowledge
from ....models.errors import InputError
from ....models.history import History
from ....models.parameters import require_each, require_time_limit
from ....models.release import Release
from ....models.requirement import Requirement
from ...schedule import AUDIT
from ...settings import Clock
from ...worlds.decide import Ground
from ...worlds.exclusions import KINDS
from ...worlds.possible import AnyPopulation, Possible, Verdict, possible_values
from ...worlds.posterior import ValueProbabilities, posterior as count_worlds
from ...worlds.sampling import CountEstimate
from .attacks import Attack, run_attacks
from .attribute_audit import attribute_audits
from .audit_report import (
    AuditReport,
    AuditVerdict,
    Disclosure,
    How,
    PersistentAudit,
    ReleaseAudit,
)
from .changing import transient_audit
from .disclosures import explanations_of, find_disclosures, values_left
from .explain_value import ValueExplanation

__all__ = [
    "AuditReport",
    "AuditVerdict",
    "Disclosure",
    "How",
    "PersistentAudit",
    "ReleaseAudit",
    "audit",
]


_Told: TypeAlias = Callable[[int, int], None] | None


class _Decided(NamedTuple):
    possible: Possible[AnyPopulation]
    seconds: float


def audit(
    history: History | Iterable[Release],
    knowledge: Knowledge | None = None,
    *,
    time_limit: float | None = None,
    posterior: bool = True,
    explain: bool = True,
    examples: int = 10,
    attacks: Sequence[Requirement] = (),
    latest: int | None = None,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[str], None] | None = None,
) -> AuditReport:
    """Audit a series of releases.

    Parameters
    ----------
    history : History or releases
        At least one release with a group; releases oldest first.
    knowledge : Knowledge, optional
        What the adversary knows besides; default: nothing, and values never change.
    time_limit : float, optional
        Seconds of wall time for searching; the last release is audited first and gets up to half of it.
        Questions left undecided are reported as unknown. Without a limit, all are decided.
    posterior, explain : bool
        Whether to compute probabilities, and to explain disclosures.
    examples : int
        How many explanations there are at most.
    attacks : sequence of Requirement
        Named attacks to run one by one besides, for instance `usual_attacks()`.
    latest : int, optional
        Report only the adversaries after this many of the last releases, at least 1; all by default.
    stop : callable, optional
        Asked between questions; once it says True nothing more is searched, and what was found
        until then is reported.
    progress : callable, optional
        Told in words how far the audit is.

    Returns
    -------
    AuditReport

    Raises
    ------
    InputError, ReleaseError
        If the history or the knowledge is not usable (see `population`), or values that never change differ
        between two releases.
    """
    series = history if isinstance(history, History) else History(history)
    known = Knowledge.of(knowledge)
    _refuse_unusable(series, time_limit, latest)
    nobody = next(i for i, release in enumerate(series) if release.groups)  # published until then
    run = _Audit(
        series=series,
        known=known,
        numbers=range(len(series), nobody if latest is None else max(nobody, len(series) - latest), -1),
        clock=Clock(time_limit, stop=stop),
        tell=_teller(progress, len(series)),
    )
    return run.report(_named(attacks), posterior=posterior, examples=examples if explain else 0)


def _named(attacks: Sequence[Requirement]) -> tuple[Requirement, ...]:
    remedy = "give usual_attacks(), or requirements in a list"
    return require_each("attacks", attacks, Requirement, remedy=remedy)


def _refuse_unusable(series: History, time_limit: float | None, latest: int | None) -> None:
    require_time_limit(time_limit, InputError)
    if latest is not None and not latest >= 1:
        raise InputError(f"latest must be at least 1 release, got {latest}")
    if not len(series):
        raise InputError("the history is empty: append a release first")
    if not any(release.groups for release in series):
        raise InputError("the history has no published group: append a release first")


def _teller(progress: Callable[[str], None] | None, releases: int) -> Callable[[int, str], _Told]:
    def tell(number: int, what: str) -> _Told:
        def told(done: int, of: int) -> None:
            if progress is not None:
                progress(f"release {number} of {releases}: {what}, {done} of {of} components")

        return told

    return tell


@dataclass(frozen=True, kw_only=True)
class _Audit:
    """Which adversaries are audited (after how many releases, the last ones first), and what they know."""

    series: History
    known: Knowledge
    numbers: range
    clock: Clock
    tell: Callable[[int, str], _Told]

    def report(self, attacks: Sequence[Requirement], *, posterior: bool, examples: int) -> AuditReport:
        """Decide what values are possible, and count worlds if probabilities are asked for."""
        decided = {} if self.known.persistence == "transient" else dict(map(self._decided, self.numbers))
        possible = decided[len(self.series)].possible if decided else None
        disclosures: tuple[Disclosure, ...] = ()
        explanations: tuple[ValueExplanation, ...] = ()
        if possible is not None:
            disclosures = find_disclosures(possible, self.known, self.series[-1].sensitive)
            explanations = explanations_of(self.series, possible, disclosures, examples, self.clock)
        # Probabilities last: they are the dearest, and worlds can only be counted for small components.
        named = run_attacks(self.series, attacks)
        counted: dict[int, ValueProbabilities] = {}
        audits = [
            self._entry(number, decided.get(number), named[number - 1], counted, posterior=posterior)
            for number in self.numbers
        ]
        return AuditReport(
            releases=tuple(reversed(audits)),
            disclosures=disclosures,
            explanations=explanations,
            history=self.series,
            knowledge=self.known,
            possible=possible,
            probabilities=counted.get(len(self.series)),
        )

    def _decided(self, number: int) -> tuple[int, _Decided]:
        watch, known = Clock(), self.known
        clock = self.clock.share(AUDIT.last) if number == len(self.series) else self.clock
        told = self.tell(number, "values")
        if known.membership == "boxes":
            found = _widened(possible_values(box_population(self.series, known, number), clock, told))
        else:
            found = _widened(possible_values(population(self.series, known, number), clock, told))
        return number, _Decided(found, watch.seconds)

    def _entry(
        self,
        number: int,
        decided: _Decided | None,
        attacks: tuple[Attack, ...],
        counted: dict[int, ValueProbabilities],
        *,
        posterior: bool,
    ) -> ReleaseAudit:
        """The adversary who holds the first so many releases; what was counted goes into `counted`."""
        watch, told = Clock(), self.tell(number, "probabilities")
        given, persistent, seconds = 0, None, 0.0
        if decided is not None:
            possible, seconds = decided
            given = len(possible.population.given)
            if posterior and not isinstance(possible.population, BoxPopulation):
                counted[number] = count_worlds(_strong(possible), clock=self.clock, progress=told)
            persistent = _persistent(possible, counted.get(number), asked=posterior)
            attributes, partly = attribute_audits(
                possible, counted.get(number), self.known, self.series[number - 1].sensitive
            )
            persistent = replace(persistent, attributes=attributes, partly=partly)
        transient = None if self.known.persistence == "persistent" else transient_audit(self.series, number)
        return ReleaseAudit(
            release=number,
            respondents=sum(record.first < number for record in self.series.records.values()),
            given=given,
            persistent=persistent,
            transient=transient,
            attacks=attacks,
            seconds=round(seconds + watch.seconds, 3),
        )


def _widened(possible: Possible[Population] | Possible[BoxPopulation]) -> Possible[AnyPopulation]:
    return possible  # pyright: ignore[reportReturnType] - frozen, so a population of one kind is one of any


def _persistent(
    possible: Possible[AnyPopulation], counted: ValueProbabilities | None, *, asked: bool
) -> PersistentAudit:
    people = possible.population
    system = people.system
    verdicts = possible.verdicts[: len(system.cell)]
    sizes = people.asked
    disclosed = {how: int(sizes[left == 1].sum()) for how, left in values_left(possible).items()}
    unknown = verdicts == Verdict.UNKNOWN
    sure = np.bincount(system.cell[verdicts == Verdict.POSSIBLE], minlength=len(sizes))
    doubtful = np.bincount(system.cell[unknown], minlength=len(sizes)) > 0
    chances = _Chances(worst=None, at_most=None, without=0, estimated=0, estimate=None)
    if counted is not None:
        chances = _chances(counted, sizes)
    elif asked:
        chances = chances._replace(without=int(sizes.sum()))
    grounds = Counter(possible.grounds[: len(system.cell)].tolist())
    return PersistentAudit(
        set_intersection=disclosed["set intersection"],
        propagation=disclosed["propagation"],
        exact=disclosed["exact"],
        undecided=int(sizes[(sure == 1) & doubtful].sum()),
        unknown=int(unknown.sum()),
        worst=chances.worst,
        at_most=chances.at_most,
        without_posterior=chances.without,
        estimated=chances.estimated,
        worst_estimate=chances.estimate,
        proofs={KINDS[ground]: grounds[ground] for ground in Ground if grounds[ground] and ground},
        searched=possible.searched,
        open_pairs=possible.open_pairs,
    )


class _Chances(NamedTuple):
    worst: Fraction | None
    at_most: Fraction | None
    without: int
    estimated: int
    estimate: CountEstimate | None


def _chances(found: ValueProbabilities, sizes: Integers) -> _Chances:
    cells = found.possible.population.system.cell.tolist()
    missing = {cell for cell, chance in zip(cells, found.probabilities, strict=True) if chance is None}
    worst = max(
        (
            chance
            for cell, chance in zip(cells, found.probabilities, strict=True)
            if chance is not None and sizes[cell] and cell not in missing
        ),
        default=None,
    )
    guessed = {cells[j] for j in found.estimates}
    ends = [
        found.intervals[j][1] if chance is None and j in found.intervals else chance
        for j, (cell, chance) in enumerate(zip(cells, found.probabilities, strict=True))
        if sizes[cell]
    ]
    highest = [end for end in ends if end is not None]
    return _Chances(
        worst=worst,
        at_most=max(highest, default=None) if len(highest) == len(ends) else None,
        without=int(sizes[sorted(missing)].sum()) if missing else 0,
        estimated=int(sizes[sorted(guessed)].sum()) if guessed else 0,
        estimate=max(
            (e for j, e in found.estimates.items() if sizes[cells[j]]), key=lambda e: e.value, default=None
        ),
    )


def _strong(possible: Possible[AnyPopulation]) -> Possible[Population]:
    return possible  # pyright: ignore[reportReturnType] - told apart by its population before
