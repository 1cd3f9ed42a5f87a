"""Robots made of another that has compiled something: as one made anew, and apart from it."""

import copy
import pickle

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError

MODEL, OTHER = hand_written('oblique').model, hand_written('tree').model
TIP = MODEL.frames[-1].name
LOAD = {'mass': 1.7, 'com': (0.03, -0.08, 0.15)}
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


def test_a_gravity_that_is_none_is_refused():
    with pytest.raises(StateError, match='gravity has 2 values'):
        RobotDynamics(MODEL).with_gravity((0.0, 9.81))
