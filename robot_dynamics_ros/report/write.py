"""A report in the form that the ending of its file asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError
from robot_dynamics_ros.written_file import written_file

from .provenance import Provenance
from .report import Report

if TYPE_CHECKING:
    from robot_dynamics_ros.contacts import MarkedRecording
    from robot_dynamics_ros.identification.identification import Identification

ENDINGS = ('.html', '.png')
PLOT_ENDINGS = ('.png', '.svg', '.pdf')


def check_report_file(path: Path) -> None:
    """Check the ending of a report, before the work that gives its content.

    Raises:
        ParameterError: no form of a report has this ending.
    """
    _check_ending(path, 'report', ENDINGS)


def write_report(result: Comparison | Identification, provenance: Provenance, path: Path) -> None:
    """Write a report: a page or a picture.

    Args:
        result: to show.
        provenance: how it was made.
        path: its ending is one of ENDINGS; the file is complete, or as it was before.

    Raises:
        ParameterError: no form of a report has this ending, or the file cannot be written there.
        RobotDynamicsError: a package that the form needs is missing.
        OSError: the file cannot be written.
    """
    check_report_file(path)
    with written_file(path) as new:
        new.write_bytes(report_content(result, provenance, path))


def report_content(
    result: Comparison | Identification, provenance: Provenance, path: Path
) -> bytes:
    """The content of a report.

    Args:
        result: to show.
        provenance: how it was made.
        path: of the file; its ending is one of ENDINGS.

    Raises:
        ParameterError: no form of a report has this ending.
        RobotDynamicsError: a package that the form needs is missing.
    """
    check_report_file(path)
    return _content(lambda: _report(result, provenance), path)


def check_contact_file(path: Path, recordings: int) -> None:
    """Check the ending of a plot of contacts, and that it is of one recording.

    Args:
        path: to write.
        recordings: how many are named.

    Raises:
        ParameterError: it has another ending, or there are several recordings.
    """
    _check_ending(path, 'plot', PLOT_ENDINGS)
    if recordings > 1:
        raise ParameterError(
            f'{path} is the plot of one recording, {recordings} are named: draw each by itself'
        )


def write_contacts(marked: MarkedRecording, path: Path) -> None:
    """Write the picture of a recording with contacts.

    Args:
        marked: the recording.
        path: to write, with one of PLOT_ENDINGS.

    Raises:
        ParameterError: the folder does not exist or is write-protected.
        RobotDynamicsError: matplotlib is missing.
        OSError: the file cannot be written.
    """
    from .contact_report import contact_report

    content = _content(lambda: contact_report(marked), path)
    with written_file(path) as new:
        new.write_bytes(content)


def _check_ending(path: Path, what: str, endings: tuple[str, ...]) -> None:
    ending = path.suffix.lower()
    if ending == '.pdf' and ending not in endings:
        raise ParameterError(
            f'{path}: a {what} ends in {", ".join(endings)}; a browser prints .html to PDF'
        )
    if ending not in endings:
        raise ParameterError(f'{path}: the name of a {what} ends in {", ".join(endings)}')


def _report(result: Comparison | Identification, provenance: Provenance) -> Report:
    # SciPy is not needed to compare.
    if isinstance(result, Comparison):
        from .comparison_report import comparison_report

        return comparison_report(result, provenance)
    from .identification_report import identification_report

    return identification_report(result, provenance)


def _content(report: Callable[[], Report], path: Path) -> bytes:
    try:
        if path.suffix.lower() == '.html':
            from .page import page

            return page(report()).encode('utf-8')
        from .picture import picture

        return picture(report(), path.suffix.lower()[1:])
    except ModuleNotFoundError as error:
        raise RobotDynamicsError(
            f"{path} needs {error.name}: pip install 'robot_dynamics_ros[recordings]'"
        ) from error
