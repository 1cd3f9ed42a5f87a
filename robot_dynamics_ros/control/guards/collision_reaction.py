"""What takes the place of the torque after a collision, until somebody releases it."""

from __future__ import annotations

from .settings import GuardSettings
from .supervisor import Mode, OnCollision

# Duration of the fade to the reaction [s].
COLLISION_FADE = 0.1


class CollisionReaction:
    """Keeps the reaction to the first collision.

    Attributes:
        mode: HOLD or ZERO in place of FOLLOW; None where commands go on, or end by a fault.
        reason: the collision, as a phrase; empty without a reaction.
        policy: the `on_collision` that was followed.
        fade_time: of the change of the mode with the state that shows it [s]; None for that of
            the settings.
    """

    def __init__(self) -> None:
        """Without a collision."""
        self.mode: Mode | None = None
        self.reason = ''
        self.policy: OnCollision = 'report'
        self.fade_time: float | None = None

    def begin(self, collision: str, settings: GuardSettings) -> bool:
        """React to a collision, unless that has been done, or is not wanted.

        Args:
            collision: as a phrase.
            settings: whose `on_collision` is 'report', 'hold', 'zero' or 'stop'.

        Returns:
            Whether there is a reaction to this collision.
        """
        if self.reason or settings.on_collision == 'report':
            return False
        self.reason, self.policy = collision, settings.on_collision
        if settings.on_collision != 'stop':
            self.mode = Mode(settings.on_collision)
        self.fade_time = COLLISION_FADE
        return True

    def release(self) -> None:
        """End the reaction."""
        self.mode, self.reason, self.fade_time = None, '', None
