"""The report of an identification in the form that the ending of its file asks for."""

from __future__ import annotations

from pathlib import Path

from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError
from robot_dynamics_ros.identification.identification import Identification

from ..provenance import Provenance

ENDINGS = ('.html', '.pdf', '.png')


def check_identification_file(path: Path) -> None:
    """Check the ending of a report, before the work that gives its content.

    Raises:
        ParameterError: no form of a report has this ending.
    """
    if path.suffix.lower() not in ENDINGS:
        raise ParameterError(
            f'{path}: the name of the report of an identification ends in {", ".join(ENDINGS)}'
        )


def identification_report(
    identification: Identification, provenance: Provenance, path: Path
) -> bytes:
    """The content of a report.

    Args:
        identification: to show.
        provenance: how it was made.
        path: of the file; its ending is one of ENDINGS.

    Raises:
        ParameterError: no form of a report has this ending.
        RobotDynamicsError: a package that the form needs is missing.
    """
    check_identification_file(path)
    try:
        if path.suffix.lower() == '.html':
            from .identification_page import page

            return page(identification, provenance).encode('utf-8')
        if path.suffix.lower() == '.pdf':
            from .identification_document import document

            return document(identification, provenance)
        from .identification_picture import picture

        return picture(identification)
    except ModuleNotFoundError as error:
        raise RobotDynamicsError(
            f"{path} needs {error.name}: pip install 'robot_dynamics_ros[recordings]'"
        ) from error
