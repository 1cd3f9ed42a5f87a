"""A service client of which a timer takes the answers: nothing waits for them."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from rclpy.task import Future

# An answer that takes longer is not waited for [s].
ANSWER_TIMEOUT = 2.0


class PolledClient:
    """Has at most one request under way."""

    def __init__(self, node: Node, service_type: type, name: str) -> None:
        """Create the client.

        Args:
            node: that asks; its executor receives the answers.
            service_type: of the service.
            name: of the service.
        """
        self._node = node
        self._client = node.create_client(service_type, name)
        self._future: Future | None = None
        self._asked = 0.0

    @property
    def ready(self) -> bool:
        """Whether the service has been discovered."""
        return bool(self._client.service_is_ready())

    @property
    def waiting(self) -> bool:
        """Whether a request is under way."""
        return self._future is not None

    def ask(self, request: Any, now: float) -> None:
        """Send a request, unless one is under way or the service has not been discovered.

        Args:
            request: to send.
            now: [s], on a monotonic clock.
        """
        if self._future is not None and now > self._asked + ANSWER_TIMEOUT:
            self._client.remove_pending_request(self._future)
            self._future = None
        if self._future is None and self.ready:
            self._future, self._asked = self._client.call_async(request), now

    def take(self) -> Any | None:
        """The answer to the request, once; None if there is none yet."""
        if self._future is None or not self._future.done():
            return None
        future, self._future = self._future, None
        return None if future.exception() else future.result()

    def destroy(self) -> None:
        """Remove the client from the node."""
        self._node.destroy_client(self._client)
