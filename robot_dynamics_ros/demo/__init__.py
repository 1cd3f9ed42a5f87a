"""The demo: a simulated arm, the dynamics node and an observer, in three processes over DDS.

Modules::

    observer    the main program of `scripts/demo`
    plan        start position, trajectory, push and wall for the arm of any URDF
    client      the topics and services of arm and node, and what was received
    release     first act: released without torque, and held by gravity compensation
    tracking    second act: a fast trajectory by the servo alone, and with feedforward
    contact     third act: a push that is felt, and a collision with a wall
    matrices    fourth act: M and C by the services
    timing      latencies and rates of the commands
    verdict     figures with their bounds, as text and JSON
    picture     the panels of the acts in a PNG
    processes   child processes, and a ROS domain of their own

Each act is a record of what it measured: `play` makes it, `figures` judges it, the other methods
draw its panels.
"""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

_UR5 = Path('example-robot-data/robots/ur_description/urdf/ur5_robot.urdf')


class DemoError(Exception):
    """The demo cannot go on; the message is for its user."""


def default_urdf() -> Path:
    """The URDF of the UR5, in the PyPI package example-robot-data or a ROS or CMake prefix.

    Raises:
        DemoError: it is not installed.
    """
    try:
        files = metadata.files('example-robot-data') or []
    except metadata.PackageNotFoundError:
        files = []
    places = [Path(str(file.locate())) for file in files if str(file).endswith(str(_UR5))]
    for variable in ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH'):
        prefixes = filter(None, os.environ.get(variable, '').split(os.pathsep))
        places += [Path(prefix) / 'share' / _UR5 for prefix in prefixes]
    for place in places:
        if place.is_file():
            return place
    raise DemoError(
        'the default arm needs example-robot-data, which is not installed: '
        'pip install example-robot-data, or give a URDF with --urdf FILE'
    )
