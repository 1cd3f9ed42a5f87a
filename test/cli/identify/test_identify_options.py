"""`robot_dynamics identify`: options that change what is estimated, from what, and where."""

import json

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import DESCRIBED, JOINTS, loaded_rows, recording, rows
from running_command import run

from robot_dynamics_ros.core import parse_urdf

pytestmark = pytest.mark.contract

__all__ = ['run']

GAINS = np.array([9.0, 8.0, 7.0])  # [N m/A]
LOAD = 1.2  # [kg]
EXTRA = 0.4  # [N m] of Coulomb friction at negative velocity, of joint 3
ASSUMED = 1.7  # [kg] of link 3: an argument of the xacro file


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('identify_options')
    urdf = DESCRIBED.read_text()
    (folder / 'arm.urdf').write_text(urdf)
    (folder / 'arm.urdf.xacro').write_text(
        urdf.replace(
            '<robot name="three_link_arm">',
            '<robot name="three_link_arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
            '<xacro:arg name="mass" default="1.577"/>',
        ).replace('<mass value="1.577"/>', '<mass value="$(arg mass)"/>')
    )
    recording(folder / 'good.csv')
    return folder


@pytest.fixture
def identified(run, files):
    """Runs identify, and gives what it printed and its JSON."""

    def identify(*arguments):
        ended = run('identify', *map(str, arguments), '--json', 'result.json')
        file = files / 'result.json'
        result = json.loads(file.read_text()) if file.exists() else None
        file.unlink(missing_ok=True)
        return ended, result

    return identify


def parameters(result, kind='joint_parameters'):
    return {row['name']: row for row in result[kind]}


def test_a_load_of_known_mass_fixes_the_scale_of_currents(identified, files):
    for name, table in (('empty.csv', rows()), ('loaded.csv', loaded_rows(LOAD))):
        amperes = table.copy()
        amperes[:, 7:] /= GAINS
        write(files / name, list(JOINTS), amperes)
    ended, result = identified(
        'empty.csv', 'loaded.csv', '--urdf', 'arm.urdf', '--output', 'load',
        '--effort', 'current', '--load', f'tool={LOAD}@loaded.csv',
    )  # fmt: skip
    assert ended.returncode in (0, 1), ended.stderr
    found = parameters(result)
    for joint, gain in zip(JOINTS, GAINS, strict=True):
        assert found[f'{joint} gain']['value'] == pytest.approx(gain, rel=0.03)
    assert 'unknown_gain' not in {one['code'] for one in result['findings']}


def test_a_load_that_is_not_there_is_said(identified, files):
    for name in ('before.csv', 'with.csv'):
        write(files / name, list(JOINTS), rows())
    _, result = identified(
        'before.csv', 'with.csv', '--urdf', 'arm.urdf', '--output', 'declared', '--force',
        '--load', f'tool={LOAD}@with.csv',
    )  # fmt: skip
    (found,) = [one for one in result['findings'] if one['code'] == 'payload']
    assert abs(found['value']) < 0.1 * LOAD
    assert f'tool={LOAD}@with.csv' in found['message']
    assert any('payload' in sentence for sentence in result['verdict'])


def test_recordings_of_which_one_has_a_load_that_is_not_declared_differ(identified, files):
    """With the load declared, the same recordings show one robot."""
    write(files / 'bare.csv', list(JOINTS), rows())
    write(files / 'carrying.csv', list(JOINTS), loaded_rows(LOAD))
    both = 'bare.csv', 'carrying.csv', '--urdf', 'arm.urdf', '--output', 'differ'
    _, result = identified(*both, '--force')
    (found,) = [one for one in result['findings'] if one['code'] == 'recordings_differ']
    assert 'joint3' in found['joints']
    assert found['value'] > 1.5
    assert 'bare.csv' in found['message']
    assert '--load' in found['message']
    assert not any('can be loaded' in sentence for sentence in result['verdict'])
    _, result = identified(*both, '--load', f'tool={LOAD}@carrying.csv', '--force')
    assert 'recordings_differ' not in {one['code'] for one in result['findings']}


@pytest.fixture(scope='module')
def planted(files):
    """A recording with friction of joint 3 that has a direction."""
    table = rows().copy()
    v = table[:, 6]
    table[:, 9] += np.where(v < 0.0, EXTRA * v / np.hypot(v, 0.01), 0.0)
    write(files / 'planted.csv', list(JOINTS), table)
    return 'planted.csv'


def test_friction_of_directions_and_arguments_of_xacro(identified, planted, files):
    """One run: the planted value is found, and files have it."""
    ended, result = identified(
        planted, f'mass:={ASSUMED}', '--urdf', 'arm.urdf.xacro', '--output', 'directions',
        '--friction', 'asymmetric', '--force',
    )  # fmt: skip
    assert ended.returncode in (0, 1), ended.stderr
    found = parameters(result)
    difference = found['joint3 coulomb_negative']['value'] - found['joint3 coulomb']['value']
    assert difference == pytest.approx(EXTRA, abs=0.06)
    assert 'joint1 offset' not in found
    # The argument is in the URDF that is compared.
    assert parameters(result, 'body_parameters')['link3 m']['nominal'] == ASSUMED
    assert 'xacro:arg' in (files / 'arm.urdf.xacro').read_text()
    names = {file.name for file in (files / 'directions').iterdir()}
    assert {'identified.urdf', 'identified.patch', 'inertials.yaml'} <= names


def test_a_smoothing_that_is_given_is_used_and_not_searched(identified):
    _, result = identified(
        'good.csv', '--urdf', 'arm.urdf', '--output', 'given', '--friction', '0.08', '--force'
    )
    found = parameters(result)
    assert [found[f'{joint} smoothing']['value'] for joint in JOINTS] == [0.08] * len(JOINTS)


FINGER = """<link name="finger"><inertial><mass value="0.02"/>
<inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="grip" type="prismatic"><parent link="tool"/><child link="finger"/><axis xyz="0 1 0"/>
<limit lower="0" upper="0.04" effort="20" velocity="0.1"/></joint></robot>"""


def test_a_joint_that_was_not_recorded_is_named_in_the_verdict(identified, files):
    """And its body is that of the description; where all were recorded, nothing is said."""
    described = DESCRIBED.read_text().replace('</robot>', FINGER)
    (files / 'finger.urdf').write_text(described)
    ended, result = identified('good.csv', '--urdf', 'finger.urdf', '--output', 'finger')
    assert result['verdict'][1].startswith('Not identified: grip')
    assert result['verdict'][1] in ended.stdout
    written = parse_urdf((files / 'finger/identified.urdf').read_text())
    bodies = [parse_urdf(described).joints[-1], written.joints[-1]]
    assert [body.name for body in bodies] == ['grip', 'grip']
    assert bodies[0].inertia == bodies[1].inertia
    _, result = identified('good.csv', '--urdf', 'arm.urdf', '--output', 'all')
    assert not any('Not identified' in sentence for sentence in result['verdict'])
