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
from mechanics.batches import call, inputs_of
from mechanics.closeness import assert_close
from mechanics.examples import example
from mechanics.float_dynamics import FloatDynamics
from mechanics.planar_arms import POINT_AT_TIP, planar_2r
from mechanics.robots import hand_written
from property_settings import ALL
from three_joints import URDF as THREE_JOINTS

from robot_dynamics_ros.cli import write_folder
from robot_dynamics_ros.core import (
    InertiaError,
    ParameterError,
    RobotDynamics,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.core.export import export_c
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.quantity import QUANTITIES

pytestmark = pytest.mark.contract

OF_FRAMES = 'frame_pose, .*external_torque'
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


def header(robot, **options):
    """Its lines as they are, and its comments as one text."""
    files = export_c(robot, name=NAME, **options)
    text = files[f'include/{NAME}_dynamics/{NAME}_dynamics.h']
    return text, ' '.join(re.sub(r'^ \* ?', ' ', text, flags=re.M).split())


def test_the_header_names_the_description_the_joints_and_the_payloads():
    reduced = model().reduced(['turn', 'wrist'], others=0.1).with_payload('hand', 0.5)
    lines, text = header(reduced, urdf=THREE_JOINTS)
    # Of the whole robot.
    assert hashlib.sha256(THREE_JOINTS.encode()).hexdigest() in text
    assert re.findall(r'^ \* +\d (\w+) +(\w+)$', lines, re.M) == [
        (joint.kind, joint.name) for joint in reduced.independent_joints
    ]
    assert '0.5 kg, is included' in text
    assert re.search(r'\bDBL_MAX\b.*lower -DBL_MAX', text)


def test_bodies_links_and_mimic_joints_are_named_in_order():
    robot = hand_written('mimic').model
    _, text = header(robot, quantities=['regressor', 'frame_poses'])
    followers = [joint for joint in robot.joints if joint.mimicked is not None]
    assert followers
    for joint in followers:
        place = joint.coordinate
        assert (
            f'"{joint.name}" = {place.multiplier:g} "{joint.mimicked}" + {place.offset:g}' in text
        )
    assert ', '.join(f'"{frame.name}"' for frame in robot.frames) in text
    masses = [text.index(f'"m of {joint.name}"') for joint in robot.joints]
    assert masses == sorted(masses)
    assert 'Mimic joints' not in header(model())[1]


# Turning joints; with sliding and mimic joints; a tree with branches.
ROBOTS = ('ur_description/urdf/ur5_robot.urdf', 'panda_description/urdf/panda.urdf',
          'solo_description/robots/solo.urdf')[: 3 if ALL else 1]  # fmt: skip


@needs_compilers
@pytest.mark.parametrize('name', ROBOTS)
def test_every_quantity_is_that_of_the_algorithms(name, tmp_path):
    """Freestanding, and every warning an error; as C++17 too. Pinocchio agrees with those."""
    model = example(name).model
    exported = ExportedDynamics(model, tmp_path, frame=model.links[-1].name)
    reference = FloatDynamics(model)
    for quantity in QUANTITIES:
        for inputs in zip(*inputs_of(model, quantity, 5), strict=True):
            expected = call(reference, quantity, *inputs, axes='LOCAL_WORLD_ALIGNED')
            scale = 100.0 * np.abs(expected).max() + 1.0
            assert_close(call(exported, quantity, *inputs), expected, scale)
    compile_as_cpp(tmp_path, '-ffreestanding')


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
    carrier = bare.frame('hand').body
    payload = payload.reshape(-1, 10)[carrier]
    for state in random_states(bare, 5):
        q, v, a = state.q, state.v, state.a
        code, tau = exported.call('inverse_dynamics', q, v, a, exported.gravity, payload, size=3)
        assert code == 0
        assert_close(tau, dynamics.inverse_dynamics(q, v, a))
        code, M = exported.call('mass_matrix', q, payload, size=9)
        assert_close(M.reshape(3, 3), dynamics.mass_matrix(q))
        # Poses do not depend on it: their function does not take it.
        assert_close(exported.frame_poses(q), dynamics.frame_poses(q))
    header = next(tmp_path.rglob('*.h')).read_text()
    assert 'body of joint "wrist"' in ' '.join(header.split())
    assert '0.7 kg' not in header


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
def test_a_finite_result_does_not_show_that_the_inputs_were(tmp_path):
    """As the header says: only angles that the result depends on are looked at."""
    pendulum = hand_written('pendulum').model
    dynamics = ExportedDynamics(pendulum, tmp_path, quantities=['inverse_dynamics', 'mass_matrix'])
    code, tau = dynamics.call('inverse_dynamics', [0.3], [np.nan], [0.1], dynamics.gravity, size=1)
    assert (code, np.isfinite(tau).all()) == (0, True)
    code, M = dynamics.call('mass_matrix', [np.nan], size=1)
    assert (code, np.isfinite(M).all()) == (0, True)
    assert 'every input' in header(pendulum)[1]


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
    inverse = dynamics.mass_matrix_inverse([0.3, 1.0])
    assert_close(inverse @ dynamics.mass_matrix([0.3, 1.0]), np.eye(2), 1e-12)


@needs_compilers
@pytest.mark.parametrize('name', ['pendulum', 'mimic'])
def test_every_quantity_checks_itself_without_warnings_and_undefined_behaviour(name, tmp_path):
    """Arguments that a robot does not need, too: one joint has no Coriolis torque."""
    robot = hand_written(name).model
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


@needs_compilers
def test_fast_math_is_refused(tmp_path):
    write_folder(tmp_path, export_c(model(), name=NAME, quantities=['gravity_torque']))
    with pytest.raises(AssertionError, match='NaN must stay visible'):
        compile_c(tmp_path, f'src/{NAME}_dynamics.c', '-ffast-math', '-fsyntax-only')


@pytest.mark.parametrize(
    ('options', 'error', 'message'),
    [
        ({'quantities': []}, ParameterError, 'at least one'),
        ({'quantities': 'gravity_torque'}, ParameterError, 'sequence of names'),
        ({'quantities': [3]}, ParameterError, 'quantities is 3'),
        ({'quantities': ['observer_step']}, UnknownNameError, 'observer_step'),
        ({'quantities': ['jacobian'], 'frame': 3}, ParameterError, 'frame is 3, one name'),
        ({'frame': 'hand'}, ParameterError, f"frame 'hand': .*{OF_FRAMES}"),
        ({'axes': 'LOCAL'}, ParameterError, 'axes LOCAL: .*jacobian, jac'),
        ({'quantities': ['jacobian'], 'frame': 'hand', 'axes': 'ALL'}, ParameterError, "'ALL'"),
        ({'quantities': ['frame_pose'], 'frame': 'hand', 'axes': 'WORLD'}, ParameterError,
         'axes WORLD'),
        ({'urdf': b'x'}, ParameterError, 'urdf is a bytes'),
        ({'quantities': ['mass_matrix', 'mass_matrix']}, ParameterError, 'twice'),
        ({'quantities': ['power']}, UnknownNameError, 'power'),
        ({'quantities': ['jacobian']}, ParameterError, 'jacobian needs a frame'),
        ({'quantities': ['jacobian'], 'frame': 'x'}, UnknownNameError, "frame 'x'"),
        ({'payload_frame': 'x'}, UnknownNameError, "frame 'x'"),
        ({'payload_frame': 'base'}, ParameterError, "'base' is fixed"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported_is_named(options, error, message):
    with pytest.raises(error, match=message):
        export_c(model(), **options)


def test_all_quantities_that_a_robot_has_not_are_named_at_once():
    massless = parse_urdf(planar_2r((0.5, 0.3), (0.0, 0.3), (0.0, 0.0), (0.0, 0.0)))
    names = 'mass_matrix_inverse, forward_dynamics'
    quantities = ['mass_matrix', *names.split(', ')]
    with pytest.raises(InertiaError, match=f"no {names}: joint '.*' moves no mass"):
        export_c(massless, quantities=quantities)
    assert export_c(massless, quantities=['mass_matrix'])
