"""`robot_dynamics identify`: what it writes, what it refuses, and what it says of bad data."""

import json
import re
import shutil

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import ARM, DESCRIBED, JOINTS, jitter_rows, recording, rows
from said_findings import codes, said

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

FILES = {'identified.urdf', 'dynamics_node.yaml', 'friction.yaml', 'identification.json'}


def test_a_good_recording_is_written_and_explained(identified, files):
    ended, result = identified('good.csv')
    written = {file.name for file in (files / 'out').iterdir()}
    assert {'report.html', 'report.png'} | FILES <= written
    assert result['objections'] == []
    assert 1.0 <= result['prior_weight'] <= 100.0
    assert result['effort_delay'] == 0.0
    for numbers in result['equations'].values():
        assert numbers['used'] > numbers['slow'] > 0
        assert sum(numbers.values()) > 100
    wrong = {'unexplained', 'contact', 'delay', 'saturated', 'repeated_motion'}
    assert not wrong & set(codes(result))
    assert result['rank'] == result['structural_rank'] == 25
    for joint in result['held_out'].values():
        assert joint['rms_identified'] < 0.2 * joint['rms_nominal']
    assert 'can be loaded.\n' in ended.stdout
    for name in FILES:
        assert f'written: out/{name}\n' in ended.stdout
    saved = json.loads((files / 'out/identification.json').read_text())
    assert {key: value for key, value in saved.items() if key != 'model'} == result
    assert not any('--force' in (files / 'out' / name).read_text() for name in FILES)


def test_friction_is_that_of_the_arm(identified, files):
    _, result = identified('good.csv', '--force')
    found = {row['name']: row for row in result['joint_parameters']}
    for joint, viscous, coulomb in zip(JOINTS, (0.5, 0.7, 0.2), (0.6, 0.9, 0.3), strict=True):
        # MuJoCo reaches its Coulomb friction at a speed above zero.
        assert found[f'{joint} viscous']['value'] == pytest.approx(viscous, rel=0.06)
        assert found[f'{joint} coulomb']['value'] == pytest.approx(coulomb, rel=0.06)
        width = found[f'{joint} coulomb']['high'] - found[f'{joint} coulomb']['low']
        assert 0.0 < width < 0.05 * coulomb


def test_a_model_that_is_worse_is_not_written_without_force(identified, files):
    """The description is that of the arm; what is fitted is a third that was pushed."""

    def pushed(times, efforts):
        scale = np.where(times < times[-1] * 2.0 / 3.0 + 0.4, 1.25, 1.0)
        return efforts * scale[:, None]

    recording(files / 'pushed.csv', pushed)
    ended, result = identified('pushed.csv', urdf=str(ARM), target='worse')
    assert ended.returncode == 1
    assert not (files / 'worse').exists()
    assert any('worse than' in text for text in result['objections'])
    assert '--force' in ended.stderr
    ended, _ = identified('pushed.csv', '--force', urdf=str(ARM), target='worse')
    assert ended.returncode == 1
    saved = json.loads((files / 'worse/identification.json').read_text())
    assert any('worse than' in text for text in saved['objections'])
    for name in ('friction.yaml', 'dynamics_node.yaml'):
        head = ' '.join((files / 'worse' / name).read_text().replace('#', ' ').split())
        assert head.startswith('Written with --force')
        assert 'worse than' in head
    assert 'Objection: ' in (files / 'worse/report.html').read_text()


def test_a_recording_may_be_held_out(identified, files):
    shutil.copy(files / 'good.csv', files / 'other.csv')
    _, result = identified('good.csv', '--held-out', 'other.csv', target='held_out')
    fitted, held_out = result['recordings']
    assert (fitted['held_out'], held_out['file']) == (0, 'other.csv')
    assert held_out['held_out'] > 100
    # It is the same motion, which judges little.
    assert 'repeated_motion' in codes(result)


def bad(name):
    """Efforts (N, 3) of bad data."""
    changes = {
        'factor': lambda times, efforts: efforts / np.array([9.0, 8.0, 7.0]),
        'sign': lambda times, efforts: -efforts,
        'unexplained': lambda times, efforts: efforts[::-1] * np.array([1.0, -1.0, 1.0]),
        'saturated': lambda times, efforts: np.clip(efforts, -7.0, 7.0),
        'contact': lambda times, efforts: (
            efforts + ((times > 2.0) & (times < 2.6))[:, None] * np.array([2.0, 4.0, 2.5])
        ),
        'delay': lambda times, efforts: np.stack(
            [np.interp(times - 4e-3 * times, times, one) for one in efforts.T], axis=1
        ),
    }
    return changes[name]


CODES = ['factor', 'sign', 'unexplained', 'saturated', 'contact', 'delay']


@pytest.mark.parametrize('code', CODES)
def test_bad_data_are_said(identified, files, code):
    recording(files / f'{code}.csv', bad(code))
    ended, result = identified(f'{code}.csv', target=code)
    assert code in codes(result), codes(result)
    assert ended.returncode == 1
    assert f'\n{code}: ' in ended.stdout
    if code in ('factor', 'sign', 'unexplained'):
        assert result['objections']
        assert not (files / code).exists()


def test_gravity_of_the_description_that_the_driver_takes_out_is_said(identified, files):
    """What the description does not know of the arm stays in the efforts."""
    table = rows().copy()
    described = RobotDynamics(parse_urdf(DESCRIBED.read_text()))
    table[:, 7:] -= [described.gravity_torque(q) for q in table[:, 1:4]]
    write(files / 'compensated.csv', list(JOINTS), table)
    ended, result = identified('compensated.csv', target='compensated')
    assert ended.returncode == 1
    assert 'gravity_compensated' in codes(result)
    assert not (files / 'compensated').exists()


def test_what_nothing_has_judged_is_not_written(identified, files):
    """No effort in the held-out part: no figure says how good the model is."""

    def unmeasured(times, efforts):
        return np.where(times[:, None] > 5.5, np.nan, efforts)

    recording(files / 'unjudged.csv', unmeasured)
    ended, result = identified('unjudged.csv', target='unjudged')
    assert ended.returncode == 1
    assert any(text.startswith('not judged') for text in result['objections'])
    assert not (files / 'unjudged').exists()


def test_a_motion_that_is_too_short_to_judge_is_not_written(identified, files):
    """0.7 s give some equations to fit, and too few samples to say that a joint moves."""
    write(files / 'short.csv', list(JOINTS), rows()[:350])
    ended, result = identified('short.csv', target='short')
    assert ended.returncode == 1
    (objection,) = result['objections']
    assert re.match('not judged.*joint1, joint2, joint3.* 20 samples', objection)
    assert 'still' not in codes(result)
    assert any(
        one['code'] == 'short' and 'too short' in one['message']
        and 'short.csv' in one['message']
        for one in result['findings']
    )  # fmt: skip
    assert not (files / 'short').exists()


def test_a_joint_that_is_held_with_jitter_keeps_the_values_of_the_description(identified, files):
    write(files / 'jitter.csv', list(JOINTS), jitter_rows())
    _, result = identified('jitter.csv', '--force', target='jitter')
    assert said(result, 'still').startswith('joint2 stands still')
    assert result['equations']['joint2']['used'] == 0
    assert result['held_out']['joint2']['samples'] == 0
    assert not result['held_out']['joint2']['moves']
    found = {row['name']: row for row in result['joint_parameters']}
    for term in ('viscous', 'coulomb', 'offset', 'armature'):
        assert found[f'joint2 {term}']['value'] == found[f'joint2 {term}']['nominal']
    assert "'joint2':  # not identified" in (files / 'jitter/friction.yaml').read_text()


def test_a_joint_that_rests_in_the_recording_held_out_is_not_judged(identified, files):
    write(files / 'two.csv', list(JOINTS), rows(still=('joint2',)))
    ended, result = identified('good.csv', '--held-out', 'two.csv', target='rests')
    assert ended.returncode == 1
    assert re.match('joint2 .* 20 samples', said(result, 'still'))
    (objection,) = result['objections']
    assert objection.startswith('not judged at joint2: ')
    assert not (files / 'rests').exists()


def test_a_recording_of_which_nothing_is_fitted_is_named(identified, files):
    write(files / 'moment.csv', list(JOINTS), rows()[:400])
    _, result = identified('good.csv', 'moment.csv', '--cutoff', '5', target='moment')
    assert 'moment.csv: no motion' in said(result, 'short')


@pytest.mark.parametrize('push', [(2.0, 4.0, 2.5), (10.0, 20.0, 12.5)])
def test_a_contact_of_a_fifth_of_the_fitted_part_is_left_out(identified, files, push):
    """1.2 of 6 s: an estimate that follows it is several times worse on the held-out part."""

    def touched(times, efforts):
        return efforts + ((times > 2.0) & (times < 3.2))[:, None] * np.array(push)

    recording(files / 'touched.csv', touched)
    _, result = identified('touched.csv', '--force', target='touched')
    assert codes(result)[0] == 'contact'
    assert 'unexplained' not in codes(result)
    begin, end = map(float, re.search(r'csv (\S+) s to (\S+) s', said(result, 'contact')).groups())
    assert begin == pytest.approx(2.0, abs=0.4)
    assert end == pytest.approx(3.2, abs=0.4)
    assert result['rank'] == result['structural_rank']
    for joint in result['held_out'].values():
        assert joint['rms_identified'] < 0.1 * joint['rms_nominal']


def test_rest_after_the_motion_is_no_motion_to_judge(identified, files):
    """Two thirds of the motion are fitted; at rest, stiction holds the arm."""
    recording(files / 'rest.csv', rest=6.0)
    ended, result = identified('rest.csv', target='rest')
    assert not {'unexplained', 'contact', 'still'} & set(codes(result))
    assert result['recordings'][0]['split'] == pytest.approx(2.0 / 3.0 * 9.5, abs=0.3)
    assert result['objections'] == [], ended.stderr
    for joint in result['held_out'].values():
        assert joint['rms_identified'] < 0.2 * joint['rms_nominal']
    assert 'can be loaded.\n' in ended.stdout


def test_joints_that_the_description_has_not_are_named(identified, files):
    """A finger is a remark, not a finding; a joint of nearly the same name gets a renaming."""
    table = rows()
    more = np.column_stack([table, table[:, 3], table[:, 6], table[:, 9]])
    columns = [0, 1, 2, 3, 10, 4, 5, 6, 11, 7, 8, 9, 12]
    write(files / 'finger.csv', [*JOINTS, 'finger'], more[:, columns])
    ended, result = identified('finger.csv', target='finger')
    (remark,) = result['remarks']
    assert 'finger' in remark
    assert remark in ended.stdout
    assert (ended.returncode, result['findings']) == (0, [])
    write(files / 'other.csv', ['joint1', 'joint2', 'arm_joint3'], table)
    _, result = identified('other.csv', target='named')
    assert '--rename arm_=' in said(result, 'missing')
    assert result['remarks'] == []


def test_one_joint_that_moves(identified, files):
    recording(files / 'one.csv', still=('joint1', 'joint3'))
    _, result = identified('one.csv', target='one')
    still = next(one for one in result['findings'] if one['code'] == 'still')
    assert still['joints'] == ['joint1', 'joint3']
    assert 'joint2' in still['message']
    assert 'excitation' in codes(result)


@pytest.mark.parametrize(
    ('change', 'still', 'words'),
    [
        (None, JOINTS, 'no joint moves'),
        (lambda times, efforts: 0.0 * efforts, (), 'no joint that'),
    ],
    ids=['no motion', 'no effort'],
)
def test_what_shows_nothing_is_refused(identified, files, change, still, words):
    recording(files / 'nothing.csv', change, still=still)
    ended, result = identified('nothing.csv', target='nothing')
    assert ended.returncode == 2
    assert words in ended.stderr
    assert result is None
    assert not (files / 'nothing').exists()


@pytest.mark.parametrize(
    ('options', 'words'),
    [
        (['--effort', 'current'], 'masses and gains'),
        (['--gain', 'joint1=3'], '--effort current'),
        (['--effort', 'current', '--gain', 'joint1=0'], 'number other than 0'),
        (['--effort', 'current', '--gain', 'wrist=3'], 'wrist'),
        (['--effort', 'current', '--gain', 'joint1=3', '--gain', 'joint1=4'], 'joint1 is named'),
        (['--load', 'tool=1.0'], 'FRAME=KG@BAG'),
        (['--load', 'tool=1@good.csv', '--load', 'tool=2@good.csv'], 'tool@good.csv is named'),
        (['--held-out', 'good.csv'], 'is fitted too'),
        (['--held-out', 'arm.urdf'], 'arm.urdf'),
        (['--effort-delay', 'soon'], 'auto'),
        (['--effort-delay', '1'], '-0.2 to 0.2'),
        (['--friction', '0'], 'above 0'),
        (['--friction', 'none'], 'asymmetric'),
    ],
)
def test_what_cannot_be_meant_is_refused(identified, options, words):
    ended, result = identified('good.csv', *options)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert result is None
