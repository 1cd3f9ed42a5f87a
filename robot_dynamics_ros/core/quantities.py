"""The table of all quantities, and the compiled ones of a robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .algorithms import (
    aba,
    coriolis,
    crba,
    derivatives,
    energy,
    external_forces,
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
from .model.robot import RobotModel
from .task.twist_rows import SPATIAL_ENTRIES

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
    'regressor': (regression.regressor, ('q', 'v', 'a', 'gravity')),
    'kinetic_energy': (energy.kinetic_energy, ('q', 'v')),
    'potential_energy': (energy.potential_energy, ('q', 'gravity')),
    'momentum': (energy.momentum, ('q', 'v')),
}
# These take a frame too, and the Jacobians axes.
FRAME_QUANTITIES: Table = {
    'frame_pose': (kinematics.frame_pose, ('q',)),
    'jacobian': (kinematics.jacobian, ('q',)),
    'jacobian_derivative': (kinematics.jacobian_derivative, ('q', 'v')),
    'external_torque': (external_forces.external_torque, ('q', 'wrench')),
}
EVERY_QUANTITY: Table = QUANTITIES | ANALYSES | FRAME_QUANTITIES

# Names of the entries of vectors that do not have one entry per joint.
LABELS = {
    'gravity': ('x', 'y', 'z'),
    'wrench': SPATIAL_ENTRIES,
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


def traced(model: RobotModel, key: Key) -> tuple[Program, dict[str, Sequence[str]]]:
    """The program of a quantity for one robot, and the names of the entries of its inputs.

    Raises:
        UnknownNameError: no link has the name of the frame.
    """
    quantity, *options = (key,) if isinstance(key, str) else key
    algorithm, names = EVERY_QUANTITY[quantity]
    labels: dict[str, Sequence[str]] = {
        name: LABELS.get(name, model.joint_names) for name in names
    }
    sizes = {name: len(labels[name]) for name in names}
    frame = {'frame': model.frame(options[0])} if options else {}
    axes = {'axes': options[1]} if len(options) > 1 else {}
    specialised = partial(algorithm, model, **frame, **axes)
    return trace(quantity, specialised, sizes), labels


class CompiledQuantities(dict[Key, Callable[..., Array]]):
    """The compiled quantities of a robot by `key_of`; a missing one is compiled on access."""

    def __init__(self, model: RobotModel, backend: Backend) -> None:
        """Start with nothing compiled.

        Args:
            model: the robot.
            backend: with which to compile.
        """
        super().__init__()
        self._model = model
        self._backend = backend
        self._kernels: dict[Key, Kernel] = {}

    def kernel(self, key: Key) -> Kernel:
        """The compiled quantity as a `Kernel`, which can also be bound to arrays.

        Raises:
            UnknownNameError: no link has the name of the frame.
        """
        self[key]
        return self._kernels[key]

    def __missing__(self, key: Key) -> Callable[..., Array]:
        program, labels = traced(self._model, key)
        self._kernels[key] = Kernel(program, labels, self._backend)
        self[key] = self._kernels[key].call
        return self[key]
