"""The command `robot_dynamics`: its subcommands, one line for an error, and exit codes.

0: good. 1: findings, or a bound that does not hold. 2: wrong usage, or input that cannot be used.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module, metadata
from types import FrameType

import click

from robot_dynamics_ros.core.errors import RobotDynamicsError

from .output import (
    BY_SIGNAL,
    CANNOT_BE_USED,
    GOOD,
    INTERRUPTED,
    PIPE_CLOSED,
    ReaderEnded,
    Subcommands,
    writing_to_stdout,
)
from .surroundings import ParameterNames, Surroundings, TopicReader

PACKAGE = 'robot_dynamics_ros'
# Signals that end the command as Ctrl-C does.
ENDING = (signal.SIGTERM, signal.SIGHUP)
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
}


def _print_version(context: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        try:
            version = metadata.version(PACKAGE)
        except metadata.PackageNotFoundError:
            version = f'from sources ({PACKAGE} is not installed)'
        click.echo(f'robot_dynamics {version}')
        context.exit()


class _Lazily(Subcommands):
    """Imports a subcommand when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """See click."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """See click."""
        if cmd_name not in SUBCOMMANDS:
            return None
        name = cmd_name.replace('-', '_')
        module = import_module(f'.{name}', __package__)
        found: click.Command = getattr(module, f'{name}_command')
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See click."""
        with formatter.section('Commands'):
            formatter.write_dl([*SUBCOMMANDS.items()])


@click.group(
    cls=_Lazily,
    context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 100},
    invoke_without_command=True,
)
@click.option(
    '--version', is_flag=True, expose_value=False, is_eager=True, callback=_print_version,
    help='Print the version.',
)  # fmt: skip
@click.option('--debug', is_flag=True, expose_value=False, help='Print a traceback with an error.')
@click.pass_context
def commands(context: click.Context) -> int | None:
    """The dynamics of a robot from its URDF or xacro file, without ROS.

    Exit codes: 0 good, 1 findings, 2 wrong usage or input that cannot be used.
    """
    if context.invoked_subcommand is not None:
        return None
    click.echo(context.get_help(), err=True)
    return CANNOT_BE_USED


def main(
    arguments: Sequence[str] | None = None,
    read_topic: TopicReader | None = None,
    parameter_names: ParameterNames | None = None,
) -> None:
    """Run the command, and end the process with its exit code.

    Args:
        arguments: None: those of the process.
        read_topic: gives the description that a running robot publishes; None without ROS.
        parameter_names: gives those of dynamics_node; None where they are not known.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _replace_closed_streams()
    _print_what_the_terminal_has()
    came: list[int] = []
    try:
        with _ending_as_interruption() as came:
            code = commands.main(
                given,
                prog_name='robot_dynamics',
                standalone_mode=False,
                obj=Surroundings(read_topic, parameter_names),
            )
            with writing_to_stdout():
                sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        how = f'ended by {signal.Signals(came[0]).name}' if came else 'interrupted'
        sys.stderr.write(f'robot_dynamics: {how}\n')
        sys.exit(BY_SIGNAL + came[0] if came else INTERRUPTED)
    except (ReaderEnded, BrokenPipeError):
        _discard_stdout()
        sys.exit(PIPE_CLOSED)
    except Exception as error:
        if '--debug' in given:
            traceback.print_exc()
        sys.stderr.write(f'robot_dynamics: {_line_of(error)}\n')
        if isinstance(error, OSError):
            _discard_stdout()
        sys.exit(CANNOT_BE_USED)
    sys.exit(code or GOOD)


@contextmanager
def _ending_as_interruption() -> Iterator[list[int]]:
    """Raise a KeyboardInterrupt at SIGTERM and SIGHUP, so that what was begun is removed.

    A signal that is ignored, as SIGHUP by `nohup`, stays so. Outside the main thread, which alone
    handles signals, nothing changes.

    Yields:
        The number of the signal that came; empty before.
    """
    came: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        # A second one would interrupt the removal.
        if not came:
            came.append(number)
            raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        handled = [one for one in ENDING if signal.getsignal(one) is not signal.SIG_IGN]
        before = {one: signal.signal(one, interrupt) for one in handled}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


def _replace_closed_streams() -> None:
    """Streams that are closed, as `>&-` leaves them, are None in Python."""
    for name in ('stdout', 'stderr'):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), 'w'))


def _discard_stdout() -> None:
    """Python flushes stdout once more at its end, which would fail again where it is full."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_what_the_terminal_has() -> None:
    """Names in a description may have characters that the encoding of stdout lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors='backslashreplace')


def _line_of(error: Exception) -> str:
    """What a user reads of an error, in one line."""
    if isinstance(error, click.NoSuchOption) and error.option_name.lstrip('-') in SUBCOMMANDS:
        name = error.option_name.lstrip('-')
        text = f'No such option --{name}: {name} is a subcommand (robot_dynamics {name} --help)'
    elif isinstance(error, click.UsageError) and error.ctx is not None:
        if isinstance(error, click.NoSuchOption):
            # click guesses from less; an option that was removed has no near one.
            near = get_close_matches(error.option_name, error.possibilities or [], cutoff=0.85)
            error.possibilities = near
        text = f'{error.format_message()} (robot_dynamics {_subcommand(error.ctx)}--help)'
    elif isinstance(error, click.ClickException):
        text = error.format_message()
    elif isinstance(error, OSError):
        text = f'{error.filename or "a file"}: {error.strerror or error}'
    elif isinstance(error, RobotDynamicsError):
        text = str(error)
    else:
        kind = type(error).__name__
        text = f'error of the program itself ({kind}: {error}): run it again with --debug first'
    return ' '.join(text.split())


def _subcommand(context: click.Context) -> str:
    return '' if context.parent is None else f'{context.info_name} '


if __name__ == '__main__':
    main()
