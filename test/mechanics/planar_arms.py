"""Arms of equal links whose joints all turn about one direction."""

from __future__ import annotations

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
