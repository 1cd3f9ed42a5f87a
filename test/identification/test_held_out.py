"""What is held out, the torques of both models there, and how sure their residuals are."""

from dataclasses import replace

import numpy as np
import pytest
from exact_motion import Drawn

pytest.importorskip('scipy')

from memory_source import in_memory
from recorded_states import START, States
from simulated_recordings import urdf
from torques_of_arrays import RATE, filtered_noise, torques

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification import ParameterLayout
from robot_dynamics_ros.identification.held_out import (
    Torques,
    residuals,
    split_motions,
)
from robot_dynamics_ros.identification.motion_equations import EquationOptions, MotionEquations
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


def changed(whole, rows):
    return replace(whole, velocities=np.where(rows[:, None], 5.0, whole.velocities))


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
    before, after = (
        [arrays_of(part) for part in of(one, SPLIT)] for one in (whole, changed(whole, rows))
    )
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
    everything = recording(raw()).motions(cutoff=8.0)
    assert sum(map(len, parts[later])) == sum(map(len, everything))
    assert parts[not later] == []


INTERVAL = 0.05
USUAL = ParameterLayout(parse_urdf(urdf()))
CURRENTS = ParameterLayout(USUAL.model, (*USUAL.terms, 'gain'))


def parts(start=0.0, counts=(30, 20), layout=USUAL):
    """Equations that follow each other, each not held out."""
    maker = MotionEquations(layout, EquationOptions(effort_levels=np.inf))
    random = np.random.default_rng(1)
    for count in counts:
        times = start + INTERVAL * np.arange(count)
        drawn = random.normal(size=(4, count, 6))
        yield False, maker.of_samples(Drawn(times, *drawn))
        start = times[-1] + INTERVAL


def test_torques_are_rows_times_parameters_and_gaps_begin_pieces():
    nominal, identified = np.random.default_rng(2).normal(size=(2, USUAL.size))
    given = [*parts(), *parts(start=10.0)]
    found = Torques.of_equations('bag', given, USUAL.model, nominal, identified)
    rows = np.concatenate([part.rows for _, part in given])
    np.testing.assert_allclose(found.nominal, rows @ nominal, atol=1e-9)
    measured = np.concatenate([np.where(part.used, part.efforts, np.nan) for _, part in given])
    left = np.where(found.rests, np.nan, measured - rows @ identified)
    np.testing.assert_allclose(found.residual, left, atol=1e-9)
    assert [(one.start, one.stop) for one in found.pieces()] == [(0, 50), (50, 100)]
    halves = [(place > 0, part) for place, (_, part) in enumerate(given[:2])]
    found = Torques.of_equations('bag', halves, USUAL.model, nominal, identified)
    assert [one.start for one in found.pieces()] == [0, 30]


def test_gains_turn_currents_into_measured_torques():
    identified = np.zeros(CURRENTS.size)
    gains = np.array([10.0, 20.0, 30.0, 4.0, 5.0, 6.0])
    identified[CURRENTS.columns('gain')] = gains
    given = list(parts(layout=CURRENTS))
    found = Torques.of_equations('bag', given, CURRENTS.model, CURRENTS.nominal(), identified)
    currents = np.concatenate([np.where(one.used, one.efforts, np.nan) for _, one in given])
    np.testing.assert_allclose(found.measured, gains * currents)
    np.testing.assert_allclose(found.identified, 0.0, atol=1e-12)


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
    stuck = measured + 5.0 * rests
    one = torques(times, stuck, identified=measured - noise, rests=rests)
    found = residuals([one])
    np.testing.assert_allclose(found.identified, np.sqrt(np.mean(noise[:900] ** 2, axis=0)))
    np.testing.assert_array_equal(found.moving, 900)
    low, high = found.interval
    assert (low < found.identified).all()
    assert (found.identified < high).all()
    short = residuals([one.part(times < 15.0)])
    assert np.diff(short.interval, axis=0).sum() > (high - low).sum()
    few = residuals([one.part(times < 3.0)])
    assert np.isnan([few.interval, few.gain_interval]).all()


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
    assert np.mean(hits) > 0.88


def test_plots_have_evenly_distributed_samples_and_every_gap():
    times = np.arange(40_000) / RATE
    one = torques(times, np.zeros((len(times), 2)), held_out=True)
    gap = np.zeros(len(times), bool)
    gap[[0, 20_001]] = True
    drawn = replace(one, begins=gap).thinned(16384)
    assert len(drawn) < 16384
    assert np.ptp(np.diff(drawn.times)) < 1e-9
    assert drawn.begins.sum() == 2
