"""A robot as a URDF that has its moving bodies alone: no fixed joints, no meshes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.identification.result_files import inertial

BASE = 'base'


def urdf_of(model: RobotModel) -> str:
    """The URDF of a robot without mimic joints; each body has the frame of its joint."""
    lines = ['<?xml version="1.0"?>', f'<robot name="{model.name}">', f'<link name="{BASE}"/>']
    for joint in model.joints:
        lines += _of_joint(model, joint)
    return '\n'.join([*lines, '</robot>', ''])


def body_of(joint: Joint) -> str:
    """Name of the link that a joint carries."""
    return f'body_{joint.name}'


def _of_joint(model: RobotModel, joint: Joint) -> Iterator[str]:
    link = body_of(joint)
    parent = BASE if joint.parent < 0 else body_of(model.joints[joint.parent])
    kind = 'revolute' if joint.kind == 'continuous' else joint.kind
    place, roll_pitch_yaw = joint.placement.translation, _rpy(joint.placement.rotation)
    yield f'<link name="{link}">'
    yield inertial(link, joint.inertia)
    yield '</link>'
    yield f'<joint name="{joint.name}" type="{kind}">'
    yield f'  <parent link="{parent}"/><child link="{link}"/>'
    yield f'  <origin xyz="{_numbers(place)}" rpy="{_numbers(roll_pitch_yaw)}"/>'
    yield f'  <axis xyz="{_numbers(joint.axis)}"/>'
    # The tools need limits, and identify without them.
    yield '  <limit lower="-6.3" upper="6.3" effort="1000" velocity="10"/>'
    yield f'  <dynamics damping="{joint.damping!r}" friction="{joint.friction!r}"/>'
    yield '</joint>'


def _rpy(rotation: Iterable[Iterable[float]]) -> tuple[float, float, float]:
    """Angles with rotation = Rz(yaw) Ry(pitch) Rx(roll) [rad]."""
    R = np.array(rotation, dtype=float)
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.cos(pitch) < 1e-9:
        return float(np.arctan2(-R[1, 2], R[1, 1])), float(pitch), 0.0
    return (
        float(np.arctan2(R[2, 1], R[2, 2])),
        float(pitch),
        float(np.arctan2(R[1, 0], R[0, 0])),
    )


def _numbers(values: Iterable[float]) -> str:
    return ' '.join(repr(float(value)) for value in values)
