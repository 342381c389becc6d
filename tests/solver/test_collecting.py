"""What was there before a search stays out of garbage collection while it lasts, and only then."""

import gc

import pandas as pd
import pytest

import optanon as oa
from optanon.solver.collecting import lasting


def test_objects_of_before_are_left_alone_until_the_end():
    with lasting():
        assert gc.get_freeze_count() > 0
        with lasting():
            assert gc.get_freeze_count() > 0
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0


def test_an_error_ends_it_too():
    with pytest.raises(RuntimeError), lasting():
        raise RuntimeError
    assert gc.get_freeze_count() == 0


def test_a_search_leaves_nothing_frozen():
    frame = pd.DataFrame({"id": range(4), "age": range(4), "value": list("abab")})
    table = oa.Microdata.from_frame(frame, respondent="id", quasi_identifiers=["age"], sensitive="value")
    oa.solve(table, oa.Policy([oa.KCAnonymity(k=2)], minimize=["information_loss"]), display=False)
    assert gc.get_freeze_count() == 0
