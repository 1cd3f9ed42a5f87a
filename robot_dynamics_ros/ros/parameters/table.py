"""A table of parameters: the one place that lists them, for a node and for its documents."""

from __future__ import annotations

from dataclasses import dataclass

from .parameter import Parameter


@dataclass(frozen=True)
class Group:
    """Parameters under one heading.

    Attributes:
        heading: in the parameter file; empty for none.
        rows: the parameters.
    """

    heading: str
    rows: tuple[Parameter, ...]


class ParameterTable:
    """All parameters of a node.

    Attributes:
        groups: the parameters in the order of the documents.
        rows: the same by name.
        read: when those are read that are not live, such as "on configure".
        read_only: whether those can never be set while the node runs.
    """

    def __init__(self, groups: tuple[Group, ...], *, read: str, read_only: bool = False) -> None:
        """Take groups of rows.

        Raises:
            ValueError: two rows have the same name.
        """
        rows = [row for group in groups for row in group.rows]
        self.groups = groups
        self.rows = {row.name: row for row in rows}
        self.read = read
        self.read_only = read_only
        for row in rows:
            if self.rows[row.name] is not row:
                raise ValueError(f'two parameters have the name {row.name!r}')

    def row_of(self, name: str) -> Parameter | None:
        """The row of a parameter of a node, also of one entry of a map; None if there is none."""
        row = self.rows.get(name) or self.rows.get(name.partition('.')[0])
        return row if row is not None and (row.name == name or row.is_map) else None
