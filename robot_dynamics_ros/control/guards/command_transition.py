"""The way of the command to its target: the fade first, then the limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.robot import RobotModel

from .fade import Fade
from .limiter import TorqueLimiter
from .settings import GuardSettings, torque_limits, torque_rates

# Added to the longest time of a transition [s]: for cycles that come late.
SPARE_TIME = 1.0


class CommandTransition:
    """Leads the last command to a target that may move.

    Attributes:
        effort: (k,) the last command [N m or N].
        limiter: limits the command and its rate, and counts how often.
        reached_target: whether the last command is at its target, or at the limits, and no fade is
            due or running.
    """

    def __init__(self, model: RobotModel, joints: Sequence[str], settings: GuardSettings) -> None:
        """At zero torque.

        Args:
            model: of the robot.
            joints: names of the commanded joints, k of them.
            settings: of the guards.

        Raises:
            ParameterError: the settings do not fit the joints.
        """
        size = len(joints)
        self._model, self._joints = model, tuple(joints)
        self.effort, self._command = np.zeros((2, size))
        self._fade = Fade(size, settings.fade_time)
        # Of the fade that is due, or of the last one [s].
        self._fade_time = settings.fade_time
        self._fade_requested = False
        self.limiter = TorqueLimiter(np.full(size, np.inf), np.full(size, np.inf))
        self.apply(settings)

    def apply(self, settings: GuardSettings) -> None:
        """Use other settings from the next step on; a running fade keeps its duration.

        Raises:
            ParameterError: they do not fit the joints.
        """
        limits = torque_limits(self._model, self._joints, settings)
        rates = torque_rates(limits / settings.effort_scale, self._joints, settings)
        self._default_fade_time = settings.fade_time
        self.limiter.limits, self.limiter.rates = limits, rates
        # A command at the old limits may be short of the new ones.
        self.limiter.reached_target = False

    def continue_from(self, other: CommandTransition) -> None:
        """Take over command, fade and counts of another robot with the same joints."""
        self.effort[:] = other.effort
        self._fade.continue_from(other._fade)
        self.limiter.counts[:] = other.limiter.counts

    def request_fade(self, fade_time: float | None = None) -> None:
        """Begin a fade with the next step, of that duration [s]; None: that of the settings."""
        self._fade_time = self._default_fade_time if fade_time is None else fade_time
        self._fade_requested = True

    @property
    def fading(self) -> bool:
        """Whether a fade is running."""
        return self._fade.running

    @property
    def reached_target(self) -> bool:
        """See the attributes of the class."""
        return self.limiter.reached_target and not self.fading and not self._fade_requested

    def longest_time(self, largest_target: Array) -> float:
        """Upper bound of the time to a target of at most that magnitude (k,) [s].

        `SPARE_TIME` is included.
        """
        slowest = float(((np.abs(self.effort) + largest_target) / self.limiter.rates).max())
        fade = max(self._fade.duration, self._fade_time, self._default_fade_time)
        return fade + slowest + SPARE_TIME

    def begin_at(self, effort: Array) -> None:
        """Take this (k,) for the last command [N m or N]; a fade begins.

        Beyond the limits it decreases at the rate limit.
        """
        self.effort[:] = effort
        self._fade = Fade(self.effort.size, self._default_fade_time)
        self.request_fade()

    def step(self, target: Array, elapsed: float) -> None:
        """Compute the next command, in `effort`.

        Args:
            target: (k,) torque that is wanted [N m or N].
            elapsed: time since the last step [s].
        """
        if self._fade_requested:
            self._fade.begin(self.effort, target, self._fade_time)
            self._fade_requested = False
        self._command[:] = target
        self._fade.apply(self._command, elapsed)
        self.limiter.apply(self._command, self.effort, elapsed)
        self.effort[:] = self._command
