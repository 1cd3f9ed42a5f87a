"""The report as matplotlib draws it.

Modules::

    document           a PDF
    pages              its pages of text and of plots, also of an identification
    overview           a PNG
    matplotlib_panels  panels of both
"""
