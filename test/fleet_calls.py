"""Calls for tests of scheduling, in a module that other processes can import."""

import os
import signal
import time
from pathlib import Path

from robot_dynamics_ros.core.errors import StateError, UnknownNameError

LIMIT = 60.0  # [s]


def square(number):
    return os.getpid(), number**2


def failing(kind):
    if kind == 'refused':
        raise StateError('arm.mcap: no joint states,\nonly images')
    if kind == 'unknown':
        raise UnknownNameError('joint', 'knee', ('hip',))
    if kind == 'missing':
        Path('/nowhere/file').read_text()
    return 1 / 0


def write_process(folder, number):
    """Says in a file which process computes, and waits until there is a file `go`."""
    Path(folder, f'{number}.{os.getpid()}').touch()
    end = time.monotonic() + LIMIT
    while not Path(folder, 'go').exists():
        assert time.monotonic() < end, 'nobody said go'
        time.sleep(0.005)
    return number


def interrupt_parent(folder, number):
    """As Ctrl-C on a terminal does, to the process that waits for this one."""
    file = Path(folder, f'half_written_{number}')
    file.touch()
    try:
        while len(list(Path(folder).iterdir())) < 2:
            time.sleep(0.005)
        if number == 0:
            os.kill(os.getppid(), signal.SIGINT)
        time.sleep(LIMIT)
    finally:
        file.unlink()
