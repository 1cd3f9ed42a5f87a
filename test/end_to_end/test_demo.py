"""Arm, node and observer as separate processes over DDS: the demo itself, shortened."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip('rclpy')
pytest.importorskip('mujoco')
pytest.importorskip('pinocchio')
pytest.importorskip('robot_dynamics_interfaces')

from robot_dynamics_ros.demo import DemoError, default_urdf

# Simulated time passes as fast as the machine allows.
pytestmark = [pytest.mark.contract, pytest.mark.timeout(900)]


def run_demo(output, *arguments):
    """Exit code, and what was printed."""
    try:
        default_urdf()
    except DemoError as error:
        pytest.skip(str(error))
    environment = dict(os.environ)
    environment.pop('ROS_DOMAIN_ID', None)  # the demo takes one that is free
    command = [sys.executable, '-m', 'robot_dynamics_ros.demo.observer', '--quick', *arguments]
    options = {'env': environment, 'capture_output': True, 'text': True, 'timeout': 850.0}
    ended = subprocess.run([*command, '--output', str(output)], **options)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.fixture(scope='module')
def demo(tmp_path_factory):
    output = tmp_path_factory.mktemp('demo')
    code, out, err = run_demo(output, '--json')
    assert code in (0, 1), err
    return output, code, out


def reported(out):
    """What --json prints, before the verdict."""
    return json.loads(out[out.index('{') : out.rindex('}') + 1])


def test_every_bound_of_mechanics_holds(demo):
    output, _, out = demo
    figures = reported(out)['figures']
    bounded = {key: one for key, one in figures.items() if {'at_most', 'at_least'} & {*one}}
    missed = {key: one for key, one in bounded.items() if not one['passed']}
    assert not missed, f'{missed}\n{(output / "node.log").read_text()}'
    judged = {'fall', 'drift', 'ratio', 'mass_error'}
    assert judged | {'push_error', 'collision_hold', 'collision_rest'} <= bounded.keys()
    assert {'state_rate', 'latency_p50', 'latency_p99', 'lost', 'collision_delay'} <= set(figures)


def test_exit_code_last_line_table_and_files_say_the_same(demo):
    output, code, out = demo
    report = reported(out)
    said = {0: 'demo: PASSED', 1: 'demo: FAILED'}[code]
    assert out.splitlines()[-1].startswith(said)
    assert report['arm'] == 'ur5'
    assert report['passed'] is (code == 0) is ('FAIL' not in out)
    assert len(report['rms_error']) == 6
    assert (output / 'demo.png').read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'
    assert json.loads((output / 'demo.json').read_text()) == report


def test_says_what_is_wrong_with_a_urdf(tmp_path):
    file = tmp_path / 'arm.urdf'
    file.write_text('<robot')
    code, _, err = run_demo(tmp_path, '--urdf', str(file))
    assert code == 2
    assert err.startswith('demo: ')
    assert str(file) in err
    assert 'Traceback' not in err
