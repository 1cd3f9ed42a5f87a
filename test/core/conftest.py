"""Both back ends, where there are both."""

import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core.compiler.kernel import native_obstacle


@pytest.fixture(params=['native', 'python'])
def backend(request):
    if request.param == 'native' and (obstacle := native_obstacle()):
        pytest.skip(obstacle)
    return request.param


@pytest.fixture(scope='session')
def needs_native():
    if obstacle := native_obstacle():
        pytest.skip(obstacle)


@pytest.fixture
def dynamics(backend):
    """A chain of four joints about axes that line up with nothing."""
    return getattr(hand_written('oblique'), backend)
