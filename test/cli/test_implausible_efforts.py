"""Efforts that no drive has: each subcommand takes them as it takes NaN, and names them."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from recorded_states import joint_state_bag
from simulated_recordings import simulated, urdf

from robot_dynamics_ros.cli.command_line import main
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.recordings import Recording

# In the middle of the motion: one of shoulder, two of elbow, whose limits are 300 N m.
PLACES = {'shoulder': (1000,), 'elbow': (2000, 2001)}
SAID = ('1 effort of shoulder above 3e+06', '2 efforts of elbow above 3e+06')


def with_efforts(value):
    recorded = simulated(tool=True)
    for joint, places in PLACES.items():
        recorded = recorded.with_efforts(
            lambda efforts, rows=places: np.where(
                np.isin(np.arange(len(efforts)), rows), value, efforts
            ),
            joint,
        )
    return recorded.states


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    folder = tmp_path_factory.mktemp('bags')
    joint_state_bag(folder / 'absurd', with_efforts(-1e300))
    joint_state_bag(folder / 'missing', with_efforts(np.nan))
    (folder / 'arm.urdf').write_text(urdf())
    return folder


@pytest.fixture
def run(bags, monkeypatch, capfd):
    """Runs a subcommand in the folder of the bags: its JSON, and all that it prints."""
    monkeypatch.chdir(bags)

    def run(*words):
        with pytest.raises(SystemExit):
            main([*words, '--urdf', 'arm.urdf', '--json', 'found.json'])
        return json.loads(Path('found.json').read_text()), ''.join(capfd.readouterr())

    return run


def test_a_comparison_names_them(run):
    found, text = run('compare', 'absurd')
    expected, _ = run('compare', 'missing')
    assert found['joints'] == expected['joints']
    named = [one for one in found['findings'] if one['code'] == 'no_effort']
    assert [(one['joints'], one['value']) for one in named] == [(['shoulder'], 1), (['elbow'], 2)]
    assert all(words in text for words in SAID)
    codes = [{one['code'] for one in each['findings']} for each in (found, expected)]
    assert codes[0] == codes[1]


def test_torques_along_a_recording_are_written_without_them(run, bags):
    found, text = run('torques', 'absurd', '--output', 'absurd.csv')
    run('torques', 'missing', '--output', 'missing.csv')
    assert (bags / 'absurd.csv').read_text() == (bags / 'missing.csv').read_text()
    remarks = found['recordings'][0]['remarks']
    for words in SAID:
        assert any(remark.startswith(words) for remark in remarks)
        assert words in text


def test_a_payload_is_estimated_without_them(run):
    found, text = run('payload', 'absurd', '--frame', 'flange_link')
    expected, _ = run('payload', 'missing', '--frame', 'flange_link')
    assert found == expected
    assert all(f'absurd: {words}' in text for words in SAID)


def test_an_identification_has_the_torques_without_them(bags):
    model = parse_urdf(urdf())
    found = []
    for name in ('absurd', 'missing'):
        identified = Identifier(model).fit([Recording.read(bags / name, model, cutoff=10.0)])
        found.append(identified.judgement.samples[0].measured)
    assert np.nanmax(np.abs(found[0])) < 300.0
    np.testing.assert_array_equal(*found)
