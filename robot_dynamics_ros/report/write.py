"""A report in the form that the ending of its file asks for."""

from __future__ import annotations

from pathlib import Path

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError

from .provenance import Provenance

ENDINGS = ('.html', '.pdf', '.png')


def check_report_file(path: Path) -> None:
    """Check the ending of a report before the work that gives its content.

    Raises:
        ParameterError: no form of a report has this ending.
    """
    if path.suffix.lower() not in ENDINGS:
        raise ParameterError(f'{path}: a report is a file that ends in {", ".join(ENDINGS)}')


def write_report(comparison: Comparison, provenance: Provenance, path: Path) -> None:
    """Write a report: a page, a document, or a picture.

    Args:
        comparison: to show.
        provenance: how it was made.
        path: its ending is one of ENDINGS; the file is complete, or as it was before.

    Raises:
        ParameterError: no form of a report has this ending, or the file cannot be written there.
        RobotDynamicsError: a package that the form needs is missing.
        OSError: the file cannot be written.
    """
    check_report_file(path)
    try:
        content = _content(comparison, provenance, path.suffix.lower())
    except ModuleNotFoundError as error:
        raise RobotDynamicsError(
            f"{path} needs {error.name}: pip install 'robot_dynamics_ros[recordings]'"
        ) from error
    path.write_bytes(content)


def _content(comparison: Comparison, provenance: Provenance, ending: str) -> bytes:
    if ending == '.html':
        from .page import page

        return page(comparison, provenance).encode('utf-8')
    if ending == '.pdf':
        from .document import document

        return document(comparison, provenance)
    from .picture import picture

    return picture(comparison)
