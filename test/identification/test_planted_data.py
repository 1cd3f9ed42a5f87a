"""What an identification says of planted defects of the data."""

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import DESCRIBED, JOINTS, jitter_rows, loaded_rows, rows

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

URDF = DESCRIBED.read_text()
MODEL = parse_urdf(URDF)
GAINS = np.array([9.0, 8.0, 7.0])  # [N m/A]
LOAD = 1.2  # [kg]
LATE = 0.02  # [s]


@pytest.fixture
def identified(tmp_path):
    """The JSON of an identification of tables, with one v_0 of friction: that is quick."""

    def identified(urdf=URDF, settings=(), **tables):
        for name, table in tables.items():
            write(tmp_path / f'{name}.csv', list(JOINTS), table)
        read = {name: Recording.read(tmp_path / f'{name}.csv', MODEL) for name in tables}
        return Identifier(urdf, **{'friction': 0.01, **dict(settings)}).fit(read).as_json()

    return identified


def changed(change, table=None):
    """The recording with efforts that `change` makes of times (N,) and efforts (N, 3)."""
    table = (rows() if table is None else table).copy()
    table[:, 7:] = change(table[:, 0], table[:, 7:])
    return table


def late(times, efforts, delay=LATE):
    return np.stack([np.interp(times - delay, times, one) for one in efforts.T], axis=1)


def pushed(times, efforts, end=2.6):
    return efforts + ((times > 2.0) & (times < end))[:, None] * np.array([2.0, 4.0, 2.5])


def silent(times, efforts):
    noise = np.random.default_rng(0).normal(0.0, 1e-3, len(efforts))
    return np.column_stack([efforts[:, :2], noise])


def codes(result):
    return [finding['code'] for finding in result['findings']]


def joints_of(result, code):
    return next(set(one['joints']) for one in result['findings'] if one['code'] == code)


def parameters(result):
    return {row['name']: row['value'] for row in result['joint_parameters']}


@pytest.mark.parametrize(
    ('code', 'fatal', 'change'),
    [
        ('scale', True, lambda times, efforts: efforts / GAINS),
        ('sign', True, lambda times, efforts: -efforts),
        ('delay', False, lambda times, efforts: late(times, efforts, 4e-3 * times)),
        ('unexplained', True, lambda times, tau: tau[::-1] * np.array([1.0, -1.0, 1.0])),
        ('changed', True, pushed),
        # What the description does not know of the arm stays in the efforts.
        (
            'gravity_compensated',
            True,
            lambda times, tau: tau - RobotDynamics(MODEL).gravity_torque(rows()[:, 1:4]),
        ),
    ],
)
def test_bad_data_are_said(identified, code, fatal, change):
    result = identified(bad=changed(change))
    assert code in codes(result)
    assert bool(result['doubts']) >= fatal


def test_efforts_at_their_limit_are_said_and_not_fitted(identified):
    """What a drive cannot give shows no mass."""
    weak = changed(lambda times, efforts: np.clip(efforts, -7.0, 7.0))
    result = identified(URDF.replace('effort="20"', 'effort="7"'), weak=weak)
    assert (codes(result), joints_of(result, 'saturated')) == (['saturated'], {'joint2'})
    for joint in result['validation'].values():
        assert joint['rms_identified'] < 0.3 * joint['rms_nominal']


def test_joints_that_rest(identified):
    """One that moves little keeps the values of the URDF, and is not judged."""
    result = identified(jitter=jitter_rows())
    assert joints_of(result, 'still') == {'joint2'}
    validation = result['validation']['joint2']
    assert (result['rows']['joint2'], validation['samples'], validation['moves']) == (0, 0, False)
    found = {row['name']: row for row in result['joint_parameters']}
    for term in ('offset', 'armature'):
        assert found[f'joint2 {term}']['value'] == found[f'joint2 {term}']['nominal']


def test_late_efforts_are_shifted_before_the_fit(identified):
    """Friction is that of the arm, not that of the delay, which is 5 to 12 % more."""
    result = identified(late=changed(late))
    assert result['effort_delay'] == pytest.approx(LATE, abs=2e-3)
    assert codes(result) == ['delay']
    assert result['findings'][0]['value'] == result['effort_delay']
    for joint, viscous in zip(JOINTS, (0.5, 0.7, 0.2), strict=True):
        assert parameters(result)[f'{joint} viscous'] == pytest.approx(viscous, rel=0.03)


CURRENT = {'effort': 'current', 'gains': {'joint1': 9.0}}


def amperes(table):
    return changed(lambda times, efforts: efforts / GAINS, table)


def test_one_known_gain_fixes_those_of_the_joints_that_carry_the_same_bodies(identified):
    result = identified(settings=CURRENT, amperes=amperes(rows()))
    found = [parameters(result)[f'{joint} gain'] for joint in JOINTS]
    np.testing.assert_allclose(found, GAINS, rtol=0.02)
    assert not result['doubts']


def test_a_gain_that_the_data_do_not_fix_is_not_guessed(identified):
    """The joint whose gain is known rests."""
    result = identified(settings=CURRENT, amperes=amperes(rows(still=('joint1',))))
    unknown = joints_of(result, 'unknown_gain')
    assert unknown == {'joint2', 'joint3'}
    listed = [one for one in result['joint_parameters'] if one['name'].endswith('gain')]
    ends = [[row['low'], row['high']] for row in listed if row['name'].split()[0] in unknown]
    assert not np.isfinite(ends).any()
    assert any('unknown_gain' in text for text in result['doubts'])


def test_a_load_of_known_mass_fixes_the_scale_of_currents(identified):
    settings = {'effort': 'current', 'loads': [('tool', LOAD, 'loaded')]}
    tables = {'empty': amperes(rows()), 'loaded': amperes(loaded_rows(LOAD))}
    result = identified(settings=settings, **tables)
    for joint, gain in zip(JOINTS, GAINS, strict=True):
        assert parameters(result)[f'{joint} gain'] == pytest.approx(gain, rel=0.03)
    assert not {'unknown_gain', 'changed'} & set(codes(result))


def test_an_effort_that_is_not_measured_pulls_no_body(identified):
    """Noise about zero at the last joint would say that what it carries has no mass."""
    result = identified(silent=changed(silent))
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
    result = identified(settings={'loads': loads}, bare=rows(), carrying=carrying)
    assert 'changed' in codes(result)
    assert result['doubts']


def test_friction_of_each_direction(identified):
    extra, planted = 0.4, rows().copy()  # [N m] of Coulomb friction at negative velocity
    v = np.minimum(planted[:, 6], 0.0)
    planted[:, 9] += extra * v / np.hypot(v, 0.01)
    found = parameters(identified(settings={'friction': 'asymmetric'}, planted=planted))
    difference = found['joint3 coulomb_negative'] - found['joint3 coulomb']
    assert difference == pytest.approx(extra, abs=0.06)
    assert 'joint1 offset' not in found
