"""What checks proofs has nothing of what finds them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import optanon as oa

ROOT = Path(oa.__file__).parent
CHECKERS = sorted(
    f"optanon.solver.verify.{path.stem}"
    for path in (ROOT / "solver" / "verify").glob("*.py")
    if path.stem != "__init__"
)


def loaded_by(names: list[str]) -> set[str]:
    """Modules that are loaded with some."""
    script = f"import sys\n{''.join(f'import {name}{chr(10)}' for name in names)}print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_what_checks_proofs_loads_nothing_of_the_engines_and_no_linear_solver():
    found = loaded_by(CHECKERS)
    assert set(CHECKERS) <= found
    assert not [name for name in found if name.startswith(("optanon.solver.engines", "highspy"))]
