"""The friction that is compiled is the friction of `JointFriction`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.closeness import assert_close
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.core import JointFriction
from robot_dynamics_ros.core.algorithms.observer.smooth_friction import smooth_friction
from robot_dynamics_ros.core.model.friction import coefficient_names, smooth_sign

KINDS = ('viscous', 'coulomb', 'viscous_negative', 'coulomb_negative')


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_of_both_directions(robot):
    random = np.random.default_rng(7)
    names = [joint.name for joint in robot.model.joints]
    given = {
        kind: dict(zip(names, random.uniform(0, 5, len(names)), strict=True)) for kind in KINDS
    }
    smoothing = dict(zip(names, np.geomspace(0.003, 0.3, len(names)), strict=True))
    friction = JointFriction(robot.model, smoothing=smoothing, **given)
    coefficients = friction.coefficients
    assert len(coefficients) == len(coefficient_names(robot.model))
    for scale in (0.0, 1e-3, 1.0, 1e3):
        v = scale * random.uniform(-1.0, 1.0, robot.model.size)
        torque = smooth_friction(robot.model, v.tolist(), coefficients.tolist())
        # NEGLIGIBLE in the speed changes the torque by that share of the Coulomb friction.
        assert_close(torque, friction.torque(v), friction.coulomb.max())


def test_without_friction_there_is_none():
    for robot in HAND_WRITTEN:
        model = robot.model
        none = np.repeat([0.0, 0.01], [4 * len(model.joints), len(model.joints)])
        assert not any(smooth_friction(model, [0.7] * model.size, none.tolist()))


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3),
    st.lists(st.just(0.0) | st.floats(1e-6, 1e3), min_size=3, max_size=3),
)
def test_the_smooth_sign_of_each_joint(v, smoothing):
    """Odd, at most 1, that of v, and that of the joint alone; the plain sign for v_0 = 0."""
    v, smoothing = np.array(v), np.array(smoothing)
    with np.errstate(all='raise', under='ignore'):
        sign = smooth_sign(v, smoothing)
        alone = [smooth_sign(v[i : i + 1], smoothing[i])[0] for i in range(3)]
        rows = smooth_sign(np.stack([v, -v]), smoothing)
    assert (np.abs(sign) <= 1.0).all()
    assert (sign * v >= 0.0).all()
    assert sign.tolist() == alone
    assert np.array_equal(rows, [sign, -sign])
    plain = smoothing == 0.0
    normal = np.abs(v) >= np.finfo(float).tiny
    assert np.array_equal(sign[plain & normal], np.sign(v)[plain & normal])
    assert np.array_equal(sign[v == 0.0], v[v == 0.0])
