"""Quantities as functions of JAX arrays, to `jit`, `grad` and `vmap`; needs JAX.

Importing this module also lets the algorithms themselves compute with JAX scalars.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ..codegen.evaluation import evaluate
from ..model.robot import RobotModel
from ..quantities import key_of, traced
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
    `jax.config.update('jax_enable_x64', True)` was called. Where the mass matrix is singular,
    results that need its inverse are not finite, or rounding noise.

    Args:
        model: the robot.
        quantity: name of a method of `RobotDynamics`.
        frame: name of a link, for the quantities of a frame.
        axes: of a Jacobian; LOCAL_WORLD_ALIGNED if not given.

    Raises:
        UnknownNameError: there is no such quantity or link.
        ParameterError: a frame is missing, the quantity takes no frame or no axes, or there are no
            such axes.
        InertiaError: a joint moves no mass at any q, and the quantity needs M^-1.
    """
    program, _ = traced(model, key_of(quantity, frame, axes))

    def function(*vectors: Any) -> jax.Array:
        arrays = [jnp.asarray(vector) for vector in vectors]
        kind = jnp.result_type(*arrays, jnp.float32)
        inputs = {
            name: [array.astype(kind)[index] for index in range(size)]
            for array, (name, size) in zip(arrays, program.inputs.items(), strict=True)
        }
        entries, _ = evaluate(program, inputs)
        return jnp.stack([jnp.asarray(entry, kind) for entry in entries]).reshape(program.shape)

    return function
