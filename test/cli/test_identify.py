"""`robot_dynamics identify`: what it writes and refuses, and what its options do."""

import json
import shutil

import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import ARM, DESCRIBED, JOINTS, recording, rows
from running_command import ended

from robot_dynamics_ros.core import parse_urdf

pytestmark = pytest.mark.contract

FILES = {'identified.urdf', 'dynamics_node.yaml', 'friction.yaml', 'identification.json'}
QUICK = ('--friction', '0.01', '--effort-delay', '0')
FINGER = """<link name="finger"><inertial><mass value="0.02"/>
<inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="grip" type="prismatic"><parent link="tool"/><child link="finger"/><axis xyz="0 1 0"/>
<limit lower="0" upper="0.04" effort="20" velocity="0.1"/></joint></robot>"""


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('identify')
    urdf = DESCRIBED.read_text()
    (folder / 'arm.urdf').write_text(urdf)
    (folder / 'finger.urdf').write_text(urdf.replace('</robot>', FINGER))
    recording(folder / 'good.csv')
    shutil.copy(folder / 'good.csv', folder / 'other.csv')
    return folder


@pytest.fixture(scope='module')
def identified(files):
    """Runs identify, and gives what has ended and its JSON."""

    def identified(*arguments, urdf='arm.urdf', target='out'):
        (files / 'result.json').unlink(missing_ok=True)
        found = ended(
            files, 'identify', *arguments, '--urdf', urdf, '--output', target,
            '--json', 'result.json',
        )  # fmt: skip
        file = files / 'result.json'
        return found, json.loads(file.read_text()) if file.exists() else None

    return identified


def test_a_good_recording_is_written_and_explained(identified, files):
    found, result = identified('good.csv', *QUICK, target='good')
    assert found.returncode == 0, found.stderr
    written = {file.name for file in (files / 'good').iterdir()}
    assert {'report.html'} | FILES <= written
    assert (result['doubts'], result['findings'], result['effort_delay']) == ([], [], 0.0)
    assert result['rank'] == result['structural_rank'] == 16
    assert result['locked'] == []
    for joint in result['validation'].values():
        assert joint['rms_identified'] < 0.2 * joint['rms_nominal']
    for name in FILES:
        assert f'written: good/{name}\n' in found.stdout
        assert '--doubtful' not in (files / 'good' / name).read_text()
    saved = json.loads((files / 'good/identification.json').read_text())
    assert saved == result


def test_a_model_that_is_worse_is_doubtful_and_its_files_say_so(identified, files):
    """The description is that of the arm; what is fitted was pushed, what is held out was not."""
    recording(files / 'pushed.csv', lambda times, efforts: 1.25 * efforts)
    given = ('pushed.csv', '--held-out', 'good.csv', *QUICK)
    found, result = identified(*given, urdf=str(ARM), target='worse')
    assert (found.returncode, (files / 'worse').exists()) == (1, False)
    found, result = identified(*given, '--doubtful', urdf=str(ARM), target='worse')
    assert found.returncode == 1
    assert any(joint['standing'] == 'worse' for joint in result['validation'].values())
    saved = json.loads((files / 'worse/identification.json').read_text())
    assert saved['doubts'] == result['doubts'] != []
    for name in ('friction.yaml', 'dynamics_node.yaml'):
        head = ' '.join((files / 'worse' / name).read_text().replace('#', ' ').split())
        assert head.startswith('Written with --doubtful')


def test_all_that_is_given_is_used(identified, files):
    """A recording that cannot be used does not stop the others."""
    (files / 'empty.csv').write_text('')
    found, result = identified(
        'good.csv', 'empty.csv', '--held-out', 'other.csv', '--effort-delay', '0.001',
        '--friction', '0.08', '--cutoff', '8', '--effort', 'current', '--gain', 'joint1=1',
        '--load', 'tool=0.5@good.csv', '--doubtful', target='given',
    )  # fmt: skip
    assert found.returncode == 2
    used = [one for one in result['recordings'] if not one['error']]
    assert [(one['file'], one['held_out']) for one in used] == [
        ('good.csv', False), ('other.csv', True),
    ]  # fmt: skip
    assert [result['effort_delay'], *(one['cutoff'] for one in used)] == [0.001, 8.0, 8.0]
    values = {row['name']: row['value'] for row in result['joint_parameters']}
    assert [values[f'{joint} smoothing'] for joint in JOINTS] == [0.08] * len(JOINTS)
    assert {f'{joint} gain' for joint in JOINTS} <= values.keys()
    assert (files / 'given/identified.urdf').exists()


def test_joints_that_the_description_or_the_recording_lacks_are_named(identified, files):
    """A finger that the URDF lacks is a remark; one that was not recorded keeps its body."""
    columns = [0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9]
    write(files / 'finger.csv', [*JOINTS, 'finger'], rows()[:, columns])
    found, result = identified('finger.csv', *QUICK, urdf='finger.urdf', target='grip')
    (remark,) = result['remarks']
    assert 'finger' in remark
    assert remark in found.stdout
    assert (found.returncode, result['findings'], result['locked']) == (0, [], ['grip'])
    texts = [(files / name).read_text() for name in ('finger.urdf', 'grip/identified.urdf')]
    bodies = [parse_urdf(text).joints[-1] for text in texts]
    assert [body.name for body in bodies] == ['grip', 'grip']
    assert bodies[0].inertia == bodies[1].inertia


@pytest.mark.parametrize(
    ('options', 'said'),
    [
        ('--gain joint1=3', '--effort current'),
        ('--effort current --gain joint1=3 --gain joint1=4', 'joint1=4'),
        ('--load tool=1.0', 'FRAME=KG@BAG'),
        ('--load tool=1@good.csv --load tool=2@good.csv', 'tool=2@good.csv'),
        ('--held-out arm.urdf', 'arm.urdf'),
        ('--friction none', "'none'"),
    ],
)
def test_what_cannot_be_meant_is_refused(identified, files, options, said):
    found, result = identified('good.csv', *options.split(), target='refused')
    assert (found.returncode, result) == (2, None)
    assert said in found.stderr
    assert not (files / 'refused').exists()
