"""Robots made of another that has compiled something: as one made anew, and apart from it.

With payloads as inputs nothing is compiled, and nothing is left behind.
"""

import copy
import pickle
from functools import cache

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN, LOAD, hand_written
from property_settings import ALL

from robot_dynamics_ros.core import ParameterError, RobotDynamics, UnknownNameError
from robot_dynamics_ros.core.quantity import QUANTITIES

MODEL, OTHER = hand_written('oblique').model, hand_written('tree').model
TIP = MODEL.frames[-1].name
WAYS = {
    'copy': copy.copy,
    'deepcopy': copy.deepcopy,
    'pickle': lambda dynamics: pickle.loads(pickle.dumps(dynamics)),
    'gravity': lambda dynamics: dynamics.with_gravity((3.0, -1.0, 2.0)),
    'payload': lambda dynamics: dynamics.with_payload(TIP, **LOAD),
    'copy of payload': lambda dynamics: copy.deepcopy(dynamics.with_payload(TIP, **LOAD)),
    'without payload': lambda dynamics: copy.copy(
        dynamics.with_payload(TIP, **LOAD)
    ).without_payload(),
    # Nothing that was compiled for the frames of the one is taken for the other.
    'model': lambda dynamics: dynamics.with_model(OTHER),
}


@cache
def used_robot(backend, payload_frame):
    return RobotDynamics(
        MODEL, gravity=(1.0, -2.0, -9.0), backend=backend, payload_frame=payload_frame
    )


def results(dynamics):
    q, v = np.random.default_rng(5).uniform(-1.0, 1.0, (2, dynamics.model.size))
    frame = dynamics.model.frames[-1].name
    found = [
        dynamics.bias_torque(q, v),
        dynamics.mass_matrix(q),
        dynamics.jacobian(q, frame, 'WORLD'),
    ]
    return [*found, *dynamics.frame_pose(q, frame)]


def bound(dynamics):
    """By a step in place, and by a batch."""
    q = np.random.default_rng(5).uniform(-1.0, 1.0, (3, dynamics.model.size))
    out = np.zeros_like(q)
    dynamics.bind('gravity_torque', q, out=out)()
    return [out, dynamics.gravity_torque(q), [dynamics.gravity_torque(row) for row in q]]


@pytest.mark.parametrize('payload_frame', [None, TIP])
@pytest.mark.parametrize('way', WAYS)
def test_computes_as_one_made_anew(backend, way, payload_frame):
    given = None if way == 'model' else payload_frame
    used = used_robot(backend, given)
    before, _ = results(used), bound(used)
    other = WAYS[way](used)
    assert (other.backend, other.backend_description) == (used.backend, used.backend_description)
    assert other.payload_frame == given
    expected = FloatDynamics(other.model, other.gravity)
    for mine, theirs in zip(results(other), results(expected), strict=True):
        assert_close(mine, theirs, 100.0)
    step, *batch = bound(other)
    for each in batch:
        assert_close(step, each, 100.0)
    # Each has a gravity of its own, whichever is changed afterwards.
    held = results(other)
    used.gravity = (0.0, 0.0, 0.0)
    assert not bound(used)[0].any()
    assert all(map(np.array_equal, results(other), held))
    used.gravity, other.gravity = (1.0, -2.0, -9.0), (0.0, 0.0, 0.0)
    assert not bound(other)[0].any()
    assert all(map(np.array_equal, results(used), before))


def test_the_choice_of_the_back_end_is_made_again_where_it_was_left_open(monkeypatch):
    """A pickle may be read where there is no native code."""
    text = pickle.dumps(RobotDynamics(MODEL))
    monkeypatch.setattr(
        'robot_dynamics_ros.core.compiler.kernel.native_obstacle', lambda: 'none here'
    )
    assert pickle.loads(text).backend == 'python'


# Payloads as inputs of the compiled programs.

OF_STATES = [
    each for each in QUANTITIES.values() if not each.of_frame and 'friction' not in each.inputs
]
# A chain, mimic joints, and one whose mass matrix is singular without a payload.
ROBOTS = HAND_WRITTEN if ALL else [*map(hand_written, ('oblique', 'mimic', 'massless_tip'))]


def tip(robot):
    return [frame.name for frame in robot.model.frames if frame.body >= 0][-1]


def values(dynamics, state):
    """Every quantity without a frame, at one state."""
    given = {'q': state.q, 'v': state.v, 'a': state.a, 'tau': state.w}
    given |= {'v_reference': state.w, 'a_reference': state.a}
    for quantity in OF_STATES:
        inputs = [given[name] for name in quantity.arguments]
        yield quantity.name, np.asarray(getattr(dynamics, quantity.name)(*inputs))


@pytest.mark.filterwarnings('ignore:link .* as heavy as the robot')
@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_equals_the_robot_that_has_that_payload(robot, backend):
    dynamics = RobotDynamics(robot.model, backend=backend, payload_frame=tip(robot))
    loaded = dynamics.with_payload(tip(robot), **LOAD)
    assert loaded.model == robot.model.with_payload(tip(robot), **LOAD)
    expected = FloatDynamics(loaded.model)
    for state in robot.states(2):
        for (quantity, value), (_, right) in zip(
            values(loaded, state), values(expected, state), strict=True
        ):
            scale = 100.0 * max(1.0, np.abs(right).max())
            assert_close(value, right, scale), quantity


def test_nothing_is_compiled_and_nothing_is_left_behind(backend, monkeypatch):
    (state,), chain = hand_written('oblique').states(1), used_robot(backend, TIP)
    before = dict(values(chain, state))

    def refuse(*arguments):
        raise AssertionError('a program is compiled')

    monkeypatch.setattr('robot_dynamics_ros.core.quantity.trace', refuse)
    loaded = chain.with_payload(TIP, **LOAD)
    changed = dict(values(loaded, state))
    heavier = loaded.with_payload(TIP, **(LOAD | {'mass': 3.4}))
    assert heavier.gravity_torque(state.q).tolist() != changed['gravity_torque'].tolist()
    after = heavier.without_payload()
    assert after.model is chain.model
    for quantity, value in values(after, state):
        assert value.tobytes() == before[quantity].tobytes(), quantity
    for quantity in OF_STATES:
        same = np.array_equal(changed[quantity.name], before[quantity.name])
        assert same != quantity.of_inertia, quantity.name


def test_a_payload_frame_is_a_link_that_moves():
    model = hand_written('tree').model
    with pytest.raises(UnknownNameError, match="'nose'"):
        RobotDynamics(model, payload_frame='nose')
    with pytest.raises(ParameterError, match=model.frames[0].name):
        RobotDynamics(model, payload_frame=model.frames[0].name)
