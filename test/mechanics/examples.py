"""The URDFs of the PyPI package example-robot-data; none where it is not installed."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest
from property_settings import ALL

from mechanics.robots import Robot


def _examples() -> list[Robot]:
    try:
        distribution = metadata.distribution('example-robot-data')
    except metadata.PackageNotFoundError:
        return []
    root = Path(str(distribution.locate_file('cmeel.prefix/share/example-robot-data/robots')))
    paths = sorted(root.rglob('*.urdf'))
    return [Robot(path.relative_to(root).as_posix(), path) for path in paths]


EXAMPLES = _examples()
REFUSED_EXAMPLES = {'ur_description/urdf/ur3.urdf': 'the robot has no <link>'}
MOTIONLESS_EXAMPLES = {
    'hector_description/robots/quadrotor_base.urdf',
    'iris_description/robots/iris_simple.urdf',
}
# Arms, fingers, mimic joints, and one whose mass matrix is singular: each kind of tree.
FEW = ('finger_edu', 'panda', 'talos_left_arm', 'tiago_no_hand', 'ur5_robot', 'romeo')
MOVING_EXAMPLES = [
    robot
    for robot in EXAMPLES
    if robot.name not in REFUSED_EXAMPLES and robot.name not in MOTIONLESS_EXAMPLES
    if ALL or robot.path.stem in FEW
]


needs_examples = pytest.mark.skipif(not EXAMPLES, reason='example-robot-data is not installed')


def example(name: str) -> Robot:
    if not EXAMPLES:
        pytest.skip('example-robot-data is not installed', allow_module_level=True)
    return next(robot for robot in EXAMPLES if robot.name == name)
