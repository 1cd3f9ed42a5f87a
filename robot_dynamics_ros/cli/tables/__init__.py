"""Tables of subcommands.

Modules::

    fitted_table  a table, or one block a row where the terminal is too narrow
"""

from .fitted_table import FittedTable

__all__ = ['FittedTable']
