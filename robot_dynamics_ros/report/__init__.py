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
from robot_dynamics_ros.written_file import written_file

from .comparison_report import comparison_report
from .contact_report import contact_report
from .page import report_page
from .report import Report

__all__ = ['Report', 'comparison_report', 'contact_report', 'report_page', 'write_report']


def write_report(
    result: Sequence[Compared] | Report, path: Path, command: Sequence[str] = ()
) -> None:
    """Write a page.

    Args:
        result: to show: a comparison, or the report of something else.
        path: .html; the file is complete, or as it was before.
        command: words of the command that gave the result; none without one.

    Raises:
        ParameterError: the file cannot be written there.
        RecordingError: a package that a report needs is missing.
    """
    report = result if isinstance(result, Report) else comparison_report(result)
    with written_file(path) as new:
        new.write_text(report_page(report, command), encoding='utf-8')
