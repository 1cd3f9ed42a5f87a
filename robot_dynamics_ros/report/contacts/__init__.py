"""Contacts in a recording for people: a picture.

Modules::

    contact_panels   what is drawn of each joint, as data
    contact_picture  the picture, with matplotlib
"""

from .contact_picture import ENDINGS, check_picture_file, write_picture

__all__ = ['ENDINGS', 'check_picture_file', 'write_picture']
