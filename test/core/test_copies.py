"""Copies and pickles of a robot that has compiled something: compiled anew, to the same bits."""

import copy
import pickle

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics

Q, V = np.random.default_rng(5).uniform(-1.0, 1.0, (2, 4))
WAYS = {
    'copy': copy.copy,
    'deepcopy': copy.deepcopy,
    'pickle': lambda dynamics: pickle.loads(pickle.dumps(dynamics)),
}


def results(dynamics):
    frame = dynamics.model.frames[-1].name
    return [
        dynamics.bias_torque(Q, V),
        dynamics.mass_matrix(Q),
        dynamics.jacobian(Q, frame),
        *dynamics.frame_pose(Q, frame),
    ]


@pytest.fixture
def used(backend):
    dynamics = RobotDynamics(
        hand_written('oblique').model, gravity=(1.0, -2.0, -9.0), backend=backend
    )
    results(dynamics)
    dynamics.bind('mass_matrix', Q, out=np.zeros((4, 4)))()
    return dynamics


@pytest.mark.parametrize('way', WAYS)
def test_computes_the_same(used, way):
    other = WAYS[way](used)
    assert other.model == used.model
    assert (other.backend, other.backend_description) == (used.backend, used.backend_description)
    for mine, theirs in zip(results(used), results(other), strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize('way', WAYS)
def test_has_a_gravity_of_its_own(used, way):
    before = used.gravity_torque(Q)
    other = WAYS[way](used)
    other.gravity = (0.0, 0.0, 0.0)
    assert not other.gravity_torque(Q).any()
    assert np.array_equal(used.gravity_torque(Q), before)


def test_another_model_has_results_of_its_own(used, backend):
    """Nothing that was compiled for the frames of the one is taken for the other."""
    other = hand_written('tree').model
    moved = used.with_model(other)
    expected = RobotDynamics(other, gravity=used.gravity, backend=backend)
    q, frame = np.full(other.size, 0.3), other.frames[-1].name
    assert np.array_equal(moved.gravity_torque(q), expected.gravity_torque(q))
    assert np.array_equal(moved.jacobian(q, frame), expected.jacobian(q, frame))
    space = moved.task_space(q, q, frame)
    assert np.array_equal(space.inertia, expected.task_space(q, q, frame).inertia)


def test_the_choice_of_the_back_end_is_made_again_where_it_was_left_open(monkeypatch):
    """A pickle may be read where there is no native code."""
    text = pickle.dumps(RobotDynamics(hand_written('oblique').model))
    monkeypatch.setattr(
        'robot_dynamics_ros.core.compiler.kernel.native_obstacle', lambda: 'none here'
    )
    assert pickle.loads(text).backend == 'python'
