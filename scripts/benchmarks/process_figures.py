"""What a process has used so far."""

from __future__ import annotations

import ctypes
import os
import time

# Lines of a program: the most memory that it has held at a time [bytes]. `ru_maxrss` begins with
# what the parent held when it started the process.
PEAK_MEMORY = """
words = open('/proc/self/status').read().split()
peak = 1024.0 * int(words[words.index('VmHWM:') + 1])
"""


def processor_time(process: int) -> float:
    """What all threads of a process have used [s].

    Raises:
        OSError: there is no such process.
    """
    clock = ctypes.c_int()
    # The ticks of /proc/PID/stat, 10 ms, are longer than a thousand estimates take.
    if error := ctypes.CDLL(None).clock_getcpuclockid(process, ctypes.byref(clock)):
        raise OSError(error, os.strerror(error))
    return time.clock_gettime(clock.value)
