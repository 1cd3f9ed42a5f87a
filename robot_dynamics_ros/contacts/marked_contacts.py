"""The contacts in a recording, found as the node finds them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.contact import ContactLinks
from robot_dynamics_ros.control.external.contact_detector import (
    CUTOFF,
    ContactDetector,
    ContactState,
)
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core.checks import Array

from .observed_recording import ObservedPart


@dataclass(frozen=True)
class MarkedContact:
    """Something touched the robot, or else the model was wrong by as much.

    Attributes:
        begin: [s] since the start of the recording.
        end: of the last touch [s].
        kind: 'collision' or 'push'.
        links: that were touched, as far as the joints tell.
        torques: of each joint that felt it, the residual of the largest size [N m or N].
        from_start: whether it was there when the observer began, at the start of the recording
            or after a gap: it may have begun before.
    """

    begin: float
    end: float
    kind: str
    links: tuple[str, ...]
    torques: dict[str, float]
    from_start: bool = False

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            'begin': self.begin,
            'end': self.end,
            'from_start': self.from_start,
            'kind': self.kind,
            'links': list(self.links),
            'torques': dict(self.torques),
        }


@dataclass(frozen=True)
class DetectedPart:
    """What a detector had at each state of a part.

    Attributes:
        part: the residuals.
        values: (N, 2, k) collision and push [N m or N].
        limits: (N, 2, k) thresholds of these [N m or N].
        touched: (N,) whether a contact goes on.
    """

    part: ObservedPart
    values: Array
    limits: Array
    touched: Array


@dataclass
class _Open:
    """A contact that goes on."""

    state: ContactState
    last: float
    peaks: Array
    from_start: bool
    touched: set[int] = field(default_factory=set)


class ContactMarks:
    """Collects the contacts of a recording.

    Attributes:
        contacts: found up to now, in their order.
    """

    def __init__(
        self,
        thresholds: ContactThresholds,
        joints: Sequence[str],
        indices: Array,
        links: ContactLinks,
    ) -> None:
        """Without a contact.

        Args:
            thresholds: of the watched joints.
            joints: names of the watched joints, k of them.
            indices: (k,) of these among the joints of the robot.
            links: of the robot.
        """
        self.contacts: list[MarkedContact] = []
        self._detector = ContactDetector(thresholds)
        self._joints, self._indices, self._links = tuple(joints), indices, links
        self._open: _Open | None = None
        # A low pass has risen to more than 99 % of what was there at its begin; the fast band is
        # silent until then.
        self._rise, self._begin = 1.0 / CUTOFF, math.nan

    def detected(self, parts: Iterator[ObservedPart]) -> Iterator[DetectedPart]:
        """Search the parts of a recording, and hand on what the detector had at each."""
        for part in parts:
            if part.begins:
                self._close()
                self._detector.pause()
                self._begin = float(part.times[0])
            values, limits = np.empty((2, len(part), 2, len(self._joints)))
            touched = np.zeros(len(part), bool)
            rows = zip(part.residuals, part.velocities, part.times.tolist(), strict=True)
            for row, (r, v, time) in enumerate(rows):
                state = self._detector.step(r, v, time)
                values[row], limits[row] = self._detector.bands.values, self._detector.limits
                if state or self._open is not None:
                    self._follow(state, r, time)
                touched[row] = self._open is not None
            yield DetectedPart(part, values, limits, touched)
        self._close()

    def _follow(self, state: ContactState, r: Array, time: float) -> None:
        """Take the state during a contact, or right after it."""
        if not state:
            self._close()
            return
        if self._open is None:
            early = state.since - self._begin <= self._rise
            self._open = _Open(state, time, np.zeros(len(r)), early)
        contact = self._open
        contact.state = state
        if state.joints:
            contact.last = time
            contact.touched.update(state.joints)
            contact.peaks = np.where(abs(r) > abs(contact.peaks), r, contact.peaks)

    def _close(self) -> None:
        if self._open is None:
            return
        contact, self._open = self._open, None
        touched = sorted(contact.touched)
        mask = np.zeros(len(self._links.names), bool)
        mask[self._indices[touched]] = True
        self.contacts.append(
            MarkedContact(
                contact.state.since,
                contact.last,
                contact.state.kind,
                self._links.touched(mask),
                {self._joints[joint]: float(contact.peaks[joint]) for joint in touched},
                contact.from_start,
            )
        )
