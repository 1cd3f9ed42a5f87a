"""Friction of the joints: takes power, in each direction by its own law."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import (
    JointFriction,
    ParameterError,
    RobotDynamics,
    StateError,
    UnknownNameError,
)

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
    own = forward if rate >= 0.0 else backward
    assert torque == pytest.approx(own.torque([rate])[0], rel=1e-13)
    assert torque * rate >= 0.0
    # Odd, and never more than the friction of that direction.
    assert forward.torque([-rate])[0] == pytest.approx(-forward.torque([rate])[0], rel=1e-13)
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
    assert friction['viscous'].tolist() == [joint.damping for joint in model.joints]
    assert np.array_equal(friction['viscous_negative'], friction['viscous'])
    assert friction['coulomb'][:2].tolist() == [2.0, 3.0]
    assert friction['coulomb_negative'][:2].tolist() == [2.0, 5.0]
    assert friction['smoothing'][:3].tolist() == [0.01, 0.2, 0.01]


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
    with pytest.raises(StateError, match=f"'{model.joint_names[1]}'"):
        friction.torque(rows)
    with pytest.raises(StateError, match=r'^load'):
        friction.torque(np.zeros_like(rows), load=rows)


@pytest.mark.parametrize('kind', ['viscous', 'coulomb', 'coulomb_negative', 'smoothing'])
def test_refused(kind):
    model = hand_written('tree').model
    name = model.joint_names[0]
    with pytest.raises(UnknownNameError, match="'nose'"):
        JointFriction(model, **{kind: {'nose': 1.0}})
    for value in (-1.0, float('nan'), *([0.0] if kind == 'smoothing' else [])):
        with pytest.raises(ParameterError, match=f"'{name}'.*{value}"):
            JointFriction(model, **{kind: {name: value}})
    with pytest.raises(ParameterError, match=f"'{name}'.*-1"):
        JointFriction(model, max_velocity={name: -1.0})
    with pytest.raises(StateError, match=r'^v '):
        JointFriction(model).torque([0.0])


def test_what_is_fed_back_is_a_share_of_the_least_friction_and_stores_nothing():
    model = hand_written('pendulum').model
    given = {
        'viscous': 2.0, 'viscous_lower': 0.5, 'viscous_negative': 1.0, 'coulomb': 3.0,
        'load': 0.1, 'gradual': 0.7, 'stribeck': 0.4, 'smoothing': 0.05,
    }  # fmt: skip
    friction = pushed(model, **given, presliding=2.0, presliding_long=1.0)
    least = pushed(model, **{**given, 'viscous': 0.5, 'viscous_negative': 0.5})
    size = 9 * len(model.joints)
    fed_back = friction.fed_back(0.3)
    assert fed_back[:size] == pytest.approx(0.3 * least.coefficients[:size])
    assert np.array_equal(fed_back[size:], friction.coefficients[size:])


def pushed(model, **given):
    """The friction of a pendulum with terms that depend on more than the velocity."""
    given = {'viscous': 0.0, 'coulomb': 0.0, **given}
    return JointFriction(model, **{kind: {model.joint_names[0]: x} for kind, x in given.items()})


def stepped(friction, dynamics, positions, load=0.0):
    """Torques (N,) and states (N, 2) along the positions of one joint, one step a sample."""
    slip, torques, states = np.zeros(2), [], []
    steps = np.diff(positions, prepend=positions[0])
    for step in steps:
        rows = dynamics.friction_step([1e3 * step], [load], [step], friction.coefficients, slip)
        slip = rows[1:, 0]
        torques.append(rows[0, 0])
        states.append(slip)
    return np.array(torques), np.array(states)


WAY = 0.3 * np.sin(np.linspace(0.0, 12.0, 900)) + 0.1 * np.sin(np.linspace(0.0, 31.0, 900))


@pytest.mark.parametrize('backend', ['python', 'native'])
def test_steps_are_the_exact_solution_along_any_way(backend):
    """Two derivations: rational steps in a program, exponentials between reversals."""
    robot = hand_written('pendulum')
    model, dynamics = robot.model, RobotDynamics(robot.model, backend=backend)
    friction = pushed(model, presliding=2.0, presliding_long=3.0, coulomb=1.0, load=0.1)
    slips = friction.slips()
    parts = [slips.along(part[:, None]) for part in np.split(WAY, [1, 400, 401])]
    torques, states = stepped(friction, dynamics, WAY, load=-5.0)
    np.testing.assert_allclose(states, np.concatenate(parts)[:, :, 0], atol=1e-12)
    v = 1e3 * np.diff(WAY, prepend=WAY[0])[:, None]
    expected = friction.torque(v, load=np.full_like(v, -5.0), slips=np.concatenate(parts))
    np.testing.assert_allclose(torques, expected[:, 0], atol=1e-12)


def test_a_contact_depends_on_the_way_alone_and_builds_up_over_its_displacement():
    model = hand_written('pendulum').model
    friction = pushed(model, displacement=0.05, presliding=1.0)
    (coarse,) = friction.slips().along(np.array([[0.0], [0.07]]))[-1, 0]
    (fine,) = friction.slips().along(np.linspace(0.0, 0.07, 50)[:, None])[-1, 0]
    assert coarse == pytest.approx(fine, rel=1e-12) == pytest.approx(1.0 - np.exp(-0.07 / 0.05))


@given(st.integers(0, 10_000))
def test_no_more_is_given_back_than_a_contact_has_stored(seed):
    """Work along any way: more than minus F d / 2 of each contact; along a cycle, positive."""
    model, random = hand_written('pendulum').model, np.random.default_rng(seed)
    friction = pushed(model, presliding=2.0, presliding_long=1.0, load=0.2, stribeck=0.5)
    ends = np.cumsum(random.normal(0.0, 0.1, 8))
    way = np.concatenate([np.linspace(a, b, 200) for a, b in pairwise([*ends, *ends])])
    slips = friction.slips().along(way[:, None])
    steps = np.diff(way, prepend=way[0])[:, None]
    # So fast that the smooth sign is one.
    power = friction.torque(1e6 * steps, load=np.full_like(steps, 3.0), slips=slips) * steps
    work = np.cumsum(power)
    assert (work > -0.5 * (2.0 * 0.02 + 1.0 * 0.1)).all()
    assert work[-1] - work[len(work) // 2] > 0.0


def test_at_rest_nothing_pushes_whatever_was_before():
    model = hand_written('pendulum').model
    friction = pushed(
        model,
        presliding=2.0,
        presliding_long=3.0,
        coulomb=1.0,
        load=0.1,
        stribeck=1.0,
        gradual=1.0,
    )
    slips = friction.slips().along(WAY[:, None])[-1]
    assert not friction.torque([0.0], load=np.array([9.0]), slips=slips).any()


def test_more_load_more_friction_and_more_friction_at_slow_speeds():
    model = hand_written('pendulum').model
    loaded = pushed(model, load=0.1)
    fast = np.array([5.0])
    torques = [loaded.torque(fast, load=np.array([x]))[0] for x in (-20.0, 0.0, 10.0)]
    np.testing.assert_allclose(torques, [2.0, 0.0, 1.0], rtol=1e-5, atol=1e-12)
    stribeck = pushed(model, stribeck=2.0, stribeck_velocity=0.5)
    assert stribeck.torque([0.5])[0] == pytest.approx(1.0, rel=1e-3)
    assert stribeck.torque([50.0])[0] < 1e-3


@pytest.mark.parametrize('count', [2, 4])
def test_has_the_bounds_of_its_coefficients(count):
    """Of mimic joints too, in both directions; and reaches them where it has one direction."""
    model, random = hand_written('mimic').model, np.random.default_rng(5)
    kinds = ('viscous', 'coulomb', 'viscous_negative', 'coulomb_negative')[:count]
    values = {kind: by_name(model, 0.1, 3.0, seed) for seed, kind in enumerate(kinds)}
    friction = JointFriction(model, smoothing=1e-12, **values)
    v = random.uniform(-2.0, 2.0, (50, model.size))
    coulomb, viscous = friction.bounds
    reached = np.abs(friction.torque(v)) / (coulomb + viscous * np.abs(v))
    assert (reached <= 1.0 + 1e-9).all()
    assert count == 4 or (reached > 1.0 - 1e-9).all()
