"""The documentation as readers use it: names have pages, links lead somewhere, the README's example runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from inspect import isfunction
from io import StringIO
from pathlib import Path
from runpy import run_path
from textwrap import dedent
from typing import Any
from urllib.parse import urlsplit

import pandas as pd
import pytest

import optanon as oa
from optanon.models import errors, requirement
from optanon.models.losses import base as loss
from optanon.models.requirements import build_requirement

ROOT = Path(oa.__file__).parent
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
    if "generated" not in page.parts
)
GENERATED = {"problem-file", "series-file", "commands", "each-requirement", "errors"}
"""Pages that `docs/draw_reference.py` writes."""
MOST_WORDS = 1600


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def listed() -> set[str]:
    """Names that the reference gives a page."""
    blocks = re.findall(r"```\{eval-rst\}(.*?)```", text(DOCS / "reference.md"), flags=re.DOTALL)
    return {line.strip() for block in blocks for line in block.splitlines() if re.fullmatch(r" +\w+", line)}


def test_every_public_name_has_a_page():
    assert set(oa.__all__) - {"__version__", "hierarchies"} <= listed()
    builders = {name for name in oa.hierarchies.__all__ if isfunction(getattr(oa.hierarchies, name))}
    assert builders <= listed()


def test_docstrings_of_public_names_speak_for_themselves():
    """A page of the reference shows nothing of the module, nor of a class that has no page."""
    for name in oa.__all__:
        told = getattr(oa, name).__doc__ or ""
        assert "See the module" not in told, name
        assert not re.search(r"are those of `(\w+)`", told), name


def test_every_error_has_a_page():
    kinds = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.OptanonError)
    }
    assert kinds <= listed()


def test_the_tables_of_requirements_and_losses_are_read_off_the_code():
    """`python docs/draw_reference.py` writes them; nobody keeps them by hand."""
    page = text(DOCS / "requirements.md")
    drawn = run_path(str(DOCS / "draw_reference.py"))["redrawn"](page)
    assert "`weak_m_invariance`" in drawn
    assert page == drawn


def test_pages_read_off_the_code_say_what_holds_unless_said():
    """In words of a file, without names of classes; of switches both ways are named."""
    drawn = run_path(str(DOCS / "draw_reference.py"))
    keys, commands = drawn["problem_page"](), drawn["commands_page"]()
    assert "| `missing` | `'refuse', 'category'` | `refuse` |" in keys
    assert "mapping of value to number` | `measured` |" in keys
    assert re.search(r"\w+Keys?\b|Choice", keys) is None
    assert "| `--solve, --no-solve` | --solve |" in commands
    assert "| None |" not in commands


def anchors(page: Path) -> set[str]:
    """What headings can be linked by, as MyST and GitHub name them."""
    heads = re.findall(
        r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text(page), flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links(page: Path) -> Iterator[str]:
    plain = re.sub(r"```.*?```|`[^`\n]*`", "", text(page), flags=re.DOTALL)
    yield from re.findall(r"\]\(([^)\s]+)\)", plain)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    for link in links(page):
        address = urlsplit(link)
        if address.scheme:
            assert address.scheme in ("https", "http"), link
            assert "." in address.netloc, link
            continue
        target = page if not address.path else (page.parent / address.path).resolve()
        if target.parent.name == "generated":
            assert target.stem in GENERATED, link
            continue
        assert target.exists(), link
        if address.fragment:
            assert address.fragment in anchors(target), link


def test_the_readme_is_short():
    assert len(text(ROOT / "README.md").split()) <= MOST_WORDS


def patients() -> pd.DataFrame:
    rows = [(f"p{i}", 20 + i, f"1310{i % 4}", "fm"[i % 2], ("flu", "cold", "gout")[i % 3]) for i in range(9)]
    return pd.DataFrame(rows, columns=["id", "age", "zip", "sex", "disease"])


def blocks(page: Path) -> list[str]:
    """Every block of Python on a page, wherever it stands."""
    return [
        dedent(code)
        for code in re.findall(r"^ *```python\n(.*?)^ *```", text(page), re.DOTALL | re.MULTILINE)
    ]


def run(page: Path) -> dict[str, Any]:
    """Run a page's Python in order; `table` and `policy` are the reader's own. Give all names."""
    roles = {"respondent": "id", "quasi_identifiers": ["age", "zip", "sex"], "sensitive": "disease"}
    names: dict[str, Any] = {
        "__name__": "example",
        "table": oa.Microdata.from_frame(patients(), **roles),
        "policy": oa.Policy([oa.WeakMInvariance(m=3)], minimize=["counterfeits", "information_loss"]),
    }
    with redirect_stdout(StringIO()) as said:
        for code in blocks(page):
            exec(compile(code, str(page), "exec", dont_inherit=True), names)
    return names | {"said": said.getvalue()}


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    patients().to_csv(tmp_path / "patients.csv", index=False)
    monkeypatch.chdir(tmp_path)
    result = run(ROOT / "README.md")["result"]
    assert isinstance(result, oa.Result)
    assert result.status is oa.Status.OPTIMAL
    assert len(pd.read_csv("release-1.csv")) == 9
    assert len(oa.History.open("releases.db")) == 1


EXAMPLES = [page for page in PAGES if blocks(page) and page.name != "README.md"]


@pytest.mark.slow
@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(requirement, "_registry", dict(requirement._registry))
    monkeypatch.setattr(loss, "_registry", dict(loss._registry))
    names = run(page)
    if "result" in names:
        assert names["result"].status is oa.Status.OPTIMAL
    if page.name == "keep-a-history.md":
        assert "nobody disclosed of 9 people" in names["said"]
    if page.name == "plugins.md":
        kept = oa.Policy(
            [build_requirement("alpha_k", {"k": 2, "alpha": "1/2", "value": "flu"})], ["first_column_twice"]
        )
        assert oa.solve(names["table"], kept).status is oa.Status.OPTIMAL


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_examples_use_names_that_are_there(page: Path):
    for code in blocks(page):
        compile(code, str(page), "exec")
        used = set(re.findall(r"\boa\.(\w+)", code))
        assert used <= set(oa.__all__), page
