"""Dynamics of a URDF as the sum over its links, from their Jacobians: Lagrange's formulation.

M = sum of m Jv^T Jv + Jw^T I Jw and g = - sum of m Jv^T g0, with the Jacobians at each link's
centre of mass (lecture notes "Lagrangian formulation", document 000, sections 4.3.4 and
4.3.8). It shares nothing with the package: it reads the XML itself, merges nothing, recurs over
nothing, and its poses are homogeneous matrices with their derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np


@dataclass
class LinkState:
    """A link with mass, at some q, in the base frame."""

    mass: float
    rotational: Any  # (3, 3), about the centre of mass
    linear: Any  # (3, n) Jacobian of the centre of mass
    angular: Any  # (3, n)


class LinkJacobians:
    """A robot by its links."""

    def __init__(self, text: str, joint_names: Sequence[str]) -> None:
        robot = ElementTree.fromstring(text)
        self._n = len(joint_names)
        self._links = {link.get('name'): link for link in robot.findall('link')}
        joints = robot.findall('joint')
        self._joints: dict[str, list[Any]] = {}
        for joint in joints:
            self._joints.setdefault(joint.find('parent').get('link'), []).append(joint)
        children = {joint.find('child').get('link') for joint in joints}
        (self._root,) = self._links.keys() - children
        self._rows = _coordinate_rows({j.get('name'): j for j in joints}, joint_names)

    def links(self, q: Any) -> list[LinkState]:
        """Every link that has an inertial."""
        found = []
        stack = [(self._root, np.eye(4), np.zeros((self._n, 4, 4)))]
        while stack:
            name, pose, rates = stack.pop()
            inertial = self._links[name].find('inertial')
            if inertial is not None:
                frame = _placement(inertial)
                found.append(_link_state(inertial, pose @ frame, rates @ frame))
            stack += [
                (joint.find('child').get('link'), *self._carried(joint, pose, rates, q))
                for joint in self._joints.get(name, [])
            ]
        return found

    def mass_matrix(self, q: Any) -> Any:
        total = np.zeros((self._n, self._n))
        for link in self.links(q):
            total += link.mass * link.linear.T @ link.linear
            total += link.angular.T @ link.rotational @ link.angular
        return total

    def gravity_torque(self, q: Any, gravity: Any) -> Any:
        return -sum(link.mass * link.linear.T @ gravity for link in self.links(q))

    def _carried(self, joint: Any, pose: Any, rates: Any, q: Any) -> tuple[Any, Any]:
        origin = _placement(joint)
        pose, rates = pose @ origin, rates @ origin
        if joint.get('type') == 'fixed':
            return pose, rates
        row, offset = self._rows[joint.get('name')]
        motion, rate = _motion(joint, row @ q + offset)
        return pose @ motion, rates @ motion + np.multiply.outer(row, pose @ rate)


def _coordinate_rows(joints: dict[str, Any], names: Sequence[str]) -> dict[str, tuple[Any, float]]:
    """A joint's position is row @ q + offset."""

    def resolve(name: str) -> tuple[Any, float]:
        mimic = joints[name].find('mimic')
        if name in names or mimic is None:
            return np.eye(len(names))[list(names).index(name)], 0.0
        row, offset = resolve(mimic.get('joint'))
        multiplier = float(mimic.get('multiplier', 1.0))
        return multiplier * row, multiplier * offset + float(mimic.get('offset', 0.0))

    return {name: resolve(name) for name, j in joints.items() if j.get('type') != 'fixed'}


def _motion(joint: Any, position: Any) -> tuple[Any, Any]:
    """Pose of the joint's moving side, and its derivative."""
    element = joint.find('axis')
    axis = _numbers(element, 'xyz') if element is not None else np.array([1.0, 0.0, 0.0])
    axis = axis / np.sqrt(axis @ axis)
    kind = np.result_type(position)
    motion, rate = np.eye(4, dtype=kind), np.zeros((4, 4), kind)
    if joint.get('type') == 'prismatic':
        motion[:3, 3], rate[:3, 3] = axis * position, axis
    else:
        k = _skew(axis)
        motion[:3, :3] += np.sin(position) * k + (1.0 - np.cos(position)) * k @ k
        rate[:3, :3] = np.cos(position) * k + np.sin(position) * k @ k
    return motion, rate


def _link_state(inertial: Any, pose: Any, rates: Any) -> LinkState:
    rotation = pose[:3, :3]
    spins = rates[:, :3, :3] @ rotation.T
    inertia = inertial.find('inertia')
    xx, xy, xz, yy, yz, zz = (
        float(inertia.get(key)) if inertia is not None else 0.0
        for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    )
    local = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return LinkState(
        mass=float(inertial.find('mass').get('value')),
        rotational=rotation @ local @ rotation.T,
        linear=rates[:, :3, 3].T,
        angular=np.array([spins[:, 2, 1], spins[:, 0, 2], spins[:, 1, 0]]),
    )


def _placement(element: Any) -> Any:
    """Homogeneous matrix of an element's <origin>, roll, pitch and yaw about fixed axes."""
    pose = np.eye(4)
    origin = element.find('origin')
    if origin is None:
        return pose
    pose[:3, 3] = _numbers(origin, 'xyz')
    for axis, angle in zip(np.eye(3), _numbers(origin, 'rpy'), strict=True):
        k = _skew(axis)
        turn = np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k
        pose[:3, :3] = turn @ pose[:3, :3]
    return pose


def _numbers(element: Any, attribute: str) -> Any:
    return np.array([float(word) for word in element.get(attribute, '0 0 0').split()])


def _skew(axis: Any) -> Any:
    x, y, z = axis
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
