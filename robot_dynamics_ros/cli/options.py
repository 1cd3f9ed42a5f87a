"""The options that subcommands share, in one table, and what makes a subcommand of a function."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

import click

from .description_file import gravity_of
from .output import FILE, Output, ToWrite
from .recordings import given_recordings

OPTIONS: dict[str, click.Parameter] = {
    'file': click.Argument(['words'], nargs=-1, metavar='[FILE] [NAME:=VALUE]...'),
    'bags': click.Argument(['words'], nargs=-1, metavar='BAG... [NAME:=VALUE]...'),
    'urdf': click.Option(
        ['--urdf'], type=FILE, metavar='FILE',
        help='URDF or xacro file. [default: the recorded /robot_description]'),
    'topic': click.Option(
        ['--topic'], metavar='TOPIC',
        help='Topic of the joint states. [default: /joint_states]'),
    'rename': click.Option(
        ['--rename'], multiple=True, metavar='RECORDED=NAME',
        help='Name of a joint, or beginning of names, in the URDF; may be repeated.'),
    'gravity': click.Option(
        ['--gravity'], metavar='X,Y,Z',
        type=lambda text: gravity_of('--gravity', text.split(',')),
        help='Gravity in the axes of the root link [m/s^2]. [default: 0,0,-9.81]'),
    'cutoff': click.Option(
        ['--cutoff'], type=click.FloatRange(min=0.0, min_open=True), metavar='HZ',
        help='Cutoff of the low pass. [default: from the spectrum of the velocities]'),
    'parameters': click.Option(
        ['--parameters'], type=FILE, metavar='FILE',
        help='Friction, torque offsets and rotors: friction.yaml of identify, or parameters of '
        'dynamics_node, with its gravity. [default: friction of the description]'),
    'scheduler': click.Option(
        ['--scheduler'], metavar='ADDRESS',
        help='Dask cluster, tcp://HOST:PORT. [default: one process for each core]'),
    'json': click.Option(
        ['--json'], type=ToWrite(allow_dash=True), metavar='FILE',
        help='Write the result as JSON too; - for stdout, and then nothing else on it.'),
    'force': click.Option(
        ['--force'], is_flag=True, is_eager=True, help='Replace files that exist.'),
    'verbose': click.Option(
        ['--verbose'], is_flag=True, help='Print findings in full, and all tables.'),
    # It is looked at where errors are printed.
    'debug': click.Option(['--debug'], is_flag=True, help='Print a traceback with an error.'),
}  # fmt: skip
RECORDINGS = ('bags', 'urdf', 'topic', 'rename', 'gravity')
ALL = ('json', 'force', 'verbose', 'debug')
# Of --help.
BAGS = """BAG: a rosbag2 folder, an .mcap, .db3 or .csv file, or a ROS 1 bag; CSV files that are
one recording together are joined by +. A xacro file takes arguments, name:=value."""


def subcommand(name: str, *shared: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a subcommand of a function, with shared options by their names in `OPTIONS`.

    The function gets an argument `output`, and with `RECORDINGS` one `recordings` for the shared
    options; its docstring is the help.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        text = f'{inspect.getdoc(function)}' + f'\n\n{BAGS}' * ('bags' in shared)

        # Lines below \b are kept as they are.
        @click.command(name, help=re.sub(r'\n\n(Examples?:)', '\n\n\b\n\\1', text))
        @functools.wraps(function)
        def command(json: Any, verbose: bool, force: bool, debug: bool, **values: Any) -> Any:
            if 'bags' in shared:
                given = {option.name: values.pop(str(option.name)) for option in before}
                values['recordings'] = given_recordings(**given)
            return function(output=Output(json, verbose), **values)

        before, after = ([OPTIONS[each] for each in names] for names in (shared, ALL))
        command.params = [*before, *command.params, *after]
        return command

    return decorate
