"""Libraries that an installation may lack: the extras of this package bring them."""

from importlib import import_module
from typing import Any

from robot_dynamics_ros.core.errors import RecordingError


def required(module: str, extra: str = 'recordings') -> Any:
    """A module of a library that an extra brings, or one that imports such a library.

    Raises:
        RecordingError: the library is not installed; the message says how it is.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise RecordingError(
            f"{error.name} is needed for {extra}: pip install 'robot_dynamics_ros[{extra}]'"
        ) from None
