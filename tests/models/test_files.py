"""Files that are written together: all of them or none, whatever the disk does."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run

import optanon as oa
from optanon.instances import catalog
from optanon.models.files import OutputFile, drafted, write_together, write_whole

STEPS = ("mkstemp", "write", "fsync", "link", "unlink", "replace")


def output(path: Path, content: str, *, private: bool = False) -> OutputFile:
    return OutputFile(path=path, write=lambda draft: draft.write_text(content), private=private)


def three(folder: Path, content: str) -> list[OutputFile]:
    return [
        output(folder / "public.csv", content),
        output(folder / "steward.csv", content, private=True),
        output(folder / "result.json", content, private=True),
    ]


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


class Disk:
    """A disk that is full from the `left`-th step on; it notes every step."""

    def __init__(self, patch: pytest.MonkeyPatch, left: int) -> None:
        self.left = left
        self.steps: list[str] = []
        self.failed = ""
        for name in ("fsync", "replace", "link", "unlink"):
            patch.setattr(os, name, self.failing(name, getattr(os, name)))
        patch.setattr("tempfile.mkstemp", self.failing("mkstemp", __import__("tempfile").mkstemp))
        patch.setattr(Path, "write_text", self.failing("write", Path.write_text))

    def failing(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.steps.append(name)
            self.left -= 1
            if self.left == 0:
                self.failed = name
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*arguments, **options)

        return call


def steps(folder: Path, before: list[OutputFile]) -> int:
    """How many steps writing three files takes when nothing fails."""
    write_together(before)
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(patch, left=-1)
        write_together(three(folder, "new"))
    assert set(disk.steps) == (set(STEPS) if before else set(STEPS) - {"link"})
    return len(disk.steps)


@pytest.mark.parametrize("before", [[], ["public.csv"], ["public.csv", "steward.csv", "result.json"]])
def test_a_disk_that_fails_at_any_step_leaves_everything_as_it_was(tmp_path: Path, before: list[str]):
    (tmp_path / "count").mkdir()
    (tmp_path / "real").mkdir()

    def old(folder: Path) -> list[OutputFile]:
        return [file for file in three(folder, "old") if file.path.name in before]

    for failing in range(1, steps(tmp_path / "count", old(tmp_path / "count")) + 1):
        folder = tmp_path / "real"
        write_together(old(folder))
        with pytest.MonkeyPatch.context() as patch:
            disk = Disk(patch, left=failing)
            # A copy is made where a file cannot have a second name: one such failure is none.
            try:
                write_together(three(folder, "new"))
            except oa.InputError as error:
                said = str(error)
            else:
                said = ""
        now = contents(folder)
        for name in [name for name in now if name.startswith(".")]:
            assert disk.failed == "unlink", "a draft is left only if it cannot be removed"
            del now[name]
            (folder / name).unlink()
        if said:
            assert "cannot be written (No space left on device); no file was changed" in said
            assert now == dict.fromkeys(before, "old"), failing
        else:
            assert now == dict.fromkeys(["public.csv", "steward.csv", "result.json"], "new"), failing
            for path in folder.iterdir():
                path.unlink()


def test_a_public_file_never_lies_there_without_the_stewards(tmp_path: Path):
    """Looked at after every step, as somebody would find it if the process were killed there."""
    write_together(three(tmp_path, "old"))
    seen: list[dict[str, str]] = []
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(patch, left=-1)
        real = disk.failing

        def look(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
            def looked(*arguments: Any, **options: Any) -> Any:
                result = call(*arguments, **options)
                seen.append({k: v for k, v in contents(tmp_path).items() if not k.startswith(".")})
                return result

            return looked

        assert real is not None
        for name in ("replace", "unlink", "link"):
            patch.setattr(os, name, look(name, getattr(os, name)))
        write_together(three(tmp_path, "new"))
    assert len(seen) > 4
    for files in seen:
        if "public.csv" in files:
            assert files["steward.csv"] == files["result.json"] == files["public.csv"]
    assert contents(tmp_path) == dict.fromkeys(["public.csv", "steward.csv", "result.json"], "new")


def test_modes(tmp_path: Path):
    before = os.umask(0o022)
    try:
        write_together(three(tmp_path, "x"))
    finally:
        os.umask(before)
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in tmp_path.iterdir()} == {
        "public.csv": "0o644",
        "steward.csv": "0o600",
        "result.json": "0o600",
    }


def test_what_fails_between_draft_and_name_leaves_nothing(tmp_path: Path):
    with pytest.raises(ZeroDivisionError), drafted(three(tmp_path, "x")):
        raise ZeroDivisionError
    assert contents(tmp_path) == {}
    with drafted(three(tmp_path, "x")) as move:
        assert not [name for name in contents(tmp_path) if not name.startswith(".")]
        move()
    assert len(contents(tmp_path)) == 3


def test_files_that_cannot_be(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    for path, said in (
        (tmp_path / "absent" / "x", "no folder"),
        (tmp_path / "folder", "is a folder"),
        (tmp_path / ("n" * 300), "cannot be written"),
    ):
        with pytest.raises(oa.InputError, match=said):
            write_whole(path, lambda draft: draft.write_text("x"))
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


# -- real disks ------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system needs root")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", folder], capture_output=True)
    if made.returncode != 0:
        pytest.skip(f"nothing can be mounted here ({made.stderr.decode().strip()})")
    yield folder
    subprocess.run(["umount", folder], check=True)


HOSPITAL = catalog.path("hospital") / "release-2.yaml"


def test_a_full_disk_leaves_no_public_file_alone(small_disk: Path):
    free = 260_000
    outcomes: set[str] = set()
    while free > 0:
        (small_disk / "filler").write_bytes(b"x" * max(0, 258_048 - (260_000 - free)))
        done = run("solve", HOSPITAL, "-q", "--steward", folder=small_disk)
        (small_disk / "filler").unlink()
        names = {path.name for path in small_disk.iterdir()}
        assert done.returncode in (0, 2), done.stderr
        if done.returncode == 2:
            assert "No space left on device" in done.stderr
            assert done.stderr.count("\n") == 1
            assert not names
            outcomes.add("refused")
        else:
            assert len(names) == 3
            outcomes.add("written")
            break
        free -= 4096
    assert outcomes == {"refused", "written"}


def test_a_folder_that_cannot_be_written_to(small_disk: Path):
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    done = run("solve", HOSPITAL, "-q", "-o", small_disk, folder=small_disk.parent)
    assert done.returncode == 2
    assert "nothing may be written to" in done.stderr
    assert done.stderr.count("\n") == 1


def test_append_and_files_come_together_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("release-1.csv", "release-1.yaml"):
        shutil.copy(HOSPITAL.parent / name, tmp_path)
    assert run("history", "init", "releases.db", folder=tmp_path).returncode == 0
    arguments = ("solve", "release-1.yaml", "-q", "--history", "releases.db", "--append")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.mkstemp", lambda **_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
        done = run(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert len(oa.History.open(tmp_path / "releases.db")) == 0
    assert run(*arguments, folder=tmp_path).returncode == 0
    assert len(oa.History.open(tmp_path / "releases.db")) == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EIO, "Input/output error", "some.db"), "some.db: Input/output error"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "out of range"),
        (OverflowError("Python int too large"), "Python int too large"),
        (RecursionError("maximum recursion depth exceeded"), "nested too deeply"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_what_the_system_refuses_is_one_line(
    tmp_path: Path, error: BaseException, said: str, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("optanon.solver.cli.solve.load_problem", broken)
    done = run("solve", HOSPITAL, folder=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    monkeypatch.setenv("OPTANON_TRACEBACK", "1")
    with pytest.raises(type(error)):
        run("solve", HOSPITAL, folder=tmp_path)
