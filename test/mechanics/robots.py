"""The robots that the tests run on, and the states that they are put into."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.compiler.kernel import native_obstacle


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot by its URDF, parsed and compiled once."""

    name: str
    path: Path

    def __str__(self) -> str:
        return self.name

    @cached_property
    def text(self) -> str:
        return self.path.read_text()

    @cached_property
    def model(self) -> RobotModel:
        return parse_urdf(self.text)

    @cached_property
    def native(self) -> RobotDynamics:
        if obstacle := native_obstacle():
            # Here, because scripts/mutate.py imports this module hundreds of times.
            import pytest

            pytest.skip(obstacle)
        return RobotDynamics(self.model, backend='native')

    @cached_property
    def python(self) -> RobotDynamics:
        return RobotDynamics(self.model, backend='python')

    def states(self, count: int) -> Iterator[State]:
        """The same random states in every run, whichever tests are selected."""
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        for _ in range(count):
            yield random_state(self.model, random)


def written(name: str, text: str) -> Robot:
    """A robot whose URDF is in no file."""
    robot = Robot(name, Path())
    robot.__dict__['text'] = text
    return robot


class State(NamedTuple):
    """Positions, velocities, accelerations, and a second set of velocities."""

    q: Any
    v: Any
    a: Any
    w: Any


def random_state(model: RobotModel, random: np.random.Generator) -> State:
    """Every angle is as likely; limits do not matter to the laws of mechanics."""
    n = model.size
    return State(random.uniform(-np.pi, np.pi, n), *random.uniform(-3.0, 3.0, (3, n)))


HAND_WRITTEN = [
    Robot(path.stem, path) for path in sorted(Path(__file__).parent.glob('urdf/*.urdf'))
]
# Their joint at the tip moves no mass, so that M is singular, though never indefinite.
SINGULAR = {
    'massless_tip',
    'romeo_description/urdf/romeo.urdf',
    'romeo_description/urdf/romeo_laas_small.urdf',
}


def hand_written(name: str) -> Robot:
    return next(robot for robot in HAND_WRITTEN if robot.name == name)


def in_quaternions(text: str) -> str:
    """The same URDF in version 1.1, with a quaternion of length 2 for each rpy."""

    def quaternion(match: re.Match[str]) -> str:
        angles = [float(angle) for angle in match[1].split()]
        (i, j, k), (x, y, z) = np.sin(np.array(angles) / 2.0), np.cos(np.array(angles) / 2.0)
        numbers = [i*y*z - x*j*k, x*j*z + i*y*k, x*y*k - i*j*z, x*y*z + i*j*k]  # fmt: skip
        return f'quat_xyzw="{" ".join(repr(2.0 * float(number)) for number in numbers)}"'

    return re.sub('rpy="([^"]*)"', quaternion, text).replace('<robot ', '<robot version="1.1" ')


def with_fixed_link(text, name, parent, inside='', origin=''):
    """The same URDF with one link more."""
    joint = f'<joint name="to {name}" type="fixed"><parent link="{parent}"/><child link="{name}"/>'
    added = f'<link name="{name}">{inside}</link>{joint}{origin}</joint>'
    return text.replace('</robot>', f'{added}</robot>')


# A payload, and the same as the <inertial> of a link.
LOAD = {
    'mass': 1.7,
    'com': (0.03, -0.08, 0.15),
    'inertia': ((0.011, 0.001, -0.002), (0.001, 0.014, 0.0005), (-0.002, 0.0005, 0.009)),
}
LOADED = (
    '<inertial><mass value="1.7"/><origin xyz="0.03 -0.08 0.15"/><inertia ixx="0.011" ixy="0.001" '
    'ixz="-0.002" iyy="0.014" iyz="0.0005" izz="0.009"/></inertial>'
)
# A point mass on the axis of its joint: what rounding leaves of its inertia is some 1e-17 kg m^2.
POINT_ON_AXIS = """<robot name="r"><link name="base"/><link name="arm">
<inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"><inertial><origin xyz="0.03 0.06 0.27"/><mass value="1"/>
<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/>
<axis xyz="0 1 0"/></joint>
<joint name="spindle" type="continuous"><parent link="arm"/><child link="tool"/>
<origin xyz="0.3 0 0"/><axis xyz="0.1 0.2 0.9"/></joint></robot>"""
