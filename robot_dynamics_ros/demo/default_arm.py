"""The default arm of the demo: the UR5 of example-robot-data."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

from . import DemoError

_UR5 = Path('example-robot-data/robots/ur_description/urdf/ur5_robot.urdf')


def default_urdf() -> Path:
    """The URDF of the UR5, in the PyPI package example-robot-data or a ROS or CMake prefix.

    Raises:
        DemoError: it is not installed.
    """
    for candidate in (*_from_pypi(), *_from_prefixes()):
        if candidate.is_file():
            return candidate
    raise DemoError(
        'the default arm needs example-robot-data, which is not installed: '
        'pip install example-robot-data, or give a URDF with --urdf FILE'
    )


def _from_pypi() -> list[Path]:
    try:
        files = metadata.files('example-robot-data') or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(file.locate())) for file in files if str(file).endswith(str(_UR5))]


def _from_prefixes() -> list[Path]:
    variables = ('AMENT_PREFIX_PATH', 'CMAKE_PREFIX_PATH')
    prefixes = [p for v in variables for p in os.environ.get(v, '').split(os.pathsep) if p]
    return [Path(prefix) / 'share' / _UR5 for prefix in prefixes]
