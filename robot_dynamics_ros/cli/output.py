"""What every subcommand shares: its flags, exit codes, printing, and the files it names."""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

import click
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.json_text import json_text
from robot_dynamics_ros.written_file import check_can_be_written, check_folder, written_file

# Exit codes of the command: findings, or a bound that does not hold; wrong usage, or input that
# cannot be used.
GOOD, FINDINGS, CANNOT_BE_USED = 0, 1, 2

STDOUT = Path('-')
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)  # of an option that is read
FILE_WIDTH = 160  # columns of tables that are not printed on a terminal
FINDING = 100  # characters of the line of a finding
LARGEST_RATIO = 9.99  # a larger one is one to noise
# Of every subcommand; --debug is looked at where errors are printed.
FLAGS = {
    'force': 'Replace files that exist.',
    'verbose': 'Print findings in full.',
    'debug': 'Print a traceback with an error.',
}
Command = Callable[..., Any]


@dataclass(frozen=True)
class Output:
    """Where a subcommand writes its results.

    Attributes:
        json_file: of --json; `-` for stdout, None where JSON is not asked for.
        verbose: whether findings are printed in full.
    """

    json_file: Path | None = None
    verbose: bool = False

    @property
    def json_only(self) -> bool:
        """Whether stdout is for JSON, and nothing else may be written to it."""
        return self.json_file == STDOUT

    def line(self, text: str) -> None:
        """Print one line for people, however long."""
        if not self.json_only:
            click.echo(' '.join(text.splitlines()))

    def findings(self, findings: Iterable[tuple[str, str]]) -> None:
        """Print findings, a head such as a code and a text each, in at most 100 characters."""
        whole = [' '.join(f'{head}: {text}'.split()) for head, text in findings]
        short = [shorten(line, FINDING, placeholder=' ...') for line in whole]
        for line in whole if self.verbose else short:
            self.line(line)
        if short != whole and not self.verbose:
            self.line('(--verbose prints findings in full)')

    def error(self, text: str) -> None:
        """Say on stderr in one line why a file cannot be used; the others are gone on with."""
        click.echo(f'robot_dynamics: {" ".join(text.split())}', err=True)

    def warning(self, text: str) -> None:
        """Say on stderr in one line what a user has to know of options and files."""
        self.error(f'warning: {text}')

    def show(self, *parts: RenderableType) -> None:
        """Print tables and lines for people."""
        if self.json_only:
            return
        console = Console(markup=False, highlight=False, emoji=False)
        if not console.is_terminal:
            console.width = FILE_WIDTH
        for part in parts:
            # Lines of text are left whole, for a terminal and for grep.
            console.print(part, soft_wrap=isinstance(part, str))

    def write_json(self, result: Mapping[str, Any]) -> None:
        """Write the result where --json says, see `json_text`; nothing without --json."""
        if self.json_only:
            click.echo(json_text(result), nl=False)
        elif self.json_file is not None:
            with written_file(self.json_file) as new:
                new.write_text(json_text(result), encoding='utf-8')

    @contextmanager
    def progress(self, what: str, total: int | None, unit: str) -> Iterator[Callable[[int], None]]:
        """Show on a terminal how many of some items are done."""
        console = Console(stderr=True)
        shown = console.is_interactive and sys.stderr.isatty()
        with Progress(console=console, transient=True, disable=not shown) as bar:
            task = bar.add_task(escape(f'{what} [{unit}]'), total=total)
            yield lambda done: bar.advance(task, done)


class FittedTable(Table):
    """Names to the left, numbers to the right; what does not fit is folded, nothing is cut."""

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

    @functools.wraps(command)
    def with_output(json: Path | None, verbose: bool, **values: Any) -> Any:
        own = {name: value for name, value in values.items() if name not in FLAGS}
        return command(output=Output(json, verbose), **own)

    wrapped: Command = with_output
    for flag, words in reversed(FLAGS.items()):
        wrapped = click.option(f'--{flag}', is_flag=True, is_eager=True, help=words)(wrapped)
    return click.option(
        '--json', type=FileToWrite(allow_dash=True), metavar='FILE',
        help='Write the result as JSON too; - for stdout, and then nothing else on it.',
    )(wrapped)  # fmt: skip


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
            _check_force(param.opts[0], folder)
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
    """Numbers of an option, by name and by what follows an `@`, if anything."""
    pattern = r'\s*([^=]+?)\s*=([^@]*)' + ('@(.+)' if '@' in form else '()')
    found: dict[tuple[str, str], float] = {}
    for text in texts:
        try:
            name, number, bag = re.fullmatch(pattern, text).groups()  # type: ignore[union-attr]
            value = float(number)
        except (AttributeError, ValueError):
            raise ParameterError(f'{option} {text}: {form} is needed') from None
        if found.setdefault((name, bag), value) != value:
            raise ParameterError(f'{option} {text}: it is named twice, with other values')
    return found


def reads(*files: Path) -> None:
    """Note files that the running subcommand reads."""
    _note('', files)


def writes(option: str, *files: Path) -> None:
    """Note files that the running subcommand writes for an option."""
    _note(option, files)
    for file in files:
        if file.is_file():
            _check_force(option, file)


def _note(option: str, files: Iterable[Path]) -> None:
    if (context := click.get_current_context(silent=True)) is None:
        return  # in another process
    noted = context.meta.setdefault(__name__, {})
    for file in files:
        if (other := noted.setdefault(file.resolve(), option)) != option:
            raise ParameterError(f'{file} is named twice: {option or other} would replace it')


def _check_force(option: str, path: Path) -> None:
    if not click.get_current_context().params['force']:
        raise ParameterError(f'{path} exists: {option} replaces it with --force only')
