"""Friction of the joints: takes power, in each direction by its own law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import JointFriction, ParameterError, StateError, UnknownNameError

pytestmark = pytest.mark.contract


def by_name(model, low, high, seed=5):
    """A random value of each joint, mimic joints included."""
    values = np.random.default_rng(seed).uniform(low, high, len(model.joints))
    names = [joint.name for joint in model.joints]
    return dict(zip(names, values.tolist(), strict=True))


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_takes_power_and_never_gives_it(robot):
    model, random = robot.model, np.random.default_rng(5)
    friction = JointFriction(
        model,
        viscous=by_name(model, 0.0, 2.0),
        coulomb=by_name(model, 0.0, 2.0, seed=6),
        smoothing=by_name(model, 1e-3, 0.5, seed=7),
    )
    for scale in (1e-9, 1e-3, 1.0, 1e3):
        v = scale * random.uniform(-1.0, 1.0, robot.model.size)
        # Friction itself is minus what compensates it.
        assert -friction.torque(v) @ v < 0.0
    assert not friction.torque(np.zeros(robot.model.size)).any()


@given(st.floats(-1e6, 1e6))
def test_each_direction_has_its_own_law(rate):
    """A joint that rubs more in one direction is two symmetric joints, each seen on one side."""
    model = hand_written('pendulum').model
    name = model.joint_names[0]

    def friction(viscous, coulomb, **negative):
        return JointFriction(model, viscous={name: viscous}, coulomb={name: coulomb}, **negative)

    both = friction(0.2, 2.5, viscous_negative={name: 0.7}, coulomb_negative={name: 1.5})
    forward, backward = friction(0.2, 2.5), friction(0.7, 1.5)
    (torque,) = both.torque([rate])
    assert torque == (forward if rate >= 0.0 else backward).torque([rate])[0]
    assert torque * rate >= 0.0
    # Odd, and never more than the friction of that direction.
    assert forward.torque([-rate])[0] == -forward.torque([rate])[0]
    limit = 2.5 + 0.2 * rate if rate >= 0.0 else 1.5 - 0.7 * rate
    assert abs(torque) <= limit * (1.0 + 1e-15)


def test_what_is_not_given_is_that_of_the_description_and_of_the_other_direction():
    model = hand_written('tree').model
    first, second = model.joints[0].name, model.joints[1].name
    friction = JointFriction(
        model,
        coulomb={first: 2.0, second: 3.0},
        coulomb_negative={second: 5.0},
        smoothing={second: 0.2},
    )
    assert friction.viscous.tolist() == [joint.damping for joint in model.joints]
    assert np.array_equal(friction.viscous_negative, friction.viscous)
    assert friction.coulomb[:2].tolist() == [2.0, 3.0]
    assert friction.coulomb_negative[:2].tolist() == [2.0, 5.0]
    assert friction.smoothing[:3].tolist() == [0.01, 0.2, 0.01]


def test_the_direction_is_that_of_the_joint_itself():
    """The knuckle turns backwards while the finger that it mimics turns forwards."""
    model = hand_written('mimic').model
    friction = JointFriction(model, viscous_negative={'knuckle': 2.0})
    (_, forwards), (_, backwards) = friction.torque([[0.0, 0.4], [0.0, -0.4]])
    assert forwards == pytest.approx(2.0 * 1.5**2 * 0.4)
    assert backwards == 0.0


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_slope_at_rest_is_that_of_each_joint(robot):
    """By central differences; mimic joints are felt times the square of the multiplier."""
    model, step = robot.model, 1e-8
    viscous, coulomb, smoothing = (
        by_name(model, low, 2.0, seed) for low, seed in ((0.0, 1), (0.1, 2), (0.01, 3))
    )
    friction = JointFriction(model, viscous=viscous, coulomb=coulomb, smoothing=smoothing)
    rows = step * np.eye(model.size)
    slopes = (friction.torque(rows) - friction.torque(-rows)) / (2.0 * step)
    wanted = np.zeros(model.size)
    for joint in model.joints:
        slope = viscous[joint.name] + coulomb[joint.name] / smoothing[joint.name]
        wanted[joint.coordinate.index] += joint.coordinate.multiplier**2 * slope
    np.testing.assert_allclose(slopes, np.diag(wanted), rtol=1e-9, atol=1e-12)


def test_a_batch_is_each_of_its_samples():
    model = hand_written('mimic').model
    friction = JointFriction(model, viscous={'knuckle': 2.0}, coulomb={'knuckle': 0.3})
    rows = np.random.default_rng(2).uniform(-1.0, 1.0, (7, model.size))
    expected = np.array([friction.torque(v) for v in rows])
    assert friction.torque(rows) == pytest.approx(expected, rel=1e-14)
    out = np.empty_like(rows)
    assert friction.torque(rows, out) is out
    assert np.array_equal(out, friction.torque(rows))
    rows[4, 1] = np.inf
    with pytest.raises(StateError, match=f"finite at '{model.joint_names[1]}'"):
        friction.torque(rows)


@pytest.mark.parametrize('kind', ['viscous', 'coulomb', 'coulomb_negative', 'smoothing'])
def test_refused(kind):
    model = hand_written('tree').model
    name = model.joint_names[0]
    with pytest.raises(UnknownNameError, match="unknown joint 'nose'"):
        JointFriction(model, **{kind: {'nose': 1.0}})
    for value in (-1.0, float('nan'), *([0.0] if kind == 'smoothing' else [])):
        with pytest.raises(ParameterError, match=f"joint '{name}'.*{value}"):
            JointFriction(model, **{kind: {name: value}})
    with pytest.raises(StateError, match='v has 1 values'):
        JointFriction(model).torque([0.0])
