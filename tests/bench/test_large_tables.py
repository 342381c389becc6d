"""Tables of `bench time-limits --rows`: seeded, near Adult, and whole calls on them."""

import pandas as pd
import pytest

from optanon.bench.large_tables import JITTER, LARGE_POLICIES, large_adult, whole_call, write_problem
from optanon.instances.adult import adult
from optanon.instances.dataset_files import present
from optanon.instances.problem_file import load_problem
from optanon.models.errors import InputError

pytestmark = pytest.mark.skipif(present("adult/adult.data") is None, reason="Adult is not on this machine")


def test_the_same_seed_gives_the_same_table_and_values_are_those_of_adult():
    frame = large_adult(500, 7)
    pd.testing.assert_frame_equal(frame, large_adult(500, 7))
    assert not frame.equals(large_adult(500, 8))
    people, roles = adult()
    assert frame[roles.respondent].is_unique
    for name in frame.columns.drop(roles.respondent):
        if name in JITTER:
            assert frame[name].between(people[name].min(), people[name].max()).all()
        else:
            assert set(frame[name]) <= set(people[name])
    points = frame.drop(columns=[roles.respondent, roles.sensitive.name])
    assert len(points.drop_duplicates()) > 450  # jittered: few are alike


def test_problem_files_can_be_read_for_every_policy(tmp_path):
    for name in LARGE_POLICIES:
        plain = load_problem(write_problem(tmp_path, name, 60, 0))
        suppressing = load_problem(write_problem(tmp_path, f"{name}-suppressed", 60, 0))
        assert len(plain.table) == len(suppressing.table) == 60
        assert len(plain.table.domains) == 8
        assert [level.name for level in suppressing.policy.levels] == [
            "suppressed",
            *(level.name for level in plain.policy.levels),
        ]
        assert suppressing.policy.max_suppressed == 1
    with pytest.raises(InputError, match="k5-l2"):
        write_problem(tmp_path, "k6", 60, 0)


def test_a_whole_call_is_timed_until_its_files_are_there(tmp_path):
    row = whole_call("k5", 5, 60.0, seed=0, folder=tmp_path)
    assert row["status"] == "OPTIMAL", row
    assert (row["published"], row["checked"]) == (5, True)
    assert 0 < row["CPU"] <= 2 * row["taken"] + 1
