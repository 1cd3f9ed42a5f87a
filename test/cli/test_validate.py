"""`robot_dynamics validate`: one line a file, exit codes, many files in processes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
import three_joints
from mechanics.robots import HAND_WRITTEN
from running_command import run
from three_joints import LIMITED as URDF
from waiting import wait_until

from robot_dynamics_ros.cli import validate as validate_module
from robot_dynamics_ros.scheduling import Outcome

__all__ = ['run']

FAULTY = URDF.replace('ixx="0.03"', 'ixx="3"')
DOUBTFUL = URDF.replace('effort="20"', 'effort="0"')
XACRO = """<robot name="x" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:arg name="mass"
default="-1"/><link name="b"/><link name="a"><inertial><mass value="$(arg mass)"/></inertial>
</link><joint name="j" type="continuous"><parent link="b"/><child link="a"/></joint></robot>"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(URDF)
    (tmp_path / 'faulty.urdf').write_text(FAULTY)
    (tmp_path / 'doubtful.urdf').write_text(DOUBTFUL)
    (tmp_path / 'unlimited.urdf').write_text(three_joints.URDF)
    (tmp_path / 'empty.urdf').write_text('')
    (tmp_path / 'arm.urdf.xacro').write_text(XACRO)
    (tmp_path / 'folder').mkdir()
    return tmp_path


@pytest.fixture(autouse=True)
def needs_pinocchio():
    pytest.importorskip('pinocchio')


@pytest.mark.contract
@pytest.mark.parametrize(
    ('arguments', 'code', 'status'),
    [
        (['arm.urdf', '--strict'], 0, 'good'),
        (['faulty.urdf'], 1, 'findings'),
        (['faulty.urdf', '--ignore', 'triangle_inequality'], 0, 'good'),
        (['doubtful.urdf'], 0, 'good'),
        (['doubtful.urdf', '--strict'], 1, 'findings'),
        (['doubtful.urdf', '--strict', '--ignore', 'zero_effort_limit'], 0, 'good'),
        (['unlimited.urdf'], 0, 'good'),
        (['unlimited.urdf', '--strict'], 1, 'findings'),
        (['unlimited.urdf', '--strict', '--ignore', 'no_effort_limit'], 0, 'good'),
        (['empty.urdf'], 2, 'unusable'),
        (['folder'], 2, 'unusable'),
        (['nowhere.urdf'], 2, 'unusable'),
    ],
)
def test_one_line_and_its_exit_code(run, arguments, code, status):
    ended = run('validate', *arguments)
    assert (ended.returncode, ended.stderr.count('\n')) == (code, int(code == 2))
    assert ended.stdout.startswith(f'{status} ')
    assert arguments[0] in ended.stdout
    assert ended.stdout.count('\n') == 1


def test_many_files_keep_their_order(run):
    """The worst of them gives the exit code; one that cannot be used does not end the others."""
    names = ['doubtful.urdf', 'empty.urdf', 'faulty.urdf', 'arm.urdf']
    ended = run('validate', *names)
    *lines, last = ended.stdout.splitlines()
    assert [line.split()[1].rstrip(':') for line in lines] == names
    assert re.findall(r'\d+', last) == ['4', '2', '1', '1']
    assert (ended.returncode, ended.stderr.count('\n')) == (2, 1)
    assert ended.stderr.startswith('robot_dynamics: empty.urdf: ')


def test_json(run):
    ended = run('validate', 'arm.urdf', 'faulty.urdf', 'empty.urdf', '--json', '-')
    found = json.loads(ended.stdout)
    assert found['counts'] == {'good': 1, 'findings': 1, 'unusable': 1}
    good, faulty, empty = found['files']
    assert (good['status'], good['joints'], good['findings']) == ('good', 3, [])
    assert good['agreement']['worst_relative'] <= good['agreement']['tolerance']
    assert [finding['code'] for finding in faulty['findings']] == ['triangle_inequality']
    assert 'empty' in empty['error']


def test_arguments_are_for_xacro_files(run):
    pytest.importorskip('xacro')
    ended = run('validate', 'arm.urdf', 'arm.urdf.xacro', 'mass:=2')
    assert ended.stdout.splitlines()[-1].startswith('2 files: 2 good')
    assert run('validate', 'arm.urdf.xacro').returncode == 2


def test_a_topic(run):
    ended = run('validate', '--topic', '/robot_description', read_topic=lambda topic: FAULTY)
    assert ended.returncode == 1
    assert ended.stdout.startswith('findings /robot_description: 3 joints')


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        ([], 'one FILE'),
        (['mass:=2'], 'one FILE'),
        (['arm.urdf', '--ignore', 'densety'], "'densety': known are"),
    ],
)
def test_wrong_usage(run, arguments, said):
    ended = run('validate', *arguments)
    assert (ended.returncode, ended.stdout) == (2, '')
    assert said in ended.stderr
    assert ended.stderr.count('\n') == 1


def test_without_pinocchio(run, monkeypatch):
    for module in ('cli.validate', 'inspection.inspection'):
        monkeypatch.setattr(f'robot_dynamics_ros.{module}.pinocchio_is_installed', lambda: False)
    ended = run('validate', 'arm.urdf')
    assert ended.returncode == 0
    assert 'not compared' in ended.stdout
    assert ended.stderr.count('\n') == 1
    assert "pip install 'robot_dynamics_ros[oracle]'" in ended.stderr
    strict = run('validate', 'arm.urdf', '--strict')
    assert (strict.returncode, strict.stdout) == (2, '')
    assert run('validate', 'arm.urdf', '--strict', '--ignore', 'not_compared').returncode == 0


def test_an_unforeseen_error_in_one_file_is_a_row(run, monkeypatch):
    def fail(*arguments):
        raise ZeroDivisionError('float')

    monkeypatch.setattr('robot_dynamics_ros.cli.validate.validate_robot', fail)
    ended = run('validate', 'arm.urdf')
    assert ended.returncode == 2
    assert 'program itself (ZeroDivisionError: float)' in ended.stdout


def test_a_file_whose_process_ends_is_a_row_with_its_name():
    outcome = Outcome('1: huge.urdf', error='ended with SIGKILL')
    result = validate_module.result_of('huge.urdf', outcome, False)
    assert (result['file'], result['status']) == ('huge.urdf', 'unusable')
    assert result['error'] == 'huge.urdf: ended with SIGKILL'


def test_a_file_that_is_named_twice_has_two_lines(run):
    ended = run('validate', 'arm.urdf', 'arm.urdf')
    assert (ended.returncode, ended.stdout.count('arm.urdf')) == (0, 2)


def test_interrupted_it_writes_nothing(run, files, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(validate_module, 'validate_files', interrupted)
    ended = run('validate', 'arm.urdf', '--json', 'out.json')
    assert (ended.returncode, ended.stdout) == (130, '')
    assert not (files / 'out.json').exists()


def test_ctrl_c_ends_the_processes_without_a_traceback(files):
    """Each of two processes reads a pipe that nothing comes from."""
    pipes = [files / 'one', files / 'two']
    for pipe in pipes:
        os.mkfifo(pipe)
    held = {}

    def hold_those_with_a_reader():
        time.sleep(0.02)
        for pipe in pipes:
            with suppress(OSError):
                held[pipe] = held.get(pipe) or os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)

    with subprocess.Popen(
        [sys.executable, '-m', 'robot_dynamics_ros.cli.command_line', 'validate',
         *map(str, pipes), '--json', str(files / 'out.json')],
        env={**os.environ, 'PYTHONPATH': ':'.join(filter(None, sys.path))},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            wait_until(lambda: len(held) == 2, 'both read', 60.0, hold_those_with_a_reader)
            os.killpg(process.pid, signal.SIGINT)
            stdout, stderr = process.communicate(timeout=60.0)
        finally:
            process.kill()
            for descriptor in held.values():
                os.close(descriptor)
    assert (process.returncode, stdout) == (130, '')
    assert 'Traceback' not in stderr
    assert not (files / 'out.json').exists()


def test_help_lists_the_codes(run):
    ended = run('validate', '--help')
    assert ended.returncode == 0, ended.stderr
    assert 'triangle_inequality' in ended.stdout
    assert 'robot_dynamics validate urdf/*.urdf' in ended.stdout


def test_hand_written_robots(run):
    ended = run('validate', *(str(robot.path) for robot in HAND_WRITTEN))
    assert ended.stdout.splitlines()[-1].endswith(
        f'{len(HAND_WRITTEN)} good, 0 with findings, 0 unusable'
    )
    assert ended.returncode == 0
