"""What people see: tables on terminals of any width, text beside JSON, lacks."""

import io
import json
from pathlib import Path

import click
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
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


def shown(table, width):
    """The lines that a terminal of a width shows."""
    console = Console(width=width, file=io.StringIO(), markup=False, highlight=False, emoji=False)
    console.print(table, soft_wrap=False)
    return console.file.getvalue().splitlines()


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
