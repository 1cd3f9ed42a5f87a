"""The methods of `RobotDynamics` that compute a quantity, made from its record.

For type checkers they stand in quantity_methods.pyi, which scripts/stubs.py writes.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .algorithms.kinematics import Axes
from .checks import Array
from .quantity import PROGRAMS, Quantity

# Each method of a frame looks its call up itself, in plain dictionaries: a function of its own for
# it, or tuples as keys, make a call a third longer.
FIND_CALL = """
    try:
        call = self._framed[{name!r}][{axes}][frame]
    except (KeyError, TypeError):
        call = self._compiled({name!r}, frame, {axes})"""


def _source(quantity: Quantity) -> str:
    find, call = '', f'self._call[{quantity.name!r}]'
    if quantity.of_frame:
        axes = 'axes' if quantity.takes_axes else 'None'
        find, call = FIND_CALL.format(name=quantity.name, axes=axes), 'call'
    inputs = ('self._gravity' if name == 'gravity' else name for name in quantity.inputs)
    result = f'{call}({", ".join(inputs)}, out)'
    if quantity.name == 'frame_pose':
        find, result = f'{find}\n    pose = {result}', 'pose[..., :3], pose[..., 3]'
    elif not quantity.shape:
        find = f'{find}\n    result = {result}'
        result = 'result if out is not None or result.ndim else float(result)'
    return f'{quantity.definition}\n    {quantity.docstring!r}{find}\n    return {result}\n'


def _method(quantity: Quantity) -> Any:
    names: dict[str, Any] = {'Array': Array, 'ArrayLike': ArrayLike, 'Axes': Axes}
    exec(compile(_source(quantity), f'<{quantity.name}>', 'exec'), names)
    method = names[quantity.name]
    method.__module__, method.__qualname__ = __name__, f'QuantityMethods.{quantity.name}'
    return method


class QuantityMethods:
    """A method for each quantity."""


for _quantity in PROGRAMS.values():
    setattr(QuantityMethods, _quantity.name, _method(_quantity))
