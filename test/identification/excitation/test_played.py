"""The motion played by the simulated arm: tracked, and the recording tells the parameters."""

import numpy as np
import pytest

for needed in ('scipy', 'coal', 'mujoco'):
    pytest.importorskip(needed)

from excited_arm import JOINTS, dynamics, excited, told_by, urdf
from simulated_recordings import Recorded

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.simulation.physics import JointServo, Physics

RATE = 250.0


@pytest.fixture(scope='module')
def found():
    return excited()


@pytest.fixture(scope='module')
def played(found):
    """Positions, velocities, efforts and references of MuJoCo's arm, servo and feedforward."""
    physics = Physics(urdf(), max_step=1e-3)
    points = zip(found.times, *found.series.at(found.times), strict=True)
    trajectory = Trajectory([Point(*point) for point in points])
    physics.reset(found.series.start)
    physics.set_servo(JointServo.tuned(physics.inertia(), bandwidth=8.0))
    physics.follow(trajectory)
    rows = []
    for _ in range(round(RATE * found.settings.duration)):
        reference = trajectory.at(physics.time)
        physics.set_torque(found.constraints.torque(*reference[:, None])[0])
        physics.advance(1.0 / RATE)
        rows.append([physics.position, physics.velocity, physics.effort, physics.reference()[0]])
        rows[-1] = np.array(rows[-1])
    return np.moveaxis(np.array(rows), 1, 0)


def test_it_is_tracked(played):
    q, _, _, reference = played
    assert np.abs(q - reference).max() < 0.01


def test_efforts_stay_within_their_limits(played):
    """So that none is clamped: a clamped effort would tell nothing."""
    _, _, efforts, _ = played
    assert (np.abs(efforts) < 0.9 * dynamics().model.effort_limits).all()


def test_the_recorded_motion_tells_what_was_promised(found, played):
    q, v, _, _ = played
    a = np.gradient(v, 1.0 / RATE, axis=0)
    promised = found.information.of(*found.series.at(np.arange(len(q)) / RATE))
    merit = found.information.of(q, v, a)
    assert merit.condition < 1.5 * promised.condition
    assert abs(merit.log_det - promised.log_det) < 0.1 * found.information.rank


def test_the_recording_determines_every_base_parameter(found, played):
    q, v, efforts, _ = played
    noise = np.random.default_rng(0).normal(size=(2, *q.shape))
    times = np.arange(1, len(q) + 1) / RATE
    measured = efforts + 0.05 * noise[0]
    recorded = Recorded(times, q, v + 1e-3 * noise[1], measured, np.zeros_like(q), JOINTS)
    base, findings = told_by(recorded.reader)
    assert base.rank == base.structural_rank == found.information.rank
    assert base.condition < 2.0 * found.condition
    assert findings == ()
