import numpy as np
import pytest

from robot_dynamics_ros.demo.figures import Results, judge
from robot_dynamics_ros.demo.measurements import (
    MatrixErrors,
    Motion,
    Timeliness,
    TorqueParts,
    Tracking,
)
from robot_dynamics_ros.demo.report import Verdict
from robot_dynamics_ros.simulation.description import JointData

TIMES = np.linspace(0.0, 4.0, 400)
PARTS = ('effort', 'gravity', 'coriolis', 'inertial', 'friction')


def joint(name, kind):
    return JointData(name, kind, -1.0, 1.0, 1.0, 1.0, 0.0, 0.0, mimic=False)


def motion(size):
    return Motion(TIMES, np.outer(TIMES, [size, -size / 2]))


def tracking(size):
    wave = np.outer(np.sin(TIMES), [size, size / 2])
    return Tracking(TIMES, wave, wave)


def results(**changes):
    good = {
        'joints': [joint('shoulder', 'revolute'), joint('slide', 'prismatic')],
        'fall': motion(1.0),
        'hold': motion(1e-9),
        'servo_only': tracking(0.02),
        'with_gravity': tracking(0.01),
        'with_feedforward': tracking(0.0005),
        'torques': TorqueParts(TIMES, {part: np.outer(np.cos(TIMES), [5, 1]) for part in PARTS}),
        'matrices': MatrixErrors(0.0, 0.1, 1e-11, 1e-15, 1e-15),
        'mass_matrix': np.array([[2.0, 0.3], [0.3, 1.0]]),
        'timeliness': Timeliness(1000.0, 1000.0, np.full(500, 0.0004), 0, 500),
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
        (
            {'timeliness': Timeliness(500.0, 500.0, np.full(9, 0.05), 30, 100)},
            {'state_rate', 'command_rate', 'latency_p50', 'latency_p99', 'lost'},
        ),
        (
            {'timeliness': Timeliness(1000.0, 0.0, np.array([]), 0, 0)},
            {'command_rate', 'latency_p50', 'latency_p99', 'lost'},
        ),
    ],
)
def test_each_fault_fails_its_own_figure(changes, keys):
    assert failed(results(**changes)) == keys


def test_the_worst_joint_is_named():
    labels = [figure.label for figure in judge(results()) if figure.key == 'worst_ratio']
    assert labels == ['the same, worst joint (shoulder)']


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
        mass_matrix=np.kron(np.eye(repeat), few.mass_matrix),
    )
    file = tmp_path / 'demo.png'
    draw(many, Verdict('arm', judge(many), many.joint_rows()), file)
    assert file.read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'
    assert file.stat().st_size > 50_000
