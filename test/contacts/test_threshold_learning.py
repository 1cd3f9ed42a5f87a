"""Thresholds that are learned: their rate of false alarms, and what they grow with."""

import math

import numpy as np
import pytest

from robot_dynamics_ros.contacts.residual_peaks import ResidualPeaks
from robot_dynamics_ros.contacts.threshold_floor import threshold_floor
from robot_dynamics_ros.contacts.threshold_learning import learned_thresholds
from robot_dynamics_ros.control.external.contact_detector import ContactDetector
from robot_dynamics_ros.core.errors import StateError

RATE = 100.0
# Standard deviation of the residual: constant, of the speed and of the acceleration.
ERRORS = np.array([[0.5, 0.1], [0.0, 0.8], [0.1, 0.0]])


def arm(seconds, seed):
    """Times, residuals and velocities of two joints whose model errors grow with the motion."""
    random = np.random.default_rng(seed)
    times = np.arange(round(seconds * RATE)) / RATE
    rates = random.uniform(0.5, 4.0, (4, 2))
    phases = times[:, None, None] * rates + random.uniform(0.0, 6.0, (4, 2))
    v, a = 0.4 * np.cos(phases).sum(axis=1), -0.4 * (rates * np.sin(phases)).sum(axis=1)
    deviation = ERRORS[0] + ERRORS[1] * abs(v) + ERRORS[2] * abs(a)
    noise = random.normal(size=v.shape)
    weight = -math.expm1(-2.0 * math.pi * 10.0 / RATE)
    for row in range(1, len(noise)):
        noise[row] = noise[row - 1] + weight * (noise[row] - noise[row - 1])
    return times, deviation * noise, v


def peaks_of(times, r, v):
    peaks = ResidualPeaks(r.shape[1])
    peaks.add(times, r, v)
    return peaks


def touched(thresholds, times, r, v):
    """Whether a detector sees a contact, at each time."""
    detector = ContactDetector(thresholds)
    return [bool(detector.step(*row)) for row in zip(r, v, times.tolist(), strict=True)]


def alarms(*arguments):
    """How many contacts a detector finds."""
    return np.count_nonzero(np.diff(touched(*arguments), prepend=False, append=False)) // 2


@pytest.fixture(scope='module')
def minute():
    return peaks_of(*arm(60.0, seed=1))


def test_the_rate_of_false_alarms_is_at_most_the_stated_one(minute):
    other = arm(200.0, seed=2)
    assert alarms(learned_thresholds(minute, 90.0), *other) <= 5
    assert alarms(learned_thresholds(minute, 0.1), *other) == 0


FRICTION = np.array([[2.0, 0.6], [0.5, 0.1]])


def rubbed_arm(seconds, seed, slowest, fastest):
    """Times, residuals and velocities: joints at rest hold any friction, and that varies by 5 %.

    Each joint moves as a sine, and stands between two of its periods.
    """
    random = np.random.default_rng(seed)
    times = np.arange(round(seconds * RATE)) / RATE
    v, resting = np.zeros((len(times), 2)), np.zeros((len(times), 2))
    for joint in range(2):
        start = 0.0
        while start < seconds:
            rate, pause = random.uniform(slowest, fastest), random.uniform(0.1, 1.0)
            end = start + 1.0 / rate
            moving = (times >= start) & (times < end)
            v[moving, joint] = np.sin(2.0 * np.pi * rate * (times[moving] - start))
            still = (times >= end) & (times < end + pause)
            resting[still, joint] = random.uniform(-1.0, 1.0)
            start = end + pause
    wander = np.zeros_like(v)
    for row in range(1, len(v)):
        wander[row] = 0.98 * wander[row - 1] + 0.05 * 0.2 * random.normal(size=2)
    r = wander * (FRICTION[0] * np.sign(v) + FRICTION[1] * v) + resting * FRICTION[0]
    return times, r + 0.02 * random.normal(size=r.shape), v


def test_friction_of_motion_unlike_the_recorded_one_is_no_alarm():
    """Learned in fast motion without stops; then the joints stand, and creep."""
    times, r, v = rubbed_arm(30.0, 1, 2.0, 4.0)
    moving = np.abs(v) > 0.1
    peaks = peaks_of(times, np.where(moving, r, 0.0), v)
    other = rubbed_arm(60.0, 2, 0.1, 0.5)
    assert alarms(learned_thresholds(peaks, 0.1), *other) > 3
    assert alarms(learned_thresholds(peaks, 0.1, friction=FRICTION), *other) == 0


def test_a_margin_is_a_factor_of_what_was_learned(minute):
    plain, wide = (learned_thresholds(minute, 1.0, margin=factor) for factor in (1.0, 1.5))
    np.testing.assert_allclose(wide.coefficients, 1.5 * plain.coefficients)


def test_an_arm_at_rest_without_noise_has_the_floor_whatever_the_margin():
    """Its residual of 1e-9 N m tells nothing of other poses, nor of the accuracy of efforts."""
    times = np.arange(2000) / RATE
    peaks = peaks_of(times, np.full((2000, 2), 1e-9), np.zeros((2000, 2)))
    floor = threshold_floor(np.array([150.0, 28.0]))
    for margin in (1.0, 3.0):
        learned = learned_thresholds(peaks, 0.1, floor=floor, margin=margin).coefficients
        np.testing.assert_array_equal(learned[:, 0], [floor, floor])
        assert not learned[:, 1:].any()
    # Masses that are wrong by 2 %, where gravity takes half of the effort limit, are no contact.
    assert (learned[:, 0] >= 0.02 * 0.5 * np.array([150.0, 28.0])).all()


def test_a_floor_below_what_was_recorded_changes_nothing(minute):
    plain, floored = (learned_thresholds(minute, 1.0, floor=f) for f in (None, np.full(2, 1e-3)))
    np.testing.assert_array_equal(floored.coefficients, plain.coefficients)


def test_a_joint_without_an_effort_limit_has_a_floor_too():
    (floor,) = threshold_floor(np.array([math.inf]))
    assert 0.0 < floor < math.inf


def test_thresholds_are_not_higher_than_the_rate_needs(minute):
    # One false alarm in a year, and a residual ten times as large as usual is still found.
    times, r, v = arm(60.0, seed=3)
    assert np.mean(touched(learned_thresholds(minute, 1e-4), times, 10.0 * r, v)) > 0.5


def test_a_rarer_alarm_needs_a_higher_threshold(minute):
    rare, rarer = (learned_thresholds(minute, rate) for rate in (10.0, 0.01))
    assert (rarer.coefficients.sum(axis=1) > rare.coefficients.sum(axis=1)).all()
    assert (rare.false_alarms_per_hour, rare.seconds) == (10.0, minute.seconds)
    assert minute.seconds == pytest.approx(60.0, abs=0.3)


def test_thresholds_grow_with_what_the_error_grows_with(minute):
    constant, velocity, acceleration = learned_thresholds(minute, 1.0).coefficients[0]
    # Joint 0: mostly constant. Joint 1: mostly with the speed, which is 0.6 rad/s on average.
    assert constant[0] > 0.4 * (constant + velocity + acceleration)[0]
    assert 0.6 * velocity[1] > 2.0 * constant[1]


def test_they_are_lower_on_average_than_constant_ones_with_the_same_rate():
    times, r, v = arm(120.0, seed=5)
    peaks = peaks_of(times, r, v)
    still = peaks_of(times, r, np.zeros_like(v))
    learned, constant = learned_thresholds(peaks, 1.0), learned_thresholds(still, 1.0)
    _, _, motions = peaks.arrays()
    ratios = learned.limits(motions).mean(axis=0) / constant.coefficients[:, 0]
    for ratio in ratios:
        # Joint 0 has a residual that depends little on the motion.
        assert ratio[0] < 1.2
        assert ratio[1] < 0.75


def test_a_joint_that_was_not_moved_has_a_constant_threshold():
    times, r, v = arm(20.0, seed=6)
    v[:, 0] = 1e-4 * np.sin(times)
    thresholds = learned_thresholds(peaks_of(times, r, v), 1.0)
    for constant, *grows in thresholds.coefficients[:, :, 0].tolist():
        assert constant > 0.0
        assert grows == [0.0, 0.0]


def test_a_recording_in_parts_gives_the_thresholds_of_its_parts():
    times, r, v = arm(60.0, seed=1)
    peaks, half = ResidualPeaks(2), len(times) // 2
    peaks.add(times[:half], r[:half], v[:half])
    peaks.reset()
    # The clock has jumped.
    peaks.add(times[half:] - 1e6, r[half:], v[half:])
    whole = learned_thresholds(peaks_of(times, r, v), 1.0).coefficients.sum(axis=1)
    parts = learned_thresholds(peaks, 1.0).coefficients.sum(axis=1)
    np.testing.assert_allclose(parts, whole, rtol=0.2)


def test_too_little_time_is_refused():
    times, r, v = arm(8.0, seed=7)
    with pytest.raises(StateError, match=r'7\.\d+ s.* 10 s.* 3 s'):
        learned_thresholds(peaks_of(times, r, v), 1.0)


def test_a_residual_that_is_not_finite_is_refused():
    times, r, v = arm(20.0, seed=8)
    r[500, 1] = math.nan
    with pytest.raises(StateError, match='not finite'):
        learned_thresholds(peaks_of(times, r, v), 1.0)
