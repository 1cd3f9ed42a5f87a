"""docs/command.md: its JSON has the keys of the command's, and it lists every code."""

import json
import re
from pathlib import Path

import click
import pytest
from documented_json import DOCUMENT, documented, keys
from running_command import run

from robot_dynamics_ros.cli.command_line import commands
from robot_dynamics_ros.inspection import CODES

pytestmark = pytest.mark.contract

__all__ = ['run']

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'empty.urdf').touch()
    for source in (
        'examples/three_link_arm/three_link_arm.urdf', 'test/mechanics/urdf/pendulum.urdf',
    ):  # fmt: skip
        (tmp_path / Path(source).name).write_text((ROOT / source).read_text())
    return tmp_path


def test_json_of_inspect(run):
    ended = run('inspect', 'three_link_arm.urdf', '--frame', 'tool', '--json', '-')
    found, shown = json.loads(ended.stdout), documented('inspect')
    for name in set(found['gravity']) - set(shown['gravity']):
        del found['gravity'][name]
    assert keys(found) == keys(shown)
    assert found['mass'] == pytest.approx(shown['mass'], rel=0.01)


def test_json_of_validate(run):
    pytest.importorskip('pinocchio')
    arguments = 'pendulum.urdf', 'empty.urdf', '--json', '-'
    found, shown = json.loads(run('validate', *arguments).stdout), documented('validate')
    assert [keys(file) for file in found['files']] == [keys(file) for file in shown['files']]
    assert found['counts'] == shown['counts']
    assert found['files'][0]['findings'] == shown['files'][0]['findings']


def test_every_subcommand_is_listed():
    listed = re.findall(
        r'^\| `([a-z-]+)` \|', DOCUMENT.split('| subcommand |')[1].split('\n\n')[0], re.M
    )
    assert set(listed) == set(commands.list_commands(None))


def test_every_code_is_listed():
    listed = re.findall(
        r'^\| `([a-z_]+)` \| (.*) \|$', DOCUMENT.split('## Codes')[1], re.MULTILINE
    )
    assert dict(listed) == CODES


def test_the_text_of_inspect(run):
    """Every line of the example but those about the picture."""
    ended = run('inspect', 'three_link_arm.urdf', '--frame', 'tool')
    shown = re.search(r'--picture arm.png\n(.*?)```', DOCUMENT, re.DOTALL)[1]
    assert ended.stdout.split() == shown.split()


def test_options_are_few():
    """A new option takes the place of another; what all subcommands have counts once."""
    options = [
        [one.opts[-1] for one in command.params if isinstance(one, click.Option)]
        for name in commands.list_commands(None)
        if (command := commands.get_command(None, name))
    ]
    shared = set.intersection(*map(set, options))
    assert shared == {'--json', '--debug'}
    own = sum(len(set(names) - shared) for names in options)
    assert own + len({*shared, '--version'}) <= 75
