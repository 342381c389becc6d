"""The server: loopback only, one token per run, nothing kept when it ends."""

from __future__ import annotations

import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

from fastapi import Response
from fastapi.responses import HTMLResponse, PlainTextResponse
from nicegui import app, ui

from .guard import Guard
from .page import build
from .script_rules import LOCK, ScriptRules
from .visit import Visits
from .widgets import MOST_BYTES

__all__ = ["free_port", "serve"]

HOST = "127.0.0.1"
REPORT_RULE = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a report's page may load: nothing."""


def serve(port: int, *, show: bool, announce: Callable[[str], None], base: Path) -> None:
    """Run until interrupted.

    Parameters
    ----------
    port : int
        Port on the loopback address.
    show : bool
        Whether to open a browser.
    announce : callable
        Told the address, which holds this run's token.
    base : Path
        Folder that names of stored histories are relative to.
    """
    token = secrets.token_urlsafe(24)
    home = Path(tempfile.mkdtemp(prefix="optanon-"))
    visits = Visits(home, base)
    open_report = _reports()

    async def root() -> None:
        client = ui.context.client
        await client.connected()
        tab = client.tab_id
        if tab is None:
            return  # it is gone again
        visit = visits.join(tab, client.id)
        client.on_delete(lambda: visits.leave(tab, client.id))
        build(visit, open_report)

    def close() -> None:
        visits.close()
        shutil.rmtree(home, ignore_errors=True)

    app.on_shutdown(close)
    app.config.quasar_config["loadingBar"]["skipHijack"] = True  # a bar without a name for a reader
    _lock(token, port)
    address = f"http://{HOST}:{port}/?token={token}"
    announce(address)
    try:
        ui.run(
            root,
            host=HOST,
            port=port,
            title="optanon",
            dark=None,
            language="en-US",
            show=f"/?token={token}" if show else False,
            reload=False,
            show_welcome_message=False,
            # Pages get their nonces after they are made, so they must not be packed before.
            gzip_middleware_factory=None,
            reconnect_timeout=30,
        )
    finally:
        close()


def _reports() -> Callable[[Path], str]:
    """Serve reports under names that cannot be guessed; gives what opens one and says where it is."""
    reports: dict[str, Path] = {}

    def open_report(path: Path) -> str:
        name = secrets.token_urlsafe(12)
        reports[name] = path
        return f"/report/{name}"

    @app.get("/report/{name}")
    def report(name: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        if name not in reports:
            return PlainTextResponse("this report is gone: make it again", status_code=404)
        page = reports[name].read_text(encoding="utf-8")
        return HTMLResponse(
            page, headers={"Content-Security-Policy": REPORT_RULE, "Cache-Control": "no-store"}
        )

    return open_report


def _lock(token: str, port: int) -> None:
    """Let in who has the token, from this machine, and run no script but the page's own."""
    ui.add_head_html(LOCK, shared=True)
    # What is added last sees a request first.
    app.add_middleware(ScriptRules)  # pyright: ignore[reportArgumentType]
    app.add_middleware(
        Guard,  # pyright: ignore[reportArgumentType]
        token=token,
        hosts=(f"{HOST}:{port}", f"localhost:{port}"),
        most_bytes=MOST_BYTES + 2**20,
    )


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
