"""What a motion may use: a share of each limit of the joints, and the space around the robot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import JointFriction, RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.sampling import position_range
from robot_dynamics_ros.core.model.tree import Joint

from .clearance import Clearance, Nearness
from .motion import FourierSeries

# Where the URDF gives no velocity limit [rad/s], [m/s].
ASSUMED_ANGULAR_SPEED, ASSUMED_LINEAR_SPEED = 1.0, 0.25
# A URDF gives no acceleration limit: a joint reaches its largest speed in this time [s].
RISE_TIME = 0.25
# Of which a motion uses a share of the limit.
QUANTITIES = ('position', 'velocity', 'acceleration', 'effort')
# A distance bends more between samples than a position, in shares of what is allowed.
WIDER = 10.0
# Samples in the shortest period with which a motion is checked at last.
SAMPLES = 64
# [m]: up to which distances are computed then.
FAR = 0.5
# [rad/s or m/s]: of central differences of the friction, well below its smoothing.
STEP = 1e-5


@dataclass(frozen=True)
class MotionLimits:
    """Limits of the independent joints, each (n,), in SI units; mimic joints keep theirs too.

    Attributes:
        middle: of the range of positions.
        half: of the range of positions.
        velocity: largest speeds.
        acceleration: largest accelerations.
        effort: largest torques and forces; infinite where there is no limit.
        assumptions: what the URDF does not give, as sentences.
    """

    middle: Array
    half: Array
    velocity: Array
    acceleration: Array
    effort: Array
    assumptions: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: RobotModel, acceleration: float | None) -> MotionLimits:
        """The limits of a robot.

        Args:
            model: the robot.
            acceleration: largest of each joint; None: the velocity limit within `RISE_TIME`.

        Raises:
            ParameterError: a joint that is not continuous has no position limits, or a mimic
                joint cannot keep its limits.
        """
        joints = model.independent_joints
        # A motion of the hardware must not guess a range.
        if unknown := [
            f'{joint.name} ({joint.kind}, {joint.limits.lower:g} to {joint.limits.upper:g})'
            for joint in joints
            if joint.kind != 'continuous' and not _has_limits(joint)
        ]:
            raise ParameterError(
                f'no usable position limits in the URDF: {", ".join(unknown)}. Give lower and '
                'upper limits of the hardware, or leave these joints out with --joints'
            )
        ranges = np.array([position_range(joint) for joint in joints])
        given = np.array([joint.limits.known.velocity for joint in joints])
        usual = np.where(model.sliding, ASSUMED_LINEAR_SPEED, ASSUMED_ANGULAR_SPEED)
        speeds = np.where(np.isinf(given), usual, given)
        for joint in model.joints:
            if joint.mimicked is not None:
                _narrow(ranges, speeds, joint)
        effort, names = model.effort_bounds, np.array(model.joint_names)
        assumed = {
            'no position limits: taken as 3.14 rad to each side of zero': names[
                [joint.kind == 'continuous' for joint in joints]
            ],
            f'no velocity limit: taken as {ASSUMED_ANGULAR_SPEED:g} rad/s or '
            f'{ASSUMED_LINEAR_SPEED:g} m/s': names[np.isinf(given)],
            'no effort limit: taken as none': names[np.isinf(effort)],
            f'no acceleration limits: the velocity limit is reached in {RISE_TIME:g} s; give those'
            ' of the robot with --acceleration': ['all joints'] if acceleration is None else [],
        }
        return cls(
            ranges.mean(axis=1),
            np.ptp(ranges, axis=1) / 2.0,
            speeds,
            speeds / RISE_TIME if acceleration is None else np.full(len(joints), acceleration),
            effort,
            tuple(f'{", ".join(which)}: {what}' for what, which in assumed.items() if len(which)),
        )

    def home(self, share: float = 1.0) -> Array:
        """Zero, or the position nearest to it within a share of the ranges (n,) [rad or m]."""
        return np.clip(0.0, self.middle - share * self.half, self.middle + share * self.half)

    def drawn(self, generator: np.random.Generator, count: int) -> Array:
        """Random positions (count, n) within the ranges [rad or m]."""
        return self.middle + self.half * generator.uniform(-1.0, 1.0, (count, len(self.half)))


def _has_limits(joint: Joint) -> bool:
    """Whether its position limits are a range that can be meant."""
    return position_range(joint) == (joint.limits.lower, joint.limits.upper)


def _narrow(ranges: Array, speeds: Array, mimic: Joint) -> None:
    """Narrow ranges (n, 2) and speeds (n,) in place, so that a mimic joint keeps its limits."""
    coordinate = mimic.coordinate
    index, multiplier = coordinate.index, coordinate.multiplier
    # Without limits of its own, it is limited by the joint that it mimics.
    if multiplier == 0.0 or not _has_limits(mimic):
        return
    ends = (np.array(position_range(mimic)) - coordinate.offset) / multiplier
    ranges[index] = max(ranges[index, 0], ends.min()), min(ranges[index, 1], ends.max())
    if ranges[index, 0] >= ranges[index, 1]:
        raise ParameterError(
            f'{mimic.name} mimics {mimic.mimicked}, and their position limits have no position in '
            'common: correct the URDF'
        )
    speeds[index] = min(speeds[index], mimic.limits.known.velocity / abs(multiplier))


class Constraints:
    """What a motion may use of the limits of a robot.

    Attributes:
        limits: of the joints.
        share: of each that may be used.
        clearance: distances to keep.
    """

    def __init__(
        self, dynamics: RobotDynamics, limits: MotionLimits, share: float, clearance: Clearance
    ) -> None:
        """Take the limits, and the friction of the URDF."""
        self.limits, self.share, self.clearance = limits, share, clearance
        self._dynamics, self._friction = dynamics, JointFriction(dynamics.model).torque
        parts = limits.half, limits.velocity, limits.acceleration, limits.effort
        self._limits = np.array(parts)[:, None]

    def shares(self, q: Array, v: Array, a: Array) -> Array:
        """Shares of the limits of `QUANTITIES`, with signs (4, m, n); 0 of an infinite one.

        Efforts are inverse dynamics and friction of the URDF.
        """
        effort = self._dynamics.inverse_dynamics(q, v, a) + self._friction(v)
        return np.array([q - self.limits.middle, v, a, effort]) / self._limits

    def violation(
        self, q: Array, v: Array, a: Array, reserve: float = 0.0
    ) -> tuple[float, Array, Array]:
        """How much a motion exceeds what is allowed, relative to that.

        Args:
            q: (m, n) positions.
            v: (m, n) velocities.
            a: (m, n) accelerations.
            reserve: share of what is allowed that is to stay free.

        Returns:
            The sum of squares of all excesses, the largest of each sample (m,), and the slopes
            (3, m, n) of the sum by q, v and a.
        """
        shares = self.shares(q, v, a) / self.share
        excess = np.maximum(np.abs(shares) - (1.0 - reserve), 0.0)
        weights = 2.0 * excess * np.sign(shares) / (self.share * self._limits)
        near, nearest, slope = self.clearance.violation(q, WIDER * reserve)
        slopes = weights[:3]
        slopes[0] += slope
        if excess[3].any():
            derivatives = self._dynamics.inverse_dynamics_derivatives(q, v, a)
            slopes += np.einsum('mi,mkij->kmj', weights[3], derivatives)
            bend = self._friction(v + STEP) - self._friction(v - STEP)
            slopes[1] += weights[3] * bend / (2.0 * STEP)
        largest = np.maximum(excess.max(axis=(0, 2)), nearest)
        return float((excess**2).sum()) + near, largest, slopes

    def at_rest(self, q: Array) -> Array:
        """Largest excess (m,) of the robot at rest at positions (m, n)."""
        return self.violation(q, np.zeros_like(q), np.zeros_like(q))[1]

    def excess_at(self, q: Array) -> str:
        """What exceeds most where the robot rests at a pose (n,), in words."""
        pose, zero = q[None], np.zeros((1, len(q)))
        shares = np.abs(self.shares(pose, zero, zero)[:, 0])
        kind, joint = np.unravel_index(shares.argmax(), shares.shape)
        if shares[kind, joint] <= self.share:
            return self.clearance.nearest(q)
        return (
            f'{self._dynamics.model.joint_names[joint]} uses {shares[kind, joint]:.3g} of its '
            f'{QUANTITIES[kind]} limit (a position: of half the range), allowed is {self.share:g}'
        )

    def used(self, series: FourierSeries, far: float = FAR) -> tuple[Array, Nearness]:
        """What a motion uses at all times: the largest shares (4, n), and how near bodies come.

        Positions, velocities and accelerations: a function whose second derivative is at most D
        exceeds its samples by at most D h^2 / 8. Torques: half of the second difference of the
        samples is added, which covers a sharp bend between two samples; friction, which jumps
        where a joint turns back, is the larger one of two samples. For distances see
        `below_samples`.

        Args:
            series: the motion.
            far: distances beyond are not computed [m].
        """
        times = series.band.times(SAMPLES)
        q, v, a = series.at(times)
        shares = np.abs(self.shares(q, v, a)).max(axis=1)
        bends = np.array([series.largest(order) for order in (2, 3, 4)])
        shares[:3] += times[1] ** 2 / 8.0 * bends / self._limits[:3, 0]
        rigid, friction = self._dynamics.inverse_dynamics(q, v, a), self._friction(v)
        bend = np.abs(np.diff(rigid, 2, axis=0)).max(axis=0) / 2.0
        parts = np.array([[rigid, friction], [-rigid, -friction]])
        largest = np.maximum(parts[:, :, 1:], parts[:, :, :-1]).sum(axis=1).max(axis=(0, 1)) + bend
        shares[3] = largest / self.limits.effort
        return shares, self.clearance.along(q, far)
