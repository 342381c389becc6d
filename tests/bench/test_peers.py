"""Tools of others: judged by our checks, measured by what they publish, skipped where they are not."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import optanon
from optanon.bench import peers
from optanon.bench.peer import Asked, Kind, Made, Peer, installed
from optanon.bench.peer_programs import PROGRAMS
from optanon.bench.peer_tools import PEERS
from optanon.instances import dataset_files
from optanon.instances.roles import Roles
from optanon.models.hierarchy import Hierarchy
from optanon.models.numeric import Numeric
from optanon.models.policy import Policy
from optanon.models.problem import Problem
from optanon.models.requirements import KCAnonymity
from optanon.models.table import Sensitive


def tool(name: str, run: Callable[[Asked], Made], *, kind: Kind = "groups", package: str = "pytest") -> Peer:
    return Peer(name=name, kind=kind, run=run, version=installed(package), remedy="pip install it")


def pairs(asked: peers.Asked) -> Made:
    """A tool that groups neighbouring rows three by three, whatever l is."""
    rows = range(len(asked.frame))
    return Made(groups=[[*rows[at : at + 3]] for at in range(0, len(rows), 3)])


def broken(asked: peers.Asked) -> Made:
    raise ValueError("no result")


@pytest.mark.data
def test_peers_are_judged_by_our_checks_and_absent_ones_are_no_error(monkeypatch: pytest.MonkeyPatch):
    if dataset_files.present("adult/arx_adult.csv") is None:
        pytest.skip(f"adult/arx_adult.csv: neither under {dataset_files.VARIABLE} nor in the cache")
    own = [
        tool("pairs", pairs),
        tool("broken", broken),
        tool("absent", broken, kind="levels", package="no-such-package"),
    ]
    monkeypatch.setattr(peers, "PEERS", own)
    told = peers.Peers(tuples="30", k=3, time_limit=60).run()
    by_nodes = [row for row in told if row["figure"] == peers.NODES]
    ours, levels, cells, made, failed, absent = by_nodes[: 3 + len(own)]
    assert [row["tool"] for row in by_nodes[3 + len(own) :]] == list(peers.NOT_RUN)
    by_sets = {row["tool"]: row for row in told if row["figure"] == peers.SETS}
    assert set(by_sets) == {ours["tool"], levels["tool"], cells["tool"], peers.RANGES, "pairs"}
    assert by_sets["pairs"]["x ours"] >= 1
    assert all(row["loss"] > 0 for row in by_sets.values())
    assert {row[asked] for row in (ours, levels, cells) for asked in "kl"} == {"kept"}
    assert made["k"] == "kept"
    assert float(made["loss"]) >= float(ours["loss"])
    assert 0 < float(ours["bound"]) <= float(ours["loss"])
    assert made["x bound"] >= made["x ours"] >= 1
    assert failed["status"] == "failed: ValueError: no result"
    assert absent["status"] == "not installed: pip install it"


def test_every_peer_is_in_the_extra():
    project = tomllib.loads((Path(optanon.__file__).parent / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    wanted = {line.split(">")[0] for extra in ("bench", "lighthouse") for line in extras[extra]}
    assert {peer.package for peer in PEERS if peer.package} | {"pycanon"} == wanted


def test_printed_sets_are_measured_by_what_else_they_hold():
    hierarchy = Hierarchy.from_tree({"n": ["a", "b"], "s": ["c", "d", "e"]})
    frame = pd.DataFrame(
        {"id": ["p", "q", "r", "s"], "age": [0, 1, 4, 4], "x": list("acee"), "v": list("uvuv")}
    )
    asked = peers.Asked(
        frame=frame,
        numeric=("age",),
        categorical=("x",),
        sensitive="v",
        k=2,
        l=2,
        hierarchies={"x": hierarchy},
    )
    specs: dict[str, Any] = {"age": Numeric.of("age", [0, 1, 4, 4]), "x": hierarchy}
    roles = Roles(respondent="id", quasi_identifiers=specs, sensitive=Sensitive(name="v"))
    problem = Problem(table=roles.table(frame), policy=Policy([KCAnonymity(k=2)]))
    release = problem.assemble([[0, 1], [2, 3]])
    # Ages 0 and 1 of 0 to 4; two of five categories, where nodes would print all five.
    (row,) = peers._by_sets(asked, [peers._Sets(tool="t", kind="groups", release=release)])
    assert row["loss"] == 2 * (0.25 + 0.25)
    (row,) = peers._by_sets(asked, [peers._Sets(tool="t", kind="levels", release=release)])
    assert row["loss"] == 2 * (0.25 + 1)
    (row,) = peers._by_sets(asked, [peers._Sets(tool="t", kind="groups", release=problem.assemble([[0, 1]]))])
    assert row["loss"] == 2 * 0.5 + 2 * 2


# -- programs of their own ------------------------------------------------------------------------


def people(**settings: Any) -> Asked:
    """Four rows: two colours, two sizes."""
    frame = pd.DataFrame(
        {"id": list("abcd"), "size": [1, 1, 2, 2], "colour": list("rgrr"), "v": list("uvuv")}
    )
    return Asked(
        frame=frame,
        numeric=("size",),
        categorical=("colour",),
        sensitive="v",
        k=2,
        l=2,
        hierarchies={
            "size": Hierarchy((("1", "*"), ("2", "*"))),
            "colour": Hierarchy((("r", "*"), ("g", "*"))),
        },
        **settings,
    )


def program(name: str) -> Peer:
    return next(peer for peer in PROGRAMS if peer.name.startswith(name))


def script(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), encoding="utf-8")
    path.chmod(0o755)
    return path


def test_hidden_cells_are_cells_of_their_own_and_published_as_everything(tmp_path: Path):
    answer = '{"hidden": {"size": [2], "colour": [0, 1]}, "seconds": 0.5}'
    fake = script(
        tmp_path / "R", 'case "$1" in -e) printf 5.8;; *) cat "$2/rows.tsv" >&2;', f"echo '{answer}';; esac"
    )
    asked = people(rscript=str(fake))
    peer = program("sdcMicro")
    assert peer.version(asked) == "5.8"
    made = peer.run(asked)
    assert made.groups == [[0, 1], [2], [3]]
    assert made.seconds == 0.5
    problem = Problem(table=peers.Peers()._or_nothing(asked), policy=Policy([KCAnonymity(k=2)]))
    release = peers._release(problem, made)
    assert problem.objective(release)[0] == 3
    (row,) = peers._by_sets(asked, [peers._Sets(tool="t", kind="cells", release=release)])
    assert row["loss"] == 3


def test_java_is_given_rows_and_hierarchies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    answer = '{"groups": [[0, 1, 2, 3]], "levels": {"size": 1, "colour": 1}, "seconds": 0.5, "mega": 0.0}'
    kept = tmp_path / "kept"
    script(tmp_path / "java", f'cp -r "$4" {kept}', f"echo '{answer}'")
    (tmp_path / "libarx-3.9.2.jar").touch()
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    asked = people(arx=str(tmp_path))
    peer = next(peer for peer in PROGRAMS if peer.name == "ARX")
    assert peer.version(asked) == "3.9.2"
    assert peer.run(asked) == Made(groups=[[0, 1, 2, 3]], levels={"size": 1, "colour": 1}, seconds=0.5)
    assert (kept / "colour.tsv").read_text(encoding="utf-8") == "r\t*\ng\t*\n"
    assert (kept / "rows.tsv").read_text(encoding="utf-8").splitlines()[:2] == ["size\tcolour\tv", "1\tr\tu"]


def test_programs_that_are_not_there_have_no_version_and_complaints_are_errors(tmp_path: Path):
    assert program("sdcMicro").version(people(rscript=str(tmp_path / "none"))) is None
    assert program("ARX").version(people()) is None
    assert program("ARX").version(people(arx=str(tmp_path))) is None
    fake = script(tmp_path / "R", "echo 'first' >&2; echo 'there is no package' >&2; exit 1")
    assert program("sdcMicro").version(people(rscript=str(fake))) is None
    with pytest.raises(ValueError, match="there is no package"):
        program("sdcMicro").run(people(rscript=str(fake)))
