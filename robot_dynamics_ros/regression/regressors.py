"""The list of regressors: what a coefficient of one adds to the torque of a joint.

Bodies: C. Atkeson, C. An, J. Hollerbach, "Estimation of inertial parameters of manipulator loads
and links", 1986. Friction: `core.algorithms.friction` names the sources of each term. Constants
that the torque is not linear in, v_0 of Coulomb friction and the displacement of pre-sliding, are
those of a few basis functions: a sum of neighbours has any constant between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.algorithms.friction import AT_REST, CONSTANTS, smooth_sign
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS, body_of, parameters_of

# Basis functions: v_0 [rad/s or m/s] beside that of the friction model, and displacements [rad; m:
# a tenth]. A sum is within 1 % of friction with constants between, if signs are free.
SMOOTHINGS = (0.02, 0.05, 0.1, 0.2, 0.4)
DISPLACEMENTS = (0.005, 0.01, 0.02, 0.035, 0.06, 0.1, 0.2)
SLIDING = 0.1


@dataclass(frozen=True, eq=False)
class States:
    """N consecutive states of a robot, from which columns are made."""

    dynamics: RobotDynamics  #: under the gravity of the recording
    q: Array  #: (N, n) positions [rad or m]
    v: Array  #: (N, n) velocities [rad/s or m/s]
    a: Array  #: (N, n) accelerations [rad/s^2 or m/s^2]
    slips: Array  #: (N, k, n) states z of pre-sliding, of `DISPLACEMENTS`
    slopes: Array  #: (N, n) derivatives of the efforts by time [N m/s or N/s]

    @cached_property
    def bodies(self) -> Array:
        """Y (N, n, 10 bodies)."""
        return self.dynamics.regressor(self.q, self.v, self.a)


@dataclass(frozen=True)
class Regressor:
    """A term of the torque, linear in its coefficients.

    The column of a loaded term is to be multiplied by the torque that the joint transmits, which
    depends on other coefficients: `Rows.columns` does it.
    """

    name: str
    column: Callable[[States], Array]  #: (N, n), or (N, n, k) with k shared coefficients
    sign: int = 0  #: 1 where a coefficient cannot be negative
    shared: bool = False  #: whether all joints share the coefficients
    loaded: bool = False


def _sign(v: Array, v_0: float | Array) -> Array:
    return np.asarray(smooth_sign(v, v_0)[0])


def coulomb(v_0: float | Array, sign: int = 0, name: str = '') -> Regressor:
    """Coulomb friction that is full from about 10 v_0 on; v_0 of all joints, or (n,) [rad/s]."""
    return Regressor(name or f'coulomb {v_0:g}', lambda s: _sign(s.v, v_0), sign)


def load(v_0: float | Array, sign: int = 0, name: str = '') -> Regressor:
    """Friction that grows with the transmitted torque, full from about 10 v_0 on."""
    return replace(coulomb(v_0, sign, name or f'load {v_0:g}'), loaded=True)


def presliding(way: float, sign: int = 0) -> Regressor:
    """Dahl's friction with one of `DISPLACEMENTS`; at rest zero, as in the friction model."""
    index = DISPLACEMENTS.index(way)
    name = f'presliding {way:g}'
    return Regressor(name, lambda s: s.slips[:, index] * np.abs(_sign(s.v, AT_REST)), sign)


def _gravities(states: States) -> Array:
    """The gravity torques (N, n, 3) of 1 m/s^2 along each axis of the base."""
    axes = [states.dynamics.with_gravity(axis).gravity_torque(states.q) for axis in np.eye(3)]
    return np.stack(axes, axis=2)


OFFSET = Regressor('offset', lambda s: np.ones_like(s.v))
ARMATURE = Regressor('armature', lambda s: s.a, sign=1)
VISCOUS = Regressor('viscous', lambda s: s.v, sign=1)
STRIBECK = Regressor(
    'stribeck',
    lambda s: _sign(s.v, AT_REST) / (1.0 + (s.v / CONSTANTS['stribeck_velocity']) ** 2),
    sign=1,
)
COULOMB = coulomb(CONSTANTS['smoothing'], 1, 'coulomb')
# Of drives whose gain is unknown: efforts are 1 + c times the torque, which depends on other
# coefficients too; `Rows.columns` puts it in the place of the column.
GAIN = Regressor('gain', lambda s: np.ones_like(s.v))
# Of efforts that come later than states by a second: a Taylor series of the first order.
DELAY = Regressor('delay', lambda s: s.slopes[..., None], shared=True)
BODIES = Regressor('bodies', lambda s: s.bodies, shared=True)
GRAVITY = Regressor('gravity', _gravities, shared=True)


def friction_basis(v_0: float | Array = CONSTANTS['smoothing']) -> list[Regressor]:
    """Friction with this v_0 of Coulomb friction [rad/s or m/s], and the basis beside it."""
    return [
        VISCOUS,
        coulomb(v_0, 1, 'coulomb'),
        *map(coulomb, SMOOTHINGS),
        STRIBECK,
        load(v_0, 1, 'load'),
        load(0.1),
        *map(presliding, DISPLACEMENTS),
    ]


def payload_on(model: RobotModel, frame: str, name: str = 'payload') -> Regressor:
    """The body on a link: ten parameters in the axes of the link, about its origin.

    Raises:
        UnknownNameError: no link has that name.
    """
    place, units = model.frame(frame), np.eye(len(PARAMETERS)).tolist()
    own = slice(10 * place.body, 10 * place.body + 10)
    moved = np.array([parameters_of(place.placement @ body_of(unit)) for unit in units]).T
    return Regressor(name, lambda s: s.bodies[..., own] @ moved, shared=True)
