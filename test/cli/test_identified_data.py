"""What an identification says of planted defects: through Python, as the command does it."""

import re

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import DESCRIBED, JOINTS, jitter_rows, loaded_rows, recording, rows
from property_settings import ALL
from said_findings import codes, said

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

URDF = DESCRIBED.read_text()
MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL)
GAINS = np.array([9.0, 8.0, 7.0])  # [N m/A]
LOAD = 1.2  # [kg]
LATE = 0.02  # [s]
EXTRA = 0.4  # [N m] of Coulomb friction at negative velocity, of joint 3


@pytest.fixture
def identified(tmp_path):
    """The JSON of an identification of tables of states, or of changed efforts, by name."""

    def identified(**tables):
        settings = {key: tables.pop(key) for key in [*tables] if key in Identifier.__annotations__}
        read = {}
        for name, table in tables.items():
            file = tmp_path / f'{name}.csv'
            if isinstance(table, np.ndarray):
                write(file, list(JOINTS), table)
            else:
                recording(file, table)
            read[name] = Recording.read(file, MODEL)
        return Identifier(URDF, **settings).fit(read).as_json()

    return identified


def late(times, efforts, delay=LATE):
    return np.stack([np.interp(times - delay, times, one) for one in efforts.T], axis=1)


def parameters(result):
    return {row['name']: row['value'] for row in result['joint_parameters']}


def pushed(times, efforts, end=2.6):
    return efforts + ((times > 2.0) & (times < end))[:, None] * np.array([2.0, 4.0, 2.5])


BAD = [
    ('scale', True, lambda times, efforts: efforts / GAINS),
    ('sign', True, lambda times, efforts: -efforts),
    ('delay', False, lambda times, efforts: late(times, efforts, 4e-3 * times)),
    ('unexplained', True, lambda times, efforts: efforts[::-1] * np.array([1.0, -1.0, 1.0])),
    ('contact', False, pushed),
    # What the description does not know of the arm stays in the efforts.
    ('gravity_compensated', True, lambda _, tau: tau - DYNAMICS.gravity_torque(rows()[:, 1:4])),
    ('saturated', False, lambda times, efforts: np.clip(efforts, -7.0, 7.0)),
]


@pytest.mark.parametrize(('code', 'fatal', 'change'), BAD if ALL else BAD[:3])
def test_bad_data_are_said(identified, code, fatal, change):
    result = identified(bad=change)
    assert code in codes(result)
    assert bool(result['objections']) >= fatal


def test_what_nothing_has_judged_is_not_to_be_loaded(identified):
    """No effort in the held-out part: no figure says how good the model is."""
    result = identified(
        unjudged=lambda times, efforts: np.where(times[:, None] > 5.5, np.nan, efforts)
    )
    assert any(text.startswith('not judged') for text in result['objections'])
    assert all(not joint['samples'] for joint in result['held_out'].values())
    assert 'still' not in codes(result)


def test_joints_that_rest(identified):
    """One that moves little keeps the values of the URDF, and is not judged."""
    result = identified(jitter=jitter_rows())
    (still,) = [one for one in result['findings'] if one['code'] == 'still']
    assert still['joints'] == ['joint2']
    assert result['equations']['joint2']['used'] == 0
    held_out = result['held_out']['joint2']
    assert (held_out['samples'], held_out['moves']) == (0, False)
    found = {row['name']: row for row in result['joint_parameters']}
    for term in ('viscous', 'coulomb', 'offset', 'armature'):
        assert found[f'joint2 {term}']['value'] == found[f'joint2 {term}']['nominal']


def test_a_contact_of_a_fifth_of_the_fitted_part_is_left_out(identified):
    """1.2 of 6 s: an estimate that follows it is several times worse on the held-out part."""
    result = identified(touched=lambda times, efforts: pushed(times, efforts, end=3.2))
    assert codes(result)[0] == 'contact'
    assert 'unexplained' not in codes(result)
    begin, end = map(float, re.search(r'(\S+) s to (\S+) s', said(result, 'contact')).groups())
    assert (begin, end) == pytest.approx((2.0, 3.2), abs=0.4)
    assert result['rank'] == result['structural_rank']
    for joint in result['held_out'].values():
        assert joint['rms_identified'] < 0.1 * joint['rms_nominal']


def test_late_efforts_are_shifted_before_the_fit(identified):
    """Friction is that of the arm, not that of the delay, which is 5 to 12 % more."""
    result = identified(late=late)
    assert result['effort_delay'] == pytest.approx(LATE, abs=2e-3)
    assert codes(result) == ['delay']
    assert result['findings'][0]['value'] == result['effort_delay']
    for joint, viscous in zip(JOINTS, (0.5, 0.7, 0.2), strict=True):
        assert parameters(result)[f'{joint} viscous'] == pytest.approx(viscous, rel=0.03)


def test_no_shift_is_right_for_two_different_delays(identified):
    result = identified(good=rows(), late=late)
    assert result['effort_delay'] == 0.0
    assert 'delay' in codes(result)


def test_a_gain_that_the_data_do_not_fix_is_not_guessed(identified):
    result = identified(
        amperes=lambda times, efforts: efforts / GAINS, effort='current', gains={'joint1': 9.0}
    )
    assert not {'contact', 'excitation'} & set(codes(result))
    (unknown,) = (one['joints'] for one in result['findings'] if one['code'] == 'unknown_gain')
    listed = {f'{joint} gain' for joint in unknown}
    rows = {row['name']: row for row in result['joint_parameters'] if row['name'] in listed}
    assert rows.keys() == listed
    assert not np.isfinite([row[end] for row in rows.values() for end in ('low', 'high')]).any()
    assert any('unknown_gain' in text for text in result['objections'])


def test_an_effort_that_is_not_measured_pulls_no_body(identified):
    """Noise about zero at the last joint would say that what it carries has no mass."""
    noise = np.random.default_rng(0).normal(0.0, 1e-3, len(rows()))
    result = identified(silent=lambda times, efforts: np.column_stack([efforts[:, :2], noise]))
    assert 'no_effort' in codes(result)
    assert not {'unexplained', 'still', 'unknown_gain'} & set(codes(result))
    held_out = result['held_out']
    assert not np.isfinite(held_out['joint3']['rms_identified'])
    assert held_out['joint3']['is_noise'] is None
    for joint in ('joint1', 'joint2'):
        assert held_out[joint]['rms_identified'] < 0.2 * held_out[joint]['rms_nominal']


def test_a_load_that_is_not_there_is_said(identified):
    result = identified(before=rows(), after=rows(), loads=[('tool', LOAD, 'after')])
    (found,) = [one for one in result['findings'] if one['code'] == 'payload']
    assert abs(found['value']) < 0.1 * LOAD


def test_recordings_of_which_one_has_a_load_that_is_not_declared_differ(identified):
    result = identified(bare=rows(), carrying=loaded_rows(LOAD))
    (found,) = [one for one in result['findings'] if one['code'] == 'recordings_differ']
    assert 'joint3' in found['joints']
    assert found['value'] > 1.5


def test_friction_of_each_direction(identified):
    planted = rows().copy()
    v = np.minimum(planted[:, 6], 0.0)
    planted[:, 9] += EXTRA * v / np.hypot(v, 0.01)
    found = parameters(identified(planted=planted, friction='asymmetric'))
    difference = found['joint3 coulomb_negative'] - found['joint3 coulomb']
    assert difference == pytest.approx(EXTRA, abs=0.06)
    assert 'joint1 offset' not in found
