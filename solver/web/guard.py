"""Who may talk to the page: whoever holds the token, from this machine, and with small uploads only."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qs

__all__ = ["COOKIE", "Guard"]

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "optanon"


class Guard:
    """ASGI middleware over pages, files and the live connection alike.

    The address that is printed at the start carries the token once (``/?token=...``); it is
    exchanged for a cookie no script can read and no other site can use. Requests for another
    host name are refused: a foreign page could otherwise make its own name point here.

    Parameters
    ----------
    app : ASGI application
    token : str
        Secret of this run.
    hosts : tuple of str
        Accepted ``Host`` headers.
    most_bytes : int
        Largest request body.
    """

    def __init__(self, app: Application, *, token: str, hosts: tuple[str, ...], most_bytes: int) -> None:
        self.app, self.token, self.hosts, self.most_bytes = app, token, hosts, most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get(b"host", "") not in self.hosts:
            await _refuse(scope, send, 403, "this page answers to this machine only")
        elif scope["type"] == "http" and self._is_token(_given(scope)):
            await self._exchange(send)
        elif not self._is_token(_cookie(headers.get(b"cookie", ""))):
            await _refuse(scope, send, 403, "open the address that `optanon ui` printed: it holds the key")
        elif int(headers.get(b"content-length") or 0) > self.most_bytes:
            await _refuse(scope, send, 413, f"files above {self.most_bytes // 2**20} MB are not taken")
        else:
            await self.app(scope, self._counted(receive), send)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    async def _exchange(self, send: Send) -> None:
        """Set the cookie and take the token out of the address bar."""
        cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"cache-control", b"no-store")]
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


def _given(scope: Scope) -> str:
    return parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


async def _refuse(scope: Scope, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": why.encode()})
