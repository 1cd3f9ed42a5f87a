"""Robots made of another that has compiled something: as one made anew, and apart from it.

With payloads as inputs nothing is compiled, and nothing is left behind.
"""

import copy
import pickle

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import ParameterError, RobotDynamics, StateError, UnknownNameError
from robot_dynamics_ros.core.quantity import QUANTITIES

MODEL, OTHER = hand_written('oblique').model, hand_written('tree').model
TIP = MODEL.frames[-1].name
MASS, COM = 1.7, (0.03, -0.08, 0.15)
LOAD = {'mass': MASS, 'com': COM}
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


def results(dynamics):
    n = dynamics.model.size
    q, v = np.random.default_rng(5).uniform(-1.0, 1.0, (2, n))
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
    used = RobotDynamics(MODEL, gravity=(1.0, -2.0, -9.0), backend=backend, payload_frame=given)
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

INERTIA = ((0.011, 0.001, -0.002), (0.001, 0.014, 0.0005), (-0.002, 0.0005, 0.009))
COMPILED = 'robot_dynamics_ros.core.quantity.trace'
OF_STATES = [
    each for each in QUANTITIES.values() if not each.of_frame and 'friction' not in each.inputs
]


def payload_on(frame, mass=MASS, name='payload'):
    return {'frame': frame, 'mass': mass, 'com': COM, 'inertia': INERTIA, 'name': name}


def tip(robot):
    return [frame.name for frame in robot.model.frames if frame.body >= 0][-1]


def values(dynamics, state):
    """Every quantity without a frame, at one state."""
    given = {'q': state.q, 'v': state.v, 'a': state.a, 'tau': state.w}
    given |= {'v_reference': state.w, 'a_reference': state.a}
    for quantity in OF_STATES:
        inputs = [given[name] for name in quantity.arguments]
        yield quantity.name, np.asarray(getattr(dynamics, quantity.name)(*inputs))


@pytest.fixture
def chain(backend):
    robot = hand_written('oblique')
    return RobotDynamics(robot.model, backend=backend, payload_frame=tip(robot))


@pytest.mark.filterwarnings('ignore:link .* as heavy as the robot')
@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_equals_the_robot_that_has_that_payload(robot, backend):
    payload = payload_on(tip(robot))
    dynamics = RobotDynamics(robot.model, backend=backend, payload_frame=tip(robot))
    given = dynamics.with_payload(**payload)
    assert given.model == robot.model.with_payload(**payload)
    expected = FloatDynamics(given.model)
    for state in robot.states(2):
        for (quantity, value), (_, right) in zip(
            values(given, state), values(expected, state), strict=True
        ):
            scale = 100.0 * max(1.0, np.abs(right).max())
            assert_close(value, right, scale), quantity


def test_nothing_is_compiled_and_nothing_is_left_behind(chain, monkeypatch):
    (state,) = hand_written('oblique').states(1)
    before, frame = dict(values(chain, state)), chain.model.frames[-1].name

    def refuse(*arguments):
        raise AssertionError('a program is compiled')

    monkeypatch.setattr(COMPILED, refuse)
    loaded = chain.with_payload(**payload_on(frame))
    changed = dict(values(loaded, state))
    heavier = loaded.with_payload(**payload_on(frame, 2.0 * MASS))
    assert heavier.gravity_torque(state.q).tolist() != changed['gravity_torque'].tolist()
    after = heavier.without_payload()
    assert after.model is chain.model
    for quantity, value in values(after, state):
        assert value.tobytes() == before[quantity].tobytes(), quantity
    for quantity in OF_STATES:
        same = np.array_equal(changed[quantity.name], before[quantity.name])
        assert same != quantity.of_inertia, quantity.name


def test_a_payload_on_another_body_is_compiled(backend):
    robot = hand_written('tree')
    frames = robot.model.frames
    elsewhere = next(f.name for f in frames if 0 <= f.body != frames[-1].body)
    dynamics = RobotDynamics(robot.model, backend=backend, payload_frame=tip(robot))
    ((q, v, a, _),) = robot.states(1)
    tau = dynamics.inverse_dynamics(q, v, a)
    loaded = dynamics.with_payload(**payload_on(elsewhere, name='camera'))
    loaded = loaded.with_payload(**payload_on(tip(robot)))
    expected = FloatDynamics(loaded.model).inverse_dynamics(q, v, a)
    assert len(loaded.model.payloads) == 2
    assert_close(loaded.inverse_dynamics(q, v, a), expected, 10.0)
    assert np.array_equal(dynamics.inverse_dynamics(q, v, a), tau)


def test_a_payload_makes_a_massless_tip_regular(backend):
    robot = hand_written('massless_tip')
    dynamics = RobotDynamics(robot.model, backend=backend, payload_frame=tip(robot))
    zero = np.zeros(robot.model.size)
    with pytest.raises(StateError, match='matrix is singular'):
        dynamics.forward_dynamics(zero, zero, zero)
    loaded = dynamics.with_payload(**payload_on(tip(robot)))
    expected = FloatDynamics(loaded.model).forward_dynamics(zero, zero, zero)
    assert_close(loaded.forward_dynamics(zero, zero, zero), expected, 100.0)


def test_a_payload_frame_is_a_link_that_moves():
    model = hand_written('tree').model
    with pytest.raises(UnknownNameError, match="frame 'nose'"):
        RobotDynamics(model, payload_frame='nose')
    with pytest.raises(ParameterError, match=r'link .* fixed to'):
        RobotDynamics(model, payload_frame=model.frames[0].name)
