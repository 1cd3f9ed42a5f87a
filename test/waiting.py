"""Waits for conditions, with a limit."""

import time


def wait_until(condition, what, limit, between):
    """Call `between` until the condition holds; fail with `what` after the limit [s]."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, f'{what}: not within {limit:g} s'
        between()
