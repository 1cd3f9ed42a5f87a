"""The report as one HTML file.

Modules::

    page              the file of a comparison
    page_parts        its parts, as elements
    elements          elements that all reports share
    findings_section  findings as a table
    whole_page        one file from elements and figures
    plotly_figures    figures for plotly.js
    page.css          its style, on a screen and on paper
    page.js           draws the figures
"""
