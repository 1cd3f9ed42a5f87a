"""Friction within its variation touches no threshold that comes from it, in any motion."""

import numpy as np
import pytest
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.contacts.friction_thresholds import VARIATION, friction_thresholds
from robot_dynamics_ros.control.external.contact_detector import ContactDetector
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core import JointFriction

PERIOD = 2e-3
COULOMB, VISCOUS = np.array([3.0, 0.4]), np.array([0.5, 2.0])
MORE = 1.0 + 1e-6


def thresholds(share=1.0):
    return ContactThresholds(share * friction_thresholds(np.stack([COULOMB, VISCOUS])))


def rubbed(random, seconds):
    """Velocities and errors of the friction (N, 2), at their bounds: rest and motion by turns.

    Joints rest with any friction, creep, move, and jump from one to the other; each lasts longer
    than the low pass of the bands remembers.
    """
    count = round(seconds / PERIOD)
    v, error = np.zeros((2, count, 2))
    for joint in range(2):
        row, rests = 0, False
        while row < count:
            rows = slice(row, row + int(random.integers(100, 300)))
            row, rests = rows.stop, not rests
            if rests:
                error[rows, joint] = random.choice([-1.0, 1.0]) * (1.0 + VARIATION)
                error[rows, joint] *= COULOMB[joint]
            else:
                v[rows, joint] = random.choice([0.01, 0.3, 3.0]) * random.choice([-1.0, 1.0])
                speeds, share = np.abs(v[rows, joint]), VARIATION * random.choice([-1.0, 1.0])
                error[rows, joint] = share * (COULOMB[joint] + VISCOUS[joint] * speeds)
    return v, error


def contacts(share, seed):
    v, r = rubbed(np.random.default_rng(seed), 12.0)
    detector = ContactDetector(thresholds(share))
    return [bool(detector.step(*row, k * PERIOD)) for k, row in enumerate(zip(r, v, strict=True))]


@pytest.mark.parametrize('seed', range(2))
def test_no_friction_within_the_variation_is_a_contact(seed):
    assert not any(contacts(MORE, seed))


def test_lower_ones_are_exceeded():
    assert any(contacts(0.97, 0))


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
