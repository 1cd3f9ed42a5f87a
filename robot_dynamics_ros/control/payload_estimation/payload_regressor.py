"""The joint torques of a body on a link, as a linear map of its ten inertial parameters.

The same columns as those of `RobotDynamics.regressor`, moved to the frame of a link; only the
joints between base and link are looked at, for all samples at once, and nothing is compiled.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.tree import Joint


def chain_of(model: RobotModel, frame: str) -> tuple[int, ...]:
    """Indices in `model.joints` of the joints that move a link, from the base on.

    Raises:
        UnknownNameError: no link has that name.
        ParameterError: no joint moves the link.
    """
    body = model.frame(frame).body
    if body < 0:
        raise ParameterError(
            f'link {frame!r} is fixed to the base and moves with no joint; name a link that moves'
        )
    chain: list[int] = []
    while body >= 0:
        chain.insert(0, body)
        body = model.joints[body].parent
    return tuple(chain)


class PayloadRegressor:
    """Computes Y with tau = Y pi, pi the parameters of a body in the frame of a link.

    Atkeson, An, Hollerbach, "Estimation of inertial parameters of manipulator loads and links"
    (1986): the wrench that the body needs is linear in m, m c and the inertia about the origin of
    the frame; the Jacobian of the frame takes it to the joints.

    Attributes:
        rows: (r,) the independent joints whose torque the body changes, ascending.
    """

    def __init__(self, model: RobotModel, frame: str) -> None:
        """For a body on one link.

        Args:
            model: of the robot.
            frame: name of the link.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: no joint moves the link.
        """
        self._joints = [model.joints[index] for index in chain_of(model, frame)]
        placement = model.frame(frame).placement
        self._rotation = np.array(placement.rotation, dtype=np.float64)
        self._translation = np.array(placement.translation, dtype=np.float64)
        self.rows = np.unique([joint.coordinate.index for joint in self._joints])

    def __call__(self, q: Array, v: Array, a: Array, gravity: Array) -> Array:
        """Y (N, r, 10) of the joints in `rows`; pi in the order of `PARAMETERS`.

        Args:
            q: (N, n) positions of the independent joints [rad or m].
            v: (N, n) velocities [rad/s or m/s].
            a: (N, n) accelerations [rad/s^2 or m/s^2].
            gravity: (3,) acceleration of free fall in the root link [m/s^2].
        """
        motion = _ChainMotion(len(q), gravity)
        for joint in self._joints:
            motion.pass_joint(joint, q, v, a)
        motion.shift(self._translation)
        rotation = motion.rotation @ self._rotation
        omega, alpha, linear = (
            _turned_back(rotation, vector)
            for vector in (motion.omega, motion.alpha, motion.acceleration)
        )
        force, moment = _unit_wrenches(omega, alpha, linear)
        result = np.zeros((len(q), len(self.rows), 10))
        for joint, axis, origin in zip(self._joints, motion.axes, motion.origins, strict=True):
            row = int(np.searchsorted(self.rows, joint.coordinate.index))
            if joint.kind == 'prismatic':
                torque = np.einsum('ni,nik->nk', _turned_back(rotation, axis), force)
            else:
                arm = _cross(axis, motion.position - origin)
                torque = np.einsum('ni,nik->nk', _turned_back(rotation, arm), force)
                torque += np.einsum('ni,nik->nk', _turned_back(rotation, axis), moment)
            result[:, row] += joint.coordinate.multiplier * torque
        return result


class _ChainMotion:
    """Pose, velocity and acceleration of one body after the other, in the axes of the base.

    Attributes:
        rotation: (N, 3, 3) of the present body.
        position: (N, 3) of its origin [m].
        omega: (N, 3) its angular velocity [rad/s].
        alpha: (N, 3) its angular acceleration [rad/s^2].
        acceleration: (N, 3) of its origin, minus gravity [m/s^2].
        axes: (N, 3) of the joints passed.
        origins: (N, 3) points on these axes [m].
    """

    def __init__(self, count: int, gravity: Array) -> None:
        self.rotation = np.broadcast_to(np.eye(3), (count, 3, 3))
        self.position, self.omega, self.alpha = np.zeros((3, count, 3))
        self.acceleration = np.broadcast_to(-np.asarray(gravity), (count, 3)).copy()
        self.axes: list[Array] = []
        self.origins: list[Array] = []

    def pass_joint(self, joint: Joint, q: Array, v: Array, a: Array) -> None:
        """Go on to the body of the next joint."""
        coordinate = joint.coordinate
        position = coordinate.multiplier * q[:, coordinate.index] + coordinate.offset
        rate = coordinate.multiplier * v[:, coordinate.index, None]
        change = coordinate.multiplier * a[:, coordinate.index, None]
        self.shift(np.array(joint.placement.translation, dtype=np.float64))
        self.rotation = self.rotation @ np.array(joint.placement.rotation, dtype=np.float64)
        local = np.array(joint.axis, dtype=np.float64)
        axis = self.rotation @ local
        self.axes.append(axis)
        self.origins.append(self.position)
        if joint.kind == 'prismatic':
            self.shift(position[:, None] * local)
            self.acceleration = (
                self.acceleration + axis * change + 2.0 * _cross(self.omega, axis) * rate
            )
            return
        self.rotation = self.rotation @ _rotations(local, position)
        self.alpha = self.alpha + axis * change + _cross(self.omega, axis) * rate
        self.omega = self.omega + axis * rate

    def shift(self, local: Array) -> None:
        """Go on to another point of the same body, (3,) or (N, 3) in its axes [m]."""
        arm = (self.rotation @ local[..., None])[..., 0]
        self.position = self.position + arm
        turned = _cross(self.omega, _cross(self.omega, arm))
        self.acceleration = self.acceleration + _cross(self.alpha, arm) + turned


def _rotations(axis: Array, angles: Array) -> Array:
    """Rotations (N, 3, 3) about one axis (3,), by Rodrigues' formula."""
    skew = _skew(axis)
    sine, cosine = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    return np.asarray(np.eye(3) + sine * skew + (1.0 - cosine) * (skew @ skew))


def _cross(a: Array, b: Array) -> Array:
    """a x b of vectors (N, 3); of few vectors, NumPy's own takes five times as long."""
    x, y, z = a.T
    u, v, w = b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def _skew(vectors: Array) -> Array:
    """Matrices (..., 3, 3) of the cross products with vectors (..., 3)."""
    result = np.zeros((*vectors.shape, 3))
    x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -z, y, -x
    result[..., 1, 0], result[..., 2, 0], result[..., 2, 1] = z, -y, x
    return result


def _turned_back(rotation: Array, vectors: Array) -> Array:
    """Vectors (N, 3) of the base in the axes of the rotations (N, 3, 3)."""
    return np.asarray(np.einsum('nji,nj->ni', rotation, vectors))


def _unit_wrenches(omega: Array, alpha: Array, linear: Array) -> tuple[Array, Array]:
    """Force and moment (N, 3, 10) about the origin that a unit of each parameter needs.

    f = m a + (alpha x + omega x omega x) m c and n = m c x a + I alpha + omega x I omega.
    """
    count = len(omega)
    force, moment = np.zeros((2, count, 3, 10))
    spin = _skew(omega)
    force[:, :, 0] = linear
    force[:, :, 1:4] = _skew(alpha) + spin @ spin
    moment[:, :, 1:4] = -_skew(linear)
    moment[:, :, 4:] = _inertia_columns(alpha) + spin @ _inertia_columns(omega)
    return force, moment


def _inertia_columns(vectors: Array) -> Array:
    """K (N, 3, 6) with I x = K (Ixx, Ixy, Iyy, Ixz, Iyz, Izz)."""
    result = np.zeros((len(vectors), 3, 6))
    x, y, z = vectors.T
    result[:, 0, 0], result[:, 0, 1], result[:, 0, 3] = x, y, z
    result[:, 1, 1], result[:, 1, 2], result[:, 1, 4] = x, y, z
    result[:, 2, 3], result[:, 2, 4], result[:, 2, 5] = x, y, z
    return result
