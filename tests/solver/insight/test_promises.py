"""What a report promises is what a requirement's check asks, no more."""

from __future__ import annotations

from cases.attacks import history, ours
from oracle.brute_force_notation import release

import optanon as oa
from optanon.models.adversary.inference import conclusions
from optanon.solver.insight.report.sentences import promise_in_words


def test_hc_safety_speaks_of_groups_with_the_same_values_alone():
    """{1, 2, 3} and then {1, 2} keep it in both readings, and tell the value of 3."""
    old, new = release("1a 2b 3c"), release("1a 2b")
    for asked in (oa.HcSafety(n=2), oa.HcSafety(n=2, reading="definition", deep=True)):
        assert not list(asked.check(ours(new), history([old])))
        assert "with one of another release that holds the same values equally often" in str(
            promise_in_words(asked)
        )
    assert any(found.chances == {"c": 1} for found in conclusions(history([old, new])))
    assert "hold the same values together" in str(promise_in_words(oa.HcSafetyDeep(n=2)))


def test_differences_are_counted_in_rows():
    """Of {1, 2} and a counterfeit the new group leaves one person, and two rows."""
    old, new = (
        release("1a"),
        oa.Release(
            groups=(oa.QIGroup(members=ours(release("1a 2b")).members, counterfeits=(("c", 1),)),),
            attributes=(),
            sensitive="value",
            form="anatomized",
        ),
    )
    asked = oa.Difference(k=2)
    assert not list(asked.check(new, history([old])))
    assert "at least 2 rows" in str(promise_in_words(asked))


def test_who_is_spared_from_resistance_to_inference_is_said():
    asked = oa.ResistsInference(min_values=2, forgive_past=True, knowledge={"compromised": {"p1": "flu"}})  # pyright: ignore[reportArgumentType]
    assert (
        "any person (apart from those whose value is known besides or whom the releases before gave away "
        "already) has a probability"
    ) in str(promise_in_words(asked))
    assert "apart from" not in str(promise_in_words(oa.ResistsInference(min_values=2)))


def test_links_of_earlier_releases_alone_are_not_promised_away():
    """Who was certainly linked to a before may be published among other values."""
    old, new = release("1a 2a"), release("1b 2c 3d")
    asked = oa.GlobalGuarantee(l=2)
    assert list(asked.check(ours(old), history([])))
    assert not list(asked.check(ours(new), history([old])))
    assert "all releases together, this one links nobody" in str(promise_in_words(asked))
