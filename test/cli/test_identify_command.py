"""`robot_dynamics identify`: what it writes, what it refuses, and what it says of bad data."""

import json
import re
import shutil

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('cvxpy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import ARM, DESCRIBED, JOINTS, RATE, recording, rows
from running_command import run

from robot_dynamics_ros.cli.identify.effort_options import effort_delay, friction_smoothing
from robot_dynamics_ros.core.errors import ParameterError

__all__ = ['run']

FILES = {'identified.urdf', 'dynamics_node.yaml', 'friction.yaml', 'identification.json'}


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('identify')
    shutil.copy(DESCRIBED, folder / 'arm.urdf')
    recording(folder / 'good.csv')
    return folder


@pytest.fixture
def identified(run, files):
    """Runs identify, and gives what it printed and its JSON."""

    def identify(*arguments, urdf='arm.urdf', target='out'):
        ended = run(
            'identify', *map(str, arguments), '--urdf', urdf, '--output', target,
            '--json', 'result.json',
        )  # fmt: skip
        file = files / 'result.json'
        result = json.loads(file.read_text()) if file.exists() else None
        file.unlink(missing_ok=True)
        return ended, result

    return identify


def codes(result):
    return [finding['code'] for finding in result['findings']]


def test_a_good_recording_is_written_and_explained(identified, files):
    ended, result = identified('good.csv')
    written = {file.name for file in (files / 'out').iterdir()}
    assert {'report.html', 'report.png'} | FILES <= written
    assert result['objections'] == []
    assert (result['prior_weight'], result['effort_delay']) == (1.0, 0.0)
    for numbers in result['equations'].values():
        assert numbers['used'] > numbers['slow'] > 0
        assert sum(numbers.values()) > 100
    wrong = {'wrong_robot', 'contact', 'clock_drift', 'saturated', 'repeated_motion'}
    assert not wrong & set(codes(result))
    assert result['rank'] == result['structural_rank'] == 25
    for joint in result['held_out'].values():
        assert joint['rms_identified'] < 0.2 * joint['rms_nominal']
    assert 'It can be loaded.\n' in ended.stdout
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
    assert any('worse than the description' in text for text in result['objections'])
    assert '--force' in ended.stderr
    ended, _ = identified('pushed.csv', '--force', urdf=str(ARM), target='worse')
    assert ended.returncode == 1
    saved = json.loads((files / 'worse/identification.json').read_text())
    assert any('worse than the description' in text for text in saved['objections'])
    for name in ('friction.yaml', 'dynamics_node.yaml'):
        head = ' '.join((files / 'worse' / name).read_text().replace('#', ' ').split())
        assert head.startswith('Written with --force')
        assert 'worse than the description' in head
    assert 'Objection: ' in (files / 'worse/report.html').read_text()


def test_a_recording_may_be_held_out(identified, files):
    shutil.copy(files / 'good.csv', files / 'other.csv')
    _, result = identified('good.csv', '--held-out', 'other.csv', '--jobs', '1', target='held_out')
    fitted, held_out = result['recordings']
    assert (fitted['held_out'], held_out['file']) == (0, 'other.csv')
    assert held_out['held_out'] > 100
    # It is the same motion, which judges little.
    assert 'repeated_motion' in codes(result)


def bad(name):
    """Efforts (N, 3) of bad data."""
    changes = {
        'current': lambda times, efforts: efforts / np.array([9.0, 8.0, 7.0]),
        'sign': lambda times, efforts: -efforts,
        'wrong_robot': lambda times, efforts: efforts[::-1] * np.array([1.0, -1.0, 1.0]),
        'saturated': lambda times, efforts: np.clip(efforts, -7.0, 7.0),
        'contact': lambda times, efforts: (
            efforts + ((times > 2.0) & (times < 2.6))[:, None] * np.array([2.0, 4.0, 2.5])
        ),
        'clock_drift': lambda times, efforts: np.stack(
            [np.interp(times - 4e-3 * times, times, one) for one in efforts.T], axis=1
        ),
    }
    return changes[name]


CODES = ['current', 'sign', 'wrong_robot', 'saturated', 'contact', 'clock_drift']


@pytest.mark.parametrize('code', CODES)
def test_bad_data_are_said(identified, files, code):
    recording(files / f'{code}.csv', bad(code))
    ended, result = identified(f'{code}.csv', target=code)
    assert code in codes(result), codes(result)
    assert ended.returncode == 1
    assert f'\n{code}: ' in ended.stdout
    if code in ('current', 'sign', 'wrong_robot'):
        assert result['objections']
        assert not (files / code).exists()


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
    assert objection.startswith('not judged at joint1, joint2, joint3: at least 20 samples')
    assert 'still' not in codes(result)
    assert not (files / 'short').exists()


def test_a_joint_that_rests_in_the_recording_held_out_is_not_judged(identified, files):
    write(files / 'two.csv', list(JOINTS), rows(still=('joint2',)))
    ended, result = identified('good.csv', '--held-out', 'two.csv', '--jobs', '1', target='rests')
    assert ended.returncode == 1
    assert said(result, 'held_out_rest').startswith('joint2 moves in fewer than 20 samples')
    (objection,) = result['objections']
    assert objection.startswith('not judged at joint2: ')
    assert not (files / 'rests').exists()


def test_a_recording_of_which_nothing_is_fitted_is_named(identified, files):
    write(files / 'moment.csv', list(JOINTS), rows()[:400])
    _, result = identified('good.csv', 'moment.csv', '--cutoff', '5', target='moment')
    assert 'moment.csv: no motion was long enough' in said(result, 'short')


@pytest.mark.parametrize('push', [(2.0, 4.0, 2.5), (10.0, 20.0, 12.5)])
def test_a_contact_of_a_fifth_of_the_fitted_part_is_left_out(identified, files, push):
    """1.2 of 6 s: an estimate that follows it is several times worse on the held-out part."""

    def touched(times, efforts):
        return efforts + ((times > 2.0) & (times < 3.2))[:, None] * np.array(push)

    recording(files / 'touched.csv', touched)
    _, result = identified('touched.csv', '--force', target='touched')
    assert codes(result)[0] == 'contact'
    assert 'wrong_robot' not in codes(result)
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
    assert not {'wrong_robot', 'contact', 'held_out_rest'} & set(codes(result))
    assert result['recordings'][0]['split'] == pytest.approx(2.0 / 3.0 * 9.5, abs=0.3)
    assert result['objections'] == [], ended.stderr
    for joint in result['held_out'].values():
        assert joint['rms_identified'] < 0.2 * joint['rms_nominal']
    assert 'It can be loaded.\n' in ended.stdout


def test_joints_that_the_description_has_not_are_named(identified, files):
    """A finger is a remark, not a finding; a joint of nearly the same name gets a renaming."""
    table = rows()
    more = np.column_stack([table, table[:, 3], table[:, 6], table[:, 9]])
    columns = [0, 1, 2, 3, 10, 4, 5, 6, 11, 7, 8, 9, 12]
    write(files / 'finger.csv', [*JOINTS, 'finger'], more[:, columns])
    ended, result = identified('finger.csv', target='finger')
    (remark,) = result['remarks']
    assert remark.endswith('no moving joint of that name: finger.')
    assert remark in ended.stdout
    assert (ended.returncode, result['findings']) == (0, [])
    write(files / 'other.csv', ['joint1', 'joint2', 'arm_joint3'], table)
    _, result = identified('other.csv', target='named')
    assert '--rename arm_=' in said(result, 'missing')
    assert result['remarks'] == []


LATE = 0.02  # [s]


def late(times, efforts):
    return np.stack([np.interp(times - LATE, times, one) for one in efforts.T], axis=1)


def test_late_efforts_are_shifted_before_the_fit(identified, files):
    """Friction is that of the arm, not that of the delay, which is 5 to 12 % more."""
    recording(files / 'late.csv', late)
    ended, result = identified('late.csv', '--force', target='late')
    assert result['effort_delay'] == pytest.approx(LATE, abs=2e-3)
    assert 'shifted' in codes(result)
    assert 'delay' not in codes(result)
    assert 'It can be loaded.\n' in ended.stdout
    assert 'later than the states' in result['verdict'][-1]
    found = {row['name']: row['value'] for row in result['joint_parameters']}
    for joint, viscous in zip(JOINTS, (0.5, 0.7, 0.2), strict=True):
        assert found[f'{joint} viscous'] == pytest.approx(viscous, rel=0.03)


def test_a_delay_that_is_given_is_not_searched(identified, files):
    recording(files / 'left.csv', late)
    _, result = identified('left.csv', '--force', '--effort-delay', '0', target='left')
    assert result['effort_delay'] == 0.0
    assert 'delay' in codes(result)
    assert 'shifted' not in codes(result)
    assert effort_delay('0.02') == 0.02
    assert effort_delay('auto') is None
    for text in ('soon', '1', 'nan'):
        with pytest.raises(ParameterError, match=f'--effort-delay {text}: auto is needed'):
            effort_delay(text)


def test_a_smoothing_is_a_speed_or_is_to_be_found():
    assert friction_smoothing('0.05') == 0.05
    assert friction_smoothing('auto') is None
    for text in ('soon', '0', '-0.1', 'nan', 'inf'):
        with pytest.raises(ParameterError, match=f'--friction-smoothing {text}: auto is needed'):
            friction_smoothing(text)


def test_a_smoothing_that_is_given_is_used_and_not_searched(identified):
    _, result = identified('good.csv', '--friction-smoothing', '0.08', target='given')
    found = {row['name']: row['value'] for row in result['joint_parameters']}
    assert [found[f'{joint} smoothing'] for joint in JOINTS] == [0.08] * len(JOINTS)
    assert 'smoothing v_0' in ' '.join(result['verdict'])


def test_recordings_with_different_delays_are_not_shifted(identified, files):
    """No shift is right for both: the delay is said, and nothing is done about it."""
    recording(files / 'late.csv', late)
    _, result = identified('good.csv', 'late.csv', '--force', target='different')
    assert result['effort_delay'] == 0.0
    assert 'delay' in codes(result)
    assert 'shifted' not in codes(result)


def test_a_delay_of_less_than_a_sample_is_not_shifted(identified, files):
    table = rows().copy()
    table[:, 7:] = np.stack(
        [np.interp(table[:, 0] - 6e-3, table[:, 0], one) for one in table[:, 7:].T], axis=1
    )
    write(files / 'slowly.csv', list(JOINTS), table[::5])
    _, result = identified('slowly.csv', '--force', target='slowly')
    assert result['effort_delay'] == 0.0
    assert 'shifted' not in codes(result)


@pytest.mark.parametrize('time', [0.04, 0.1])
@pytest.mark.parametrize('urdf', ['arm.urdf', str(ARM)])
def test_friction_that_lags_behind_reversals_is_no_delay(identified, files, urdf, time):
    """All else comes at once, and so does friction away from reversals."""
    lag = np.exp(-1.0 / (RATE * time))

    def lagging(times, efforts):
        friction = np.sign(rows()[:, 4:7])
        for index in range(1, len(friction)):
            friction[index] += lag * (friction[index - 1] - friction[index])
        return efforts + 3.0 * friction

    recording(files / 'lagging.csv', lagging)
    _, result = identified('lagging.csv', '--force', urdf=urdf, target='lagging')
    assert result['effort_delay'] == 0.0
    assert not {'delay', 'shifted', 'clock_drift'} & set(codes(result))


def test_efforts_that_no_robot_explains_are_not_called_late(identified, files):
    """Friction that falls with the speed, by more than the torques of the arm."""
    speeds = rows()[:, 4:7]
    stiction = 6.0 * np.sign(speeds) * np.exp(-((speeds / 0.5) ** 2))
    recording(files / 'falling.csv', lambda times, efforts: efforts + stiction)
    _, result = identified('falling.csv', target='falling')
    assert 'wrong_robot' in codes(result)
    assert not {'delay', 'shifted', 'clock_drift'} & set(codes(result))


def said(result, code):
    """The message of the first finding of a code."""
    return next(one['message'] for one in result['findings'] if one['code'] == code)


GAINS = {'joint1': 9.0, 'joint2': 8.0, 'joint3': 7.0}


def test_currents_with_known_gains_are_torques(identified, files):
    recording(files / 'amperes.csv', bad('current'))
    gains = [word for joint, gain in GAINS.items() for word in ('--gain', f'{joint}={gain}')]
    _, result = identified('amperes.csv', '--effort', 'current', *gains, target='amperes')
    _, torques = identified('good.csv', '--force')
    for joint, one in result['held_out'].items():
        other = torques['held_out'][joint]
        assert one['rms_measured'] == pytest.approx(other['rms_measured'], rel=1e-6)
        assert one['rms_identified'] == pytest.approx(other['rms_identified'], rel=0.2)
    assert not {'current', 'unknown_gain'} & set(codes(result))


def test_a_gain_that_the_data_do_not_fix_is_not_guessed(identified, files):
    recording(files / 'amperes.csv', bad('current'))
    options = ['--effort', 'current', '--gain', 'joint1=9']
    ended, result = identified('amperes.csv', *options, target='guessed')
    assert 'unknown_gain' in codes(result)
    assert not {'contact', 'poor_excitation'} & set(codes(result))
    (unknown,) = (one['joints'] for one in result['findings'] if one['code'] == 'unknown_gain')
    listed = {f'{joint} gain' for joint in unknown}
    rows = {row['name']: row for row in result['joint_parameters'] if row['name'] in listed}
    assert rows.keys() == listed
    assert all(row['low'] is None and row['high'] is None for row in rows.values())
    assert any('unknown_gain' in text for text in result['objections'])
    assert ended.returncode == 1
    assert not (files / 'guessed').exists()


def test_an_effort_that_is_not_measured_pulls_no_body(identified, files):
    """Noise about zero at the last joint would say that what it carries has no mass."""
    noise = np.random.default_rng(0).normal(0.0, 1e-3, len(rows()))
    recording(
        files / 'silent.csv', lambda times, efforts: np.column_stack([efforts[:, :2], noise])
    )
    ended, result = identified('silent.csv', '--force', target='silent')
    assert 'zero_effort' in codes(result)
    assert not {'wrong_robot', 'still', 'slow', 'unknown_gain'} & set(codes(result))
    assert (files / 'silent/identified.urdf').is_file(), ended.stderr
    held_out = result['held_out']
    assert held_out['joint3']['rms_identified'] is None
    assert held_out['joint3']['is_noise'] is None
    for joint in ('joint1', 'joint2'):
        assert held_out[joint]['rms_identified'] < 0.2 * held_out[joint]['rms_nominal']
    ended, _ = identified('silent.csv', '--form', 'power', target='silent')
    assert ended.returncode == 2
    assert '--form power: the effort of joint3 is not measured' in ended.stderr


def test_one_joint_that_moves(identified, files):
    recording(files / 'one.csv', still=('joint1', 'joint3'))
    _, result = identified('one.csv', target='one')
    still = next(one for one in result['findings'] if one['code'] == 'still')
    assert still['joints'] == ['joint1', 'joint3']
    assert still['message'].startswith('Only one joint moves, joint2.')
    assert 'poor_excitation' in codes(result)


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
        (['--effort', 'current'], 'the scale of masses and gains cannot be known'),
        (['--gain', 'joint1=3'], '--effort current'),
        (['--effort', 'current', '--gain', 'joint1=0'], "'0' is not a number other than 0"),
        (['--effort', 'current', '--gain', 'wrist=3'], 'wrist'),
        (['--effort', 'current', '--gain', 'joint1=3', '--gain', 'joint1=4'], 'joint1 is named'),
        (['--load', 'tool=1.0'], 'FRAME=KG@BAG'),
        (['--load', 'tool=1@good.csv', '--load', 'tool=2@good.csv'], 'tool@good.csv is named'),
        (['--held-out', 'good.csv'], 'is fitted too'),
        (['--without', 'good.csv'], '--payload'),
        (['--payload', 'tool', '--springs'], 'nothing else: leave out --output, --springs'),
        (['--payload', 'tool', '--effort', 'torque', '--jobs', '2'], '--effort, --jobs'),
        (['--report', 'report.docx'], '.html, .pdf, .png'),
    ],
)
def test_what_cannot_be_meant_is_refused(identified, options, words):
    ended, result = identified('good.csv', *options)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert result is None
