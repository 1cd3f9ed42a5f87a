"""The demo: a simulated arm, the dynamics node and an observer, in three processes over DDS.

Modules::

    observer    the main program of `scripts/demo`
    plan        start position, trajectory, push and wall for the arm of any URDF
    acts        what arm and node are told, act by act
    measures    what was measured in each act
    verdict     the table of figures with their bounds, as text and JSON
    picture     the panels of the acts in a PNG
    client      the topics and services of arm and node, and what was received
    processes   child processes, and a ROS domain of their own
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
