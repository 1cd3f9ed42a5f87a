import numpy as np
import pytest

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.demo import measurements
from robot_dynamics_ros.demo.received_messages import (
    Channel,
    Content,
    MatrixSample,
    PhaseRecording,
    Samples,
)

MS = 1_000_000
JOINTS = ('b', 'a')


def samples(stamp, sent, received, **rows):
    as_times = [np.array(times, dtype=np.int64) for times in (stamp, sent, received)]
    return Samples(JOINTS, *as_times, {name: np.array(row) for name, row in rows.items()})


def take(states, torques=None, commands=None, start=0):
    empty = samples([], [], [])
    return PhaseRecording(start, states, torques or empty, commands or empty, {})


def test_motion_is_measured_from_where_it_began_by_joint_name():
    positions = [[1.0, 2.0], [1.5, 2.0], [0.0, 2.25]]
    states = samples([5, 6, 7], [5, 6, 7], [5, 6, 7], position=positions)
    motion = measurements.motion(take(states, start=5), ['a', 'b'])
    np.testing.assert_array_equal(motion.displacement, [[0, 0], [0, 0.5], [0.25, -1.0]])
    np.testing.assert_allclose(motion.times, [0.0, 1e-9, 2e-9])
    assert motion.largest == 1.0


def test_tracking_error_is_taken_at_the_time_of_the_state():
    stamps = [0, 500 * MS, 1000 * MS]
    states = samples(stamps, stamps, stamps, position=[[9.0, 0.1], [9.0, 0.6], [9.0, 0.9]])
    line = Trajectory([Point(0.0, np.array([0.0])), Point(1.0, np.array([1.0]))])
    tracking = measurements.tracking(take(states), ['a'], line)
    np.testing.assert_allclose(tracking.error[:, 0], [0.1, 0.1, -0.1])
    assert tracking.rms == pytest.approx([0.1])


def test_latency_runs_from_the_state_to_the_command_that_answers_it():
    sent = np.arange(0, 200) * MS
    states = samples(sent, sent, sent + 1)
    answered = np.delete(np.arange(200), [20, 30])
    commands = samples(answered * 0, answered * MS + 400_000, answered * MS + 500_000)
    torques = samples(answered * MS, answered * MS + 450_000, answered * MS + 900_000)
    time = measurements.timeliness(take(states, torques, commands))
    np.testing.assert_allclose(time.latency, 0.0005)
    np.testing.assert_allclose(time.transport, 1e-9)
    assert (time.lost, time.expected) == (2, 150)
    assert time.state_rate == pytest.approx(1000.0)
    assert time.command_rate == pytest.approx(1000.0 * 197 / 199)


def test_a_silent_node_has_no_latency_and_loses_everything():
    sent = np.arange(0, 200) * MS
    time = measurements.timeliness(take(samples(sent, sent, sent)))
    assert (len(time.latency), time.command_rate, time.lost) == (0, 0.0, time.expected)


RATES = np.array([100.0, 10.0])


@pytest.mark.parametrize('sign', [1.0, -1.0])
@pytest.mark.parametrize(('rate', 'lead'), [(0.5, 0.0), (1.0, 0.0), (3.0, 0.2)])
def test_the_lead_counts_what_small_steps_add_up_to(rate, lead, sign):
    """After a rest, 0.1 s at a share of the rate limit."""
    times = np.arange(301)
    taken = np.clip(times - 200, 0, None) * 1e-3 * rate
    effort = sign * np.outer(taken, [0.1, 1.0]) * RATES
    use = measurements.rate_limit_use(samples(times, times * MS, times * MS, effort=effort), RATES)
    assert use.step == pytest.approx(1e-3 * rate)
    assert use.lead == pytest.approx(lead, abs=1e-12)


def test_the_first_command_begins_from_no_torque():
    use = measurements.rate_limit_use(samples([0], [0], [0], effort=[[1.0, 1.0]]), RATES)
    assert use == measurements.RateLimitUse(0.1, 0.0)


def test_without_commands_the_rate_limit_use_is_nan():
    use = measurements.rate_limit_use(samples([], [], []), RATES)
    assert np.isnan([use.step, use.lead]).all()


def planar_2r(q2, v):
    """M, dM/dt and C (Christoffel) of two unit rods with point masses at their ends."""
    c, s = np.cos(q2), np.sin(q2)
    mass = np.array([[3 + 2 * c, 1 + c], [1 + c, 1]])
    rate = -s * v[1] * np.array([[2, 1], [1, 0]])
    coriolis = -s * np.array([[v[1], v[0] + v[1]], [-v[0], 0]])
    return mass, rate, coriolis


@pytest.fixture
def matrices():
    return MatrixSample(np.array([0.3, 0.7]), np.array([1.0, -2.0]), *planar_2r(0.7, [1.0, -2.0]))


def test_true_matrices_obey_all_laws(matrices):
    expected = [(matrices.mass, matrices.coriolis)]
    errors = measurements.matrix_errors([matrices], expected)
    assert errors.smallest_eigenvalue == pytest.approx(np.linalg.eigvalsh(matrices.mass)[0])
    assert errors.mass_asymmetry == errors.mass_error == errors.coriolis_error == 0.0
    assert errors.skewness < 1e-15


@pytest.mark.parametrize(
    ('name', 'law'),
    [('mass', 'mass_error'), ('mass', 'mass_asymmetry'), ('coriolis', 'skewness'),
     ('coriolis', 'coriolis_error'), ('mass_rate', 'skewness')],
)  # fmt: skip
def test_a_false_matrix_breaks_a_law(matrices, name, law):
    expected = [(matrices.mass.copy(), matrices.coriolis.copy())]
    getattr(matrices, name)[0, 1] += 0.01
    assert getattr(measurements.matrix_errors([matrices], expected), law) > 1e-3


ROUNDING = np.full((2, 2), 1e-16)


@pytest.mark.parametrize('q2', [0.0, np.pi])
def test_rounding_is_small_where_the_coriolis_matrix_vanishes(q2):
    """Of the stretched or folded arm, C is zero; so it is, of a gantry, everywhere."""
    v = np.array([1.0, -2.0])
    mass, rate, coriolis = planar_2r(q2, v)
    sample = MatrixSample(np.array([0.3, q2]), v, mass, rate + 1e-12, coriolis + ROUNDING)
    errors = measurements.matrix_errors([sample], [(mass, coriolis)])
    assert errors.coriolis_error < 1e-14
    assert errors.skewness < 1e-10


def test_a_false_coriolis_matrix_is_found_where_the_true_one_vanishes():
    v = np.array([1.0, -2.0])
    mass, rate, coriolis = planar_2r(0.0, v)
    sample = MatrixSample(np.zeros(2), v, mass, rate, coriolis + 0.01)
    errors = measurements.matrix_errors([sample], [(mass, coriolis)])
    assert min(errors.coriolis_error, errors.skewness) > 1e-3


def test_a_channel_reads_only_what_is_asked_for():
    read = []

    def content(message):
        read.append(message)
        return Content(int(message), ('a',), {'position': [float(message)]})

    channel = Channel(content)
    for time in range(10):
        info = {'source_timestamp': time, 'received_timestamp': time + 1}
        channel.add(str(time).encode(), info)
    assert len(channel) == 10
    chosen = channel.between(3, 5)
    assert len(chosen) == len(read) == 3
    np.testing.assert_array_equal(chosen.columns('position', ['a']), [[3.0], [4.0], [5.0]])
    np.testing.assert_array_equal(chosen.received, [4, 5, 6])
    assert len(channel.between(50, 60)) == 0
