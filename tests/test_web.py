"""The local page's parts that need no browser: who may come in, what forms offer, jobs in a child process."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from optanon.instances import catalog
from optanon.models.requirement import registered
from optanon.solver.web.guard import Guard
from optanon.solver.web.job import Job
from optanon.solver.web.terms import requirement_terms

HOST = "127.0.0.1:8000"


def ask(*, host=HOST, query="", cookie="", body=b"", length=None, kind="http"):
    """Status, headers and body the guarded application answers with; 200 is the application itself."""
    sent = []

    async def application(scope, receive, send):
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

    chunks = [body[i : i + 10] for i in range(0, len(body), 10)] or [b""]

    async def receive():
        chunk = chunks.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}

    async def send(message):
        sent.append(message)

    headers = [(b"host", host.encode())]
    if cookie:
        headers.append((b"cookie", cookie.encode()))
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    scope = {"type": kind, "headers": headers, "query_string": query.encode()}
    guard = Guard(application, token="right", hosts=(HOST,), most_bytes=25)
    asyncio.run(guard(scope, receive, send))
    return sent


def status(**how):
    return ask(**how)[0]["status"]


def test_only_the_token_opens_the_door_and_it_becomes_a_cookie():
    assert status() == 403
    assert status(query="token=wrong") == 403
    answer = ask(query="token=right")[0]
    headers = dict(answer["headers"])
    assert (answer["status"], headers[b"location"]) == (303, b"/")
    assert b"HttpOnly" in headers[b"set-cookie"]
    assert b"SameSite=Strict" in headers[b"set-cookie"]
    assert status(cookie="optanon=right") == 200
    assert status(cookie="optanon=wrong") == 403
    assert status(cookie="other=right") == 403
    assert status(cookie="optanon=right; =;;") in (200, 403)


def test_other_host_names_are_refused_even_with_the_cookie():
    assert status(host="evil.example:8000", cookie="optanon=right") == 403
    assert status(host="", cookie="optanon=right") == 403


def test_live_connections_need_the_cookie_too():
    assert ask(kind="websocket")[0]["type"] == "websocket.close"
    assert ask(kind="websocket", query="token=right")[0]["type"] == "websocket.close"
    assert ask(kind="websocket", cookie="optanon=right")[0]["type"] == "http.response.start"


def test_large_uploads_are_refused_whatever_they_say_of_their_length():
    assert status(cookie="optanon=right", body=b"x" * 25, length=25) == 200
    assert status(cookie="optanon=right", length=26) == 413
    assert status(cookie="optanon=right", body=b"x" * 26) == 400


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
    assert terms["k_c_anonymity"].parameters[0].help.startswith("At least 1 tuple")


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


def test_stopping_keeps_the_best_release(folder):
    """A table the direct model cannot close; stopped as soon as there is a release."""
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
    while job.running and not any(point["value"] for point in job.points):
        with pytest.raises(TimeoutError):
            job.wait(0.05)
    job.stop()
    ended = job.wait(60)
    assert (ended["event"], ended["status"], ended["termination"]) == ("done", "FEASIBLE", "interrupted")
    assert (folder / "release.release.csv").is_file()


def test_closing_ends_the_process_without_an_answer(folder):
    job = Job(folder, {"time_limit": 300})
    job.close()
    assert not job.running
