"""Small integer programs, and their optima by plain enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.sparse import csr_array

from optanon.solver.exact.program import FREE, Program


def partition_program(seed: int, *, rows: int = 14, columns: int = 60, most: int = 2) -> Program:
    """Groups of two to four rows, some rows counting up to `most`, sometimes a limit on something."""
    random = np.random.default_rng(seed)
    count = np.where(random.random(rows) < 0.25, random.integers(1, most + 1, rows), 1).astype(np.int64)
    drawn = (random.choice(rows, random.integers(2, 5), replace=False) for _ in range(columns))
    groups = {tuple(sorted(rows_of.tolist())) for rows_of in drawn}
    if seed % 3 == 0:
        groups |= {(r,) for r in range(rows) if random.random() < 0.3}
    listed = sorted(groups)
    matrix = np.zeros((rows + 1, len(listed)), dtype=np.int64)
    for j, group in enumerate(listed):
        matrix[list(group), j] = 1
        if max(count[list(group)]) > 1 and random.random() < 0.2:
            matrix[int(np.argmax(np.where(np.isin(range(rows), group), count, 0))), j] = 2
    matrix[rows] = random.integers(0, 3, len(listed)) * (random.random(len(listed)) < 0.4)
    limit = int(random.integers(0, 5)) if seed % 2 else FREE
    cover = matrix[:rows]
    upper = np.where(cover > 0, count[:, None] // np.maximum(1, cover), most).min(axis=0)
    return Program(
        cost=random.integers(3, 40, len(listed)).astype(np.int64),
        lower=np.zeros(len(listed), dtype=np.int64),
        upper=upper.astype(np.int64),
        matrix=csr_array(matrix),
        low=np.append(count, -FREE),
        high=np.append(count, limit),
    )


def optimum(program: Program) -> int | None:
    """Least cost by covering the first open row in every way."""
    matrix, rows = program.matrix.toarray(), len(program.low) - 1
    best: int | None = None

    def cover(left: list[int], spent: int, used: int, first: int) -> None:
        nonlocal best
        if best is not None and spent >= best:
            return
        row = next((r for r in range(rows) if left[r]), None)
        if row is None:
            best = spent
            return
        for j in range(first, matrix.shape[1]):
            column = matrix[:, j]
            if column[row] and (column[:rows] <= left).all() and used + column[rows] <= program.high[rows]:
                rest = (np.array(left) - column[:rows]).tolist()
                # The same row again: columns in order, so that no choice comes twice.
                cover(rest, spent + int(program.cost[j]), used + int(column[rows]), j if rest[row] else 0)

    cover(program.high[:rows].tolist(), 0, 0, 0)
    return best


def general_program(seed: int) -> Program:
    """Few columns between ends, entries and costs of both signs, equations and limits from either side."""
    random = np.random.default_rng(seed)
    columns, rows = int(random.integers(2, 6)), int(random.integers(1, 5))
    matrix = random.integers(-4, 8, (rows, columns))
    lower = random.integers(0, 2, columns)
    point = lower + random.integers(0, 4, columns)
    made = matrix @ point
    kind = random.integers(0, 3, rows)
    slack = random.integers(0, 4, rows)
    return Program(
        cost=random.integers(-9, 20, columns),
        lower=lower,
        upper=point + random.integers(0, 4, columns),
        matrix=csr_array(matrix),
        low=np.where(kind == 0, made, np.where(kind == 1, made - slack, -FREE)),
        high=np.where(kind == 0, made, np.where(kind == 2, made + slack, FREE)),
    )


def solutions(program: Program) -> list[np.ndarray]:
    """All solutions, one by one."""
    ends = zip(program.lower.tolist(), program.upper.tolist(), strict=True)
    every = (np.array(x, dtype=np.int64) for x in product(*(range(low, high + 1) for low, high in ends)))
    return [x for x in every if program.holds(x)]
