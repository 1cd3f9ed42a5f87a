"""Contacts in a recording for people: a picture.

Modules::

    contact_report   the picture in the form that the ending of its file asks for
    contact_panels   what is drawn of each joint, as data
    contact_picture  the picture, with matplotlib
"""

from .contact_report import ENDINGS, check_contact_file, write_contacts

__all__ = ['ENDINGS', 'check_contact_file', 'write_contacts']
