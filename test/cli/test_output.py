"""What people see: tables on terminals of any width, text beside JSON, lacks."""

import io
import json
from pathlib import Path

import click
import numpy as np
from rich.console import Console

from robot_dynamics_ros.cli.output import FittedTable, output_options

RESULT = {'gain': np.float64(2.5), 'torque': np.array([[1.0, np.nan]]), 'file': Path('a.urdf'),
          'limit': float('inf'), 'joints': ('Gelenk ä', 1)}  # fmt: skip
PLAIN = {'gain': 2.5, 'torque': [[1.0, None]], 'file': 'a.urdf', 'limit': None,
         'joints': ['Gelenk ä', 1]}  # fmt: skip


@click.command()
@output_options
def command(output):
    output.line('text')
    output.show('[bold]table[/bold] :arm:')
    output.write_json(RESULT)


def test_json_stands_alone_on_stdout_or_in_a_file_beside_the_text(tmp_path, capsys):
    file = tmp_path / 'out.json'
    command.main(['--json', '-'], standalone_mode=False)
    assert json.loads(capsys.readouterr().out) == PLAIN
    command.main(['--json', str(file)], standalone_mode=False)
    # Names cannot format the text.
    assert capsys.readouterr().out == 'text\n[bold]table[/bold] :arm:\n'
    assert json.loads(file.read_text('utf-8')) == PLAIN


def test_nothing_of_a_table_is_cut_on_a_narrow_terminal():
    table = FittedTable('joint', 'bias')
    table.add_row('joint_' * 10, '0.25 N m')
    console = Console(width=30, file=io.StringIO())
    console.print(table)
    lines = console.file.getvalue().splitlines()
    assert all(len(line) <= 30 for line in lines)
    assert ''.join(line.split()[0] for line in lines[1:]) == 'joint_' * 10
