"""The guards of one robot: made together, changed together, handed over together."""

from __future__ import annotations

import math

from ..external.estimate import ExternalForceEstimate
from ..feedforward import Feedforward
from ..torque_text import joint_torques, units_of
from .accepted_state import AcceptedState
from .collision_reaction import CollisionReaction
from .command_start import CommandStart
from .command_transition import CommandTransition
from .double_compensation import DoubleCompensation
from .followed_reference import FollowedReference
from .inhibition import Inhibitions
from .settings import GuardSettings, reference_distances
from .supervisor import Mode
from .target_torque import TargetTorque


class GuardParts:
    """The guards that `GuardedFeedforward` calls, and what is wanted of the robot.

    Attributes:
        feedforward: computes the torque.
        effort: (k,) the last command [N m or N].
        mode: what is commanded.
        active: torque is wanted while this and `enabled` are true.
        enabled: torque is wanted while this and `active` are true.
        fault: why there is no torque although it is wanted; empty if there is no fault.
        inhibitions: why commands must not start; commands that have started go on, unless one
            interrupts them.
        start: where commands begin.
        followed: the reference, and why the last one was dropped.
        settings: of the guards.
        limiter: limits the command and its rate, and counts how often.
        double_compensation: compares the measured effort with the commands.
        state: the last good measurement of each joint.
        external: estimate of the external torques; None while it is off.
        reaction: what takes the place of the torque after a collision.
    """

    def __init__(self, feedforward: Feedforward, settings: GuardSettings) -> None:
        """Guard a feedforward; not active yet.

        Args:
            feedforward: computes the torque.
            settings: of the guards.

        Raises:
            ParameterError: the settings do not fit the joints of the feedforward.
        """
        self.feedforward = feedforward
        self.mode = Mode.SILENT
        self.active, self.enabled, self.fault = False, True, ''
        self.inhibitions = Inhibitions()
        # Whether a state has contained efforts.
        self._has_efforts = False
        # Commands since the target of the final command was reached.
        self._final_commands = 0
        # When the last step was [s].
        self._stepped = -math.inf
        # Whether torque has been commanded, and no final command since.
        self._final_command_pending = False

        model = feedforward.dynamics.model
        self.settings = settings
        self.state = AcceptedState(model, feedforward.indices, settings)
        self._targets = TargetTorque(feedforward, self.state)
        self.double_compensation = DoubleCompensation(len(feedforward.joints))
        self._transition = CommandTransition(model, feedforward.joints, settings)
        self.start = CommandStart(self._transition)
        self.effort, self.limiter = self._transition.effort, self._transition.limiter
        self.followed = FollowedReference(model, feedforward.joints, feedforward.indices, settings)
        self.external: ExternalForceEstimate | None = None
        self.reaction = CollisionReaction()

    def apply(self, settings: GuardSettings) -> None:
        """Use other settings from the next step on; a running fade keeps its duration.

        Raises:
            ParameterError: they do not fit the joints.
        """
        feedforward = self.feedforward
        allowed = reference_distances(feedforward.dynamics.model, feedforward.joints, settings)
        self._transition.apply(settings)
        self.state.apply(settings)
        self.followed.allowed = allowed
        self.settings = settings

    def continue_from(self, other: GuardParts, fade_time: float | None = None) -> None:
        """Take over from the guard of another robot with the same joints.

        Args:
            other: the guard that commanded until now.
            fade_time: of the transition to the torque of this robot [s]; None for that of the
                settings.
        """
        self.mode, self.active, self.enabled = other.mode, other.active, other.enabled
        self.fault, self.inhibitions = other.fault, other.inhibitions
        self.followed.continue_from(other.followed)
        self._stepped = other._stepped
        self._final_command_pending = other._final_command_pending
        self.state.continue_from(other.state)
        self._transition.continue_from(other._transition)
        self.start.continue_from(other.start)
        self.reaction = other.reaction
        if self.external is not None and other.external is not None:
            self.external = other.external
            self.external.use(self.feedforward.dynamics)
        # The terms may be read before the next state comes: they must be those of this robot.
        self.feedforward.hold(self.state.q)
        self.request_fade(fade_time)

    def request_fade(self, fade_time: float | None = None) -> None:
        """Begin a fade with the next command.

        Call it when the terms, gravity, friction or the robot have changed.

        Args:
            fade_time: duration of the fade [s]; None for that of the settings.
        """
        self._transition.request_fade(fade_time)
        self.double_compensation.reset()

    def last_command(self) -> str:
        """The last command of each joint with its unit, for the log."""
        joints = self.feedforward.joints
        units = units_of(self.feedforward.dynamics.model, joints)
        return joint_torques(joints, self.effort.tolist(), units)

    def restart_estimate(self) -> None:
        """Estimate external torques anew: the states are discontinuous."""
        if self.external is not None:
            self.external.reset()
