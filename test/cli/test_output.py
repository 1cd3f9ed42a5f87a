"""What people see: tables on terminals of any width, text beside JSON, and files that stay."""

import json
from pathlib import Path

import click
import numpy as np
import pytest

from robot_dynamics_ros.cli.options import subcommand
from robot_dynamics_ros.cli.output import ToWrite, writes
from robot_dynamics_ros.core import ParameterError

RESULT = {'gain': np.float64(2.5), 'torque': np.array([[1.0, np.nan]]), 'file': Path('a.urdf'),
          'limit': float('inf'), 'joints': ('Gelenk ä', 1)}  # fmt: skip
PLAIN = {'gain': 2.5, 'torque': [[1.0, None]], 'file': 'a.urdf', 'limit': None,
         'joints': ['Gelenk ä', 1]}  # fmt: skip
TEXT = 'text\n\nname                  \n[bold]arm[/bold] :arm:\n\n'


@subcommand('command')
@click.option('--folder', type=ToWrite(file_okay=False))
@click.option('--file', type=ToWrite())
def command(folder, file, output):
    writes('--folder', *(Path(name) for name in ('new.txt', 'b.txt') if folder))
    output.line('text')
    output.table(['name'], [['[bold]arm[/bold] :arm:']])
    output.findings([('short', 'at joint1: 3 %'), ('long', 'at joint2: 4 %\n' + 30 * 'word ')])
    output.write_json(RESULT)


def test_json_stands_alone_on_stdout_or_in_a_file_beside_the_text(tmp_path, capsys):
    """Names cannot format the text."""
    file = tmp_path / 'out.json'
    command.main(['--json', '-'], standalone_mode=False)
    assert json.loads(capsys.readouterr().out) == PLAIN
    command.main(['--json', str(file)], standalone_mode=False)
    assert capsys.readouterr().out.startswith(TEXT)
    assert json.loads(file.read_text('utf-8')) == PLAIN


@pytest.mark.parametrize('words', [[], ['--verbose']])
def test_a_finding_is_one_line_and_whole_with_verbose(capsys, words):
    """The head and the figures come first; a short one is whole in either way."""
    command.main(words, standalone_mode=False)
    short, long, *hint = capsys.readouterr().out.removeprefix(TEXT).splitlines()
    whole = f'long: at joint2: 4 % {30 * "word "}'.strip()
    assert short == 'short: at joint1: 3 %'
    shortened = (len(long) <= 100, long != whole, bool(hint))
    assert shortened == 3 * (not words,)
    assert long.startswith('long: at joint2: 4 % word')


@pytest.mark.parametrize(
    ('words', 'existing'),
    [
        (['--json', 'a.json'], 'a.json'),
        (['--file', 'b.txt'], 'b.txt'),
        (['--folder', 'old'], 'old'),
        # What is written into a folder is looked at file by file.
        (['--folder', 'new'], 'b.txt'),
    ],
)
def test_a_file_that_exists_is_replaced_with_force_only(tmp_path, monkeypatch, words, existing):
    monkeypatch.chdir(tmp_path)
    Path('old').mkdir()
    for name in ('a.json', 'old/a.txt', 'b.txt'):
        Path(name).write_text('mine')
    with pytest.raises(ParameterError, match=f'{existing} exists: {words[0]} .*--force'):
        command.main(words, standalone_mode=False)
    command.main([*words, '--force'], standalone_mode=False)
    assert (Path('a.json').read_text() == 'mine') == ('--json' not in words)
