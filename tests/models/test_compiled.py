"""Compiled code that is kept on disk is never that of functions as they were before an update."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from optanon.models import compiled, held_signals, moment

pytest.importorskip("numba")
OUTER = "from ..models.compiled import compiled\nfrom ..models.inner import inner\n\n"
OUTER += "@compiled\ndef outer(x):\n    return inner(x)\n"
INNER = "from .compiled import compiled\n\n@compiled\ndef inner(x):\n    return x + {step}\n"
BORROWED = """
from __future__ import annotations
from typing import NamedTuple
import numpy as np
from ..models.compiled import borrowing, compiled

class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray

@borrowing
def added(pair, at) -> int:
    left, right = pair.left, pair.right
    return left[at] + right[at]

@borrowing
def made(size) -> int:
    return np.zeros(size, dtype=np.int64)[0]

@compiled
def sums(pair):
    found = np.zeros(len(pair.left), dtype=np.int64)
    for at in range(len(found)):
        found[at] = added(pair, at)
    return found
"""


def package(folder: Path) -> Path:
    root = folder / "small"
    for room in ("models", "solver"):
        (root / room).mkdir(parents=True)
    shutil.copy(compiled.__file__, root / "models" / "compiled.py")
    for module in (moment, held_signals):
        shutil.copy(module.__file__, root / "models")
    (root / "models" / "inner.py").write_text(INNER.format(step=1), encoding="utf-8")
    (root / "solver" / "outer.py").write_text(OUTER, encoding="utf-8")
    return root


def outer(root: Path) -> int:
    return int(told(root, "from small.solver.outer import outer; print(outer(1))"))


def told(root: Path, script: str) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    environment["PYTHONPATH"] = str(root.parent)
    # Python's own bytecode is kept by second and size of a file: what is written anew within one is not seen.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def kept(root: Path) -> set[str]:
    return {folder.name for folder in (root / "__pycache__").glob("compiled-*")}


def test_numba_may_be_told_not_to_compile(monkeypatch: pytest.MonkeyPatch):
    """Setting ``NUMBA_DISABLE_JIT`` stopped the import."""
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)

    def same(x: int) -> int:
        return x

    assert compiled.compiled(same) is same
    assert compiled.borrowing(same) is same


def test_a_function_is_compiled_anew_when_one_that_it_calls_elsewhere_has_changed(tmp_path: Path):
    root = package(tmp_path)
    assert outer(root) == 2
    assert outer(root) == 2
    before = kept(root)
    assert len(before) == 2
    (root / "models" / "inner.py").write_text(INNER.format(step=2), encoding="utf-8")
    assert outer(root) == 3
    assert len(kept(root) - before) == 2


def test_a_function_is_compiled_anew_when_a_constant_that_it_names_elsewhere_has_changed(tmp_path: Path):
    root = package(tmp_path)
    inner = INNER.replace("\n\n", "\nfrom .limits import STEP\n\n", 1)
    (root / "models" / "inner.py").write_text(inner.format(step="STEP"), encoding="utf-8")
    limits = root / "models" / "limits.py"
    limits.write_text("STEP = 1\n", encoding="utf-8")
    moment = limits.stat().st_mtime_ns
    assert outer(root) == 2
    limits.write_text("STEP = 2\n", encoding="utf-8")
    os.utime(limits, ns=(moment, moment))
    assert outer(root) == 3


def test_what_a_change_does_not_touch_is_not_compiled_again(tmp_path: Path):
    root = package(tmp_path)
    assert outer(root) == 2
    before = kept(root)
    changed = root / "solver" / "outer.py"
    changed.write_text(OUTER.replace("inner(x)", "inner(x) + 5"), encoding="utf-8")
    assert outer(root) == 7
    assert len(kept(root) - before) == 1


def test_files_without_compiled_code_compile_nothing_anew(tmp_path: Path):
    root = package(tmp_path)
    assert outer(root) == 2
    (root / "solver" / "words.py").write_text("WORD = 1\n", encoding="utf-8")
    before = kept(root)
    assert outer(root) == 2
    assert kept(root) == before


def symbols(root: Path) -> set[bytes]:
    """Names of numba's own functions in what is kept."""
    kept = [each.read_bytes() for each in (root / "__pycache__").rglob("*.nbc")]
    return {name for each in kept for name in re.findall(rb"_ZN5numba4misc9quicksort\w+", each)}


def test_what_two_processes_compile_has_no_name_in_common(tmp_path: Path):
    """In a third process one name is one function, and numba's closures are named by a number alone."""
    made = "import numpy as np\n\nfrom ..models.compiled import compiled\n\n"
    made += "@compiled\ndef made(x):\n    return np.sort(x)\n"
    script = "import numpy as np; from small.solver.made import made; print(made(np.array([3, 1, 2])))"
    found: list[set[bytes]] = []
    for name in ("one", "other"):
        root = package(tmp_path / name)
        (root / "solver" / "made.py").write_text(made, encoding="utf-8")
        assert told(root, script) == "[1 2 3]\n"
        found.append(symbols(root))
        assert found[-1]
    assert not found[0] & found[1]


def test_two_types_that_are_compiled_at_a_time_are_kept_apart(tmp_path: Path):
    """The index is of who came last, and so may be the code."""
    root = package(tmp_path)
    made = "from ..models.compiled import compiled\n\n\ndef made(x):\n    return x + x\n\n\n"
    made += "first = compiled(made)\n"
    (root / "solver" / "made.py").write_text(made, encoding="utf-8")
    script = """
from small.models.compiled import compiled
from small.solver.made import first, made
second, late = compiled(made), []
first._cache._cache_file._save_data = lambda *given: late.append(given)
second._cache._cache_file._load_index = dict
print(first(1), second(1.5))
kept = type(first._cache._cache_file)
for given in late:
    kept._save_data(first._cache._cache_file, *given)
"""
    assert told(root, script) == "2 3.0\n"
    assert told(root, "from small.solver.made import first; print(first(1.5), first(1))") == "3.0 2\n"


def test_functions_that_borrow_count_no_references_and_make_no_arrays(tmp_path: Path):
    root = package(tmp_path)
    (root / "solver" / "borrowed.py").write_text(BORROWED, encoding="utf-8")
    script = """
import sys
import numpy as np
from small.solver.borrowed import Pair, added, made, sums
pair = Pair(np.arange(1, 4), np.arange(10, 40, 10))
before = [sys.getrefcount(array) for array in pair]
print(added(pair, 2), added.py_func(pair, 2), sums(pair).tolist())
print([sys.getrefcount(array) for array in pair] == before)
try:
    made(3)
except Exception as error:
    print(type(error).__module__.split(".")[0])
"""
    for _ in range(2):  # compiled, then as it is kept
        assert told(root, script) == "33 33 [11, 22, 33]\nTrue\nnumba\n"


@pytest.mark.parametrize("returned", ["Ints", "tuple[int, Ints]", "NDArray[np.int64]", ""])
def test_a_function_that_may_return_an_array_does_not_borrow(returned: str):
    def made(size: int) -> int:
        return size

    made.__annotations__["return"] = returned
    with pytest.raises(TypeError, match="made returns"):
        compiled.borrowing(made)
