"""The motion played by the simulated arm: tracked, and the recording tells the parameters."""

import numpy as np
import pytest

pytest.importorskip('scipy')
pytest.importorskip('mujoco')

from excited_arm import dynamics, urdf

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.identification.excitation.excitation import excite
from robot_dynamics_ros.identification.excitation.excitation_settings import ExcitationSettings
from robot_dynamics_ros.simulation.physics import Physics
from robot_dynamics_ros.simulation.servo import JointServo

RATE = 250.0


@pytest.fixture(scope='module')
def found():
    settings = ExcitationSettings(duration=6.0, frequency=1.0, harmonics=6, steps=40)
    return excite(dynamics(), urdf(), None, settings)


@pytest.fixture(scope='module')
def recorded(found):
    """Positions, velocities and efforts of MuJoCo's arm under a servo and our feedforward."""
    physics = Physics(urdf())
    points = zip(found.times, *found.series.at(found.times), strict=True)
    trajectory = Trajectory([Point(*point) for point in points])
    physics.reset(found.series.start)
    physics.set_servo(JointServo.tuned(physics.inertia(), bandwidth=8.0))
    physics.follow(trajectory)
    rows = []
    for _ in range(round(RATE * found.settings.duration)):
        reference = trajectory.at(physics.time)
        physics.set_torque(found.effort.total(*reference[:, None])[0])
        physics.advance(1.0 / RATE)
        rows.append([physics.position, physics.velocity, physics.effort, physics.reference()[0]])
        rows[-1] = np.array(rows[-1])
    return np.moveaxis(np.array(rows), 1, 0)


def test_it_is_tracked(recorded):
    q, _, _, reference = recorded
    assert np.abs(q - reference).max() < 0.01


def test_efforts_stay_within_their_limits(recorded):
    """So that none is clamped: a clamped effort would tell nothing."""
    _, _, efforts, _ = recorded
    assert (np.abs(efforts) < 0.9 * dynamics().model.effort_limits).all()


def test_the_recorded_motion_tells_what_was_promised(found, recorded):
    q, v, _, _ = recorded
    a = np.gradient(v, 1.0 / RATE, axis=0)
    promised = found.information.of(*found.series.at(np.arange(len(q)) / RATE))
    told = found.information.of(q, v, a)
    assert told.condition < 1.5 * promised.condition
    assert abs(told.log_det - promised.log_det) < 0.1 * found.information.rank
