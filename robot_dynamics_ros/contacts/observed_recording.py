"""A recording that is read state by state, as the node would take it, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.contact import ContactLinks
from robot_dynamics_ros.control.external.contact_detector import CUTOFF
from robot_dynamics_ros.control.external.drive_torques import LARGEST, GivenState
from robot_dynamics_ros.control.external.estimate import (
    PASSING,
    ExternalForceEstimate,
    ExternalSettings,
)
from robot_dynamics_ros.control.external.momentum_observer import SETTLED
from robot_dynamics_ros.control.settings import UNKNOWN_LIMIT, DriverEffort
from robot_dynamics_ros.control.state_filter import VELOCITY_CUTOFF, VelocityEstimate
from robot_dynamics_ros.control.torque_text import joint_torques, units_of
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import counted, listed
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.recordings.joint_samples import gap_limit

from .residuals import JointResiduals, ObservedPart

# Takes a number of states that are done.
Advance = Callable[[int], None]
# States in a part.
PART = 1 << 13
# Of the observer [Hz], as of dynamics_node by default.
BANDWIDTH = 20.0
# Of the rate of the states, the bandwidth of a filter at most [-]: noise is beyond it.
SHARE_OF_RATE = 0.2
# Shares of a recording [-]: where external torques are known in less, it cannot be used, or it is
# remarked.
LITTLE, HALF = 0.05, 0.5
# Share of the effort limit that the root of the mean square is large from [-]: identified arms
# without a contact have at most 0.035 (docs/external_forces.md).
LARGE = 0.05


@dataclass(frozen=True)
class WatchSettings:
    """Values of parameters of dynamics_node; joints that are not named have those of the URDF.

    Attributes:
        joint_model: friction, offsets and rotors.
        gravity: acceleration of free fall in the base frame [m/s^2].
        bandwidth: of the observer [Hz], `BANDWIDTH` of joints that are not named there.
        thresholds: (2, 3) of each joint by name, see `ContactThresholds`; empty where none are
            given.
        driver_effort: what the recorded efforts are.
    """

    joint_model: JointModel = AS_DESCRIBED
    gravity: tuple[float, ...] = STANDARD_GRAVITY
    bandwidth: Mapping[str, float] = field(default_factory=dict)
    thresholds: Mapping[str, Array] = field(default_factory=dict)
    driver_effort: DriverEffort = 'torque'


class WatchedRobot:
    """The robot of a recording, with its friction and the settings of its observer.

    Attributes:
        model: whose joints are those of the recording.
        settings: see `WatchSettings`.
        dynamics: of the model.
        friction: of the joints.
        links: which link is touched.
        missing: joints that were not recorded whose position changes the torque of one that was.
        locked: a remark on all that were not recorded; empty without any.
    """

    def __init__(
        self,
        model: RobotModel,
        settings: WatchSettings,
        locked: Sequence[str] = (),
        missing: Sequence[str] = (),
    ) -> None:
        """Compile nothing yet.

        Args:
            model: whose independent joints are those of the recording, in their order.
            settings: see `WatchSettings`; joints that the model does not have do not matter.
            locked: joints of the URDF that were not recorded, which `model` has locked.
            missing: of these, the joints whose position changes the torque of a recorded one.

        Raises:
            ParameterError: a value is negative or not finite, or a smoothing is 0.
        """
        self.model, self.settings = settings.joint_model.with_rotors(model), settings
        self.links = ContactLinks(self.model)
        self.dynamics = RobotDynamics(self.model, gravity=settings.gravity)
        self.friction = settings.joint_model.friction(self.model)
        self.missing = tuple(missing)
        was, are = ('was', 'is') if len(locked) == 1 else ('were', 'are')
        known = f'{listed(locked)} {was} not recorded, and {are} taken to be locked'
        wrong = (
            f'motion of {listed(missing)} looks like an external torque on other joints, as does '
            'a rest that is not at zero or at the nearest position limit: record all joints'
        )
        self.locked = '; '.join([known] * bool(locked) + [wrong] * bool(missing))


@dataclass(frozen=True)
class Observation:
    """What is known of a recording; plain data.

    Attributes:
        name: of the recording.
        robot: its name.
        joints: watched ones, k of them.
        units: (k) of their residuals.
        limits: (k,) their effort limits [N m or N]; infinite for none.
        unwatched: joints without a varying effort, or without a threshold where some are given.
        locked: a remark on joints that were not recorded; empty without any.
        missing: of these, the joints whose position changes the torque of a recorded one.
        bandwidth: (k,) of the observer [Hz].
        residuals: how large they are.
        remarks: about the recording.
    """

    name: str
    robot: str
    joints: tuple[str, ...]
    units: tuple[str, ...]
    limits: Array
    unwatched: tuple[str, ...]
    locked: str
    missing: tuple[str, ...]
    bandwidth: Array
    residuals: JointResiduals
    remarks: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """What is said of it beside its joints."""
        return {
            'file': self.name,
            'samples': self.residuals.samples,
            'unwatched': list(self.unwatched),
            'remarks': [*filter(None, [self.locked]), *self.remarks],
        }

    def large(self, residuals: JointResiduals) -> str:
        """That external torques are large throughout, as a sentence; empty if they are not."""
        left_out = ', contacts left out' if residuals.samples < self.residuals.samples else ''
        known = np.where(np.isfinite(self.limits), self.limits, UNKNOWN_LIMIT)
        above = residuals.rms > LARGE * known
        if not above.any():
            return ''
        names, units = compress(self.joints, above), compress(self.units, above)
        which = joint_torques([*names], residuals.rms[above].tolist(), units)
        return (
            f'the external torque is large throughout{left_out}: RMS of {which}; the model is '
            'wrong, positions are not in rad and m, efforts are those of other joints, or '
            'something touches the robot'
        )


class ObservedRecording:
    """The residuals of a recording: the external torques that `ExternalForceEstimate` gives.

    Attributes:
        joints: whose effort is measured and varies, of those that are to be watched, k of them.
        indices: (k,) of these among the joints of the robot.
        bandwidth: (k,) of the observer [Hz].
    """

    def __init__(
        self, recording: Recording, robot: WatchedRobot, wanted: Collection[str] = ()
    ) -> None:
        """Read the efforts once.

        Args:
            recording: of all joints of the robot, in their order; from now on, its efforts that
                the node takes as not measured are not.
            robot: that was recorded.
            wanted: names of joints that are to be watched; empty for all.

        Raises:
            RecordingError: the files are damaged, none of these joints has an effort that varies,
                or the states come too slowly for the bands of contacts.
        """
        if recording.interval > 0.5 / CUTOFF:
            raise RecordingError(
                f'{recording.name}: states come at {1.0 / recording.interval:.3g} Hz, at least '
                f'{2.0 * CUTOFF:g} Hz are needed to tell pushes from collisions: record more often'
            )
        self._recording, self._robot = recording, robot
        recording.judge_efforts(robot.model, LARGEST)
        low, high = np.full((2, len(recording.joints)), np.nan)
        for samples in recording.chunks():
            measured = np.where(np.isfinite(samples.efforts), samples.efforts, np.nan)
            low = np.fmin(low, np.fmin.reduce(measured, axis=0))
            high = np.fmax(high, np.fmax.reduce(measured, axis=0))
        chosen = (high > low) & [not wanted or name in wanted for name in recording.joints]
        self.joints = tuple(compress(recording.joints, chosen))
        if not self.joints:
            which = f'none of the joints with thresholds ({", ".join(wanted)})'
            raise RecordingError(
                f'{recording.name}: {which if wanted else "no joint"} has an effort that varies '
                f'in its {counted(recording.size, "state")}: '
                f'{self.breaks or "does the driver publish measured efforts?"}'
            )
        self.indices = np.flatnonzero(chosen)
        given = [robot.settings.bandwidth.get(name, BANDWIDTH) for name in self.joints]
        self.bandwidth = np.minimum(given, SHARE_OF_RATE / recording.interval)

    def parts(self, advance: Advance) -> Iterator[ObservedPart]:
        """The residuals, from the first state on; one part at least.

        Args:
            advance: takes numbers of states that are done.

        Raises:
            RecordingError: there is hardly any estimate: breaks are too frequent, or the efforts
                are such that the node gives none.
        """
        recording, interval = self._recording, self._recording.interval
        self._residuals = JointResiduals.of(np.empty((0, len(self.joints))))
        # Of the states, and of those with an estimate [s].
        self._seconds = self._known = 0.0
        estimate = self._estimate()
        cutoff = min(VELOCITY_CUTOFF, SHARE_OF_RATE / interval)
        derived = VelocityEstimate(self._robot.model, cutoff)
        # How late derived velocities are, and from when on they are right [s].
        self._delay = ready = 0.0
        begins, longest = True, 2.0 * gap_limit(interval)
        for samples in recording.segments(PART):
            self._seconds += len(samples) * interval
            missing = ~np.isfinite(samples.velocities[0])
            are_derived = bool(missing.any())
            if are_derived:
                self._delay = 1.0 / (2.0 * np.pi * cutoff)
            if samples.begins:
                derived.reset()
                ready = samples.times[0] + SETTLED * self._delay
            known: list[tuple[float, Array, Array]] = []
            for time, q, v, effort in zip(
                samples.times.tolist(),
                samples.positions,
                samples.velocities,
                samples.efforts,
                strict=True,
            ):
                velocity = np.where(missing, derived.update(time, q), v) if are_derived else v
                if time < ready:
                    continue
                given = GivenState(q, velocity, effort)
                estimate.update(time, q, velocity, given, longest_interval=longest)
                if estimate.reason:
                    yield from self._part(known, begins)
                    known, begins = [], True
                elif estimate.stamp == time:
                    # Else the state is lost, as it has no effort: the next step is longer.
                    known.append((time, estimate.torque.copy(), velocity[self.indices]))
            yield from self._part(known, begins)
            begins = begins and not known
            advance(len(samples))
        # The interval of a single state is NaN.
        if not self._known > LITTLE * self._seconds:
            why = '' if estimate.reason in PASSING else f'dynamics_node: {estimate.reason}'
            given = f'{recording.name}: {self._share}', why, self.breaks
            raise RecordingError('; '.join(filter(None, given)))

    def _part(
        self, known: Sequence[tuple[float, Array, Array]], begins: bool
    ) -> Iterator[ObservedPart]:
        """The part of states with time, external torques (k,) and velocities (k,), if any."""
        if known:
            times, r, v = (np.array(column) for column in zip(*known, strict=True))
            self._known += len(times) * self._recording.interval
            self._residuals += JointResiduals.of(r)
            yield ObservedPart(begins, times, r, v)

    def _estimate(self) -> ExternalForceEstimate:
        """As dynamics_node composes it, with a state of the recording for each of its states."""
        robot, settings = self._robot, self._robot.settings
        return ExternalForceEstimate(
            robot.dynamics,
            self.joints,
            ExternalSettings(
                external_bandwidth=tuple(self.bandwidth.tolist()),
                driver_effort=settings.driver_effort,
            ),
            friction=robot.friction,
            offset=settings.joint_model.offsets(robot.model)[self.indices],
        )

    @property
    def _share(self) -> str:
        """Of the recording, in which there is an estimate."""
        return (
            f'external torques are known for {self._known:.3g} of {self._seconds:.3g} s, as the '
            'observer settles anew after each break'
        )

    @property
    def breaks(self) -> str:
        """What interrupts the observer, with counts; empty where nothing does."""
        quality = self._recording.quality
        refused = [one.sentence(joint) for joint, one in quality.implausible.items()]
        return '; '.join(filter(None, [*refused, quality.cuts]))

    def observation(self, name: str) -> Observation:
        """What is known of the recording once `parts` has been read; `name` is for results."""
        robot, all_joints = self._robot, self._recording.joints
        return Observation(
            name,
            robot.model.name,
            self.joints,
            units_of(robot.model, self.joints),
            robot.model.effort_bounds[self.indices],
            tuple(joint for joint in all_joints if joint not in self.joints),
            robot.locked,
            robot.missing,
            self.bandwidth,
            self._residuals,
            tuple(self._remarks()),
        )

    def _remarks(self) -> Iterator[str]:
        """What a user has to know, one line each."""
        recording = self._recording
        yield from recording.quality.remarks()
        if others := [name for name in recording.joints if name not in self.joints]:
            yield (
                'not watched, because their efforts are missing or constant, or because others '
                f'have thresholds: {", ".join(others)}'
            )
        if self._delay:
            yield 'velocities are derived from positions, and late by that'
        if self._known < HALF * self._seconds:
            yield self._share
