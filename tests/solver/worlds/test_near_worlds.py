"""Worlds near the true one, and exclusions of many counts at once, in components of hundreds of counts."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from cases.attacks import history
from cases.audits import local_series, possible

from optanon.models.adversary.cells import population
from optanon.models.adversary.knowledge import Knowledge
from optanon.solver.worlds.counts import Verdict
from optanon.solver.worlds.decide import ComponentSearch, Ground
from optanon.solver.worlds.possible import possible_values


def test_verdicts_are_those_of_one_program_per_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stage decides some, and what all of them decide is what is decided one by one."""
    decided = Counter[str]()

    def watch(name: str) -> None:
        stage = getattr(ComponentSearch, name)

        def counting(self: ComponentSearch, *asked: object) -> object:
            before = len(self._todo)
            found = stage(self, *asked)
            decided[name] += before - len(self._todo)
            return found

        monkeypatch.setattr(ComponentSearch, name, counting)

    series = [local_series(Random(1), 250, 6, 16)]
    for name in ("_apart", "_near_truth"):
        watch(name)
    staged = [possible(one) for one in series]
    assert min(decided["_apart"], decided["_near_truth"]) > 10
    for name in ("_together", "_apart"):
        monkeypatch.setattr(ComponentSearch, name, lambda self, clock: True)
    monkeypatch.setattr(ComponentSearch, "_near_truth", lambda self, clock: None)
    for one, found in zip(series, staged, strict=True):
        alone = possible(one)
        assert (alone.verdicts == found.verdicts).all()
        assert not (found.verdicts == Verdict.UNKNOWN).any()
        checker = found.derivation.checker
        for column in (found.verdicts == Verdict.EXCLUDED).nonzero()[0].tolist():
            checker.check(found.derivation.proof(column))


def test_verdicts_and_proofs_do_not_depend_on_threads() -> None:
    """Components are searched side by side and written down in order."""
    people = population(history(local_series(Random(2), 400, 5, 8)), Knowledge())
    one, many = (possible_values(people, workers=workers) for workers in (1, 4))
    assert one.searched == many.searched > 1
    assert (one.verdicts == many.verdicts).all()
    assert (one.grounds == many.grounds).all()
    assert one.derivation.steps == many.derivation.steps
    assert Ground.LINEAR in one.grounds


def test_what_is_under_way_ends_when_nobody_waits_for_it() -> None:
    people = population(history(local_series(Random(2), 400, 5, 8)), Knowledge())

    def told(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        possible_values(people, progress=told)
