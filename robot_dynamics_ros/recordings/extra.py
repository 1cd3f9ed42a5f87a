"""Libraries that only recordings need, and that an installation may lack."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from robot_dynamics_ros.core.errors import RecordingError

# What needs an extra, for messages.
PURPOSES = {'parquet': 'Parquet files'}
INSTALL = "pip install 'robot_dynamics_ros[{extra}]'"


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
        purpose = PURPOSES.get(extra, extra)
        install = INSTALL.format(extra=extra)
        raise RecordingError(f'{library} is needed for {purpose}: {install}') from None
