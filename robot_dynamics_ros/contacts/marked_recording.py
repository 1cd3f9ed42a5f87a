"""The contacts of one recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robot_dynamics_ros.control.external_forces.detection import ContactThresholds
from robot_dynamics_ros.core.checks import Array

from .drawn_residuals import DrawnResiduals
from .joint_residuals import JointResiduals
from .marked_contacts import MarkedContact


@dataclass(frozen=True)
class MarkedRecording:
    """The contacts of one recording; plain data.

    Attributes:
        name: of the recording.
        robot: its name.
        joints: watched ones, k of them.
        unwatched: joints without a varying effort.
        units: (k) of their residuals.
        bandwidth: (k,) of the observer [Hz].
        thresholds: that were used.
        own: whether they were learned from the recording itself.
        contacts: in their order.
        residuals: how large they are.
        drawn: what a plot shows.
        remarks: about the recording.
    """

    name: str
    robot: str
    joints: tuple[str, ...]
    unwatched: tuple[str, ...]
    units: tuple[str, ...]
    bandwidth: Array
    thresholds: ContactThresholds
    own: bool
    contacts: tuple[MarkedContact, ...]
    residuals: JointResiduals
    drawn: DrawnResiduals
    remarks: tuple[str, ...]

    @property
    def found(self) -> str:
        """How many contacts, in words: with thresholds of its own, only what stands out."""
        count = len(self.contacts)
        if count:
            return '1 contact' if count == 1 else f'{count} contacts'
        return 'no contact stands out from the rest' if self.own else 'no contact'

    def as_json(self) -> dict[str, Any]:
        """The result by names, in SI units."""
        joints = self.residuals.as_json(self.joints)
        for name, unit in zip(self.joints, self.units, strict=True):
            joints[name] = {'unit': unit, **joints[name]}
        return {
            'file': self.name,
            'robot': self.robot,
            'bandwidth': self.bandwidth,
            'thresholds': 'this recording' if self.own else 'given',
            'samples': self.residuals.samples,
            'contacts': [contact.as_json() for contact in self.contacts],
            'joints': joints,
            'unwatched': list(self.unwatched),
            'remarks': list(self.remarks),
        }
