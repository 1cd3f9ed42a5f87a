"""Standard output and error of the process, which nobody who reads them can stop."""

from __future__ import annotations

import atexit
import faulthandler
import os
import threading
from contextlib import suppress

# Longest wait at the end for lines that have not been read [s].
FLUSH = 1.0
# Bytes that are handed on at once: what a pipe holds.
PIPE_SIZE = 65536


def never_block_output() -> None:
    """Hand on all output of this process in threads of their own.

    rclpy writes a log line in the thread that logs, and holds the interpreter meanwhile: a
    terminal that is stopped (Ctrl-S), or a full pipe that nobody reads, would stop every thread
    and the torque of the arm. Here the lines go into a pipe that refuses what it cannot hold: that
    is only in /rosout and in the log file.
    """
    if os.isatty(2):
        # Else the pipe would count, which is no terminal.
        os.environ.setdefault('RCUTILS_COLORIZED_OUTPUT', '1')
    for descriptor in (1, 2):
        # One that is closed stays so.
        with suppress(OSError):
            _redirect(descriptor)


def _redirect(descriptor: int) -> None:
    target = os.dup(descriptor)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    os.dup2(writer, descriptor)
    os.close(writer)
    if descriptor == 2:
        # A crash leaves the thread no time.
        faulthandler.enable(target)
    thread = threading.Thread(target=_hand_on, args=(reader, target), daemon=True)
    thread.start()

    def flush() -> None:
        # Closes the pipe: what it holds is the rest.
        os.dup2(target, descriptor)
        thread.join(FLUSH)
        if thread.is_alive():
            os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)

    atexit.register(flush)


def _hand_on(reader: int, target: int) -> None:
    # Where nobody can read any more, writing to the pipe fails as it would have without it.
    with suppress(OSError), open(reader, 'rb', buffering=0) as pipe:
        while data := pipe.read(PIPE_SIZE):
            while data:
                data = data[os.write(target, data) :]
