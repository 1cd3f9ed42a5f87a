"""Quantities as functions of JAX arrays, to `jit`, `grad` and `vmap`; needs JAX.

Importing this module also lets the algorithms themselves compute with JAX scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ..compiler.program import evaluate
from ..errors import StateError
from ..model.robot import RobotModel
from ..quantity import key_of, traced
from ..scalar import cos, sin, sqrt

for kind in (jax.Array, jax.core.Tracer):
    sin.register(kind, jnp.sin)
    cos.register(kind, jnp.cos)
    sqrt.register(kind, jnp.sqrt)


def jax_function(
    model: RobotModel, quantity: str, frame: str | None = None, axes: str | None = None
) -> Callable[..., jax.Array]:
    """A quantity as a function of its input vectors, such as q, v, a and gravity.

    >>> tau = jax.jit(jax_function(model, 'inverse_dynamics'))(q, v, a, gravity)

    It computes in the precision of its arguments: JAX takes single precision unless
    `jax.config.update('jax_enable_x64', True)` was called. Vectors of other sizes, and another
    number of them, raise StateError, also while JAX compiles; `jax.vmap` takes batches. Where the
    mass matrix is singular, results that need its inverse are not finite, or rounding noise.

    Args:
        model: the robot.
        quantity: name of a method of `RobotDynamics`.
        frame: name of a link, for the quantities of a frame.
        axes: of a twist; LOCAL_WORLD_ALIGNED if not given.

    Raises:
        UnknownNameError: there is no such quantity or link.
        ParameterError: a frame is missing, the quantity takes no frame or no axes, or there are no
            such axes.
        SingularMassMatrixError: a joint moves no mass at any q, and the quantity needs M^-1.
    """
    program, _ = traced(model, key_of(quantity, frame, axes))

    def function(*vectors: Any) -> jax.Array:
        arrays = [jnp.asarray(vector) for vector in vectors]
        _check_shapes(quantity, program.inputs, [array.shape for array in arrays])
        kind = jnp.result_type(*arrays, jnp.float32)
        inputs = {
            name: [array.astype(kind)[index] for index in range(size)]
            for array, (name, size) in zip(arrays, program.inputs.items(), strict=True)
        }
        entries, _ = evaluate(program, inputs)
        return jnp.stack([jnp.asarray(entry, kind) for entry in entries]).reshape(program.shape)

    return function


def _check_shapes(
    quantity: str, sizes: Mapping[str, int], shapes: Sequence[tuple[int, ...]]
) -> None:
    """Whether these are the shapes of the vectors: JAX itself clamps an index beyond the end.

    Raises:
        StateError: a vector is missing, is one too many, or has another shape.
    """
    if len(shapes) != len(sizes):
        raise StateError(
            f'{quantity} takes {len(sizes)} vectors ({", ".join(sizes)}), got {len(shapes)}'
        )
    for (name, size), shape in zip(sizes.items(), shapes, strict=True):
        if shape != (size,):
            batch = ': for a batch, use jax.vmap of this function' if len(shape) > 1 else ''
            raise StateError(f'{name} has shape {shape}, ({size},) is needed{batch}')
