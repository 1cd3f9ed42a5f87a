"""Laws of learned thresholds: their rate of false alarms, friction, and what they grow with."""

import math

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.contacts.residuals import CELL, ObservedPart, ResidualPeaks
from robot_dynamics_ros.contacts.threshold_learning import (
    VARIATION,
    friction_thresholds,
    learned_thresholds,
    least_thresholds,
    rare_levels,
    without_contacts,
)
from robot_dynamics_ros.control.external.contact_detector import ContactDetector, ResidualBands
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core import JointFriction
from robot_dynamics_ros.core.errors import StateError

# Of exponential maxima: where they begin, and how they decay, of twelve quantities.
SCALES, BEGIN = np.linspace(0.3, 9.0, 12)[:, None], 5.0


def test_from_a_minute_on_the_mean_rate_is_about_the_stated_one():
    """That with which a block exceeds the levels of exponential maxima, 300 times."""
    random, rates, probability = np.random.default_rng(1), [], 1e-3
    for _ in range(300):
        levels = rare_levels(SCALES * (BEGIN + random.exponential(size=(12, 60))), probability)
        rates.append(np.exp(BEGIN - levels / SCALES[:, 0]).mean())
    assert 0.1 * probability < np.mean(rates) < 1.5 * probability


def test_the_level_of_an_exponential_tail_is_above_the_true_one_with_a_probability_of_95_percent():
    random, probability = np.random.default_rng(1), 1e-6
    true = BEGIN - math.log(probability)
    maxima = BEGIN + random.exponential(size=(4000, 1, 40))
    above = np.mean([rare_levels(each, probability)[0] >= true for each in maxima])
    assert above == pytest.approx(0.95, abs=0.02)


def test_each_quantity_has_its_own_scale():
    maxima = np.random.default_rng(6).uniform(1.0, 3.0, (4, 50))
    factors = np.array([1.0, 10.0, 1e-3, 7.0])
    # However probable they are, no level is below what was seen.
    levels = rare_levels(maxima, 0.5)
    assert (levels >= maxima.max(axis=1)).all()
    np.testing.assert_allclose(rare_levels(factors[:, None] * maxima, 0.5), factors * levels)
    # The scale is that of the largest: how small the others are does not matter.
    same = np.sort(maxima[:1], axis=1) * np.ones((2, 1))
    same[1, :10] *= 0.1
    first, second = rare_levels(same, 1e-4)
    assert first == pytest.approx(second)


PERIOD = 2e-3
COULOMB, VISCOUS = np.array([3.0, 0.4]), np.array([0.5, 2.0])


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


@pytest.mark.parametrize(('share', 'found'), [(1.0 + 1e-6, False), (0.97, True)])
def test_friction_within_its_variation_is_no_contact_in_any_motion(share, found):
    """And lower thresholds are exceeded."""
    v, r = rubbed(np.random.default_rng(0), 12.0)
    thresholds = ContactThresholds(share * friction_thresholds(np.stack([COULOMB, VISCOUS])))
    times = PERIOD * np.arange(len(v))
    assert any(touched(thresholds, times, r, v)) is found


@pytest.mark.parametrize('count', [2, 4])
def test_friction_has_the_bounds_of_its_coefficients(count):
    """Of mimic joints too, in both directions; and reaches them where it has one direction."""
    model, random = hand_written('mimic').model, np.random.default_rng(5)
    kinds = ('viscous', 'coulomb', 'viscous_negative', 'coulomb_negative')
    friction = JointFriction(model, smoothing=1e-12, **{
        kind: {joint.name: random.uniform(0.1, 3.0) for joint in model.joints}
        for kind in kinds[:count]
    })  # fmt: skip
    v = random.uniform(-2.0, 2.0, (50, model.size))
    coulomb, viscous = friction.bounds
    reached = np.abs(friction.torque(v)) / (coulomb + viscous * np.abs(v))
    assert (reached <= 1.0 + 1e-9).all()
    assert count == 4 or (reached > 1.0 - 1e-9).all()


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


def peaks_of(times, r, v, parts=1):
    """Of residuals in some parts."""
    split = zip(*(np.array_split(each, parts) for each in (times, r, v)), strict=True)
    given = [ObservedPart(not index, *each) for index, each in enumerate(split)]
    return ResidualPeaks.of(r.shape[1], given)


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


@pytest.mark.parametrize('parts', [1, 7])
def test_the_largest_residual_of_each_cell_and_its_motion_are_kept_in_any_parts(parts):
    cells = 23
    count = round(cells * CELL * RATE) + 1
    times, r, v = (each[:count] for each in arm(3.0, seed=4))
    peaks = peaks_of(times, r, v, parts)
    bands, values, motion = ResidualBands(2), [], []
    for sample in zip(r, v, times.tolist(), strict=True):
        bands.step(*sample)
        values.append(np.abs(bands.values))
        motion.append(bands.motion.copy())
    sizes = np.array(values[:-1]).reshape(cells, -1, 2, 2)
    motion = np.array(motion[:-1]).reshape(cells, -1, 2, 2, 2)
    at = sizes.argmax(axis=1)[:, None, :, None]
    np.testing.assert_allclose(peaks.times, CELL * np.arange(cells), atol=1e-12)
    np.testing.assert_array_equal(peaks.sizes, sizes.max(axis=1))
    np.testing.assert_array_equal(peaks.motions, np.take_along_axis(motion, at, axis=1)[:, 0])
    assert peaks.seconds == pytest.approx(cells * CELL)


def test_a_residual_far_above_the_largest_one_is_taken_for_a_contact_unless_it_lasts(minute):
    assert without_contacts(minute, 1.0) is minute
    times, r, v = arm(60.0, seed=1)
    hit, lasting = r.copy(), r.copy()
    hit[3000:3010, 1] += 0.8 * abs(r[:, 1]).max()
    peaks = peaks_of(times, hit, v)
    free = without_contacts(peaks, 1.0)
    assert not ((free.times > 29.9) & (free.times < 30.2)).any()
    assert 0 < len(peaks.times) - len(free.times) < 40
    # The model is wrong.
    lasting[:2700, 1] += 10.0 * abs(r[:, 1]).max()
    peaks = peaks_of(times, lasting, v)
    assert without_contacts(peaks, 1.0) is peaks


def test_the_rate_of_false_alarms_is_at_most_the_stated_one(minute):
    other = arm(200.0, seed=2)
    assert alarms(learned_thresholds(minute, 90.0), *other) <= 5
    assert alarms(learned_thresholds(minute, 0.1), *other) == 0


def test_a_rarer_alarm_needs_a_higher_threshold_but_not_ten_times_the_usual_residual(minute):
    rare, rarer = (learned_thresholds(minute, rate) for rate in (10.0, 1e-4))
    assert (rarer.coefficients.sum(axis=1) > rare.coefficients.sum(axis=1)).all()
    assert (rare.false_alarms_per_hour, rare.seconds) == (10.0, minute.seconds)
    assert minute.seconds == pytest.approx(60.0, abs=0.3)
    times, r, v = arm(60.0, seed=3)
    assert np.mean(touched(rarer, times, 10.0 * r, v)) > 0.5


def test_a_margin_is_a_factor_of_what_was_learned_and_not_of_the_least(minute):
    plain, wide = (learned_thresholds(minute, 1.0, margin=factor) for factor in (1.0, 1.5))
    np.testing.assert_allclose(wide.coefficients, 1.5 * plain.coefficients)
    rest = peaks_of(np.arange(2000) / RATE, np.full((2000, 2), 1e-9), np.zeros((2000, 2)))
    least = least_thresholds(np.zeros((2, 2)), np.array([150.0, math.inf]))
    learned = learned_thresholds(rest, 0.1, least=least, margin=3.0)
    np.testing.assert_array_equal(learned.coefficients, least)
    # Masses that are wrong by 2 %, where gravity takes half of the effort limit, are no contact.
    assert (least[:, 0, 0] >= 0.02 * 0.5 * 150.0).all()
    assert (least[:, 0, 1] > 0.0).all()
    lowest = learned_thresholds(minute, 1.0, least=np.full((2, 3, 2), 1e-9))
    np.testing.assert_allclose(lowest.coefficients, plain.coefficients, atol=1e-9)


def test_thresholds_grow_with_what_the_error_grows_with(minute):
    """And are constant for a joint that is not moved, with the same rate."""
    learned = learned_thresholds(minute, 1.0)
    constant, velocity, acceleration = learned.coefficients[0]
    # Joint 0: mostly constant. Joint 1: mostly with the speed, which is 0.6 rad/s on average.
    assert constant[0] > 0.4 * (constant + velocity + acceleration)[0]
    assert 0.6 * velocity[1] > 2.0 * constant[1]
    times, r, v = arm(60.0, seed=1)
    still = learned_thresholds(peaks_of(times, r, np.zeros_like(v)), 1.0).coefficients
    assert not still[:, 1:].any()
    assert (learned.limits(minute.motions).mean(axis=0)[:, 1] < 0.8 * still[:, 0, 1]).all()


def test_too_little_time_and_residuals_that_are_not_finite_are_refused():
    times, r, v = arm(20.0, seed=8)
    with pytest.raises(StateError, match=r'7\.\d+ s.* 10 s.* 3 s'):
        learned_thresholds(peaks_of(times[:800], r[:800], v[:800]), 1.0)
    r[500, 1] = math.nan
    with pytest.raises(StateError, match='not finite'):
        learned_thresholds(peaks_of(times, r, v), 1.0)
