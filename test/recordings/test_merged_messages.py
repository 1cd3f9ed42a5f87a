"""Joints that come in several messages of one topic: one sample where all of them are fresh."""

from dataclasses import replace
from itertools import chain
from operator import itemgetter

import numpy as np
import pytest

pytest.importorskip('rosbags')

from recorded_states import TOPIC, Sines, joined, ros2_messages, sine_states, write_bag

from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

STATES = sine_states(rate=250.0, seconds=4.0)
ARM, HAND = STATES.names[:2], STATES.names[2:]
MS = 1_000_000


def half(names, *, rows=slice(None), late=0):
    """The states of some joints alone, at the true motion of a time that much later [ns]."""
    columns = [STATES.names.index(name) for name in names]
    part = STATES.part(rows)
    positions, velocities = part.positions, part.velocities
    if late:
        times = (part.stamps - STATES.stamps[0] + late) * 1e-9
        positions, velocities = Sines().at(times), Sines().at(times, 1)
    return replace(
        part,
        stamps=part.stamps + late,
        names=tuple(names),
        positions=positions[:, columns],
        velocities=velocities[:, columns],
        efforts=(3.0 * positions + velocities + 1.0)[:, columns],
    )


def bag_of(folder, *halves):
    # By time alone: of equal times, in the order of the halves.
    messages = sorted(chain(*map(ros2_messages, halves)), key=itemgetter(0))
    return write_bag(folder, {TOPIC: ('sensor_msgs/msg/JointState', messages)})


@pytest.mark.parametrize('order', [(ARM, HAND), (HAND, ARM)])
def test_two_halves_with_the_same_stamps_are_the_whole(tmp_path, order):
    bag = bag_of(tmp_path / 'bag', *map(half, order))
    recording = Recording.read([bag], joints=STATES.names)
    times, *values = joined(recording)
    quality = recording.quality
    assert recording.interval == pytest.approx(0.004)
    assert quality.merged == len(times) == len(STATES)
    assert (quality.skew, quality.malformed, quality.of_other_joints) == (0.0, 0, 0)
    np.testing.assert_allclose(times, np.arange(len(STATES)) * 0.004, atol=1e-9)
    np.testing.assert_array_equal(values, (STATES.positions, STATES.velocities, STATES.efforts))


@pytest.mark.parametrize('lost', [0, 1])
def test_a_sample_may_begin_in_one_file_and_end_in_the_next(tmp_path, lost):
    """Split between an arm, in two parts, and its hand; without one part there is no sample."""
    parts = [ros2_messages(half(names)) for names in (ARM[:1], ARM[1:], HAND)]
    every = sorted(chain(*parts), key=itemgetter(0))
    files = every[:751], every[751 + lost : 753], every[753:755], every[755:]
    bags = [
        write_bag(tmp_path / f'{number}', {TOPIC: ('sensor_msgs/msg/JointState', file)})
        for number, file in enumerate(files)
    ]
    _, *values = joined(Recording.read(bags, joints=STATES.names))
    made = np.delete(np.arange(len(STATES)), [250] * lost)
    wanted = (STATES.positions, STATES.velocities, STATES.efforts)
    np.testing.assert_array_equal(values, [value[made] for value in wanted])


@pytest.mark.parametrize('late', [MS, 3 * MS])
def test_halves_that_alternate_are_merged_with_the_shorter_time_between_them(tmp_path, late):
    """Whichever comes first: the other one follows after 1 ms of 4 ms."""
    bag = bag_of(tmp_path / 'bag', half(ARM), half(HAND, late=late))
    recording = Recording.read([bag], joints=STATES.names)
    states = recording.states()
    quality = recording.quality
    assert quality.skew == pytest.approx(1e-3)
    assert len(STATES) - 1 <= quality.merged == quality.samples
    assert quality.dropouts == quality.gaps == 0
    exact = Sines().at(states.times + (recording.start - STATES.stamps[0]) * 1e-9)
    # Within the motion of 1 ms, as float64 holds such times.
    assert np.abs(states.positions - exact).max() < 1.2e-3 * 2.0 * np.pi * 1.1 * 1.5


EVERY = np.arange(len(STATES))
# Which states of the arm and of the hand are recorded, and which samples these make.
SILENT = {
    'the joint that comes most rarely sets the rate': (EVERY, EVERY[::5], EVERY[::5]),
    'no sample has an old position': (EVERY, *[np.setdiff1d(EVERY, EVERY[400:650])] * 2),
    # The arm comes once more before a pause of both, the hand first after it.
    'an old value before a pause of both is not used': (
        np.r_[0:401, 650:1000], np.r_[0:400, 649:1000], np.r_[0:400, 650:1000],
    ),
}  # fmt: skip


@pytest.mark.parametrize('case', SILENT)
def test_a_sample_is_made_where_all_are_fresh(tmp_path, case):
    arm, hand, made = SILENT[case]
    bag = bag_of(tmp_path / 'bag', half(ARM, rows=arm), half(HAND, rows=hand))
    recording = Recording.read([bag], joints=STATES.names)
    positions = recording.states().positions
    assert recording.quality.merged == len(made)
    assert recording.interval == pytest.approx(np.median(np.diff(made)) * 0.004)
    assert recording.quality.gaps == (np.diff(made) > 5).sum()
    np.testing.assert_array_equal(positions, STATES.positions[made])
