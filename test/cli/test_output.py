"""What people see: tables on terminals of any width, text beside JSON, progress, lacks."""

import io
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
from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
from rich.console import Console
from three_joints import LIMITED

from robot_dynamics_ros.cli.output import FittedTable, Output, output_options

RESULT = {'gain': np.float64(2.5), 'torque': np.array([[1.0, np.nan]]), 'file': Path('a.urdf'),
          'limit': float('inf'), 'joints': ('Gelenk ä', 1)}  # fmt: skip
PLAIN = {'gain': 2.5, 'torque': [[1.0, None]], 'file': 'a.urdf', 'limit': None,
         'joints': ['Gelenk ä', 1]}  # fmt: skip
NAME = '/data/arms/left/2026-11-22_a_recording_of_one_hour/exciting_trajectory.mcap'
WORK = f"""
import sys, time
from robot_dynamics_ros.cli.output import Output
with Output().progress('{NAME}', 15_000_000, 'states') as advance:
    for _ in range(10):
        time.sleep(float(sys.argv[1]))
        advance(1_500_000)
"""


@click.command()
@output_options
def command(output):
    output.line('text')
    output.show('[bold]table[/bold] :arm:')
    output.write_json(RESULT)


@pytest.mark.parametrize('target', [None, '-', 'out.json'])
def test_json_stands_alone_on_stdout_or_in_a_file_beside_the_text(tmp_path, capsys, target):
    file = tmp_path / 'out.json'
    option = ['--json', str(file) if target == 'out.json' else '-'] if target else []
    command.main(option, standalone_mode=False)
    printed = capsys.readouterr().out
    if target == '-':
        assert json.loads(printed) == PLAIN
    else:
        # Names cannot format the text.
        assert printed == 'text\n[bold]table[/bold] :arm:\n'
    assert [json.loads(one.read_text('utf-8')) for one in tmp_path.iterdir()] == (
        [PLAIN] if target == 'out.json' else []
    )


def shown_on_a_terminal(seconds):
    """What work in ten steps writes to a terminal of 80 columns; each takes so long [s]."""
    parent, child = pty.openpty()
    environment = {**os.environ, 'PYTHONPATH': ':'.join(filter(None, sys.path)), 'TERM': 'xterm',
                   'COLUMNS': '80'}  # fmt: skip
    with subprocess.Popen(
        [sys.executable, '-c', WORK, str(seconds)], stderr=child, env=environment
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


def test_progress_is_shown_after_a_second_and_leaves_nothing_on_the_terminal():
    shown = shown_on_a_terminal(0.2)
    assert shown.rstrip().endswith('\x1b[2K')
    lines = re.split('[\r\n]+', re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', shown))
    whole = r'_trajectory\.mcap .* \d+/15000000 states \d:\d\d:\d\d'
    assert any(re.search(whole, line) for line in lines), lines
    assert all(len(line) <= 80 for line in lines)


def test_no_progress_where_stderr_is_no_terminal(capfd, monkeypatch):
    monkeypatch.setenv('FORCE_COLOR', '1')
    monkeypatch.setattr('robot_dynamics_ros.cli.output.SHOWN_AFTER', 0.0)
    with Output().progress('robots', 2, 'files') as advance:
        advance(2)
    assert capfd.readouterr() == ('', '')


def shown(table, width):
    """The lines that a terminal of a width shows."""
    console = Console(width=width, file=io.StringIO(), markup=False, highlight=False, emoji=False)
    console.print(table, soft_wrap=False)
    return console.file.getvalue().splitlines()


def test_where_a_table_does_not_fit_each_row_is_a_block():
    table = FittedTable('joint', 'effort', 'bias')
    table.add_row('elbow', '12.5 N m', '1 N m')
    assert shown(table, 22) == ['joint    effort   bias', 'elbow  12.5 N m  1 N m']
    lines = shown(table, 21)
    assert [' '.join(line.split()) for line in lines] == [
        'joint elbow', 'effort 12.5 N m', 'bias 1 N m',
    ]  # fmt: skip
    assert shown(FittedTable('joint', 'effort'), 15) == ['joint  effort']


words = st.text(st.characters(codec='ascii', categories=['L', 'N']), min_size=1, max_size=30)


@examples(60)
@given(st.lists(st.lists(words, min_size=3, max_size=3), min_size=1, max_size=4),
       st.integers(40, 100))  # fmt: skip
def test_no_name_and_no_number_is_cut(rows, width):
    table = FittedTable('joint', 'bias', 'delay')
    for row in rows:
        table.add_row(*row)
    lines = shown(table, width)
    assert all(len(line) <= width for line in lines)
    for row in rows:
        assert all(any(cell in line for line in lines) for cell in row)


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(LIMITED)
    return tmp_path


def test_without_pinocchio_nothing_is_compared(run, monkeypatch):
    for module in ('cli.validate', 'inspection.inspection'):
        monkeypatch.setattr(f'robot_dynamics_ros.{module}.pinocchio_is_installed', lambda: False)
    ended = run('validate', 'arm.urdf')
    assert ended.returncode == 0
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
    assert 'ZeroDivisionError: float' in ended.stdout
