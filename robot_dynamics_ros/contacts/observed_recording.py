"""The residuals of an external-force observer along a recording."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.control.external_forces.effort_check import EffortCheck
from robot_dynamics_ros.control.external_forces.momentum_observer import (
    SETTLED,
    ExternalForceObserver,
)
from robot_dynamics_ros.control.velocity import VelocityEstimate
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.recordings import JointSamples, Recording
from robot_dynamics_ros.recordings.quality import gap_limit
from robot_dynamics_ros.recordings.sample_segments import segment_parts

from .watched_robot import WatchedRobot

# States in a part.
PART = 1 << 13
# Of velocities that were not measured [Hz]; the rate of the states may ask for less.
VELOCITY_CUTOFF, SHARE_OF_RATE = 30.0, 0.2


@dataclass(frozen=True)
class ObservedPart:
    """Consecutive residuals of the watched joints, k of them, of an observer that has settled.

    Attributes:
        begins: whether the observer begins here; else the part continues the one before.
        times: (N,) since the start of the recording [s].
        residuals: (N, k) [N m or N].
        velocities: (N, k) [rad/s or m/s].
    """

    begins: bool
    times: Array
    residuals: Array
    velocities: Array

    def __len__(self) -> int:
        return len(self.times)


class ObservedRecording:
    """A recording that is read state by state, as the node would take it.

    Attributes:
        joints: whose effort is measured and varies, k of them: the others are not watched.
        unwatched: names of these.
        bandwidth: (k,) of the observer [Hz].
        skipped: states in segments in which an effort of a watched joint is missing; complete
            once `parts` has been read.
        derived: whether velocities are derived from positions; likewise.
        doubt: why the efforts cannot be the torques of the drives, as a phrase; empty if they can;
            likewise.
    """

    def __init__(self, recording: Recording, robot: WatchedRobot) -> None:
        """Read the efforts once.

        Args:
            recording: of all joints of the robot, in their order.
            robot: that was recorded.

        Raises:
            RecordingError: the files are damaged, or no joint has an effort that varies.
            ParameterError: the states come too slowly for the cutoff between the bands.
        """
        _check_cutoff(recording, robot.settings.cutoff)
        self._recording, self._robot = recording, robot
        varies = _varying(recording)
        joints = tuple(zip(recording.joints, varies.tolist(), strict=True))
        self.joints = tuple(name for name, each in joints if each)
        self.unwatched = tuple(name for name, each in joints if not each)
        if not self.joints:
            raise RecordingError(
                f'{recording.name}: no joint has an effort that varies: look for the setting of '
                'the driver that publishes measured efforts'
            )
        self.indices = np.flatnonzero(varies)
        self.bandwidth = robot.bandwidth(recording.interval)[self.indices]
        self.skipped, self.derived = 0, False
        self.doubt = ''

    def parts(self) -> Iterator[ObservedPart]:
        """The residuals, from the first state on."""
        recording, self.skipped = self._recording, 0
        check = self._new_check()
        limit = gap_limit(recording.interval)
        # Of a gap, the cuts decide.
        observer = self._robot.observer(recording.interval, 2.0 * limit)
        cutoff = min(VELOCITY_CUTOFF, SHARE_OF_RATE / recording.interval)
        estimate = VelocityEstimate(self._robot.model, cutoff)
        begins, start = True, 0.0
        for starts, samples in segment_parts(recording, PART):
            if not np.isfinite(samples.efforts[:, self.indices]).all():
                self.skipped += len(samples)
                continue
            if starts:
                observer.reset()
                estimate.reset()
                begins, start = True, samples.times[0]
            velocities = self._velocities(samples, estimate)
            ready = start + (SETTLED * estimate.delay if self.derived else 0.0)
            residuals, first = _residuals(observer, samples, velocities, ready)
            if first == len(samples):
                continue
            rows = slice(first, None)
            if begins:
                check.reset()
            self._judge(check, samples.part(rows), residuals[rows])
            yield ObservedPart(
                begins,
                samples.times[rows],
                residuals[rows, self.indices],
                velocities[rows, self.indices],
            )
            begins = False

    def _new_check(self) -> EffortCheck:
        limits = self._robot.model.effort_limits[self.indices]
        return EffortCheck(np.where(limits > 0.0, limits, np.inf))

    def _judge(self, check: EffortCheck, samples: JointSamples, residuals: Array) -> None:
        """Compare residuals (N, n) with gravity, as the node does, until the efforts fit."""
        if check.fits:
            return
        gravity = self._robot.gravity_torque(samples.positions)
        intervals = np.diff(samples.times, prepend=samples.times[0])
        for row, elapsed in enumerate(intervals.tolist()):
            check.step(residuals[row, self.indices], gravity[row, self.indices], elapsed)
            if check.fits:
                break
        self.doubt = check.reason

    def _velocities(self, samples: JointSamples, estimate: VelocityEstimate) -> Array:
        """As measured (N, n); of joints without, derived from their positions."""
        missing = ~np.isfinite(samples.velocities[0])
        if not missing.any():
            return samples.velocities
        self.derived = True
        velocities = np.array(samples.velocities)
        for row, (time, positions) in enumerate(
            zip(samples.times.tolist(), samples.positions, strict=True)
        ):
            velocities[row, missing] = estimate.update(time, positions)[missing]
        return velocities


def _check_cutoff(recording: Recording, cutoff: float) -> None:
    """Check that the states show both bands.

    Raises:
        ParameterError: the cutoff [Hz] is above half the rate of the states.
    """
    highest = 0.5 / recording.interval
    if cutoff > highest:
        raise ParameterError(
            f'the frequency between pushes and collisions (--split, or contact_cutoff of a '
            f'parameter file) is {cutoff:g} Hz, allowed is at most {highest:.3g} Hz: half the '
            f'rate of the states of {recording.name}'
        )


def _residuals(
    observer: ExternalForceObserver, samples: JointSamples, velocities: Array, ready: float
) -> tuple[Array, int]:
    """The residuals (N, n), and the first row in which the observer has settled.

    Args:
        observer: takes the states.
        samples: the states.
        velocities: (N, n) [rad/s or m/s].
        ready: when the velocities are right [s].
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


def _varying(recording: Recording) -> np.ndarray:
    """Which joints (n,) have efforts that are not all the same."""
    least, largest = np.full((2, len(recording.joints)), np.nan)
    for samples in recording.chunks():
        for extreme, values in ((np.fmin, least), (np.fmax, largest)):
            found = extreme.reduce(samples.efforts, axis=0)
            values[:] = extreme(values, found)
    return largest > least
