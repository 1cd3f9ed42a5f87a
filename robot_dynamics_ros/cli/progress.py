"""A progress bar on stderr, for work that takes longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

SHOWN_AFTER = 1.0  # [s]
# Of the bar; of number and remaining time of millions of states, and what is between [columns].
BAR, FIGURES = 20, 40

# Takes the number of items that were done since the last call.
Advance = Callable[[int], None]
# Shows the progress of what is done, as `progress` does.
ShowProgress = Callable[[str, int | None, str], AbstractContextManager[Advance]]


def no_progress(what: str, total: int | None, unit: str) -> AbstractContextManager[Advance]:
    """Progress that is not shown, of a task in another process."""
    return nullcontext(_advance_nothing)


@contextmanager
def progress(what: str, total: int | None, unit: str) -> Iterator[Advance]:
    """Show how far some work is, and the time that remains.

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
    width = max(BAR, console.width - BAR - FIGURES)
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
    name = what if len(what) <= width else f'…{what[1 - width :]}'
    task = bar.add_task(name, total=total)
    shown = threading.Timer(SHOWN_AFTER, bar.start)
    shown.start()
    try:
        yield lambda done: bar.advance(task, done)
    finally:
        shown.cancel()
        shown.join()
        bar.stop()


def _advance_nothing(done: int) -> None:
    """Progress that is not shown."""
