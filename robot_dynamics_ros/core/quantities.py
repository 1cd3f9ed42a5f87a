"""The table of all quantities, and the compiled ones of a robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .algorithms import (
    aba,
    center_of_mass,
    coriolis,
    crba,
    derivatives,
    energy,
    external_forces,
    forward_dynamics_derivatives,
    joint_space,
    kinematics,
    rnea,
)
from .algorithms import regressor as regression
from .algorithms.kinematics import AXES
from .checks import Array, checked_name
from .codegen.kernel import Backend, Kernel
from .codegen.program import Program, trace
from .errors import ParameterError, UnknownNameError
from .model.attachment import with_load
from .model.base_parameters import regrouped
from .model.inertial_parameters import PARAMETERS
from .model.robot import RobotModel
from .task.twist_rows import SPATIAL_ENTRIES

if TYPE_CHECKING:
    from .codegen.native.object_code import ObjectCode

Table = dict[str, tuple[Callable[..., Any], tuple[str, ...]]]

# Quantity: the algorithm, and the vectors that it takes after the model.
QUANTITIES: Table = {
    'inverse_dynamics': (rnea.inverse_dynamics, ('q', 'v', 'a', 'gravity')),
    'gravity_torque': (rnea.gravity_torque, ('q', 'gravity')),
    'bias_torque': (rnea.bias_torque, ('q', 'v', 'gravity')),
    'torque_terms': (rnea.torque_terms, ('q', 'v', 'a', 'gravity')),
    'mass_matrix': (crba.mass_matrix, ('q',)),
    'coriolis_matrix': (coriolis.coriolis_matrix, ('q', 'v')),
}
# For simulation, optimisation and identification.
ANALYSES: Table = {
    'forward_dynamics': (aba.forward_dynamics, ('q', 'v', 'tau', 'gravity')),
    'mass_matrix_inverse': (joint_space.mass_matrix_inverse, ('q',)),
    'inverse_dynamics_derivatives': (
        derivatives.inverse_dynamics_derivatives,
        ('q', 'v', 'a', 'gravity'),
    ),
    'forward_dynamics_derivatives': (
        forward_dynamics_derivatives.forward_dynamics_derivatives,
        ('q', 'v', 'tau', 'gravity'),
    ),
    'regressor': (regression.regressor, ('q', 'v', 'a', 'gravity')),
    'kinetic_energy': (energy.kinetic_energy, ('q', 'v')),
    'potential_energy': (energy.potential_energy, ('q', 'gravity')),
    'momentum': (energy.momentum, ('q', 'v')),
    'center_of_mass': (center_of_mass.center_of_mass, ('q',)),
    'center_of_mass_jacobian': (center_of_mass.center_of_mass_jacobian, ('q',)),
    'frame_poses': (kinematics.frame_poses, ('q',)),
}
# These take a frame too, and the Jacobians axes.
FRAME_QUANTITIES: Table = {
    'frame_pose': (kinematics.frame_pose, ('q',)),
    'jacobian': (kinematics.jacobian, ('q',)),
    'jacobian_derivative': (kinematics.jacobian_derivative, ('q', 'v')),
    'external_torque': (external_forces.external_torque, ('q', 'wrench')),
}
EVERY_QUANTITY: Table = QUANTITIES | ANALYSES | FRAME_QUANTITIES

# What the inertia of the bodies does not enter.
WITHOUT_INERTIA = {'regressor', 'frame_poses', *FRAME_QUANTITIES}

# What the regrouped parameters of the bodies give; see `regrouped`. Not C: that of one joint is
# zero but for rounding, and with other bodies it rounds to something else in C and in LLVM.
OF_TORQUES = {*QUANTITIES, 'inverse_dynamics_derivatives'} - {'coriolis_matrix'}

# Names of the entries of vectors that do not have one entry per joint.
LABELS = {
    'gravity': ('x', 'y', 'z'),
    'wrench': SPATIAL_ENTRIES,
    'payload': PARAMETERS,
}
# Quantities of a frame whose axes are those of the base.
WITHOUT_AXES = ('frame_pose', 'external_torque')

# A quantity; for one of a frame, with the names of the frame and of the axes.
Key = str | tuple[str, str] | tuple[str, str, str]


def key_of(quantity: str, frame: str | None = None, axes: str | None = None) -> Key:
    """The key of a quantity in `CompiledQuantities`.

    Args:
        quantity: one of `EVERY_QUANTITY`.
        frame: name of a link, for the quantities of a frame.
        axes: of a Jacobian; LOCAL_WORLD_ALIGNED if not given.

    Raises:
        UnknownNameError: there is no such quantity.
        ParameterError: a frame is missing, the quantity takes no frame or no axes, one of the
            three is not a str, or there are no such axes.
    """
    if checked_name('quantity', quantity) not in EVERY_QUANTITY:
        raise UnknownNameError('quantity', quantity, tuple(EVERY_QUANTITY))
    takes_axes = quantity in FRAME_QUANTITIES and quantity not in WITHOUT_AXES
    if axes is not None and not takes_axes:
        raise ParameterError(f'{quantity} takes no axes, got {axes!r}: leave them out')
    if quantity not in FRAME_QUANTITIES:
        if frame is not None:
            raise ParameterError(f'{quantity} takes no frame, got {frame!r}: leave it out')
        return quantity
    if frame is None:
        raise ParameterError(
            f'{quantity} needs a frame: name one, bind({quantity!r}, ..., frame=...) or '
            f'compile(({quantity!r}, ...))'
        )
    checked_name('frame', frame)
    if not takes_axes:
        return quantity, frame
    if axes is None:
        return quantity, frame, 'LOCAL_WORLD_ALIGNED'
    if axes not in AXES:
        raise ParameterError(f'axes are {axes!r}, allowed are {", ".join(AXES)}')
    return quantity, frame, axes


def labels_of(model: RobotModel, key: Key, *, payload: bool = False) -> dict[str, Sequence[str]]:
    """Names of the entries of each input vector that the program of a quantity takes, in order.

    Args:
        model: the robot.
        key: of the quantity.
        payload: whether the payload of a body is an input; it comes last.
    """
    quantity = _quantity(key)
    _, names = EVERY_QUANTITY[quantity]
    if payload and quantity not in WITHOUT_INERTIA:
        names = (*names, 'payload')
    return {name: LABELS.get(name, model.joint_names) for name in names}


def traced(
    model: RobotModel, key: Key, payload_body: int | None = None
) -> tuple[Program, dict[str, Sequence[str]]]:
    """The program of a quantity for one robot, and the names of the entries of its inputs.

    Args:
        model: the robot.
        key: of the quantity.
        payload_body: index of the joint on whose body a payload is an input; None for none.

    Raises:
        UnknownNameError: no link has the name of the frame.
    """
    quantity, *options = (key,) if isinstance(key, str) else key
    algorithm, names = EVERY_QUANTITY[quantity]
    labels = labels_of(model, key, payload=payload_body is not None)
    frame = {'frame': model.frame(options[0])} if options else {}
    axes = {'axes': options[1]} if len(options) > 1 else {}

    def specialised(*vectors: Any) -> Any:
        loaded, payload = model, vectors[len(names) :]
        if payload and payload_body is not None:
            loaded = replace(model, joints=with_load(model.joints, payload_body, *payload))
        if quantity in OF_TORQUES:
            loaded = regrouped(loaded, payload_body)
        return algorithm(loaded, *vectors[: len(names)], **frame, **axes)

    sizes = {name: len(entries) for name, entries in labels.items()}
    return trace(quantity, specialised, sizes), labels


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
        if self.payload is None or _quantity(key) in WITHOUT_INERTIA:
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

    def object_code(self, key: Key) -> ObjectCode:
        """The quantity compiled for another process on this machine, see `load`."""
        from .codegen.native.object_code import ObjectCode

        return ObjectCode.of(traced(self.model, key, self._payload_body)[0])

    def load(self, key: Key, code: ObjectCode) -> None:
        """Use a quantity that another process has compiled, for the same robot.

        Raises:
            NativeCodeError: the code computes something else than it did there.
        """
        labels = labels_of(self.model, key, payload=self._payload_body is not None)
        # It does not hold this object, which holds the kernel.
        program = partial(_program, self.model, key, self._payload_body)
        self._kernels[key] = Kernel.loaded(code, program, labels, self._threads)


def _program(model: RobotModel, key: Key, payload_body: int | None) -> Program:
    return traced(model, key, payload_body)[0]


def _quantity(key: Key) -> str:
    return key if isinstance(key, str) else key[0]
