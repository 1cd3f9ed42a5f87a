"""Work that needs more stack than the thread that asks for it may have."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import wraps
from typing import ParamSpec, TypeVar

Arguments = ParamSpec('Arguments')
Result = TypeVar('Result')

# LLVM overflows the 32 KiB that a thread of Python may have, and that ends the process.
STACK_BYTES = 4 * 2**20


def on_deep_stack(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """A function that does the same in a thread with a large stack; the main thread has one."""

    @wraps(function)
    def on_another(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        if threading.current_thread() is threading.main_thread():
            return function(*arguments, **options)
        outcome: Future[Result] = Future()

        def run() -> None:
            try:
                outcome.set_result(function(*arguments, **options))
            except BaseException as error:
                outcome.set_exception(error)

        try:
            _start(threading.Thread(target=run, name='robot_dynamics_compile', daemon=True))
        except RuntimeError:
            # At the end of the process, no thread is started any more.
            return function(*arguments, **options)
        return outcome.result()

    return on_another


def _start(thread: threading.Thread) -> None:
    """Start a thread; its stack size is a setting of the whole process."""
    with _lock:
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)


def _new_lock() -> None:
    """A lock that nobody holds: in a forked child, its holder may not exist."""
    global _lock
    _lock = threading.Lock()


_lock: threading.Lock
_new_lock()
if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_new_lock)
