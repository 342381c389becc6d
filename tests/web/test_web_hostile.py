"""A table whose column names, values and file name try to run script; and pages that try to get in."""

from __future__ import annotations

import csv
import io
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from browser_page import NEEDED, browsing, excused, pick, see, serving, upload

pytestmark = NEEDED

DO = "window.PWNED=1"
ID = f'who" :data-x="{DO}" x="'
AGE = f'age" :data-x="{DO}" onclick="{DO}" v-html="{DO}" x="'
SEX = f"<img src=x onerror={DO}>"
CITY = f"{{{{constructor.constructor('{DO}')()}}}}"
ILL = f"</td></script><script>{DO}</script><svg onload={DO}>"
OTHERS = [
    f"b' :data-y='{DO}' onload='{DO}'",
    f"c :data-z={DO} z",
    f"javascript:{DO}",
    f'<a href="javascript:{DO}">click</a>',
    f"`${{{DO}}}`",
    f"'-({DO})-'",
    f'@click="{DO}" :onclick="{DO}" v-on:click="{DO}" innerHTML=<img/src=x/onerror={DO}>',
    f"\\u003cimg src=x onerror={DO}\\u003e &lt;img src=x onerror={DO}&gt; %3Cscript%3E{DO}%3C/script%3E",
    f"<iframe srcdoc='<script>parent.{DO}</script>'></iframe><style>@import 'javascript:{DO}'</style>",
    "__proto__",
    "$\\frac{$",
]
VALUES = [f"<img src=y onerror={DO}>", f'flu" :data-v="{DO}" v="', f"{{{{ {DO} }}}}"]
FILE = f"<img src=x onerror={DO}>' :data-f='{DO}' f='{{{{{DO}}}}}.csv"  # browsers escape double quotes
HISTORY = f'<img src=x onerror={DO}>" :data-h="{DO}" h="{{{{{DO}}}}}.db'
PROP = "Object.values(mounted_app.elements).find(part => part.text === 'optanon').props[':data-x'] = "
"""Beginning of a script that gives the title of the page a prop."""
NAMES = [ID, AGE, SEX, CITY, ILL, *OTHERS]


def table() -> bytes:
    text = io.StringIO()
    out = csv.writer(text)
    out.writerow(NAMES)
    for i in range(6):
        others = [f"{name} {i}" for name in OTHERS]
        out.writerow([f"{ID}{i}", 20 + i, f"{SEX}{i // 2}", f"{CITY}{i // 2}", VALUES[i // 2], *others])
    return text.getvalue().encode()


def csv_file(content: bytes, name: str = FILE) -> dict[str, object]:
    return {"name": name, "mimeType": "text/csv", "buffer": content}


def nothing_ran(page) -> None:
    for opened in page.context.pages:
        assert opened.evaluate("[typeof window.PWNED, document.title.includes('PWNED')]") == [
            "undefined",
            False,
        ]


@pytest.mark.slow
def test_a_hostile_table_runs_nothing_even_without_fences(tmp_path: Path) -> None:
    with serving(tmp_path) as address, browsing(address, fenced=False) as page:
        walk(page, tmp_path)
        # Had any of it been script, it would have run: here is one that is.
        page.evaluate(f"{PROP}'{DO}'")
        page.wait_for_function("window.PWNED === 1")


def walk(page, folder: Path) -> None:
    """Upload, columns, policy, search, result, history, audit, downloads, report."""
    upload(page, csv_file((",".join(['"a"', '"a"']) + "\n1,2\n").encode()))
    excused(page, FILE)
    upload(page, csv_file(table()))
    see(page, "table-note", FILE)
    see(page, "table-note", "6 rows")
    for number, name in enumerate(NAMES):
        assert page.get_by_test_id(f"column-{number}").inner_text() == name
    nothing_ran(page)

    roles = ["respondent (id)", *["quasi-identifier"] * 3, "sensitive", *["not published"] * len(OTHERS)]
    for number, role in enumerate(roles):
        if page.get_by_test_id(f"role-{number}").locator("input").input_value() != role:
            pick(page, f"role-{number}", role)
    nothing_ran(page)

    # Complaints that repeat what the table says.
    pick(page, "kind-2", "ordered categories, as ranges")
    page.get_by_test_id("solve").click()
    excused(page, "write its order")
    pick(page, "kind-2", "a hierarchy by rule")
    page.get_by_test_id("built-2").fill(f"{{{SEX}")
    page.get_by_test_id("solve").click()
    excused(page, "cannot be read")
    pick(page, "kind-2", "a hierarchy from a file")
    page.get_by_test_id("hierarchy-2").locator("input[type=file]").set_input_files(csv_file(b"a;b\na;c\n"))
    excused(page, f"hierarchy of {SEX}: hierarchy row 2")
    pick(page, "kind-2", "categories, each or *")
    nothing_ran(page)

    # Groups of two, of whatever values: then the audit has something to tell.
    for name in ("weak_m_invariance", "hc_safety"):
        page.get_by_test_id(f"remove-{name}").click()
    pick(page, "new-requirement", re.compile("^k_c_anonymity"))
    page.get_by_test_id("add-requirement").click()
    page.get_by_test_id("k_c_anonymity.k").fill("2")
    page.get_by_test_id("requirement-k_c_anonymity").get_by_text("Optional settings").click()
    page.get_by_test_id("k_c_anonymity.c").fill("1")
    page.get_by_text("Earlier releases").click()
    page.get_by_test_id("history").fill(HISTORY)
    page.get_by_test_id("solve").click()
    see(page, "state", "OPTIMAL")
    nothing_ran(page)

    contents: dict[str, str] = {}
    for name in ("release.release.csv", "release.steward.csv", "release.result.json", "problem.yaml"):
        with page.expect_download() as download:
            page.get_by_test_id(f"file-{name}").click()
        assert download.value.suggested_filename == name
        contents[name] = Path(download.value.path()).read_text(encoding="utf-8")
    assert VALUES[0] in contents["release.release.csv"]
    assert SEX in contents["problem.yaml"]
    nothing_ran(page)

    with page.context.expect_page() as opened:
        page.get_by_test_id("report").click()
    report = opened.value
    report.wait_for_load_state()
    assert SEX in report.inner_text("body")
    assert report.locator("figure svg").count() >= 3
    assert not report.locator("script, iframe, [onerror], [onload], a[href^=javascript]").count()
    nothing_ran(page)
    report.close()

    page.get_by_test_id("append").click()
    excused(page, "k_c_anonymity) looks at the other releases")
    page.get_by_test_id("insist").click()
    page.get_by_test_id("append").click()
    see(page, "appended", f"release 1 of {HISTORY}")
    assert (folder / HISTORY).is_file()
    page.get_by_test_id("audit").click()
    see(page, "audit-table", "1")
    see(page, "audit-text-0", VALUES[0])
    nothing_ran(page)
    assert not page.locator("#app script, #app iframe, [onerror], [onload], [onclick], [data-x]").count()


PUT_IN = {
    "an inline handler": f"document.body.insertAdjacentHTML('beforeend', {SEX!r})",
    "a script": f"document.body.append(Object.assign(document.createElement('script'), {{text: '{DO}'}}))",
    "an address": f"Object.assign(document.createElement('a'), {{href: 'javascript:{DO}'}}).click()",
    "a prop that begins with a colon": f"{PROP}'{DO}'",
    "text to be evaluated": f"runJavascript('{DO}')",
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory):
    with serving(tmp_path_factory.mktemp("shared")) as address:
        yield address


@pytest.mark.parametrize("fenced", [True, False])
def test_fences_stop_script_that_is_put_in(fenced: bool, shared: str) -> None:
    """Whatever would come of a slip: it does not run, and it does run where there are no fences."""
    with browsing(shared, fenced=fenced, silent=False) as page:
        page.get_by_test_id("upload-table").wait_for(state="attached")
        for what, way in PUT_IN.items():
            page.evaluate(way)
            page.wait_for_timeout(200)
            assert page.evaluate("typeof window.PWNED") == ("undefined" if fenced else "number"), what
            page.evaluate("delete window.PWNED")


# --- other pages in the same browser --------------------------------------------------------------

TRIES = """async (home) => {
  const socket = home.replace("http", "ws") + "_nicegui_ws/socket.io/?EIO=4&transport=websocket";
  const polling = home + "_nicegui_ws/socket.io/?EIO=4&transport=polling";
  const loads = (part) => new Promise((done) => {
    part.onload = () => done(true);
    part.onerror = () => done(false);
    document.body.append(part);
  });
  const asks = (how, address = polling) =>
    fetch(address, {credentials: "include", ...how}).then(
      (answer) => answer.type === "opaque" ? "opaque" : answer.ok, () => false);
  const opens = new Promise((done) => {
    const live = new WebSocket(socket);
    live.onopen = () => done(true);
    live.onerror = () => done(false);
  });
  return {
    "live connection": await opens,
    "polling": await asks({}),
    "sending": await asks({method: "POST", body: "40"}),
    "asking blindly": await asks({mode: "no-cors"}),
    "the page": await asks({}, home),
    "a script": await loads(Object.assign(document.createElement("script"), {src: polling})),
    "a picture": await loads(Object.assign(document.createElement("img"), {src: home})),
  };
}"""


class _Neighbour(BaseHTTPRequestHandler):
    """Another server on this machine, which notes what the browser sends it."""

    cookies: list[str]

    def do_GET(self) -> None:
        self.cookies.append(self.headers.get("Cookie") or "")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>neighbour</title><body></body>")

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def neighbour():
    handler = type("Neighbour", (_Neighbour,), {"cookies": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", handler.cookies
        server.shutdown()


def test_a_page_on_another_port_gets_nothing_though_it_is_told_the_path(shared: str, neighbour) -> None:
    elsewhere, cookies = neighbour
    with browsing(shared, silent=False) as page:
        home = page.url
        page.get_by_test_id("upload-table").wait_for(state="attached")
        assert page.context.cookies(home)
        other = page.context.new_page()
        other.goto(elsewhere)
        found = other.evaluate(TRIES, home)
        # A request that tells nothing of its answer is the most it gets.
        assert found.pop("asking blindly") in (False, "opaque")
        assert not any(found.values()), found
        assert cookies
        assert not any(cookies)  # the browser does not send ours to another port
        framed = other.evaluate(
            "(home) => new Promise(done => {const f = document.createElement('iframe'); f.src = home;"
            "f.onload = () => done(true); document.body.append(f)})",
            home,
        )
        assert framed  # something is loaded, but not the page
        assert not other.frames[1].locator("[data-testid]").count()
        # The page itself may do most of that.
        own = page.evaluate(TRIES, home)
        assert own["live connection"] is own["polling"] is own["the page"] is True
