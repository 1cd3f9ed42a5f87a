"""The report as matplotlib draws it.

Modules::

    document           a PDF
    picture            a PNG
    matplotlib_panels  panels of both
"""
