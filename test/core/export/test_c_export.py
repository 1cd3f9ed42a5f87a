"""What is exported: the same bytes, safe functions, a check that finds errors."""

import hashlib
import re
import subprocess
import sys

import numpy as np
import pytest
from exported_library import (
    NAME,
    ExportedDynamics,
    compile_as_cpp,
    compile_c,
    needs_compilers,
    run,
)
from mechanics.closeness import assert_close
from mechanics.examples import EXAMPLES
from mechanics.planar_arms import POINT_AT_TIP, planar
from mechanics.robots import hand_written
from property_settings import ALL
from three_joints import URDF as THREE_JOINTS

from robot_dynamics_ros.cli import write_folder
from robot_dynamics_ros.core import (
    InertiaError,
    JointFriction,
    ParameterError,
    RobotDynamics,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.core.export import export_c
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.quantity import QUANTITIES

pytestmark = pytest.mark.contract

PROGRAM = """
import sys
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.export import export_c
print(export_c(parse_urdf(sys.stdin.read()), name='robot', urdf='x'))
"""


def model():
    return parse_urdf(THREE_JOINTS)


def test_the_same_robot_gives_the_same_bytes_in_another_process():
    outputs = {
        subprocess.run(
            [sys.executable, '-c', PROGRAM], input=THREE_JOINTS, capture_output=True, text=True,
            timeout=60, check=True, env={'PYTHONPATH': ':'.join(sys.path), 'PYTHONHASHSEED': seed},
        ).stdout
        for seed in ('1', '2')
    }  # fmt: skip
    assert outputs == {str(export_c(model(), name='robot', urdf='x')) + '\n'}


def test_the_header_names_the_description_the_joints_and_the_payloads():
    reduced = model().reduced(['turn', 'wrist'], others=0.1).with_payload('hand', 0.5)
    files = export_c(reduced, name=NAME, urdf=THREE_JOINTS)
    text = files[f'include/{NAME}_dynamics/{NAME}_dynamics.h']
    # Of the whole robot.
    assert hashlib.sha256(THREE_JOINTS.encode()).hexdigest() in text
    assert re.findall(r'^ \* +\d (\w+) +(\w+)$', text, re.M) == [
        (joint.kind, joint.name) for joint in reduced.independent_joints
    ]
    assert '0.5 kg' in text


@needs_compilers
@pytest.mark.parametrize('mass', [0.0, 1.3])
def test_the_payload_of_a_body_is_an_input(mass, tmp_path):
    """With it, the results are those of the robot that has it; with zeros, of the bare one."""
    bare = model()
    quantities = ['inverse_dynamics', 'mass_matrix', 'frame_poses']
    exported = ExportedDynamics(
        bare.with_payload('hand', 0.7), tmp_path, quantities=quantities, payload_frame='hand'
    )
    loaded = bare.with_payload('hand', mass, (0.1, 0.2, -0.1)) if mass else bare
    dynamics = RobotDynamics(loaded, backend='python')
    payload = loaded.inertial_parameters() - bare.inertial_parameters()
    payload = payload.reshape(-1, 10)[bare.frame('hand').body]
    for state in random_states(bare, 5):
        q, v, a = state.q, state.v, state.a
        code, tau = exported.call('inverse_dynamics', q, v, a, exported.gravity, payload, size=3)
        assert code == 0
        assert_close(tau, dynamics.inverse_dynamics(q, v, a))
        code, M = exported.call('mass_matrix', q, payload, size=9)
        assert_close(M.reshape(3, 3), dynamics.mass_matrix(q))
        # Poses do not depend on it: their function does not take it.
        poses = dynamics.frame_poses(q)
        _, found = exported.call('frame_poses', q, size=poses.size)
        assert_close(found.reshape(poses.shape), poses)


@needs_compilers
def test_of_several_frames_each_has_its_functions(tmp_path):
    quantities, frames = ['jacobian', 'gravity_torque'], ['hand', 'slider']
    exported = ExportedDynamics(model(), tmp_path, quantities=quantities, frame=frames)
    dynamics, q = RobotDynamics(model(), backend='python'), [0.3, 0.1, -0.7]
    for frame in frames:
        _, found = exported.call(f'jacobian_{frame}', q, size=18)
        assert_close(found.reshape(6, 3), dynamics.jacobian(q, frame))
    _, g = exported.call('gravity_torque', q, exported.gravity, size=3)
    assert_close(g, dynamics.gravity_torque(q))


def test_the_order_of_the_friction_coefficients_is_said_where_they_are_passed():
    labels = QUANTITIES['friction_step'].labels(model())['friction']
    kinds = [label.split(' of the ')[0].replace(' ', '_') for label in labels[::3]]
    files = export_c(model(), name=NAME, library=True, friction=JointFriction(model(), **RUBBING))
    for path in (f'include/{NAME}_dynamics/{NAME}_dynamics.h', 'src/robot_dynamics_library.h'):
        text = files[path]
        said = text[text.index('one kind after the other') :]
        assert [word for word in re.findall(r'\w+', said) if word in kinds][:14] == kinds, path


@needs_compilers
def test_nothing_is_needed_from_outside(tmp_path):
    """No function, no writable data: what `nm` lists beside code and constants is a defect."""
    of_states = [name for name, each in QUANTITIES.items() if not each.of_frame]
    dynamics = ExportedDynamics(model(), tmp_path, quantities=of_states)
    assert dynamics.library
    compile_c(tmp_path, f'src/{NAME}_dynamics.c', '-ffreestanding', '-O2', '-c', '-o',
              tmp_path / 'robot.o')  # fmt: skip
    symbols = run('nm', tmp_path / 'robot.o').stdout.split('\n')
    kinds = {line.split()[-2] for line in symbols if line and 'GLOBAL_OFFSET' not in line}
    assert kinds <= {'T', 't', 'R', 'r', 'D', 'd'}, symbols
    # With -fPIC the table of names is relocated, and not writable later.
    assert {line.split()[-1] for line in symbols if ' D ' in line} <= {'robot_joint_names'}


@needs_compilers
def test_angles_beyond_the_range_and_nan_write_nothing(tmp_path):
    dynamics = ExportedDynamics(model(), tmp_path, quantities=['gravity_torque', 'mass_matrix'])
    n = dynamics.model.size
    for angle in (np.nan, np.inf, 2.0**30, -1e300):
        q = np.full(n, 0.1)
        q[dynamics.model.index_of('wrist')] = angle
        code, result = dynamics.call('mass_matrix', q, size=n * n)
        assert code == -1
        assert np.isnan(result).all()


@needs_compilers
def test_a_condition_that_does_not_hold_is_numbered_and_writes_nothing(tmp_path):
    """All mass is a point at the tip: a stretched arm cannot move it along the arm."""
    dynamics = ExportedDynamics(
        parse_urdf(POINT_AT_TIP), tmp_path, quantities=['mass_matrix_inverse', 'mass_matrix']
    )
    code, result = dynamics.call('mass_matrix_inverse', [0.3, 0.0], size=4)
    assert code > 0
    assert np.isnan(result).all()
    header = next(tmp_path.rglob('*.h')).read_text()
    assert re.search(rf"Returns {code}: .*singular.*'joint1'", header)
    code, inverse = dynamics.call('mass_matrix_inverse', [0.3, 1.0], size=4)
    _, M = dynamics.call('mass_matrix', [0.3, 1.0], size=4)
    assert code == 0
    assert_close(inverse.reshape(2, 2) @ M.reshape(2, 2), np.eye(2), 10.0)


# One joint, which needs few of the arguments; mimic joints; arms and a tree with branches.
ROBOTS = [hand_written('pendulum'), hand_written('mimic')]
if ALL:
    ROBOTS += [robot for robot in EXAMPLES if robot.path.stem in ('ur5_robot', 'panda', 'solo')]


@needs_compilers
@pytest.mark.parametrize('robot', ROBOTS, ids=str)
def test_every_quantity_is_that_of_the_algorithms_without_undefined_behaviour(robot, tmp_path):
    """As its own check says, and without a warning; C++17 too."""
    robot = robot.model
    write_folder(
        tmp_path,
        export_c(robot, name=NAME, quantities=list(QUANTITIES), frame=robot.frames[-1].name),
    )
    compile_c(
        tmp_path, 'check/check.c', tmp_path / 'src' / f'{NAME}_dynamics.c',
        '-fsanitize=undefined,float-divide-by-zero,float-cast-overflow',
        '-fno-sanitize-recover=all', '-o', tmp_path / 'check.out',
    )  # fmt: skip
    assert 'as recorded' in run(tmp_path / 'check.out').stdout
    compile_as_cpp(tmp_path)


@needs_compilers
def test_the_check_finds_what_is_wrong(tmp_path):
    write_folder(tmp_path, export_c(model(), name=NAME, quantities=['inverse_dynamics']))
    source = tmp_path / 'src' / f'{NAME}_dynamics.c'
    text, tail = source.read_text().rsplit('\nint ', 1)
    text = re.sub(r'const double t(\d+) = t(\d+) - ', r'const double t\1 = t\2 + ', text, count=1)
    source.write_text(f'{text}\nint {tail}')
    compile_c(tmp_path, 'check/check.c', source, '-o', tmp_path / 'check.out')
    ended = subprocess.run([tmp_path / 'check.out'], capture_output=True, text=True, timeout=20)
    assert ended.returncode == 1


RUBBING = {'viscous': {'wrist': 0.1}}
FRAMED = {'quantities': ['jacobian'], 'frame': 'hand'}


@pytest.mark.parametrize(
    ('options', 'error', 'named'),
    [
        ({'quantities': []}, ParameterError, 'quantit'),
        ({'quantities': 'gravity_torque'}, ParameterError, 'sequence of names'),
        ({'quantities': [3]}, ParameterError, 'quantities is 3'),
        ({'quantities': ['observer_step']}, UnknownNameError, 'observer_step'),
        ({'quantities': ['mass_matrix', 'mass_matrix']}, ParameterError, 'mass_matrix'),
        ({'quantities': ['jacobian']}, ParameterError, 'jacobian .*frame'),
        (FRAMED | {'frame': 3}, ParameterError, 'frame is 3'),
        (FRAMED | {'frame': 'x'}, UnknownNameError, "'x'"),
        (FRAMED | {'frame': ['hand', 'Hand']}, ParameterError, 'hand, Hand'),
        (FRAMED | {'axes': 'ALL'}, ParameterError, "'ALL'"),
        (FRAMED | {'quantities': ['frame_pose'], 'axes': 'WORLD'}, ParameterError, 'WORLD'),
        ({'frame': 'hand'}, ParameterError, "'hand': .*frame_pose, .*external_torque"),
        ({'axes': 'LOCAL'}, ParameterError, 'LOCAL: .*jacobian'),
        ({'urdf': b'x'}, ParameterError, 'urdf .*bytes'),
        ({'payload_frame': 'x'}, UnknownNameError, "'x'"),
        ({'payload_frame': 'base'}, ParameterError, "'base'"),
        ({'payload_frame': 'hand', 'library': True}, ParameterError, 'payload_frame'),
        ({'library': True, 'offsets': [1.0]}, ParameterError, 'offsets'),
    ],
)
def test_what_cannot_be_exported_is_named(options, error, named):
    with pytest.raises(error, match=named):
        export_c(model(), **options)


def test_all_quantities_that_a_robot_has_not_are_named_at_once():
    massless = parse_urdf(planar((0.5, 0.3), (0.0, 0.3), (0.0, 0.0), (0.0, 0.0)))
    names = 'mass_matrix_inverse, forward_dynamics'
    with pytest.raises(InertiaError, match=names):
        export_c(massless, quantities=['mass_matrix', *names.split(', ')])
    assert export_c(massless, quantities=['mass_matrix'])
