"""The local page in a real browser, over the whole path, narrow and wide, also with a bad file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser_page import (
    NEEDED,
    WAIT,
    browsing,
    excused,
    fine,
    pick,
    playwright,
    press,
    see,
    serving,
    upload,
    visit,
)

from optanon.instances import catalog

pytestmark = NEEDED


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server runs, and keeps stored histories."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def address(folder: Path):
    with serving(folder) as found:
        yield found


@pytest.fixture
def page(address: str):
    with browsing(address) as opened:
        yield opened


@pytest.mark.slow
def test_the_whole_path(page, folder: Path, tmp_path: Path):
    """The first release narrow in the dark, the second wide by light."""
    page.set_viewport_size({"width": 390, "height": 900})
    store = "releases.db"
    # A bad file first: one clear message, and the page goes on.
    bad = tmp_path / "bad.csv"
    bad.write_text("id,age\n1,2,3\n", encoding="utf-8")
    upload(page, bad)
    excused(page, "more cells than the header")

    upload(page, catalog.path("hospital") / "release-1.csv")
    see(page, "table-note", "6 rows")
    roles = {
        "name": "respondent (id)",
        "age": "quasi-identifier",
        "gender": "quasi-identifier",
        "zip": "quasi-identifier",
        "disease": "sensitive",
    }
    for number, (column, role) in enumerate(roles.items()):
        see(page, f"column-{number}", column)
        pick(page, f"role-{number}", role)

    # A policy that cannot be read, then the usual one; the history is a new file.
    field = page.get_by_test_id("weak_m_invariance.m")
    field.fill("")
    page.get_by_test_id("solve").click()
    excused(page, "give its parameter m")
    field.fill("3")
    page.get_by_text("Earlier releases").click()
    page.get_by_test_id("history").fill(store)

    press(page, "solve", "Enter")  # the button may still move, as the part above it opens
    see(page, "state", "OPTIMAL")
    see(page, "summary", "6 of 6 published, none invented")
    fine(page, "a release, narrow", "dark")
    with page.expect_download() as download:
        page.get_by_test_id("file-release.release.csv").click()
    released = Path(download.value.path()).read_text(encoding="utf-8")
    assert released.count("\n") == 7
    assert "Alice" not in released
    with page.context.expect_page(timeout=WAIT) as opened:
        page.get_by_test_id("report").click()
    report = opened.value
    report.wait_for_load_state()
    assert "Proven optimal" in report.inner_text("body")
    assert report.locator("figure svg").count() >= 6

    page.get_by_test_id("append").click()
    see(
        page,
        "appended",
        f"release 1 of {store}; audit of the series up to release 1: nobody disclosed of 6",
    )
    assert (folder / store).is_file()

    # The second release, safe together with the first.
    page.set_viewport_size({"width": 1600, "height": 900})
    upload(page, catalog.path("hospital") / "release-2.csv")
    see(page, "table-note", "release-2.csv")
    # What was said of the columns is kept.
    page.get_by_test_id("solve").click()
    playwright.expect(page.get_by_test_id("part-search")).to_contain_text("13.7143", timeout=WAIT)
    see(page, "state", "OPTIMAL")
    page.get_by_test_id("append").click()
    see(page, "appended", f"release 2 of {store}")
    page.get_by_test_id("audit").click()
    playwright.expect(page.get_by_test_id("audit-table")).to_contain_text("1/3", timeout=WAIT)
    fine(page, "two releases, wide", "light")


def test_stopping_early_keeps_the_best_release(page, tmp_path: Path):
    rows = [f"p{i};{i * 37 % 89};{i * 53 % 97};{i * 29 % 83};v{i * i % 11}" for i in range(400)]
    (tmp_path / "large.csv").write_text("\n".join(["id;a;b;c;diagnosis", *rows]) + "\n", encoding="utf-8")
    upload(page, tmp_path / "large.csv")
    see(page, "table-note", "semicolon, utf-8, 400 rows")
    page.get_by_test_id("weak_m_invariance.m").fill("4")
    page.get_by_test_id("time-limit").fill("1200")  # however slow the machine, it has not ended by itself
    page.get_by_test_id("solve").click()
    row = page.get_by_test_id("part-search").locator("tbody tr", has_text="information loss")
    playwright.expect(row.locator("td").nth(1)).to_contain_text(re.compile(r"\d"), timeout=WAIT)
    fine(page, "a search", "dark")
    page.get_by_test_id("stop").click()
    see(page, "state", "FEASIBLE (interrupted")
    playwright.expect(page.get_by_test_id("file-release.release.csv")).to_be_visible(timeout=WAIT)


def test_without_the_token_nothing_is_shown(page, address: str):
    """Nor with the token's place only: another browser knows neither the path nor the cookie."""
    home = page.url
    stranger = page.context.browser.new_context().new_page()
    for place in (address.split("?")[0], home):
        answer = visit(stranger, place)
        assert answer.status == 403
        assert "holds the key" in stranger.inner_text("body")
