"""A table for people: whole names and numbers, however narrow the terminal is."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

# Between two columns, and before the lines of a block.
SPACE = '  '
# Wider than any table: how wide one is without a limit.
NO_LIMIT = 1_000_000


class FittedTable:
    """Names and numbers in columns; where they do not fit, one block a row, nothing cut.

    A block has the first cell, and below it each other cell with the header of its column.
    """

    def __init__(self, *columns: str, heads: bool = False) -> None:
        """Have no rows yet.

        Args:
            columns: headers; the first column is to the left, the others are to the right.
            heads: whether the first cell of a block has its header too, as a number needs.
        """
        self._columns, self._head = columns, f'{columns[0]} ' if heads else ''
        self._rows: list[tuple[str, ...]] = []

    def add_row(self, *cells: str) -> None:
        """Add one cell for each column."""
        self._rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, or its blocks."""
        table = self._table()
        unlimited = options.update(max_width=NO_LIMIT)
        if console.measure(table, options=unlimited).maximum <= options.max_width:
            yield table
        else:
            yield from self._blocks(options.max_width)

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style='bold')
        for index, column in enumerate(self._columns):
            table.add_column(Text(column), justify='right' if index else 'left', no_wrap=True)
        for row in self._rows:
            table.add_row(*map(Text, row))
        return table

    def _blocks(self, width: int) -> Iterator[Text]:
        """Lines; a cell that is wider than a line is continued on the next one."""
        for first, *others in self._rows:
            yield Text(f'{self._head}{first}', style='bold', overflow='fold')
            line = ''
            for cell in self._labelled(others):
                if line and len(line + SPACE + cell) > width:
                    yield Text(line.rstrip(), overflow='fold')
                    line = ''
                line += SPACE + cell
            yield Text(line.rstrip(), overflow='fold')

    def _labelled(self, cells: list[str]) -> Iterator[str]:
        """Cells with their headers, as wide as in the other blocks."""
        for index, (column, cell) in enumerate(zip(self._columns[1:], cells, strict=True), 1):
            widest = max(len(row[index]) for row in self._rows)
            yield f'{column} {cell:>{widest}}'
