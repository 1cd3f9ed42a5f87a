"""Work in a thread, whose outcome the executor of the node handles."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.task import Future

# Gets the result, or the exception that the work raised.
Finish = Callable[[Any], None]


class BackgroundWork:
    """Runs one piece of work at a time; of those that come meanwhile, the last one is next."""

    def __init__(self, node: Node) -> None:
        """Let the executor of this node handle the outcomes."""
        self._logger = node.get_logger()
        self._outcome: Any = None
        self._finish: Finish | None = None
        self._next: tuple[Callable[[], Any], Finish] | None = None
        self._done = node.create_guard_condition(self._on_done)

    @property
    def busy(self) -> bool:
        """Whether an outcome is still to come."""
        return self._finish is not None

    def start(self, work: Callable[[], Any], finish: Finish) -> None:
        """Run `work` in a thread, then `finish` with its outcome in the executor.

        Args:
            work: may take long.
            finish: gets what the work returns, or the exception that it raised.
        """
        if self.busy:
            self._next = work, finish
            return
        self._finish = finish
        threading.Thread(target=self._run, args=(work,), daemon=True).start()

    async def outcome(self, work: Callable[[], Any]) -> Any:
        """What `work` returns, for a coroutine that waits while the executor goes on.

        Where this is used, `start` and `drop` must not be: the coroutine would wait for ever.

        Args:
            work: may take long.

        Raises:
            Exception: what the work raises.
        """
        future: Future = Future()
        self.start(work, future.set_result)
        outcome = await future
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def drop(self) -> None:
        """Forget what is being done, and what is next."""
        self._next = None
        if self.busy:
            self._finish = _nothing

    def _run(self, work: Callable[[], Any]) -> None:
        try:
            self._outcome = work()
        except Exception as error:
            self._outcome = error
        # The node may have been destroyed meanwhile.
        with suppress(InvalidHandle):
            self._done.trigger()

    def _on_done(self) -> None:
        finish, outcome = self._finish, self._outcome
        self._finish = self._outcome = None
        following, self._next = self._next, None
        if following is not None:
            # What it would finish is out of date.
            self.start(*following)
        elif finish is not None:
            finish(outcome)


def _nothing(outcome: Any) -> None:
    """What is done with an outcome that is out of date."""
