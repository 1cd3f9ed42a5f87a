"""Dynamics of a URDF as the sum over its links, from their Jacobians: Lagrange's formulation.

M = sum of m Jv^T Jv + Jw^T I Jw and g = - sum of m Jv^T g0, with the Jacobians at each link's
centre of mass (lecture notes "Lagrangian formulation", document 000, sections 4.3.4 and
4.3.8). It shares nothing with the package: it reads the XML itself, merges nothing, and its poses
are homogeneous matrices, with their derivatives by the complex step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np

STEP = 1e-30


class LinkJacobians:
    """A robot by its links."""

    def __init__(self, text: str, joint_names: Sequence[str]) -> None:
        robot = ElementTree.fromstring(text)
        self._names = list(joint_names)
        self._links = robot.findall('link')
        self._joints = {joint.get('name'): joint for joint in robot.findall('joint')}
        self._carriers = {j.find('child').get('link'): j for j in self._joints.values()}

    def mass_matrix(self, q: Any) -> Any:
        return sum(
            mass * linear.T @ linear + angular.T @ rotational @ angular
            for mass, rotational, linear, angular in self._bodies(q)
        )

    def gravity_torque(self, q: Any, gravity: Any) -> Any:
        return -sum(mass * linear.T @ gravity for mass, _, linear, _ in self._bodies(q))

    def _bodies(self, q: Any) -> Iterator[tuple[float, Any, Any, Any]]:
        """Mass, inertia about the centre of mass, and its Jacobians (3, n), of each link."""
        # One row for each direction, in which poses are differentiated.
        rows = np.array(q) + 1j * STEP * np.eye(len(q))

        @cache
        def pose(link: str) -> Any:
            joint = self._carriers.get(link)
            if joint is None:
                return np.eye(4)
            carried = pose(joint.find('parent').get('link')) @ _placement(joint)
            return carried if joint.get('type') == 'fixed' else carried @ self._motion(joint, rows)

        for link in self._links:
            inertial = link.find('inertial')
            if inertial is None:
                continue
            poses = np.broadcast_to(pose(link.get('name')) @ _placement(inertial), (len(q), 4, 4))
            rotation, rates = poses[0, :3, :3].real, poses.imag / STEP
            spins, inertia = rates[:, :3, :3] @ rotation.T, inertial.find('inertia')
            xx, xy, xz, yy, yz, zz = (
                float(inertia.get(key)) if inertia is not None else 0.0
                for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
            )
            local = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            angular = np.array([spins[:, 2, 1], spins[:, 0, 2], spins[:, 1, 0]])
            mass = float(inertial.find('mass').get('value'))
            yield mass, rotation @ local @ rotation.T, rates[:, :3, 3].T, angular

    def _position(self, name: str, rows: Any) -> Any:
        """Of a joint, by those that it mimics."""
        if name in self._names:
            return rows[:, self._names.index(name)]
        mimic = self._joints[name].find('mimic')
        mimicked = self._position(mimic.get('joint'), rows)
        return float(mimic.get('multiplier', 1.0)) * mimicked + float(mimic.get('offset', 0.0))

    def _motion(self, joint: Any, rows: Any) -> Any:
        """Poses of the joint's moving side, (n, 4, 4)."""
        element, position = joint.find('axis'), self._position(joint.get('name'), rows)
        axis = _numbers(element, 'xyz') if element is not None else np.array([1.0, 0.0, 0.0])
        axis = axis / np.sqrt(axis @ axis)
        poses = np.tile(np.eye(4, dtype=complex), (len(rows), 1, 1))
        if joint.get('type') == 'prismatic':
            poses[:, :3, 3] = np.multiply.outer(position, axis)
        else:
            poses[:, :3, :3] = _turn(axis, position[:, None, None])
        return poses


def _placement(element: Any) -> Any:
    """Homogeneous matrix of an element's <origin>, roll, pitch and yaw about fixed axes."""
    pose, origin = np.eye(4), element.find('origin')
    if origin is not None:
        pose[:3, 3] = _numbers(origin, 'xyz')
        roll, pitch, yaw = map(_turn, np.eye(3), _numbers(origin, 'rpy'))
        pose[:3, :3] = yaw @ pitch @ roll
    return pose


def _turn(axis: Any, angle: Any) -> Any:
    """Rotation about a unit axis."""
    x, y, z = axis
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)


def _numbers(element: Any, attribute: str) -> Any:
    return np.array([float(word) for word in element.get(attribute, '0 0 0').split()])
