"""Brute force over relations.

A possible base table is a set of rows of the natural join whose two projections are the published views.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from fractions import Fraction

import pandas as pd

from optanon.models.views import AttackModel, SecretQuery, ViewPair

UNRESTRICTED, RESTRICTED = AttackModel.UNRESTRICTED, AttackModel.RESTRICTED


def secret(i: object, p: object = None, id_attribute: str = "i") -> SecretQuery:
    return SecretQuery(id_attribute=id_attribute, property_attribute="p", id_value=i, property_value=p)


def worlds(views: ViewPair) -> Iterator[list[dict[str, object]]]:
    join = list(set(views.first.columns) & set(views.second.columns))
    first, second = (view.drop_duplicates() for view in (views.first, views.second))
    joined = first.merge(second, on=join) if join else first.merge(second, how="cross")
    rows = joined.to_dict("records")
    parts = [(list(view.columns), set(view.itertuples(index=False, name=None))) for view in (first, second)]
    for keep in itertools.product((False, True), repeat=len(rows)):
        world = [row for row, kept in zip(rows, keep, strict=True) if kept]
        if all({tuple(row[c] for c in names) for row in world} == tuples for names, tuples in parts):
            yield world


def enumerated(views: ViewPair, query: SecretQuery, model: AttackModel) -> Fraction | None:
    found = possible = 0
    for world in worlds(views):
        mine = [row["p"] for row in world if row["i"] == query.id_value]
        if model is not UNRESTRICTED and len(set(mine)) != 1:
            continue
        possible += 1
        found += query.property_value in mine
    return Fraction(found, possible) if possible else None


def random_base(rng: random.Random, rows: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "i": [rng.choice("lxy") for _ in range(rows)],
            "a": [rng.randint(0, 1) for _ in range(rows)],
            "b": [rng.randint(0, 1) for _ in range(rows)],
            "c": [rng.randint(0, 1) for _ in range(rows)],
            "p": [rng.choice("pqr") for _ in range(rows)],
        }
    )
