"""`~/enable`: switches torque on and off, through the fade, while the node stays active."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward

from ..external import missing_reaction, touch_text
from ..robot import RobotHolder


@dataclass(frozen=True)
class EnableService:
    """Answers by the guard of the configured robot."""

    node: Node
    holder: RobotHolder

    def enable(self, request: Any, response: Any) -> None:
        """Enable or disable torque; enabling also clears a fault or a reaction to a collision."""
        with self.holder.lock:
            response.message = self._set(request.data)
        self.node.get_logger().info(response.message)

    def _set(self, enabled: bool) -> str:
        guard = self.holder.require().guard
        stopped = guard.supervisor.fault or guard.supervisor.collision
        already = guard.supervisor.enabled == enabled and not stopped
        guard.supervisor.enabled = enabled
        start = 'with the next valid joint state'
        if inhibition := guard.supervisor.inhibitions.first():
            start = inhibition.until
        elif not guard.supervisor.active:
            start = 'as soon as the node is activated'
        if already and not enabled:
            return 'torque is already disabled'
        if already:
            waits = f', commands begin {start}' if guard.stopped else ''
            return f'torque is already enabled{waits}{_touched(guard)}'
        fade = f'over {guard.settings.fade_time:g} s'
        if not enabled:
            if guard.stopped:
                return 'torque disabled: none was commanded'
            return f'torque disabled: fading {fade} (on_stop={guard.settings.on_stop})'
        cleared = f'; cleared the fault: {stopped}' if stopped else ''
        # Before the reaction is released.
        touched = _touched(guard)
        guard.supervisor.acknowledge()
        return f'torque enabled: fading in {fade}, {start}{cleared}{touched}'


def _touched(guard: GuardedFeedforward) -> str:
    """What to add to the answer where the arm is touched, or may still be; empty if it is not."""
    estimate = guard.external
    if estimate is None:
        return ''
    if doubt := estimate.reason if guard.fresh(clock.monotonic()) else 'no valid joint state':
        unknown = f'; whether the arm is still touched is not known: {doubt}'
        return unknown if guard.supervisor.collision else ''
    text = touch_text(guard)
    return f'; the arm is still touched: {text}{missing_reaction(guard)}' if text else ''
