"""The contacts of one recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core.checks import Array

from .drawn_residuals import DrawnResiduals
from .joint_residuals import JointResiduals
from .locked_joints import LockedJoints
from .marked_contacts import MarkedContact


@dataclass(frozen=True)
class MarkedRecording:
    """The contacts of one recording; plain data.

    Attributes:
        name: of the recording.
        robot: its name.
        joints: watched ones, k of them.
        unwatched: joints without a varying effort, or without a threshold where some are given.
        locked: joints that were not recorded.
        units: (k) of their residuals.
        bandwidth: (k,) of the observer [Hz].
        thresholds: that were used.
        own: whether they were learned from the recording itself.
        contacts: in their order; none where `unusable` says why.
        runs: begin and end of each time in which the observer has settled [s].
        residuals: how large they are.
        drawn: what a plot shows.
        remarks: about the recording.
        unusable: why no contact can be found, as a phrase; empty if it can.
    """

    name: str
    robot: str
    joints: tuple[str, ...]
    unwatched: tuple[str, ...]
    locked: LockedJoints
    units: tuple[str, ...]
    bandwidth: Array
    thresholds: ContactThresholds
    own: bool
    contacts: tuple[MarkedContact, ...]
    runs: tuple[tuple[float, float], ...]
    residuals: JointResiduals
    drawn: DrawnResiduals
    remarks: tuple[str, ...]
    unusable: str

    @property
    def found(self) -> str:
        """How many contacts, in words: with thresholds of its own, only what stands out."""
        if self.unusable:
            return 'contacts cannot be found'
        count = len(self.contacts)
        if count:
            return '1 contact' if count == 1 else f'{count} contacts'
        return 'no contact stands out from the rest' if self.own else 'no contact'

    def until_end(self, contact: MarkedContact) -> bool:
        """Whether a contact goes on until a gap or the end of the recording: it may end later."""
        return any(contact.end == end for _, end in self.runs)

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
            'contacts': [
                {**contact.as_json(), 'until_end': self.until_end(contact)}
                for contact in self.contacts
            ],
            'joints': joints,
            'unwatched': list(self.unwatched),
            'remarks': [*self.locked.remarks, *self.remarks],
            'unusable': self.unusable,
        }
