"""Joints of the description that were not recorded: the model has them locked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from robot_dynamics_ros.core.model.findings import listed


@dataclass(frozen=True)
class LockedJoints:
    """Their names; plain data.

    Attributes:
        names: of all of them, in the order of the robot.
        missing: of these, the joints whose position changes the torque of a recorded one.
        unused: of these, the joints whose thresholds were given.
    """

    names: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    def with_thresholds_of(self, joints: Collection[str]) -> LockedJoints:
        """These joints, where thresholds of some joints were given."""
        unused = tuple(name for name in self.names if name in joints)
        return LockedJoints(self.names, self.missing, unused)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a user has to know of them, as one sentence; none where all were recorded."""
        if not self.names:
            return ()
        was, are = ('was', 'is') if len(self.names) == 1 else ('were', 'are')
        parts = [f'{listed(self.names)} {was} not recorded, and {are} taken to be locked']
        if self.unused:
            parts.append(f'thresholds of {listed(self.unused)} are not used')
        if self.missing:
            parts.append(
                f'motion of {listed(self.missing)} looks like an external torque on other joints, '
                'as does a rest that is not at zero or at the nearest position limit: record all '
                'joints'
            )
        return ('; '.join(parts),)
