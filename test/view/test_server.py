"""Who may connect to a view."""

import socket
import sys

import pytest

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.view.server import is_foreign, start_server

connect = pytest.importorskip('websockets.sync.client').connect
InvalidStatus = pytest.importorskip('websockets.exceptions').InvalidStatus


@pytest.mark.parametrize(
    ('origin', 'asked', 'host', 'foreign'),
    [
        (None, '127.0.0.1:8080', '127.0.0.1', False),
        ('http://127.0.0.1:8080', '127.0.0.1:8080', '127.0.0.1', False),
        ('http://localhost:8080', 'localhost:8080', '127.0.0.1', False),
        ('https://example.org', '127.0.0.1:8080', '127.0.0.1', True),
        ('http://localhost:3000', 'localhost:8080', '127.0.0.1', True),
        ('null', 'localhost:8080', '127.0.0.1', True),
        # A name of another site that leads here.
        ('http://example.org:8080', 'example.org:8080', '127.0.0.1', True),
        (None, 'example.org:8080', '127.0.0.1', True),
        ('http://robot:8080', 'robot:8080', '0.0.0.0', False),
        ('http://example.org', 'robot:8080', '0.0.0.0', True),
    ],
)
def test_only_its_own_page_is_answered(origin, asked, host, foreign):
    assert is_foreign(origin, asked, host) is foreign


def test_it_listens_on_loopback_and_refuses_the_socket_to_other_pages(server):
    address = f'127.0.0.1:{server.get_port()}'
    viser = pytest.importorskip('viser')
    protocol = [f'viser-v{viser.__version__}']
    with pytest.raises(InvalidStatus, match='403'):
        connect(f'ws://{address}', origin='http://example.org', subprotocols=protocol)
    with connect(f'ws://{address}', origin=f'http://{address}', subprotocols=protocol) as page:
        assert page.recv(timeout=20.0)
    assert server.request_share_url() is None
    with socket.socket() as other:
        # No other address of this machine listens: 127.0.0.2 is one on Linux.
        assert other.connect_ex(('127.0.0.2', server.get_port())) != 0


def test_an_address_of_another_machine_is_refused():
    with pytest.raises(ParameterError, match=r'192\.0\.2\.1'):
        start_server('192.0.2.1')


def test_without_viser_it_says_what_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, 'viser', None)
    with pytest.raises(RecordingError, match=r'robot_dynamics_ros\[view\]'):
        start_server()
