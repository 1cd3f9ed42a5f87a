"""The twist of a frame from the derivative of its pose, with no Jacobian."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics_ros.core import Frame, RobotModel
from robot_dynamics_ros.core.dual import along, slope_of


def body_twist(model: RobotModel, frame: Frame, q: Any, v: Any) -> tuple[Any, Any]:
    """(omega, velocity of the origin) in the axes of the frame: R^T R_dot and R^T p_dot."""
    at, pose, body = along(q, v), frame.placement, frame.body
    while body >= 0:
        joint = model.joints[body]
        pose, body = joint.pose(at) @ pose, joint.parent
    R, R_dot = _parts(pose.rotation)
    _, p_dot = _parts(pose.translation)
    spin = R.T @ R_dot
    return np.array([spin[2, 1], spin[0, 2], spin[1, 0]]), R.T @ p_dot


def _parts(entries: Any) -> tuple[Any, Any]:
    flat = np.array(entries, dtype=object)
    values = np.vectorize(lambda x: getattr(x, 'value', x), otypes=[float])(flat)
    return values, np.vectorize(slope_of, otypes=[float])(flat)
