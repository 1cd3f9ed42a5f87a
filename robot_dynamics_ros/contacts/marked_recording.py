"""The contacts of a recording, found as the node finds them, and what a plot shows of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics_ros.control.external.contact import ContactLinks
from robot_dynamics_ros.control.external.contact_detector import CUTOFF, ContactState
from robot_dynamics_ros.control.external.thresholds import NEVER, ContactThresholds
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import counted
from robot_dynamics_ros.recordings import Recording

from .observation import Observation, ObservedStates, WatchedRobot, observe
from .thresholds import band_states, least_thresholds, quantile_coefficients

# Stretches of a recording that is drawn: the pixels of a wide screen.
STRETCHES = 1500
# Thresholds of the recording itself: a quantile that contacts in less than 15 % of the time hardly
# change, times a factor. Without a contact, residuals above `least_thresholds` are at most five
# times that quantile on simulated arms, and eight times on the UR10 of docs/recordings.md.
OWN_LEVEL, OWN_FACTOR = 0.85, 8.0


@dataclass(frozen=True)
class MarkedContact:
    """Something touched the robot, or else the model was wrong by as much."""

    begin: float  #: [s] since the start of the recording
    end: float  #: of the last touch [s]
    from_start: bool  #: whether it was there when the observer began
    until_end: bool  #: whether it goes on until a gap or the end: it may end later
    kind: str  #: 'collision' or 'push'
    links: tuple[str, ...]  #: that were touched, as far as the joints tell
    torques: dict[str, float]  #: largest residual of each joint that felt it [N m or N]


class DrawnResiduals(NamedTuple):
    """The extremes of stretches of states, S of them."""

    times: Array  #: (S,) of the first state of each [s]
    begins: Array  #: (S,) whether the observer begins in it
    least: Array  #: (S, 2, k) of collision and push [N m or N]
    largest: Array  #: (S, 2, k) likewise
    limits: Array  #: (S, 2, k) the lowest thresholds [N m or N]; NaN where nothing is detected


@dataclass(frozen=True)
class MarkedRecording(Observation):
    """The contacts of one recording; plain data."""

    own: bool  #: whether the thresholds were learned from the recording itself
    contacts: tuple[MarkedContact, ...]  #: in their order
    drawn: DrawnResiduals  #: what a plot shows

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
            'joints': self.joints_as_json(self.residuals),
        }


def mark_recording(recording: Recording, robot: WatchedRobot, name: str) -> MarkedRecording:
    """Search a recording for contacts, with the thresholds of the settings or its own.

    Raises:
        RecordingError: as of `observe`.
        ParameterError: a threshold is out of bounds.
    """
    given = robot.settings.thresholds
    found, observed = observe(recording, robot, name, sorted(given))
    if given:
        coefficients = np.stack([given[joint] for joint in found.joints], axis=-1)
    else:
        own = quantile_coefficients(band_states(observed, recording.interval), OWN_LEVEL)
        coefficients = np.maximum(OWN_FACTOR * own, least_thresholds(robot, found.joints))
    states = list[ContactState]()
    values, limits = np.empty((2, len(observed.times), 2, len(found.joints)))
    for row, detector in enumerate(observed.detected(ContactThresholds(coefficients))):
        states.append(detector.state)
        values[row], limits[row] = detector.bands.values, detector.limits
    remarks = (*found.remarks, *filter(None, [found.large]))
    return MarkedRecording(
        **{**vars(found), 'remarks': remarks},
        own=not given,
        contacts=tuple(_contacts(robot, found.joints, observed, states)),
        drawn=_drawn(observed, values, limits),
    )


def _drawn(observed: ObservedStates, values: Array, limits: Array) -> DrawnResiduals:
    """Bands of residuals and their thresholds, both (N, 2, k), as a plot shows them."""
    starts = np.arange(0, len(values), math.ceil(len(values) / STRETCHES))
    lowest = np.minimum.reduceat(limits, starts)
    return DrawnResiduals(
        observed.times[starts],
        np.logical_or.reduceat(observed.begins, starts),
        np.minimum.reduceat(values, starts),
        np.maximum.reduceat(values, starts),
        np.where(lowest < NEVER, lowest, np.nan),
    )


def _contacts(
    robot: WatchedRobot,
    joints: tuple[str, ...],
    observed: ObservedStates,
    states: list[ContactState],
) -> Iterator[MarkedContact]:
    """The contacts in the states of a detector of joints (k), in their order."""
    since, links = np.array([state.since for state in states]), ContactLinks(robot.model)
    rows, begins = np.flatnonzero(np.isfinite(since)), np.flatnonzero(observed.begins)
    # Arrays of rows with the same begin; without a contact one that is empty.
    for own in filter(len, np.split(rows, np.flatnonzero(np.diff(since[rows])) + 1)):
        touched = [row for row in own if states[row].joints]
        felt = sorted({joint for row in touched for joint in states[row].joints})
        mask = np.isin(robot.model.joint_names, [joints[joint] for joint in felt])
        residuals = observed.residuals[touched]
        largest = residuals[np.abs(residuals).argmax(axis=0), range(len(joints))]
        # The fast band is silent for 1 / f after the observer has begun.
        begin = observed.times[begins[begins <= own[0]][-1]]
        yield MarkedContact(
            begin=float(since[own[0]]),
            end=float(observed.times[touched[-1]]),
            from_start=bool(since[own[0]] - begin <= 1.0 / CUTOFF),
            until_end=bool(own[-1] + 1 in begins or own[-1] + 1 == len(states)),
            kind=states[own[-1]].kind,
            links=links.touched(mask),
            torques={joints[joint]: float(largest[joint]) for joint in felt},
        )
