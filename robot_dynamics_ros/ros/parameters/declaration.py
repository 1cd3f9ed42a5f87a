"""A table of parameters on a node of rclpy: declared, described, and read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from difflib import get_close_matches
from typing import Any

import rclpy
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.node import Node

from .parameter import Parameter
from .table import ParameterTable


def declare(node: Node, table: ParameterTable) -> None:
    """Declare every parameter of a table on a node.

    Neither types nor values are checked here but by `read`: rclpy would end the process where a
    parameter file holds a wrong one, and the node says the reason and waits for a better one.
    """
    for row in table.rows.values():
        if row.is_map:
            _declare_entries(node, row, descriptor(row, table))
        else:
            node.declare_parameter(row.name, row.default, descriptor(row, table))
            _type_empty_list(node, row)


class UndeclaredParameterError(ParameterNotDeclaredException):
    """A parameter is set that the node does not have; rclpy answers with the message."""

    def __init__(self, message: str) -> None:
        """Take the message: that of rclpy lists no name (its generator is used up)."""
        Exception.__init__(self, message)


def require_declared(
    node: Node, table: ParameterTable, changes: Iterable[rclpy.Parameter[Any]]
) -> None:
    """Check that a node has the parameters that are to be set.

    Args:
        node: on which the table was declared.
        table: the parameters.
        changes: that are asked for.

    Raises:
        UndeclaredParameterError: it does not have one; the message names it and the nearest.
    """
    names = [change.name for change in changes if not node.has_parameter(change.name)]
    for name in names:
        if row := table.row_of(name):
            raise UndeclaredParameterError(
                f'{name} cannot be added while the node runs: set {row.name} at its start'
            )
    if names:
        words = ', '.join(_with_nearest(name, table) for name in names)
        raise UndeclaredParameterError(
            f'unknown parameter {words}: `ros2 param list {node.get_fully_qualified_name()}` '
            'lists those of the node'
        )


def _declare_entries(node: Node, row: Parameter, described: ParameterDescriptor) -> None:
    """Declare each entry that a map is given; its own name too, so that `read` can refuse it."""
    for name, given in _overrides(node).items():
        if name == row.name or name.startswith(f'{row.name}.'):
            node.declare_parameter(name, given.value, described)


def _type_empty_list(node: Node, row: Parameter) -> None:
    """Give an empty list the type of its row.

    rclpy takes one in a file for no value, and one in Python for bytes. `ros2 param dump` would
    write the first as null, which a parameter file holds for a text.
    """
    value = node.get_parameter(row.name).value
    empty = value is None or (isinstance(value, Sized) and not len(value))
    if row.is_array and empty and not node.describe_parameter(row.name).read_only:
        kind = rclpy.Parameter.Type[row.type.upper()]
        node.set_parameters([rclpy.Parameter(row.name, kind, [])])


def descriptor(row: Parameter, table: ParameterTable) -> ParameterDescriptor:
    """What `ros2 param describe` shows of a parameter.

    Ranges stand in the words of `additional_constraints`. In `floating_point_range` and
    `integer_range` rclpy would check them itself, before our check and without its unit and
    reason, and would end the process where a parameter file holds a wrong value. The type of a
    parameter stands there too, because the one that rclpy shows is that of the present value.
    """
    words = [row.description, row.details]
    if row.empty:
        words.append(f'Empty: {row.empty}.')
    if row.unit:
        words.append(f'Unit: {row.unit}.')
    words.append('Live: a change takes effect at once.' if row.live else f'Read {table.read}.')
    constraints = ', '.join([row.type.replace('_', ' '), *row.constraints()])
    if row.choices:
        meanings = (f'{choice} ({meaning})' for choice, meaning in row.choices.items())
        constraints += f': {", ".join(meanings)}'
    return ParameterDescriptor(
        description=' '.join(filter(None, words)),
        additional_constraints=constraints,
        read_only=table.read_only and not row.live,
        dynamic_typing=True,
    )


def read(
    node: Node, table: ParameterTable, changes: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The checked value of every parameter of a table, by name.

    Args:
        node: on which the table was declared.
        table: the parameters.
        changes: values that take the place of the node's, by name.

    Raises:
        RobotDynamicsError: one has the wrong type, or is not allowed.
    """
    changes = changes or {}
    return {
        name: row.checked(
            _entries(node, row, changes)
            if row.is_map
            else changes.get(name, node.get_parameter(name).value)
        )
        for name, row in table.rows.items()
    }


def _entries(node: Node, row: Parameter, changes: Mapping[str, Any]) -> Any:
    """The map that the parameters of its entries make; what it was given if that is no map."""
    if node.has_parameter(row.name):
        return changes.get(row.name, node.get_parameter(row.name).value)
    declared = node.get_parameters_by_prefix(row.name)
    return {
        name: changes.get(f'{row.name}.{name}', entry.value) for name, entry in declared.items()
    }


def unknown(node: Node, table: ParameterTable) -> str:
    """Names of parameters given to a node that it does not have, with the nearest that it has."""
    names = sorted(name for name in _overrides(node) if not node.has_parameter(name))
    return ', '.join(_with_nearest(name, table) for name in names)


def _with_nearest(name: str, table: ParameterTable) -> str:
    """A name that the table does not have, with the nearest that it has."""
    near = get_close_matches(name, table.rows, n=1)
    return f'{name} (did you mean {near[0]}?)' if near else name


def _overrides(node: Node) -> Mapping[str, Any]:
    """The parameters that a node was given, by name."""
    # rclpy keeps them for the declarations, and has no public way to ask.
    given: Mapping[str, Any] = getattr(node, '_parameter_overrides', {})
    return given
