"""A comparison, an identification or contacts for people: one page that needs no network.

Modules::

    comparison_report  measured efforts and torques of the model
    contact_report     external torques between their thresholds
    report             what all have: joints, findings, figures, tables
    figures            curves and panels by plotly
    page               one HTML file, from page.html, page.css, page.js
    text               numbers and untrusted names as text
"""

from .comparison_report import comparison_report
from .contact_report import contact_report
from .page import report_page, write_report
from .report import Report

__all__ = ['Report', 'comparison_report', 'contact_report', 'report_page', 'write_report']
