"""What the command writes to stdout and stderr, also where these are closed or full."""

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from running_command import run
from three_joints import LIMITED as URDF

pytestmark = pytest.mark.contract

__all__ = ['run']

FULL = Path('/dev/full')
needs_full = pytest.mark.skipif(not FULL.exists(), reason='there is no /dev/full')


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(URDF)
    (tmp_path / 'binary.db3').write_bytes(b'SQLite format 3\0\xff\xfe')
    (tmp_path / 'urdf').mkdir()
    return tmp_path


def in_a_shell(folder, words):
    """The command in a process of its own, whose streams a shell redirects."""
    path = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))
    return subprocess.run(
        ['sh', '-c', f'"{sys.executable}" -m robot_dynamics_ros.cli.command_line {words}'],
        cwd=folder, env={**os.environ, 'PYTHONPATH': path}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize('words', ['inspect arm.urdf >&-', 'inspect arm.urdf --json - >&-'])
def test_a_closed_stdout(files, words):
    ended = in_a_shell(files, words)
    assert ended.returncode == 0, ended.stderr


def test_a_closed_stderr(files):
    ended = in_a_shell(files, 'inspect nowhere.urdf 2>&-')
    assert (ended.returncode, ended.stdout) == (2, '')


@needs_full
@pytest.mark.parametrize(
    ('words', 'name'),
    [
        ('inspect arm.urdf >/dev/full', 'stdout'),
        ('inspect arm.urdf --json - >/dev/full', 'stdout'),
        ('inspect arm.urdf --json /dev/full', '/dev/full'),
        ('--help >/dev/full', 'stdout'),
        ('--version >/dev/full', 'stdout'),
        ('inspect --help >/dev/full', 'stdout'),
    ],
)
def test_a_full_device_is_named(files, words, name):
    ended = in_a_shell(files, words)
    assert ended.returncode == 2
    assert f'{name}: No space left' in ended.stderr


def test_without_a_subcommand_there_is_help(run):
    ended = run()
    assert (ended.returncode, ended.stdout) == (2, '')
    assert ended.stderr == run('--help').stdout


def not_installed(package):
    raise metadata.PackageNotFoundError(package)


def test_the_version(run, monkeypatch):
    monkeypatch.setattr(metadata, 'version', {'robot_dynamics_ros': '1.2.3'}.__getitem__)
    ended = run('--version')
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == 'robot_dynamics 1.2.3\n'


def test_the_version_where_nothing_is_installed(run, monkeypatch):
    monkeypatch.setattr(metadata, 'version', not_installed)
    assert 'robot_dynamics_ros is not installed' in run('--version').stdout


def test_reasons_of_validate_are_on_stderr(run):
    ended = run('validate', 'nowhere.urdf', 'arm.urdf', 'binary.db3', '--json', '-')
    reasons = [file['error'] for file in json.loads(ended.stdout)['files'] if file['error']]
    assert len(reasons) == 2
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [f'robot_dynamics: {reason}' for reason in reasons]


def test_a_folder_and_a_binary_file_are_not_a_urdf(run):
    for command in 'inspect', 'validate':
        ended = run(command, 'urdf')
        assert ended.returncode == 2
        assert 'urdf: it is a folder' in ended.stderr
        assert 'binary.db3: not a URDF' in run(command, 'binary.db3').stderr


@pytest.mark.parametrize(
    ('words', 'option'),
    [
        (['inspect', 'arm.urdf', '--json', 'link.urdf'], '--json'),
        (['inspect', 'arm.urdf', '--picture', 'urdf/../arm.urdf'], '--picture'),
        (['inspect', 'bag', '--topic', '/robot_description', '--json', 'bag/m.yaml'], '--json'),
        (['validate', 'nowhere.urdf', 'arm.urdf', '--json', 'arm.urdf'], '--json'),
        (['export-c', 'arm.urdf', '--output', 'c', '--json', 'arm.urdf'], '--json'),
        (['compare', 'bag.csv', '--urdf', 'broken.html', '--report', 'broken.html'], '--report'),
        (['compare', 'bag', '--json', 'bag/bag.mcap'], '--json'),
        (['compare', 'other.csv+bag.csv', '--json', 'bag.csv'], '--json'),
        (['torques', 'bag.csv', '--output', 'bag.csv'], '--output'),
        (['torques', 'bag.csv', '--urdf', 'broken.csv', '--output', 'broken.csv'], '--output'),
        (['torques', 'bag.csv', '--urdf', 'arm.urdf', '--json', 'arm.urdf'], '--json'),
    ],
)
def test_no_input_is_replaced(run, files, words, option):
    """What is broken would be found if anything were read."""
    (files / 'link.urdf').symlink_to('arm.urdf')
    (files / 'bag').mkdir()
    broken = ['bag.csv', 'other.csv', 'broken.html', 'broken.csv', 'bag/bag.mcap', 'bag/m.yaml']
    for name in broken:
        (files / name).write_text('broken')
    before = {file: file.read_text() for file in files.rglob('*.*') if file.suffix != '.db3'}
    ended = run(*words)
    assert (ended.returncode, ended.stdout) == (2, '')
    assert option in ended.stderr
    assert {file: file.read_text() for file in before} == before


def test_a_device_is_read_and_written(run, files):
    """As a terminal is; nothing there is replaced."""
    ended = run('inspect', '/dev/null', '--json', '/dev/null')
    assert 'name another file' not in ended.stderr


def test_a_file_of_the_package_is_not_that_of_json(run, files):
    ended = run('export-c', 'arm.urdf', '--output', 'urdf', '--json', 'urdf/package.xml')
    assert ended.returncode == 2
    assert '--json' in ended.stderr
    assert list((files / 'urdf').iterdir()) == []


@pytest.mark.parametrize(
    'words',
    [
        ['inspect', 'arm.urdf', '--picture', 'a.png', '--json', './a.png'],
        ['compare', 'bag.csv', '--report', 'a.html', '--json', 'a.html'],
        ['torques', 'bag.csv', '--output', 'a.csv', '--json', 'a.csv'],
        ['torques', 'bag.csv', '--output', '.', '--format', 'csv', '--json', 'bag_torques.csv'],
    ],
)
def test_two_outputs_have_two_names(run, files, words):
    (files / 'bag.csv').touch()
    before = sorted(files.iterdir())
    ended = run(*words)
    assert (ended.returncode, ended.stdout) == (2, '')
    assert '--json' in ended.stderr
    assert sorted(files.iterdir()) == before
