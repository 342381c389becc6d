"""Every reader given inputs that nobody meant: each is accepted or refused in one line, and soon."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar
from unittest.mock import patch

from ..instances import catalog
from ..models.errors import OptanonError
from .forgeries import RUNS, forgeries
from .mutations import mutated_bytes, mutated_csv, mutated_json, mutated_text
from .registry import Case, Row, case

SLOW, COMPILING = 5.0, 120.0
"""Seconds of processor time after which an input has hung the program; and where it is compiled first."""
HUNG = f"more than {SLOW:g} s"

Mutator = Callable[[bytes, Random], bytes]


class FuzzError(OptanonError):
    """Some input ended in a traceback or took too long."""


class _SlowError(BaseException):
    """Raised by the alarm; no handler of the program takes it for its own."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """One reader.

    Attributes
    ----------
    file : str
        The file that is mutated, in the folder of the shipped and prepared files.
    arguments : str
        The command that reads it; ``{}`` is the mutated file.
    """

    name: str
    file: str
    arguments: str
    mutator: Mutator


TARGETS = (
    Target(
        name="table", file="release-2.csv", arguments="check r2.steward.csv -p p.yaml", mutator=mutated_csv
    ),
    Target(
        name="draft", file="release-2.csv", arguments="init {} -o drafted.yaml --force", mutator=mutated_csv
    ),
    Target(name="problem", file="p.yaml", arguments="check r2.steward.csv -p {}", mutator=mutated_text),
    Target(
        name="knowledge", file="known.yaml", arguments="audit p.yaml --knowledge {}", mutator=mutated_text
    ),
    Target(name="views", file="views.yaml", arguments="check v1.csv v2.csv -p {}", mutator=mutated_text),
    Target(name="view", file="v1.csv", arguments="check {} v2.csv -p views.yaml", mutator=mutated_csv),
    Target(
        name="hierarchy", file="gender.csv", arguments="check c1.steward.csv -p c1.yaml", mutator=mutated_csv
    ),
    Target(name="steward's copy", file="r2.steward.csv", arguments="check {} -p p.yaml", mutator=mutated_csv),
    Target(name="public copy", file="r2.release.csv", arguments="check {} -p p.yaml", mutator=mutated_csv),
    Target(name="history", file="release-1.steward.csv", arguments="audit p.yaml", mutator=mutated_csv),
    Target(
        name="foreign release",
        file="r2.release.csv",
        arguments="audit-release {} p.yaml --no-solve",
        mutator=mutated_csv,
    ),
    Target(name="export", file="series.json", arguments="history import new.db {}", mutator=mutated_json),
    Target(name="store", file="series.db", arguments="history show {}", mutator=mutated_bytes),
    Target(
        name="certificate",
        file="r2.json",
        arguments="verify {} -p p.yaml -r r2.steward.csv",
        mutator=mutated_json,
    ),
    Target(
        name="result",
        file="r2.json",
        arguments="report {} -p p.yaml -r r2.steward.csv -o page.html --force",
        mutator=mutated_json,
    ),
    Target(name="proofs", file="proofs.json", arguments="verify-audit {} p.yaml", mutator=mutated_json),
    Target(
        name="frontier",
        file="state.json",
        arguments="frontier p.yaml --vary m=2..3 -q --resume {}",
        mutator=mutated_json,
    ),
)


@case
@dataclass(frozen=True, kw_only=True)
class Fuzz(Case):
    """Mutated inputs to every reader and every file a command reads back, and forged certificates.

    Raises an error if there was a traceback, an input that hung, or a forgery that was confirmed; the row of
    the target then says which input, and `keep` has it.

    Parameters
    ----------
    seconds : float
        For all targets together: a third for forgeries, each of which is tried once at most.
    keep : str
        Folder in which failing inputs are kept; none are without.
    targets : str
        Names, separated by commas; all without. Of forgeries, ``forged`` and the kind of run.
    """

    name: ClassVar[str] = "fuzz"
    small_settings: ClassVar[dict[str, float]] = {"seconds": 10.0}

    seconds: float = 120.0
    keep: str = ""
    targets: str = ""

    def run(self) -> list[Row]:
        named = self.targets.split(",") if self.targets else None
        wanted = [t for t in TARGETS if named is None or t.name in named]
        forged = [kind for kind in RUNS if named is None or f"forged {kind}" in named]
        share = self.seconds / 3 if wanted and forged else self.seconds
        with tempfile.TemporaryDirectory(prefix="optanon-fuzz-") as name, contextlib.chdir(name):
            _prepare(Path())
            rows = [self._fuzzed(t, (self.seconds - share * bool(forged)) / len(wanted)) for t in wanted]
        rows += [self._forged(kind, share / len(forged)) for kind in forged]
        wrong = [row for row in rows if row["failures"]]
        for row in wrong:
            sys.stderr.write(f"{row['reader']}: {row['failures']} failures, first {row['first failure']}\n")
        if wrong:
            raise FuzzError(
                f"{sum(row['failures'] for row in wrong)} inputs ended in a traceback, hung, or deceived"
            )
        return rows

    def _fuzzed(self, target: Target, seconds: float) -> Row:
        content = Path(target.file).read_bytes()
        code, _, said = _judged(target, content)
        if said or code == 2:
            raise FuzzError(f"{target.name}: the whole input is refused {said}")
        counts, failures = {"accepted": 0, "refused": 0}, list[str]()
        slowest, number, ends = 0.0, 0, time.monotonic() + seconds
        while time.monotonic() < ends:
            mutant = target.mutator(content, Random(f"{self.seed}/{target.name}/{number}"))
            code, taken, said = _judged(target, mutant)
            slowest = max(slowest, taken)
            if said:
                failures.append(f"{number}: {said}")
                self._kept(target, number, mutant)
            else:
                counts["refused" if code == 2 else "accepted"] += 1
            number += 1
        return _row(target.name, number, counts, failures, slowest)

    def _forged(self, kind: str, seconds: float) -> Row:
        run = RUNS[kind]()
        tried = list(forgeries(run.content))
        Random(f"{self.seed}/{kind}").shuffle(tried)
        counts, failures = {"accepted": 0, "refused": 0}, list[str]()
        slowest, number, ends = 0.0, 0, time.monotonic() + seconds
        for number, forgery in enumerate(tried, 1):
            began, said = time.process_time(), None
            try:
                verdict = run.judged(forgery)
                counts["refused" if verdict is None else "accepted"] += 1
                said = verdict
            except Exception as error:
                said = f"{type(error).__name__}: {str(error)[:80]}"
            slowest = max(slowest, time.process_time() - began)
            if said:
                failures.append(f"{forgery.path}, {forgery.how}: {said}")
                if self.keep:
                    (Path(self.keep) / f"forged-{kind}-{number}.json").write_text(json.dumps(forgery.content))
            if time.monotonic() > ends:
                break
        return _row(f"forged {kind}", number, counts, failures, slowest)

    def _kept(self, target: Target, number: int, mutant: bytes) -> None:
        if self.keep:
            (Path(self.keep) / f"{target.name}-{number}-{Path(target.file).name}").write_bytes(mutant)


@contextlib.contextmanager
def _written(target: Target, mutant: bytes) -> Generator[list[str], None, None]:
    """Put the input where the command reads it, beside the whole one or in its place; clean up after it."""
    file = Path(target.file)
    instead = "{}" not in target.arguments
    there = file if instead else file.with_name(f"mutant{file.suffix}")
    whole = file.read_bytes()
    there.write_bytes(mutant)
    try:
        yield [str(there) if word == "{}" else word for word in target.arguments.split()]
    finally:
        if instead:
            file.write_bytes(whole)
        for left in ("new.db", "drafted.yaml", "page.html"):
            Path(left).unlink(missing_ok=True)


def _row(reader: str, inputs: int, counts: Row, failures: Sequence[str], slowest: float) -> Row:
    return {
        "reader": reader,
        "inputs": inputs,
        **counts,
        "failures": len(failures),
        "first failure": failures[0] if failures else None,
        "slowest, s": round(slowest, 2),
    }


def _judged(target: Target, content: bytes) -> tuple[int, float, str]:
    """Give an input to its command; if that takes long, again: something may have been compiled first."""
    found = _once(target, content, SLOW)
    if found[2] == HUNG:
        _once(target, content, COMPILING)
        found = _once(target, content, SLOW)
    return found


def _once(target: Target, content: bytes, most: float) -> tuple[int, float, str]:
    with _written(target, content) as arguments:
        return _called(arguments, most)


def _called(arguments: list[str], most: float) -> tuple[int, float, str]:
    """Run a command: exit code, processor seconds, and what went wrong (empty if it ended in a line).

    It is stopped after so many processor seconds.
    """
    from ..solver.cli import main

    began, code, wrong = time.process_time(), 0, ""
    out = io.StringIO()

    def rung(*_: Any) -> None:
        raise _SlowError

    signal.signal(signal.SIGPROF, rung)
    signal.setitimer(signal.ITIMER_PROF, most)
    try:
        with (
            patch.object(sys, "argv", ["optanon", *arguments]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
        ):
            main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except _SlowError:
        wrong = HUNG
    except BaseException as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        wrong = f"{type(error).__name__}: {str(error)[:80]} ({Path(at.filename).name}:{at.lineno})"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return code, time.process_time() - began, wrong


def _prepare(folder: Path) -> None:
    """Files of every kind that a command reads, made by the commands that write them."""
    for instance in ("clinic", "published-views", "hospital"):
        for file in catalog.path(instance).iterdir():
            named = file.name if instance == "hospital" else f"{instance}-{file.name}"
            _ = shutil.copy(file, folder / named)
    _ = shutil.copy("clinic-gender.csv", "gender.csv")
    _ = shutil.copy("clinic-release-1.csv", "release-1-clinic.csv")
    (folder / "c1.yaml").write_text(
        (folder / "clinic-release-1.yaml").read_text().replace("release-1.csv", "release-1-clinic.csv")
    )
    _ = shutil.copy("clinic-release-1.steward.csv", "c1.steward.csv")
    for short, name in (("v1.csv", "patients-v1.csv"), ("v2.csv", "patients-v2.csv")):
        _ = shutil.copy(f"published-views-{name}", short)
    views = (folder / "published-views-patients.yaml").read_text()
    (folder / "views.yaml").write_text(views.replace("patients.csv", "published-views-patients.csv"))
    problem = (folder / "release-2.yaml").read_text()
    (folder / "p.yaml").write_text(problem)
    (folder / "known.yaml").write_text(
        "compromised: {Carl: AIDS}\nexcluded: {Doris: [AIDS]}\npersistence: persistent\nmembership: groups\n"
    )
    (folder / "out").mkdir()
    for arguments in (
        "solve p.yaml -q --steward",
        "history init series.db",
        "solve release-1.yaml -q -o out --history series.db --append",
        "history export series.db series.json",
        "audit p.yaml --certificates proofs.json",
        "frontier p.yaml --vary m=2..3 -q --resume state.json",
    ):
        code, _, wrong = _called(arguments.split(), COMPILING)
        if wrong or code not in (0, 1):
            raise FuzzError(f"optanon {arguments} fails on whole input: {wrong or f'exit code {code}'}")
    for kind, name in (("steward.csv",) * 2, ("release.csv",) * 2, ("result.json", "json")):
        _ = shutil.copy(f"p.{kind}", f"r2.{name}")
    _ = json.loads((folder / "r2.json").read_text())
