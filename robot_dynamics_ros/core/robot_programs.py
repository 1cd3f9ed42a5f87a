"""The part of `RobotDynamics` about its programs, and the gravity and payload that they take."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from .algorithms.kinematics import Axes
from .checks import Array, checked_gravity
from .compiled_quantities import CompiledQuantities
from .compiler.kernel import Backend, choose_backend
from .compiler.threads import checked_threads
from .errors import ParameterError, StateError, TopologyError
from .model.gravity import STANDARD_GRAVITY
from .model.payload import Payload
from .model.robot import RobotModel
from .quantity import PROGRAMS, Key, key_of

Programs = TypeVar('Programs', bound='RobotPrograms')


class RobotPrograms:
    """A robot, its back end, and the gravity and payload that its programs compute with."""

    model: RobotModel
    _call: CompiledQuantities
    _gravity: Array

    def __init__(
        self,
        model: RobotModel,
        *,
        gravity: npt.ArrayLike = STANDARD_GRAVITY,
        backend: Backend | None = None,
        threads: int | None = None,
        payload_frame: str | None = None,
    ) -> None:
        """Choose the back end; nothing is compiled yet.

        Args:
            model: the robot.
            gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
            backend: None for native code where llvmlite is installed, else plain Python.
            threads: that may compute a batch; None for one for each core that the process may
                use. Small batches use one. The results do not depend on it.
            payload_frame: name of a link. Payloads on it, and on what is fixed to it, become
                inputs of the compiled programs: `with_checked_payload` and `without_payload`
                then compile nothing. Calls take about 5 % longer.

        Raises:
            UnknownNameError: no link has the name `payload_frame`.
            TopologyError: the robot has no moving joint.
            ParameterError: the back end does not exist or does not work here, `threads` is not a
                whole number from 1 on, the model is not a RobotModel, or the link `payload_frame`
                does not move.
            StateError: gravity is not three finite numbers, or above 100 m/s^2.
        """
        if not isinstance(model, RobotModel):
            raise ParameterError(
                f'model is a {type(model).__name__}: a RobotModel is needed, from parse_urdf'
            )
        if not model.size:
            raise TopologyError(f'robot {model.name!r} has no moving joint: nothing to compute')
        super().__init__()
        self.model = model
        self.backend, self.backend_description = choose_backend(backend)
        self._wanted_backend = backend
        self._wanted_threads = threads
        self._gravity: Array = np.zeros(3)
        self.gravity = gravity
        self.threads = checked_threads(threads)
        self.payload_frame = payload_frame
        bare, body, payload = self._split(model)
        self._call = CompiledQuantities(bare, self.backend, self.threads, body, payload)

    def __reduce__(self) -> tuple[Callable[..., RobotPrograms], tuple[RobotModel]]:
        """For pickle and deepcopy: the copy compiles anew, compiled code belongs to a process."""
        rebuild = partial(
            type(self),
            gravity=self.gravity,
            backend=self._wanted_backend,
            threads=self._wanted_threads,
            payload_frame=self.payload_frame,
        )
        return rebuild, (self.model,)

    def __copy__(self: Programs) -> Programs:
        return self.with_gravity(self._gravity)

    @property
    def gravity(self) -> Array:
        """(3,) acceleration of free fall, in the base frame [m/s^2], read-only.

        Change it by assignment of a whole vector, at any time: `dynamics.gravity = (0, 0, -9.81)`.
        """
        gravity = self._gravity.copy()
        # `dynamics.gravity[2] = 0` would change this copy alone: it raises ValueError instead.
        gravity.flags.writeable = False
        return gravity

    @gravity.setter
    def gravity(self, value: npt.ArrayLike) -> None:
        self._gravity[:] = checked_gravity(value)

    def with_gravity(self: Programs, gravity: npt.ArrayLike) -> Programs:
        """The same robot under another gravity (3,) [m/s^2]; shares the compiled programs.

        For a base mounted at an angle see `mounted_gravity`.

        Raises:
            StateError: gravity is not three finite numbers, or above 100 m/s^2.
        """
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other._gravity = checked_gravity(gravity)
        return other

    def with_checked_payload(self: Programs, payload: Payload) -> Programs:
        """The same robot with this payload beside its others; one of the same name is replaced.

        On the body of `payload_frame` it shares the compiled programs; elsewhere, it compiles its
        own when they are asked for.

        Raises:
            UnknownNameError: the link of the payload does not exist.
            ParameterError: the link of the payload does not move.
        """
        return self._of(self.model.with_checked_payload(payload))

    def without_payload(self: Programs, name: str = 'payload') -> Programs:
        """The same robot without the payload of that name; see `with_checked_payload`.

        Where the programs are shared, results are those before the payload, to the last bit.

        Raises:
            UnknownNameError: no payload has that name.
        """
        return self._of(self.model.without_payload(name))

    def takes_payload_on(self, frame: str) -> bool:
        """Whether a payload on a link is an input, so that attaching it compiles nothing.

        Raises:
            UnknownNameError: no link has that name.
        """
        body = self.model.frame(frame).body
        given = self.payload_frame
        return given is not None and body == self.model.frame(given).body

    def _of(self: Programs, model: RobotModel) -> Programs:
        """The dynamics of this robot with other payloads."""
        other = self.with_gravity(self._gravity)
        other.model = model
        bare, body, payload = self._split(model)
        if payload is not None and bare == self._call.model:
            other._call = self._call.with_payload(payload)
        else:
            other._call = CompiledQuantities(bare, self.backend, self.threads, body, payload)
        return other

    def _split(self, model: RobotModel) -> tuple[RobotModel, int | None, Array | None]:
        """The robot to compile; the body whose payload is an input, and that payload (10,)."""
        if self.payload_frame is None:
            return model, None, None
        body = model.frame(self.payload_frame).body
        if body < 0:
            raise ParameterError(
                f'payload_frame: link {self.payload_frame!r} is fixed to the base and moves with '
                'no joint; name a link that moves'
            )
        bare, parameters = model.without_load(body)
        payload = np.array(parameters, dtype=np.float64)
        payload.flags.writeable = False
        return bare, body, payload

    def compile(self, *quantities: Key) -> None:
        """Compile quantities now, so that their first call is as fast as the others.

        Args:
            quantities: names of methods; for a quantity of a frame a tuple,
                `('jacobian', frame)` or `('jacobian', frame, axes)`.

        Raises:
            UnknownNameError: no method, or no link, has that name.
            ParameterError: as for `bind`.
            NativeCodeError: native code computes other values than plain Python.
        """
        for quantity in quantities:
            names = quantity if isinstance(quantity, tuple) else (quantity,)
            if not 1 <= len(names) <= 3:
                raise ParameterError(f'{names} is not (quantity, frame, axes)')
            self._call[key_of(*names)]

    def bind(
        self,
        quantity: str,
        *inputs: Array,
        out: Array,
        frame: str | None = None,
        axes: Axes | None = None,
    ) -> Callable[[], None]:
        """A function that computes a quantity from these arrays into `out`, in place.

        The function allocates and converts nothing: use it in a control loop. It raises StateError
        for a value that is not finite, and for an array that has been resized, reshaped or made
        read-only since. It leaves `out` as it was then; of a batch, rows other than the one that
        is named may have been written.

        With rows (N, n) it computes a batch, and costs as much as a call.

        Args:
            quantity: name of a method.
            inputs: the arguments of that method: contiguous float64 arrays, (n,) or (N, n).
            out: contiguous float64 array of the shape of the result, which shares no memory with
                the inputs; for frame_pose (3, 4), the rotation and the origin beside it.
                Its shape begins with N if an input has rows.
            frame: name of a link, for the quantities of a frame.
            axes: of a Jacobian; LOCAL_WORLD_ALIGNED if not given.

        Raises:
            UnknownNameError: no method, or no link, has that name.
            ParameterError: a frame is missing, the quantity takes no frame or no axes, or there
                are no such axes.
            StateError: an array would have to be converted or copied.
        """
        key = key_of(quantity, frame, axes)
        expected = PROGRAMS[quantity].arguments
        if len(inputs) != len(expected):
            raise StateError(
                f'bind: {quantity} takes {len(expected)} inputs ({", ".join(expected)}), '
                f'got {len(inputs)}'
            )
        gravity = [self._gravity] if 'gravity' in PROGRAMS[quantity].inputs else []
        return self._call.bind(key, [*inputs, *gravity], out)
