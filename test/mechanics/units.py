"""The same robot, described in other units of length and mass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from robot_dynamics_ros.core import Joint, RobotModel
from robot_dynamics_ros.core.spatial import Inertia, Transform


def in_units(model: RobotModel, length: float, mass: float) -> RobotModel:
    """With every length and every mass multiplied by these: 1e3, 1e3 for mm and g."""
    joints = tuple(_joint(joint, length, mass) for joint in model.joints)
    frames = tuple(
        replace(frame, placement=_placement(frame.placement, length)) for frame in model.frames
    )
    return replace(model, joints=joints, frames=frames)


def coordinates_in_units(model: RobotModel, values: Any, length: float) -> Any:
    """Positions or velocities (n,) of the independent joints, in other units of length."""
    slides = np.array([joint.kind == 'prismatic' for joint in model.independent_joints])
    return np.where(slides, length * np.asarray(values), values)


def _joint(joint: Joint, length: float, mass: float) -> Joint:
    body = joint.inertia
    first = tuple(mass * length * x for x in body.first_moment)
    second = tuple(tuple(mass * length**2 * x for x in row) for row in body.second_moment)
    return replace(
        joint,
        placement=_placement(joint.placement, length),
        inertia=Inertia(mass * body.mass, first, second),
        armature=joint.armature * mass * (1.0 if joint.kind == 'prismatic' else length**2),
    )


def _placement(placement: Transform, length: float) -> Transform:
    x, y, z = placement.translation
    return Transform(placement.rotation, (length * x, length * y, length * z))
