"""Guesses of roles: what names people is neither published as a sensitive value nor as a quasi-identifier."""

from __future__ import annotations

import pandas as pd
import pytest

import optanon as oa
from optanon.instances.guess import guess_roles

ROWS = 30


def roles(**columns: list[str]) -> dict[str, str]:
    """Roles of some columns beside an id, an age and what comes again."""
    frame = pd.DataFrame(
        {
            "id": [f"p{row}" for row in range(ROWS)],
            "age": [str(20 + row % 7) for row in range(ROWS)],
            **columns,
        }
    )
    return {guess.name: guess.role for guess in guess_roles(frame)}


def own(text: str, first: int = 0) -> list[str]:
    """A different cell in every row."""
    return [text.format(first + 7 * row) for row in range(ROWS)]


AGAIN = ["flu", "cold", "gout"] * (ROWS // 3)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("medical_record", own("{}", 1_000_000)),
        ("treatment_id", own("T{}")),
        ("treatment_notes", own("came on day {}")),
    ],
)
def test_what_differs_in_every_row_is_not_what_must_be_protected(name: str, cells: list[str]):
    """They are called like something private, and sensitive values are published as they are."""
    assert roles(**{name: cells}, diagnosis=AGAIN) == {
        "id": "respondent",
        "age": "quasi-identifier",
        name: "left out",
        "diagnosis": "sensitive",
    }


@pytest.mark.parametrize("name", ["name", "e-mail", "Email", "phone"])
def test_names_are_not_the_text_that_must_be_protected(name: str):
    assert roles(state_of_health=AGAIN, ward=AGAIN, **{name: own("x{}@y")})[name] == "left out"
    with pytest.raises(oa.TableError, match="name it with --sensitive"):
        roles(town=AGAIN, **{name: own("x{}@y")})


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("contact_phone", own("0{}", 301_234_567)),
        ("account", own("{}", 12_345)),
        ("insurance", own("{}", 4_401_234_567)),
    ],
)
def test_numbers_that_name_people_are_not_generalized(name: str, cells: list[str]):
    """The ends of an interval are numbers of somebody, and a prefix is most of one."""
    assert roles(**{name: cells}, diagnosis=AGAIN)[name] == "left out"


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("weight", own("{}.5")),
        ("birth", own("{}", 19_800_101)),
        ("zip", own("0{}", 1_234)),
    ],
)
def test_numbers_that_others_know_are(name: str, cells: list[str]):
    assert roles(**{name: cells}, diagnosis=AGAIN)[name] == "quasi-identifier"


def test_a_long_income_may_be_what_must_be_protected():
    assert roles(income=own("{}", 1_234_567))["income"] == "sensitive"
