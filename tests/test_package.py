"""The package as users get it: its names, its wheel, its checkout."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import optanon

ROOT = Path(optanon.__file__).parent
ROOMS = ("models", "instances", "solver", "bench")


def package_folders() -> set[str]:
    found = {"optanon"}
    for room in ROOMS:
        for file in (ROOT / room).rglob("__init__.py"):
            found.add(".".join(("optanon", *file.parent.relative_to(ROOT).parts)))
    return found


def test_every_public_name_loads():
    assert "__version__" in optanon.__all__
    assert "solve" in optanon.__all__
    assert all(getattr(optanon, name) is not None for name in optanon.__all__)


def test_names_that_are_not_used_load_nothing():
    script = "import optanon, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {
        "numpy",
        "pandas",
        "scipy",
        "numba",
        "ortools",
        "highspy",
        "networkx",
        "matplotlib",
        "sqlalchemy",
    }
    assert not heavy & set(done.stdout.split())


def test_stored_histories_open_from_the_command_line_alone(tmp_path: Path):
    """Whatever registers stores must be imported by what opens them, not by chance."""
    command = [sys.executable, "-c", "from optanon.solver.cli import main; main()", "history", "init", "a.db"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "a.db").exists()


def test_what_is_registered_is_there_for_whoever_asks_first():
    """No import elsewhere is needed before: a registry that nobody filled would pass for an empty one."""
    script = (
        "from optanon.models.requirements import build_requirement, registered\n"
        "from optanon.models.losses import loss, losses\n"
        "print(build_requirement('k_c_anonymity', {'k': 2}), loss('suppressed').name)\n"
        "print(len(registered()), len(losses()))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == "k_c_anonymity(k=2, c=1) suppressed"
    assert min(map(int, second.split())) >= 9


def test_every_package_folder_is_declared():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    assert set(declared) == package_folders()
    for room in ROOMS:
        folders = {file.parent for file in (ROOT / room).rglob("*.py") if "__pycache__" not in file.parts}
        assert all((folder / "__init__.py").exists() for folder in folders)


def copy_checkout(target: Path) -> Path:
    ignore = shutil.ignore_patterns(
        ".git", ".venv*", "__pycache__", "*.egg-info", "build", ".*_cache", ".hypothesis"
    )
    return Path(shutil.copytree(ROOT, target, ignore=ignore))


def test_wheel_holds_every_module_and_every_instance(tmp_path: Path):
    source = copy_checkout(tmp_path / "source")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(tmp_path), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"optanon/{file.relative_to(source).as_posix()}"
        for room in ROOMS
        for file in (source / room).rglob("*")
        if file.is_file() and (file.suffix == ".py" or "data" in file.relative_to(source).parts)
    }
    assert wanted <= held, sorted(wanted - held)
    assert {"optanon/py.typed", "optanon/__init__.pyi"} <= held


def test_checkout_under_a_name_with_a_hyphen_installs_and_runs(tmp_path: Path):
    source = copy_checkout(tmp_path / "my-optanon-checkout")
    target = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*command, "--target", str(target), str(source)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    script = "import optanon; print(optanon.__file__, optanon.KCAnonymity(k=2))"
    shown = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(target), "PATH": ""},
    ).stdout
    assert shown.startswith(str(target))
    assert "k_c_anonymity(k=2, c=1)" in shown


def imports(file: Path) -> list[tuple[int, str]]:
    """Rooms that a file imports from, with the line."""
    here = list(file.parent.relative_to(ROOT).parts)
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            module = [part for part in (node.module or "").split(".") if part]
            if node.level:
                found.append((node.lineno, (here[: len(here) - node.level + 1] + module + [""])[0]))
            elif module[:1] == ["optanon"]:
                found.append((node.lineno, f"absolute {'.'.join(module)}"))
    return found


def test_imports_run_down_only():
    allowed = {
        "models": {"models"},
        "instances": {"models", "instances"},
        "solver": {"models", "instances", "solver"},
    }
    wrong = [
        f"{file.relative_to(ROOT)}:{line} imports {room}"
        for start, rooms in allowed.items()
        for file in (ROOT / start).rglob("*.py")
        for line, room in imports(file)
        if room not in rooms
    ]
    assert not wrong, wrong
