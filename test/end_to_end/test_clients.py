"""The clients in examples/, each in a process of its own, ask a node in another over DDS."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')

from domains import free_domain
from driver import Driver
from recording import Recording
from sensor_msgs.msg import JointState

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples'
URDF = EXAMPLES / 'three_link_arm/three_link_arm.urdf'
LIMIT = 60.0
NAMES = ['joint1', 'joint2', 'joint3']
# Of every joint: from the URDF, and full torque in a tenth of a second.
EFFORT, RATE = [20.0] * 3, [200.0] * 3
COMMANDS = 'robot_dynamics/commands'


@pytest.fixture(scope='module')
def environment():
    """A domain of its own, on this machine only."""
    free = {'ROS_DOMAIN_ID': str(free_domain())}
    return {**os.environ, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', **free}


@contextmanager
def driven(domain):
    """A driver of the arm, and a recording of its commands that is checked at the end."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    observer = rclpy.create_node('observer', context=context)
    states = observer.create_publisher(JointState, 'joint_states', 10)
    driver = Driver(states, observer.get_clock(), [0.1, -0.5, 1.2], [0.0] * 3)
    driver.change = lambda message: setattr(message, 'name', ['gripper', *reversed(NAMES)])
    recording = Recording(observer, COMMANDS, EFFORT, RATE)
    end = time.monotonic() + LIMIT
    try:
        while not observer.count_publishers(COMMANDS):
            assert time.monotonic() < end, 'the node has not come'
            time.sleep(0.02)
        driver.start()
        yield
    finally:
        if driver.is_alive():
            driver.stop()
        recording.stop()
        observer.destroy_node()
        rclpy.shutdown(context=context)
    assert np.abs(recording.commands).max() > 1.0
    recording.check()


@pytest.fixture(scope='module')
def node(environment):
    """A node that has activated itself, its description from a file as in the README."""
    process = subprocess.Popen(
        [
            *(sys.executable, '-m', 'robot_dynamics_ros.ros.node'),
            *('--ros-args', '-p', f'description_file:={URDF}'),
        ],
        env=environment,
    )
    try:
        with driven(int(environment['ROS_DOMAIN_ID'])):
            yield process
            process.terminate()
            process.wait(timeout=30.0)
    finally:
        process.kill()


def client(name, *arguments, environment):
    return subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )


def test_the_mass_matrix_is_that_of_the_core(node, environment):
    result = client(
        'get_mass_matrix.py', 'joint3=1.2', 'joint1=0.1', 'joint2=-0.5', environment=environment
    )
    names, *rows = [line.split() for line in result.stdout.splitlines()]
    assert names == ['joint1', 'joint2', 'joint3'], result.stderr
    expected = RobotDynamics(parse_urdf(URDF.read_text())).mass_matrix([0.1, -0.5, 1.2])
    np.testing.assert_allclose(np.array(rows, dtype=float), expected, rtol=1e-12, atol=1e-14)


def test_what_is_wrong_is_said(node, environment):
    result = client('get_mass_matrix.py', 'joint1=0.1', environment=environment)
    assert result.returncode == 1
    assert 'joint2' in result.stderr
    assert 'Traceback' not in result.stderr


@pytest.mark.parametrize('argument', ['joint2=abc', 'joint2', 'joint2=1=2'])
def test_what_is_not_a_position_is_said_in_one_line(environment, argument):
    result = client('get_mass_matrix.py', 'joint1=0.1', argument, environment=environment)
    assert result.returncode == 2
    assert f"'{argument}' is not JOINT=POSITION" in result.stderr.splitlines()[-1]
    assert 'Traceback' not in result.stderr


def test_the_clients_take_the_name_of_the_node(node, environment):
    result = client('get_mass_matrix.py', '--node', '/robot_dynamics', environment=environment)
    assert result.stdout.split()[:3] == ['joint1', 'joint2', 'joint3'], result.stderr
    # Each waits for the service before it gives up.
    calls = ['get_mass_matrix.py'], ['change_state.py', 'activate']
    with ThreadPoolExecutor() as pool:
        results = pool.map(
            lambda call: client(*call, '--node', '/other', environment=environment), calls
        )
        matrix, state = [result.stderr for result in results]
    assert 'no service /other/get_mass_matrix' in matrix
    assert 'no service /other/change_state' in state


def printed(*arguments, environment):
    return subprocess.run(
        [sys.executable, '-m', 'robot_dynamics_ros.ros.print_dynamics', *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )


def matrices(text):
    """The printed matrices by their letter, with the names of rows and columns."""
    found = {}
    for block in text.strip().split('\n\n'):
        heading, columns, *rows = block.splitlines()
        values = np.array([row.split()[1:] for row in rows], dtype=float)
        found[heading[0]] = values, columns.split(), [row.split()[0] for row in rows]
    return found


def test_matrices_are_printed_with_the_names_of_the_joints(node, environment):
    result = printed(
        *('joint3=1.2,0.4', 'joint1=0.1,-2', 'joint2=-0.5', '--frame', 'tool'),
        environment=environment,
    )
    found = matrices(result.stdout)
    q, v = [0.1, -0.5, 1.2], [-2.0, 0.0, 0.4]
    dynamics = RobotDynamics(parse_urdf(URDF.read_text()))
    expected = {
        'M': dynamics.mass_matrix(q),
        'C': dynamics.coriolis_matrix(q, v),
        'g': [dynamics.gravity_torque(q)],
        'J': dynamics.jacobian(q, 'tool'),
    }
    assert set(found) == set(expected), result.stderr
    for letter, (values, columns, rows) in found.items():
        assert columns == NAMES
        assert rows == {'g': ['g'], 'J': ['v_x', 'v_y', 'v_z', 'w_x', 'w_y', 'w_z']}.get(
            letter, NAMES
        )
        # Five digits are printed.
        np.testing.assert_allclose(values, expected[letter], rtol=1e-4, atol=1e-12)


def test_without_a_state_the_matrices_are_those_of_the_latest(node, environment):
    """The driver holds the arm still."""
    result = printed(environment=environment)
    values, *_ = matrices(result.stdout)['M']
    expected = RobotDynamics(parse_urdf(URDF.read_text())).mass_matrix([0.1, -0.5, 1.2])
    np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-12)


@pytest.mark.parametrize(
    ('arguments', 'code', 'said'),
    [
        (['joint1=0.1'], 1, 'joint2'),
        (['joint1=0.1', 'joint2=0', 'joint3=0', 'joint9=1'], 1, 'unknown joint joint9'),
        (['joint1'], 2, "'joint1' is not JOINT=POSITION"),
        (['joint1=1,2,3'], 2, "'joint1=1,2,3' is not JOINT=POSITION"),
        (['--frame', 'nose'], 1, "unknown frame 'nose'"),
        (['--node', '/left/arm', '--timeout', '0.2'], 1, 'no service /left/arm/get_mass_matrix'),
        (
            ['torques', '--node', '/x', '--timeout', '0.2'],
            1,
            '/x/torques within 0.2',
        ),
        (['torques', 'joint1=1'], 2, 'present state: give'),
        (['torques', '--frame', 'tool'], 2, 'joints and no --frame'),
        (['joint1=1', '--follow'], 2, '--follow is for torques'),
    ],
)
def test_what_cannot_be_printed_is_said(node, environment, arguments, code, said):
    result = printed(*arguments, environment=environment)
    assert result.returncode == code
    assert said in result.stderr
    assert 'Traceback' not in result.stderr


def torques(block):
    """The heading of printed torques, and their rows by name."""
    heading, columns, *rows = block.splitlines()
    assert columns.split() == NAMES
    return heading, {row.split()[0]: np.array(row.split()[1:], dtype=float) for row in rows}


def test_the_commanded_torques_are_printed(node, environment):
    """The driver holds the arm still, so they are those of gravity, within the limits."""
    gravity = RobotDynamics(parse_urdf(URDF.read_text())).gravity_torque([0.1, -0.5, 1.2])
    end, faded = time.monotonic() + LIMIT, False
    while not faded and time.monotonic() < end:
        result = printed('torques', environment=environment)
        heading, rows = torques(result.stdout.strip())
        # On a busy machine states may come too late now and then: the mode is hold until the next.
        followed = 'mode follow' in heading
        faded = followed and np.allclose(rows['effort'], np.clip(gravity, -20.0, 20.0), rtol=1e-4)
    assert faded, result
    np.testing.assert_allclose(rows['gravity'], gravity, rtol=1e-4)
    for part in ('coriolis', 'inertial', 'friction'):
        assert not rows[part].any()


def test_torques_are_followed_until_an_interrupt(node, environment):
    process = subprocess.Popen(
        [sys.executable, '-m', 'robot_dynamics_ros.ros.print_dynamics', 'torques', '--follow'],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        headings = []
        while len(headings) < 3:
            line = process.stdout.readline()
            assert line, process.communicate(timeout=LIMIT)[1]
            if line.startswith('torques'):
                headings.append(line)
        assert len(set(headings)) == 3
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    assert 'Traceback' not in errors


def test_a_reader_of_torques_may_end(node, environment):
    command = (
        f'{sys.executable} -m robot_dynamics_ros.ros.print_dynamics torques --follow | head -1'
    )
    result = subprocess.run(
        ['bash', '-c', f'set -o pipefail; {command}'],
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith('torques')


def test_help_explains_and_starts_nothing():
    """Where nothing could start."""
    result = subprocess.run(
        [sys.executable, '-m', 'robot_dynamics_ros.ros.node', '--help'],
        env={**os.environ, 'ROS_DOMAIN_ID': 'none'},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert result.returncode == 0, result.stderr
    for word in ('usage:', '--params-file', '~/commands', 'joint_states'):
        assert word in result.stdout


def test_units_fit_the_joints_and_lines_the_terminal(node, environment):
    text = printed('joint1=0', 'joint2=0', 'joint3=0', environment=environment).stdout
    for unit in ('M(q) [kg m^2]', 'C(q, v) [N m s/rad]', 'g(q) [N m]'):
        assert unit in text
    assert max(map(len, text.splitlines())) <= 80
    # At rest.
    assert not matrices(text)['C'][0].any()
    assert '0.0000' not in text


def test_the_lifecycle_is_driven(node, environment):
    steps = [
        ('deactivate', 'inactive', 0),
        ('cleanup', 'unconfigured', 0),
        ('activate', 'unconfigured', 1),  # configure comes first
        ('configure', 'inactive', 0),
        ('activate', 'active', 0),
    ]
    for transition, state, code in steps:
        result = client('change_state.py', transition, environment=environment)
        assert (result.stdout.strip(), result.returncode) == (state, code), result.stderr
        if transition == 'deactivate':
            silent = printed('torques', environment=environment)
            assert silent.returncode == 1
            assert '/robot_dynamics is inactive' in silent.stderr
