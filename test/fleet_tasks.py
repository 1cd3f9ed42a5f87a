"""Tasks for tests of scheduling, in a module that other processes can import."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.scheduling import Task, run

LIMIT = 60.0  # [s]


def square(common, number):
    """Mean and values of numbers, with the process that computed them."""
    values = np.arange(3.0) + number
    return {'process': os.getpid(), 'square': number**2 + common['offset'], 'values': values}


def variable(common, name):
    return os.environ.get(name)


def refuse(common, text):
    raise StateError(text)


def fail(common, number):
    return number / 0


def fail_until(common, marker, attempts):
    """Fails with an error that is not of the package, until it has been tried so often."""
    with open(marker, 'a') as file:
        file.write('x')
    if Path(marker).stat().st_size < attempts:
        raise OSError(5, 'the file server is away', str(marker))
    return 'done'


def write_process(common, folder, number):
    """Says in a file which process computes, and waits until there is a file `go`."""
    Path(folder, f'{number}.{os.getpid()}').touch()
    end = time.monotonic() + LIMIT
    while not Path(folder, 'go').exists():
        assert time.monotonic() < end, 'nobody said go'
        time.sleep(0.005)
    return number


def run_writers(folder):
    run([Task(f'{n}', write_process, (folder, n)) for n in range(2)], processes=2)


def die(common, number):
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt_parent(common, folder):
    """As Ctrl-C on a terminal does, to the process that waits for this one."""
    Path(folder, 'half_written').touch()
    try:
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(LIMIT)
    finally:
        Path(folder, 'half_written').unlink()


def unpicklable(common, number):
    return lambda: number


def mixed(common):
    """All kinds of results."""
    finding = Finding('delay', ('shoulder', 'wrist'), 0.012, 'late by 12 ms')
    arrays = [np.arange(6).reshape(2, 3).T.astype(kind) for kind in ('f8', 'f4', 'i8', '?', '<U5')]
    return {'a': [None, True, 2**70, 0.1, np.float64(1.5)], 1: (Path('a/b'), finding), 'b': arrays}
