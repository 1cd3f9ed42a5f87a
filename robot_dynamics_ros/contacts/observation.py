"""The residual along a recording, as `dynamics_node` estimates it, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

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
from robot_dynamics_ros.recordings.quality import Quality

# Takes a number of states that are done.
Advance = Callable[[int], None]
Flags = npt.NDArray[np.bool_]
# Of the observer [Hz], as of dynamics_node by default.
BANDWIDTH = 20.0
# Of the rate of the states, the bandwidth of a filter at most [-]: noise is beyond it.
SHARE_OF_RATE = 0.2
# Shares of a recording [-]: where the residual is known in less, it is refused, or remarked.
LITTLE, HALF = 0.05, 0.5
# Share of the effort limit that the median residual is large from [-]: the root mean square of
# identified arms without a contact is at most 0.035 (recordings of docs/recordings.md).
LARGE = 0.05


@dataclass(frozen=True)
class WatchSettings:
    """Values of parameters of dynamics_node; joints that are not named have those of the URDF.

    Attributes:
        joint_model: friction, offsets and rotors.
        gravity: (3,) in the axes of the root link [m/s^2].
        bandwidth: of the observer [Hz], `BANDWIDTH` of joints that are not named there.
        thresholds: (2, 3) of each joint by name, see `ContactThresholds`; empty where none are
            given.
        driver_effort: what the recorded efforts are.
    """

    joint_model: JointModel = AS_DESCRIBED
    gravity: Sequence[float] = STANDARD_GRAVITY
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
        """Take the rotors, the friction and the gravity of the settings.

        Args:
            model: whose independent joints are those of the recording, in their order.
            settings: see `WatchSettings`; joints that the model does not have do not matter.
            locked: joints of the URDF that were not recorded, which `model` has locked.
            missing: of these, the joints whose position changes the torque of a recorded one.

        Raises:
            ParameterError: a value is negative or not finite, or a smoothing is 0.
            StateError: gravity is not three finite numbers, or too strong to be meant.
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


class ObservedStates(NamedTuple):
    """N states in which the residual is known, of the k watched joints.

    Attributes:
        times: (N,) since the start of the recording [s].
        begins: (N,) where the observer begins, at the start and after each gap.
        residuals: (N, k) external torques [N m or N].
        velocities: (N, k) [rad/s or m/s].
    """

    times: Array
    begins: Flags
    residuals: Array
    velocities: Array


@dataclass(frozen=True)
class Observation:
    """What is known of a recording; plain data.

    Attributes:
        name: of the recording.
        robot: its name.
        joints: watched ones, k of them.
        units: (k) of their residuals.
        unwatched: joints without a varying effort, or without a threshold where some are given.
        locked: a remark on joints that were not recorded; empty without any.
        missing: of these, the joints whose position changes the torque of a recorded one.
        bandwidth: (k,) of the observer [Hz].
        samples: number of states with a residual.
        residuals: (3, k) their root mean square, mean, and largest absolute value [N m or N].
        large: that they are large throughout; empty if they are not.
        remarks: about the recording.
    """

    name: str
    robot: str
    joints: tuple[str, ...]
    units: tuple[str, ...]
    unwatched: tuple[str, ...]
    locked: str
    missing: tuple[str, ...]
    bandwidth: Array
    samples: int
    residuals: Array
    large: str
    remarks: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """What is said of it beside its joints."""
        return {
            'file': self.name,
            'samples': self.samples,
            'unwatched': list(self.unwatched),
            'remarks': [*filter(None, [self.locked]), *self.remarks],
        }

    def joints_as_json(self, residuals: Array) -> dict[str, dict[str, Any]]:
        """Figures (3, k) of residuals, by the name of the joint."""
        keys = ('unit', 'residual_rms', 'residual_bias', 'residual_largest')
        rows = zip(self.units, *residuals, strict=True)
        each = (dict(zip(keys, row, strict=True)) for row in rows)
        return dict(zip(self.joints, each, strict=True))


def observe(
    recording: Recording,
    robot: WatchedRobot,
    name: str,
    advance: Advance,
    wanted: Collection[str] = (),
) -> tuple[Observation, ObservedStates]:
    """The residuals along a recording: the external torques of `ExternalForceEstimate`.

    Args:
        recording: of all joints of the robot, in their order; from now on, its efforts that the
            node takes as not measured are not.
        robot: that was recorded.
        name: of the recording in results.
        advance: takes numbers of states that are done.
        wanted: names of joints that are to be watched; empty for all.

    Raises:
        RecordingError: the files are damaged, no wanted joint has an effort that varies, states
            come too slowly for the bands of contacts, or the residual is hardly ever known: breaks
            are too frequent, or the efforts are such that the node gives no estimate.
    """
    interval, settings, model = recording.interval, robot.settings, robot.model
    if interval > 0.5 / CUTOFF:
        raise RecordingError(
            f'{recording.name}: states come at {1.0 / interval:.3g} Hz, at least '
            f'{2.0 * CUTOFF:g} Hz are needed to tell pushes from collisions: record more often'
        )
    recording.judge_efforts(model, LARGEST)
    indices = _varying(recording, wanted)
    joints = tuple(recording.joints[index] for index in indices)
    given = [settings.bandwidth.get(joint, BANDWIDTH) for joint in joints]
    bandwidth = np.minimum(given, SHARE_OF_RATE / interval)
    external = ExternalSettings(
        external_bandwidth=tuple(bandwidth.tolist()), driver_effort=settings.driver_effort
    )
    offset = settings.joint_model.offsets(model)[indices]
    estimate = ExternalForceEstimate(
        robot.dynamics, joints, external, friction=robot.friction, offset=offset
    )
    reader = _Reader(recording, model, estimate, indices)
    states = reader.states(advance)
    known, count = len(states.times), reader.count
    share = (
        f'external torques are known for {known * interval:.3g} of {count * interval:.3g} s, as '
        'the observer settles anew after each break'
    )
    if not known > LITTLE * count:
        why = '' if estimate.reason in PASSING else f'dynamics_node: {estimate.reason}'
        said = f'{recording.name}: {share}', why, _breaks(recording.quality)
        raise RecordingError('; '.join(filter(None, said)))
    r, others = states.residuals, tuple(one for one in recording.joints if one not in joints)
    remarks = {
        'not watched, because their efforts are missing or constant, or because others have '
        f'thresholds: {", ".join(others)}': bool(others),
        'velocities are derived from positions, and late by that': reader.derives,
        share: known < HALF * count,
    }
    found = Observation(
        name=name,
        robot=model.name,
        joints=joints,
        units=units_of(model, joints),
        unwatched=others,
        locked=robot.locked,
        missing=robot.missing,
        bandwidth=bandwidth,
        samples=known,
        residuals=np.stack([np.sqrt((r * r).mean(axis=0)), r.mean(axis=0), abs(r).max(axis=0)]),
        large=_large(model, joints, np.median(np.abs(r), axis=0)),
        remarks=(*recording.quality.remarks(), *(text for text in remarks if remarks[text])),
    )
    return found, states


class _Reader:
    """Gives the states of a recording to an estimate.

    Attributes:
        count: number of states that were read.
        derives: whether velocities were derived, because they are not measured.
    """

    def __init__(
        self,
        recording: Recording,
        model: RobotModel,
        estimate: ExternalForceEstimate,
        indices: Sequence[int],
    ) -> None:
        self.count, self.derives = 0, False
        self._recording, self._estimate, self._indices = recording, estimate, indices
        cutoff = min(VELOCITY_CUTOFF, SHARE_OF_RATE / recording.interval)
        self._velocity = VelocityEstimate(model, cutoff)
        # How long derived velocities are wrong at the begin of a segment [s].
        self._settling = SETTLED / (2.0 * np.pi * cutoff)

    def states(self, advance: Advance) -> ObservedStates:
        """Those with an estimate."""
        k, estimate, indices = len(self._indices), self._estimate, self._indices
        longest, begins, ready = 2.0 * gap_limit(self._recording.interval), True, 0.0
        parts = [(np.empty(0), np.empty(0, bool), *np.empty((2, 0, k)))]
        for samples in self._recording.segments():
            missing = ~np.isfinite(samples.velocities[0])
            derives = bool(missing.any())
            self._velocity.reset()
            ready = samples.times[0] + self._settling * derives
            rows: list[tuple[float, bool, Array, Array]] = []
            columns = samples.positions, samples.velocities, samples.efforts
            for time, q, v, effort in zip(samples.times.tolist(), *columns, strict=True):
                if derives:
                    v = np.where(missing, self._velocity.update(time, q), v)
                if time < ready:
                    continue
                given = GivenState(q, v, effort)
                estimate.update(time, q, v, given, longest_interval=longest)
                if estimate.reason:
                    begins = True
                elif estimate.stamp == time:
                    # Else the state is lost, as it has no effort: the next step is longer.
                    rows.append((time, begins, estimate.torque.copy(), v[indices]))
                    begins = False
            if rows:
                parts.append(tuple(map(np.array, zip(*rows, strict=True))))
            self.count, self.derives = self.count + len(samples), self.derives or derives
            advance(len(samples))
        return ObservedStates(*map(np.concatenate, zip(*parts, strict=True)))


def effort_limits(model: RobotModel, joints: Sequence[str]) -> Array:
    """(k,) of joints [N m or N]; `UNKNOWN_LIMIT` of those without one."""
    limits = model.effort_bounds[list(model.indices_of(joints))]
    return np.where(np.isfinite(limits), limits, UNKNOWN_LIMIT)


def _varying(recording: Recording, wanted: Collection[str]) -> list[int]:
    """Indices of the joints whose effort is measured and varies, of those that are wanted."""
    efforts = recording.states().efforts
    measured = np.where(np.isfinite(efforts), efforts, np.nan)
    chosen = (np.fmax.reduce(measured) > np.fmin.reduce(measured)) & [
        not wanted or joint in wanted for joint in recording.joints
    ]
    if not chosen.any():
        which = f'none of the joints with thresholds ({", ".join(wanted)})'
        raise RecordingError(
            f'{recording.name}: {which if wanted else "no joint"} has an effort that varies in '
            f'its {counted(recording.size, "state")}: '
            f'{_breaks(recording.quality) or "does the driver publish measured efforts?"}'
        )
    return np.flatnonzero(chosen).tolist()


def _breaks(quality: Quality) -> str:
    """What interrupts the observer, with counts; empty where nothing does."""
    refused = [one.sentence(joint) for joint, one in quality.implausible.items()]
    return '; '.join(filter(None, [*refused, quality.cuts]))


def _large(model: RobotModel, joints: Sequence[str], medians: Array) -> str:
    """That residuals are large in half of the states, unlike a contact; empty if they are not."""
    above = medians > LARGE * effort_limits(model, joints)
    if not above.any():
        return ''
    names = [*compress(joints, above)]
    which = joint_torques(names, medians[above].tolist(), units_of(model, names))
    return (
        f'the external torque is large throughout: median of {which}; the model is wrong, '
        'positions are not in rad and m, efforts are those of other joints, or something touches '
        'the robot'
    )
