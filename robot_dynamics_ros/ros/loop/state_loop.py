"""The thread that answers joint states as they come, and acts where they do not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger
from sensor_msgs.msg import JointState

from ..endpoints.polled_subscription import PolledSubscription

# While no state comes: how soon the thread acts on that, or sees that it has to end [s].
TICK = 0.01


class StateLoop(threading.Thread):
    """Hands every message of a subscription to a handler, until it is stopped."""

    def __init__(
        self,
        subscription: PolledSubscription,
        handle: Callable[[JointState, dict[str, Any]], None],
        idle: Callable[[], None],
        logger: RcutilsLogger,
    ) -> None:
        """Prepare; `start` begins.

        Args:
            subscription: whose messages to handle.
            handle: takes a message and its MessageInfo.
            idle: is called while none comes.
            logger: told of what goes wrong.
        """
        super().__init__(name='joint_states', daemon=True)
        self._subscription = subscription
        self._handle = handle
        self._idle = idle
        self._logger = logger
        self._stopped = threading.Event()

    def run(self) -> None:
        """Wait and handle."""
        while self._subscription.usable and not self._stopped.is_set():
            self._handle_next()

    def _handle_next(self) -> None:
        try:
            if self._subscription.wait(TICK):
                for message, info in self._subscription.poll():
                    if self._stopped.is_set():
                        break
                    self._handle(message, info)
            else:
                self._idle()
        except Exception as error:
            # One message must not end the loop: the arm would be left without an answer. After
            # shutdown it ends, whatever is in its way.
            if self._subscription.usable:
                reason = f'{type(error).__name__}: {error}'
                self._logger.fatal(f'joint_states not answered: {reason}', throttle_duration_sec=1)

    def stop(self) -> None:
        """End the thread, and wait for its end."""
        self._stopped.set()
        if self.is_alive():
            self.join()
