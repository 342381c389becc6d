"""What a table has in common with the releases before it, or is refused."""

from __future__ import annotations

import pandas as pd
import pytest

import optanon as oa

AGES = (20, 21, 30, 31)
TOWNS = ("a", "b", "a", "b")


def problem(
    column: str, cells: tuple[object, ...], history: oa.History, ill: tuple[str | None, ...] = tuple("xyxy")
) -> oa.Problem:
    frame = pd.DataFrame({"id": list("pqrs"), column: cells, "ill": ill})
    table = oa.Microdata.from_frame(
        frame, respondent="id", quasi_identifiers=[column], sensitive="ill", missing="category"
    )
    return oa.Problem(table=table, policy=oa.Policy([oa.KAnonymity(k=2)]), history=history)


def published(column: str, cells: tuple[object, ...]) -> oa.History:
    return oa.History([problem(column, cells, oa.History()).assemble([[0, 1], [2, 3]])])


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (TOWNS, AGES, "'c' is numeric in the table, and of categories in the history.*declare it flat"),
        (AGES, ("20", "21", "3o", "31"), "'c' is of categories in the table, and numeric in the history"),
    ],
)
def test_a_column_of_another_kind_is_refused(before: tuple[object, ...], now: tuple[object, ...], told: str):
    history = published("c", before)
    assert len(problem("c", before, history).history) == 1
    with pytest.raises(oa.ReleaseError, match=told):
        problem("c", now, history)


def test_a_value_that_is_missing_now_is_no_other_value():
    history = published("c", AGES)
    with pytest.raises(oa.TableError, match=r"'ill', row 3: the value is missing, and release 1.*fill it in"):
        problem("c", AGES, history, ill=("x", "y", None, "y"))
    with pytest.raises(oa.TableError, match="'ill', row 3: the value differs"):
        problem("c", AGES, history, ill=("x", "y", "z", "y"))


def test_of_several_private_columns_the_one_that_is_missing_is_named():
    frame = pd.DataFrame({"id": list("pqrs"), "age": AGES, "ill": list("xyxy"), "pay": list("lhlh")})

    def made(frame: pd.DataFrame, history: oa.History) -> oa.Problem:
        table = oa.Microdata.from_frame(
            frame,
            respondent="id",
            quasi_identifiers=["age"],
            sensitive=["ill", "pay"],
            missing="category",
        )
        return oa.Problem(table=table, policy=oa.Policy([oa.KAnonymity(k=2)]), history=history)

    history = oa.History([made(frame, oa.History()).assemble([[0, 1], [2, 3]])])
    frame.loc[1, "pay"] = None
    with pytest.raises(oa.TableError, match="column 'pay', row 2: the value is missing"):
        made(frame, history)
