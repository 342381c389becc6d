"""Every exclusion has a proof; what is wrong or was tampered with is refused."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import oracle.brute_force as bf
import pytest
from cases.attacks import history
from cases.audits import cases, local_series, possible
from oracle.brute_force_notation import release

from optanon.models.adversary.boxes import box_population
from optanon.models.adversary.cells import population
from optanon.models.adversary.knowledge import Knowledge
from optanon.models.adversary.proof import Case, ProofStep, ZeroProof
from optanon.models.errors import CertificateError
from optanon.solver.insight.audit.audit import audit
from optanon.solver.worlds import decide
from optanon.solver.worlds.exclusions import certificates, check_certificates, verify_audit
from optanon.solver.worlds.possible import Verdict

PIGEONHOLE = [
    release("1a 6b", "2b 7a", "3c 8a", "4c 9d", "5d 0c"),
    release("1a 2b 3c 4c 5d", "6b 7a 8a 9d 0c"),
]


def test_every_exclusion_of_small_series_is_proven() -> None:
    """And they are all there are."""
    kinds: Counter[str] = Counter()
    for series, known in cases(21, 100):
        report = audit(history(series), Knowledge(compromised=dict(known)), posterior=False, explain=False)
        values = {v for groups, _ in series for g in groups for v in g.signature}
        left = bf.possible_values(series, dict(known))
        told: set[tuple[str, str]] = set()
        for exclusion in report.exclusions():
            exclusion.check()
            kinds[exclusion.proof] += 1
            told |= {(who, exclusion.value) for who in exclusion.respondents}
        assert told == {(who, value) for who, own in left.items() for value in values - own}
    assert kinds["set intersection"] > 100
    assert kinds["propagation"] > 20
    assert kinds["linear combination"] > 5
    assert not kinds["rests on CP-SAT"]


CASES = [(16, 4, 4), (24, 5, 4), (15, 8, 4)]


@pytest.mark.parametrize(("seed", "k", "times"), CASES)
def test_what_only_whole_numbers_exclude_is_proven_by_cases(seed: int, k: int, times: int) -> None:
    found = possible(local_series(Random(seed), 40, times, k))
    by_cases = np.flatnonzero(found.grounds == decide.Ground.CASES).tolist()
    assert by_cases
    assert not (found.grounds == decide.Ground.SOLVER).any()
    checker = found.derivation.checker
    for column in by_cases:
        proof = found.derivation.proof(column)
        checker.check(proof)
        split = proof.case.split
        assert split is not None
        broken = [replace(split, above=Case(())), replace(split, column=10**6)]
        if split.column != column:
            broken.append(replace(split, below=Case(())))
        for wrong in broken:
            with pytest.raises(CertificateError):
                checker.check(ZeroProof(column, Case(proof.case.steps, wrong)))


def test_without_a_proof_an_exclusion_says_what_it_rests_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "by_cases", lambda *_: None)
    series = local_series(Random(16), 40, 4, 4)
    report = audit(history(series), posterior=False, explain=False)
    resting = [e for e in report.exclusions() if e.proof == "rests on CP-SAT"]
    assert resting
    with pytest.raises(CertificateError, match="rests on CP-SAT"):
        resting[0].check()
    found = report.releases[-1].persistent
    assert found is not None
    assert found.proofs["rests on CP-SAT"] == len(resting)
    people = population(history(series), Knowledge())
    assert check_certificates(report.certificates(), people.system)["rests on CP-SAT"] == len(resting)


def tampered(random: Random, step: ProofStep) -> ProofStep:
    """The step with one number changed."""
    rows = list(step.rows)
    at = random.randrange(len(rows)) if rows else 0
    kind = random.randrange(5)
    if kind == 0 and rows:
        rows[at] = (rows[at][0], rows[at][1] + random.choice([-2, -1, 1, 2]))
        return replace(step, rows=tuple(rows))
    if kind == 1 and rows:
        return replace(step, rows=tuple(rows[:at] + rows[at + 1 :]))
    if kind == 2:
        return replace(step, bound=step.bound - step.side)
    if kind == 3:
        return replace(step, scale=step.scale + random.choice([-1, 1]))
    return replace(step, columns=(step.columns[0] + 1,) if step.columns else (0,))


def test_no_tampering_excludes_what_is_possible() -> None:
    """Whatever is changed: if a proof is still accepted, what it says is true."""
    random = Random(22)
    refused = accepted = 0
    for series, known in cases(23, 60):
        found = possible(series, Knowledge(compromised=dict(known)))
        checker = found.derivation.checker
        excluded = np.flatnonzero(found.verdicts == Verdict.EXCLUDED).tolist()
        for column in excluded:
            steps = found.derivation.proof(column).case.steps
            for _ in range(6):
                at = random.randrange(len(steps))
                changed = (*steps[:at], tampered(random, steps[at]), *steps[at + 1 :])
                claim = random.randrange(len(found.verdicts))
                try:
                    checker.check(ZeroProof(claim, Case(changed)))
                except CertificateError:
                    refused += 1
                else:
                    accepted += 1
                    assert found.verdicts[claim] == Verdict.EXCLUDED
    assert refused > 200
    assert accepted > 5  # a change need not matter


def test_each_step_of_a_proof_is_needed_or_checked() -> None:
    found = possible(PIGEONHOLE)
    checker = found.derivation.checker
    linear = np.flatnonzero(found.grounds == decide.Ground.LINEAR).tolist()
    assert linear
    for column in linear:
        proof = found.derivation.proof(column)
        last = proof.case.steps[-1]
        for wrong in (
            replace(last, rows=last.rows[1:]),
            replace(last, bound=-1),
            replace(last, side=0),
            replace(last, scale=0),
            replace(last, rows=((10**6, 1), *last.rows)),
            replace(last, rows=((-1, 1), *last.rows)),
        ):
            with pytest.raises(CertificateError):
                checker.check(ZeroProof(column, Case((*proof.case.steps[:-1], wrong))))
        with pytest.raises(CertificateError, match="no such count"):
            checker.check(ZeroProof(10**6, proof.case))
        with pytest.raises(CertificateError, match="do not show"):
            checker.check(ZeroProof(column, Case(())))


# --- files ----------------------------------------------------------------------------------


def test_certificates_in_a_file() -> None:
    for series in (PIGEONHOLE, local_series(Random(24), 40, 4, 5)):
        past = history(series)
        report = audit(past, posterior=False, explain=False)
        system = population(past, Knowledge()).system
        content = json.loads(json.dumps(report.certificates()))
        found = check_certificates(content, system)
        assert found == {"proven": len(content["excluded"]), "rests on CP-SAT": 0}
        assert json.loads(json.dumps(report.to_dict(proofs=True)))["certificates"] == content
        assert "certificates" not in report.to_dict()
        other = population(history(series[:-1]), Knowledge()).system
        with pytest.raises(CertificateError, match="other releases"):
            check_certificates(content, other)
        more = content | {"excluded": list(range(len(system.cell)))}
        with pytest.raises(CertificateError, match="have no proof"):
            check_certificates(more, system)
        if content["steps"]:
            with pytest.raises(CertificateError):
                check_certificates(content | {"steps": content["steps"][1:], "cases": []}, system)
        for broken in (
            {"steps": [[[0], 1, 0, [[0, 1.5]], 1]]},
            {"steps": [[]]},
            {"steps": 3},
            {"cases": [[0]]},
            {"system": None},
        ):
            with pytest.raises(CertificateError):
                check_certificates(content | broken, system)
        with pytest.raises(CertificateError, match="not readable"):
            check_certificates({}, system)


def test_cases_are_about_whole_numbers() -> None:
    """One of two has the first value; that count is neither at most 1/2 nor at least 3/2."""
    found = possible([release("1a 2b")])
    system, content = found.population.system, certificates(found) | {"excluded": [0]}
    none, once = [[0], 1, 0, [], 1], [[0], 1, 1, [[1, 1]], 1]
    below, above = {"steps": [none], "split": None}, {"steps": [once], "split": None}
    for column, at in ((0, 0.5), (0, True), (False, 0)):
        case = {"steps": [], "split": [column, at, below, above]}
        with pytest.raises(CertificateError, match="cases hold something else than whole numbers"):
            check_certificates(content | {"cases": [[0, case]]}, system)


def test_only_values_are_excluded() -> None:
    """To whoever knows boxes, who is in which group is a count, too: forged files called it excluded."""
    past = history([release("1@0:a 2@4:a", "3@3:b 4@9:b")], boxed=True)
    known = Knowledge(compromised={"2": "a"}, membership="boxes")
    content = audit(past, known, posterior=False, explain=False).certificates()
    system = box_population(past, known).system
    assert check_certificates(content, system) == {"proven": 1, "rests on CP-SAT": 0}
    for column in (*range(len(system.cell), system.compact.width), 10**6, -1):
        more = {"excluded": [*content["excluded"], column], "rests on CP-SAT": [column]}
        with pytest.raises(CertificateError, match="something else than values of respondents"):
            check_certificates(content | more, system)


def test_proofs_are_about_values_that_never_change() -> None:
    past = history(PIGEONHOLE)
    content = audit(past, posterior=False, explain=False).certificates()
    assert verify_audit(content, past, Knowledge(persistence="both"))["proven"]
    with pytest.raises(CertificateError, match="values that never change, and here they change freely"):
        verify_audit(content, past, Knowledge(persistence="transient"))


def test_certificates_name_nobody() -> None:
    report = audit(history([release("Ann:flu Bob:cold"), release("Ann:flu Cem:acne", "Bob:cold Dan:gout")]))
    text = json.dumps(report.certificates())
    assert not any(word in text for word in ("Ann", "Bob", "Cem", "Dan", "flu", "cold"))
    assert all("Ann" not in repr(exclusion) for exclusion in report.exclusions())
