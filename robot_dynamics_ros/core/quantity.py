"""The quantities: one record each, from which everything that offers or describes them is made.

To add one, write its algorithm, its record below, and its method in `RobotDynamics`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from .algorithms import (
    aba,
    centroidal,
    coriolis,
    crba,
    derivatives,
    friction,
    kinematics,
    observer,
    regressor,
    rnea,
)
from .algorithms.kinematics import AXES
from .checks import Array, checked_name
from .compiler.program import Program, trace
from .errors import ParameterError, UnknownNameError
from .friction import coefficient_names
from .model.gravity import STANDARD_GRAVITY
from .model.inertial_parameters import PARAMETERS, regrouped, with_load
from .model.robot import RobotModel
from .task import SPATIAL_ENTRIES

# Names of the entries of a vector, or along an axis of a result, in their order.
Labels = Sequence[str]


@dataclass(frozen=True)
class Input:
    """A vector that quantities take.

    Attributes:
        text: what it is, with its unit.
        labels: gives the names of its entries, for a robot.
    """

    text: str
    labels: Callable[[RobotModel], Labels] = attrgetter('joint_names')


INPUTS: Mapping[str, Input] = {
    'q': Input('positions [rad or m]'),
    'v': Input('velocities [rad/s or m/s]'),
    'a': Input('accelerations [rad/s^2 or m/s^2]'),
    'tau': Input('torques or forces of the joints [N m or N], positive along +v'),
    'v_reference': Input('velocities of a reference [rad/s or m/s]'),
    'a_reference': Input('accelerations of a reference [rad/s^2 or m/s^2]'),
    'gravity': Input(
        'acceleration of free fall (x, y, z) in the axes of the root link [m/s^2]: (0, 0, -9.81) '
        'where its z axis points up; other values for a base on a wall or a ceiling',
        lambda model: ('x', 'y', 'z'),
    ),
    'wrench': Input(
        'what acts on the robot: force (x, y, z) [N], then moment (x, y, z) about the origin of '
        'the frame [N m], both in the axes of the root link',
        lambda model: SPATIAL_ENTRIES,
    ),
    'payload': Input(
        'inertial parameters m, m c (x, y, z), Ixx, Ixy, Iyy, Ixz, Iyz, Izz of what is fixed to '
        'a body, about the origin of the frame of its joint, in its axes [kg, kg m, kg m^2]; '
        'zeros for none',
        lambda model: PARAMETERS,
    ),
    'effort': Input('measured torques or forces of the drives [N m or N]'),
    'friction': Input('coefficients, see `JointFriction.coefficients`', coefficient_names),
    'load': Input('torques that the joints transmit, of any sign [N m or N]'),
    'speed': Input('velocities for which friction is known [rad/s or m/s]'),
    'travel': Input('way since the step before [rad or m]'),
    'slip': Input(
        'states of pre-sliding of the step before',
        lambda model: [
            f'slip {k} of {joint}' for k in range(friction.SLIPS) for joint in model.joint_names
        ],
    ),
    'offset': Input('constant torques that the drives need beside the model [N m or N]'),
    'rates': Input('of the observer [1/s]'),
    'interval': Input('see `observer_step`', lambda model: observer.INTERVAL),
    'previous': Input(
        'the result of the step before',
        lambda model: [
            f'{row} of {joint}' for row in observer.STATE for joint in model.joint_names
        ],
    ),
}

# Axes of results whose length depends on the robot.
RESULT_AXES: Mapping[str, Callable[[RobotModel], Labels]] = {
    'n': attrgetter('joint_names'),
    'frames': lambda model: [frame.name for frame in model.frames],
    '10 bodies': lambda model: [
        f'{parameter} of {joint.name}' for joint in model.joints for parameter in PARAMETERS
    ],
}


@dataclass(frozen=True)
class Quantity:
    """What a method of `RobotDynamics` computes.

    Attributes:
        name: of the method.
        algorithm: takes the model, each input as a sequence of scalars, then the frame and the
            axes where the quantity has them; returns a scalar, or nested lists of them.
        inputs: names of the vectors after the model, of `INPUTS`.
        shape: of the result: numbers, and names of `RESULT_AXES`.
        text: what it is, in a few words.
        unit: SI; of several, in the order of the text, or those of turning and sliding joints.
        of_frame: whether it takes a frame, the name of a link.
        takes_axes: whether it takes the axes of a twist, `Axes`.
        of_inertia: whether the inertia of the bodies enters, and so a payload.
        regrouped: whether the regrouped parameters of the bodies give it, see `regrouped`. Not C:
            that of one joint is zero but for rounding, and with other bodies it rounds to
            something else in C and in LLVM.
    """

    name: str
    algorithm: Callable[..., Any]
    inputs: tuple[str, ...]
    shape: tuple[int | str, ...]
    text: str
    unit: str
    of_frame: bool = False
    takes_axes: bool = False
    of_inertia: bool = True
    regrouped: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        """The inputs that the method takes: without gravity, which belongs to the robot."""
        return tuple(name for name in self.inputs if name != 'gravity')

    @property
    def summary(self) -> str:
        """Text, shape and unit in one sentence, with which the docstring of the method begins."""
        axes = ', '.join(map(str, self.shape)) + (',' if len(self.shape) == 1 else '')
        shape = f'shape ({axes})' if self.shape else 'a number'
        return f'{self.text}, {shape} [{self.unit}].'

    def shape_of(self, model: RobotModel) -> tuple[int, ...]:
        """The shape of the result for one robot."""
        return tuple(
            len(RESULT_AXES[axis](model)) if isinstance(axis, str) else axis for axis in self.shape
        )

    def labels(self, model: RobotModel, *, payload: bool = False) -> dict[str, Labels]:
        """Names of the entries of each input, in order.

        Args:
            model: the robot.
            payload: whether the payload of a body is an input; it comes last.
        """
        names = (*self.inputs, 'payload') if payload and self.of_inertia else self.inputs
        return {name: INPUTS[name].labels(model) for name in names}

    def key(self, frame: str | None = None, axes: str | None = None) -> Key:
        """The key of its program; axes are LOCAL_WORLD_ALIGNED if not given.

        Raises:
            ParameterError: a frame is missing, the quantity takes no frame or no axes, one of the
                two is not a str, or there are no such axes.
        """
        if axes is not None and not self.takes_axes:
            raise ParameterError(f'{self.name} takes no axes, got {axes!r}: leave them out')
        if not self.of_frame:
            if frame is not None:
                raise ParameterError(f'{self.name} takes no frame, got {frame!r}: leave it out')
            return self.name
        if frame is None:
            raise ParameterError(
                f'{self.name} needs a frame: name one, bind({self.name!r}, ..., frame=...) or '
                f'compile(({self.name!r}, ...))'
            )
        checked_name('frame', frame)
        if not self.takes_axes:
            return self.name, frame
        chosen = 'LOCAL_WORLD_ALIGNED' if axes is None else axes
        if chosen not in AXES:
            raise ParameterError(f'axes are {axes!r}, allowed are {", ".join(AXES)}')
        return self.name, frame, chosen


# A quantity; for one of a frame, with the names of the frame and of the axes.
Key = str | tuple[str, str] | tuple[str, str, str]


def _by_name(*quantities: Quantity) -> dict[str, Quantity]:
    return {quantity.name: quantity for quantity in quantities}


QUANTITIES: Mapping[str, Quantity] = _by_name(
    Quantity(
        'inverse_dynamics', rnea.inverse_dynamics, ('q', 'v', 'a', 'gravity'), ('n',),
        'tau = M(q) a + C(q, v) v + g(q)', 'N m or N', regrouped=True,
    ),
    Quantity(
        'gravity_torque', rnea.gravity_torque, ('q', 'gravity'), ('n',),
        'g(q), the torque that holds the robot still', 'N m or N', regrouped=True,
    ),
    Quantity(
        'bias_torque', rnea.bias_torque, ('q', 'v', 'gravity'), ('n',),
        'C(q, v) v + g(q), the torque that gives no acceleration', 'N m or N', regrouped=True,
    ),
    Quantity(
        'torque_terms', rnea.torque_terms, ('q', 'v', 'a', 'gravity'), (3, 'n'),
        'Rows g(q), C(q, v) v and M(q) a, whose sum is tau', 'N m or N', regrouped=True,
    ),
    Quantity(
        'passivity_torque', rnea.passivity_torque,
        ('q', 'v', 'v_reference', 'a_reference', 'gravity'), ('n',),
        'M(q) a_reference + C(q, v) v_reference + g(q)', 'N m or N', regrouped=True,
    ),
    Quantity(
        'mass_matrix', crba.mass_matrix, ('q',), ('n', 'n'),
        'M(q), full and symmetric', 'kg m^2, kg m or kg', regrouped=True,
    ),
    Quantity(
        'coriolis_matrix', coriolis.coriolis_matrix, ('q', 'v'), ('n', 'n'),
        'C(q, v): dM/dt - 2 C is skew-symmetric', 'kg m^2/s, kg m/s or kg/s',
    ),
    Quantity(
        'momentum_terms', observer.momentum_terms, ('q', 'v'), (2, 'n'),
        'Rows p = M(q) v and C(q, v)^T v', 'N m s or N s; N m or N', regrouped=True,
    ),
    Quantity(
        'forward_dynamics', aba.forward_dynamics, ('q', 'v', 'tau', 'gravity'), ('n',),
        'The acceleration a that the torques tau give', 'rad/s^2 or m/s^2',
    ),
    Quantity(
        'mass_matrix_inverse', crba.mass_matrix_inverse, ('q',), ('n', 'n'),
        'M(q)^-1, full and symmetric', '1/(kg m^2), 1/(kg m) or 1/kg',
    ),
    Quantity(
        'inverse_dynamics_derivatives', derivatives.inverse_dynamics_derivatives,
        ('q', 'v', 'a', 'gravity'), (3, 'n', 'n'),
        'dtau/dq, dtau/dv and dtau/da = M', 'unit of tau per unit of q, v and a', regrouped=True,
    ),
    Quantity(
        'forward_dynamics_derivatives', derivatives.forward_dynamics_derivatives,
        ('q', 'v', 'tau', 'gravity'), (3, 'n', 'n'),
        'da/dq, da/dv and da/dtau = M^-1', 'unit of a per unit of q, v and tau',
    ),
    Quantity(
        'regressor', regressor.regressor, ('q', 'v', 'a', 'gravity'), ('n', '10 bodies'),
        'Y with tau = Y pi, without armature', 'N m or N per unit of pi', of_inertia=False,
    ),
    Quantity(
        'kinetic_energy', centroidal.kinetic_energy, ('q', 'v'), (),
        'v^T M(q) v / 2 of the moving bodies', 'J',
    ),
    Quantity(
        'potential_energy', centroidal.potential_energy, ('q', 'gravity'), (),
        'U with dU/dq = g(q), zero for mass at the base origin', 'J',
    ),
    Quantity(
        'momentum', centroidal.momentum, ('q', 'v'), (6,),
        'Momentum [linear; angular] about the base origin, in base axes', 'N s; N m s',
    ),
    Quantity(
        'center_of_mass', centroidal.center_of_mass, ('q',), (3,),
        'c, the centre of mass of the moving bodies, in the base', 'm',
    ),
    Quantity(
        'center_of_mass_jacobian', centroidal.center_of_mass_jacobian, ('q',), (3, 'n'),
        'J(q) with dc/dt = J v of the centre of mass c, in base axes', 'm or 1',
    ),
    Quantity(
        'frame_poses', kinematics.frame_poses, ('q',), ('frames', 3, 4),
        '[R | p] of every frame, rotation and origin in the base', '1; m', of_inertia=False,
    ),
    Quantity(
        'frame_pose', kinematics.frame_pose, ('q',), (3, 4),
        '[R | p] of a frame, rotation and origin in the base', '1; m',
        of_frame=True, of_inertia=False,
    ),
    Quantity(
        'jacobian', kinematics.jacobian, ('q',), (6, 'n'),
        'J(q): the twist [linear; angular] of a frame is J v', 'm or 1; 1 or 0',
        of_frame=True, takes_axes=True, of_inertia=False,
    ),
    Quantity(
        'jacobian_derivative', kinematics.jacobian_derivative, ('q', 'v'), (6, 'n'),
        'dJ/dt at q and v', 'm/s; 1/s', of_frame=True, takes_axes=True, of_inertia=False,
    ),
    Quantity(
        'frame_velocity', kinematics.frame_velocity, ('q', 'v'), (6,),
        'J v, the twist [linear; angular] of a frame', 'm/s; rad/s',
        of_frame=True, takes_axes=True, of_inertia=False,
    ),
    Quantity(
        'frame_acceleration', kinematics.frame_acceleration, ('q', 'v', 'a'), (6,),
        'J a + dJ/dt v, the derivative of frame_velocity', 'm/s^2; rad/s^2',
        of_frame=True, takes_axes=True, of_inertia=False,
    ),
    Quantity(
        'external_torque', kinematics.external_torque, ('q', 'wrench'), ('n',),
        'tau_external = J^T wrench: M a + C v + g = tau + tau_external', 'N m or N',
        of_frame=True, of_inertia=False,
    ),
    Quantity(
        'friction_step', friction.friction_step, ('v', 'load', 'travel', 'friction', 'slip'),
        (3, 'n'), 'The torque that overcomes friction, and two states', 'N m or N; 1',
        of_inertia=False,
    ),
)  # fmt: skip

# Parts of other computations: no quantities of a state, and not exported.
STEPS: Mapping[str, Quantity] = _by_name(
    Quantity(
        'observer_step', observer.observer_step,
        ('q', 'v', 'effort', *observer.SETTINGS, 'interval', 'previous', 'gravity'),
        (5, 'n'), 'One step of the momentum observer of external torques', 'N m or N; N m s; N m',
        regrouped=True,
    ),
    Quantity(
        'feedforward_step', friction.feedforward_step,
        ('q', 'v', 'a', 'speed', 'travel', 'friction', 'slip', 'gravity'), (6, 'n'),
        'Rows g(q), C(q, v) v, M(q) a, friction, and the states of friction', 'N m or N; 1',
        regrouped=True,
    ),
    Quantity(
        'largest_inertias', crba.largest_inertias, ('q',), ('n',),
        'Upper bounds of the diagonal of M(q) without armature', 'kg m^2 or kg',
    ),
)  # fmt: skip
PROGRAMS: Mapping[str, Quantity] = {**QUANTITIES, **STEPS}


def key_of(quantity: str, frame: str | None = None, axes: str | None = None) -> Key:
    """The key of the program of a quantity, see `Quantity.key`.

    Raises:
        UnknownNameError: there is no such quantity.
        ParameterError: `quantity` is not a str, or frame or axes do not fit it.
    """
    if checked_name('quantity', quantity) not in PROGRAMS:
        raise UnknownNameError('quantity', quantity, tuple(QUANTITIES))
    return PROGRAMS[quantity].key(frame, axes)


def quantity_of(key: Key) -> Quantity:
    """The quantity of a key."""
    return PROGRAMS[key if isinstance(key, str) else key[0]]


def algorithm_of(
    model: RobotModel, key: Key, payload_body: int | None = None
) -> Callable[..., Any]:
    """The algorithm of a quantity for one robot, as a function of its inputs, of any scalars.

    Args:
        model: the robot.
        key: of the quantity.
        payload_body: index of the joint on whose body a payload is the last input; None for none.

    Raises:
        UnknownNameError: no link has the name of the frame.
    """
    quantity, options = quantity_of(key), () if isinstance(key, str) else key[1:]
    frame = [model.frame(options[0])] if options else []
    count = len(quantity.inputs)

    def specialised(*vectors: Any) -> Any:
        loaded, payload = model, vectors[count:]
        if payload and payload_body is not None:
            loaded = replace(model, joints=with_load(model.joints, payload_body, *payload))
        if quantity.regrouped:
            loaded = replace(loaded, joints=regrouped(loaded.joints, payload_body))
        return quantity.algorithm(loaded, *vectors[:count], *frame, *options[1:])

    return specialised


def traced(
    model: RobotModel, key: Key, payload_body: int | None = None
) -> tuple[Program, dict[str, Labels]]:
    """The program of `algorithm_of`, and the names of the entries of its inputs."""
    quantity = quantity_of(key)
    labels = quantity.labels(model, payload=payload_body is not None)
    sizes = {name: len(entries) for name, entries in labels.items()}
    return trace(quantity.name, algorithm_of(model, key, payload_body), sizes), labels


class EvaluatedDynamics:
    """The quantities at one state after the other on numbers: nothing is traced or compiled.

    Its methods are those of `RobotDynamics`, without checks, batches and `out`. For a robot of 100
    joints, compiling takes 20 s, and each of these some milliseconds.

    Attributes:
        model: the robot.
        gravity: (3,) acceleration of free fall, in the base frame [m/s^2].
    """

    def __init__(self, model: RobotModel, gravity: npt.ArrayLike = STANDARD_GRAVITY) -> None:
        self.model = model
        self.gravity: Array = np.array(gravity, dtype=np.float64)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in QUANTITIES:
            raise AttributeError(name)
        quantity = QUANTITIES[name]

        def method(*arguments: Any) -> Any:
            vectors = [np.asarray(x).tolist() for x in arguments if not isinstance(x, str)]
            options = [x for x in arguments if isinstance(x, str)]
            if 'gravity' in quantity.inputs:
                vectors.append(self.gravity.tolist())
            frame = [self.model.frame(options[0])] if options else []
            result = np.array(quantity.algorithm(self.model, *vectors, *frame, *options[1:]))
            return (result[:, :3], result[:, 3]) if name == 'frame_pose' else result

        return method
