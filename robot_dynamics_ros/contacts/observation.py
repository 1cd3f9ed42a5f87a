"""The residual along a recording, as `dynamics_node` estimates it, and what is known of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.control.external.contact_detector import CUTOFF, ContactDetector
from robot_dynamics_ros.control.external.drive_torques import LARGEST, GivenState
from robot_dynamics_ros.control.external.estimate import (
    PASSING,
    ExternalForceEstimate,
    ExternalSettings,
)
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.control.settings import UNKNOWN_LIMIT, DriverEffort
from robot_dynamics_ros.control.torque_text import units_of
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import listed
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.recordings.joint_samples import gap_limit

Flags = npt.NDArray[np.bool_]
# Bandwidth of the observer at most, of the rate of the states [-]: noise is beyond it.
SHARE_OF_RATE = 0.2
# Of a recording, the share with a known residual below which it is refused; of the effort limit,
# the median residual that is large [-]: the root mean square of identified arms without a contact
# is at most 0.035 (recordings of docs/recordings.md).
LITTLE = LARGE = 0.05


@dataclass(frozen=True)
class WatchSettings:
    """Values of parameters of dynamics_node; joints that are not named have the defaults."""

    joint_model: JointModel = AS_DESCRIBED  #: friction, offsets and rotors
    gravity: Sequence[float] = STANDARD_GRAVITY  #: (3,) in the axes of the root link [m/s^2]
    bandwidth: Mapping[str, float] = field(default_factory=dict)  #: of the observer, by joint [Hz]
    thresholds: Mapping[str, Array] = field(default_factory=dict)  #: (2, 3) by joint; or none
    driver_effort: DriverEffort = 'torque'  #: what the recorded efforts are


@dataclass(frozen=True)
class WatchedRobot:
    """The robot of a recording."""

    model: RobotModel  #: with the joints of the recording, in their order; others locked
    settings: WatchSettings
    locked: Sequence[str] = ()  #: joints that were not recorded
    missing: Sequence[str] = ()  #: of these, joints that change the torque of recorded ones

    def effort_limits(self, joints: Sequence[str]) -> Array:
        """(k,) of joints [N m or N]; `UNKNOWN_LIMIT` of those without one."""
        limits = self.model.effort_bounds[self.model.indices_of(joints)]
        return np.where(np.isfinite(limits), limits, UNKNOWN_LIMIT)

    def estimate(self, joints: Sequence[str], bandwidth: Array) -> ExternalForceEstimate:
        """The observer of some joints (k), with a bandwidth (k,) [Hz]."""
        model, settings, chosen = self.model, self.settings, self.settings.joint_model
        return ExternalForceEstimate(
            RobotDynamics(chosen.with_rotors(model), gravity=settings.gravity),
            joints,
            ExternalSettings(
                external_bandwidth=tuple(bandwidth.tolist()), driver_effort=settings.driver_effort
            ),
            friction=chosen.friction(model),
            offset=chosen.offsets(model)[model.indices_of(joints)],
        )


class ObservedStates(NamedTuple):
    """N states in which the residual is known, of the k watched joints."""

    times: Array  #: (N,) since the start of the recording [s]
    begins: Flags  #: (N,) where the observer begins
    residuals: Array  #: (N, k) external torques [N m or N]
    velocities: Array  #: (N, k) [rad/s or m/s]

    def detected(self, thresholds: ContactThresholds) -> Iterator[ContactDetector]:
        """The detector of contacts, after each state."""
        detector = ContactDetector(thresholds)
        for time, begins, r, v in zip(*self, strict=True):
            if begins:
                detector.pause()
            detector.step(r, v, time)
            yield detector


@dataclass(frozen=True)
class Observation:
    """What is known of a recording; plain data."""

    name: str  #: of the recording
    robot: str  #: its name
    joints: tuple[str, ...]  #: watched ones, k of them
    units: tuple[str, ...]  #: (k) of their residuals
    unwatched: tuple[str, ...]  #: joints without a varying effort, or a threshold
    locked: str  #: a remark on joints that were not recorded; empty without any
    missing: tuple[str, ...]  #: see `WatchedRobot`
    bandwidth: Array  #: (k,) of the observer [Hz]
    samples: int  #: number of states with a residual
    residuals: Array  #: (3, k) their root mean square, mean, and largest absolute value [N m or N]
    large: str  #: that they are large in half of the states; empty if they are not
    remarks: tuple[str, ...]  #: about the recording

    def as_json(self) -> dict[str, Any]:
        """What is said of it beside its joints."""
        remarks = [*filter(None, [self.locked]), *self.remarks]
        own = {'file': self.name, 'samples': self.samples, 'unwatched': list(self.unwatched)}
        return {**own, 'remarks': remarks}

    def joints_as_json(self, residuals: Array) -> dict[str, dict[str, Any]]:
        """Figures (3, k) of residuals, by the name of the joint."""
        keys = ('unit', 'residual_rms', 'residual_bias', 'residual_largest')
        rows = zip(self.joints, self.units, *residuals, strict=True)
        return {joint: dict(zip(keys, row, strict=True)) for joint, *row in rows}


def observe(
    recording: Recording, robot: WatchedRobot, name: str, wanted: Collection[str] = ()
) -> tuple[Observation, ObservedStates]:
    """The residuals along a recording: the external torques of `ExternalForceEstimate`.

    Args:
        recording: of the robot; from now on, efforts that the node takes as not measured are not.
        robot: that was recorded.
        name: of the recording in results.
        wanted: names of joints that are to be watched; empty for all.

    Raises:
        RecordingError: the files are damaged, no wanted effort varies, states come too slowly, or
            the residual is hardly ever known.
        ParameterError, StateError: a value of the settings is not possible.
    """
    rate, default = 1.0 / recording.interval, ExternalSettings.external_bandwidth[0]
    if rate < 2.0 * CUTOFF:
        needed = f'at least {2.0 * CUTOFF:g} Hz are needed'
        raise RecordingError(f'{recording.name}: states come at {rate:.3g} Hz, {needed}')
    recording.judge_efforts(robot.model, LARGEST)
    efforts = recording.states().efforts
    varying = compress(recording.joints, np.fmax.reduce(efforts) > np.fmin.reduce(efforts))
    joints = tuple(joint for joint in varying if not wanted or joint in wanted)
    if not joints:
        names = ', '.join(wanted or recording.joints)
        why = _breaks(recording) or 'does the driver publish measured efforts?'
        raise RecordingError(f'{recording.name}: no effort varies of {names}: {why}')
    given = [robot.settings.bandwidth.get(joint, default) for joint in joints]
    bandwidth = np.minimum(given, SHARE_OF_RATE * rate)
    estimate = robot.estimate(joints, bandwidth)
    states = _observed(recording, estimate, robot.model.indices_of(joints))
    r = states.residuals
    large = np.median(np.abs(r), axis=0) > LARGE * robot.effort_limits(joints)
    names = ', '.join(compress(joints, large))
    remarks = {
        f'not recorded, taken to be locked: {listed(robot.locked)}': robot.locked,
        f'motion of {listed(robot.missing)} looks like an external torque': robot.missing,
    }
    found = Observation(
        name=name,
        robot=robot.model.name,
        joints=joints,
        units=units_of(robot.model, joints),
        unwatched=tuple(joint for joint in recording.joints if joint not in joints),
        locked='; '.join(text for text, which in remarks.items() if which),
        missing=tuple(robot.missing),
        bandwidth=bandwidth,
        samples=len(r),
        residuals=np.stack([np.sqrt((r * r).mean(axis=0)), r.mean(axis=0), abs(r).max(axis=0)]),
        large=f'the residual is large throughout: {names}: check model and units' if names else '',
        remarks=tuple(recording.quality.remarks()),
    )
    return found, states


def _observed(
    recording: Recording, estimate: ExternalForceEstimate, indices: list[int]
) -> ObservedStates:
    """The states with an estimate; a state without an effort is lost: the next step is longer."""
    kinds = float, bool, (float, len(indices)), (float, len(indices))
    longest, count = 2.0 * gap_limit(recording.interval), sum(map(len, recording.segments()))

    def rows() -> Iterator[tuple[float, bool, Array, Array]]:
        begins = True
        for samples in recording.segments():
            columns = samples.positions, samples.velocities, samples.efforts
            for time, q, v, effort in zip(samples.times.tolist(), *columns, strict=True):
                estimate.update(time, q, v, GivenState(q, v, effort), longest_interval=longest)
                if estimate.reason:
                    begins = True
                elif estimate.stamp == time:
                    yield time, begins, estimate.torque.copy(), v[indices]
                    begins = False

    found = np.fromiter(rows(), np.dtype([*zip(ObservedStates._fields, kinds, strict=True)]))
    if not len(found) > LITTLE * count:
        known, of = (each * recording.interval for each in (len(found), count))
        why = '' if estimate.reason in PASSING else f'dynamics_node: {estimate.reason}'
        said = f'{recording.name}: external torques known for {known:.3g} of {of:.3g} s', why
        raise RecordingError('; '.join(filter(None, [*said, _breaks(recording)])))
    return ObservedStates(*(found[name] for name in ObservedStates._fields))


def _breaks(recording: Recording) -> str:
    """What interrupts the observer, with counts; empty where nothing does."""
    quality = recording.quality
    refused = [one.sentence(joint) for joint, one in quality.implausible.items()]
    return '; '.join(filter(None, [*refused, quality.cuts]))
