"""The report as one HTML file.

Modules::

    page            the file
    page_parts      its parts, as elements
    plotly_figures  figures for plotly.js
    page.css        its style, on a screen and on paper
    page.js         draws the figures
"""
