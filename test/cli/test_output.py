"""What subcommands share: --json, text on stdout, and a progress bar on a terminal's stderr."""

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import click
import numpy as np
import pytest

from robot_dynamics_ros.cli.output import Output, output_options
from robot_dynamics_ros.cli.progress import progress

RESULT = {'gain': np.float64(2.5), 'torque': np.array([[1.0, np.nan]]), 'file': Path('a.urdf'),
          'limit': float('inf'), 'joints': ('Gelenk ä', 1)}  # fmt: skip
PLAIN = {'gain': 2.5, 'torque': [[1.0, None]], 'file': 'a.urdf', 'limit': None,
         'joints': ['Gelenk ä', 1]}  # fmt: skip
WORK = """
import sys, time
from robot_dynamics_ros.cli.progress import progress
what, count = sys.argv[2], int(sys.argv[3])
with progress(what, 10 * count, 'states') as advance:
    for _ in range(10):
        time.sleep(float(sys.argv[1]))
        advance(count)
"""


@click.command()
@output_options
def command(output):
    output.line('text')
    output.show('table')
    output.write_json(RESULT)


def test_json_on_stdout_stands_there_alone(capsys):
    command.main(['--json', '-'], standalone_mode=False)
    assert json.loads(capsys.readouterr().out) == PLAIN


def test_a_json_file_beside_the_text(tmp_path, capsys):
    command.main(['--json', str(tmp_path / 'out.json')], standalone_mode=False)
    assert capsys.readouterr().out == 'text\ntable\n'
    assert json.loads((tmp_path / 'out.json').read_text(encoding='utf-8')) == PLAIN


def test_without_json_there_is_text_alone(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command.main([], standalone_mode=False)
    assert capsys.readouterr().out == 'text\ntable\n'
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('target', ['.', 'nowhere/out.json'])
def test_a_json_file_is_checked_before_the_work(tmp_path, target, capsys):
    with pytest.raises(click.BadParameter, match='folder'):
        command.main(['--json', str(tmp_path / target)], standalone_mode=False)
    assert capsys.readouterr().out == ''


def test_names_cannot_format_the_text(capsys):
    Output().show('[bold]link[/bold] :arm:')
    assert capsys.readouterr().out == '[bold]link[/bold] :arm:\n'


def test_no_progress_where_stderr_is_no_terminal(capfd, monkeypatch):
    monkeypatch.setenv('FORCE_COLOR', '1')
    monkeypatch.setattr('robot_dynamics_ros.cli.progress.SHOWN_AFTER', 0.0)
    with progress('robots', 2, 'files') as advance:
        advance(2)
    assert capfd.readouterr() == ('', '')


def shown_on_a_terminal(seconds, what='robots', count=1):
    """What work in ten steps writes to a terminal of 80 columns; each takes so long [s]."""
    parent, child = pty.openpty()
    environment = {**os.environ, 'PYTHONPATH': ':'.join(filter(None, sys.path)), 'TERM': 'xterm',
                   'COLUMNS': '80'}  # fmt: skip
    with subprocess.Popen(
        [sys.executable, '-c', WORK, str(seconds), what, str(count)],
        stderr=child,
        env=environment,
    ) as process:
        os.close(child)
        shown = b''
        # Linux: reading fails once the other end is closed.
        with suppress(OSError):
            while True:
                shown += os.read(parent, 65536)
    os.close(parent)
    assert process.returncode == 0
    return shown.decode()


def test_progress_is_shown_after_a_second():
    shown = shown_on_a_terminal(0.2)
    assert 'robots' in shown
    assert 'states' in shown
    assert '0:00:0' in shown
    # What is left on the terminal: nothing.
    assert shown.endswith('\x1b[1A\x1b[2K') or shown.rstrip().endswith('\x1b[2K')


def test_a_long_name_leaves_room_for_number_and_remaining_time():
    name = '/data/arms/left/2026-11-22_a_recording_of_one_hour/exciting_trajectory.mcap'
    shown = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', shown_on_a_terminal(0.2, name, 1_500_000))
    lines = re.split('[\r\n]+', shown)
    whole = r'_trajectory\.mcap .* \d+/15000000 states \d:\d\d:\d\d'
    assert any(re.search(whole, line) for line in lines), lines
    assert all(len(line) <= 80 for line in lines)


def test_short_work_shows_nothing():
    assert 'robots' not in shown_on_a_terminal(0.0)
