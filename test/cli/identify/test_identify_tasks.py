"""`robot_dynamics identify` over processes: the sums of parts are those of the whole."""

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('cvxpy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import JOINTS, RATE, rows

from robot_dynamics_ros.cli.fleet_options import Fleet
from robot_dynamics_ros.cli.identify.identify_setup import Equations, Setup
from robot_dynamics_ros.cli.identify.identify_sources import Sources
from robot_dynamics_ros.cli.identify.surveys import surveyed
from robot_dynamics_ros.cli.output import Output
from robot_dynamics_ros.cli.recording_options import options_of


def test_tasks_reduce_recordings_to_the_same_sums(files, monkeypatch):
    """Each process returns the triangle of its equations; their sum is that of one process."""
    monkeypatch.chdir(files)
    table = rows()
    named = {}
    for name, part in (('a.csv', slice(0, 2500)), ('b.csv', slice(2500, None))):
        write(files / name, list(JOINTS), table[part])
        named[name] = (files / name,)
    options = options_of(files / 'arm.urdf', [], None, (), 10.0)
    sums = []
    for fleet in (Fleet(), Fleet(jobs=2)):
        surveys = surveyed(options, named, (), Fleet(jobs=1), Output())
        first = surveys.first
        setup = Setup(options, first.urdf, first.joints, Equations())
        triangles = Sources.of(setup, surveys, named, fleet, Output()).reduced().triangles
        sums.append(np.einsum('rij,rik->rjk', triangles, triangles))
    here, there = sums
    np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-9 * np.abs(here).max())


def disturbed():
    """The recording with stamps that jitter by a tenth of an interval, and a gap."""
    table = rows().copy()
    table[:, 0] += np.random.default_rng(2).uniform(-0.1, 0.1, len(table)) / RATE
    return np.concatenate([table[:1500], table[1800:]])


@pytest.mark.parametrize(
    ('table', 'delay'),
    [(rows, 0.0), (disturbed, 0.0), (rows, 0.0313), (disturbed, -0.0313)],
    ids=['equal intervals', 'jitter and a gap', 'late', 'early, jitter and a gap'],
)
def test_parts_of_a_recording_are_the_whole(files, monkeypatch, table, delay):
    """Also with cuts anywhere, and parts in the held-out third, which have no equation."""
    monkeypatch.chdir(files)
    # A part in the middle of the recording does not read its beginning.
    monkeypatch.setattr('robot_dynamics_ros.recordings.recording.BEFORE', 16)
    write(files / 'parts.csv', list(JOINTS), table())
    size = (files / 'parts.csv').stat().st_size
    named = {'parts.csv': (files / 'parts.csv',)}
    options = options_of(files / 'arm.urdf', [], None, (), 10.0)
    surveys = surveyed(options, named, (), Fleet(), Output())
    setup = Setup(options, surveys.first.urdf, surveys.first.joints, Equations())
    found = {}
    for count in (1, 4, 7):
        monkeypatch.setattr(
            'robot_dynamics_ros.cli.identify.identify_sources.LARGEST_PART', size // count + 1
        )
        fleet = Fleet() if count == 1 else Fleet(jobs=1)
        sources = Sources.of(setup, surveys, named, fleet, Output()).shifted(delay)
        found[len(sources.sources)] = sources.reduced()
        assert sources.empty == ()
    assert sorted(found) == [1, 4, 7]
    whole = found.pop(1)
    squares = np.einsum('rij,rik->rjk', whole.triangles, whole.triangles)
    for merged in found.values():
        np.testing.assert_array_equal(merged.counts, whole.counts)
        np.testing.assert_array_equal(merged.left_out, whole.left_out)
        np.testing.assert_allclose(
            np.einsum('rij,rik->rjk', merged.triangles, merged.triangles), squares,
            rtol=1e-9, atol=1e-9 * np.abs(squares).max(),
        )  # fmt: skip
