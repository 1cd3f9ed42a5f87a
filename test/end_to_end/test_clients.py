"""The clients in examples/, each in a process of its own, ask a node in another over DDS."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from node_process import LIMIT, NodeProcess  # skips where there is no ROS
from waiting import wait_until

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples'
URDF = EXAMPLES / 'three_link_arm/three_link_arm.urdf'
NAMES, Q, V = ['joint1', 'joint2', 'joint3'], [0.1, -0.5, 1.2], [-2.0, 0.0, 0.4]
DYNAMICS = RobotDynamics(parse_urdf(URDF.read_text()))
# Of every joint: from the URDF, and full torque in a tenth of a second.
EFFORT, RATE = [20.0] * 3, [200.0] * 3
PRINT = sys.executable, '-m', 'robot_dynamics_ros.ros.print_dynamics'


@pytest.fixture(scope='module')
def node(tmp_path_factory):
    """A node that has activated itself, described by a file as in README, and its driver."""
    folder, given = tmp_path_factory.mktemp('node'), {'description_file': str(URDF)}
    node = NodeProcess(folder, Q, [0.0] * 3, EFFORT, RATE, **given)
    names = ['gripper', *reversed(NAMES)]
    node.driver.change = lambda message: setattr(message, 'name', names)
    with node:
        yield node
        assert np.abs(node.recording.commands).max() > 1.0
        assert node.end(signal.SIGTERM) == 0


@pytest.fixture
def run(node):
    """Runs a client beside the node."""

    def run(*command):
        result = subprocess.run(
            command, env=node.environment, capture_output=True, text=True, timeout=LIMIT
        )
        assert 'Traceback' not in result.stderr
        return result

    return run


@pytest.fixture
def client(run):
    """Runs a client of the examples."""
    return lambda name, *arguments: run(sys.executable, str(EXAMPLES / name), *arguments)


@pytest.fixture
def printed(run):
    """Runs print_dynamics."""
    return lambda *arguments: run(*PRINT, *arguments)


def test_the_mass_matrix_is_that_of_the_core(client):
    named = '--node', '/robot_dynamics'
    result = client('get_mass_matrix.py', 'joint3=1.2', 'joint1=0.1', 'joint2=-0.5', *named)
    names, *rows = [line.split() for line in result.stdout.splitlines()]
    assert names == NAMES, result.stderr
    expected = DYNAMICS.mass_matrix(Q)
    np.testing.assert_allclose(np.array(rows, dtype=float), expected, rtol=1e-12, atol=1e-14)
    refused = client('get_mass_matrix.py', 'joint1=0.1')
    assert (refused.returncode, 'joint2' in refused.stderr) == (1, True)


def matrices(text):
    """The printed matrices by their letter, with the names of rows and columns."""
    found = {}
    for block in text.strip().split('\n\n'):
        heading, columns, *rows = block.splitlines()
        values = np.array([row.split()[1:] for row in rows], dtype=float)
        found[heading[0]] = values, columns.split(), [row.split()[0] for row in rows]
    return found


def test_matrices_are_printed_with_the_names_of_the_joints(printed):
    result = printed('joint3=1.2,0.4', 'joint1=0.1,-2', 'joint2=-0.5', '--frame', 'tool')
    found = matrices(result.stdout)
    expected = {
        'M': DYNAMICS.mass_matrix(Q),
        'C': DYNAMICS.coriolis_matrix(Q, V),
        'g': [DYNAMICS.gravity_torque(Q)],
        'J': DYNAMICS.jacobian(Q, 'tool'),
    }
    labels = {'g': ['g'], 'J': ['v_x', 'v_y', 'v_z', 'w_x', 'w_y', 'w_z']}
    assert set(found) == set(expected), result.stderr
    for letter, (values, columns, rows) in found.items():
        assert (columns, rows) == (NAMES, labels.get(letter, NAMES))
        # Five digits are printed.
        np.testing.assert_allclose(values, expected[letter], rtol=1e-4, atol=1e-12)
    for unit in ('M(q) [kg m^2]', 'C(q, v) [N m s/rad]', 'g(q) [N m]'):
        assert unit in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_without_a_state_the_matrices_are_those_of_the_latest(printed):
    """The driver holds the arm still."""
    found = matrices(printed().stdout)
    np.testing.assert_allclose(found['M'][0], DYNAMICS.mass_matrix(Q), rtol=1e-4, atol=1e-12)
    assert not found['C'][0].any()


@pytest.mark.parametrize(
    ('arguments', 'code', 'said'),
    [
        (['joint1=0.1', 'joint2=0', 'joint3=0', 'joint9=1'], 1, 'joint9'),
        (['joint1=1,2,3'], 2, 'joint1=1,2,3'),
        (['--frame', 'nose'], 1, 'nose'),
        (['torques', '--node', '/x', '--timeout', '0.2'], 1, '/x/torques'),
        (['torques', '--frame', 'tool'], 2, '--frame'),
    ],
)
def test_what_cannot_be_printed_is_named(printed, arguments, code, said):
    result = printed(*arguments)
    assert result.returncode == code
    assert said in result.stderr


def test_the_commanded_torques_are_printed(printed):
    """The driver holds the arm still, so they are those of gravity, within the limits."""
    gravity = DYNAMICS.gravity_torque(Q)
    rows = {}

    def faded():
        heading, columns, *lines = printed('torques').stdout.strip().splitlines()
        assert columns.split() == NAMES
        rows.update({line.split()[0]: np.array(line.split()[1:], float) for line in lines})
        followed = 'TRACKING' in heading
        return followed and np.allclose(rows['effort'], np.clip(gravity, -20.0, 20.0), rtol=1e-4)

    wait_until(faded, 'the torque of gravity', LIMIT, lambda: time.sleep(0.02))
    np.testing.assert_allclose(rows['gravity'], gravity, rtol=1e-4)
    for part in ('coriolis', 'inertial', 'friction'):
        assert not rows[part].any()


def test_torques_are_followed_until_an_interrupt_or_the_end_of_their_reader(run, node):
    command = [*PRINT, 'torques', '--follow']
    pipes = dict.fromkeys(('stdout', 'stderr'), subprocess.PIPE)
    process = subprocess.Popen(command, env=node.environment, text=True, **pipes)
    try:
        headings = set()
        while len(headings) < 3:
            line = process.stdout.readline()
            assert line, process.communicate(timeout=LIMIT)[1]
            headings |= {line} if line.startswith('torques') else set()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    assert 'Traceback' not in errors
    result = run('bash', '-c', f'set -o pipefail; {" ".join(command)} | head -1')
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith('torques')


def test_help_explains_and_starts_nothing():
    """Where nothing could start."""
    command = [sys.executable, '-m', 'robot_dynamics_ros.ros.node', '--help']
    environment = {**os.environ, 'ROS_DOMAIN_ID': 'none'}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    for word in ('usage:', '--params-file', '~/commands', 'joint_states'):
        assert word in result.stdout


def test_the_lifecycle_is_driven(client, printed):
    steps = [
        ('deactivate', 'inactive', 0),
        ('cleanup', 'unconfigured', 0),
        ('activate', 'unconfigured', 1),  # configure comes first
        ('configure', 'inactive', 0),
        ('activate', 'active', 0),
    ]
    for transition, state, code in steps:
        result = client('change_state.py', transition)
        assert (result.stdout.strip(), result.returncode) == (state, code), result.stderr
        if transition == 'deactivate':
            silent = printed('torques')
            assert silent.returncode == 1
            assert 'inactive' in silent.stderr
