"""The page for everybody: narrow and wide, light and dark, by keys, read aloud: axe-core has no complaint.

The path is walked once, from the table to the audit by keys, and looked at narrow in the dark and wide by
light after every step that changes what is shown; `test_web_browser` walks it with a mouse.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from browser_page import (
    NEEDED,
    WAIT,
    browsing,
    excused,
    fine,
    pick_by_keys,
    playwright,
    press,
    see,
    serving,
    upload,
)

from optanon.instances import catalog

pytestmark = NEEDED


def scarce(folder: Path) -> Path:
    """Sixty people, most of whom share one value: safety again and again needs many counterfeits."""
    drawn = random.Random(0)
    rows = [f"p{i},{drawn.randrange(20, 80)},{'flu' if i % 10 else f'v{i}'}" for i in range(60)]
    path = folder / "scarce.csv"
    path.write_text("\n".join(["id,age,disease", *rows]) + "\n", encoding="utf-8")
    return path


NARROW, WIDE = (390, "dark"), (1600, "light")


def looked_at(page, state: str, views: tuple[tuple[int, str], ...] = (NARROW, WIDE)) -> None:
    """Narrow in the dark, then wide by light; states with little that is new in one of them."""
    for width, scheme in views:
        page.set_viewport_size({"width": width, "height": 900})
        fine(page, f"{state}, {width} pixels, {scheme}", scheme)


def labelled_by_its_column(region) -> None:
    """A turned table: the name of each cell's column stands before it, in the same line."""
    places = region.evaluate(
        """region => {
          const place = cell => {
            const {top, bottom, left, right} = cell.getBoundingClientRect();
            return {top, bottom, left, right, text: cell.innerText.trim(), role: cell.tagName};
          };
          const lines = [...region.querySelectorAll("tr")].map(row => [...row.children].map(place));
          return {heads: lines[0], rows: lines.slice(1)};
        }"""
    )
    heads, rows = places["heads"], places["rows"]
    assert len(heads) > len(rows) > 0
    tops = [head["top"] for head in heads]
    assert tops == sorted(set(tops))  # one under the other
    for row in rows:
        for head, cell in zip(heads, row, strict=True):
            assert head["role"] == "TH"
            assert head["text"]
            assert (cell["top"], cell["bottom"]) == (head["top"], head["bottom"])
            assert cell["left"] >= head["right"] - 1


def charts_of(page) -> list[str]:
    return [
        page.get_by_test_id(f"chart-{name}").get_attribute("id")
        for name in ("course", "lost", "sizes", "frontier")
    ]


@pytest.mark.slow
def test_every_state_of_the_page(tmp_path: Path):
    with serving(tmp_path) as address, browsing(address) as page:
        page.get_by_test_id("part-table").wait_for()
        looked_at(page, "empty", (WIDE,))
        (tmp_path / "bad.csv").write_text("id,age\n1,2,3\n", encoding="utf-8")
        upload(page, tmp_path / "bad.csv")
        see(page, "table-note", "choose another file")
        looked_at(page, "a bad file", (NARROW,))
        excused(page, "more cells than the header")

        upload(page, catalog.path("hospital") / "release-1.csv")
        see(page, "table-note", "6 rows")
        pick_by_keys(page, "role-1", "not published")
        pick_by_keys(page, "role-1", "quasi-identifier")
        pick_by_keys(page, "new-requirement", "k_c_anonymity")
        press(page, "add-requirement", "Enter")
        press(page, "k_c_anonymity.k", "2")
        press(page, "earlier", "Enter")
        press(page, "history", *"releases.db")
        page.get_by_text("More", exact=True).click()
        page.get_by_test_id("requirement-hc_safety").get_by_text("Optional settings").click()
        looked_at(page, "table, columns and policy")
        charts = charts_of(page)
        page.get_by_test_id("role-0").click()
        looked_at(page, "an open menu", (NARROW,))
        page.keyboard.press("Escape")
        assert page.get_by_test_id("role-0").get_attribute("aria-label") == "role of name"
        assert page.get_by_test_id("kind-1").get_attribute("aria-label") == "how age is made coarser"
        assert page.get_by_role("heading", level=1).inner_text() == "optanon"

        press(page, "solve", "Enter")
        see(page, "summary", "6 of 6 published")
        assert page.get_by_test_id("chart-lost").get_attribute("aria-label").startswith("lost by column: age")
        assert page.get_by_test_id("chart-sizes").locator("svg").count() == 1
        looked_at(page, "a result")

        press(page, "remove-k_c_anonymity", "Enter")
        page.get_by_test_id("each").fill("2")
        press(page, "explain", "Enter")
        see(page, "explain-text-0", "The policy can be kept")
        see(page, "explain-asked", "weak_m_invariance (m 3), hc_safety (n 2):")
        page.get_by_test_id("vary").fill("weak_m_invariance.m=2,3")
        page.get_by_test_id("frontier").click()
        playwright.expect(page.get_by_test_id("frontier-table").locator("tbody tr")).to_have_count(
            2, timeout=WAIT
        )
        page.get_by_test_id("compare").click()
        see(page, "compare-table", "subsets OPTIMAL")
        page.get_by_test_id("backtest").click()
        see(page, "backtest-table", "nobody disclosed")
        press(page, "append", "Enter")
        see(page, "appended", "release 1 of releases.db")
        press(page, "audit", "Enter")
        see(page, "audit-table", "1/3")
        looked_at(page, "answers")
        assert charts_of(page) == charts  # filled, never taken away while the browser may still draw them
        # All columns of a table are there where the window is narrow.
        page.set_viewport_size({"width": 390, "height": 900})
        for name in ("audit", "frontier"):
            table = page.get_by_role("region", name=f"table: {name}")
            assert table.evaluate("region => region.scrollWidth <= region.clientWidth"), name
            labelled_by_its_column(table)

        with page.context.expect_page(timeout=WAIT) as opened:
            page.get_by_test_id("report").click()
        report = opened.value
        report.wait_for_load_state()
        looked_at(report, "the report")
        report.close()

        # Everything is still there after loading the page again.
        page.reload()
        see(page, "summary", "6 of 6 published")
        see(page, "table-note", "release-1.csv")
        see(page, "appended", "release 1 of releases.db")
        see(page, "audit-table", "1/3")
        see(page, "compare-table", "subsets OPTIMAL")
        assert page.get_by_test_id("history").count() == 1
        assert page.get_by_test_id("each").input_value() == "2"
        assert page.get_by_test_id("vary").input_value() == "weak_m_invariance.m=2,3"
        looked_at(page, "loaded again")

        # A policy that cannot be kept, and one that can at a price, each with what to do next.
        page.get_by_text("More", exact=True).click()
        page.get_by_label("Invented rows, at most").fill("0")
        page.get_by_test_id("weak_m_invariance.m").fill("30")
        page.get_by_test_id("time-limit").fill("2")
        page.get_by_test_id("each").fill("4")
        upload(page, scarce(tmp_path))
        see(page, "table-note", "60 rows")
        page.get_by_text("Earlier releases").click()
        page.get_by_test_id("history").fill("")
        page.get_by_test_id("solve").press("Enter")  # what was opened above may still move it under a click
        see(page, "state", "'Explain the policy' below says which parts conflict")
        page.get_by_test_id("explain").click()
        see(page, "explain-text-0", re.compile("[Nn]o release|cannot"))
        see(page, "explain-asked", "at most 0 invented")
        looked_at(page, "nothing can be had")
        page.get_by_label("Invented rows, at most").fill("")
        page.get_by_test_id("weak_m_invariance.m").fill("4")
        page.get_by_test_id("solve").click()
        see(page, "summary", "rows shown are invented: a smaller m needs fewer")
        looked_at(page, "many counterfeits")
