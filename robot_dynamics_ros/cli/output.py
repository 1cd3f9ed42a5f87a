"""What every subcommand shares: its flags, exit codes, printing, and the files it names."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from textwrap import shorten
from typing import Any, TypeVar

import click
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.json_text import json_text
from robot_dynamics_ros.written_file import check_can_be_written, check_folder, written_file

# Exit codes of the command: findings, or a bound that does not hold; wrong usage, or input that
# cannot be used.
GOOD, FINDINGS, CANNOT_BE_USED = 0, 1, 2

STDOUT = Path('-')
# Columns of tables that are not printed on a terminal.
FILE_WIDTH = 160
# A ratio that is larger is one to noise.
LARGEST_RATIO = 9.99
# Endings of the files in the folder of a rosbag2 recording.
OF_A_BAG = ('.mcap', '.db3', '.zstd', '.yaml')
# Columns of the name of a progress bar and of the bar itself, which leave room for the number and
# the remaining time of millions of states.
NAME, BAR = 30, 10
# Characters of the line of a finding.
FINDING = 100
# Of every subcommand; --debug is looked at where errors are printed.
FLAGS = {
    '--force': 'Replace files that exist.',
    '--verbose': 'Print findings in full.',
    '--debug': 'Print a traceback with an error.',
}

Command = TypeVar('Command', bound=Callable[..., Any])
# Takes the number of items that were done since the last call.
Advance = Callable[[int], None]
# Shows the progress of what is done, as `Output.progress` does.
ShowProgress = Callable[[str, int | None, str], AbstractContextManager[Advance]]


@dataclass(frozen=True)
class Output:
    """Where a subcommand writes its results.

    Attributes:
        json_file: of --json; `-` for stdout, None where JSON is not asked for.
        force: whether files that exist are replaced.
        verbose: whether findings are printed in full.
    """

    json_file: Path | None = None
    force: bool = False
    verbose: bool = False

    @property
    def json_only(self) -> bool:
        """Whether stdout is for JSON, and nothing else may be written to it."""
        return self.json_file == STDOUT

    def line(self, text: str) -> None:
        """Print one line for people, however long."""
        if not self.json_only:
            click.echo(' '.join(text.splitlines()))

    def findings(self, findings: Iterable[tuple[str, str]], colors: Iterable[str] = ()) -> None:
        """Print findings, head and text of each, in a line of at most 100 characters.

        With --verbose the lines are whole; without, one says so where something is left out.

        Args:
            findings: head, such as a code, and the text: figures first.
            colors: of each head, in styles of rich; none where there are none.
        """
        left_out = False
        for (head, text), color in zip_longest(findings, colors, fillvalue=''):
            line = ' '.join(f'{head}: {text}'.split())
            short = line if self.verbose else shorten(line, FINDING, placeholder=' ...')
            left_out |= short != line
            self.show(Text.assemble((short[: len(head)], color), short[len(head) :]))
        if left_out:
            self.line('(--verbose prints findings in full)')

    def error(self, text: str) -> None:
        """Say on stderr in one line why a file cannot be used; the others are gone on with."""
        click.echo(f'robot_dynamics: {" ".join(text.split())}', err=True)

    def warning(self, text: str) -> None:
        """Say on stderr in one line what a user has to know of options and files."""
        self.error(f'warning: {text}')

    def show(self, *parts: RenderableType) -> None:
        """Print tables and texts of rich for people."""
        if self.json_only:
            return
        width = None if sys.stdout.isatty() else FILE_WIDTH
        console = Console(width=width, markup=False, highlight=False, emoji=False)
        for part in parts:
            # Lines of text are left whole, for a terminal and for grep.
            console.print(part, soft_wrap=isinstance(part, (str, Text)))

    def write_json(self, result: Mapping[str, Any]) -> None:
        """Write the result where --json says; nothing without --json.

        Numbers that are not finite become null, arrays lists, and paths strings.

        Raises:
            OSError: the file cannot be written.
        """
        if self.json_only:
            click.echo(json_text(result), nl=False)
        elif self.json_file is not None:
            with written_file(self.json_file) as new:
                new.write_text(json_text(result), encoding='utf-8')

    @contextmanager
    def progress(self, what: str, total: int | None, unit: str) -> Iterator[Advance]:
        """Show on stderr how far some work is, and the time that remains.

        Nothing is shown where stderr is not a terminal.

        Args:
            what: is done, such as the name of a file.
            total: number of items; None where it is not known.
            unit: of the items, in the plural, such as 'files'.

        Yields:
            A function that takes the number of items done since the last call, from any thread.
        """
        console = Console(stderr=True)
        # rich takes a file for a terminal where FORCE_COLOR is set.
        if not (sys.stderr.isatty() and console.is_interactive):
            yield lambda done: None
            return
        bar = Progress(
            TextColumn('{task.description}', markup=False),
            BarColumn(BAR),
            MofNCompleteColumn(),
            TextColumn(unit),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            # Otherwise what is printed meanwhile would go to stderr too.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        # Of a path, the end tells most.
        task = bar.add_task(what[-NAME:], total=total)
        with bar:
            yield lambda done: bar.advance(task, done)


def no_progress(what: str, total: int | None, unit: str) -> AbstractContextManager[Advance]:
    """Progress that is not shown, of a task in another process."""
    return nullcontext(lambda done: None)


class FittedTable(Table):
    """Names and numbers in columns; where they do not fit, they are folded, nothing is cut.

    The first column is to the left, the others are to the right.
    """

    def __init__(self, *columns: str) -> None:
        """Have no rows yet."""
        super().__init__(box=None, pad_edge=False, header_style='bold')
        for index, column in enumerate(columns):
            self.add_column(column, justify='right' if index else 'left', overflow='fold')


def exit_code(findings: Collection[Any] | int, unusable: Collection[Any] | int = ()) -> int:
    """The exit code of a subcommand that found something, and could not use something."""
    return CANNOT_BE_USED if unusable else FINDINGS if findings else GOOD


def number_text(value: float, digits: int, unit: str = '') -> str:
    """A number of a table; `-` for one that is not known."""
    return f'{value:.{digits}g} {unit}'.rstrip() if math.isfinite(value) else '-'


def percent_text(ratio: float) -> str:
    """A ratio as percent; `-` for one that is not known, or to noise."""
    # Rounded to an int: nothing is -0 %.
    return f'{round(100.0 * ratio)} %' if abs(ratio) <= LARGEST_RATIO else '-'


def output_options(command: Command) -> Command:
    """Give a subcommand --json and `FLAGS`; its function takes an argument `output`, an Output."""
    for flag, words in reversed(FLAGS.items()):
        command = click.option(
            flag, is_flag=True, is_eager=True, expose_value=False, help=words,
            callback=lambda context, flag, given: context.meta.update({flag.opts[0]: given}),
        )(command)  # fmt: skip
    return click.option(
        '--json', 'output', type=FileToWrite(allow_dash=True), metavar='FILE',
        callback=lambda context, option, given: Output(
            given, context.meta['--force'], context.meta['--verbose']
        ),
        help='Write the result as JSON too; - for stdout, and then nothing else on it.',
    )(command)  # fmt: skip


class FileToRead(click.Path):
    """The type of an option that names a file to read, which no other option may replace."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """See click."""
        file = Path(super().convert(value, param, ctx))
        reads(file)
        return file


class FileToWrite(click.Path):
    """The type of an option that names a file to write: it is checked before the work begins."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """See click."""
        path = Path(value)
        if not (self.allow_dash and path == STDOUT):
            check_can_be_written(path)
            writes(param.opts[0], path)
        return path


class FolderToWrite(click.Path):
    """The type of an option that names a folder to write, new or empty, or with --force any."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """See click."""
        folder = Path(value)
        check_folder(folder)
        if folder.is_dir() and any(folder.iterdir()):
            _check_replaced(folder, param.opts[0])
        return folder


class WordOrNumber(click.ParamType):
    """The type of an option that takes one of some words, or a number."""

    name = 'number'

    def __init__(self, *words: str) -> None:
        """Take these words, as they are."""
        self.words = words

    def convert(self, value: Any, param: Any, ctx: Any) -> str | float:
        """See click."""
        try:
            return str(value) if value in self.words else float(value)
        except ValueError:
            self.fail(f'{value!r}: {", ".join(self.words)} or a number is needed', param, ctx)


def named_numbers(option: str, form: str, texts: Iterable[str]) -> dict[tuple[str, str], float]:
    """Numbers of an option, by name and by what follows an `@`, if anything.

    Args:
        option: its name.
        form: of each text, `NAME=VALUE` or `NAME=VALUE@BAG`.
        texts: that were given.

    Raises:
        ParameterError: a text has another form, or a name comes twice.
    """
    found: dict[tuple[str, str], float] = {}
    for text in texts:
        match = re.fullmatch(r'([^=]+)=([^@]*)(?:@(.+))?', text)
        try:
            if not match or bool(match[3]) != ('@' in form):
                raise ValueError
            key, value = (match[1].strip(), match[3] or ''), float(match[2])
        except ValueError:
            raise ParameterError(f'{option} {text}: {form} is needed') from None
        if found.setdefault(key, value) != value:
            raise ParameterError(f'{option} {text}: it is named twice, with other values')
    return found


def reads(*entries: Path) -> None:
    """Note files, and folders of bags, that the running subcommand reads.

    Raises:
        ParameterError: one would be replaced; names the file and the option.
    """
    inputs, outputs = _noted()
    inputs.update(file.resolve() for entry in entries for file in _files_of(entry))
    _check(inputs, outputs)


def writes(option: str, *files: Path) -> None:
    """Note files that the running subcommand writes for an option.

    Raises:
        ParameterError: one is read, or written for another option; or it exists, without --force.
    """
    inputs, outputs = _noted()
    for file in files:
        if (other := outputs.setdefault(file.resolve(), option)) != option:
            raise ParameterError(f'{file} would be written for {other} and for {option}')
    _check(inputs, outputs)
    for file in files:
        if file.is_file():
            _check_replaced(file, option)


def _check_replaced(path: Path, option: str) -> None:
    context = click.get_current_context(silent=True)
    if context is not None and not context.meta.get('--force'):
        raise ParameterError(f'{path} exists: {option} replaces it with --force only')


def _noted() -> tuple[set[Path], dict[Path, str]]:
    """What the running subcommand reads; and what it writes, with the options."""
    new: tuple[set[Path], dict[Path, str]] = (set(), {})
    context = click.get_current_context(silent=True)
    # In another process there is none.
    return new if context is None else context.meta.setdefault(f'{__name__}.files', new)


def _check(inputs: set[Path], outputs: Mapping[Path, str]) -> None:
    for file in inputs & outputs.keys():
        raise ParameterError(
            f'{file} is read, and {outputs[file]} would replace it: name another file with '
            f'{outputs[file]}'
        )


def _files_of(entry: Path) -> Iterable[Path]:
    """A file, or those of a bag; none of a device, which nothing replaces, or if there is none."""
    if entry.is_dir():
        return [file for file in entry.iterdir() if file.suffix in OF_A_BAG]
    return [entry] if entry.is_file() else []
