"""dynamics_client asks a node in another process over DDS."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from node_process import LIMIT, NodeProcess  # skips where there is no ROS
from waiting import wait_until

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.ros import dynamics_client

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples'
URDF = EXAMPLES / 'three_link_arm/three_link_arm.urdf'
NAMES, Q, V = ['joint1', 'joint2', 'joint3'], [0.1, -0.5, 1.2], [-2.0, 0.0, 0.4]
DYNAMICS = RobotDynamics(parse_urdf(URDF.read_text()))
# Of every joint: from the URDF, and full torque in a tenth of a second.
EFFORT, RATE = [20.0] * 3, [200.0] * 3
CLIENT = sys.executable, '-m', 'robot_dynamics_ros.ros.dynamics_client'


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
def client(node, monkeypatch, capsys):
    """Runs the client in this process, whose imports would take most of the time of another."""
    for name, value in node.environment.items():
        monkeypatch.setenv(name, value)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def call(*arguments):
        ended = 0
        try:
            dynamics_client.main(arguments)
        except SystemExit as error:
            ended = error.code
        said = capsys.readouterr()
        refusal, code = (ended, 1) if isinstance(ended, str) else ('', ended)
        return SimpleNamespace(stdout=said.out, stderr=said.err + refusal, returncode=code)

    yield call
    for number, handler in handlers.items():
        signal.signal(number, handler)


def matrices(text):
    """The printed matrices by their letter, with the names of rows and columns."""
    found = {}
    for block in text.strip().split('\n\n'):
        heading, columns, *rows = block.splitlines()
        values = np.array([row.split()[1:] for row in rows], dtype=float)
        found[heading[0]] = values, columns.split(), [row.split()[0] for row in rows]
    return found


def test_quantities_are_those_of_the_core(client):
    """At a state in any order, with a third value for those that need one."""
    quantities = ('mass_matrix', 'coriolis_matrix', 'gravity', 'inverse_dynamics', 'jacobian')
    result = client(
        'get', *quantities, 'forward_dynamics', 'joint3=1.2,0.4,0.3', 'joint1=0.1,-2',
        'joint2=-0.5', '--frame', 'tool', '--node', '/robot_dynamics/',
    )  # fmt: skip
    found = matrices(result.stdout)
    third = [0.0, 0.0, 0.3]
    expected = {
        'M': DYNAMICS.mass_matrix(Q),
        'C': DYNAMICS.coriolis_matrix(Q, V),
        'g': [DYNAMICS.gravity_torque(Q)],
        't': [DYNAMICS.inverse_dynamics(Q, V, third)],
        'a': [DYNAMICS.forward_dynamics(Q, V, third)],
        'J': DYNAMICS.jacobian(Q, 'tool'),
    }
    labels = {'g': ['g(q)'], 't': ['tau'], 'a': ['a'],
              'J': ['v_x', 'v_y', 'v_z', 'w_x', 'w_y', 'w_z']}  # fmt: skip
    assert set(found) == set(expected), result.stderr
    for letter, (values, columns, rows) in found.items():
        assert (columns, rows) == (NAMES, labels.get(letter, NAMES))
        # Five digits are printed.
        np.testing.assert_allclose(values, expected[letter], rtol=1e-4, atol=1e-12)
    assert 'M(q) [kg m^2]' in result.stdout


def test_without_a_state_the_matrices_are_those_of_the_latest(client):
    """The driver holds the arm still."""
    found = matrices(client('get', 'mass_matrix', 'coriolis_matrix').stdout)
    np.testing.assert_allclose(found['M'][0], DYNAMICS.mass_matrix(Q), rtol=1e-4, atol=1e-12)
    assert not found['C'][0].any()


@pytest.mark.parametrize(
    ('arguments', 'code', 'said'),
    [
        (['get', 'mass_matrix', 'joint1=0.1', 'joint8=0', 'joint3=0'], 1, 'joint2'),
        (['get', 'gravity', 'joint1=1,2,3,4'], 2, 'joint1=1,2,3,4'),
        (['get', 'nonsense'], 2, 'nonsense'),
        (['get', 'jacobian', '--frame', 'nose'], 1, 'nose'),
        (['get', 'gravity', '--node', '/x', '--timeout', '0.2'], 1, '/x/get_gravity'),
        (['watch', '--node', '/x', '--timeout', '0.2'], 1, '/x'),
        (['payload', '1.0', 'nose'], 1, 'nose'),
        (['gravity', '0', '0', '-1.6'], 1, '--any'),
        (['set', 'term', 'gravity'], 1, 'did you mean terms'),
        (['set', 'terms', 'magic'], 1, 'magic'),
        (['set', 'fade_time', 'long'], 2, 'long'),
    ],
)
def test_what_cannot_be_done_is_named(client, arguments, code, said):
    result = client(*arguments)
    assert result.returncode == code
    assert said.replace('--any', 'allow_any') in result.stderr


def test_what_is_commanded_changes(client):
    """Payload, gravity, parameters and torque, each with an answer that says what holds now."""
    assert 'attached to tool' in client('payload', '0.2', 'tool', '0', '0', '0.01').stdout
    assert '0.2 kg on tool' in client('get', 'payload').stdout
    assert 'removed' in client('payload', '0', 'tool').stdout
    assert 'gravity is (0, 0, -1.6)' in client('gravity', '0', '0', '-1.6', '--any').stdout
    assert client('set', 'gravity', '0', '0', '-9.81').returncode == 0
    for name, values in {'terms': ['gravity', 'coriolis'], 'external_observer': ['false']}.items():
        assert client('set', name, *values).returncode == 0
    assert 'torque disabled' in client('disable').stdout
    said = 'call ~/enable'
    wait_until(lambda: said in client('watch', '--once').stdout, said)
    assert 'torque enabled' in client('enable').stdout


def test_the_commanded_torques_are_watched(client):
    """The driver holds the arm still, so they are those of gravity, within the limits."""
    gravity = DYNAMICS.gravity_torque(Q)
    rows = {}

    def faded():
        heading, columns, *lines = client('watch', '--once').stdout.strip().splitlines()
        if 'TRACKING' not in heading:
            return False
        found = np.array([line.split()[1:] for line in lines[:3]], float).T
        rows.update(zip(columns.split(), found, strict=True))
        return np.allclose(rows['effort'], np.clip(gravity, -20.0, 20.0), rtol=1e-4)

    wait_until(faded, 'the torque of gravity')
    np.testing.assert_allclose(rows['gravity'], gravity, rtol=1e-4)
    for part in ('coriolis', 'inertial', 'friction'):
        assert not rows[part].any()


def test_torques_are_watched_until_an_interrupt_or_the_end_of_their_reader(run, node):
    command = [*CLIENT, 'watch']
    pipes = dict.fromkeys(('stdout', 'stderr'), subprocess.PIPE)
    process = subprocess.Popen(command, env=node.environment, text=True, **pipes)
    try:
        headings = 0
        while headings < 3:
            line = process.stdout.readline()
            assert line, process.communicate(timeout=LIMIT)[1]
            headings += line.startswith('TRACKING (ready)')
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    assert 'Traceback' not in errors
    result = run('bash', '-c', f'set -o pipefail; {" ".join(command)} | head -1')
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith('TRACKING')


def test_help_explains_and_starts_nothing():
    """Where nothing could start."""
    command = [sys.executable, '-m', 'robot_dynamics_ros.ros.node', '--help']
    environment = {**os.environ, 'ROS_DOMAIN_ID': 'none'}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    for word in ('usage:', '--params-file', '~/commands', 'joint_states'):
        assert word in result.stdout


def test_the_lifecycle_is_driven(client):
    steps = [
        ('deactivate', 'inactive', 0),
        ('cleanup', 'unconfigured', 0),
        ('activate', 'unconfigured', 1),  # configure comes first
        ('configure', 'inactive', 0),
        ('activate', 'active', 0),
    ]
    for transition, state, code in steps:
        result = client(transition)
        assert (result.stdout.strip(), result.returncode) == (state, code), result.stderr
        assert client('state').stdout.strip() == state
        if transition == 'deactivate':
            assert 'SILENT: inactive' in client('watch', '--once').stdout
