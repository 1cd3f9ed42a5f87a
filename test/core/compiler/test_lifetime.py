"""Builtins made in memory die in any order without harm."""

import gc
import weakref

import numpy as np
import pytest
from freed_memory import check_alive
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.compiler.kernel import native_obstacle

# The allocator fills what is freed: whoever reads it afterwards crashes.
COLLECT = """
import gc, sys
import numpy as np
from robot_dynamics_ros.core import Payload, RobotDynamics, parse_urdf
model = parse_urdf(sys.stdin.read())
q = np.zeros(model.size)
for _ in range(20):
    dynamics = RobotDynamics(model)
    step = dynamics.bind('mass_matrix', q, out=dynamics.mass_matrix(q))
    dynamics.inverse_dynamics(q, q, q)
    del dynamics
    gc.collect()
    step()
    del step
    gc.collect()
print('alive')
"""


@pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())
def test_a_collected_robot_leaves_no_dangling_builtin():
    check_alive(COLLECT)


def with_payload(dynamics):
    frame = dynamics.model.frames[-1].name
    unloaded = RobotDynamics(dynamics.model, backend=dynamics.backend, payload_frame=frame)
    return unloaded.with_payload(frame, 0.1)


@pytest.mark.parametrize('made', [lambda dynamics: dynamics, with_payload])
@pytest.mark.parametrize('backend', ['python', 'native'])
def test_an_unused_robot_is_freed_at_once(backend, made):
    """A node exchanges robots while it runs: none may wait for the garbage collector."""
    if backend == 'native' and native_obstacle():
        pytest.skip(native_obstacle())
    dynamics = made(RobotDynamics(parse_urdf(hand_written('pendulum').text), backend=backend))
    q = np.zeros(dynamics.model.size)
    dynamics.mass_matrix(q)
    step = dynamics.bind('gravity_torque', q, out=np.zeros(dynamics.model.size))
    step()
    gone = weakref.ref(dynamics._call.kernel('gravity_torque'))
    gc.disable()
    try:
        del dynamics
        step()
        assert gone() is not None
        del step
        assert gone() is None
    finally:
        gc.enable()
