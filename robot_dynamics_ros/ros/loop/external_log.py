"""What the log says of the external-force estimate: why there is none, contacts, reactions."""

from __future__ import annotations

import math
import time as clock

from rclpy.impl.rcutils_logger import RcutilsLogger

from robot_dynamics_ros.control.external_forces.external_estimate import NO_STATE, SETTLING
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward

from ..endpoints import SHORTEST_PERIOD, WARNING_PERIOD

# What each value of parameter on_collision has done, in words.
REACTIONS = {
    'hold': 'the reference is dropped, gravity compensation goes on',
    'zero': 'the reference is dropped, the torque fades to zero',
    'stop': 'fading to the final command',
}


class ExternalLog:
    """Logs each change once."""

    def __init__(self, logger: RcutilsLogger) -> None:
        """Log to this logger."""
        self._logger = logger
        self._reason, self._reaction, self._remark = '', '', ''
        # When a reason was logged last [s], on a monotonic clock.
        self._logged_at = -math.inf

    def update(self, guard: GuardedFeedforward) -> None:
        """Log what has changed with the last state of a robot."""
        estimate = guard.external
        if estimate is not None:
            if estimate.reason or self._reason:
                self._log_reason(estimate.reason)
            if estimate.contact.collides:
                text = estimate.contact.sentence(estimate.torque)
                self._logger.warning(text, throttle_duration_sec=SHORTEST_PERIOD)
            if estimate.tare.remark != self._remark:
                self._log_remark(estimate.tare.remark)
        else:
            self._reason = ''
        if guard.supervisor.collision != self._reaction:
            self._reaction = guard.supervisor.collision
            if self._reaction:
                policy = guard.supervisor.policy
                self._logger.error(
                    f'{self._reaction}: {REACTIONS[policy]} until ~/enable is called '
                    f'(on_collision={policy})'
                )

    def _log_remark(self, remark: str) -> None:
        """Log what has become of what was taken off."""
        self._remark = remark
        if remark:
            self._logger.warning(remark)

    def _log_reason(self, reason: str) -> None:
        """Log why there is no estimate, and that there is one again."""
        if reason in (self._reason, NO_STATE, SETTLING):
            return
        now = clock.monotonic()
        if now - self._logged_at < (SHORTEST_PERIOD if reason else WARNING_PERIOD):
            return
        self._reason, self._logged_at = reason, now
        if reason:
            self._logger.warning(f'no external torques are estimated: {reason}')
        else:
            self._logger.info('external torques are estimated again')
