"""What an identification says of planted defects: through Python, as the command does it."""

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import DESCRIBED, JOINTS, jitter_rows, loaded_rows, recording, rows
from property_settings import ALL
from said_findings import codes

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
    ('changed', True, pushed),
    # What the description does not know of the arm stays in the efforts.
    ('gravity_compensated', True, lambda _, tau: tau - DYNAMICS.gravity_torque(rows()[:, 1:4])),
]


@pytest.mark.parametrize(('code', 'fatal', 'change'), BAD if ALL else BAD[:3])
def test_bad_data_are_said(identified, code, fatal, change):
    result = identified(bad=change)
    assert code in codes(result)
    assert bool(result['doubts']) >= fatal


def test_efforts_at_their_limit_are_said_and_not_fitted(tmp_path):
    """What a drive cannot give shows no mass."""
    file = recording(tmp_path / 'weak.csv', lambda times, efforts: np.clip(efforts, -7.0, 7.0))
    weak = Identifier(URDF.replace('effort="20"', 'effort="7"')).fit([Recording.read(file, MODEL)])
    found = weak.as_json()
    assert codes(found) == ['saturated']
    assert found['findings'][0]['joints'] == ['joint2']
    for joint in found['validation'].values():
        assert joint['rms_identified'] < 0.3 * joint['rms_nominal']


def test_joints_that_rest(identified):
    """One that moves little keeps the values of the URDF, and is not judged."""
    result = identified(jitter=jitter_rows())
    (still,) = [one for one in result['findings'] if one['code'] == 'still']
    assert still['joints'] == ['joint2']
    assert result['rows']['joint2'] == 0
    validation = result['validation']['joint2']
    assert (validation['samples'], validation['moves']) == (0, False)
    found = {row['name']: row for row in result['joint_parameters']}
    for term in ('offset', 'armature'):
        assert found[f'joint2 {term}']['value'] == found[f'joint2 {term}']['nominal']


def test_late_efforts_are_shifted_before_the_fit(identified):
    """Friction is that of the arm, not that of the delay, which is 5 to 12 % more."""
    result = identified(late=late)
    assert result['effort_delay'] == pytest.approx(LATE, abs=2e-3)
    assert codes(result) == ['delay']
    assert result['findings'][0]['value'] == result['effort_delay']
    for joint, viscous in zip(JOINTS, (0.5, 0.7, 0.2), strict=True):
        assert parameters(result)[f'{joint} viscous'] == pytest.approx(viscous, rel=0.03)


def test_one_known_gain_fixes_those_of_the_joints_that_carry_the_same_bodies(identified):
    result = identified(
        amperes=lambda times, efforts: efforts / GAINS, effort='current', gains={'joint1': 9.0}
    )
    found = [parameters(result)[f'{joint} gain'] for joint in JOINTS]
    np.testing.assert_allclose(found, GAINS, rtol=0.02)
    assert not result['doubts']


def test_a_gain_that_the_data_do_not_fix_is_not_guessed(identified):
    """The joint whose gain is known rests."""
    still = rows(still=('joint1',)).copy()
    still[:, 7:] /= GAINS
    result = identified(amperes=still, effort='current', gains={'joint1': 9.0})
    (unknown,) = (one['joints'] for one in result['findings'] if one['code'] == 'unknown_gain')
    assert set(unknown) == {'joint2', 'joint3'}
    listed = [one for one in result['joint_parameters'] if one['name'].endswith('gain')]
    ends = [[row['low'], row['high']] for row in listed if row['name'].split()[0] in unknown]
    assert not np.isfinite(ends).any()
    assert any('unknown_gain' in text for text in result['doubts'])


def test_an_effort_that_is_not_measured_pulls_no_body(identified):
    """Noise about zero at the last joint would say that what it carries has no mass."""
    noise = np.random.default_rng(0).normal(0.0, 1e-3, len(rows()))
    result = identified(silent=lambda times, efforts: np.column_stack([efforts[:, :2], noise]))
    assert 'no_effort' in codes(result)
    assert not {'unexplained', 'still', 'unknown_gain'} & set(codes(result))
    found = result['validation']
    assert not np.isfinite(found['joint3']['rms_identified'])
    for joint in ('joint1', 'joint2'):
        assert found[joint]['rms_identified'] < 0.2 * found[joint]['rms_nominal']


@pytest.mark.parametrize('is_declared', [False, True])
def test_a_load_that_is_not_as_declared_is_changed(identified, is_declared):
    """Declared and not there, or the other way round."""
    loads = [('tool', LOAD, 'carrying')] if is_declared else []
    carrying = rows() if is_declared else loaded_rows(LOAD)
    result = identified(bare=rows(), carrying=carrying, loads=loads)
    assert 'changed' in codes(result)
    assert result['doubts']


def test_friction_of_each_direction(identified):
    planted = rows().copy()
    v = np.minimum(planted[:, 6], 0.0)
    planted[:, 9] += EXTRA * v / np.hypot(v, 0.01)
    found = parameters(identified(planted=planted, friction='asymmetric'))
    difference = found['joint3 coulomb_negative'] - found['joint3 coulomb']
    assert difference == pytest.approx(EXTRA, abs=0.06)
    assert 'joint1 offset' not in found
