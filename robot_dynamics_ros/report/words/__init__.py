"""Numbers and names as text.

Modules::

    numbers_as_text  three digits and a unit
    readable         names that may hold anything
"""
