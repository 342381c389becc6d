"""Large tables as files, and `optanon solve --time-limit` on them as a program, until its files are there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pandas as pd
import yaml

from ..instances.adult import adult
from ..instances.generators import drawn_again
from ..models.errors import InputError
from ..models.hierarchy import Hierarchy
from .registry import Row

__all__ = ["LARGE_POLICIES", "large_adult", "timed_call", "whole_call", "write_problem"]

K5: dict[str, Any] = {"k_c_anonymity": {"k": 5}}
KC: dict[str, Any] = {"k_c_anonymity": {"k": 3, "c": "1/2"}}
M3: dict[str, Any] = {"weak_m_invariance": {"m": 3}}
LARGE_POLICIES: dict[str, dict[str, Any]] = {
    "k5": {"requirements": [K5]},
    "k5-l2": {"requirements": [K5, {"distinct_l_diversity": {"l": 2}}]},
    "kc": {"requirements": [KC]},
    "m3": {"requirements": [M3], "minimize": ["counterfeits", "information_loss"]},
}
"""The k-anonymity policies most used, and m-invariance; each also with ``-suppressed``: suppressed first."""
JITTER = {"age": 3, "hours-per-week": 2}
"""Numeric columns, and by how much each number is moved at most."""
PATIENCE = 4
"""After so many times the limit a program is killed."""


def large_adult(rows: int, seed: int) -> pd.DataFrame:
    """Rows of Adult drawn with replacement, numbers jittered within their ranges; new respondents ``d1``, ...

    The same arguments give the same frame.
    """
    people, roles = adult()
    drawn = drawn_again(people, rows, respondent=roles.respondent, seed=seed)
    random = np.random.default_rng([seed, rows])
    for name, far in JITTER.items():
        moved = drawn[name].to_numpy() + random.integers(-far, far + 1, rows)
        drawn[name] = np.clip(moved, people[name].min(), people[name].max())
    kept = [roles.respondent, *dict.fromkeys([*JITTER, *roles.quasi_identifiers]), roles.sensitive.name]
    return drawn[kept]


def write_problem(folder: Path, policy: str, rows: int, seed: int) -> Path:
    """Write table (unless it is there), hierarchies and problem file; the problem file's path.

    Raises
    ------
    InputError
        If there is no such policy.
    """
    name, _, suppressed = policy.partition("-suppressed")
    if name not in LARGE_POLICIES or suppressed:
        known = ", ".join(LARGE_POLICIES)
        raise InputError(f"policies are {known}, or one of them with -suppressed, not {policy!r}")
    roles = adult().roles
    table = folder / f"adult-{rows}-{seed}.csv"
    if not table.exists():
        large_adult(rows, seed).to_csv(table, index=False)
    columns: dict[str, Any] = dict.fromkeys(JITTER, "numeric")
    for column, spec in roles.quasi_identifiers.items():
        if isinstance(spec, Hierarchy):
            leaves = [";".join(path) for path in spec.paths]
            (folder / f"{column}.csv").write_text("\n".join(leaves) + "\n", encoding="utf-8")
            columns[column] = {"kind": "taxonomy", "hierarchy": f"{column}.csv"}
    rules = dict(LARGE_POLICIES[name])
    if name != policy:
        least = rules.get("minimize", ["information_loss"])
        rules |= {"minimize": ["suppressed", *least], "max_suppressed": max(1, rows // 1000)}
    problem = {
        "table": table.name,
        "respondent": roles.respondent,
        "quasi_identifiers": columns,
        "sensitive": roles.sensitive.name,
        "policy": rules,
    }
    path = folder / f"{policy}.yaml"
    path.write_text(yaml.safe_dump(problem, sort_keys=False), encoding="utf-8")
    return path


def whole_call(
    policy: str, rows: int, limit: float, *, seed: int, folder: Path, steward: bool = False
) -> Row:
    """Run the program as a user does; how long it takes until its files are there and it has ended."""
    problem = write_problem(folder, policy, rows, seed)
    return {"policy": policy, "rows": rows, **timed_call(problem, limit, seed=seed, folder=folder)}


def timed_call(problem: Path, limit: float, *, seed: int, folder: Path, options: Sequence[str] = ()) -> Row:
    """Run `optanon solve` on a problem file, with further options."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        command = [sys.executable, "-m", "optanon", "solve", str(problem), "--time-limit", str(limit)]
        command += ["-q", "-o", out, "--seed", str(seed), *options]
        with tempfile.TemporaryFile() as said:
            began = time.monotonic()
            program = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
            killer = Timer(PATIENCE * limit + 30, program.kill)
            killer.start()
            _, ended, used = os.wait4(program.pid, 0)
            killer.cancel()
            taken = time.monotonic() - began
            program.returncode = os.waitstatus_to_exitcode(ended)
            said.seek(0)
            words = said.read().decode(errors="replace")
        row: Row = {
            "asked": limit,
            "taken": round(taken, 1),
            "late %": round(100 * max(0.0, taken / limit - 1), 1),
            "CPU": round(used.ru_utime + used.ru_stime, 1),
            "peak MB": used.ru_maxrss // 1024,
            "load": round(os.getloadavg()[0], 2),
        }
        result = Path(out) / f"{problem.stem}.result.json"
        if not result.exists():
            lines = words.strip().splitlines() or [f"no word, exit code {program.returncode}"]
            return {**row, "status": lines[-1][:100]}
        record = json.loads(result.read_text(encoding="utf-8"))
        published = pd.read_csv(Path(out) / f"{problem.stem}.release.csv", usecols=["group"])["group"]
        losses = {level["loss"]: float(Fraction(level["value"])) for level in record["objective"]}
        return {
            **row,
            "status": record["status"],
            "published": len(published),
            "groups": int(published.max()),
            "loss": next(iter(losses.values())),
            "bound": float(Fraction(record["objective"][0]["bound"] or 0)),
            "losses": ", ".join(f"{name} {value:.6g}" for name, value in losses.items()),
            "checked": "every check passed" in words,
        }
