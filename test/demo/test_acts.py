"""What the acts measure, from messages whose answer is known, and that it is drawn."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('matplotlib')
pytest.importorskip('pinocchio')
pytest.importorskip('robot_dynamics_interfaces')

import three_joints
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header

from robot_dynamics_interfaces.msg import Contact, JointTorques
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.demo.acts import Acts
from robot_dynamics_ros.demo.client import PARTS, TOPICS, Phase, Samples
from robot_dynamics_ros.demo.measures import (
    Collision,
    Matrices,
    Push,
    Release,
    Timing,
    Tracking,
    rate_limit_use,
)
from robot_dynamics_ros.demo.picture import draw
from robot_dynamics_ros.demo.verdict import Verdict

MS = 1_000_000
START = 5 * 10**18
JOINTS, NAMES = ['a', 'b'], ['b', 'a']


def header(stamp):
    seconds, rest = divmod(START + int(stamp), 10**9)
    return Header(stamp=Time(sec=int(seconds), nanosec=int(rest)))


def samples(sent, messages=None, received=None):
    """Messages that were sent at times since START [ns]."""
    sent = np.asarray(sent, dtype=np.int64) + START
    received = sent if received is None else np.asarray(received, dtype=np.int64) + START
    return Samples(sent, received, [None] * len(sent) if messages is None else list(messages))


def states(stamps, positions=None, received=None, names=NAMES):
    positions = np.zeros((len(stamps), len(names))) if positions is None else positions
    rows = zip(stamps, np.asarray(positions, dtype=float), strict=True)
    messages = [JointState(header=header(t), name=names, position=row) for t, row in rows]
    return samples(stamps, messages, received)


def torques(stamps, sent=None, **parts):
    zero = np.zeros((len(stamps), 2))
    fields = {name: parts.get(name, zero) for name in ('effort', 'external', *PARTS)}
    messages = [
        JointTorques(
            header=header(stamp), joint_names=NAMES, **{k: v[i] for k, v in fields.items()}
        )
        for i, stamp in enumerate(stamps)
    ]
    return samples(stamps if sent is None else sent, messages)


def wrenches(stamps, rows):
    messages = []
    for stamp, row in zip(stamps, np.asarray(rows).tolist(), strict=True):
        force, torque = (Vector3(x=x, y=y, z=z) for x, y, z in (row[:3], row[3:]))
        wrench = Wrench(force=force, torque=torque)
        messages.append(WrenchStamped(header=header(stamp), wrench=wrench))
    return samples(stamps, messages)


def phase(**recorded):
    return Phase(START, **{topic: recorded.get(topic, samples([])) for topic in TOPICS})


def release():
    stamps = np.arange(0, 1000, 10) * MS
    moved = np.linspace(0.0, 1.0, 100)[:, None] * [1.0, 0.5]
    parts = [phase(states=states(stamps, moved * size + [9.0, 2.0])) for size in (1.0, 1e-9)]
    return Release.of(JOINTS, *parts)


def test_displacement_is_measured_from_where_it_began_by_joint_name():
    act = release()
    np.testing.assert_allclose(act.fall[1][-1], [0.5, 1.0])
    assert act.hold[0][-1] == pytest.approx(0.99)
    assert act.values == pytest.approx({'fall': 1.0, 'drift': 1e-9})


def tracking():
    stamps = np.arange(0, 1000, 10) * MS
    line = Trajectory([Point(0.0, np.zeros(2)), Point(1.0, np.ones(2))])
    on_line = stamps[:, None] * 1e-9 * np.ones(2)
    wave = np.outer(np.sin(stamps * 1e-8), [0.5, 1.0])
    parts = dict.fromkeys(('effort', *PARTS), 5.0 * wave)
    sizes = {'servo_only': 0.02, 'with_gravity': 0.01, 'with_feedforward': 0.0005}
    takes = {
        name: phase(states=states(stamps, on_line + size * wave), torques=torques(stamps, **parts))
        for name, size in sizes.items()
    }
    return Tracking.of(JOINTS, line, takes)


def test_tracking_error_is_taken_at_the_time_of_the_state():
    act = tracking()
    alone = act.rms[0]
    assert alone[0] == pytest.approx(0.02 / np.sqrt(2), rel=0.1)
    assert alone[1] == pytest.approx(alone[0] / 2)
    np.testing.assert_allclose(act.ratios, 0.025)
    assert act.values == pytest.approx({'ratio': 0.025, 'worst_ratio': 0.025})


def timing(latency=0.0004, transport=0.0001, lost=0):
    """A second at 1 kHz, all answers equally late [s]."""
    sent = np.arange(1000) * MS
    answered = np.delete(np.arange(1000), np.linspace(0, 900, lost).astype(int))
    given = samples(answered * MS + 100, received=answered * MS + int(latency * 1e9))
    recorded = phase(
        states=states(sent, received=sent + int(transport * 1e9)),
        torques=torques(answered * MS, sent=answered * MS + 200),
        commands=given,
    )
    commands = samples([0], [Float64MultiArray(data=[0.01, 0.0])])
    return Timing.of(1000.0, recorded, commands, np.ones(2))


def test_latency_runs_from_the_state_to_the_command_that_answers_it():
    act = timing(lost=10)
    np.testing.assert_allclose(act.latency, 0.0004)
    expected = {
        'latency_p50': 0.4,
        'latency_p99': 0.4,
        'transport_p50': 0.1,
        'transport_p99': 0.1,
        'state_rate': 1000.0,
        'asked_rate': 1000.0,
        'command_rate': 989 / 0.998,
        'late': 0.0,
        'lost': 100.0 * 10 / 950,
        'command_step': 1.0,
        'command_lead': 0.0,
    }
    assert act.values == pytest.approx(expected, rel=1e-4, abs=1e-9)
    assert timing(transport=0.02).values['late'] == 100.0


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize(('share', 'lead'), [(0.5, 0.0), (3.0, 0.2)])
def test_the_lead_counts_what_small_steps_add_up_to(share, lead, sign):
    """After a rest, 0.1 s at a share of the rate limit."""
    rates, times = np.array([100.0, 10.0]), np.arange(301)
    taken = np.outer(np.clip(times - 200, 0, None) * 1e-3 * share, rates) * sign
    commands = samples(times * MS, [Float64MultiArray(data=row) for row in taken])
    step, early = rate_limit_use(commands, rates)
    assert step == pytest.approx(1e-3 * share)
    assert early == pytest.approx(lead, abs=1e-12)
    assert np.isnan(rate_limit_use(samples([]), rates)).all()


class Planar:
    """M and C (Christoffel) of two unit rods with point masses at their ends."""

    def mass_matrix(self, q):
        c = np.cos(q[1])
        return np.array([[3 + 2 * c, 1 + c], [1 + c, 1]])

    def coriolis_matrix(self, q, v):
        return -np.sin(q[1]) * np.array([[v[1], v[0] + v[1]], [-v[0], 0]])


def matrices(q2=0.7, **errors):
    q, v = np.array([0.3, q2]), np.array([1.0, -2.0])
    rate = -np.sin(q2) * v[1] * np.array([[2, 1], [1, 0]])
    true = {'mass': Planar().mass_matrix(q), 'mass_rate': rate}
    true['coriolis'] = Planar().coriolis_matrix(q, v)
    for name, error in errors.items():
        true[name] = true[name] + np.array([[0.0, error], [0.0, 0.0]])
    return Matrices.of([(q, v, *true.values())], Planar())


def broken(q2, **errors):
    """The laws of M and C that do not hold."""
    values = matrices(q2, **errors).values
    assert values.pop('smallest_eigenvalue') > 0.1
    return {key for key, error in values.items() if not error < 1e-8}


@pytest.mark.parametrize('q2', [0.7, 0.0])
def test_a_false_matrix_breaks_a_law_also_where_c_vanishes(q2):
    """Of the stretched arm C is zero; its rounding is not an error."""
    assert broken(q2, coriolis=1e-16, mass_rate=1e-12) == set()
    assert broken(q2, mass=0.01) == {'mass_error', 'mass_asymmetry'}
    assert broken(q2, coriolis=0.01) == {'coriolis_error', 'skewness'}
    assert broken(q2, mass_rate=0.01) == {'skewness'}
    assert broken(q2, coriolis=np.nan) == {'coriolis_error', 'skewness'}


DYNAMICS = RobotDynamics(parse_urdf(three_joints.URDF), backend='python')
POSE = np.array([0.3, 0.1, -0.7])
TIMES = np.arange(1000) * MS
ON = TIMES[200:700]
# On the hand, along its axes.
ACTING = np.array([3.0, 1.0, -4.0, 0.1, 0.0, 0.2])


def push(felt=None, acts=True):
    recorded = {'applied': wrenches(ON, np.tile(ACTING, (500, 1)))} if acts else {}
    pose = states(TIMES, np.tile(POSE, (1000, 1)), names=list(three_joints.JOINTS))
    stamps = ON[::8]
    grown = np.clip((stamps - ON[0]) / (100.0 * MS), 0.0, 1.0)[:, None]
    rows = grown * (np.zeros(6) if felt is None else felt)
    return Push.of(
        DYNAMICS, 'hand', phase(states=pose, wrenches=wrenches(stamps, rows), **recorded)
    )


def test_the_force_is_judged_by_what_the_joints_feel_of_it():
    observable = push().observable[-1]
    J = DYNAMICS.jacobian(POSE, 'hand', 'LOCAL')
    # The same torques, by a smaller wrench: three joints do not feel all six components.
    np.testing.assert_allclose(J.T @ observable, J.T @ ACTING, atol=1e-9)
    assert not push().whole
    assert push(observable).values['push_error'] == pytest.approx(0.0, abs=1e-9)
    assert push(0.97 * observable).values['push_error'] == pytest.approx(3.0)
    assert np.isnan(push(observable, acts=False).values['push_error'])


def collision(found=203, since=203, kind=2):
    """Positions move until 0.6 s, the command is gravity from 0.5 s on."""
    ones = np.ones((len(TIMES), 2))
    effort = np.where(TIMES[:, None] < 500 * MS, 5.0, 2.0) * ones
    contact = Contact(header=header(found * MS), kind=kind, since=header(since * MS).stamp)
    recorded = phase(
        states=states(TIMES, np.minimum(TIMES, 600 * MS)[:, None] * 1e-9 * ones),
        torques=torques(TIMES, effort=effort, gravity=2.0 * ones),
        applied=wrenches(ON, np.tile(ACTING, (500, 1))),
        contacts=samples([found * MS], [contact]),
    )
    return Collision.of(JOINTS, recorded)


def test_the_delay_runs_from_the_first_touch_in_stamps_of_states():
    act = collision()
    expected = {'collision_delay': 3.0, 'collision_hold': 0.0, 'collision_rest': 0.0}
    assert act.values == pytest.approx(expected)
    assert act.force == pytest.approx(np.linalg.norm(ACTING[:3]))
    assert act.torques['effort'][0][0] == pytest.approx(-0.2)


@pytest.mark.parametrize('contact', [{'found': 150, 'since': 150}, {'kind': 0}])
def test_a_collision_that_was_not_found_or_too_early_has_no_delay(contact):
    assert np.isnan(collision(**contact).delay)


@pytest.mark.parametrize('repeat', [1, 7])
def test_the_picture_is_drawn_for_few_joints_and_for_many(tmp_path, repeat):
    def wide(curve):
        return curve[0], np.tile(curve[1], repeat)

    two, five, mass = tracking(), collision(), np.kron(np.eye(repeat), matrices().mass)
    acts = Acts(
        Release(wide(release().fall), wide(release().hold)),
        Tracking(
            {name: wide(curve) for name, curve in two.errors.items()},
            {name: wide(curve) for name, curve in two.torques.items()},
        ),
        push(push().observable[-1]),
        Collision(
            {name: wide(curve) for name, curve in five.torques.items()},
            wide(five.position),
            five.force,
            five.delay,
        ),
        Matrices(mass, matrices().values),
        timing(),
    )
    model = SimpleNamespace(
        name='arm',
        joint_names=JOINTS * repeat,
        sliding=np.array([False, True] * repeat),
        effort_units=['N m', 'N'] * repeat,
    )
    verdict = Verdict.of(model, acts.values, acts.tracking.rms, acts.tracking.ratios)
    assert verdict.passed
    file = tmp_path / 'demo.png'
    draw(acts, verdict, 'An arm', file)
    assert file.read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'
    assert file.stat().st_size > 50_000
