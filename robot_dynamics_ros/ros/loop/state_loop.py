"""The thread that hands joint states to their handler, and acts while none is received."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger

from ..polling import PolledSubscription

# How long the thread waits for a state [s] before it acts without one, or sees that it must end.
WAIT_TIMEOUT = 0.01


class StateLoop(threading.Thread):
    """Hands the messages of a subscription to a handler, until it is stopped."""

    def __init__(
        self,
        subscription: PolledSubscription,
        handle: Callable[[list[tuple[Any, dict[str, Any]]]], None],
        handle_timeout: Callable[[], None],
        logger: RcutilsLogger,
    ) -> None:
        """Prepare; `start` begins.

        Args:
            subscription: to read.
            handle: called with all messages that wait, oldest first, each with its MessageInfo.
            handle_timeout: called after each WAIT_TIMEOUT without a message.
            logger: for exceptions that the handlers raise.
        """
        super().__init__(name='joint_states', daemon=True)
        self._subscription = subscription
        self._handle = handle
        self._handle_timeout = handle_timeout
        self._logger = logger
        self._stopped = threading.Event()

    def run(self) -> None:
        """Wait for messages and handle them, in this thread."""
        while self._subscription.usable and not self._stopped.is_set():
            self._handle_next()

    def _handle_next(self) -> None:
        try:
            if self._subscription.wait(WAIT_TIMEOUT):
                self._handle(list(self._subscription.poll()))
            else:
                self._handle_timeout()
        except Exception:
            # One message must not end the loop: later states would not be answered. After shutdown
            # an exception is expected, and the loop ends.
            if self._subscription.usable:
                self._logger.fatal(
                    f'a message on joint_states was not answered:\n{traceback.format_exc()}',
                    throttle_duration_sec=1,
                )

    def stop(self) -> None:
        """End the thread, and wait until it has ended."""
        self._stopped.set()
        if self.is_alive():
            self.join()
