"""The compiled quantities of a robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .checks import Array
from .compiler.kernel import Backend, Kernel
from .model.robot import RobotModel
from .quantity import Key, quantity_of, traced


class CompiledQuantities(dict[Key, Callable[..., Array]]):
    """The compiled quantities of a robot by `key_of`; a missing one is compiled on access.

    Attributes:
        model: the robot; without the payload that is an input.
        payload: (10,) inertial parameters of the payload that is an input; None if none is.
    """

    def __init__(
        self,
        model: RobotModel,
        backend: Backend,
        threads: int,
        payload_body: int | None = None,
        payload: Array | None = None,
    ) -> None:
        """Start with nothing compiled.

        Args:
            model: the robot, without payloads on `payload_body`.
            backend: with which to compile.
            threads: that may compute a batch.
            payload_body: index of the joint whose body carries the payload that is an input; None
                for no such input.
            payload: see the attribute.
        """
        super().__init__()
        self.model = model
        self.payload = payload
        self._payload_body = payload_body
        self._backend = backend
        self._threads = threads
        self._kernels: dict[Key, Kernel] = {}

    def with_payload(self, payload: Array) -> CompiledQuantities:
        """The same programs, with another payload as their input."""
        other = CompiledQuantities(
            self.model, self._backend, self._threads, self._payload_body, payload
        )
        # What one of them compiles, the other has.
        other._kernels = self._kernels
        return other

    def bind(self, key: Key, inputs: Sequence[Array], out: Array) -> Callable[[], None]:
        """A function that computes a quantity from these arrays into `out`; see `Kernel.bind`.

        Raises:
            UnknownNameError: no link has the name of the frame.
            StateError: an array would have to be converted or copied.
        """
        return self.kernel(key).bind([*inputs, *self._payload_of(key)], out)

    def __missing__(self, key: Key) -> Callable[..., Array]:
        call, constant = self.kernel(key).call, self._payload_of(key)
        if constant:

            def with_payload(*arguments: Any) -> Any:
                return call(*arguments[:-1], *constant, arguments[-1])

            self[key] = with_payload
        else:
            self[key] = call
        return self[key]

    def _payload_of(self, key: Key) -> list[Array]:
        """The payload, if the program of the quantity takes it."""
        if self.payload is None or not quantity_of(key).of_inertia:
            return []
        return [self.payload]

    def kernel(self, key: Key) -> Kernel:
        """The compiled quantity as a `Kernel`, which can also be bound to arrays.

        Raises:
            UnknownNameError: no link has the name of the frame.
        """
        if key not in self._kernels:
            program, labels = traced(self.model, key, self._payload_body)
            self._kernels[key] = Kernel(program, labels, self._backend, self._threads)
        return self._kernels[key]
