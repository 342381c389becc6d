"""The local page in a real browser, over the whole path, also with a bad file."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from optanon.instances import catalog

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)"),
]
playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: pip install optanon[browser]"
)
pytest.importorskip("nicegui", reason="needs NiceGUI: pip install optanon[ui]")
WAIT = 60_000
"""Milliseconds for anything to appear."""


@pytest.fixture
def address(tmp_path: Path):
    """A running page, started as a user would, in an empty folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from optanon.solver.cli import main; main()", "ui", "--no-show"],
        cwd=tmp_path,
        # NiceGUI runs otherwise under its own test fixtures.
        env={name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line)
    assert found is not None, line
    yield found[0]
    process.send_signal(signal.SIGINT)
    process.wait(30)
    process.stdout.close()


@pytest.fixture
def page(address: str):
    """The page in a browser; nothing may be asked of another machine, nothing complain on the console."""
    said: list[str] = []
    asked: list[str] = []
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_context(accept_downloads=True).new_page()
        opened.set_default_timeout(WAIT)
        opened.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        opened.on("pageerror", lambda error: said.append(str(error)))
        opened.context.on("request", lambda request: asked.append(request.url))
        for _ in range(100):
            try:
                opened.goto(address)
                break
            except playwright.Error:
                opened.wait_for_timeout(200)
        yield opened
        browser.close()
    assert not [text for text in said if "favicon" not in text]
    own = address.split("/?")[0]
    assert not [
        url for url in asked if not url.startswith((own, own.replace("http", "ws"), "data:", "blob:"))
    ]


def upload(page, path: Path) -> None:
    page.get_by_test_id("upload-table").locator("input[type=file]").set_input_files(str(path))


def choose(page, column: str, role: str) -> None:
    page.get_by_test_id(f"role-{column}").click()
    # The menu of the column before may still be fading.
    page.get_by_role("option", name=role, exact=True).last.click()
    playwright.expect(page.get_by_role("option", name=role, exact=True)).to_have_count(0)


def see(page, test_id: str, text: str) -> None:
    playwright.expect(page.get_by_test_id(test_id)).to_contain_text(text, timeout=WAIT)


def test_the_whole_path(page, tmp_path: Path):
    # A bad file first: one clear message, and the page goes on.
    bad = tmp_path / "bad.csv"
    bad.write_text("id,age\n1,2,3\n", encoding="utf-8")
    upload(page, bad)
    playwright.expect(page.get_by_text("more cells than the header").first).to_be_visible(timeout=WAIT)
    page.get_by_role("button", name="OK").first.click()

    upload(page, catalog.path("hospital") / "release-1.csv")
    see(page, "table-note", "6 rows")
    for column, role in (
        ("name", "respondent (id)"),
        ("age", "quasi-identifier"),
        ("gender", "quasi-identifier"),
        ("zip", "quasi-identifier"),
        ("disease", "sensitive"),
    ):
        choose(page, column, role)

    # A policy that cannot be read, then the usual one; the history is a new file.
    field = page.get_by_test_id("weak_m_invariance.m")
    field.fill("")
    page.get_by_test_id("solve").click()
    playwright.expect(page.get_by_text("give its parameter m").first).to_be_visible(timeout=WAIT)
    page.get_by_role("button", name="OK").first.click()
    field.fill("3")
    page.get_by_text("Earlier releases").click()
    page.get_by_test_id("history").fill("releases.db")

    page.get_by_test_id("solve").click()
    see(page, "state", "OPTIMAL")
    with page.expect_download() as download:
        page.get_by_test_id("file-release.release.csv").click()
    released = Path(download.value.path()).read_text(encoding="utf-8")
    assert released.count("\n") == 7
    assert "Alice" not in released
    with page.context.expect_page() as opened:
        page.get_by_test_id("report").click()
    report = opened.value
    report.wait_for_load_state()
    assert "Proven optimal" in report.inner_text("body")
    assert report.locator("figure svg").count() >= 7

    page.get_by_test_id("append").click()
    see(page, "appended", "release 1 of releases.db")
    assert (tmp_path / "releases.db").is_file()

    # The second release, safe together with the first.
    upload(page, catalog.path("hospital") / "release-2.csv")
    see(page, "table-note", "release-2.csv")
    # What was said of the columns is kept.
    page.get_by_test_id("solve").click()
    playwright.expect(page.get_by_test_id("part-search")).to_contain_text("13.7143", timeout=WAIT)
    see(page, "state", "OPTIMAL")
    page.get_by_test_id("append").click()
    see(page, "appended", "release 2 of releases.db")
    page.get_by_test_id("audit").click()
    playwright.expect(page.get_by_test_id("audit-table")).to_contain_text("1/3", timeout=WAIT)


def test_stopping_early_keeps_the_best_release(page, tmp_path: Path):
    rows = [f"p{i};{i * 37 % 89};{i * 53 % 97};{i * 29 % 83};v{i * i % 11}" for i in range(400)]
    (tmp_path / "large.csv").write_text("\n".join(["id;a;b;c;diagnosis", *rows]) + "\n", encoding="utf-8")
    upload(page, tmp_path / "large.csv")
    see(page, "table-note", "semicolon, utf-8, 400 rows")
    page.get_by_test_id("weak_m_invariance.m").fill("4")
    page.get_by_test_id("solve").click()
    row = page.get_by_test_id("part-search").locator("tbody tr", has_text="information loss")
    playwright.expect(row.locator("td").nth(1)).to_contain_text(re.compile(r"\d"), timeout=WAIT)
    page.get_by_test_id("stop").click()
    see(page, "state", "FEASIBLE (interrupted")
    playwright.expect(page.get_by_test_id("file-release.release.csv")).to_be_visible(timeout=WAIT)


def test_without_the_token_nothing_is_shown(address: str):
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        for _ in range(100):
            try:
                answer = page.goto(address.split("?")[0])
                break
            except playwright.Error:
                page.wait_for_timeout(200)
        assert answer is not None
        assert answer.status == 403
        assert "holds the key" in page.inner_text("body")
        browser.close()
