"""A comparison, an identification or contacts for people: one page that needs no network.

Modules::

    comparison_report  measured efforts and torques of the model
    contact_report     external torques between their thresholds
    report             what all have: joints, findings, figures, tables
    figures            curves and panels by plotly
    page               one HTML file, from page.html, page.css, page.js
    text               numbers and untrusted names as text
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from robot_dynamics_ros.comparison import Compared
from robot_dynamics_ros.contacts import MarkedRecording
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.written_file import written_file

from .comparison_report import comparison_report
from .contact_report import contact_report
from .page import report_page
from .report import Report

__all__ = ['Report', 'check_report_file', 'report_page', 'write_report']


def check_report_file(path: Path) -> None:
    """Check the ending of a report, before the work that gives its content.

    Raises:
        ParameterError: it is not .html.
    """
    if path.suffix.lower() != '.html':
        raise ParameterError(f'{path}: a report is a page, its name ends in .html')


def write_report(
    result: Sequence[Compared] | MarkedRecording, path: Path, command: Sequence[str] = ()
) -> None:
    """Write a page.

    Args:
        result: to show.
        path: .html; the file is complete, or as it was before.
        command: words of the command that gave the result; none without one.

    Raises:
        ParameterError: the name of the file is another one, or it cannot be written there.
        RecordingError: a package that a report needs is missing.
    """
    check_report_file(path)
    if isinstance(result, MarkedRecording):
        report = contact_report(result)
    else:
        report = comparison_report(result)
    with written_file(path) as new:
        new.write_text(report_page(report, command), encoding='utf-8')
