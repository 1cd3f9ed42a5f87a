"""A small arm with collision geometry for motions of excitation, and the shapes by themselves."""

from dataclasses import replace
from functools import cache

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.identification.excitation.motion import ExcitationSettings

LENGTH, RADIUS = 0.4, 0.05
# Each joint, its axis, height [m] and effort limit [N m], its link, mass [kg] and length [m].
ARM = (
    ('turn', '0 0 1', 0.0, 60, 'column', 4.0, 0.25),
    ('shoulder', '0 1 0', 0.3, 90, 'upper', 3.0, LENGTH),
    ('elbow', '0 1 0', LENGTH, 50, 'fore', 2.0, LENGTH),
    ('wrist', '1 0 0', LENGTH, 20, 'hand', 1.0, 0.3),
)
JOINTS = tuple(joint for joint, *_ in ARM)
SETTINGS = ExcitationSettings(duration=5.0, distance=0.04, iterations=5)


def urdf(collision=True, joints=None):
    """The first joints, or all: the last link can reach the first one, and the floor."""
    text, parent = '<link name="base"/>', 'base'
    for joint, axis, z, effort, link, mass, length in ARM[:joints]:
        shape = (
            f'<collision><origin xyz="0 0 {length / 2}"/><geometry>'
            f'<capsule radius="{RADIUS}" length="{length}"/></geometry></collision>'
        )
        text += (
            f'<link name="{link}"><inertial><origin xyz="0.01 0.02 {LENGTH / 2}"/>'
            f'<mass value="{mass}"/><inertia ixx="0.03" iyy="0.04" izz="0.02" ixy="0.001" '
            f'ixz="0.002" iyz="-0.001"/></inertial>{shape if collision else ""}</link>'
            f'<joint name="{joint}" type="revolute"><parent link="{parent}"/>'
            f'<child link="{link}"/><origin xyz="0 0 {z}"/><axis xyz="{axis}"/>'
            '<dynamics damping="0.4" friction="0.3"/>'
            f'<limit lower="-2.8" upper="2.5" effort="{effort}" velocity="2.5"/></joint>'
        )
        parent = link
    return f'<robot name="excited">{text}</robot>'


@cache
def dynamics():
    """Of the arm, compiled once."""
    return RobotDynamics(parse_urdf(urdf()))


@cache
def excited(**changes):
    """A motion of the arm, found once."""
    # SciPy may be missing.
    from robot_dynamics_ros.identification.excitation.excitation import excite

    settings = replace(SETTINGS, **changes)
    return excite(dynamics(), urdf(), None, replace(settings, start=dict(settings.start)))


def random_poses(count, seed=0):
    return np.random.default_rng(seed).uniform(-2.5, 2.5, (count, len(JOINTS)))
