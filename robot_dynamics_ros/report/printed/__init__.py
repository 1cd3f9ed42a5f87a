"""The report as matplotlib draws it.

Modules::

    document           a PDF
    overview           a PNG
    matplotlib_panels  panels of both
"""
