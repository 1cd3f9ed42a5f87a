"""Friction in the joints: viscous, and Coulomb's with a smooth sign."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..checks import Array, check_output, checked_rows
from ..errors import ParameterError, StateError, UnknownNameError
from .robot import RobotModel

# [rad/s or m/s]: about the noise of a velocity read from an encoder.
SMOOTHING = 0.01
# [rad/s or m/s]: 0 / LEAST is 0, and any other speed is far above it.
LEAST = sys.float_info.min
# Speeds below which a joint may stick, where its friction is anything up to Coulomb's.
TURNING_BAND = 0.02  # [rad/s]
SLIDING_BAND = 0.005  # [m/s]


def smooth_sign(v: Array, smoothing: float | Array = SMOOTHING) -> Array:
    """s(v) = v / sqrt(v^2 + v_0^2), or the sign of v for v_0 = 0; see `JointFriction`.

    Args:
        v: velocities of any shape, with the joints in the last dimension [rad/s or m/s].
        smoothing: v_0 of all joints, or (n,) of each, at least 0 [rad/s or m/s].
    """
    sign: Array = v / np.maximum(np.hypot(v, smoothing), LEAST)
    return sign


class JointFriction:
    """The torque that overcomes the friction in the joints: F_v v + F_s s(v).

    The sign is smooth: s(v) = v / sqrt(v^2 + v_0^2) is within 0.5 % of sgn(v) from 10 v_0 on, has
    the slope 1 / v_0 at rest, and is never larger than 1, so that compensation never exceeds the
    friction it compensates. Friction itself is minus that torque and takes power at every speed;
    compensation at rest is zero and starts no motion.

    The two directions of a joint may have different coefficients: those of the sign of v count,
    and what is said above holds for each direction.

    Mimic joints have friction too: the joint that they mimic feels it, times the multiplier.

    Attributes:
        viscous: F_v of every joint of the model, mimic joints included, at positive velocity (N,)
            [N m s/rad or N s/m].
        coulomb: F_s of the same (N,) [N m or N].
        viscous_negative: F_v at negative velocity (N,) [N m s/rad or N s/m].
        coulomb_negative: F_s at negative velocity, not negative itself (N,) [N m or N].
        smoothing: v_0 of every joint of the model (N,) [rad/s or m/s].
    """

    def __init__(
        self,
        model: RobotModel,
        *,
        viscous: Mapping[str, float] | None = None,
        coulomb: Mapping[str, float] | None = None,
        viscous_negative: Mapping[str, float] | None = None,
        coulomb_negative: Mapping[str, float] | None = None,
        smoothing: float | Mapping[str, float] = SMOOTHING,
    ) -> None:
        """Take the coefficients of the URDF, except for those that are given.

        Args:
            model: the robot; `damping` and `friction` of its joints.
            viscous: by joint name, in place of the URDF's damping.
            coulomb: by joint name, in place of the URDF's friction.
            viscous_negative: of negative velocities, by joint name; other joints have the same
                in both directions.
            coulomb_negative: as `viscous_negative`.
            smoothing: v_0 of all joints, or by joint name: other joints have `SMOOTHING`
                [rad/s or m/s].

        Raises:
            UnknownNameError: a joint does not exist.
            ParameterError: a coefficient is negative or not finite, or v_0 not positive.
        """
        damping = [joint.damping for joint in model.joints]
        friction = [joint.friction for joint in model.joints]
        self.viscous = _of_joints(model, 'viscous friction', damping, viscous)
        self.coulomb = _of_joints(model, 'coulomb friction', friction, coulomb)
        self.viscous_negative = _of_joints(
            model, 'negative viscous friction', self.viscous.tolist(), viscous_negative
        )
        self.coulomb_negative = _of_joints(
            model, 'negative coulomb friction', self.coulomb.tolist(), coulomb_negative
        )
        usual = [SMOOTHING] * len(damping)
        if not isinstance(smoothing, Mapping):
            usual, smoothing = [smoothing] * len(damping), {}
        self.smoothing = _of_joints(model, 'smoothing of the friction', usual, smoothing, True)
        self._has_directions = not (
            np.array_equal(self.viscous, self.viscous_negative)
            and np.array_equal(self.coulomb, self.coulomb_negative)
        )
        self._names = model.joint_names
        # From the rates of the independent joints to those of all.
        self._spread = np.zeros((len(model.joints), model.size))
        for row, joint in enumerate(model.joints):
            self._spread[row, joint.coordinate.index] = joint.coordinate.multiplier

    @property
    def coefficients(self) -> Array:
        """The same as one vector (5 N,), in the order of `coefficient_names`."""
        return np.concatenate(
            [
                self.viscous, self.coulomb, self.viscous_negative, self.coulomb_negative,
                self.smoothing,
            ]
        )  # fmt: skip

    @property
    def bounds(self) -> Array:
        """Rows F_s [N m or N] and F_v [N m s/rad or N s/m], (2, n): |torque| <= F_s + F_v |v|.

        Of the direction with more friction; of the independent joints, which feel their mimic
        joints too.
        """
        spread = np.abs(self._spread)
        coulomb = np.maximum(self.coulomb, self.coulomb_negative) @ spread
        viscous = np.maximum(self.viscous, self.viscous_negative) @ spread**2
        return np.stack([coulomb, viscous])

    @property
    def exists(self) -> bool:
        """Whether any joint has friction."""
        coefficients = (
            self.viscous, self.coulomb, self.viscous_negative, self.coulomb_negative
        )  # fmt: skip
        return any(each.any() for each in coefficients)

    def torque(self, v: npt.ArrayLike, out: Array | None = None) -> Array:
        """F_v v + F_s s(v), shape (n,) [N m or N]: add it to inverse_dynamics.

        Args:
            v: (n,) velocities, or (N, n) for a batch [rad/s or m/s].
            out: of the shape of the result, to write into.

        Raises:
            StateError: v is not n finite numbers, or N rows of them, or `out` cannot take the
                result.
        """
        velocity = checked_rows('v', v, self._names)
        if velocity.ndim > 1 and (bad := np.argwhere(~np.isfinite(velocity)).tolist()):
            row, column = bad[0]
            joint = self._names[column]
            raise StateError(f'v[{row}] is not finite at {joint!r}, it must be finite')
        rates = velocity @ self._spread.T
        sign = smooth_sign(rates, self.smoothing)
        viscous, coulomb = self.viscous, self.coulomb
        if self._has_directions:
            backward = rates < 0.0
            viscous = np.where(backward, self.viscous_negative, viscous)
            coulomb = np.where(backward, self.coulomb_negative, coulomb)
        result: Array = (viscous * rates + coulomb * sign) @ self._spread
        if out is None:
            return result
        check_output(out, result.shape)
        out[...] = result
        return out


def coefficient_names(model: RobotModel) -> list[str]:
    """What the entries of `JointFriction.coefficients` are (5 N,), for messages."""
    kinds = ('viscous', 'coulomb', 'negative viscous', 'negative coulomb', 'smoothing of')
    return [f'{kind} friction of {joint.name}' for kind in kinds for joint in model.joints]


def _of_joints(
    model: RobotModel,
    what: str,
    usual: Sequence[float],
    given: Mapping[str, float] | None,
    positive: bool = False,
) -> Array:
    """A value of each joint (N,), checked.

    Args:
        model: the robot.
        what: it is, for messages.
        usual: values (N,) of joints that are not given.
        given: by joint name.
        positive: whether zero is refused.
    """
    names = tuple(joint.name for joint in model.joints)
    values = dict(zip(names, usual, strict=True))
    for name, value in {**values, **(given or {})}.items():
        if name not in names:
            raise UnknownNameError('joint', name, names)
        if not (math.isfinite(value) and value >= 0.0) or (positive and value == 0.0):
            allowed = 'positive' if positive else 'not negative, as friction takes energy'
            raise ParameterError(
                f'{what} of joint {name!r} is {value}, it must be finite and {allowed}'
            )
        values[name] = float(value)
    return np.array(list(values.values()))
