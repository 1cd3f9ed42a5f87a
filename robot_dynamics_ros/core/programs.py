"""The compiled programs of a robot, and the payload that they take.

Compiling a quantity takes as long as some hundred evaluations of its algorithm on floats. Where
nothing says that a quantity will be asked for often, the first calls are evaluated.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .checks import Array, checked_vector, has_rows
from .compiler.kernel import Backend, Kernel
from .errors import InertiaError, RobotDynamicsError
from .model.robot import RobotModel
from .quantity import Key, algorithm_of, quantity_of, traced

# A tenth of what compiling takes.
FIRST_CALLS = 20


class Programs(dict[Key, Callable[..., Array]]):
    """The compiled programs of a robot by `Quantity.key`; a missing one is compiled on access.

    With `patient`, only after `FIRST_CALLS` accesses; each gives a call that is evaluated.

    Where payloads on a body are an input, all robots that differ in these alone share the compiled
    code.
    """

    def __init__(
        self,
        model: RobotModel,
        backend: Backend,
        threads: int,
        payload_frame: str | None = None,
        *,
        patient: bool = False,
    ) -> None:
        """Start with nothing compiled; arguments and errors are those of `RobotDynamics`."""
        super().__init__()
        self._bare = model
        self._payload: Array | None = None
        self._body = None if payload_frame is None else model.moving_body(payload_frame)
        if self._body is not None:
            self._bare, parameters = model.without_load(self._body)
            self._payload = np.array(parameters, dtype=np.float64)
            self._payload.flags.writeable = False
        self._backend, self._threads, self._payload_frame = backend, threads, payload_frame
        self._patient, self._accesses = patient, Counter[Key]()
        # What a robot does not have is remembered too: to trace it again takes as long.
        self._kernels: dict[Key, Kernel | InertiaError] = {}

    def of(self, model: RobotModel) -> Programs:
        """The programs of another robot: the same if it differs in payloads that are an input."""
        other = Programs(
            model, self._backend, self._threads, self._payload_frame, patient=self._patient
        )
        if other._bare == self._bare:
            # What one of them compiles, the other has.
            other._kernels = self._kernels
        return other

    def kernel(self, key: Key) -> Kernel:
        """The program of a key with the ways to call it, compiled if it is not yet.

        Raises:
            UnknownNameError: no link has the name of the frame.
            InertiaError: the robot does not have the quantity.
        """
        made = self._kernels.get(key)
        if made is None:
            try:
                program, labels = traced(self._bare, key, self._body)
                made = Kernel(program, labels, self._backend, self._threads)
            except InertiaError as error:
                made = error.with_traceback(None)
            self._kernels[key] = made
        if isinstance(made, InertiaError):
            raise type(made)(*made.args)
        return made

    def bind(self, key: Key, inputs: Sequence[Array], out: Array) -> Callable[[], None]:
        """A function that computes from these arrays into `out`; see `Kernel.bind`."""
        return self.kernel(key).bind([*inputs, *self._payload_of(key)], out)

    def __missing__(self, key: Key) -> Callable[..., Array]:
        if self._patient and key not in self._kernels:
            self._accesses[key] += 1
            if self._accesses[key] <= FIRST_CALLS:
                return partial(self._evaluated, key)
        return self.compiled(key)

    def compiled(self, key: Key) -> Callable[..., Array]:
        """The call of a key, compiled if it is not yet; errors are those of `kernel`."""
        if key in self:
            return self[key]
        call, payload = self.kernel(key).call, self._payload_of(key)

        def with_payload(*arguments: Any) -> Array:
            return call(*arguments[:-1], *payload, arguments[-1])

        self[key] = with_payload if payload else call
        return self[key]

    def _evaluated(self, key: Key, *arguments: Any) -> Array:
        """The result for one state; what is not usual is left to the compiled program."""
        quantity, (*values, out) = quantity_of(key), arguments
        if out is None and not any(map(has_rows, values)):
            with contextlib.suppress(RobotDynamicsError, ArithmeticError, ValueError):
                vectors = [
                    checked_vector(name, value, labels).tolist()
                    for (name, labels), value in zip(
                        quantity.labels(self._bare).items(), values, strict=True
                    )
                ]
                entries = algorithm_of(self._bare, key)(*vectors)
                result = np.array(entries, np.float64).reshape(quantity.shape_of(self._bare))
                if np.isfinite(result).all():
                    return result
        return self.compiled(key)(*arguments)

    def _payload_of(self, key: Key) -> list[Array]:
        """The payload, if the program takes it."""
        taken = self._payload is not None and quantity_of(key).of_inertia
        return [self._payload] if taken and self._payload is not None else []
