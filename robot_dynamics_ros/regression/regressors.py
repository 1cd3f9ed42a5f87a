"""The list of regressors: what a coefficient of one adds to the torque of a joint.

Bodies: C. Atkeson, C. An, J. Hollerbach, "Estimation of inertial parameters of manipulator loads
and links", 1986. Friction: `core.algorithms.friction` names the sources of each term. Constants
that the torque is not linear in, v_0 of Coulomb friction and the displacement of pre-sliding, are
those of a few basis functions: a sum of neighbours has any constant between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robot_dynamics_ros.core import JointFriction, RobotDynamics, RobotModel
from robot_dynamics_ros.core.algorithms.friction import AT_REST, CONSTANTS, smooth_sign
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS, body_of, parameters_of
from robot_dynamics_ros.core.spatial import Transform

# Basis functions: v_0 [rad/s or m/s] beside that of the friction model, and displacements [rad; m:
# a tenth]. A sum is within 1 % of friction with constants between, if signs are free.
SMOOTHINGS = (0.02, 0.05, 0.1, 0.2, 0.4)
DISPLACEMENTS = (0.005, 0.01, 0.02, 0.035, 0.06, 0.1, 0.2)
SLIDING = 0.1


@dataclass(frozen=True, eq=False)
class States:
    """N consecutive states of a robot, from which columns are made.

    Attributes:
        dynamics: of the robot, under the gravity of the recording.
        q: (N, n) positions [rad or m].
        v: (N, n) velocities [rad/s or m/s].
        a: (N, n) accelerations [rad/s^2 or m/s^2].
        slips: (N, k, n) states z of pre-sliding, first those of `DISPLACEMENTS`.
        smoothing: (n,) or () v_0 of the friction model [rad/s or m/s].
        slopes: (N, n) derivatives of the efforts by time [N m/s or N/s].
    """

    dynamics: RobotDynamics
    q: Array
    v: Array
    a: Array
    slips: Array
    smoothing: Array
    slopes: Array

    @cached_property
    def bodies(self) -> Array:
        """Y (N, n, 10 bodies)."""
        return self.dynamics.regressor(self.q, self.v, self.a)


@dataclass(frozen=True)
class Regressor:
    """A term of the torque, linear in its coefficients.

    Attributes:
        name: of the term.
        units: of a coefficient of joints that turn, and of those that slide.
        column: of states: (N, n), where each joint has a coefficient of its own, or (N, n, k) with
            k coefficients that all joints share.
        sign: 1 where a coefficient cannot be negative, 0 where it can.
        shared: whether all joints share the coefficients.
        loaded: whether the column is to be multiplied by the torque that the joint transmits,
            which depends on other coefficients: `fit` does it.
    """

    name: str
    units: tuple[str, str]
    column: Callable[[States], Array]
    sign: int = 0
    shared: bool = False
    loaded: bool = False


def _sign(v_0: float | Array) -> Callable[[Array], Array]:
    return lambda v: np.asarray(smooth_sign(v, v_0)[0])


def coulomb(v_0: float, sign: int = 0) -> Regressor:
    """Coulomb friction that is full from about 10 v_0 on [rad/s or m/s]."""
    return Regressor(f'coulomb {v_0:g}', TORQUE, lambda s: _sign(v_0)(s.v), sign)


def load(v_0: float, sign: int = 0) -> Regressor:
    """Friction that grows with the transmitted torque, full from about 10 v_0 on."""
    return Regressor(f'load {v_0:g}', ('1', '1'), lambda s: _sign(v_0)(s.v), sign, loaded=True)


def _of_direction(column: Callable[[States], Array], side: float) -> Callable[[States], Array]:
    return lambda s: column(s) * (side * s.v > 0.0)


def _presliding(index: int) -> Regressor:
    # Dahl's friction acts where the joint moves: at rest it is zero, as in the friction model.
    return Regressor(
        f'presliding {DISPLACEMENTS[index]:g}', TORQUE,
        lambda s: s.slips[:, index] * smooth_sign(s.v, AT_REST)[1],
    )  # fmt: skip


TORQUE = ('N m', 'N')
BODY = ('kg, kg m, kg m^2',) * 2
OFFSET = Regressor('offset', TORQUE, lambda s: np.ones_like(s.v))
ARMATURE = Regressor('armature', ('kg m^2', 'kg'), lambda s: s.a, sign=1)
VISCOUS = Regressor('viscous', ('N m s/rad', 'N s/m'), lambda s: s.v, sign=1)
COULOMB = Regressor('coulomb', TORQUE, lambda s: _sign(s.smoothing)(s.v), sign=1)
STRIBECK = Regressor(
    'stribeck', TORQUE,
    lambda s: _sign(AT_REST)(s.v) / (1.0 + (s.v / CONSTANTS['stribeck_velocity']) ** 2), sign=1,
)  # fmt: skip
LOAD = Regressor('load', ('1', '1'), COULOMB.column, sign=1, loaded=True)
GRADUAL_LOAD = load(0.1)
GRADUAL = tuple(map(coulomb, SMOOTHINGS))
PRESLIDING = tuple(map(_presliding, range(len(DISPLACEMENTS))))
# Of each direction; the magnitude of the other one is zero.
DIRECTIONS = tuple(
    Regressor(f'{term}{ending}', units, _of_direction(column, side), sign=1)
    for side, ending in ((1.0, ''), (-1.0, '_negative'))
    for term, units, column in (
        ('viscous', VISCOUS.units, VISCOUS.column),
        ('coulomb', TORQUE, COULOMB.column),
    )
)
# Of drives whose gain is unknown: efforts are 1 + c times the torque, which depends on other
# coefficients too; `fit` puts it in the place of the column.
GAIN = Regressor('gain', ('1', '1'), lambda s: np.ones_like(s.v))
# Of efforts that come later than states by a second: a Taylor series of the first order.
DELAY = Regressor('delay', ('s', 's'), lambda s: s.slopes[..., None], shared=True)
FRICTION = (VISCOUS, COULOMB, *GRADUAL, STRIBECK, LOAD, GRADUAL_LOAD, *PRESLIDING)
BODIES = Regressor('bodies', BODY, lambda s: s.bodies, shared=True)


def _gravities(states: States) -> Array:
    """The gravity torques (N, n, 3) of 1 m/s^2 along each axis of the base."""
    axes = [states.dynamics.with_gravity(axis).gravity_torque(states.q) for axis in np.eye(3)]
    return np.stack(axes, axis=2)


GRAVITY = Regressor('gravity', ('m/s^2',) * 2, _gravities, shared=True)


def payload_on(model: RobotModel, frame: str) -> Regressor:
    """The body on a link: ten parameters in the axes of the link, about its origin.

    Args:
        model: the robot.
        frame: name of the link.

    Raises:
        UnknownNameError: no link has that name.
    """
    place = model.frame(frame)
    own, moved = slice(10 * place.body, 10 * place.body + 10), to_body(place.placement)
    return Regressor('payload', BODY, lambda s: s.bodies[..., own] @ moved, shared=True)


def to_body(placement: Transform) -> Array:
    """The matrix (10, 10) from parameters in a placed frame to those in the body's frame."""
    units = np.eye(len(PARAMETERS)).tolist()
    return np.array([parameters_of(placement @ body_of(unit)) for unit in units]).T


def displacements(model: RobotModel) -> Array:
    """`DISPLACEMENTS` (k, n) of the independent joints [rad or m]."""
    return np.outer(DISPLACEMENTS, np.where(model.sliding, SLIDING, 1.0))


def independent(friction: JointFriction, kinds: Sequence[str]) -> Array:
    """Some of `KINDS` of a friction model (k, n), of the independent joints."""
    return np.stack([friction[kind][friction.is_independent] for kind in kinds])


def slip_states(q: Array, before: Array, begin: Array, ways: Array) -> Array:
    """The states z (N, k, n) of Dahl's friction along positions, exact between two samples.

    After the way x in one direction z is sgn + (z_0 - sgn) exp(-x / d): a linear recurrence, which
    is composed in pairs (G. Blelloch, "Prefix sums and their applications", 1990).

    Args:
        q: (N, n) positions [rad or m].
        before: (n,) the position before them.
        begin: (k, n) z there.
        ways: (k, n) d [rad or m].
    """
    steps = np.diff(q, axis=0, prepend=before[None])[:, None]
    kept = np.exp(-np.abs(steps) / ways)
    added, shift = np.sign(steps) * (1.0 - kept), 1
    while shift < len(q):
        added[shift:] = added[shift:] + kept[shift:] * added[:-shift]
        kept[shift:] = kept[shift:] * kept[:-shift]
        shift *= 2
    return added + kept * begin
