"""Work in a thread, for whose outcome a coroutine of the executor waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.task import Future


class BackgroundWork:
    """Runs one piece of work at a time."""

    def __init__(self, node: Node) -> None:
        """Let the executor of this node hand over the outcomes."""
        self._outcome: Any = None
        self._future: Future = Future()
        self._done = node.create_guard_condition(self._on_done)

    async def outcome(self, work: Callable[[], Any]) -> Any:
        """What `work` returns, for a coroutine that waits while the executor goes on.

        Args:
            work: may take long.

        Raises:
            Exception: what the work raises.
        """
        self._future = Future()
        threading.Thread(target=self._run, args=(work,), daemon=True).start()
        outcome = await self._future
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _run(self, work: Callable[[], Any]) -> None:
        try:
            self._outcome = work()
        except Exception as error:
            self._outcome = error
        # The node may have been destroyed meanwhile.
        with suppress(InvalidHandle):
            self._done.trigger()

    def _on_done(self) -> None:
        outcome, self._outcome = self._outcome, None
        self._future.set_result(outcome)
