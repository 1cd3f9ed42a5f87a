"""An identification for people: a page, a document, or a picture.

Modules::

    identification_report   the report in the form that the ending of its file asks for
    held_out_figures        what is drawn of each joint, as data
    identification_page     the report as one HTML file
    identification_parts    its parts, as elements
    parameter_words         parameters and recordings in words
    identification_document the report as a PDF
    identification_picture  the report as one picture
"""

from .identification_report import ENDINGS, check_identification_file, identification_report

__all__ = ['ENDINGS', 'check_identification_file', 'identification_report']
