"""What an identification says of planted defects: through Python, as the command does it."""

import re

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import (
    ARM,
    DESCRIBED,
    JOINTS,
    RATE,
    jitter_rows,
    loaded_rows,
    recording,
    rows,
)
from said_findings import codes, said

from robot_dynamics_ros.core import ParameterError, RobotDynamics, parse_urdf
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

URDF = DESCRIBED.read_text()
MODEL = parse_urdf(URDF)
GAINS = np.array([9.0, 8.0, 7.0])  # [N m/A]
LOAD = 1.2  # [kg]
LATE = 0.02  # [s]
EXTRA = 0.4  # [N m] of Coulomb friction at negative velocity, of joint 3


@pytest.fixture
def identified(tmp_path):
    """The JSON of an identification of tables of states, or of changed efforts, by name."""

    def identified(held_out=None, urdf=URDF, cutoff=None, **tables):
        settings = {key: tables.pop(key) for key in [*tables] if key in Identifier.__annotations__}
        model, read = parse_urdf(urdf), {}
        for name, table in {**tables, **(held_out or {})}.items():
            file = tmp_path / f'{name}.csv'
            if isinstance(table, np.ndarray):
                write(file, list(JOINTS), table)
            else:
                recording(file, table)
            read[name] = Recording.read(file, model, cutoff=cutoff)
        held = {name: read.pop(name) for name in held_out or {}}
        return Identifier(urdf, **settings).fit(read, held or None).as_json()

    return identified


def late(times, efforts, delay=LATE):
    return np.stack([np.interp(times - delay, times, one) for one in efforts.T], axis=1)


def lagging_friction(speeds, time=0.04):
    """Friction (N, n) of 3 N m that comes to its size behind reversals, with this time [s]."""
    lag, friction = np.exp(-1.0 / (RATE * time)), np.sign(speeds)
    for index in range(1, len(friction)):
        friction[index] += lag * (friction[index - 1] - friction[index])
    return 3.0 * friction


def parameters(result):
    return {row['name']: row['value'] for row in result['joint_parameters']}


def compensated(times, efforts):
    """What the description does not know of the arm stays in the efforts."""
    gravity = RobotDynamics(MODEL).gravity_torque
    return efforts - [gravity(q) for q in rows()[:, 1:4]]


def pushed(times, efforts, end=2.6):
    return efforts + ((times > 2.0) & (times < end))[:, None] * np.array([2.0, 4.0, 2.5])


@pytest.mark.parametrize(
    ('code', 'fatal', 'change'),
    [
        ('factor', True, lambda times, efforts: efforts / GAINS),
        ('sign', True, lambda times, efforts: -efforts),
        ('unexplained', True, lambda times, efforts: efforts[::-1] * np.array([1.0, -1.0, 1.0])),
        ('gravity_compensated', True, compensated),
        ('saturated', False, lambda times, efforts: np.clip(efforts, -7.0, 7.0)),
        ('contact', False, pushed),
        ('delay', False, lambda times, efforts: late(times, efforts, 4e-3 * times)),
    ],
)
def test_bad_data_are_said(identified, code, fatal, change):
    result = identified(bad=change)
    assert code in codes(result)
    assert bool(result['objections']) >= fatal


@pytest.mark.parametrize(
    'table',
    [
        # No effort in the held-out part: no figure says how good the model is.
        lambda: lambda times, efforts: np.where(times[:, None] > 5.5, np.nan, efforts),
        # 0.7 s give some equations to fit, and too few samples to say that a joint moves.
        lambda: rows()[:350],
    ],
)
def test_what_nothing_has_judged_is_not_to_be_loaded(identified, table):
    result = identified(unjudged=table())
    assert any(text.startswith('not judged') for text in result['objections'])
    assert all(not joint['samples'] for joint in result['held_out'].values())
    assert 'still' not in codes(result)


@pytest.mark.parametrize(
    'table',
    [lambda: rows(still=JOINTS), lambda: lambda times, efforts: 0.0 * efforts],
    ids=['motion', 'effort'],
)
def test_what_shows_nothing_is_refused(identified, table):
    with pytest.raises(ParameterError, match='no joint'):
        identified(nothing=table())


def test_joints_that_rest(identified):
    """One that moves little keeps the values of the URDF, and is not judged."""
    result = identified(jitter=jitter_rows())
    (still,) = [one for one in result['findings'] if one['code'] == 'still']
    assert still['joints'] == ['joint2']
    assert result['equations']['joint2']['used'] == 0
    assert (result['held_out']['joint2']['samples'], result['held_out']['joint2']['moves']) == (
        0,
        0,
    )
    found = {row['name']: row for row in result['joint_parameters']}
    for term in ('viscous', 'coulomb', 'offset', 'armature'):
        assert found[f'joint2 {term}']['value'] == found[f'joint2 {term}']['nominal']
    result = identified(good=rows(), held_out={'two': rows(still=('joint2',))})
    (objection,) = result['objections']
    assert objection.startswith('not judged at joint2: ')
    result = identified(one=rows(still=('joint1', 'joint3')))
    still = next(one for one in result['findings'] if one['code'] == 'still')
    assert still['joints'] == ['joint1', 'joint3']
    assert 'excitation' in codes(result)


def test_a_recording_of_which_nothing_is_fitted_is_named(identified):
    result = identified(good=rows(), moment=rows()[:400], cutoff=5.0)
    assert 'moment' in said(result, 'short')


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


def test_rest_after_the_motion_is_no_motion_to_judge(identified):
    """Two thirds of the motion are fitted; at rest, stiction holds the arm."""
    result = identified(rest=rows(rest=6.0))
    assert not {'unexplained', 'contact', 'still'} & set(codes(result))
    assert result['recordings'][0]['split'] == pytest.approx(2.0 / 3.0 * 9.5, abs=0.3)
    assert result['objections'] == []
    for joint in result['held_out'].values():
        assert joint['rms_identified'] < 0.2 * joint['rms_nominal']


def test_late_efforts_are_shifted_before_the_fit(identified):
    """Friction is that of the arm, not that of the delay, which is 5 to 12 % more."""
    result = identified(late=late)
    assert result['effort_delay'] == pytest.approx(LATE, abs=2e-3)
    assert codes(result) == ['delay']
    assert result['findings'][0]['value'] == result['effort_delay']
    for joint, viscous in zip(JOINTS, (0.5, 0.7, 0.2), strict=True):
        assert parameters(result)[f'{joint} viscous'] == pytest.approx(viscous, rel=0.03)


def with_friction(friction, *arguments):
    table = rows().copy()
    table[:, 7:] += friction(table[:, 4:7], *arguments)
    return table


def slowly():
    """Late by less than a sample."""
    table = rows().copy()
    table[:, 7:] = late(table[:, 0], table[:, 7:], 6e-3)
    return table[::5]


def held():
    """A joint with jitter, whose few slow equations do not take part in the search."""
    table = jitter_rows()
    table[:, [7, 9]] += lagging_friction(table[:, [4, 6]])
    return table


def falling(speeds):
    """Friction that falls with the speed, by more than the torques of the arm."""
    return 6.0 * np.sign(speeds) * np.exp(-((speeds / 0.5) ** 2))


@pytest.mark.parametrize(
    ('urdf', 'tables', 'codes_in', 'codes_out'),
    [
        # No shift is right for two different delays.
        (DESCRIBED, lambda: {'good': rows(), 'late': late}, {'delay'}, {}),
        (DESCRIBED, lambda: {'slowly': slowly()}, {}, {}),
        # Friction that lags behind reversals is no delay: all else comes at once.
        (DESCRIBED, lambda: {'lags': with_friction(lagging_friction)}, {}, {'delay'}),
        (ARM, lambda: {'lags': with_friction(lagging_friction, 0.1)}, {}, {'delay'}),
        (ARM, lambda: {'held': held()}, {}, {'delay'}),
        (DESCRIBED, lambda: {'falls': with_friction(falling)}, {'unexplained'}, {'delay'}),
    ],
    ids=['different', 'a part of a sample', 'lag', 'long lag', 'jitter', 'falling'],
)
def test_efforts_that_are_not_shifted(identified, urdf, tables, codes_in, codes_out):
    result = identified(urdf=urdf.read_text(), **tables())
    assert result['effort_delay'] == 0.0
    assert set(codes_in) <= set(codes(result))
    assert not set(codes_out) & set(codes(result))


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
    """With the load declared, the same recordings show one robot."""
    both = {'bare': rows(), 'carrying': loaded_rows(LOAD)}
    (found,) = [
        one for one in identified(**both)['findings'] if one['code'] == 'recordings_differ'
    ]
    assert 'joint3' in found['joints']
    assert found['value'] > 1.5
    result = identified(**both, loads=[('tool', LOAD, 'carrying')])
    assert 'recordings_differ' not in codes(result)


def test_friction_of_each_direction(identified):
    planted = with_friction(
        lambda v: np.where(v < 0.0, EXTRA * v / np.hypot(v, 0.01), 0.0) * [0.0, 0.0, 1.0]
    )
    found = parameters(identified(planted=planted, friction='asymmetric'))
    difference = found['joint3 coulomb_negative'] - found['joint3 coulomb']
    assert difference == pytest.approx(EXTRA, abs=0.06)
    assert 'joint1 offset' not in found
