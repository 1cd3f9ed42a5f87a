"""The friction of the joints of a robot: its coefficients by joint name, and its torque."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from .algorithms.friction import CONSTANTS, KINDS, SLIPS, TERMS, unit_torques
from .checks import Array, check_output, checked_rows
from .errors import ParameterError, StateError, UnknownNameError
from .model.robot import RobotModel
from .scalar import sqrt

SMOOTHING = CONSTANTS['smoothing']
# Terms that store what they take, and may give it back.
STORING = ('presliding', 'presliding_long')
# Speeds below which a joint may stick, where its friction is anything up to Coulomb's.
TURNING_BAND = 0.02  # [rad/s]
SLIDING_BAND = 0.005  # [m/s]

# So that the law takes columns of a batch.
sqrt.register(np.ndarray, np.sqrt)


def dead_bands(model: RobotModel) -> Array:
    """Speeds (n,) below which the independent joints may stick [rad/s or m/s]."""
    return np.where(model.sliding, SLIDING_BAND, TURNING_BAND)


class JointFriction:
    """The torque that overcomes the friction in the joints, see `core.algorithms.friction`.

    The sign is smooth: s(v) = v / sqrt(v^2 + v_0^2) is within 0.5 % of sgn(v) from 10 v_0 on, has
    the slope 1 / v_0 at rest, and is never larger than 1, so that compensation never exceeds the
    friction it compensates. Friction itself is minus that torque; compensation at rest is zero
    and starts no motion.

    Mimic joints have friction too, of the velocity alone: the joint that they mimic feels it,
    times the multiplier.

    Attributes:
        names: of every joint of the model, mimic joints included (N,).
        values: each of `KINDS` of these joints (14, N).
        rotors: inertia that acts before the gear, of the independent joints (n,) [kg m^2 or kg].
        speed_range: largest speed at which the law is known, of the independent joints (n,)
            [rad/s or m/s]; infinite for any.
    """

    def __init__(
        self,
        model: RobotModel,
        *,
        smoothing: float | Mapping[str, float] = SMOOTHING,
        max_velocity: Mapping[str, float] | None = None,
        viscous_lower: Mapping[str, float] | None = None,
        viscous_negative_lower: Mapping[str, float] | None = None,
        **given: Mapping[str, float] | None,
    ) -> None:
        """Take the damping and friction of the URDF as viscous and Coulomb friction.

        Args:
            model: the robot; `damping` and `friction` of its joints.
            smoothing: v_0 of all joints, or by joint name: other joints have `SMOOTHING`
                [rad/s or m/s].
            max_velocity: `speed_range` by joint name; without one, that of the velocity limit.
            viscous_lower: least value that `viscous` may have, by joint name [N m s/rad or N s/m];
                without one, `viscous` itself.
            viscous_negative_lower: the same of `viscous_negative`; without one, `viscous_lower`.
            given: other values of one of `KINDS` by joint name. Without one, the coefficients of
                negative velocities are those of positive ones, and others are zero.

        Raises:
            UnknownNameError: a joint, or a kind, does not exist.
            ParameterError: a coefficient is negative or not finite, or a constant not positive.
        """
        if unknown := given.keys() - set(KINDS):
            raise UnknownNameError('kind of friction', min(unknown), KINDS)
        if not isinstance(smoothing, Mapping):
            smoothing = {joint.name: smoothing for joint in model.joints}
        named = {**given, 'smoothing': smoothing}
        usual = {
            **{kind: np.full(len(model.joints), CONSTANTS.get(kind, 0.0)) for kind in KINDS},
            'viscous': np.array([joint.damping for joint in model.joints]),
            'coulomb': np.array([joint.friction for joint in model.joints]),
        }
        for kind in KINDS:
            # Of negative velocities that of positive ones, which come before.
            usual[kind] = usual[kind.removesuffix('_negative')]
            usual[kind] = _of_joints(model, kind, usual[kind], named.get(kind) or {})
        self.values = np.stack([usual[kind] for kind in KINDS])
        self._model = model
        self.names = tuple(joint.name for joint in model.joints)
        # From the rates of the independent joints to those of all.
        self._G = np.zeros((len(model.joints), model.size))
        for row, joint in enumerate(model.joints):
            self._G[row, joint.coordinate.index] = joint.coordinate.multiplier
        self.rotors = np.array([joint.armature for joint in model.joints]) @ self._G**2
        self._own = np.array([joint.mimicked is None for joint in model.joints], float)
        self.speed_range = model.velocity_bounds.copy()
        for name, speed in (max_velocity or {}).items():
            if not speed >= 0.0:
                raise ParameterError(
                    f'max_velocity of joint {name!r} is {speed}, it must not be negative'
                )
            self.speed_range[model.index_of(name)] = speed
        lower = viscous_lower or {}
        negative = {**lower, **(viscous_negative_lower or {})}
        self._lower = {
            kind: np.minimum(self[kind], _of_joints(model, f'{kind}_lower', self[kind], given))
            for kind, given in (('viscous', lower), ('viscous_negative', negative))
        }

    def __getitem__(self, kind: str) -> Array:
        """One of `KINDS` of every joint (N,)."""
        return self.values[KINDS.index(kind)]

    @property
    def coefficients(self) -> Array:
        """All values as one vector (14 N,), in the order of `coefficient_names`."""
        return self.values.reshape(-1).copy()

    def fed_back(self, share: float) -> Array:
        """Coefficients (14 N,) of what may be compensated at a measured velocity.

        That is motion that is fed back: an arm that was pushed comes to rest only if this is less
        than its friction. So each coefficient is multiplied by the share, viscous ones at the
        lower end of their interval, and terms that store are left out: a state that is not that
        of the contact would give more than the contact has stored.

        Args:
            share: of the friction [-].
        """
        values = self.values.copy()
        for kind, lower in self._lower.items():
            values[KINDS.index(kind)] = lower
        values[: len(TERMS)] *= share
        values[[KINDS.index(kind) for kind in STORING]] = 0.0
        return values.reshape(-1)

    @property
    def is_independent(self) -> npt.NDArray[np.bool_]:
        """(N,) which joints are independent: no mimic joints."""
        return np.asarray(self._own > 0.0)

    def slips(self) -> Slips:
        """The states of pre-sliding of the independent joints, at rest."""
        own = self.is_independent
        return Slips(np.stack([self['displacement'][own], self['displacement_long'][own]]))

    @property
    def bounds(self) -> Array:
        """Rows F_s [N m or N] and F_v [N m s/rad or N s/m], (2, n): |torque| <= F_s + F_v |v|.

        Of the direction with more friction, without load; of the independent joints, which feel
        their mimic joints too.
        """
        G = np.abs(self._G)
        constant = np.maximum(self['coulomb'], self['coulomb_negative'])
        for term in ('gradual', 'stribeck', 'presliding', 'presliding_long'):
            constant = constant + self[term]
        viscous = np.maximum(self['viscous'], self['viscous_negative']) @ G**2
        return np.stack([constant @ G, viscous])

    def torque(
        self,
        v: npt.ArrayLike,
        out: Array | None = None,
        *,
        load: Array | None = None,
        slips: Array | None = None,
    ) -> Array:
        """The torque that overcomes friction, shape (n,) [N m or N]: add it to inverse_dynamics.

        Args:
            v: (n,) velocities, or (N, n) for a batch [rad/s or m/s].
            out: of the shape of the result, to write into.
            load: torques that the joints transmit, of the shape of v [N m or N]; None for zero.
            slips: (2, n) or (N, 2, n) states of pre-sliding, see `Slips`; None: those after a long
                way in the direction of v.

        Raises:
            StateError: v or the load is not n finite numbers, or N rows of them, or `out` cannot
                take the result.
        """
        velocity, own = self._finite('v', v), np.abs(self._G.T) * self._own
        loads = np.zeros(velocity.shape) if load is None else np.abs(self._finite('load', load))
        states = np.stack([np.sign(velocity)] * SLIPS, axis=-2) if slips is None else slips
        rates = velocity @ self._G.T
        units = unit_torques(
            rates,
            loads @ own,
            [states[..., k, :] @ own for k in range(SLIPS)],
            [self[constant] for constant in CONSTANTS],
        )
        given = (self[term] * unit for term, unit in units.items() if self[term].any())
        result = sum(given, np.zeros_like(rates)) @ self._G
        if out is None:
            return result
        check_output(out, result.shape)
        out[...] = result
        return out

    def _finite(self, name: str, value: npt.ArrayLike) -> Array:
        """Rows (n,) or (N, n) of finite numbers."""
        rows = checked_rows(name, value, self._model.joint_names)
        if rows.ndim > 1 and (bad := np.argwhere(~np.isfinite(rows)).tolist()):
            row, column = bad[0]
            joint = self._model.joint_names[column]
            raise StateError(f'{name}[{row}] is not finite at {joint!r}, it must be finite')
        return rows


class Slips:
    """The states z of pre-sliding along a motion that comes in parts.

    Between two reversals z = sgn + (z_0 - sgn) exp(-x / d) after the way x.

    Attributes:
        states: the last ones (k, n).
    """

    def __init__(self, displacements: Array) -> None:
        """At rest.

        Args:
            displacements: (k, n) d of each state and joint [rad or m].
        """
        self._displacements = displacements
        self.states = np.zeros_like(displacements)
        self._q: Array | None = None

    def along(self, q: Array) -> Array:
        """The states (N, k, n) at positions (N, n) that follow the last ones [rad or m].

        A linear recurrence, composed in pairs (G. Blelloch, "Prefix sums and their applications",
        1990).
        """
        before = q[:1] if self._q is None else self._q
        steps = np.diff(q, axis=0, prepend=before)[:, None]
        kept = np.exp(-np.abs(steps) / self._displacements)
        z, shift = np.sign(steps) * (1.0 - kept), 1
        while shift < len(q):
            z[shift:] = z[shift:] + kept[shift:] * z[:-shift]
            kept[shift:] = kept[shift:] * kept[:-shift]
            shift *= 2
        z += kept * self.states
        self.states, self._q = z[-1].copy(), q[-1:].copy()
        return z


def coefficient_names(model: RobotModel) -> list[str]:
    """What the entries of `JointFriction.coefficients` are (14 N,), for messages."""
    kinds = (kind.replace('_', ' ') for kind in KINDS)
    return [f'{kind} of the friction of {joint.name}' for kind in kinds for joint in model.joints]


def _of_joints(model: RobotModel, kind: str, usual: Array, given: Mapping[str, float]) -> Array:
    """A value of each joint (N,), by joint name or the usual one, checked."""
    values = {joint.name: value for joint, value in zip(model.joints, usual.tolist(), strict=True)}
    if unknown := given.keys() - values.keys():
        raise UnknownNameError('joint', min(unknown), tuple(values))
    values |= given
    for name, value in values.items():
        positive = kind in CONSTANTS
        if not (math.isfinite(value) and value >= 0.0) or (positive and value == 0.0):
            allowed = 'positive' if positive else 'not negative, as friction takes energy'
            raise ParameterError(
                f'{kind} of joint {name!r} is {value}, it must be finite and {allowed}'
            )
    return np.array([float(value) for value in values.values()])
