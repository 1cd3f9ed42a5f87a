"""The command `robot_dynamics`: its subcommands, one line for an error, and exit codes.

0: good. 1: findings, or a bound that does not hold. 2: wrong usage, or input that cannot be used.
128 + the number of a signal that ended it, as a shell reports signals.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from importlib import import_module
from types import FrameType

import click

from robot_dynamics_ros.core.errors import RobotDynamicsError, error_line

from .output import CANNOT_BE_USED, GOOD

# What --help says of each; its module, of its name, is imported when it is called.
SUBCOMMANDS = {
    'compare': 'Compare measured efforts with the torques of a model.',
    'contacts': 'Find contacts in recordings.',
    'excite': 'Write an exciting trajectory for identification.',
    'export-c': 'Write the dynamics of a robot as C99.',
    'identify': 'Identify the parameters of a robot from recordings.',
    'inspect': 'Show a robot, its loads and findings.',
    'payload': 'Estimate what a link carries.',
    'thresholds': 'Learn thresholds of contacts from recordings.',
    'torques': 'Write the torques of a model along recordings.',
    'validate': 'Check many descriptions, one line a file.',
    'view': 'Show a robot in a browser.',
}


class _Lazily(click.Group):
    """Imports a subcommand when it is called; see click."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        name = cmd_name.replace('-', '_')
        return getattr(import_module(f'.{name}', __package__), f'{name}_command')

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section('Commands'):
            formatter.write_dl([*SUBCOMMANDS.items()])


@click.group(
    cls=_Lazily,
    context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 100},
    invoke_without_command=True,
)
@click.version_option(
    None, '--version', package_name='robot_dynamics_ros', message='%(prog)s %(version)s'
)
@click.pass_context
def commands(context: click.Context) -> int | None:
    """The dynamics of a robot from its URDF or xacro file, without ROS.

    Exit code 1: there are findings. 2: something cannot be used.
    """
    if context.invoked_subcommand is not None:
        return None
    click.echo(context.get_help(), err=True)
    return CANNOT_BE_USED


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command with arguments, or those of the process, and end it with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Names in a description may have what the encoding of a terminal lacks.
            stream.reconfigure(errors='backslashreplace')
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:  # not with `nohup`
                signal.signal(number, _interrupt)
    try:
        code = commands.main(given, prog_name='robot_dynamics', standalone_mode=False)
    except (click.Abort, KeyboardInterrupt) as error:
        number = next(iter((error.__cause__ or error).args), signal.SIGINT)
        click.echo(f'robot_dynamics: ended by {signal.Signals(number).name}', err=True)
        # CPython ends by SIGINT what was interrupted in exec(), until something else is executed
        exec('')
        sys.exit(128 + number)
    except SystemExit:
        # So click and rich end where nobody reads stdout any more, as `head` leaves it.
        sys.exit(128 + signal.SIGPIPE)
    except Exception as error:
        if '--debug' in given:
            traceback.print_exc()
        click.echo(f'robot_dynamics: {_line_of(error)}', err=True)
        try:
            # Python does it once more at its end, which would fail again where stdout is full.
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(CANNOT_BE_USED)
    sys.exit(code or GOOD)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C does, which removes what was begun; a second one would interrupt that."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt(number)


def _line_of(error: Exception) -> str:
    """What a user reads of an error, in one line."""
    if isinstance(error, click.ClickException):
        context = getattr(error, 'ctx', None)
        see = f' ({context.command_path} --help)' if context else ''
        return ' '.join(f'{error.format_message()}{see}'.split())
    # Files that are written are named.
    line = error_line(error, 'stdout')
    itself = isinstance(error, (OSError, RobotDynamicsError))
    return line if itself else f'{line}: run it again with --debug'


if __name__ == '__main__':
    main()
