"""A comparison of measured efforts with a model, for people: a page, a document, or a picture.

Modules::

    write       the report in the form that the ending of its file asks for
    provenance  how a report was made: files with their hashes, versions, command
    summary     the result in sentences
    next_parameters  fitted friction as parameters
    contacts/   the contacts in a recording
    figures/    what is drawn, as data: curves, panels, text alternatives
    html/       one HTML file that needs no network, with plotly
    printed/    PDF and PNG, with matplotlib
    words/      numbers and untrusted names as text
"""

from .provenance import Provenance, SourceFile, provenance, size_of
from .write import ENDINGS, check_report_file, write_report

__all__ = [
    'ENDINGS',
    'Provenance',
    'SourceFile',
    'check_report_file',
    'provenance',
    'size_of',
    'write_report',
]
