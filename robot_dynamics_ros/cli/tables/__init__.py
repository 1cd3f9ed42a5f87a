"""Tables of subcommands.

Modules::

    robot_tables  an inspected robot as tables and lines
    fitted_table  a table, or one block a row where the terminal is too narrow
"""

from .fitted_table import FittedTable

__all__ = ['FittedTable']
