"""Arms that move in a plane, and what textbooks say about them."""

from __future__ import annotations

from typing import Any

from numpy import cos, sin

LINK = 0.4


def planar_arm(joints: int, rpy: str = '0 0 0') -> str:
    """URDF of an arm in the x-y plane of a base with that attitude; its tip is the frame `tip`.

    Joints are at the ends of links of 0.4 m; the frame of the tip is at the end of the last one.
    """
    parts = ['<link name="base"/>']
    for index in range(joints):
        carrier = f'link{index}' if index else 'base'
        origin = f'xyz="{LINK} 0 0"' if index else f'xyz="0.1 0.2 0.3" rpy="{rpy}"'
        parts.append(
            f'<link name="link{index + 1}"><inertial><origin xyz="{LINK / 2} 0 0"/>'
            '<mass value="1.5"/><inertia ixx="0.002" ixy="0" ixz="0" iyy="0.02" iyz="0" '
            f'izz="0.02"/></inertial></link><joint name="joint{index + 1}" type="continuous">'
            f'<parent link="{carrier}"/><child link="link{index + 1}"/><origin {origin}/>'
            '<axis xyz="0 0 1"/></joint>'
        )
    parts.append(
        f'<link name="tip"/><joint name="end" type="fixed"><parent link="link{joints}"/>'
        f'<child link="tip"/><origin xyz="{LINK} 0 0"/></joint>'
    )
    return f'<robot name="planar">{"".join(parts)}</robot>'


def planar_2r(
    lengths: tuple[float, float],
    centers: tuple[float, float],
    masses: tuple[float, float],
    inertias: tuple[float, float],
) -> str:
    """URDF of an arm in the x-y plane: centres of mass at `centers` along each link."""
    links, joints = [], []
    for index in range(2):
        name, parent = f'link{index + 1}', f'link{index}'
        at = f'{lengths[0]} 0 0' if index else '0 0 0'
        links.append(
            f'<link name="{name}"><inertial><origin xyz="{centers[index]} 0 0"/>'
            f'<mass value="{masses[index]}"/><inertia ixx="0" ixy="0" ixz="0" '
            f'iyy="{inertias[index]}" iyz="0" izz="{inertias[index]}"/></inertial></link>'
        )
        joints.append(
            f'<joint name="joint{index + 1}" type="continuous"><parent link="{parent}"/>'
            f'<child link="{name}"/><origin xyz="{at}"/><axis xyz="0 0 1"/></joint>'
        )
    return f'<robot name="2r"><link name="link0"/>{"".join(links + joints)}</robot>'


# All of its mass is a point at the tip: stretched, both joints move it along one line.
POINT_AT_TIP = planar_2r((0.5, 0.3), (0.0, 0.3), (0.0, 2.0), (0.0, 0.0))


def torque_of_2r_with_point_masses(
    lengths: tuple[float, float], masses: tuple[float, float], g: float, q: Any, v: Any, a: Any
) -> list[float]:
    """The torques of `planar_2r` with a point mass at the end of each link, -y being down.

    Notes on Modern Robotics, chapter 8 (document 003), the 2R example.
    """
    (l1, l2), (m1, m2) = lengths, masses
    c2, s2, c12 = cos(q[1]), sin(q[1]), cos(q[0] + q[1])
    tau1 = (
        (m1 * l1**2 + m2 * (l1**2 + 2.0 * l1 * l2 * c2 + l2**2)) * a[0]
        + m2 * (l1 * l2 * c2 + l2**2) * a[1]
        - m2 * l1 * l2 * s2 * (2.0 * v[0] * v[1] + v[1] ** 2)
        + (m1 + m2) * l1 * g * cos(q[0])
        + m2 * g * l2 * c12
    )
    tau2 = (
        m2 * (l1 * l2 * c2 + l2**2) * a[0]
        + m2 * l2**2 * a[1]
        + m2 * l1 * l2 * v[0] ** 2 * s2
        + m2 * g * l2 * c12
    )
    return [tau1, tau2]
