"""Waits for conditions; how long is a question of the machine, and no test of speed."""

import time

LIMIT = 150.0  # half of pytest's own [s]: what never comes fails with its name


def wait_until(condition, what, between=lambda: time.sleep(0.005)):
    """Call `between` until the condition holds; fail with `what` where it never does."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f'{what}: not within {LIMIT:g} s'
        between()
