"""A recording that is read state by state, as the node would take it, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.contact_detector import CUTOFF
from robot_dynamics_ros.control.external.drive_torques import LARGEST
from robot_dynamics_ros.control.external.momentum_observer import SETTLED, ExternalForceObserver
from robot_dynamics_ros.control.external.thresholds import BANDS
from robot_dynamics_ros.control.gravity_in_efforts import GravityCheck
from robot_dynamics_ros.control.settings import UNKNOWN_LIMIT
from robot_dynamics_ros.control.state_filter import VelocityEstimate
from robot_dynamics_ros.control.torque_text import joint_torques, units_of
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import counted, listed
from robot_dynamics_ros.recordings import JointSamples, Recording

from .residuals import JointResiduals, ObservedPart
from .watched_robot import SHARE_OF_RATE, WatchedRobot

# Takes a number of states that are done.
Advance = Callable[[int], None]
BEYOND = 'as in dynamics_node: are efforts in N m or N, and is the limit of the URDF right?'
# States in a part.
PART = 1 << 13
# Of velocities that were not measured [Hz]; the rate of the states may ask for less.
VELOCITY_CUTOFF = 30.0
# Shares of a recording [-]: where external torques are known in less, it cannot be used, or it is
# remarked.
LITTLE, HALF = 0.05, 0.5
# Share of the effort limit that the root of the mean square is large from [-]: identified arms
# without a contact have at most 0.035 (docs/external_forces.md).
LARGE = 0.05


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
        unusable: why no contact can be found, as a phrase; empty if it can.
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
    unusable: str

    def as_json(self) -> dict[str, Any]:
        """What is said of it beside its joints."""
        return {
            'file': self.name,
            'samples': self.residuals.samples,
            'unwatched': list(self.unwatched),
            'remarks': [*filter(None, [self.locked]), *self.remarks],
        }

    def large(self, residuals: JointResiduals) -> str:
        """That external torques are large throughout, as a sentence; empty if they are not.

        Args:
            residuals: of its states, or of those without a contact.
        """
        left_out = ', contacts left out' if residuals.samples < self.residuals.samples else ''
        known = np.where(np.isfinite(self.limits), self.limits, UNKNOWN_LIMIT)
        which = self._torques(residuals.rms, LARGE * known)
        if self.unusable or not which:
            return ''
        return (
            f'the external torque is large throughout{left_out}: RMS of {which}; the model is '
            'wrong, positions are not in rad and m, efforts are those of other joints, or '
            'something touches the robot'
        )

    def above_limits(self, means: Array) -> str:
        """Which thresholds are above the effort limits, as a clause; empty where they are below.

        Args:
            means: (2, k) thresholds of collision and push, on average [N m or N].
        """
        found = zip(BANDS, (self._torques(row, self.limits) for row in means), strict=True)
        above = listed([f'{band} {torques}' for band, torques in found if torques])
        if self.unusable or not above:
            return ''
        return f'thresholds above the effort limits, which contacts hardly exceed: {above}'

    def _torques(self, values: Array, limits: Array) -> str:
        """Those (k,) that are above a limit (k,), with names and units; empty where none is."""
        above = values > limits
        names, units = compress(self.joints, above), compress(self.units, above)
        return joint_torques([*names], values[above].tolist(), units)


class ObservedRecording:
    """The residuals of the observer of a robot along a recording.

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
        recording.judge_efforts(robot.model, LARGEST, BEYOND)
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
        self.bandwidth = robot.bandwidth(recording.interval)[self.indices]

    def parts(self, advance: Advance) -> Iterator[ObservedPart]:
        """The residuals, from the first state on; one part at least.

        Args:
            advance: takes numbers of states that are done.

        Raises:
            RecordingError: the observer hardly ever settles.
        """
        recording, robot, indices = self._recording, self._robot, self.indices
        self._residuals = JointResiduals.of(np.empty((0, len(indices))))
        # Of the states, and of those in which the observer has settled [s].
        self._seconds = self._known = last = 0.0
        self._doubt = ''
        check = GravityCheck(robot.model.effort_bounds[indices])
        observer = robot.observer(recording.interval)
        cutoff = min(VELOCITY_CUTOFF, SHARE_OF_RATE / recording.interval)
        estimate = VelocityEstimate(robot.model, cutoff)
        # How late derived velocities are [s].
        self._delay, begins, start = 0.0, True, 0.0
        for samples in recording.segments(PART):
            self._seconds += len(samples) * recording.interval
            if not np.isfinite(samples.efforts[:, indices]).all():
                continue
            if samples.begins:
                observer.reset()
                estimate.reset()
                begins, start = True, samples.times[0]
            velocities = samples.velocities
            if not np.isfinite(velocities[0]).all():
                self._delay = 1.0 / (2.0 * np.pi * cutoff)
                velocities = _derived(samples, estimate)
            ready = start + SETTLED * self._delay
            residuals, first = _residuals(observer, samples, velocities, ready)
            if first == len(samples):
                continue
            if begins:
                check.reset()
                last = samples.times[first]
            self._known, last = self._known + samples.times[-1] - last, samples.times[-1]
            r = residuals[first:, indices]
            self._judge(check, samples.part(slice(first, None)), r)
            self._residuals += JointResiduals.of(r)
            yield ObservedPart(begins, samples.times[first:], r, velocities[first:, indices])
            advance(len(r))
            begins = False
        # The interval of a single state is NaN.
        if not self._known > LITTLE * self._seconds:
            needed = SETTLED * (1.0 / (2.0 * np.pi * self.bandwidth.min()) + self._delay)
            raise RecordingError(
                f'{recording.name}: external torques are known for {self._known:.3g} of '
                f'{self._seconds:.3g} s: the observer needs {needed:.3g} s without a break to '
                f'settle: {self.breaks or "record longer"}'
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
        unusable = (
            f'dynamics_node estimates no external torques from these efforts: they {self._doubt} '
            '(driver_gravity_check: false in a parameter file uses them in spite of that)'
        )
        return Observation(
            name,
            robot.model.name,
            self.joints,
            units_of(robot.model, self.joints),
            robot.model.effort_bounds[self.indices],
            tuple(joint for joint in all_joints if joint not in self.joints),
            robot.locked_remark,
            robot.missing,
            self.bandwidth,
            self._residuals,
            tuple(self._remarks()),
            unusable if self._doubt else '',
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
            yield (
                f'external torques are known for {self._known:.3g} of {self._seconds:.3g} s: '
                'the observer settles anew after each break'
            )

    def _judge(self, check: GravityCheck, samples: JointSamples, r: Array) -> None:
        """Compare residuals (N, k) with gravity, as the node does, until the efforts fit."""
        if check.fits or not self._robot.settings.driver_gravity_check:
            return
        gravity = self._robot.dynamics.gravity_torque(samples.positions)[:, self.indices]
        intervals = np.diff(samples.times, prepend=samples.times[0])
        for row, elapsed in enumerate(intervals.tolist()):
            check.step(r[row], gravity[row], elapsed)
            if check.fits:
                break
        self._doubt = check.reason


def _derived(samples: JointSamples, estimate: VelocityEstimate) -> Array:
    """Velocities (N, n); of joints whose are not measured, derived from their positions."""
    velocities = np.array(samples.velocities)
    missing = ~np.isfinite(velocities[0])
    states = zip(samples.times.tolist(), samples.positions, strict=True)
    for row, (time, positions) in enumerate(states):
        velocities[row, missing] = estimate.update(time, positions)[missing]
    return velocities


def _residuals(
    observer: ExternalForceObserver, samples: JointSamples, velocities: Array, ready: float
) -> tuple[Array, int]:
    """The residuals (N, n), and the first row in which the observer has settled.

    The velocities (N, n) are right from the time `ready` on [s].
    """
    residuals = np.zeros_like(samples.positions)
    first = len(samples)
    efforts = np.nan_to_num(samples.efforts)
    states = zip(samples.positions, velocities, efforts, samples.times.tolist(), strict=True)
    for row, state in enumerate(states):
        if state[-1] < ready:
            continue
        residuals[row] = observer.step(*state)
        if first > row and observer.settled:
            first = row
    return residuals, first
