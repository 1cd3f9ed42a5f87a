"""What is held out: torques, how sure residuals are, if they are noise, if the motion repeats."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from identified_equations import unfiltered
from memory_source import in_memory
from recorded_states import START, States
from simulated_recordings import urdf
from torques_of_arrays import CUTOFF, RATE, filtered_noise, torques

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification import ParameterLayout
from robot_dynamics_ros.identification.held_out import (
    Torques,
    _interval,
    repeated_share,
    residuals,
    split_motions,
    whiteness,
)
from robot_dynamics_ros.identification.motion_equations import MotionEquations
from robot_dynamics_ros.recordings import JointSamples

MOVING = ('one', 'two')
SAMPLED, SPLIT = 100.0, 8.0


def recording(samples):
    """One in memory, with a gap."""
    stamps = START + np.rint(1e9 * samples.times).astype(np.int64)
    values = samples.positions, samples.velocities, samples.efforts
    return in_memory(States(stamps, *values, MOVING))


def raw():
    random = np.random.default_rng(3)
    times = np.arange(1200) / SAMPLED
    times[300:] += 0.5
    q, v, tau = (random.normal(0.0, 0.3, (1200, 2)) for _ in range(3))
    return JointSamples(MOVING, times, np.clip(q, -1.0, 1.0), v, tau)


def arrays_of(parts):
    parts = list(parts)
    return {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    }


def of(whole, split):
    """The fitted and the held-out part of a recording."""
    parts = list(split_motions(recording(whole).motions(cutoff=8.0), split))
    return [[part for held_out, part in parts if held_out is later] for later in (False, True)]


@pytest.mark.parametrize('later', [True, False], ids=['held out', 'fitted'])
def test_a_part_does_not_depend_on_raw_samples_of_the_other(later):
    whole = raw()
    rows = whole.times >= SPLIT if later else whole.times < SPLIT
    changed = replace(whole, velocities=np.where(rows[:, None], 5.0, whole.velocities))
    before, after = ([arrays_of(part) for part in of(one, SPLIT)] for one in (whole, changed))
    kept, other = (0, 1) if later else (1, 0)
    for name, values in before[kept].items():
        # Transforms of other rows round differently.
        np.testing.assert_allclose(after[kept][name], values, rtol=0.0, atol=1e-9)
    assert not np.allclose(after[other]['velocities'], before[other]['velocities'], atol=0.1)


def test_only_the_margin_is_lost_and_the_held_out_part_begins_a_segment():
    whole = raw()
    fitted, later = of(whole, SPLIT)
    assert later[0].begins
    times, held = (arrays_of(one)['times'] for one in (fitted, later))
    everything = arrays_of(recording(whole).motions(cutoff=8.0))['times']
    assert 0 < len(everything) - len(times) - len(held) <= 2 * SAMPLED * 1.9 / 8.0 + 20
    assert times.max() < SPLIT < held.min()


@pytest.mark.parametrize('later', [True, False], ids=['held out', 'fitted'])
def test_a_whole_recording_is_one_part(later):
    parts = of(raw(), -np.inf if later else np.inf)
    assert sum(map(len, parts[later])) == sum(map(len, recording(raw()).motions(cutoff=8.0)))
    assert parts[not later] == []


INTERVAL = 0.05
MODEL = parse_urdf(urdf())
LAYOUT = ParameterLayout(MODEL, (*ParameterLayout(MODEL).terms, 'gain'))


def parts(start=0.0, counts=(30, 20)):
    """Equations of currents that follow each other, each not held out."""
    maker = MotionEquations(LAYOUT, effort_levels=np.inf)
    random = np.random.default_rng(1)
    for count in counts:
        times = start + INTERVAL * np.arange(count)
        drawn = random.normal(size=(4, count, 6))
        yield False, maker.of_samples(unfiltered(MODEL, times, *drawn))
        start = times[-1] + INTERVAL


def test_torques_are_rows_times_parameters_and_gaps_begin_pieces():
    """Measured ones are currents times their gains, which are not part of the others."""
    nominal, identified = np.random.default_rng(2).normal(size=(2, LAYOUT.size))
    gains, own = LAYOUT.columns('gain'), identified.copy()
    nominal[gains] = own[gains] = 0.0
    given = [*parts(), *parts(start=10.0)]
    found = Torques.of_equations('bag', given, MODEL, nominal, identified)
    rows = np.concatenate([part.rows for _, part in given])
    np.testing.assert_allclose(found.nominal, rows @ nominal, atol=1e-9)
    currents = np.concatenate([np.where(part.used, part.efforts, np.nan) for _, part in given])
    np.testing.assert_allclose(found.measured, identified[gains] * currents)
    left = np.where(found.rests, np.nan, found.measured - rows @ own)
    np.testing.assert_allclose(found.residual, left, atol=1e-9)
    assert [(one.start, one.stop) for one in found.pieces()] == [(0, 50), (50, 100)]
    halves = [(place > 0, part) for place, (_, part) in enumerate(given[:2])]
    found = Torques.of_equations('bag', halves, MODEL, nominal, identified)
    assert [one.start for one in found.pieces()] == [0, 30]


def correlated(random, count, columns, time):
    """Noise (N, n) of deviation 1 that is correlated for a time [s]."""
    kept = np.exp(-1.0 / (RATE * time))
    drawn = random.normal(size=(count + 100, columns))
    for index in range(1, len(drawn)):
        drawn[index] = kept * drawn[index - 1] + np.sqrt(1.0 - kept**2) * drawn[index]
    return drawn[100:]


def test_residuals_are_of_the_samples_that_move_and_intervals_narrow_with_their_number():
    times = np.arange(1200) / RATE
    noise = filtered_noise(np.random.default_rng(1), 1200, 2)
    measured = 10.0 * np.sin(times)[:, None] + noise
    rests = np.arange(1200)[:, None] * np.ones(2) >= 900
    one = torques(times, measured + 5.0 * rests, identified=measured - noise, rests=rests)
    found = residuals([one])
    np.testing.assert_allclose(found.identified, np.sqrt(np.mean(noise[:900] ** 2, axis=0)))
    np.testing.assert_allclose(found.deviations, measured[:900].std(axis=0))
    np.testing.assert_array_equal(found.moving, 900)
    low, high = found.interval
    assert (low < found.identified).all()
    assert (found.identified < high).all()
    twice = residuals([one, replace(one, begins=one.begins | (times == times[600]))])
    np.testing.assert_allclose(twice.identified, found.identified)
    short = residuals([one.part(times < 15.0)])
    assert np.diff(short.interval, axis=0).sum() > (high - low).sum()
    few = residuals([one.part(times < 3.0)])
    assert np.isnan([few.interval, few.gain_interval]).all()


def test_of_a_mean_the_jackknife_is_the_interval_of_student():
    drawn = np.random.default_rng(1).normal(size=8)
    changes = (drawn.mean() - drawn) / 7.0
    interval = _interval(np.ones(1), changes[:, None], np.array([8]))[:, 0]
    half = 2.364624 * drawn.std(ddof=1) / np.sqrt(8.0)
    np.testing.assert_allclose(np.log(interval), [-half, half], rtol=1e-6)


@pytest.mark.parametrize(('seconds', 'time'), [(8.0, 0.2), (20.0, 0.5), (60.0, 0.5), (60.0, 2.0)])
def test_nine_of_ten_intervals_hold_the_true_residual(seconds, time):
    """Of correlated residuals, and of their ratio to those of another model: 1 and 1 / 2."""
    hits = []
    for seed in range(40):
        random, count = np.random.default_rng(seed), round(seconds * RATE)
        identified = correlated(random, count, 5, time)
        nominal = 1.2 * identified + 1.6 * correlated(random, count, 5, time)
        times = np.arange(count) / RATE
        zero = np.zeros_like(nominal)
        found = residuals([torques(times, zero, identified=identified, nominal=nominal)])
        for (low, high), true in ((found.interval, 1.0), (found.gain_interval, 0.5)):
            hits.append((low < true) & (true < high))
    assert 0.88 < np.mean(hits) < 0.96


COUNT = 2000


def noise_or_not(left):
    """Of residuals (N, n), or of several with gaps between."""
    pieces = left if isinstance(left, list) else [left]
    parts = [torques(np.arange(len(one)) / RATE, one, held_out=True) for one in pieces]
    return whiteness(parts, CUTOFF, RATE)


def test_filtered_white_noise_is_noise():
    is_noise, repeated = noise_or_not(filtered_noise(np.random.default_rng(1), COUNT, 40))
    # Of 40 columns with 20 lags each, at 3.5 standard deviations, 0.4 are expected to be beyond.
    assert np.count_nonzero(is_noise) >= 38
    assert np.nanmax(repeated) < 0.02


def test_what_repeats_is_no_noise_and_its_share_is_the_squared_autocorrelation():
    """A friction that the model lacks; a sine as large as the noise; also across a gap."""
    random, times = np.random.default_rng(2), np.arange(COUNT) / RATE
    friction = 1.0 * np.sign(np.sin(2.0 * np.pi * 0.3 * times))
    sine = np.sqrt(2.0) * np.sin(2.0 * np.pi * 0.05 * times)
    left = filtered_noise(random, COUNT, 2) + np.stack([friction, sine], axis=1)
    is_noise, repeated = noise_or_not(left)
    assert is_noise == [False, False]
    assert repeated[0] > 0.1
    assert repeated[1] == pytest.approx(0.25, abs=0.03)
    parts = noise_or_not([left[:900], left[900:]])
    assert parts[0] == is_noise
    np.testing.assert_allclose(parts[1], repeated, atol=0.02)


def test_few_samples_do_not_say_whether_they_are_noise():
    assert noise_or_not(filtered_noise(np.random.default_rng(1), 40, 2))[0] == [None, None]
    assert noise_or_not(np.full((100, 1), np.nan))[0] == [None]


PERIOD = 10.0


def motion(times, seed, period=PERIOD, split=13.3):
    """The torques of three joints that move with five harmonics of a period."""
    random = np.random.default_rng(seed)
    rates = 2.0 * np.pi * np.arange(1, 6) / period
    amplitudes = random.normal(size=(2, 5, 3)) / np.arange(1, 6)[:, None]
    angles = np.outer(times, rates)
    q = np.sin(angles) @ amplitudes[0] + np.cos(angles) @ amplitudes[1]
    v = (rates * np.cos(angles)) @ amplitudes[0] - (rates * np.sin(angles)) @ amplitudes[1]
    return replace(torques(times, q, nominal=np.sin(q), held_out=times >= split), velocities=v)


TIMES = np.arange(0.0, 20.0, 1.0 / RATE)


def test_a_period_that_is_played_again_is_found():
    """Its period shares nothing with the grid; the velocities have noise."""
    for period in (5.0, 9.9871):
        one = motion(TIMES, 1, period)
        noise = np.random.default_rng(2).normal(0.0, 5e-3, one.velocities.shape)
        assert repeated_share([replace(one, velocities=one.velocities + noise)]) == 1.0


def test_a_motion_that_is_not_repeated_is_not_found():
    """One long period, of which no part occurs twice; and the same motion at other poses."""
    assert repeated_share([motion(TIMES, 1, 20.0)]) == 0.0
    again = motion(TIMES, 1)
    elsewhere = again.nominal + 0.5 * again.held_out[:, None]
    assert repeated_share([replace(again, nominal=elsewhere)]) == 0.0


def test_another_recording_of_the_same_motion_is_found_and_of_another_motion_is_not():
    fitted = motion(TIMES, 1, split=np.inf)
    for seed, expected in ((1, 1.0), (2, 0.0)):
        assert repeated_share([fitted, motion(TIMES[:200] + 4.321, seed, split=0.0)]) == expected


def test_rest_is_no_repetition():
    resting = torques(TIMES, np.ones((len(TIMES), 3)), held_out=TIMES >= 10.0)
    assert np.isnan(repeated_share([replace(resting, velocities=0.0 * resting.velocities)]))
    assert np.isnan(repeated_share([motion(TIMES, 1, split=np.inf)]))
