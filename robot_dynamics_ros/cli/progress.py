"""A progress bar on stderr, for work that takes longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

SHOWN_AFTER = 1.0  # [s]
# Of the bar [columns].
SHORTEST, LONGEST = 8, 40
# Number, rate and remaining time of millions of states, and what is between the parts [columns].
FIGURES = 46

# Takes the number of items that were done since the last call.
Advance = Callable[[int], None]
# Shows the progress of what is done, as `progress` does.
ShowProgress = Callable[[str, int | None, str], AbstractContextManager[Advance]]


def no_progress(what: str, total: int | None, unit: str) -> AbstractContextManager[Advance]:
    """Progress that is not shown, of a task in another process."""
    return nullcontext(_advance_nothing)


@contextmanager
def progress(what: str, total: int | None, unit: str) -> Iterator[Advance]:
    """Show how far some work is, its rate and the time that remains.

    Nothing is shown during the first second, nor where stderr is not a terminal.

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
        yield _advance_nothing
        return
    name_width = max(SHORTEST, console.width // 4)
    bar = Progress(
        TextColumn('{task.description}', markup=False),
        BarColumn(max(SHORTEST, min(LONGEST, console.width - FIGURES - name_width))),
        MofNCompleteColumn(),
        _Rate(unit),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        # Otherwise what is printed meanwhile would go to stderr too.
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = bar.add_task(_end_of(what, name_width), total=total)
    shown = threading.Timer(SHOWN_AFTER, bar.start)
    shown.start()
    try:
        yield lambda done: bar.advance(task, done)
    finally:
        shown.cancel()
        shown.join()
        bar.stop()


def _end_of(name: str, width: int) -> str:
    """A name that leaves room for the figures: of a path, the end tells most."""
    return name if len(name) <= width else f'…{name[1 - width :]}'


def _advance_nothing(done: int) -> None:
    """Progress that is not shown."""


class _Rate(ProgressColumn):
    """Items in a second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text('' if speed is None else f'{speed:,.3g} {self._unit}/s')
