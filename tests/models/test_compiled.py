"""Compiled code that is kept on disk is never that of functions as they were before an update."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from optanon.models import compiled

pytest.importorskip("numba")
OUTER = "from ..models.compiled import compiled\nfrom ..models.inner import inner\n\n"
OUTER += "@compiled\ndef outer(x):\n    return inner(x)\n"
INNER = "from .compiled import compiled\n\n@compiled\ndef inner(x):\n    return x + {step}\n"


def package(folder: Path) -> Path:
    root = folder / "small"
    for room in ("models", "solver"):
        (root / room).mkdir(parents=True)
    shutil.copy(compiled.__file__, root / "models" / "compiled.py")
    (root / "models" / "inner.py").write_text(INNER.format(step=1), encoding="utf-8")
    (root / "solver" / "outer.py").write_text(OUTER, encoding="utf-8")
    return root


def outer(root: Path) -> int:
    script = "from small.solver.outer import outer; print(outer(1))"
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    environment["PYTHONPATH"] = str(root.parent)
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def kept(root: Path) -> set[str]:
    return {folder.name for folder in (root / "__pycache__").glob("compiled-*")}


def test_a_function_is_compiled_anew_when_one_that_it_calls_elsewhere_has_changed(tmp_path: Path):
    root = package(tmp_path)
    assert outer(root) == 2
    assert outer(root) == 2
    assert len(kept(root)) == 1
    (root / "models" / "inner.py").write_text(INNER.format(step=2), encoding="utf-8")
    assert outer(root) == 3
    assert len(kept(root)) == 2


def test_files_without_compiled_code_compile_nothing_anew(tmp_path: Path):
    root = package(tmp_path)
    assert outer(root) == 2
    (root / "solver" / "words.py").write_text("WORD = 1\n", encoding="utf-8")
    assert outer(root) == 2
    assert len(kept(root)) == 1
