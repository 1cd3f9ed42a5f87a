"""The compiled programs of a robot, and the payload that they take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .checks import Array
from .compiler.kernel import Backend, Kernel
from .errors import InertiaError
from .model.robot import RobotModel
from .quantity import Key, quantity_of, traced


class Programs(dict[Key, Callable[..., Array]]):
    """The compiled programs of a robot by `Quantity.key`; a missing one is compiled on access.

    Where payloads on a body are an input, all robots that differ in these alone share the compiled
    code.
    """

    def __init__(
        self, model: RobotModel, backend: Backend, threads: int, payload_frame: str | None = None
    ) -> None:
        """Start with nothing compiled.

        Args:
            model: the robot, with its payloads.
            backend: with which to compile.
            threads: that may compute a batch.
            payload_frame: link on whose body payloads are an input; None for none.

        Raises:
            UnknownNameError: no link has the name `payload_frame`.
            ParameterError: that link does not move, or is no name.
        """
        super().__init__()
        self._bare = model
        self._payload: Array | None = None
        self._body = None if payload_frame is None else model.moving_body(payload_frame)
        if self._body is not None:
            self._bare, parameters = model.without_load(self._body)
            self._payload = np.array(parameters, dtype=np.float64)
            self._payload.flags.writeable = False
        self._backend, self._threads, self._payload_frame = backend, threads, payload_frame
        # What a robot does not have is remembered too: to trace it again takes as long.
        self._kernels: dict[Key, Kernel | InertiaError] = {}

    def of(self, model: RobotModel) -> Programs:
        """The programs of another robot: the same if it differs in payloads that are an input."""
        other = Programs(model, self._backend, self._threads, self._payload_frame)
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
        call, payload = self.kernel(key).call, self._payload_of(key)

        def with_payload(*arguments: Any) -> Array:
            return call(*arguments[:-1], *payload, arguments[-1])

        self[key] = with_payload if payload else call
        return self[key]

    def _payload_of(self, key: Key) -> list[Array]:
        """The payload, if the program takes it."""
        taken = self._payload is not None and quantity_of(key).of_inertia
        return [self._payload] if taken and self._payload is not None else []
