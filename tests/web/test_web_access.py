"""The page for everybody: narrow and wide, light and dark, by keys, read aloud: axe-core has no complaint."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_page import NEEDED, browsing, see, serving, upload

from optanon.instances import catalog

axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="needs axe-core: pip install optanon[browser]"
)
pytestmark = NEEDED
SERIOUS = ("serious", "critical")


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


def test_the_path_at_both_widths_light_and_dark(tmp_path: Path):
    with serving(tmp_path) as address, browsing(address) as page:
        page.set_viewport_size({"width": 390, "height": 900})
        assert serious(page) == []
        upload(page, catalog.path("hospital") / "release-1.csv")
        see(page, "table-note", "6 rows")
        page.get_by_test_id("solve").wait_for()
        for width in (390, 1600):
            page.set_viewport_size({"width": width, "height": 900})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                page.wait_for_timeout(400)
                assert serious(page) == [], (width, scheme)
                assert wider_than_the_window(page) <= 0, (width, scheme)
        role = page.get_by_test_id("role-0")
        assert role.get_attribute("aria-label") == "role of name"
        assert page.get_by_role("heading", level=1).inner_text() == "optanon"
        page.get_by_test_id("solve").focus()
        page.keyboard.press("Enter")
        see(page, "summary", "6 of 6 published")
        assert serious(page) == []
