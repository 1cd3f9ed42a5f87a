"""What every subcommand shares: --json, --debug, exit codes, text, the files that it writes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console, RenderableType
from rich.text import Text

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.json_text import json_text
from robot_dynamics_ros.written_file import check_can_be_written, written_file

from .progress import Advance, progress

# Exit codes of the command.
GOOD = 0
# Findings, or a bound that does not hold.
FINDINGS = 1
# Wrong usage, or input that cannot be used.
CANNOT_BE_USED = 2
# As a shell reports signals: this and their number.
BY_SIGNAL = 128
# SIGINT and SIGPIPE.
INTERRUPTED = 130
PIPE_CLOSED = 141

STDOUT = Path('-')
# Columns of tables that are not printed on a terminal.
FILE_WIDTH = 160
# Endings of the files in the folder of a rosbag2 recording.
OF_A_BAG = ('.mcap', '.db3', '.zstd', '.yaml')
# Where a running subcommand notes the files that it reads and writes.
CLAIMS = f'{__name__}.claims'

Command = TypeVar('Command', bound=Callable[..., Any])


class ReaderEnded(Exception):
    """Nobody reads stdout any more, as `head` leaves it."""


@dataclass(frozen=True)
class Output:
    """Where a subcommand writes its results.

    Attributes:
        json_file: of --json; `-` for stdout, None where JSON is not asked for.
    """

    json_file: Path | None = None

    @property
    def json_only(self) -> bool:
        """Whether stdout is for JSON, and nothing else may be written to it."""
        return self.json_file == STDOUT

    def line(self, text: str) -> None:
        """Print one line for people, however long."""
        if not self.json_only:
            with writing_to_stdout():
                click.echo(' '.join(text.splitlines()))

    def error(self, text: str) -> None:
        """Say on stderr in one line why a file cannot be used; the others are gone on with."""
        click.echo(f'robot_dynamics: {" ".join(text.split())}', err=True)

    def warning(self, text: str) -> None:
        """Say on stderr in one line what a user has to know of options and files."""
        click.echo(f'robot_dynamics: warning: {" ".join(text.split())}', err=True)

    def check_files(
        self, read: Iterable[Path], written: Mapping[str, Iterable[Path]] | None = None
    ) -> None:
        """Check that the files that are written, with that of --json, have names of their own.

        Args:
            read: files, and folders of bags.
            written: other files that are written, by the option that names them.

        Raises:
            ParameterError: a file would be written twice, or would replace an input.
        """
        own = [] if self.json_file is None or self.json_only else [self.json_file]
        claim(read, {**(written or {}), '--json': own})

    def show(self, *parts: RenderableType) -> None:
        """Print tables, trees and texts of rich for people."""
        if self.json_only:
            return
        width = None if sys.stdout.isatty() else FILE_WIDTH
        console = _Console(width=width, markup=False, highlight=False, emoji=False)
        with writing_to_stdout():
            for part in parts:
                # Lines of text are left whole, for a terminal and for grep.
                console.print(part, soft_wrap=isinstance(part, (str, Text)))

    def write_json(self, result: Mapping[str, Any]) -> None:
        """Write the result where --json says; nothing without --json.

        Numbers that are not finite become null, arrays lists, and paths strings.

        Raises:
            OSError: the file cannot be written.
        """
        if self.json_file is None:
            return
        text = json_text(result)
        if self.json_only:
            with writing_to_stdout():
                click.echo(text, nl=False)
            return
        with written_file(self.json_file) as new:
            new.write_text(text, encoding='utf-8')

    def progress(self, what: str, total: int | None, unit: str) -> AbstractContextManager[Advance]:
        """See `progress`."""
        return progress(what, total, unit)


@contextmanager
def writing_to_stdout() -> Iterator[None]:
    """While stdout is written to: an error that names no file names it.

    Raises:
        ReaderEnded: nobody reads it. click takes a BrokenPipeError for exit code 1, which is ours.
        OSError: it cannot be written.
    """
    try:
        yield
    except BrokenPipeError:
        raise ReaderEnded from None
    except OSError as error:
        if error.filename is None:
            error.filename = 'stdout'
        raise


class _Console(Console):
    """Says that a pipe is closed; rich would end the process with exit code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Subcommand(click.Command):
    """A subcommand, whose --help names stdout where that cannot be written."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """See click: options such as --help print while they are parsed."""
        with writing_to_stdout():
            return super().parse_args(ctx, args)


class Subcommands(Subcommand, click.Group):
    """The group of subcommands."""


def output_options(command: Command) -> Command:
    """Give a subcommand --json and --debug; its function takes an argument `output`, an Output."""
    command = click.option(
        '--debug', is_flag=True, expose_value=False, help='Print a traceback with an error.'
    )(command)
    return click.option(
        '--json', 'output', callback=lambda context, parameter, given: Output(given),
        type=file_to_write(stdout=True), metavar='FILE',
        help='Write the result as JSON too; - for stdout, and then nothing else on it.',
    )(command)  # fmt: skip


def file_to_write(*, stdout: bool = False) -> click.ParamType:
    """The type of an option that names a file to write: it is checked before the work begins.

    Args:
        stdout: whether `-` stands for stdout.
    """

    def checked(value: Any) -> Path:
        path = Path(value)
        if not (stdout and path == STDOUT):
            try:
                check_can_be_written(path)
            except ParameterError as error:
                raise click.BadParameter(str(error)) from None
        return path

    return click.types.FuncParamType(checked)


def claim(read: Iterable[Path], written: Mapping[str, Iterable[Path]]) -> None:
    """Note what the running subcommand reads and writes: no file is written twice, no input lost.

    Args:
        read: files, and folders of bags.
        written: files by the option that names them.

    Raises:
        ParameterError: names the file and the option.
    """
    context = click.get_current_context(silent=True)
    claims: tuple[set[Path], dict[Path, str]] = (set(), {})
    inputs, options = claims if context is None else context.meta.setdefault(CLAIMS, claims)
    inputs.update(file.resolve() for entry in read for file in _files_of(entry))
    for option, files in written.items():
        for file in files:
            if (other := options.setdefault(file.resolve(), option)) != option:
                raise ParameterError(f'{file} would be written for {other} and for {option}')
    for file in inputs & options.keys():
        raise ParameterError(
            f'{file} is read, and {options[file]} would replace it: name another file with '
            f'{options[file]}'
        )


def _files_of(entry: Path) -> Sequence[Path]:
    """A file, or those of a bag; none of a device, which nothing replaces, or of what is missing.

    A folder that cannot be listed is refused when it is read.
    """
    try:
        if entry.is_dir():
            return [file for file in entry.iterdir() if file.suffix in OF_A_BAG]
        return [entry] if entry.is_file() else []
    except OSError:
        return []
