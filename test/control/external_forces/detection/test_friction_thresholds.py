"""Friction within its variation touches no threshold that comes from it, in any motion."""

import numpy as np
import pytest
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.control.external_forces.detection import (
    BandThreshold,
    ContactDetector,
    ContactThresholds,
    friction_thresholds,
)
from robot_dynamics_ros.control.external_forces.detection.friction_thresholds import VARIATION
from robot_dynamics_ros.core import JointFriction

PERIOD = 2e-3
COULOMB, VISCOUS = np.array([3.0, 0.4]), np.array([0.5, 2.0])
MORE = 1.0 + 1e-9


def thresholds(share=1.0):
    collision, push = share * friction_thresholds(np.stack([COULOMB, VISCOUS]))
    return ContactThresholds(BandThreshold.of(*collision), BandThreshold.of(*push))


def motion(random, seconds):
    """Velocities (N, 2) that stop, creep, turn back and jump, whatever the friction does."""
    count = round(seconds / PERIOD)
    v = np.zeros((count, 2))
    row = 0
    while row < count:
        length = int(random.integers(5, 400))
        v[row : row + length] = random.choice([0.0, 1e-3, 0.3, 3.0]) * random.uniform(-1, 1, 2)
        row += length
    return v


def worst_residuals(random, v):
    """The error of the friction (N, 2), at its bound, with the signs that change now and then."""
    signs = np.where(np.cumsum(random.random(v.shape) < 0.02, axis=0) % 2, 1.0, -1.0)
    resting = np.abs(v) < 0.01
    at_rest = (1.0 + VARIATION) * COULOMB
    moving = VARIATION * (COULOMB + VISCOUS * np.abs(v))
    return signs * np.where(resting, at_rest, moving)


def contacts(share, seed):
    random = np.random.default_rng(seed)
    v = motion(random, 12.0)
    r, detector = worst_residuals(random, v), ContactDetector(thresholds(share))
    return [bool(detector.step(*row, k * PERIOD)) for k, row in enumerate(zip(r, v, strict=True))]


@pytest.mark.parametrize('seed', range(2))
def test_no_friction_within_the_variation_is_a_contact(seed):
    assert not any(contacts(MORE, seed))


def test_lower_ones_are_exceeded():
    assert any(contacts(0.9, 0))


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_friction_has_the_bounds_of_its_coefficients(robot):
    """Mimic joints included, in both directions; and reaches them where it has one direction."""
    random = np.random.default_rng(5)
    names = [joint.name for joint in robot.model.joints]
    given = {
        kind: dict(zip(names, random.uniform(0.1, 3.0, len(names)), strict=True))
        for kind in ('viscous', 'coulomb', 'viscous_negative', 'coulomb_negative')
    }
    friction = JointFriction(robot.model, **given)
    v = random.uniform(-2.0, 2.0, (50, robot.model.size))
    coulomb, viscous = friction.bounds
    assert (np.abs(friction.torque(v)) <= coulomb + viscous * np.abs(v)).all()
    same = JointFriction(
        robot.model, viscous=given['viscous'], coulomb=given['coulomb'], smoothing=1e-12
    )
    coulomb, viscous = same.bounds
    np.testing.assert_allclose(np.abs(same.torque(v)), coulomb + viscous * np.abs(v), rtol=1e-9)
