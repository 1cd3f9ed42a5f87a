"""A comparison, an identification or contacts for people: a page, or a picture.

Modules::

    write              in the form that the ending of the file asks for
    comparison_report  measured efforts and torques of the model
    contact_report     external torques between their thresholds
    report             what all have: verdict, findings, joints, tables
    figure             what is drawn, as data: curves, panels, styles
    page               one HTML file that needs no network, from page.html, page.css, page.js
    picture            a row of plots for each joint, with matplotlib
    provenance         how a report was made: files with hashes, versions, command
    text               numbers and untrusted names as text
"""

from .provenance import Provenance, SourceFile, provenance
from .report import Report
from .write import (
    ENDINGS,
    PLOT_ENDINGS,
    check_report_file,
    report_content,
    write_report,
)

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
