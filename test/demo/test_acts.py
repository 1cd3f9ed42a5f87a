"""What is measured from messages whose answer is known, and that it is drawn."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('matplotlib')
pytest.importorskip('pinocchio')
pytest.importorskip('robot_dynamics_interfaces')

import three_joints
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.msg import Contact, JointTorques
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.demo import measures, picture
from robot_dynamics_ros.demo.client import PARTS, TOPICS, Samples
from robot_dynamics_ros.demo.verdict import Verdict

JOINTS, NAMES = ['a', 'b'], ['b', 'a']
TIMES = np.arange(1000) * 1e-3
ON = TIMES[200:700]


def samples(stamps, messages=None, sent=None, received=None):
    """Messages with these stamps, which are sent and received at once [s]."""
    messages = [None] * len(stamps) if messages is None else list(messages)
    sent = stamps if sent is None else sent
    return Samples(messages, sent, sent if received is None else received, np.asarray(stamps))


def states(stamps, positions, names=NAMES):
    return samples(stamps, [JointState(name=names, position=row) for row in positions])


def torques(stamps, **parts):
    fields = dict.fromkeys(('effort', 'external', *PARTS), np.zeros((len(stamps), 2))) | parts
    messages = [
        JointTorques(joint_names=NAMES, **{name: rows[i] for name, rows in fields.items()})
        for i in range(len(stamps))
    ]
    return samples(stamps, messages)


def wrenches(stamps, rows):
    vectors = [[Vector3(x=x, y=y, z=z) for x, y, z in row.reshape(2, 3).tolist()] for row in rows]
    stamped = [WrenchStamped(wrench=Wrench(force=f, torque=t)) for f, t in vectors]
    return samples(stamps, stamped)


def phase(**recorded):
    return {topic: recorded.get(topic, samples(np.empty(0))) for topic in TOPICS}


def release():
    moved = np.outer(TIMES, [1.0, 0.5])
    parts = [phase(states=states(TIMES, moved * size + [9.0, 2.0])) for size in (1.0, 1e-9)]
    return measures.release(JOINTS, *parts)


def test_displacement_is_measured_from_where_it_began_by_joint_name():
    act = release()
    np.testing.assert_allclose(act.data['fall'][1][-1], [0.4995, 0.999])
    assert act.values == pytest.approx({'fall': 0.999, 'drift': 0.999e-9})


def tracking():
    line = Trajectory([Point(0.0, np.zeros(2)), Point(1.0, np.ones(2))])
    wave = np.outer(np.sin(10 * TIMES), [0.5, 1.0])
    given = torques(TIMES, **dict.fromkeys(('effort', *PARTS), 5.0 * wave))
    sizes = {'servo_only': 0.02, 'with_gravity': 0.01, 'with_feedforward': 0.0005}
    takes = {
        name: phase(states=states(TIMES, TIMES[:, None] + size * wave), torques=given)
        for name, size in sizes.items()
    }
    return measures.tracking(JOINTS, line, takes)


def test_tracking_error_is_taken_at_the_time_of_the_state():
    act = tracking()
    rms = 0.02 * np.sqrt((np.sin(10 * TIMES) ** 2).mean()) * np.array([1.0, 0.5])
    np.testing.assert_allclose(act.data['rms'], np.outer([1.0, 0.5, 0.025], rms))
    assert act.values == pytest.approx({'ratio': 0.025, 'worst_ratio': 0.025})


def timing():
    """A second at 1 kHz: ten states are lost, all other answers are equally late."""
    answered = np.delete(TIMES, np.linspace(0, 900, 10).astype(int))
    given = samples(answered + 1e-7, received=answered + 4e-4)
    told = samples(answered, sent=answered + 2e-7)
    return measures.timing(phase(states=samples(TIMES), torques=told, commands=given))


def test_latency_runs_from_the_state_to_the_command_that_answers_it():
    act = timing()
    np.testing.assert_allclose(act.data['latency'], 0.4)
    rates = {'state_rate': 1000.0, 'command_rate': 989 / 0.998, 'lost': 100.0 * 10 / 950}
    expected = {'latency_p50': 0.4, 'latency_p99': 0.4} | rates
    assert act.values == pytest.approx(expected, rel=2e-3)


def matrices(share=1.0, **errors):
    """M and C of a state for a reference that knows them; without a share, C vanishes."""
    C = share * np.array([[1.0, -0.5], [2.0, 0.0]])
    true = {'mass': np.array([[3.0, 1.0], [1.0, 1.0]]), 'mass_rate': C + C.T, 'coriolis': C}
    reference = SimpleNamespace(
        mass_matrix=lambda q: true['mass'], coriolis_matrix=lambda q, v: true['coriolis']
    )
    corner = np.array([[0.0, 1.0], [0.0, 0.0]])
    given = [matrix + errors.get(name, 0.0) * corner for name, matrix in true.items()]
    return measures.matrices([(np.zeros(2), np.array([1.0, -2.0]), *given)], reference)


def broken(share, **errors):
    """The laws of M and C that do not hold."""
    values = matrices(share, **errors).values
    assert values.pop('smallest_eigenvalue') > 0.1
    return {key for key, error in values.items() if not error < 1e-8}


@pytest.mark.parametrize('share', [1.0, 0.0])
def test_a_false_matrix_breaks_a_law_also_where_c_vanishes(share):
    """As of a stretched arm, whose C is zero: its rounding is not an error."""
    assert broken(share, coriolis=1e-16, mass_rate=1e-12) == set()
    assert broken(share, mass=0.01) == {'mass_error', 'mass_asymmetry'}
    assert broken(share, coriolis=0.01) == {'coriolis_error', 'skewness'}
    assert broken(share, mass_rate=0.01) == {'skewness'}
    assert broken(share, coriolis=np.nan) == {'coriolis_error', 'skewness'}


DYNAMICS = RobotDynamics(parse_urdf(three_joints.URDF), backend='python')
POSE = np.array([0.3, 0.1, -0.7])
# On the hand, along its axes.
ACTING = np.array([3.0, 1.0, -4.0, 0.1, 0.0, 0.2])


def push(felt=ACTING, acts=True):
    """A wrench of which that much is felt at last."""
    recorded = {'applied': wrenches(ON, np.tile(ACTING, (500, 1)))} if acts else {}
    pose = states(TIMES, np.tile(POSE, (1000, 1)), list(three_joints.JOINTS))
    # As of a filter, it begins with less.
    estimated = wrenches(ON, np.outer(np.minimum(np.arange(500) / 100, 1.0), felt))
    recording = phase(states=pose, wrenches=estimated, **recorded)
    return measures.push(DYNAMICS, 'hand', recording)


def test_the_force_is_judged_by_what_the_joints_feel_of_it():
    observable = push().data['observable'][1][-1]
    J = DYNAMICS.jacobian(POSE, 'hand', 'LOCAL')
    # The same torques, by a smaller wrench: three joints do not feel all six components.
    np.testing.assert_allclose(J.T @ observable, J.T @ ACTING, atol=1e-9)
    assert push().values['push_unfelt'] > 1.0
    assert push(observable).values['push_error'] == pytest.approx(0.0, abs=1e-9)
    assert push(0.97 * observable).values['push_error'] == pytest.approx(3.0)
    assert np.isnan(push(observable, acts=False).values['push_error'])


def collision(found=0.203, kind=2):
    """Positions move until 0.6 s, the command is gravity from 0.5 s on."""
    ones = np.ones((len(TIMES), 2))
    effort = np.where(TIMES[:, None] < 0.5, 5.0, 2.0) * ones
    recorded = phase(
        states=states(TIMES, np.minimum(TIMES, 0.6)[:, None] * ones),
        torques=torques(TIMES, effort=effort, gravity=2.0 * ones),
        applied=wrenches(ON, np.tile(ACTING, (500, 1))),
        contacts=samples(np.array([found]), [Contact(kind=kind)]),
    )
    return measures.collision(JOINTS, recorded)


def test_the_delay_runs_from_the_first_touch_in_stamps_of_states():
    act = collision()
    expected = {'collision_delay': 3.0, 'collision_hold': 0.0, 'collision_rest': 0.0}
    force = {'wall_force': np.linalg.norm(ACTING[:3])}
    assert act.values == pytest.approx(expected | force)
    assert act.data['effort'][0][0] == pytest.approx(-0.2)
    assert np.isnan(collision(found=0.15).values['collision_delay'])
    assert np.isnan(collision(kind=0).values['collision_delay'])


@pytest.mark.parametrize('many', [1, 12])
def test_the_picture_is_drawn_for_few_joints_and_for_many(tmp_path, monkeypatch, many):
    monkeypatch.setattr(picture, 'MANY', many)
    acts = {
        'release': release(),
        'tracking': tracking(),
        'push': push(push().data['observable'][1][-1]),
        'collision': collision(),
        'matrices': matrices(),
        'timing': timing(),
    }
    sliding = np.array([False, True])
    model = SimpleNamespace(
        name='arm', joint_names=JOINTS, sliding=sliding, effort_units=('N m', 'N')
    )
    verdict = Verdict(model, acts)
    assert verdict.passed
    picture.draw(acts, verdict, 'An arm', tmp_path / 'demo.png')
    png = (tmp_path / 'demo.png').read_bytes()
    assert png[:8] == b'\x89PNG\r\n\x1a\n'
    assert len(png) > 50_000
