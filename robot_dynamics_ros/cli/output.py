"""What subcommands print and write: lines, tables, findings, JSON, pages; and their exit codes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.json_text import json_text
from robot_dynamics_ros.report import Report, write_report
from robot_dynamics_ros.written_file import check_can_be_written, written_file

# Exit codes of the command: findings, or a bound that does not hold; wrong usage, or input that
# cannot be used.
GOOD, FINDINGS, CANNOT_BE_USED = 0, 1, 2

STDOUT = Path('-')
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)  # of an option that is read
PLAIN = str.maketrans('\N{NO-BREAK SPACE}\N{MINUS SIGN}', ' -')  # of pages, on a terminal
FINDING = 100  # characters of the line of a finding, which fits on a terminal


@dataclass(frozen=True)
class Output:
    """Where a subcommand writes its results."""

    json_file: Path | None = None  #: of --json; `-` for stdout, which is then for it alone
    verbose: bool = False  #: whether findings and tables are printed in full

    def line(self, text: str) -> None:
        """Print one line for people, however long."""
        if self.json_file != STDOUT:
            click.echo(' '.join(text.splitlines()).translate(PLAIN))

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

    def table(
        self, columns: Sequence[str], rows: Iterable[Iterable[str]], title: str = ''
    ) -> None:
        """Print a table between empty lines; what does not fit on a terminal is folded."""
        if self.json_file == STDOUT:
            return
        # Names to the left, numbers to the right.
        table = Table(box=None, pad_edge=False, header_style='bold')
        for index, column in enumerate(columns):
            table.add_column(column, justify='right' if index else 'left', overflow='fold')
        for row in rows:
            table.add_row(*(cell.translate(PLAIN) for cell in row))
        console = Console(markup=False, highlight=False, emoji=False)
        if not console.is_terminal:
            console.width = sys.maxsize
        for part in ('', *filter(None, [title]), table, ''):
            console.print(part)

    def show(self, report: Report, page: Path | None = None) -> None:
        """Print a report without its plots, and write its page; --verbose prints all tables."""
        for line in (f'{report.robot}: {report.headline}', *report.about):
            self.line(line)
        if report.joints:
            rows = ((one.name, one.result, *one.cells) for one in report.joints)
            self.table(['joint', 'result', *report.columns], rows)
        for table in report.tables if self.verbose else report.tables[:1]:
            self.table(table.header, table.rows, table.title)
        self.findings((head, text) for _, head, text in report.findings)
        for error in report.errors:
            self.error(error)
        if page:
            write_report(report, page, ['robot_dynamics', *sys.argv[1:]])
            self.line(f'written: {page}')

    def write_json(self, result: Mapping[str, Any]) -> None:
        """Write the result where --json says, see `json_text`; nothing without --json."""
        if self.json_file == STDOUT:
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


def exit_code(findings: Collection[Any] | int, unusable: Collection[Any] | int = ()) -> int:
    """The exit code of a subcommand that found something, and could not use something."""
    return CANNOT_BE_USED if unusable else FINDINGS if findings else GOOD


class ToWrite(click.Path):
    """The type of an option that names what is written; it is checked before the work begins.

    A file, or with `file_okay=False` a folder, which is new or empty, or with --force any.
    """

    def __init__(self, ending: str = '', **settings: Any) -> None:
        """Take names of this ending, and settings of click.Path."""
        super().__init__(**settings)
        self.ending = ending

    def convert(self, value: Any, param: Any, ctx: Any) -> Path:
        """See click."""
        path, option = Path(value), param.opts[0]
        if self.allow_dash and path == STDOUT:
            return path
        if not path.name.lower().endswith(self.ending):
            raise ParameterError(f'{option} {path}: its name must end in {self.ending}')
        check_can_be_written(path, folder=not self.file_okay)
        if self.file_okay:
            writes(option, path)
        elif path.is_dir() and any(path.iterdir()):
            _check_force(option, path)
        return path


PAGE = ToWrite('.html')  # of a report


def word_or_number(*words: str) -> Callable[[Any], str | float]:
    """The type of an option that takes one of some words, or a number."""

    def parsed(value: Any) -> str | float:
        try:
            return str(value) if value in words else float(value)
        except ValueError:
            raise ParameterError(f'{value!r}: {", ".join(words)} or a number is needed') from None

    return parsed


def named_values(
    option: str, form: str, texts: Iterable[str], kind: Callable[[str], Any] = float
) -> dict[Any, Any]:
    """Values NAME=VALUE of an option by name; NAME=VALUE@BAG by name and bag."""
    pattern = r'\s*([^=]+?)\s*=([^@]*)' + '@(.+)' * ('@' in form)
    found: dict[Any, Any] = {}
    for text in texts:
        try:
            name, value, *bag = re.fullmatch(pattern, text).groups()  # type: ignore[union-attr]
            key, parsed = (name, *bag) if bag else name, kind(value)
        except (AttributeError, ValueError):
            raise ParameterError(f'{option} {text}: {form} is needed') from None
        if found.setdefault(key, parsed) != parsed:
            raise ParameterError(f'{option} {text}: it is named twice, with other values')
    return found


def reads(*files: Path) -> None:
    """Note files that the running subcommand reads: none is replaced, with --force neither."""
    _note('', files)


def writes(option: str, *files: Path) -> None:
    """Check files that the running subcommand writes for an option.

    Raises:
        ParameterError: one exists, and there is no --force; or it is read, or written by another
            option too.
    """
    _note(option, files)
    for file in filter(Path.is_file, files):
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
