"""The picture of a recording with contacts, in the form that the ending of its file asks for."""

from __future__ import annotations

from pathlib import Path

from robot_dynamics_ros.contacts import MarkedRecording
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError
from robot_dynamics_ros.written_file import written_file

ENDINGS = ('.png', '.svg', '.pdf')


def check_contact_file(file: Path, recordings: int) -> None:
    """Check the ending of a picture, and that it is of one recording.

    Args:
        file: to write.
        recordings: how many are named.

    Raises:
        ParameterError: it has another ending, or there are several recordings.
    """
    if file.suffix.lower() not in ENDINGS:
        raise ParameterError(f'{file}: the name of a plot ends in {", ".join(ENDINGS)}')
    if recordings > 1:
        raise ParameterError(
            f'{file} is the plot of one recording, {recordings} are named: draw each by itself'
        )


def write_contacts(marked: MarkedRecording, file: Path) -> None:
    """Write the picture of a recording.

    Args:
        marked: the recording.
        file: to write, with one of ENDINGS.

    Raises:
        ParameterError: the folder does not exist or is write-protected.
        RobotDynamicsError: matplotlib is missing.
        OSError: the file cannot be written.
    """
    try:
        from .contact_picture import picture
    except ModuleNotFoundError as error:
        raise RobotDynamicsError(
            f"{file} needs {error.name}: pip install 'robot_dynamics_ros[recordings]'"
        ) from error
    content = picture(marked, file.suffix.lower()[1:])
    with written_file(file) as new:
        new.write_bytes(content)
