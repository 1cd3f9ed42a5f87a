"""`~/enable`: torque on and off, through the fade, without leaving the active state."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from std_srvs.srv import SetBool

from ..robot.robot_in_use import RobotInUse
from .answering import offer


class EnableService:
    """Offers the service on a node."""

    def __init__(self, node: Node, in_use: RobotInUse) -> None:
        """Create it."""
        self._in_use = in_use
        self._logger = node.get_logger()
        offer(node, SetBool, '~/enable', self._answer)

    def _answer(self, request: Any, response: Any) -> None:
        with self._in_use.lock:
            response.message = self._set(request.data)
        self._logger.info(response.message)

    def _set(self, enabled: bool) -> str:
        """EnableService is also how a person acknowledges a fault."""
        guard = self._in_use.commanded().guard
        already = guard.enabled == enabled and not guard.fault
        guard.enabled = enabled
        if already:
            return 'enabled already' if enabled else 'disabled already'
        fade = f'over {guard.settings.fade_time:g} s'
        if not enabled:
            guard.set_reference(None, 0.0)
            return f'disabled: fading out {fade}, to {guard.settings.on_stop}'
        cleared = f' (cleared: {guard.fault})' if guard.fault else ''
        guard.fault = ''
        waits = '' if guard.active else ' as soon as the node is activated'
        if guard.start_inhibited:
            waits = ' as soon as nobody else publishes commands'
        return f'enabled: fading in {fade}{waits}{cleared}'
