"""The demo: a simulated arm, the dynamics node and an observer, in three processes over DDS."""

from __future__ import annotations

import contextlib
import os
from importlib import metadata
from pathlib import Path

_UR5 = 'example-robot-data/robots/ur_description/urdf/ur5_robot.urdf'


class DemoError(Exception):
    """The demo cannot go on; the message is for its user."""


def default_urdf() -> Path:
    """The URDF of the UR5, of the PyPI package example-robot-data or a prefix of ROS.

    Raises:
        DemoError: it is not installed.
    """
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    with contextlib.suppress(metadata.PackageNotFoundError):
        package = metadata.distribution('example-robot-data')
        prefixes.insert(0, str(package.locate_file('cmeel.prefix')))
    for file in (Path(prefix, 'share', _UR5) for prefix in prefixes):
        if file.is_file():
            return file
    raise DemoError('no default arm: pip install example-robot-data, or give --urdf FILE')
