"""The residuals of an external-force observer along a recording."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.control.external.contact_detector import CUTOFF
from robot_dynamics_ros.control.external.momentum_observer import SETTLED, ExternalForceObserver
from robot_dynamics_ros.control.gravity_in_efforts import GravityCheck
from robot_dynamics_ros.control.state_filter import VelocityEstimate
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import counted
from robot_dynamics_ros.recordings import JointSamples, Recording
from robot_dynamics_ros.recordings.quality import gap_limit
from robot_dynamics_ros.recordings.sample_segments import segment_parts

from .effort_range import advice, effort_range
from .watched_robot import WatchedRobot

# States in a part.
PART = 1 << 13
# Of velocities that were not measured [Hz]; the rate of the states may ask for less.
VELOCITY_CUTOFF, SHARE_OF_RATE = 30.0, 0.2
# Share of a recording [-]: where external torques are known in less, it cannot be used.
LITTLE = 0.05


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
        joints: whose effort is measured and varies, of those that are to be watched, k of them.
        unwatched: names of the others.
        without_threshold: names of these whose effort varies, but which are not to be watched.
        largest_efforts: (k,) absolute measured efforts of the watched joints [N m or N].
        bandwidth: (k,) of the observer [Hz].
        skipped: states in segments in which an effort of a watched joint is missing; complete
            once `parts` has been read.
        derived: whether velocities are derived from positions; likewise.
        doubt: why the efforts cannot be the torques of the drives, as a phrase; empty if they can;
            likewise.
        runs: begin and end of each time in which the observer has settled [s]; likewise.
        seconds: of all states, without the gaps between them [s]; likewise.
    """

    def __init__(
        self, recording: Recording, robot: WatchedRobot, wanted: Collection[str] = ()
    ) -> None:
        """Read the efforts once.

        Args:
            recording: of all joints of the robot, in their order; its efforts are judged by the
                robot.
            robot: that was recorded.
            wanted: names of joints that are to be watched; empty for all.

        Raises:
            RecordingError: the files are damaged, none of these joints has an effort that varies,
                there is one state only, or they come too slowly for the bands of contacts.
        """
        _check_size(recording, robot)
        _check_rate(recording)
        self._recording, self._robot = recording, robot
        low, high = effort_range(recording, robot.model)
        varies = high > low
        chosen = np.array([not wanted or name in wanted for name in recording.joints])
        self.joints = _names(recording, varies & chosen)
        self.unwatched = _names(recording, ~(varies & chosen))
        self.without_threshold = _names(recording, varies & ~chosen)
        if not self.joints:
            raise RecordingError(_no_effort(recording, wanted))
        self.indices = np.flatnonzero(varies & chosen)
        self.largest_efforts: Array = np.maximum(-low, high)[self.indices]
        self.bandwidth = robot.bandwidth(recording.interval)[self.indices]
        self.skipped, self.derived = 0, False
        self.doubt, self.runs, self.seconds = '', list[list[float]](), 0.0

    @property
    def judged(self) -> bool:
        """Whether efforts are compared with gravity."""
        return self._robot.settings.driver_gravity_check

    def parts(self) -> Iterator[ObservedPart]:
        """The residuals, from the first state on; one part at least.

        Raises:
            RecordingError: the observer never settles.
        """
        recording, self.skipped, self.runs = self._recording, 0, []
        longest, self.seconds = 0.0, 0.0
        check = self._new_check()
        limit = gap_limit(recording.interval)
        # Of a gap, the cuts decide.
        observer = self._robot.observer(recording.interval, 2.0 * limit)
        cutoff = min(VELOCITY_CUTOFF, SHARE_OF_RATE / recording.interval)
        estimate = VelocityEstimate(self._robot.model, cutoff)
        # How late derived velocities are.
        delay = 1.0 / (2.0 * np.pi * cutoff)
        begins, start = True, 0.0
        for starts, samples in segment_parts(recording, PART):
            self.seconds += len(samples) * recording.interval
            if not np.isfinite(samples.efforts[:, self.indices]).all():
                self.skipped += len(samples)
                continue
            if starts:
                observer.reset()
                estimate.reset()
                begins, start = True, samples.times[0]
            longest = max(longest, samples.times[-1] - start)
            velocities = self._velocities(samples, estimate)
            ready = start + (SETTLED * delay if self.derived else 0.0)
            residuals, first = _residuals(observer, samples, velocities, ready)
            if first == len(samples):
                continue
            rows = slice(first, None)
            if begins:
                check.reset()
                self.runs.append([float(samples.times[first]), 0.0])
            self.runs[-1][1] = float(samples.times[-1])
            self._judge(check, samples.part(rows), residuals[rows])
            yield ObservedPart(
                begins,
                samples.times[rows],
                residuals[rows, self.indices],
                velocities[rows, self.indices],
            )
            begins = False
        # The interval of a single state is NaN.
        if not self.known > LITTLE * self.seconds:
            raise RecordingError(self._never_settles(longest, delay))

    @property
    def known(self) -> float:
        """Time in which external torques are known [s]."""
        return sum(end - begin for begin, end in self.runs)

    def breaks(self) -> str:
        """Why the observer begins anew, with counts; empty where it does not."""
        missing, quality = self.missing_efforts(), self._recording.quality
        counts = ((quality.gaps, 'gap'), (quality.jumps, 'jump of a position'))
        found = [counted(number, thing) for number, thing in counts if number]
        return '; '.join(([f'efforts are missing: {missing}'] if missing else []) + found)

    def missing_efforts(self) -> str:
        """In how many states the effort of each watched joint is missing; empty if in none."""
        quality = self._recording.quality
        return ', '.join(
            f'of {joint} in {quality.missing_efforts[joint]} of {quality.samples} states'
            for joint in self.joints
            if joint in quality.missing_efforts
        )

    def _never_settles(self, longest: float, delay: float) -> str:
        """Why external torques are hardly known, and what to do.

        Args:
            longest: time in which states with all efforts follow each other [s].
            delay: of velocities that are derived [s].
        """
        name, joints = self._recording.name, ', '.join(self.joints)
        missing = self.missing_efforts()
        if longest == 0.0 and missing:
            return (
                f'{name}: efforts of {joints} are never there in two states one after the other '
                f'(missing: {missing}): '
                + advice(self._recording, 'record all of them in each message')
            )
        needed = SETTLED * (1.0 / (2.0 * np.pi * self.bandwidth.min()) + self.derived * delay)
        return (
            f'{name}: external torques are known for {self.known:.3g} of {self.seconds:.3g} s: '
            f'the observer needs {needed:.3g} s to settle, states with all efforts follow each '
            f'other for {longest:.3g} s at most ({self.breaks() or "the recording is short"}): '
            + advice(self._recording, 'record longer without a break')
        )

    def _new_check(self) -> GravityCheck:
        return GravityCheck(self._robot.model.effort_bounds[self.indices])

    def _judge(self, check: GravityCheck, samples: JointSamples, residuals: Array) -> None:
        """Compare residuals (N, n) with gravity, as the node does, until the efforts fit."""
        if check.fits or not self.judged:
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


def _names(recording: Recording, which: np.ndarray) -> tuple[str, ...]:
    """Names of some joints (n,)."""
    return tuple(itertools.compress(recording.joints, which.tolist()))


def _no_effort(recording: Recording, wanted: Collection[str]) -> str:
    """That no effort varies, as of `ObservedRecording`, and what to do."""
    which = f'none of the joints with thresholds ({", ".join(wanted)})' if wanted else 'no joint'
    return (
        f'{recording.name}: {which} has an effort that varies in its '
        f'{counted(recording.size, "state")}: '
        + advice(recording, 'look for the setting of the driver that publishes measured efforts')
    )


def _check_size(recording: Recording, robot: WatchedRobot) -> None:
    """Check that there is more than one state.

    Raises:
        RecordingError: there is not.
    """
    if recording.size < 2:
        settling = SETTLED / (2.0 * np.pi * robot.wanted_bandwidth().min())
        raise RecordingError(
            f'{recording.name}: it has {counted(recording.size, "state")}, at least 2 are needed, '
            f'and {settling:.3g} s of them until the observer has settled: record longer'
        )


def _check_rate(recording: Recording) -> None:
    """Check that the states show both bands.

    Raises:
        RecordingError: they come too slowly.
    """
    least = 2.0 * CUTOFF
    if recording.interval > 1.0 / least:
        raise RecordingError(
            f'{recording.name}: its states come at {1.0 / recording.interval:.3g} Hz, at least '
            f'{least:g} Hz are needed to tell pushes from collisions: record more often'
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
