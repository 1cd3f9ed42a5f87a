"""Whether commands are the torques of the drives, or something else may hold the robot."""

from __future__ import annotations

NO_GRAVITY = (
    'parameter terms has no gravity: the driver adds it, and the commands are not the torques of '
    'the drives; set external_from: measured'
)
OTHERS = 'a brake or another controller may hold the arm (external_from is commanded)'
BEGINNING = f'the commands have not reached the wanted torque since they began: {OTHERS}'
ENDING = f'the commands end: {OTHERS}'
ZERO = f'the commanded torque is zero: {OTHERS}'


class AppliedCommands:
    """Says from when on, and until when, commands are taken for the torques of the drives.

    While commands begin and end, a brake or another controller usually holds the robot: what it
    holds would look like a push. So commands count from when they have reached the wanted torque
    until they are to end. A fade from one wanted torque to another counts too: the drives apply
    it.
    """

    def __init__(self) -> None:
        """Without a command."""
        self._reached = False

    def doubt(self, *, gravity: bool, running: bool, mode: str, reached: bool) -> str:
        """Why the last command is not the torque of the drives.

        Args:
            gravity: whether commands contain the gravity torque.
            running: whether torque is wanted.
            mode: what was commanded last: 'silent', 'follow', 'hold' or 'zero'.
            reached: whether the last command is the torque of that mode.

        Returns:
            A phrase; empty if it is that torque, or if there is no command.
        """
        carries = running and mode in ('follow', 'hold')
        self._reached = carries and (self._reached or reached)
        if not gravity:
            return NO_GRAVITY
        if mode == 'silent' or self._reached:
            return ''
        if not running:
            return ENDING
        return ZERO if mode == 'zero' else BEGINNING
