"""The table of all quantities, and their programs for one robot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

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
    momentum_terms,
    observer_step,
    rnea,
)
from .algorithms import regressor as regression
from .algorithms.kinematics import AXES
from .checks import checked_name
from .compiler.program import Program, trace
from .errors import ParameterError, UnknownNameError
from .model.friction import coefficient_names
from .model.inertial_parameters import PARAMETERS, regrouped, with_load
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
    'forward_dynamics_derivatives': (
        forward_dynamics_derivatives.forward_dynamics_derivatives,
        ('q', 'v', 'tau', 'gravity'),
    ),
    'regressor': (regression.regressor, ('q', 'v', 'a', 'gravity')),
    'kinetic_energy': (energy.kinetic_energy, ('q', 'v')),
    'potential_energy': (energy.potential_energy, ('q', 'gravity')),
    'momentum': (energy.momentum, ('q', 'v')),
    'momentum_terms': (momentum_terms.momentum_terms, ('q', 'v')),
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
# Parts of what is computed from sample to sample: no quantities of a state, and not exported.
STEPS: Table = {
    'observer_step': (
        observer_step.observer_step,
        ('q', 'v', 'effort', *observer_step.SETTINGS, 'interval', 'previous', 'gravity'),
    ),
}
EVERY_PROGRAM: Table = EVERY_QUANTITY | STEPS

# What the inertia of the bodies does not enter.
WITHOUT_INERTIA = {'regressor', 'frame_poses', *FRAME_QUANTITIES}

# What the regrouped parameters of the bodies give; see `regrouped`. Not C: that of one joint is
# zero but for rounding, and with other bodies it rounds to something else in C and in LLVM.
OF_TORQUES = {
    *(set(QUANTITIES) - {'coriolis_matrix'}),
    'inverse_dynamics_derivatives',
    'momentum_terms',
    'observer_step',
}

# Names of the entries of vectors that do not have one entry per joint.
LABELS = {
    'gravity': ('x', 'y', 'z'),
    'wrench': SPATIAL_ENTRIES,
    'payload': PARAMETERS,
    'interval': observer_step.INTERVAL,
}
# Quantities of a frame whose axes are those of the base.
WITHOUT_AXES = ('frame_pose', 'external_torque')

# A quantity; for one of a frame, with the names of the frame and of the axes.
Key = str | tuple[str, str] | tuple[str, str, str]


def key_of(quantity: str, frame: str | None = None, axes: str | None = None) -> Key:
    """The key of a quantity in `CompiledQuantities`.

    Args:
        quantity: one of `EVERY_PROGRAM`.
        frame: name of a link, for the quantities of a frame.
        axes: of a Jacobian; LOCAL_WORLD_ALIGNED if not given.

    Raises:
        UnknownNameError: there is no such quantity.
        ParameterError: a frame is missing, the quantity takes no frame or no axes, one of the
            three is not a str, or there are no such axes.
    """
    if checked_name('quantity', quantity) not in EVERY_PROGRAM:
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


def quantity_of(key: Key) -> str:
    """The quantity of a key, without frame and axes."""
    return key if isinstance(key, str) else key[0]


def labels_of(model: RobotModel, key: Key, *, payload: bool = False) -> dict[str, Sequence[str]]:
    """Names of the entries of each input vector that the program of a quantity takes, in order.

    Args:
        model: the robot.
        key: of the quantity.
        payload: whether the payload of a body is an input; it comes last.
    """
    quantity = quantity_of(key)
    _, names = EVERY_PROGRAM[quantity]
    if payload and quantity not in WITHOUT_INERTIA:
        names = (*names, 'payload')
    return {name: _labels_of_input(model, name) for name in names}


def _labels_of_input(model: RobotModel, name: str) -> Sequence[str]:
    """Names of the entries of an input vector."""
    if name == 'friction':
        return coefficient_names(model)
    if name == 'previous':
        return [f'{row} of {joint}' for row in observer_step.STATE for joint in model.joint_names]
    return LABELS.get(name, model.joint_names)


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
    algorithm, names = EVERY_PROGRAM[quantity]
    labels = labels_of(model, key, payload=payload_body is not None)
    frame = {'frame': model.frame(options[0])} if options else {}
    axes = {'axes': options[1]} if len(options) > 1 else {}

    def specialised(*vectors: Any) -> Any:
        loaded, payload = model, vectors[len(names) :]
        if payload and payload_body is not None:
            loaded = replace(model, joints=with_load(model.joints, payload_body, *payload))
        if quantity in OF_TORQUES:
            loaded = replace(loaded, joints=regrouped(loaded.joints, payload_body))
        return algorithm(loaded, *vectors[: len(names)], **frame, **axes)

    sizes = {name: len(entries) for name, entries in labels.items()}
    return trace(quantity, specialised, sizes), labels
