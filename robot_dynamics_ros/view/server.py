"""The server of a view: who may connect, and how often it looks."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.extra import required

LOOPBACK = '127.0.0.1'
# Looks a second: the eye takes 15 for motion.
RATE = 15.0


def start_server(host: str = LOOPBACK, port: int = 8080) -> Any:
    """A viser server, on this port or the next one that is free.

    Raises:
        ParameterError: this machine has no such address.
        RecordingError: viser is not installed.
    """
    viser, sockets = required('viser', 'view'), required('websockets.asyncio.server', 'view')
    try:
        socket.create_server((host, 0)).close()
    except OSError as error:
        raise ParameterError(f'--host {host}: {error}') from None
    serve = sockets.serve

    def guarded(*args: Any, process_request: Callable[..., Any], **others: Any) -> Any:
        def checked(connection: Any, request: Any) -> Any:
            if is_foreign(request.headers.get('Origin'), request.headers.get('Host', ''), host):
                return connection.respond(HTTPStatus.FORBIDDEN, 'a page of another site\n')
            return process_request(connection, request)

        return serve(*args, process_request=checked, **others)

    # viser has no setting for it; it looks this function up once, while it starts.
    with patch.object(sockets, 'serve', guarded), contextlib.redirect_stdout(None):
        server = viser.ViserServer(host=host, port=port, verbose=False)
    # A client could ask for a tunnel to a public address.
    server.request_share_url = lambda *_: None
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    server.gui.main_panel.dock_right()
    # Shadows take half of the time of a browser that draws without a graphics card.
    server.scene.configure_default_lights(cast_shadow=False)
    return server


def is_foreign(origin: str | None, asked: str, host: str) -> bool:
    """Whether a request is not of a page of this server, or of no browser.

    Any page can reach servers of this machine, also by a name of its own that leads here: without
    this check, it could press the buttons.

    Args:
        origin: of the page, as browsers say it.
        asked: the host and port that were asked for.
        host: on which the server listens.
    """
    own = (LOOPBACK, 'localhost', '::1')
    known = host not in own or urlsplit(f'//{asked}').hostname in own
    return not known or (origin is not None and urlsplit(origin).netloc != asked)


def show(server: Any, update: Callable[[], None], line: Callable[[str], object]) -> int:
    """Call `update` until Ctrl-C; `line` prints where the view is. The exit code."""
    try:
        line(f'http://{server.get_host()}:{server.get_port()} (Ctrl-C ends it)')
        while True:
            began = time.monotonic()
            update()
            time.sleep(max(0.0, began + 1.0 / RATE - time.monotonic()))
    except KeyboardInterrupt:
        return 0
    finally:
        with contextlib.redirect_stdout(None):
            server.stop()
