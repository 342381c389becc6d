"""Who gets how much of the time limit in searches with a past; see `schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from .shares import Of, Schedule, Seconds, Share

__all__ = ["AHEAD", "SIGNATURE", "WITHSTAND"]

LATE = {"least": 0.5, "least_part": 0.05}
"""What any step with a past gets, however late it is."""


@dataclass(frozen=True, kw_only=True)
class Signature(Schedule):
    """Signature plan, equal counts and a past: counterfeits first, then column generation, then regions."""

    start: Share = Share(part=0.3, of=Of.LIMIT, why="random fillings of the counts, and guesses of duals")
    counts: Share = Share(part=0.2, of=Of.LEFT, least=0.05, why="a solution of the program over counts")
    fewer: Share = Share(part=0.4, of=Of.PASSED, **LATE, why="fewer counterfeits, without boxes")
    linear: Share = Share(part=0.55, of=Of.PASSED, **LATE, why="the linear program")
    cuts: Share = Share(part=0.65, of=Of.PASSED, **LATE, why="cuts")
    sizes: Share = Share(
        part=0.5, of=Of.LEFT, unlimited=600.0, why="a large table's bound, by sizes of groups"
    )
    pool: Share = Share(part=0.12, of=Of.LIMIT, why="an integer program over the columns so far")
    far: Share = Share(part=0.75, of=Of.PASSED, **LATE, why="regions first, far from the bound")
    close: Share = Share(part=0.8, of=Of.PASSED, **LATE, why="listed groups, before the regions")
    region: Share = Share(
        part=1.0, of=Of.LIMIT, most=4.0, why="column generation, or the program, of a region"
    )
    round: Seconds = Seconds(value=3e-8, unit="s a pair of rows", why="a round of columns, set up and priced")


@dataclass(frozen=True, kw_only=True)
class Ahead(Schedule):
    """A series that looks ahead."""

    alone: Share = Share(
        part=0.2, of=Of.LIMIT, most=10.0, unlimited=3.0, why="a search without it, to say what it costs"
    )
    begun: Seconds = Seconds(
        value=1e-4, unit="s a tuple", why="with less there is no such search: setting it up would take longer"
    )
    family: Share = Share(
        part=0.2, of=Of.LIMIT, least=2.5, least_part=0.5, why="for one program over all signatures"
    )
    proposed: Seconds = Seconds(
        value=5e-4,
        unit="s a tuple",
        why="with less left, large tables are dealt signatures: programs over others leave no time for seats",
    )
    families: Share = Share(part=0.5, of=Of.PASSED, why="no further program after this: people need seats")
    trying: Share = Share(part=0.6, of=Of.PASSED, why="no further family is seated to compare them")
    compared: Seconds = Seconds(
        value=2e-3,
        unit="s a tuple",
        why="with less left, large tables are seated at once: brief seats are not brief there",
    )
    seated: Share = Share(part=0.75, of=Of.LEFT, unlimited=0.0, why="exchanges of a large table")
    exchange: Seconds = Seconds(value=5e-7, unit="s an exchange", why="what these take, in large tables")
    hindsight: Share = Share(part=0.1, of=Of.LIMIT, most=5.0, why="what nobody avoids, in drawn futures")
    within: Share = Share(
        part=0.3, of=Of.LIMIT, most=60.0, why="the program over groups of the signatures that were chosen"
    )
    cubed: Seconds = Seconds(value=3e-8, unit="s a cubed tuple", why="it is not begun where it takes longer")
    linear: Share = Share(part=0.75, of=Of.PASSED, why="its bound; then a release is made of its columns")


@dataclass(frozen=True, kw_only=True)
class Withstand(Schedule):
    """Releases nobody can be inferred from: a bound and a release without the demand, a start, annealing."""

    bound: Share = Share(part=0.4, of=Of.LEFT, least=0.2, why="the policy without the demand gets its part")
    met: Share = Share(
        part=0.15, of=Of.LEFT, unlimited=60.0, why="the bound of groups that leave each member values"
    )
    first: Share = Share(part=0.9, of=Of.LEFT, unlimited=60.0, why="groups of a first release")
    newcomers: Share = Share(part=0.2, of=Of.LEFT, least=0.1, unlimited=20.0, why="newcomers by themselves")
    required: Share = Share(part=0.03, of=Of.LEFT, why="values that somebody's new group has to publish")
    masks: Share = Share(part=0.15, of=Of.LEFT, why="groups that leave each member values, before that")
    repair: Share = Share(part=0.2, of=Of.LEFT, why="a start that gives somebody away, with a rising price")
    out: Share = Share(part=0.3, of=Of.LEFT, why="people who tell of others find other groups")
    invented: Share = Share(part=0.3, of=Of.LEFT, why="counterfeits, where the policy has them")
    last: Share = Share(part=0.5, of=Of.LEFT, why="the last people who can be inferred, whatever it costs")
    anneal: Share = Share(
        part=0.85, of=Of.LEFT, why="the whole series is audited anew, the bound derived again"
    )
    round: Seconds = Seconds(
        value=1.5e-2, unit="s a tuple", why="a repair is begun again if as much is left for it at least,"
    )
    again: Share = Share(part=0.3, of=Of.LEFT, why="and this part of that is for the repair")
    anew: Seconds = Seconds(
        value=3e-2, unit="s a tuple", why="a safe start is annealed again if that is left"
    )
    audit: Share = Share(
        part=1.0, of=Of.LEFT, least=60.0, least_part=0.2, why="the whole series, before a release is taken"
    )
    audits: Seconds = Seconds(value=1.5, unit="times", why="what that took last is kept for the end")


SIGNATURE, AHEAD, WITHSTAND = Signature(), Ahead(), Withstand()
