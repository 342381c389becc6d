"""The local page as a user starts it, and Chromium in front of it, watched for whatever goes wrong."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NEEDED = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt-get install chromium)"),
]
playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: pip install optanon[browser]"
)
pytest.importorskip("nicegui", reason="needs NiceGUI: pip install optanon[ui]")
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="needs axe-core: pip install optanon[browser]"
)
SERIOUS = ("serious", "critical")
FADED = """() => Promise.allSettled(document.getAnimations()
  .filter(each => each.effect.getTiming().iterations !== Infinity).map(each => each.finished))"""
"""Colours of what still fades in or out are nobody's choice."""
WAIT = 240_000
"""Milliseconds for anything to appear."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a running page, started as a user would, in an empty folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from optanon.solver.cli import main; main()", "ui", "--no-show"],
        cwd=folder,
        # NiceGUI runs otherwise under its own test fixtures.
        env={name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line)
        assert found is not None, line
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        process.stdout.close()


@contextmanager
def browsing(address: str, *, fenced: bool = True, silent: bool = True) -> Iterator:
    """The page in a browser; if `silent`, nothing asks another server or complains on the console.

    Without the fences neither the content security policy nor the lock is there: what does not run then
    does not run because it is no script.
    """
    said: list[str] = []
    asked: list[str] = []
    with playwright.sync_playwright() as play:
        options = ["--no-sandbox"]
        if not fenced:
            # Chromium does not know where a page comes from that `unlocked` passed on.
            options.append("--disable-features=LocalNetworkAccessChecks")
        browser = play.chromium.launch(executable_path=CHROMIUM, args=options)
        context = browser.new_context(accept_downloads=True, bypass_csp=not fenced)
        if not fenced:
            context.route(re.compile(r"^http://[^/]+/[\w-]+/$"), unlocked)
        opened = context.new_page()
        opened.set_default_timeout(WAIT)
        context.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        context.on("weberror", lambda error: said.append(str(error.error)))
        context.on("dialog", lambda dialog: (said.append(f"dialog {dialog.message}"), dialog.dismiss()))
        context.on("request", lambda request: asked.append(request.url))
        visit(opened, address)
        if not fenced:
            opened.reload()  # what a page sends on is not seen by `unlocked`
        assert opened.evaluate("typeof refuse") == ("function" if fenced else "undefined")
        try:
            yield opened
        finally:
            browser.close()
    if not silent:
        return
    complaints = [text for text in said if "favicon" not in text]
    assert not complaints, complaints
    own = address.split("/?")[0]
    strange = [url for url in asked if not url.startswith((own, own.replace("http", "ws"), "data:", "blob:"))]
    assert not strange, strange


def unlocked(route) -> None:
    """Pass a page on without its lock."""
    answer = route.fetch()
    body, count = re.subn(
        r"<script nonce=\S+>\n// Hides eval.*?</script>", "", answer.text(), flags=re.DOTALL
    )
    assert count == 1
    route.fulfill(response=answer, body=body)


def visit(page, address: str):
    """Open an address as soon as somebody answers there."""
    for _ in range(100):
        try:
            return page.goto(address)
        except playwright.Error:
            page.wait_for_timeout(200)
    raise AssertionError(f"nobody answers at {address}")


def upload(page, file) -> None:
    """Choose the table: a path, or name, type and content."""
    chosen = str(file) if isinstance(file, Path) else file
    page.get_by_test_id("upload-table").locator("input[type=file]").set_input_files(chosen)


def pick(page, test_id: str, option: str | re.Pattern[str]) -> None:
    """Choose from a menu."""
    page.get_by_test_id(test_id).click()
    exact = isinstance(option, str)
    # The menu of the field before may still be fading.
    page.get_by_role("option", name=option, exact=exact).last.click()
    playwright.expect(page.get_by_role("option", name=option, exact=exact)).to_have_count(0)


def press(page, test_id: str, *keys: str) -> None:
    """Go to a part of the page by the tab key alone, and press keys there."""
    there = "name => document.activeElement.closest(`[data-testid='${name}']`) !== null"
    page.get_by_test_id(test_id).wait_for()
    for _ in range(200):
        if page.evaluate(there, test_id):
            break
        page.keyboard.press("Tab")
    else:
        raise AssertionError(f"the tab key does not lead to {test_id}")
    for key in keys:
        page.keyboard.press(key)


def pick_by_keys(page, test_id: str, option: str) -> None:
    """Choose from a menu by the arrow keys."""
    press(page, test_id, "Enter")
    options = page.get_by_role("option")
    options.first.wait_for()
    ahead = page.locator(".q-manual-focusable--focused[role=option]")
    for _ in range(options.count() + 1):
        if ahead.count() and ahead.inner_text().startswith(option):
            break
        page.keyboard.press("ArrowDown")
    else:
        raise AssertionError(f"the arrow keys do not lead to {option}")
    page.keyboard.press("Enter")
    playwright.expect(options).to_have_count(0)


def see(page, test_id: str, text: str | re.Pattern[str]) -> None:
    """Wait until a part of the page holds a text."""
    playwright.expect(page.get_by_test_id(test_id)).to_contain_text(text, timeout=WAIT)


def excused(page, words: str) -> None:
    """Wait for a complaint, and close it."""
    playwright.expect(page.get_by_text(words).first).to_be_visible(timeout=WAIT)
    page.get_by_role("button", name="OK").first.click()


def serious(page) -> list[str]:
    """What axe-core finds that keeps somebody out."""
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['html'][:160]}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


def wider_than_the_window(page) -> int:
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


def fine(page, state: str, scheme: str) -> None:
    """Nobody is kept out, and nothing runs out of the window."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_timeout(200)
    page.evaluate(FADED)
    assert serious(page) == [], state
    assert wider_than_the_window(page) <= 0, state
