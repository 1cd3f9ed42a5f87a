"""What an expansion may use: processor time, memory and the size of its result.

A large robot needs a tenth of each. Where a system cannot limit memory or processor time, the
parent's wall-clock limit remains.
"""

from __future__ import annotations

import signal

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

MEBIBYTE = 2**20
# Characters of the description, and of the URDF that it expands to.
LONGEST_TEXT = MEBIBYTE
LONGEST_RESULT = 4 * MEBIBYTE
MEMORY = 256 * MEBIBYTE  # bytes of address space
PROCESSOR_SECONDS = 0.8
# For a process that gets no processor time, or whose processor time cannot be limited.
WALL_SECONDS = 10.0


def limit_this_process() -> None:
    """Limit the memory and the processor time of the process that calls, as far as it can be.

    Too much memory is a MemoryError. At the end of its time the system ends the process with
    SIGPROF: a Python handler would have to wait for the end of a long multiplication.
    """
    if resource is not None:
        _lower(resource.RLIMIT_CORE, 0)
        _lower(resource.RLIMIT_AS, MEMORY)
    if hasattr(signal, 'setitimer'):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
        signal.setitimer(signal.ITIMER_PROF, PROCESSOR_SECONDS)


def _lower(kind: int, limit: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    try:
        resource.setrlimit(kind, (limit, limit))
    except (OSError, ValueError):
        # macOS has no limit of address space.
        return
