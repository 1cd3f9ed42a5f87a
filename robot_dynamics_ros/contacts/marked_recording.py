"""The contacts of a recording, found as the node finds them, and what a plot shows of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.contact import ContactLinks
from robot_dynamics_ros.control.external.contact_detector import (
    CUTOFF,
    FREE,
    ContactDetector,
    ContactState,
)
from robot_dynamics_ros.control.external.thresholds import NEVER, ContactThresholds
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import counted
from robot_dynamics_ros.recordings import Recording

from .observed_recording import HALF, Advance, Observation, ObservedRecording, WatchedRobot
from .residuals import JointResiduals, ObservedPart
from .threshold_learning import learned_thresholds, without_contacts
from .threshold_survey import FALSE_ALARMS_PER_HOUR, survey_recording

# Of a recording that is drawn: the pixels of a wide screen.
STRETCHES = 1500
# A low pass has risen to more than 99 % of what was there at its begin; the fast band is silent
# until then [s].
RISE = 1.0 / CUTOFF


@dataclass(frozen=True)
class MarkedContact:
    """Something touched the robot, or else the model was wrong by as much.

    Attributes:
        begin: [s] since the start of the recording.
        end: of the last touch [s].
        from_start: whether it was there when the observer began, at the start of the recording
            or after a gap: it may have begun before.
        until_end: whether it goes on until a gap or the end of the recording: it may end later.
        kind: 'collision' or 'push'.
        links: that were touched, as far as the joints tell.
        torques: of each joint that felt it, the residual of the largest size [N m or N].
    """

    begin: float
    end: float
    from_start: bool
    until_end: bool
    kind: str
    links: tuple[str, ...]
    torques: dict[str, float]


@dataclass(frozen=True)
class DrawnResiduals:
    """The extremes of stretches of states, S of them; plain data.

    Attributes:
        times: (S,) of the first state of each [s].
        begins: (S,) whether the observer begins there.
        least: (S, 2, k) of collision and push [N m or N].
        largest: (S, 2, k) likewise.
        limits: (S, 2, k) the lowest thresholds [N m or N]; NaN where nothing is detected.
    """

    times: Array
    begins: Array
    least: Array
    largest: Array
    limits: Array


@dataclass(frozen=True)
class MarkedRecording(Observation):
    """The contacts of one recording; plain data.

    Attributes:
        thresholds: that were used.
        own: whether they were learned from the recording itself.
        contacts: in their order.
        drawn: what a plot shows.
    """

    thresholds: ContactThresholds
    own: bool
    contacts: tuple[MarkedContact, ...]
    drawn: DrawnResiduals

    @property
    def found(self) -> str:
        """How many contacts, in words."""
        return counted(len(self.contacts), 'contact') if self.contacts else 'no contact'

    def as_json(self) -> dict[str, Any]:
        """The result by names, in SI units."""
        return {
            **super().as_json(),
            'robot': self.robot,
            'bandwidth': self.bandwidth,
            'thresholds': 'this recording' if self.own else 'given',
            'contacts': [vars(contact) for contact in self.contacts],
            'joints': self.residuals.as_json(self.joints, self.units),
        }


def mark_recording(
    recording: Recording, robot: WatchedRobot, name: str, advance: Advance
) -> MarkedRecording:
    """Search a recording for contacts, with the thresholds of the settings or its own.

    Raises:
        RecordingError: nothing can be observed.
        ParameterError: a threshold is out of bounds.
        StateError: the recording is too short to learn from it.
    """
    given = robot.settings.thresholds
    observed = ObservedRecording(recording, robot, sorted(given))
    if given:
        each = [given[joint] for joint in observed.joints]
        thresholds = ContactThresholds(np.stack(each, axis=-1))
    else:
        whole = survey_recording(recording, robot, name, advance)
        free = without_contacts(whole.peaks, FALSE_ALARMS_PER_HOUR)
        thresholds = learned_thresholds(free, FALSE_ALARMS_PER_HOUR, least=whole.least)
    search = _Search(thresholds, observed, robot.links, math.ceil(recording.size / STRETCHES))
    for part in observed.parts(advance):
        search.take(part)
    search.close(cut=True)
    found = observed.observation(name)
    enough = search.untouched.samples >= HALF * found.residuals.samples
    if large := found.large(search.untouched if enough else found.residuals):
        found = replace(found, remarks=(*found.remarks, large))
    columns = zip(*search.drawn, strict=True)
    return MarkedRecording(
        **vars(found),
        thresholds=thresholds,
        own=not given,
        contacts=tuple(search.contacts),
        drawn=DrawnResiduals(*(np.concatenate(column) for column in columns)),
    )


class _Search:
    """Searches the parts of a recording.

    Attributes:
        contacts: found up to now, in their order.
        untouched: residuals of the states without a contact.
        drawn: columns of `DrawnResiduals`, of stretches with `length` states.
    """

    def __init__(
        self,
        thresholds: ContactThresholds,
        observed: ObservedRecording,
        links: ContactLinks,
        length: int,
    ) -> None:
        self.contacts: list[MarkedContact] = []
        self.untouched = JointResiduals.of(np.empty((0, len(observed.joints))))
        self.drawn: list[tuple[Array, ...]] = []
        self._detector = ContactDetector(thresholds)
        self._observed, self._links, self._length = observed, links, length
        # When the observer began, and of a contact that goes on: the last touch [s], who felt it,
        # and the largest residuals.
        self._begin = self._last = math.nan
        self._state, self._felt, self._peaks = FREE, set[int](), np.empty(0)

    def take(self, part: ObservedPart) -> None:
        """Search a part, after those before."""
        if part.begins:
            self.close(cut=True)
            self._detector.pause()
            self._begin = float(part.times[0])
        values, limits = np.empty((2, *part.residuals.shape[:1], 2, part.residuals.shape[1]))
        touched = np.zeros(len(values), bool)
        rows = zip(part.residuals, part.velocities, part.times.tolist(), strict=True)
        for row, (r, v, time) in enumerate(rows):
            state = self._detector.step(r, v, time)
            values[row], limits[row] = self._detector.bands.values, self._detector.limits
            if state:
                touched[row] = True
                self._follow(state, r, time)
            elif self._state:
                self.close(cut=False)
        self.untouched += JointResiduals.of(part.residuals[~touched])
        starts = np.arange(0, len(values), self._length)
        lowest = np.minimum.reduceat(limits, starts)
        self.drawn.append(
            (
                part.times[starts],
                part.begins & (starts == 0),
                np.minimum.reduceat(values, starts),
                np.maximum.reduceat(values, starts),
                np.where(lowest < NEVER, lowest, np.nan),
            )
        )

    def _follow(self, state: ContactState, r: Array, time: float) -> None:
        """Take the state during a contact."""
        if not self._state:
            self._felt, self._peaks = set(), np.zeros(len(r))
        self._state = state
        if state.joints:
            self._last = time
            self._felt.update(state.joints)
            self._peaks = np.where(abs(r) > abs(self._peaks), r, self._peaks)

    def close(self, *, cut: bool) -> None:
        """End a contact that goes on; whether the observer ends here."""
        if not self._state:
            return
        state, self._state = self._state, FREE
        felt, joints = sorted(self._felt), self._observed.joints
        mask = np.zeros(len(self._links.names), bool)
        mask[self._observed.indices[felt]] = True
        self.contacts.append(
            MarkedContact(
                begin=state.since,
                end=self._last,
                from_start=state.since - self._begin <= RISE,
                until_end=cut,
                kind=state.kind,
                links=self._links.touched(mask),
                torques={joints[joint]: float(self._peaks[joint]) for joint in felt},
            )
        )
