"""`robot_dynamics identify` over processes: the sums of parts are those of the whole."""

import shutil

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('cvxpy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import DESCRIBED, JOINTS, recording, rows

from robot_dynamics_ros.cli.fleet_options import Fleet
from robot_dynamics_ros.cli.identify.identify_setup import Equations, Setup
from robot_dynamics_ros.cli.identify.identify_sources import Sources
from robot_dynamics_ros.cli.identify.surveys import surveyed
from robot_dynamics_ros.cli.output import Output
from robot_dynamics_ros.cli.recording_options import options_of


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('identify')
    shutil.copy(DESCRIBED, folder / 'arm.urdf')
    recording(folder / 'good.csv')
    return folder


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


def test_parts_of_a_large_recording_need_not_all_be_fitted(files, monkeypatch):
    """The last of four parts lies in the held-out third: it has no equation."""
    monkeypatch.chdir(files)
    size = (files / 'good.csv').stat().st_size
    monkeypatch.setattr('robot_dynamics_ros.cli.identify.identify_sources.LARGEST_PART', size // 4)
    named = {'good.csv': (files / 'good.csv',)}
    options = options_of(files / 'arm.urdf', [], None, (), 10.0)
    surveys = surveyed(options, named, (), Fleet(), Output())
    setup = Setup(options, surveys.first.urdf, surveys.first.joints, Equations())
    counts = []
    for fleet in (Fleet(), Fleet(jobs=1)):
        sources = Sources.of(setup, surveys, named, fleet, Output())
        counts.append(sources.reduced().counts)
        assert sources.empty == ()
    whole, merged = counts
    assert len(sources.sources) > 3
    # At each cut the equations are lost whose filter reaches over it.
    assert (merged <= whole).all()
    assert (merged > 0.7 * whole).all()
