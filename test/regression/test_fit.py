"""The fit: least squares where nothing else is asked for, and intervals that hold the truth."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from arm_motions import TILTED, URDF, motion_of

from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import parameters_of
from robot_dynamics_ros.core.model.payload import Payload
from robot_dynamics_ros.regression.bodies import LogCholesky
from robot_dynamics_ros.regression.fit import Fit
from robot_dynamics_ros.regression.regressors import (
    ARMATURE,
    BODIES,
    GAIN,
    GRAVITY,
    OFFSET,
    VISCOUS,
    Regressor,
    friction_basis,
    payload_on,
)
from robot_dynamics_ros.regression.rows import Rows, make_rows

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL)
BODY = 0.6, (0.01, 0.02, 0.05), np.diag([0.002, 0.002, 0.001])
PI = np.array(parameters_of(Payload('it', 'flange', *BODY).moments))
LOADED = RobotDynamics(MODEL.with_payload('flange', *BODY))
COULOMB = dict(zip(MODEL.joint_names, (0.4, 0.5, 0.3), strict=True))
LAW = JointFriction(
    MODEL, coulomb=COULOMB, viscous=COULOMB, presliding=COULOMB, load=dict.fromkeys(COULOMB, 0.05)
)


def rubbing(dynamics, rotors=0.0):
    """The efforts that a robot with this friction, its rotors and an offset needs."""

    def efforts(q, v, a):
        rigid = dynamics.inverse_dynamics(q, v, a)
        return rigid + LAW.torque(v, load=rigid, slips=LAW.slips().along(q)) + rotors * a + 0.1

    return efforts


def fitted(dynamics, terms, motions, cutoff=5.0, **options):
    parts = [
        make_rows(dynamics, terms, [motion], absent=absent, cutoff=cutoff)
        for motion, absent in motions
    ]
    return Fit(Rows.joined(parts), **options)


def assert_inside(found, name, truth, share=1.5):
    """Within so many half intervals: with a few, one of twenty is outside of one."""
    error, width = np.abs(found.value(name) - truth), found.half_widths(name)
    assert (error <= share * width).all(), (name, error / width)


def test_payload_rotors_and_friction_of_an_arm_are_found():
    motion = motion_of(MODEL, 3, rubbing(LOADED, rotors=np.array([0.05, 0.1, 0.02])), seconds=24)
    terms = [payload_on(MODEL, 'flange'), ARMATURE, *friction_basis(), OFFSET]
    found = fitted(DYNAMICS, terms, [(motion, ())])
    assert_inside(found, 'payload', PI)
    assert_inside(found, 'armature', [0.05, 0.1, 0.02])
    assert_inside(found, 'viscous', list(COULOMB.values()))
    assert_inside(found, 'offset', 0.1)
    assert found.half_widths('payload')[0] < 0.02
    np.testing.assert_allclose(found.noise, 0.02 * np.sqrt(2.0 * 5.0 / 100.0), rtol=0.25)


def test_the_direction_of_gravity_is_found():
    """Of a base that is turned by 30 degrees, from a model that stands upright."""
    tilted = DYNAMICS.with_gravity(TILTED)
    found = fitted(
        DYNAMICS,
        [GRAVITY, *friction_basis(), OFFSET],
        [(motion_of(MODEL, 5, rubbing(tilted)), ())],
    )
    assert_inside(found, 'gravity', np.subtract(TILTED, DYNAMICS.gravity))
    assert found.half_widths('gravity').max() < 0.2


def test_bodies_that_are_wrong_in_the_model_do_not_change_the_payload():
    """A recording without it says what the robot is; masses are never negative."""
    wrong = MODEL.inertial_parameters() * np.repeat([1.0, 1.3, 0.8], 10)
    believed = RobotDynamics(MODEL.with_inertial_parameters(wrong))
    motions = [
        (motion_of(MODEL, 7, rubbing(LOADED)), ()),
        (motion_of(MODEL, 8, rubbing(DYNAMICS)), ('payload',)),
    ]
    terms = [payload_on(MODEL, 'flange'), BODIES, *friction_basis(), OFFSET]
    found = fitted(believed, terms, motions, bodies=LogCholesky(believed.model))
    assert_inside(found, 'payload', PI)
    assert found.half_widths('payload')[0] < 0.02
    assert (wrong + found.value('bodies'))[::10].min() > 0.0


def test_intervals_of_the_mass_hold_the_truth():
    """Where residuals are correlated for a second, as an error of friction is."""
    from scipy.signal import lfilter

    terms, inside = [payload_on(MODEL, 'flange'), *friction_basis(), OFFSET], []
    for seed in range(40):
        motion = motion_of(MODEL, 100 + seed, rubbing(LOADED), noise=0.0, seconds=20)
        kept = np.exp(-1.0 / motion.rate)
        random = np.random.default_rng(seed).normal(size=(len(motion) + 500, 3))
        errors = lfilter([np.sqrt(1.0 - kept**2)], [1.0, -kept], random, axis=0)[500:]
        motion.efforts[...] += 0.1 * errors
        found = fitted(DYNAMICS, terms, [(motion, ())], cutoff=3.0)
        inside.append(abs(found.value('payload')[0] - PI[0]) <= found.half_widths('payload')[0])
    # 95 % of 40 are 38: fewer than 35 has a probability of 1 %.
    assert sum(inside) >= 35


def plain_rows(random, count=2000, noise=(0.05, 0.2), coefficients=(0.7, -0.4)):
    """Two joints with a shared and an own column, of white noise."""
    terms = (
        Regressor('shared', lambda s: s.q, shared=True),
        Regressor('own', lambda s: s.q, sign=1),
    )
    shared, own = random.normal(size=(2, count, 2, 1))
    errors = np.array(noise) * random.normal(size=(count, 2))
    torque = shared[..., 0] * coefficients[0] + own[..., 0] * coefficients[1] + errors
    times, used = 0.01 * np.arange(count), np.ones((count, 2), bool)
    return Rows(
        tuple((term, 1) for term in terms),
        times,
        shared,
        own,
        np.zeros((count, 2)),
        torque,
        used,
        used,
    )


def test_it_is_weighted_least_squares_of_all_rows():
    rows = plain_rows(np.random.default_rng(1), coefficients=(0.7, 0.4))
    found = Fit(rows)
    stacked = np.zeros((2, len(rows.times), 3))
    for joint in range(2):
        stacked[joint, :, 0] = rows.shared[:, joint, 0] / found.noise[joint]
        stacked[joint, :, 1 + joint] = rows.own[:, joint, 0] / found.noise[joint]
    right = (rows.torque / found.noise).T.ravel()
    expected, *_ = np.linalg.lstsq(stacked.reshape(-1, 3), right, rcond=None)
    np.testing.assert_allclose(found.value('shared'), expected[:1], atol=3e-4)
    np.testing.assert_allclose(found.value('own'), expected[1:], atol=1e-3)
    np.testing.assert_allclose(found.noise, [0.05, 0.2], rtol=0.1)


def test_coefficients_that_physics_bounds_are_not_negative():
    rows = plain_rows(np.random.default_rng(2))
    assert (Fit(rows).value('own') == 0.0).all()
    # Beside 0.5 that is given and taken away, they may be.
    found = Fit(rows, given={'own': np.full(2, 0.5)}).value('own')
    np.testing.assert_allclose(found, -0.4, atol=0.02)


def test_rows_that_are_far_off_hardly_count():
    rows = plain_rows(np.random.default_rng(3), coefficients=(0.7, 0.4))
    rows.torque[::40] += 30.0
    found = Fit(rows)
    np.testing.assert_allclose(found.value('shared'), 0.7, atol=0.02)
    np.testing.assert_allclose(found.value('own'), 0.4, atol=0.05)


def test_what_the_data_do_not_say_is_as_uncertain_as_the_prior():
    rows = plain_rows(np.random.default_rng(4), coefficients=(0.0, 0.4))
    rows.shared[...] = 0.0
    found = Fit(rows, prior={'shared': lambda x: np.full(1, 3.0)})
    # Student's quantile of 20 clusters is 7 % more.
    assert found.half_widths('shared') == pytest.approx(3.0 * 1.96, rel=0.1)


def test_a_gain_multiplies_all_that_a_joint_transmits():
    def efforts(q, v, a):
        return 1.2 * (DYNAMICS.inverse_dynamics(q, v, a) + 0.4 * v)

    rows = make_rows(DYNAMICS, [VISCOUS, GAIN], [motion_of(MODEL, 1, efforts, noise=0.0)])
    found = Fit(rows)
    np.testing.assert_allclose(found.value('gain'), 0.2, atol=1e-3)
    np.testing.assert_allclose(found.value('viscous'), 0.4, atol=1e-3)
    np.testing.assert_allclose(found.predicted(rows), rows.torque, atol=0.02)
