"""--parameters of compare and torques: friction, offsets and rotors beside a description."""

import csv
import json

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('rosbags')
yaml = pytest.importorskip('yaml')

from recorded_states import csv_file
from running_command import run
from simulated_recordings import COULOMB, JOINTS, VISCOUS, simulated, urdf

pytestmark = pytest.mark.contract

__all__ = ['run']

OFFSETS = [0.0, 2.5, -1.0, 0.0, 0.0, 0.2]  # [N m]


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    """The arm with offsets, its description without friction, and its parameters."""
    folder = tmp_path_factory.mktemp('parameters')
    recorded = simulated().with_efforts(lambda efforts: efforts + np.array(OFFSETS))
    csv_file(folder / 'arm.csv', recorded.states)
    (folder / 'bare.urdf').write_text(urdf(friction=False))
    node = {
        'joints': list(JOINTS),
        'terms': ['gravity'],
        'joint_model': 'joints.yaml',
    }
    write(folder / 'node.yaml', {'/**': {'ros__parameters': node}})
    rows = zip(JOINTS, VISCOUS, COULOMB, OFFSETS, strict=True)
    keys = ('viscous', 'coulomb', 'torque_offset')
    joints = {name: dict(zip(keys, map(float, row), strict=True)) for name, *row in rows}
    write(folder / 'joints.yaml', {'joints': joints})
    offsets = dict(zip(JOINTS, OFFSETS, strict=True))
    values = {name: {'armature': 1.5, 'torque_offset': offsets[name]} for name in JOINTS}
    write(folder / 'friction.yaml', {'joints': values})
    write(folder / 'others.yaml', {'joints': {'wrist': {'armature': 1.5}}})
    return folder


def write(file, content):
    file.write_text(yaml.safe_dump(content))


def test_what_the_description_lacks_is_no_finding_with_the_parameters(run, files):
    compared = ('compare', 'arm.csv', '--urdf', 'bare.urdf', '--json', 'result.json')
    assert run(*compared).returncode == 1
    without = json.loads((files / 'result.json').read_text())
    assert {one['code'] for one in without['findings']} >= {'friction'}
    ended = run(*compared, '--parameters', 'node.yaml')
    assert ended.returncode == 0, ended.stderr
    result = json.loads((files / 'result.json').read_text())
    for (name, joint), offset in zip(result['joints'].items(), OFFSETS, strict=True):
        assert joint['bias'] == pytest.approx(0.0, abs=0.05), name
        assert without['joints'][name]['bias'] - joint['bias'] == pytest.approx(offset, abs=0.5)
        assert joint['rms_residual'] < 0.2 * without['joints'][name]['rms_residual']


def columns(file):
    """Of a CSV of torques, as arrays by name."""
    with file.open() as opened:
        rows = list(csv.reader(opened))
    values = np.array(rows[1:], dtype=float).T
    return dict(zip(rows[0], values, strict=True))


def test_torques_have_the_rotors_and_the_offsets(run, files):
    written = []
    for target, given in (('bare.csv', []), ('given.csv', ['--parameters', 'friction.yaml'])):
        ended = run('torques', 'arm.csv', '--urdf', 'bare.urdf', '--output', target, *given)
        assert ended.returncode == 0, ended.stderr
        written.append(columns(files / target))
    bare, found = written
    for joint, offset in zip(JOINTS, OFFSETS, strict=True):
        np.testing.assert_allclose(found[f'{joint}/friction'], offset, rtol=0.0, atol=1e-9)
        added = found[f'{joint}/inertia'] - bare[f'{joint}/inertia']
        rotor = 1.5 * bare[f'{joint}/acceleration']
        np.testing.assert_allclose(added, rotor, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (('--parameters', 'others.yaml'), "joint 'wrist'"),
        (('--parameters', 'bare.urdf'), 'bare.urdf'),
        (('--parameters', 'nothing.yaml'), 'nothing.yaml'),
        (('--parameters', 'node.yaml', '--json', 'node.yaml'), '--json would replace'),
    ],
)
def test_parameters_that_cannot_be_meant_are_refused(run, arguments, words):
    ended = run('compare', 'arm.csv', '--urdf', 'bare.urdf', *arguments)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
