import numpy as np
import pytest

from robot_dynamics_ros.demo.contact_act.contact_measurements import (
    ContactResults,
    FeltPush,
    FoundCollision,
)
from robot_dynamics_ros.demo.figures import Results, judge
from robot_dynamics_ros.demo.measurements import (
    MatrixErrors,
    Motion,
    RateLimitUse,
    Timeliness,
    TorqueParts,
    Tracking,
)
from robot_dynamics_ros.demo.verdict import Verdict
from robot_dynamics_ros.simulation.mujoco_model import JointData

TIMES = np.linspace(0.0, 4.0, 400)
PARTS = ('effort', 'gravity', 'coriolis', 'inertial', 'friction')


def joint(name, kind, friction=0.0):
    return JointData(name, kind, -1.0, 1.0, 1.0, 1.0, 0.0, friction, mimic=False)


def motion(size):
    return Motion(TIMES, np.outer(TIMES, [size, -size / 2]))


def tracking(size):
    wave = np.outer(np.sin(TIMES), [size, size / 2])
    return Tracking(TIMES, wave, wave)


def timeliness(latency, transport=0.0001, lost=0):
    """A second at 1 kHz, all answers equally late [s]."""
    return Timeliness(1000.0, 1000.0, np.full(500, latency), np.full(500, transport), lost, 500)


def contact(repeat=1):
    """A push that is felt, and a collision that is found; of two joints, or a multiple."""
    wrench = np.tile([1.0, 2.0, 3.0, 0.1, 0.2, 0.3], (len(TIMES), 1))
    rows = np.tile(np.outer(np.sin(TIMES), [5.0, 1.0]), repeat)
    collision = FoundCollision(
        *(TIMES - 1.0, rows, rows, 0.9 * rows),
        *(TIMES[:20], np.full(20, 50.0), TIMES - 1.0, rows),
        *(0.002, 0.0, 0.001),
    )
    return ContactResults(FeltPush(TIMES, wrench, TIMES, wrench, 0.001), collision, True)


def results(**changes):
    good = {
        'joints': [joint('shoulder', 'revolute'), joint('slide', 'prismatic')],
        'fall': motion(1.0),
        'hold': motion(1e-9),
        'servo_only': tracking(0.02),
        'with_gravity': tracking(0.01),
        'with_feedforward': tracking(0.0005),
        'torques': TorqueParts(TIMES, {part: np.outer(np.cos(TIMES), [5, 1]) for part in PARTS}),
        'contact': contact(),
        'matrices': MatrixErrors(0.0, 0.1, 1e-11, 1e-15, 1e-15),
        'mass_matrix': np.array([[2.0, 0.3], [0.3, 1.0]]),
        'timeliness': timeliness(0.0004),
        'rate_limit_use': RateLimitUse(0.002, 0.01),
        'cpu': {'arm': 0.3, 'node': 0.5},
        'rate': 1000.0,
    }
    return Results(**{**good, **changes})


def failed(results):
    return {figure.key for figure in judge(results) if not figure.passed}


def test_a_good_run_passes():
    assert failed(results()) == set()


@pytest.mark.parametrize(
    ('changes', 'keys'),
    [
        ({'fall': motion(0.001)}, {'fall'}),
        ({'hold': motion(0.01)}, {'drift'}),
        ({'with_feedforward': tracking(0.02)}, {'ratio', 'worst_ratio'}),
        ({'matrices': MatrixErrors(1e-9, 0.1, 0.0, 0.0, 0.0)}, {'mass_asymmetry'}),
        ({'matrices': MatrixErrors(0.0, -0.1, 0.0, 0.0, 0.0)}, {'smallest_eigenvalue'}),
        ({'matrices': MatrixErrors(0.0, 0.1, 1e-3, 0.0, 0.0)}, {'skewness'}),
        ({'matrices': MatrixErrors(0.0, 0.1, 0.0, 1e-9, 0.0)}, {'mass_error'}),
        ({'matrices': MatrixErrors(0.0, 0.1, 0.0, 0.0, np.nan)}, {'coriolis_error'}),
        ({'rate_limit_use': RateLimitUse(0.021, 0.01)}, {'command_step'}),
        ({'rate_limit_use': RateLimitUse(0.002, 0.051)}, {'command_lead'}),
        ({'rate_limit_use': RateLimitUse(np.nan, np.nan)}, {'command_step', 'command_lead'}),
        ({'timeliness': timeliness(0.05)}, {'latency_p50', 'latency_p99'}),
        ({'timeliness': timeliness(0.0004, lost=75)}, {'lost'}),
        (
            {'timeliness': Timeliness(400.0, 300.0, np.full(9, 4e-4), np.full(9, 1e-4), 0, 100)},
            {'state_rate', 'command_rate'},
        ),
        (
            {'timeliness': Timeliness(1000.0, 0.0, np.array([]), np.full(9, 1e-4), 0, 0)},
            {'command_rate', 'latency_p50', 'latency_p99', 'lost'},
        ),
    ],
)
def test_each_fault_fails_its_own_figure(changes, keys):
    assert failed(results(**changes)) == keys


@pytest.mark.parametrize(('transport', 'keys'), [(0.002, set()), (0.0001, {'latency_p50'})])
def test_an_answer_may_be_late_where_the_machine_is(transport, keys):
    assert failed(results(timeliness=timeliness(0.01, transport))) == keys


@pytest.mark.parametrize(('late', 'keys'), [(40, set()), (4, {'lost'})])
def test_states_may_be_lost_where_the_machine_paused(late, keys):
    """15 % are lost; of those that the observer got, some came later than ten states last."""
    transport = np.repeat([0.02, 0.0001], [late, 500 - late])
    time = Timeliness(1000.0, 1000.0, np.full(500, 0.0004), transport, 75, 500)
    assert failed(results(timeliness=time)) == keys


@pytest.mark.parametrize('joints', [2, 14])
def test_the_picture_is_drawn_for_few_joints_and_for_many(tmp_path, joints):
    pytest.importorskip('matplotlib')
    from robot_dynamics_ros.demo.picture import draw

    repeat = joints // 2
    few = results()
    many = results(
        joints=few.joints * repeat,
        fall=Motion(TIMES, np.tile(few.fall.displacement, repeat)),
        hold=Motion(TIMES, np.tile(few.hold.displacement, repeat)),
        **{
            name: Tracking(TIMES, *[np.tile(getattr(few, name).error, repeat)] * 2)
            for name in ('servo_only', 'with_gravity', 'with_feedforward')
        },
        torques=TorqueParts(
            TIMES, {name: np.tile(part, repeat) for name, part in few.torques.parts.items()}
        ),
        contact=contact(repeat),
        mass_matrix=np.kron(np.eye(repeat), few.mass_matrix),
    )
    file = tmp_path / 'demo.png'
    draw(many, Verdict('arm', judge(many), many.joint_rows()), file)
    assert file.read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'
    assert file.stat().st_size > 50_000
