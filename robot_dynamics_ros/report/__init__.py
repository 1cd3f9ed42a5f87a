"""A comparison, an identification or contacts for people: a page, or a picture.

Modules::

    comparison_report  measured efforts and torques of the model
    contact_report     external torques between their thresholds
    report             what all have: joints, findings, figures, tables
    figure             what is drawn, as data: curves, panels, styles
    page               one HTML file that needs no network, from page.html, page.css, page.js
    picture            a row of plots for each joint, with matplotlib
    provenance         how a report was made: files with hashes, versions, command
    text               numbers and untrusted names as text
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from robot_dynamics_ros.comparison import Compared
from robot_dynamics_ros.contacts import MarkedRecording
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError
from robot_dynamics_ros.written_file import written_file

from .comparison_report import comparison_report
from .contact_report import contact_report
from .provenance import Provenance, SourceFile, provenance
from .report import Report

__all__ = [
    'ENDINGS',
    'PLOT_ENDINGS',
    'Provenance',
    'Report',
    'SourceFile',
    'check_report_file',
    'provenance',
    'report_content',
    'write_report',
]

# Of reports, and of pictures alone.
ENDINGS = ('.html', '.png')
PLOT_ENDINGS = ('.png', '.svg', '.pdf')


def check_report_file(path: Path, endings: tuple[str, ...] = ENDINGS) -> None:
    """Check the ending of a report, before the work that gives its content.

    Raises:
        ParameterError: no form of a report has this ending.
    """
    if (ending := path.suffix.lower()) not in endings:
        hint = '; a browser prints .html to PDF' if ending == '.pdf' else ''
        raise ParameterError(f'{path}: the name of a report ends in {", ".join(endings)}{hint}')


def write_report(
    result: Sequence[Compared] | MarkedRecording | Report, origin: Provenance, path: Path
) -> None:
    """Write a report: a page or a picture.

    Args:
        result: to show.
        origin: how it was made.
        path: its ending is one of ENDINGS, of contacts one of PLOT_ENDINGS; the file is complete,
            or as it was before.

    Raises:
        ParameterError: no form of a report has this ending, or the file cannot be written there.
        RobotDynamicsError: a package that the form needs is missing.
        OSError: the file cannot be written.
    """
    check_report_file(path, PLOT_ENDINGS if isinstance(result, MarkedRecording) else ENDINGS)
    with written_file(path) as new:
        new.write_bytes(report_content(result, origin, path))


def report_content(
    result: Sequence[Compared] | MarkedRecording | Report, origin: Provenance, path: Path
) -> bytes:
    """The content of a report: a page, or a picture of another ending; see `write_report`."""
    if isinstance(result, (Report, MarkedRecording)):
        report = contact_report(result) if isinstance(result, MarkedRecording) else result
    else:
        report = comparison_report(result)
    try:
        if path.suffix.lower() == '.html':
            from .page import page

            return page(report, origin).encode('utf-8')
        from .picture import picture

        return picture(report, path.suffix.lower()[1:])
    except ModuleNotFoundError as error:
        raise RobotDynamicsError(
            f"{path} needs {error.name}: pip install 'robot_dynamics_ros[recordings]'"
        ) from error
