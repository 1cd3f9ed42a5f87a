"""A server of a view for each test, without a browser."""

import pytest

pytest.importorskip('viser')

from robot_dynamics_ros.view.server import start_server


@pytest.fixture
def server():
    server = start_server(port=0)
    yield server
    server.stop()
