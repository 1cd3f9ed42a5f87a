"""What is known of the controller behind the command topic, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robot_dynamics_ros.control.supervisor import Inhibition

ACTIVE = 'active'


@dataclass(frozen=True)
class ControllerView:
    """What a controller and its manager have answered.

    Attributes:
        name: of the node of the controller.
        joints: its parameter `joints`; empty if it has none.
        interface: its parameter `interface_name`; empty if it has none.
        state: such as `active` or `inactive`; empty if it is not known.
    """

    name: str
    joints: tuple[str, ...] = ()
    interface: str = ''
    state: str = ''

    def mismatch(self, joints: Sequence[str]) -> str:
        """Why the controller would apply the commands wrongly; empty if it does not.

        Args:
            joints: that the node commands, in the order of the commands.
        """
        if self.joints and self.joints != tuple(joints):
            kind = 'in another order' if set(self.joints) == set(joints) else 'not the same joints'
            return (
                f'{self.name} applies commands to [{", ".join(self.joints)}], this node commands '
                f'[{", ".join(joints)}], {kind}: set parameter joints to the list of the '
                'controller'
            )
        if self.interface and self.interface != 'effort':
            return (
                f'interface_name of {self.name} is {self.interface!r}, the commands are efforts: '
                'use a controller with interface_name effort'
            )
        return ''

    def inhibition(self, joints: Sequence[str]) -> Inhibition | None:
        """Why commands must not start, or must end; None if they may go on.

        Args:
            joints: that the node commands, in the order of the commands.
        """
        if wrong := self.mismatch(joints):
            inactive = self.state not in ('', ACTIVE)
            until = f'as soon as {self.name} fits: {wrong}'
            return Inhibition(wrong, until, interrupts=inactive, misapplied=True)
        if self.state and self.state != ACTIVE:
            return Inhibition(
                f'controller {self.name} is {self.state}: commands begin when it is active',
                f'as soon as controller {self.name} is active (it is {self.state})',
                interrupts=True,
            )
        return None


def not_known(name: str) -> Inhibition:
    """While the answers of a controller are awaited."""
    return Inhibition(
        f'waiting for the parameters and the state of controller {name} (controller: none asks '
        'for nothing)',
        f'as soon as controller {name} has answered',
    )


def gone(name: str) -> Inhibition:
    """While a controller that was known before does not exist."""
    return Inhibition(
        f'controller {name} has ended: commands begin when it is active again',
        f'as soon as controller {name} is active again',
        interrupts=True,
    )
