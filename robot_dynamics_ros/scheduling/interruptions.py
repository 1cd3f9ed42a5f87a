"""Signals that end a command as Ctrl-C does; and all of them while a process is being started."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType

ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ending_as_interruption() -> Iterator[list[int]]:
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


@contextmanager
def interruptions_later() -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP wait until the end of the block.

    A process that is half started would print a traceback. A process that is started in the block
    gets no SIGINT.
    """
    # It unblocks SIGINT when it starts, which it does with the first process.
    resource_tracker.ensure_running()
    came: list[int] = []
    with _noted(came):
        # A new process has the mask of the thread that starts it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    for number in came:
        signal.raise_signal(number)


@contextmanager
def _noted(came: list[int]) -> Iterator[None]:
    """Note signals, which any thread of this process may receive; the main thread handles them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    noted = [
        one for one in (signal.SIGINT, *ENDING) if signal.getsignal(one) is not signal.SIG_IGN
    ]
    before = {one: signal.signal(one, note) for one in noted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)
