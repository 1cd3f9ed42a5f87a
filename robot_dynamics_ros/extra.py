"""Libraries that an installation may lack: the extras of this package bring them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from robot_dynamics_ros.core.errors import RecordingError


def required(module: str, extra: str = 'recordings') -> Any:
    """A module of such a library.

    Args:
        module: name.
        extra: of this package, which brings the library.

    Raises:
        RecordingError: the library is not installed; the message says how it is.
    """
    try:
        return import_module(module)
    except ImportError:
        library = module.partition('.')[0]
        raise RecordingError(
            f"{library} is needed for {extra}: pip install 'robot_dynamics_ros[{extra}]'"
        ) from None
