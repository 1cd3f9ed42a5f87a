"""A node that is fed with anything."""

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')

from fed_node import fed_node


@pytest.fixture(scope='module')
def node():
    with fed_node() as node:
        yield node
