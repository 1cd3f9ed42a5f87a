"""Recordings of the simulated arm of examples/identified_arm, with a motion by hand, as CSV."""

from functools import cache
from pathlib import Path

import numpy as np
from identified_arm.play_and_record import played, write

from robot_dynamics_ros.control.trajectory import Point

EXAMPLES = Path(__file__).resolve().parents[1] / 'examples'
DESCRIBED = EXAMPLES / 'three_link_arm/three_link_arm.urdf'
ARM = EXAMPLES / 'identified_arm/arm.urdf'
JOINTS = ('joint1', 'joint2', 'joint3')
DURATION = 9.0


@cache
def rows(still=(), urdf=None):
    """Times, positions, velocities and efforts (N, 10) of the arm.

    Args:
        still: joints that are held.
        urdf: text of another arm.
    """
    random = np.random.default_rng(3)
    rates = 2.0 * np.pi * random.uniform(0.2, 1.0, (4, 3))
    amplitudes = 0.8 * random.uniform(0.3, 1.0, (4, 3)) / rates
    amplitudes[:, [JOINTS.index(joint) for joint in still]] = 0.0
    phases = random.uniform(0.0, 2.0 * np.pi, (4, 3))

    def at(time, derivative):
        angles = rates * time + phases + derivative * np.pi / 2.0
        return (amplitudes * rates**derivative * np.sin(angles)).sum(axis=0)

    def point(time):
        q, v, a = (at(time, derivative) for derivative in range(3))
        return Point(time, np.array([0.3, -0.6, 0.8]) + q, v, a)

    points = [point(time) for time in np.arange(0.0, DURATION + 0.05, 0.05)]
    joints, table = played(urdf or ARM.read_text(), list(JOINTS), points)
    assert joints == list(JOINTS)
    return table


def jitter_rows():
    """As `rows`, with joint2 held but for some jitter."""
    table = rows(still=('joint2',)).copy()
    times = table[:, 0]
    for begin in (2.0, 7.0, 7.6, 8.2):
        phase = 2.0 * np.pi * np.clip((times - begin) / 0.4, 0.0, 1.0)
        table[:, 2] += 0.01 * (1.0 - np.cos(phase))
        table[:, 5] += 0.01 * np.sin(phase) * 2.0 * np.pi / 0.4
    return table


def loaded_rows(mass):
    """As `rows`, of the arm that carries a small body of this mass [kg] at its tool."""
    load = (
        '<link name="tool"><inertial><origin xyz="0.02 0.01 0"/>'
        f'<mass value="{mass}"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" '
        'iyz="0"/></inertial></link>'
    )
    return rows(urdf=ARM.read_text().replace('<link name="tool"/>', load))


def recording(file, change=None):
    """Write a recording; `change` takes times (N,) and efforts (N, 3) and gives other efforts."""
    table = rows().copy()
    if change is not None:
        table[:, 7:] = change(table[:, 0], table[:, 7:])
    write(file, list(JOINTS), table)
    return file
