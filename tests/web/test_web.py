"""The local page's parts that need no browser: who may come in, what forms offer, jobs in a child process."""

from __future__ import annotations

import asyncio
import errno
import inspect
import json
import re
import shutil
import signal
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from optanon.instances import catalog
from optanon.instances.problem_file import load_answer, load_problem
from optanon.instances.store.opening import History
from optanon.models.errors import InputError, OptanonError, PolicyError, SeriesError, StoreError, TableError
from optanon.models.requirements import registered
from optanon.solver.advice import advice
from optanon.solver.search import solve_problem
from optanon.solver.terms import requirement_terms
from optanon.solver.web import child, tasks
from optanon.solver.web.guard import Guard
from optanon.solver.web.job import Job
from optanon.solver.web.policy_form import PolicyForm, _read
from optanon.solver.web.script_rules import ScriptRules
from optanon.solver.web.workbench import Workbench

HOST = "127.0.0.1:8000"
OWN = f"http://{HOST}"


class Door:
    """A guarded application, as a browser meets it: the application itself answers 200 and what it got."""

    def __init__(self, app=None):
        self.guard = Guard(app or self.application, token="right", hosts=(HOST,), most_bytes=25)
        answer = self.ask(path="/", query="token=right", cookie=None)[0]
        self.opened = dict(answer["headers"])
        self.home = self.opened[b"location"].decode()
        self.cookie = self.opened[b"set-cookie"].decode().split(";")[0]

    async def application(self, scope, receive, send):
        got = b""
        if scope["type"] == "http":
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    await send({"type": "http.response.start", "status": 400, "headers": []})
                    return
                got += message["body"]
                if not message.get("more_body"):
                    break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": got})

    def ask(
        self, *, path=None, query="", cookie="", body=b"", kind="http", method="GET", host=HOST, **headers
    ):
        """What comes back; header names with underscores, several values as a list."""
        sent = []
        chunks = [body[i : i + 10] for i in range(0, len(body), 10)] or [b""]

        async def receive():
            chunk = chunks.pop(0)
            return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}

        async def send(message):
            sent.append(message)

        if cookie is not None:
            headers["cookie"] = cookie or self.cookie
        if kind == "websocket":
            headers.setdefault("origin", OWN)
        headers["host"] = host
        pairs = [
            (name.replace("_", "-").encode(), value.encode())
            for name, values in headers.items()
            for value in (values if isinstance(values, list) else [values])
        ]
        scope = {
            "type": kind,
            "headers": pairs,
            "query_string": query.encode(),
            "path": self.home if path is None else path,
        } | ({"method": method} if kind == "http" else {})
        asyncio.run(self.guard(scope, receive, send))
        return sent

    def status(self, **how):
        return self.ask(**how)[0].get("status", "closed")


@pytest.fixture
def door():
    return Door()


def test_only_the_token_opens_the_door_and_it_becomes_a_path_and_a_cookie(door):
    assert door.status(path="/", cookie=None) == 403
    assert door.status(path="/", query="token=wrong", cookie=None) == 403
    flags = door.opened[b"set-cookie"].decode().split("; ")[1:]
    assert flags == ["HttpOnly", "SameSite=Strict", f"Path={door.home}"]
    assert "right" not in door.cookie + door.home
    assert len(door.home) > 20
    assert door.status() == 200
    assert door.status(cookie="optanon=right") == 403
    assert door.status(cookie="other=right") == 403
    assert door.status(cookie=f"{door.cookie}; =;;") in (200, 403)
    # Either alone is not enough, and every run has its own.
    assert door.status(cookie=None) == 403
    for elsewhere in ("/", "/_nicegui_ws/socket.io/", "/report/x", door.home[:-1], f"/x{door.home}"):
        assert door.status(path=elsewhere) == 403
    assert Door().home != door.home
    assert Door().cookie != door.cookie


def test_other_host_names_are_refused_even_with_the_cookie(door):
    for host in (
        "evil.example:8000",
        "",
        "127.0.0.1",
        [HOST, "evil.example"],
        ["evil.example", HOST],
        [HOST, HOST],
    ):
        assert door.status(host=host) == 403


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://127.0.0.1:9000",
        "http://localhost:8000",
        "https://127.0.0.1:8000",
        "null",
        "",
        [OWN, "http://evil.example"],
        [OWN, OWN],
    ],
)
def test_other_pages_are_refused_on_live_connections_and_polling(door, origin):
    assert door.status(kind="websocket", origin=origin) == "closed"
    for method in ("GET", "POST"):
        assert door.status(method=method, origin=origin) == 403


def test_the_page_itself_may_ask(door):
    assert door.status(kind="websocket") == 200
    assert door.status(kind="websocket", origin=[]) == "closed"  # browsers always say
    assert door.status(method="POST", origin=OWN, sec_fetch_site="same-origin") == 200
    assert door.status(sec_fetch_site="none") == 200


def test_what_browsers_say_of_the_asking_page_counts(door):
    for site in ("same-site", "cross-site"):
        assert door.status(sec_fetch_site=site) == 403
        assert door.status(sec_fetch_site=site, sec_fetch_mode="no-cors", sec_fetch_dest="script") == 403
        frame = {"sec_fetch_mode": "navigate", "sec_fetch_dest": "iframe"}
        assert door.status(sec_fetch_site=site, **frame) == 403
        link = {"sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
        assert door.status(sec_fetch_site=site, **link) == 200  # opening the page in a tab
        assert door.status(sec_fetch_site=site, method="POST", **link) == 403  # a form


def test_live_connections_need_path_and_cookie_too(door):
    assert door.status(kind="websocket", cookie="optanon=wrong") == "closed"
    assert door.status(kind="websocket", cookie="optanon=wrong", query="token=right") == "closed"
    assert door.status(kind="websocket", path="/_nicegui_ws/socket.io/") == "closed"


def test_every_answer_is_sealed(door):
    for how in ({}, {"path": "/"}, {"host": "evil.example"}, {"path": "/", "query": "token=right"}):
        headers = dict(door.ask(**how)[0]["headers"])
        assert headers[b"x-content-type-options"] == b"nosniff"
        assert headers[b"cross-origin-resource-policy"] == b"same-origin"
        assert headers[b"referrer-policy"] == b"no-referrer"


def test_large_uploads_are_refused_whatever_they_say_of_their_length(door):
    assert door.status(body=b"x" * 25, content_length="25") == 200
    assert door.status(content_length="26") == 413
    assert door.status(content_length="9" * 5000) == 413
    assert door.status(content_length="-1") == 400
    assert door.status(content_length=["1", "2"], body=b"x" * 26) == 400
    assert door.status(body=b"x" * 26) == 400


def ruled(*headers, body=b"", packed=b""):
    """What `ScriptRules` makes of an answer."""

    async def application(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [*headers]})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": packed})

    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "headers": [(b"host", HOST.encode())]}
    asyncio.run(ScriptRules(application)(scope, None, send))
    return sent


def test_pages_may_run_their_own_script_only():
    page = (b"x-nicegui-content", b"page")
    start, answer = ruled(
        page, (b"content-length", b"33"), body=b"<script>1</script><scr", packed=b"ipt src=x>"
    )
    rule = dict(
        part.split(" ", 1) for part in dict(start["headers"])[b"content-security-policy"].decode().split("; ")
    )
    nonce = re.search(r"'nonce-([\w-]{20,})'", rule["script-src"])[1]
    assert rule["script-src"] == f"'self' 'nonce-{nonce}' 'unsafe-eval'"
    assert answer["body"] == f'<script nonce="{nonce}">1</script><script nonce="{nonce}" src=x>'.encode()
    assert dict(start["headers"])[b"content-length"] == str(len(answer["body"])).encode()
    nothing = ("default-src", "base-uri", "form-action", "frame-ancestors")
    assert [rule[name] for name in nothing] == ["'none'"] * 4
    assert rule["connect-src"] == f"'self' ws://{HOST}"
    again = dict(ruled(page)[0]["headers"])[b"content-security-policy"].decode()
    assert nonce not in again


def test_other_answers_may_run_nothing_and_reports_keep_their_rule():
    start, *parts = ruled(body=b"<script>", packed=b"2")
    assert dict(start["headers"])[b"content-security-policy"].startswith(b"default-src 'none'; base-uri")
    assert b"".join(part["body"] for part in parts) == b"<script>2"
    start, *_ = ruled((b"Content-Security-Policy", b"own"))
    assert start["headers"] == [(b"Content-Security-Policy", b"own")]


def test_the_lock_knows_what_nicegui_sends_by_itself():
    """Were these texts to change, lost connections would not come back and fields not be cleared."""
    from nicegui import element, outbox

    lock = (files("optanon.solver.web") / "lock.js").read_text(encoding="utf-8")
    (reload,) = re.findall(r"text === '(.*)'", lock)
    assert f"run_javascript('{reload}')" in inspect.getsource(outbox)
    made = "f'return runMethod({self.id}, {json.dumps(name)}, {json.dumps(args)})'"
    assert made in inspect.getsource(element.Element.run_method)
    (call,) = re.findall(r"/\^(.*)\$/s", lock)
    pattern = call.replace(r"\(", "(").replace(r"\)", ")")
    assert pattern.startswith("return runMethod((")
    assert re.fullmatch(call, 'return runMethod(12, "reset", [])', flags=re.DOTALL)
    assert not re.fullmatch(call, 'return runMethod(12, "reset", []); alert()', flags=re.DOTALL)


def test_every_requirement_is_offered_with_words_for_every_parameter():
    terms = {term.name: term for term in requirement_terms()}
    assert set(terms) == set(registered())
    for term in terms.values():
        assert term.help
        assert term.reference
    assert {p.name: p.needed for p in terms["hc_safety"].parameters} == {
        "n": True,
        "reading": False,
        "deep": False,
    }
    assert terms["k_c_anonymity"].parameters[0].help.startswith("How many rows a group has at least")


@pytest.fixture
def folder(tmp_path):
    for file in catalog.path("hospital").iterdir():
        shutil.copy(file, tmp_path / file.name)
    shutil.copy(tmp_path / "release-2.yaml", tmp_path / "problem.yaml")
    return tmp_path


def test_a_job_tells_its_course_and_writes_its_files(folder):
    job = Job(folder, {"time_limit": 60})
    ended = job.wait(60)
    assert (ended["event"], ended["status"]) == ("done", "OPTIMAL")
    assert ended["files"] == ["release.release.csv", "release.steward.csv", "release.result.json"]
    assert all((folder / name).is_file() for name in ended["files"])
    assert job.points[-1] == {**job.points[-1], "loss": "information_loss", "value": "75/7", "bound": "75/7"}
    assert not job.running


def test_a_job_that_cannot_be_says_why(folder):
    (folder / "problem.yaml").write_text("table: nothing.csv\n", encoding="utf-8")
    ended = Job(folder, {}).wait(60)
    assert ended["event"] == "error"
    assert "respondent" in ended["message"]


@pytest.mark.parametrize(
    ("task", "settings", "told"),
    [
        ("explain", {}, "The policy can be kept"),
        ("frontier", {"vary": "m=2,3"}, "OPTIMAL"),
        ("frontier", {"vary": "m"}, "write NAME=FIRST..LAST"),
        ("backtest", {}, "counterfeits"),
    ],
)
def test_tasks_answer_with_tables_and_texts_or_say_why_not(folder, task, settings, told):
    problem = str(catalog.path("hospital") / "release-1.yaml")
    job = Job(folder, {"task": task, "problem": problem, "time_limit": 30, **settings})
    answer = job.wait(90)
    assert told in json.dumps(answer)
    assert (answer["event"] == "error") == ("write NAME" in told)
    for row in answer.get("rows", ()):
        assert len(row) == len(answer["columns"])


def test_a_table_that_begins_a_series_is_rehearsed_on_futures_drawn_from_it(monkeypatch):
    """Its own release, once stored, is no earlier one to replay."""
    problem = load_problem(catalog.path("hospital") / "release-1.yaml")
    release = solve_problem(problem, display=False).release
    asked = []

    def noted(problem, *, futures, **_):
        asked.append((len(problem.history), futures))
        raise InputError("enough")

    monkeypatch.setattr(tasks, "backtest", noted)
    for history in (History(), History([release])):
        monkeypatch.setattr(tasks, "load_problem", lambda _, at=history: replace(problem, history=at))
        with pytest.raises(InputError, match="enough"):
            tasks.TASKS["backtest"]({"problem": "p.yaml", "time_limit": 1}, lambda _: None)
    assert asked == [(0, tasks.FUTURES)] * 2


def test_stopping_keeps_the_best_release(folder):
    """A table the direct model cannot close; stopped as soon as there is a release and a bound."""
    rows = ["id,x,y,value", *(f"p{i},{i * 37 % 101},{i * 53 % 97},v{i % 4}" for i in range(60))]
    (folder / "wide.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "problem.yaml").write_text(
        json.dumps(
            {
                "table": "wide.csv",
                "respondent": "id",
                "quasi_identifiers": {"x": "numeric", "y": "numeric"},
                "sensitive": "value",
                "policy": {
                    "requirements": [{"k_c_anonymity": {"k": 4, "c": 0.5}}],
                    "minimize": ["semiperimeter"],
                },
            }
        ),
        encoding="utf-8",
    )
    job = Job(folder, {"time_limit": 300})
    while job.running and not any(point["value"] and point["bound"] for point in job.points):
        with pytest.raises(TimeoutError):
            job.wait(0.05)
    job.stop()
    ended = job.wait(60)
    assert (ended["event"], ended["status"], ended["termination"]) == ("done", "FEASIBLE", "interrupted")
    assert (folder / "release.release.csv").is_file()


def test_a_job_stopped_before_it_has_begun_says_so(folder):
    """It said that it had ended without an answer, and that memory may have run out."""
    job = Job(folder, {"time_limit": 300})
    job.stop()
    assert job.wait(60) == {"event": "error", "message": child.STOPPED}
    assert not (folder / "release.release.csv").exists()


def test_a_job_hears_ctrl_c_although_its_page_was_started_in_the_background(folder, monkeypatch):
    """Shells have it ignored there, by all that is started from it."""
    heard: list[object] = []
    (folder / child.JOB).write_text("{}", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["child", str(folder)])
    monkeypatch.setattr(child, "run", lambda *_: heard.append(signal.getsignal(signal.SIGINT)))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        child.main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.default_int_handler]


def test_closing_ends_the_process_without_an_answer(folder):
    job = Job(folder, {"time_limit": 300})
    job.close()
    assert not job.running


@pytest.fixture
def bench(tmp_path):
    """A workbench whose search found a release that discloses everybody, and whose history is empty."""
    rows = "".join(f"p{i},{i},v{i // 2}\n" for i in range(6))
    (tmp_path / "work").mkdir()
    bench = Workbench(folder=tmp_path / "work", base=tmp_path)
    bench.take_table("table.csv", f"id,x,value\n{rows}".encode())
    for column, role in zip(bench.columns, ("respondent", "quasi_identifier", "sensitive"), strict=True):
        column.role, column.kind = role, "numeric"
    bench.history = "releases.db"
    policy = {"requirements": [{"k_c_anonymity": {"k": 2, "c": 1}}], "minimize": ["information_loss"]}
    bench.write_problem(policy, "persistent")
    bench.start(time_limit=60, seed=0)
    assert bench.job is not None
    assert bench.job.wait(60)["status"] == "OPTIMAL"
    yield bench
    bench.close()


def test_nothing_is_appended_that_nobody_looked_at_or_that_discloses(bench, monkeypatch):
    with pytest.raises(SeriesError, match=r"looks at the other releases .* or tick 'append whatever"):
        bench.append()
    monkeypatch.setattr("optanon.solver.web.workbench.refuse_blind", lambda *_: None)
    with pytest.raises(
        SeriesError, match=r"not appended: 6 people would be disclosed .* or tick 'append"
    ) as why:
        bench.append()
    assert "published: v0 2" in str(why.value)
    assert not len(History.open(bench.base / "releases.db"))
    told = bench.append(insist=True)
    assert told.startswith(
        "appended as release 1 of releases.db; audit of the series up to release 1: 6 disclosed"
    )
    assert len(History.open(bench.base / "releases.db")) == 1
    with pytest.raises(StoreError, match="holds this release already, as number 1, so nothing was appended"):
        bench.append(insist=True)
    assert len(History.open(bench.base / "releases.db")) == 1


def test_a_release_that_others_overtook_is_not_appended_unchecked(bench):
    policy = {
        "requirements": [{"weak_m_invariance": {"m": 2}}],
        "minimize": ["counterfeits", "information_loss"],
        "outlook": "none",
    }
    bench.write_problem(policy, "persistent")
    bench.start(time_limit=60, seed=0)
    assert bench.job.wait(60)["event"] == "done"
    problem = load_problem(bench.folder / "problem.yaml")
    found = load_answer(bench.folder / "release.steward.csv", problem)
    other = problem.assemble([range(6)] if len(found.groups) > 1 else [[0, 2], [1, 4], [3, 5]])
    assert next(problem.check(other), None) is None
    History.open(bench.base / "releases.db").append(other)
    with pytest.raises(SeriesError, match=r"the 1 releases before it breaks weak_m_invariance .*: solve ag"):
        bench.append(insist=True)
    assert len(History.open(bench.base / "releases.db")) == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b"id,age,ill\n", "has a header but no row: give at least one"),
        (b"id,age\n1,2,3\n", "more cells than the header: name every column"),
        (b"id,id\n1,2\n", "'id'"),
        (b"\x00\x01\x02PK\x03\x04" * 50, "save it as UTF-8"),
    ],
)
def test_bad_files_get_a_sentence_and_a_next_step_and_the_table_before_stays(tmp_path, content, told):
    (tmp_path / "work").mkdir()
    bench = Workbench(folder=tmp_path / "work", base=tmp_path)
    bench.take_table("good.csv", b"id,age,ill\n1,20,flu\n2,30,cold\n3,40,flu\n")
    with pytest.raises(TableError, match=told) as refused:
        bench.take_table("bad.csv", content)
    assert str(refused.value).startswith("bad.csv: ")
    assert str(tmp_path) not in str(refused.value)
    assert [column.name for column in bench.columns] == ["id", "age", "ill"]
    bench.close()


def test_a_file_that_cannot_be_kept_is_told_and_the_table_before_stays(tmp_path, monkeypatch):
    """The table was cut off where the disk was full, under the columns of the one before."""
    (tmp_path / "work").mkdir()
    bench = Workbench(folder=tmp_path / "work", base=tmp_path)
    good = b"id,age,ill\n1,20,flu\n2,30,cold\n3,40,flu\n"
    bench.take_table("good.csv", good)

    def full(path, data):
        path.write_text(data.decode()[:20])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(OptanonError, match="No space left on device") as table:
            bench.take_table("next.csv", b"id,age,ill\n4,50,flu\n5,60,cold\n")
        with pytest.raises(OptanonError, match="No space left on device") as hierarchy:
            bench.take_hierarchy(bench.columns[1], b"20;*\n30;*\n40;*\n")
    assert str(tmp_path) not in f"{table.value} {hierarchy.value}"
    assert [(path.name, path.read_bytes()) for path in bench.folder.iterdir()] == [("table.csv", good)]
    bench.close()


def test_a_history_is_begun_for_a_problem_that_can_be_read(tmp_path):
    (tmp_path / "work").mkdir()
    bench = Workbench(folder=tmp_path / "work", base=tmp_path)
    bench.take_table("t.csv", b"id,age,ill\n1,20,flu\n2,30,cold\n3,40,flu\n")
    bench.history = "releases.db"
    with pytest.raises(OptanonError, match="k must be a whole number"):
        bench.write_problem({"requirements": [{"k_anonymity": {"k": "x"}}]}, "persistent")
    assert not (tmp_path / "releases.db").exists()
    bench.write_problem({"requirements": [{"k_anonymity": {"k": 2}}]}, "persistent")
    assert not len(History.open(tmp_path / "releases.db", create=False))
    bench.close()


def test_a_field_that_yaml_cannot_read_is_one_sentence():
    for text in ("2024-99-99", "[1", "1" * 5000):
        with pytest.raises(PolicyError, match=r"k_anonymity\.k: .* cannot be read: write a number"):
            _read("k_anonymity.k", text)


def test_every_end_of_a_search_says_what_to_do_next():
    from optanon.solver.status import Status
    from optanon.solver.web.search_part import ENDED

    assert set(ENDED) == {status.value for status in Status}
    assert "'Explain the policy'" in ENDED["INFEASIBLE"]
    assert "give the search more time" in ENDED["UNKNOWN"]
    (told,) = advice(rows=500, left_out=0, invented=340, blank=[], full_domain=False)
    assert (
        told == "340 of 840 rows shown are invented: a smaller m needs fewer, max_counterfeits sets a limit"
    )


def test_several_sensitive_columns_are_protected_each_by_what_names_it(tmp_path):
    (tmp_path / "work").mkdir()
    bench = Workbench(folder=tmp_path / "work", base=tmp_path)
    rows = "".join(f"p{n},{n},{'xyz'[n % 3]},{'ab'[n % 2]}\n" for n in range(12))
    bench.take_table("t.csv", f"id,age,diagnosis,salary\n{rows}".encode())
    for column, role in zip(
        bench.columns, ("respondent", "quasi_identifier", "sensitive", "sensitive"), strict=True
    ):
        column.role = role
    assert bench.sensitive == ["diagnosis", "salary"]
    form = PolicyForm()
    form.how = "once"
    form.suit(bench.counts)
    assert form.policy()["requirements"] == [{"k_c_anonymity": {"k": 3, "c": "1/2"}}]
    assert form.in_words == "k_c_anonymity (k 3, c 1/2)"
    with pytest.raises(OptanonError, match="say with attribute which of diagnosis, salary it protects"):
        bench.write_problem(form.policy(), "persistent")
    assert form.asked[0].bindable, "the page has a field for it"
    form.asked[0].given["attribute"] = "salary"
    for text, limit in (("1", 1), ("1.0", 11), (" 0.25 ", 3)):
        form.max_suppressed = text
        bench.write_problem(form.policy(), "persistent")
        policy = load_problem(bench.folder / "problem.yaml").policy
        assert policy.suppression_limit(12) == limit, "a number of rows, or a share of them"
    assert len(load_problem(bench.folder / "problem.yaml").table.histogram) == 6
    for column in bench.columns:
        column.role = "left_out" if column.role == "sensitive" else column.role
    with pytest.raises(TableError, match="mark what nobody may learn"):
        bench.write_problem(form.policy(), "persistent")
    bench.columns[1].role = "respondent"
    with pytest.raises(TableError, match=r"columns id, age all have the role 'respondent \(id\)'.*the rest"):
        bench.write_problem(form.policy(), "persistent")
    for column in bench.columns:
        column.role = "left_out"
    with pytest.raises(TableError, match=r"no column has the role .*choose it, under 'What the columns are'"):
        bench.write_problem(form.policy(), "persistent")
    bench.close()


def test_cells_that_look_missing_and_spellings_are_declared_on_the_page(tmp_path):
    (tmp_path / "work").mkdir()
    bench = Workbench(folder=tmp_path / "work", base=tmp_path)
    ill = ["HIV", "hiv ", "flu", "null", "cold", "N/A"]
    bench.take_table(
        "t.csv", ("id,age,illness\n" + "".join(f"p{i},{i},{v}\n" for i, v in enumerate(ill))).encode()
    )
    assert "missing_marks: {illness: ['null', 'n/a']}" in bench.declared, "the careful answer is offered"
    assert "spelling: {sensitive: merge}" in bench.declared
    policy = {"requirements": [{"k_c_anonymity": {"k": 2}}], "minimize": ["information_loss"]}
    bench.write_problem(policy, "persistent")
    assert load_problem(bench.folder / "problem.yaml").table.histogram == {
        "HIV": 2,
        "flu": 1,
        "cold": 1,
        "missing": 2,
    }
    bench.declared = ""
    with pytest.raises(
        TableError, match=r"'illness': 'null' \(row 4\), 'N/A' \(row 6\).*missing_marks"
    ) as refused:
        bench.write_problem(policy, "persistent")
    assert str(tmp_path) not in str(refused.value)
    bench.declared = "real_values: [null, n/a]"
    with pytest.raises(TableError, match=r"'HIV', 'hiv '.*spelling: \{sensitive: merge\}"):
        bench.write_problem(policy, "persistent")
    bench.declared += "\nspelling: keep"
    bench.write_problem(policy, "persistent")
    assert len(load_problem(bench.folder / "problem.yaml").table.histogram) == 6
    for wrong in ("table: /etc/passwd", "[spelling]", "spelling: {", "a: &a [*a]"):
        bench.declared = wrong
        with pytest.raises(OptanonError, match="missing cells and spellings"):
            bench.write_problem(policy, "persistent")
    bench.close()
