"""The torque that a mode asks for, before the fade and the limits."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from ..feedforward import Feedforward
from .accepted_state import AcceptedState
from .supervisor import Mode


class TargetTorque:
    """Computes the torque of the modes FOLLOW, HOLD and ZERO from the accepted state."""

    def __init__(self, feedforward: Feedforward, state: AcceptedState) -> None:
        """Compute with this feedforward, at this state.

        Args:
            feedforward: of the commanded joints, k of them; its `parts` are those of the target.
            state: the accepted state of the robot.
        """
        self._feedforward = feedforward
        self._state = state
        self._zero = np.zeros(len(feedforward.joints))

    def torque(self, mode: Mode, reference: Array | None) -> Array:
        """The torque (k,) [N m or N].

        Args:
            mode: FOLLOW, HOLD or ZERO.
            reference: (3, k) rows q, v and a to follow; None for the measured state.

        Raises:
            StateError: a selected term needs a velocity that was not measured.
        """
        feedforward, state = self._feedforward, self._state
        if mode is Mode.ZERO:
            feedforward.parts.fill(0.0)
            return self._zero
        if mode is Mode.HOLD:
            feedforward.hold(state.q)
            return feedforward.effort
        if not state.has_velocity:
            needing = feedforward.terms_needing_velocity(reference)
            if needing:
                raise StateError(
                    f'velocity of {state.without_velocity()} is not measured (empty or NaN), but '
                    f'the term {needing[0]} needs it: set velocity_cutoff, or terms: [gravity]'
                )
        feedforward.compute(state.q, state.v, reference)
        return feedforward.effort
