"""What the page's script may be and do: two fences behind the rule that no script is made from data.

The first is a content security policy. Nothing is loaded from elsewhere and nothing is sent elsewhere;
inline script runs only with a nonce that is new for each answer, so neither inline handlers (``onerror=``)
nor ``javascript:`` addresses nor script elements put in later run. What had to be allowed:

- ``script-src 'unsafe-eval'``: all of NiceGUI's components are templates, which Vue compiles in the browser
  (``Function("Vue", code)``).
- ``style-src 'unsafe-inline'``: NiceGUI, Quasar and Tailwind write style elements and attributes as they go.
- ``img-src data:`` and ``font-src 'self'``: the icons of Quasar and the fonts of NiceGUI.

The second takes back what the first had to allow. NiceGUI evaluates text in three places: props and
options that begin with a colon, handlers written in JavaScript, and `run_javascript`. The page uses none of
them, so ``lock.js`` hides ``eval`` and ``Function`` from all scripts of the page before any of them runs. Of
the latter only Vue's way of calling it is left. Of the former two texts are left that NiceGUI sends by
itself, which are read rather than evaluated: to call a method of a part, and to load the page again.
"""

from __future__ import annotations

import secrets
from importlib.resources import files

from .asgi import Application, Message, Receive, Scope, Send

__all__ = ["LOCK", "ScriptRules"]

LOCK = "".join(
    f"<script>\n{files('optanon.solver.web').joinpath(name).read_text(encoding='utf-8')}</script>"
    for name in ("lock.js", "menus.js")
)
"""For the head of every page, before all other scripts: the lock, and what readers need of open menus."""

ELSEWHERE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""For answers that are no page: whatever somebody makes of them, nothing runs."""


class ScriptRules:
    """ASGI middleware that gives every answer its content security policy, and pages their nonces.

    Parameters
    ----------
    app : ASGI application
        Says of its pages that they are (``X-NiceGUI-Content: page``), and does not compress them. An
        answer with a policy of its own keeps it.
    """

    def __init__(self, app: Application) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        nonce = secrets.token_urlsafe(16)
        host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
        held: list[Message] = []

        async def ruled(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name.lower() for name, _ in message["headers"]}
                page = b"x-nicegui-content" in names
                if b"content-security-policy" not in names:
                    rule = _page_rule(nonce, host) if page else ELSEWHERE
                    added = (b"content-security-policy", rule.encode())
                    message = {**message, "headers": [*message["headers"], added]}
                if page:
                    held.append(message)
                    return
            elif held:
                held.append(message)
                if message.get("more_body"):
                    return
                for part in _with_nonces(held, nonce):
                    await send(part)
                held.clear()
                return
            await send(message)

        await self.app(scope, receive, ruled)


def _page_rule(nonce: str, host: str) -> str:
    return (
        f"{ELSEWHERE}; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        f"img-src 'self' data:; font-src 'self'; connect-src 'self' ws://{host}"
    )


def _with_nonces(held: list[Message], nonce: str) -> tuple[Message, Message]:
    """The page with a nonce on every script element.

    It holds no data yet, and what a page's description holds has its angle brackets escaped: every
    script element is the template's.
    """
    start, *parts = held
    body = b"".join(part.get("body", b"") for part in parts)
    body = body.replace(b"<script", b'<script nonce="' + nonce.encode() + b'"')
    headers = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
    headers.append((b"content-length", str(len(body)).encode()))
    return {**start, "headers": headers}, {"type": "http.response.body", "body": body}
