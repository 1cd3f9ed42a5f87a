"""Poses of frames on numbers: quaternions, and the error between two poses."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .checks import Array, checked_numbers, checked_rotation
from .errors import StateError


def quaternion(rotation: npt.ArrayLike) -> Array:
    """The unit quaternion (x, y, z, w) of a rotation, w >= 0, shape (4,); of rows, (N, 4).

    The order is that of ROS (geometry_msgs/Quaternion). It is the column with the largest entry
    of the matrix 4 q q^T, which loses no digits at any angle (Shepperd, "Quaternion from rotation
    matrix", 1978).

    Args:
        rotation: (3, 3), or (N, 3, 3).

    Raises:
        StateError: it is no rotation, or of another shape.
    """
    R = checked_rotation('rotation', rotation)
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.moveaxis(R, (-2, -1), (0, 1))
    products = np.array(
        [
            [1.0 + xx - yy - zz, xy + yx, xz + zx, zy - yz],
            [xy + yx, 1.0 - xx + yy - zz, yz + zy, xz - zx],
            [xz + zx, yz + zy, 1.0 - xx - yy + zz, yx - xy],
            [zy - yz, xz - zx, yx - xy, 1.0 + xx + yy + zz],
        ]
    )
    largest = np.einsum('ii...->i...', products).argmax(axis=0)
    column: Array = np.take_along_axis(products, largest[None, None], axis=0)[0]
    column = np.where(column[3] < 0.0, -column, column) / np.linalg.norm(column, axis=0)
    return np.moveaxis(column, 0, -1)


def pose_error(
    pose: tuple[npt.ArrayLike, npt.ArrayLike], target: tuple[npt.ArrayLike, npt.ArrayLike]
) -> Array:
    """log6(pose^-1 target), [linear; angular] [m, rad], shape (6,); of rows, (N, 6).

    The constant twist, in the axes of `pose` (LOCAL), that moves it to the target in one second:
    with the LOCAL Jacobian, J dq = pose_error is a step of inverse kinematics. Equivalent to
    Pinocchio's log6 (Lynch, Park, "Modern Robotics", 2017, section 3.3.3). At an error of half a
    turn, both senses are as near.

    Args:
        pose: rotation (3, 3) and origin (3,) [m] of a frame in the base, as of `frame_pose`; of
            rows, (N, 3, 3) and (N, 3).
        target: where the frame should be; one pose, or as many rows.

    Raises:
        StateError: a rotation is none, an origin is not finite, or a shape is another one.
    """
    (R, p), (R_target, p_target) = _pose('pose', pose), _pose('target', target)
    if R.ndim == R_target.ndim == 3 and len(R) != len(R_target):
        raise StateError(f'pose has {len(R)} rows, target {len(R_target)}: as many are needed')
    R_T = np.swapaxes(R, -2, -1)
    shift = (R_T @ (p_target - p)[..., None])[..., 0]
    q = quaternion(R_T @ R_target)
    # The half angle has the sine |(x, y, z)| and the cosine w.
    sine, cosine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True), q[..., 3:]
    half = np.arctan2(sine, cosine)
    turned = sine > 0.0
    angular = q[..., :3] * np.divide(2.0 * half, sine, where=turned, out=np.full_like(sine, 2.0))
    # V^-1 p = p - omega x p / 2 + c omega x (omega x p), c = (1 - h cot h) / (2 h)^2, h half.
    series = half < 1e-3
    h = np.where(series, 1.0, half)
    c = (1.0 - h * cosine / np.where(series, 1.0, sine)) / (4.0 * h * h)
    c = np.where(series, 1.0 / 12.0 + half * half / 180.0, c)
    once = np.cross(angular, shift)
    linear = shift - 0.5 * once + c * np.cross(angular, once)
    return np.concatenate([linear, angular], axis=-1)


def _pose(name: str, pose: Any) -> tuple[Array, Array]:
    try:
        rotation, origin = pose
    except (TypeError, ValueError):
        raise StateError(
            f'{name} is a {type(pose).__name__}: rotation (3, 3) and origin (3,) are needed'
        ) from None
    R = checked_rotation(f'rotation of {name}', rotation)
    p = checked_numbers(f'origin of {name}', origin)
    if p.shape != R.shape[:-1]:
        raise StateError(f'origin of {name} has shape {p.shape}, {R.shape[:-1]} is needed')
    return R, p
