"""An identification for people: a page or a picture.

Modules::

    write          the report in the form that the ending of its file asks for
    joint_figures  what is drawn of each joint, as data
    page           the report as one HTML file
    page_parts     its parts, as elements
    picture        the report as one picture
"""

from .write import ENDINGS, check_identification_file, identification_report

__all__ = ['ENDINGS', 'check_identification_file', 'identification_report']
