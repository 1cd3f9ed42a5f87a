"""Time for the loop of states, between pieces of longer work while torque is commanded."""

from __future__ import annotations

import time

# More than a cycle of the loop computes [s].
PAUSE = 0.0005


def give_way() -> None:
    """Let the loop answer a state: a thread that waits for the interpreter gets it at once."""
    time.sleep(PAUSE)
