"""Who may talk to the page: whoever opened it with the token, from this machine, from the page itself.

Another page in the same browser must not: one that made its name point here (the ``Host`` header), one on
another port of this machine (same *site*, another *origin*), a frame, a form. Nor must another server on this
machine learn anything that opens the page, although browsers send cookies to every port of a host.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from .asgi import Application, Message, Receive, Scope, Send

__all__ = ["COOKIE", "Guard"]

COOKIE = "optanon"

SEALED = (
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)
"""On every answer: it is what it says it is, and no other page may hold it or learn its address."""


class Guard:
    """ASGI middleware over pages, files and the live connection alike.

    The address that is printed at the start carries the token once (``/?token=...``). It is exchanged for
    two secrets of this run, both needed: a path below which everything is, and a cookie that no script can
    read, that no other site can use, and that browsers send below that path only. So a server on another
    port, which does not know the path, is not sent the cookie.

    Every request must name exactly one accepted host. If it says which page it comes from (``Origin``), it
    must be this one; live connections must say so. Browsers also say how near that page is
    (``Sec-Fetch-Site``): only this page, or somebody's typing, is
    near enough, except to open the page itself.

    Parameters
    ----------
    app : ASGI application
        Finds the secret path in ``root_path``.
    token : str
        Secret of this run.
    hosts : tuple of str
        Accepted ``Host`` headers.
    most_bytes : int
        Largest request body.
    """

    def __init__(self, app: Application, *, token: str, hosts: tuple[str, ...], most_bytes: int) -> None:
        self.app, self.token, self.hosts, self.most_bytes = app, token, hosts, most_bytes
        self.home = f"/{secrets.token_urlsafe(16)}"
        self.key = secrets.token_urlsafe(24)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = _Headers(scope)
        reply = _sealed(send)
        length = headers.only("content-length") or "0"
        if headers.only("host") not in self.hosts:
            await _refuse(scope, reply, 403, "this page answers to this machine only")
        elif self._foreign(scope, headers):
            await _refuse(scope, reply, 403, "this page answers to itself only, not to other pages")
        elif scope["type"] == "http" and _same(_given(scope), self.token):
            await self._exchange(reply)
        elif not scope["path"].startswith(f"{self.home}/") or not _same(headers.cookie, self.key):
            await _refuse(scope, reply, 403, "open the address that `optanon ui` printed: it holds the key")
        elif not (length.isascii() and length.isdigit()):
            await _refuse(scope, reply, 400, "this request does not say how long it is")
        elif int(length[:20]) > self.most_bytes:
            await _refuse(scope, reply, 413, f"files above {self.most_bytes // 2**20} MB are not taken")
        else:
            await self.app({**scope, "root_path": self.home}, self._counted(receive), reply)

    def _foreign(self, scope: Scope, headers: _Headers) -> bool:
        """Whether a request comes from another page."""
        origins = headers.all("origin")
        if any(origin != f"http://{headers.only('host')}" for origin in origins):
            return True
        if len(origins) != 1 and (origins or scope["type"] == "websocket"):
            return True
        opening = (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and headers.only("sec-fetch-mode") == "navigate"
            and headers.only("sec-fetch-dest") == "document"
        )
        near = all(site in ("same-origin", "none") for site in headers.all("sec-fetch-site"))
        return not near and not opening

    async def _exchange(self, send: Send) -> None:
        """Set the cookie and take the token out of the address bar."""
        cookie = f"{COOKIE}={self.key}; HttpOnly; SameSite=Strict; Path={self.home}/"
        headers = [
            (b"location", f"{self.home}/".encode()),
            (b"set-cookie", cookie.encode()),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _counted(self, receive: Receive) -> Receive:
        """Stop bodies that do not say how long they are."""
        taken = 0

        async def counting() -> Message:
            nonlocal taken
            message = await receive()
            if message["type"] == "http.request":
                taken += len(message.get("body", b""))
                if taken > self.most_bytes:
                    return {"type": "http.disconnect"}
            return message

        return counting


class _Headers:
    """Headers of a request, each of which may be there more than once."""

    def __init__(self, scope: Scope) -> None:
        self._pairs = [
            (name.lower().decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
        ]

    def all(self, name: str) -> list[str]:
        return [value for other, value in self._pairs if other == name]

    def only(self, name: str) -> str | None:
        """The header if it is there exactly once."""
        found = self.all(name)
        return found[0] if len(found) == 1 else None

    @property
    def cookie(self) -> str:
        """What the browser was given at the start."""
        try:
            found = SimpleCookie("; ".join(self.all("cookie"))).get(COOKIE)
        except CookieError:
            return ""
        return "" if found is None else found.value


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(), secret.encode())


def _given(scope: Scope) -> str:
    return parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]


def _sealed(send: Send) -> Send:
    async def sealing(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *SEALED]}
        await send(message)

    return sealing


async def _refuse(scope: Scope, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": why.encode()})
