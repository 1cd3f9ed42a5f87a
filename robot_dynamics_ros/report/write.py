"""A report in the form that the ending of its file asks for."""

from __future__ import annotations

from pathlib import Path

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError
from robot_dynamics_ros.written_file import written_file

from .provenance import Provenance

ENDINGS = ('.html', '.pdf', '.png')


def check_report_file(path: Path) -> None:
    """Check the ending of a report, before the work that gives its content.

    Raises:
        ParameterError: no form of a report has this ending.
    """
    if path.suffix.lower() not in ENDINGS:
        raise ParameterError(f'{path}: the name of a report ends in {", ".join(ENDINGS)}')


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
    with written_file(path) as new:
        new.write_bytes(_content(comparison, provenance, path))


def _content(comparison: Comparison, provenance: Provenance, path: Path) -> bytes:
    ending = path.suffix.lower()
    try:
        if ending == '.html':
            from .html.page import page

            return page(comparison, provenance).encode('utf-8')
        if ending == '.pdf':
            from .printed.document import document

            return document(comparison, provenance)
        from .printed.overview import overview

        return overview(comparison)
    except ModuleNotFoundError as error:
        raise RobotDynamicsError(
            f"{path} needs {error.name}: pip install 'robot_dynamics_ros[recordings]'"
        ) from error
