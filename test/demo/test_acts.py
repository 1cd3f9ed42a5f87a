"""What the acts measure, from messages whose answer is known, and how it is judged and drawn."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')
pytest.importorskip('matplotlib')
pytest.importorskip('robot_dynamics_interfaces')

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_msgs.msg import Header as RosHeader

from robot_dynamics_interfaces.msg import Contact, JointTorques
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.demo.client import PARTS, Phase, Samples
from robot_dynamics_ros.demo.contact import Collision, Push
from robot_dynamics_ros.demo.matrices import Matrices, MatrixSample
from robot_dynamics_ros.demo.observer import Acts
from robot_dynamics_ros.demo.release import Release
from robot_dynamics_ros.demo.timing import Timing, rate_limit_use
from robot_dynamics_ros.demo.tracking import TAKES, Tracking
from robot_dynamics_ros.simulation.mujoco_model import JointData

MS = 1_000_000
START = 5 * 10**18
NAMES = ['b', 'a']
FORCE = np.array([3.0, 0.0, -4.0, 0.1, 0.0, 0.0])


def joint(name, kind='revolute'):
    return JointData(name, kind, -1.0, 1.0, 1.0, 1.0, 0.0, 0.0, mimic=False)


JOINTS = [joint('a'), joint('b', 'prismatic')]


def header(stamp):
    seconds, rest = divmod(START + int(stamp), 10**9)
    return RosHeader(stamp=Time(sec=int(seconds), nanosec=int(rest)))


def samples(sent, messages=None, received=None):
    """Messages that were sent at times since START [ns]."""
    sent = np.asarray(sent, dtype=np.int64) + START
    received = sent if received is None else np.asarray(received, dtype=np.int64) + START
    messages = [None] * len(sent) if messages is None else list(messages)
    return Samples(sent, received, messages)


def states(stamps, positions=None, received=None):
    positions = np.zeros((len(stamps), 2)) if positions is None else positions
    rows = zip(stamps, np.asarray(positions, dtype=float), strict=True)
    messages = [JointState(header=header(t), name=NAMES, position=row) for t, row in rows]
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
    for stamp, row in zip(stamps, rows, strict=True):
        force, torque = (
            Vector3(x=x, y=y, z=z) for x, y, z in (row[:3].tolist(), row[3:].tolist())
        )
        wrench = Wrench(force=force, torque=torque)
        messages.append(WrenchStamped(header=header(stamp), wrench=wrench))
    return samples(stamps, messages)


NOTHING = samples([])


def phase(states=NOTHING, torques=NOTHING, commands=NOTHING, **others):
    felt = {name: others.get(name, NOTHING) for name in ('applied', 'wrenches', 'contacts')}
    return Phase(START, states, torques, commands, **felt, cpu={'node': 0.3})


def failed(act):
    return {figure.key for figure in act.figures() if not figure.passed}


def release(drift=1e-9, fall=1.0):
    stamps = np.arange(0, 1000, 10) * MS
    moved = np.linspace(0.0, 1.0, 100)[:, None] * [1.0, 0.5] + [9.0, 2.0]
    parts = [phase(states(stamps, (moved - moved[0]) * size + moved[0])) for size in (fall, drift)]
    return Release.of(JOINTS, *parts)


def test_displacement_is_measured_from_where_it_began_by_joint_name():
    act = release()
    np.testing.assert_allclose(act.fall[-1], [0.5, 1.0])
    assert act.held_for == pytest.approx(0.99)
    assert failed(act) == set()
    assert failed(release(drift=0.01)) == {'drift'}
    assert failed(release(fall=0.01)) == {'fall'}


LINE = Trajectory([Point(0.0, np.zeros(2)), Point(1.0, np.ones(2))])


def tracking(**sizes):
    stamps = np.arange(0, 1000, 10) * MS
    on_line = stamps[:, None] * 1e-9 * np.ones(2)
    wave = np.outer(np.sin(stamps * 1e-8), [0.5, 1.0])
    sizes = {'servo_only': 0.02, 'with_gravity': 0.01, 'with_feedforward': 0.0005} | sizes
    parts = dict.fromkeys(('effort', *PARTS), 5.0 * wave)
    takes = {
        name: phase(states(stamps, on_line + size * wave), torques(stamps, **parts))
        for name, size in sizes.items()
    }
    return Tracking.of(JOINTS, LINE, takes)


def test_tracking_error_is_taken_at_the_time_of_the_state():
    a, b = tracking().rows()
    assert (a.name, a.unit, b.unit) == ('a', 'rad', 'm')
    assert a.servo_only == pytest.approx(0.02 / np.sqrt(2), rel=0.1)
    assert b.servo_only == pytest.approx(a.servo_only / 2)
    assert b.ratio == pytest.approx(0.025)
    assert failed(tracking()) == set()
    assert failed(tracking(with_feedforward=0.02)) == {'ratio', 'worst_ratio'}


def timing(latency=0.0004, transport=0.0001, lost=0, **changes):
    """A second at 1 kHz, all answers equally late [s]."""
    sent = np.arange(1000) * MS
    answered = np.delete(np.arange(1000), np.linspace(0, 900, lost).astype(int))
    arrived = answered * MS + int(latency * 1e9)
    given = samples(answered * MS + 100, received=arrived)
    after = torques(answered * MS, sent=answered * MS + 200)
    commands = samples([0], [Float64MultiArray(data=[0.01, 0.0])])
    recorded = phase(states(sent, received=sent + int(transport * 1e9)), after, given)
    return replace(Timing.of(1000.0, recorded, commands, np.ones(2)), **changes)


def test_latency_runs_from_the_state_to_the_command_that_answers_it():
    act = timing(lost=10)
    np.testing.assert_allclose(act.latency, 0.0004)
    np.testing.assert_allclose(act.transport, 0.0001)
    assert (act.lost, act.expected) == (10, 950)
    assert act.state_rate == pytest.approx(1000.0)
    assert act.step == pytest.approx(0.001)
    assert failed(act) == set()


@pytest.mark.parametrize(
    ('act', 'keys'),
    [
        (timing(step=0.021), {'command_step'}),
        (timing(lead=0.051), {'command_lead'}),
        (timing(0.05), {'latency_p50', 'latency_p99'}),
        (timing(lost=200), {'lost'}),
        # An answer may be late where the machine is.
        (timing(0.01, transport=0.002), set()),
        (timing(0.01), {'latency_p50'}),
        (timing(state_rate=400.0, command_rate=300.0), {'state_rate', 'command_rate'}),
        (
            replace(timing(), latency=np.empty(0), expected=0, command_rate=0.0),
            {'command_rate', 'latency_p50', 'latency_p99', 'lost'},
        ),
    ],
)
def test_what_is_too_late_exceeds_its_own_bound(act, keys):
    assert failed(act) == keys


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
    assert np.isnan(rate_limit_use(NOTHING, rates)).all()


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
    return Matrices.of(JOINTS, [MatrixSample(q, v, **true)], Planar())


@pytest.mark.parametrize('q2', [0.7, 0.0])
def test_a_false_matrix_breaks_a_law_also_where_c_vanishes(q2):
    """Of the stretched arm C is zero; its rounding is not an error."""
    assert failed(matrices(q2, coriolis=1e-16, mass_rate=1e-12)) == set()
    assert failed(matrices(q2, mass=0.01)) == {'mass_error', 'mass_asymmetry'}
    assert failed(matrices(q2, coriolis=0.01)) == {'coriolis_error', 'skewness'}
    assert failed(matrices(q2, mass_rate=0.01)) == {'skewness'}
    assert failed(matrices(q2, coriolis=np.nan)) == {'coriolis_error', 'skewness'}


TIMES = np.arange(1000) * MS
ON = TIMES[200:700]
PUSHED = wrenches(ON, np.tile(FORCE, (500, 1)))


def push(share=1.0, judged=True, **others):
    grown = np.clip((ON - ON[0]) / (100.0 * MS), 0.0, 1.0)[:, None]
    felt = wrenches(ON, share * grown * FORCE)
    return Push.of(phase(**{'applied': PUSHED, 'wrenches': felt} | others), judged=judged)


def test_the_error_is_that_of_the_force_at_the_end():
    assert push().error == pytest.approx(0.0, abs=1e-12)
    assert push(0.97).error == pytest.approx(0.03)
    assert np.isnan([push(applied=NOTHING).error, push(wrenches=NOTHING).error]).all()
    assert failed(push(0.97)) == {'push_error'}
    assert failed(push(0.97, judged=False)) == set()


def collision(found=203, since=203, kind=2):
    """Positions move until 0.6 s, the command is gravity from 0.5 s on."""
    ones = np.ones((len(TIMES), 2))
    moving = np.minimum(TIMES, 600 * MS)[:, None] * 1e-9 * ones
    effort = np.where(TIMES[:, None] < 500 * MS, 5.0, 2.0) * ones
    contact = Contact(header=header(found * MS), kind=kind, since=header(since * MS).stamp)
    recorded = phase(
        states(TIMES, moving),
        torques(TIMES, effort=effort, gravity=2.0 * ones),
        applied=PUSHED,
        contacts=samples([found * MS], [contact]),
    )
    return Collision.of(JOINTS, recorded)


def test_the_delay_runs_from_the_first_touch_in_stamps_of_states():
    act = collision()
    assert act.delay == pytest.approx(0.003)
    assert act.wall == pytest.approx(5.0)
    assert act.times[0] == pytest.approx(-0.2)
    assert failed(act) == set()
    assert [one.mark for one in collision(220, 220).figures()] == ['slow', 'pass', 'pass']


@pytest.mark.parametrize('contact', [{'found': 150, 'since': 150}, {'kind': 0}])
def test_a_collision_that_was_not_found_or_too_early_has_no_delay(contact):
    assert np.isnan(collision(**contact).delay)
    assert [one.key for one in collision(**contact).figures() if one.fails] == ['collision_delay']


@pytest.mark.parametrize('repeat', [1, 7])
def test_the_picture_is_drawn_for_few_joints_and_for_many(tmp_path, repeat):
    def wide(rows):
        return np.tile(rows, repeat)

    joints = JOINTS * repeat
    one, two, five = release(), tracking(), collision()
    acts = Acts(
        replace(one, joints=joints, fall=wide(one.fall), hold=wide(one.hold)),
        timing(),
        replace(
            two,
            joints=joints,
            errors={name: (two.errors[name][0], wide(two.errors[name][1])) for name in TAKES},
            torques={name: wide(part) for name, part in two.torques.items()},
        ),
        push(),
        replace(
            five,
            joints=joints,
            **{
                name: wide(getattr(five, name))
                for name in ('external', 'command', 'gravity', 'position')
            },
        ),
        replace(matrices(), joints=joints, mass=np.kron(np.eye(repeat), matrices().mass)),
    )
    verdict = acts.verdict('arm')
    assert verdict.passed
    file = tmp_path / 'demo.png'
    acts.draw(verdict, file)
    assert file.read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'
    assert file.stat().st_size > 50_000
