"""The quantities: from the record of each algorithm, all that offers or describes it is made.

To add one, write its algorithm with its record, and `scripts/stubs.py` writes its types. Its
inputs are the parameters of the algorithm, its words the docstring.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from .algorithms import (
    centroidal,
    coriolis,
    crba,
    derivatives,
    forward_dynamics,
    friction,
    kinematics,
    observer,
    regressor,
    rnea,
)
from .algorithms.kinematics import AXES
from .algorithms.record import RECORDS, Record
from .checks import Array, checked_name
from .compiler.program import Program, trace
from .errors import ParameterError, UnknownNameError
from .friction import coefficient_names
from .model.gravity import STANDARD_GRAVITY
from .model.inertial_parameters import PARAMETERS, base_inertias, with_load
from .model.robot import RobotModel
from .task import SPATIAL_ENTRIES

# The axes that are meant where none are given.
LOCAL_WORLD_ALIGNED = 'LOCAL_WORLD_ALIGNED'
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
        'gravity (x, y, z) in the axes of the root link [m/s^2]: (0, 0, -9.81) '
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
    'travel': Input('distance travelled since the last step [rad or m]'),
    'slip': Input(
        'states of pre-sliding of the last step',
        lambda model: [
            f'slip {k} of {joint}' for k in range(friction.SLIPS) for joint in model.joint_names
        ],
    ),
    'offset': Input('constant torques that the drives need beside the model [N m or N]'),
    'rates': Input('of the observer [1/s]'),
    'interval': Input('see `observer_step`', lambda model: observer.INTERVAL),
    'previous': Input(
        'the result of the last step',
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
class Quantity(Record):
    """What a method of `RobotDynamics` computes.

    Attributes:
        name: of the method.
        inputs: names of the vectors after the model, of `INPUTS`.
        text: what it is, in a few words.
        of_frame: whether it takes a frame, the name of a link.
        takes_axes: whether it takes the axes of a twist, `Axes`.
    """

    name: str = ''
    inputs: tuple[str, ...] = ()
    text: str = ''
    of_frame: bool = False
    takes_axes: bool = False

    @classmethod
    def of(cls, record: Record) -> Quantity:
        """The quantity of a record."""
        _, *inputs = inspect.signature(record.algorithm).parameters
        return cls(
            **vars(record),
            name=record.algorithm.__name__,
            inputs=tuple(name for name in inputs if name not in ('frame', 'axes')),
            text=(inspect.getdoc(record.algorithm) or '').partition('\n')[0].removesuffix('.'),
            of_frame='frame' in inputs,
            takes_axes='axes' in inputs,
        )

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

    @property
    def definition(self) -> str:
        """The first line of its method, as Python."""
        inputs = [f'{name}: ArrayLike' for name in self.arguments]
        options = ['frame: str'] * self.of_frame
        options += [f'axes: Axes = {LOCAL_WORLD_ALIGNED!r}'] * self.takes_axes
        parameters = ', '.join(['self', *inputs, *options, 'out: Array | None = None'])
        result = 'Array' if self.shape else 'float | Array'
        result = 'tuple[Array, Array]' if self.name == 'frame_pose' else result
        return f'def {self.name}({parameters}) -> {result}:'

    @property
    def docstring(self) -> str:
        """The summary, what the algorithm says of itself, and the arguments."""
        words = (inspect.getdoc(self.algorithm) or '').partition('\n')[2].strip()
        texts = {
            name: ('(n,) ' if INPUTS[name].labels is Input.labels else '') + INPUTS[name].text
            for name in self.arguments
        }
        texts |= {'frame': 'name of a link'} if self.of_frame else {}
        texts |= {'axes': 'of the twist, see `RobotDynamics`'} if self.takes_axes else {}
        texts['out'] = 'float64 array of the shape of the result, to write into'
        arguments = '\n'.join(
            textwrap.fill(f'    {name}: {text}.', 95, subsequent_indent=8 * ' ')
            for name, text in texts.items()
        )
        # Some algorithms explain their arguments themselves.
        parts = [self.summary, words, '' if 'Args:' in words else f'Args:\n{arguments}']
        return '\n\n'.join(filter(None, parts))

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
        chosen = LOCAL_WORLD_ALIGNED if axes is None else axes
        if chosen not in AXES:
            raise ParameterError(f'axes are {axes!r}, allowed are {", ".join(AXES)}')
        return self.name, frame, chosen


# A quantity; for one of a frame with the names of the frame and of the axes.
Key = str | tuple[str, str] | tuple[str, str, str]


# The algorithms in the order of the documents.
MODULES = (
    rnea, crba, coriolis, observer, forward_dynamics, derivatives, regressor, centroidal,
    kinematics, friction,
)  # fmt: skip
PROGRAMS: Mapping[str, Quantity] = {
    record.algorithm.__name__: Quantity.of(record)
    for module in MODULES
    for record in RECORDS
    if record.algorithm.__module__ == module.__name__
}
# Parts of other computations: no quantities of a state, and not exported.
STEPS = {name: each for name, each in PROGRAMS.items() if each.is_step}
QUANTITIES = {name: each for name, each in PROGRAMS.items() if not each.is_step}


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
        if quantity.of_base_inertias:
            loaded = replace(loaded, joints=base_inertias(loaded.joints, payload_body))
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
        gravity: (3,) in the base frame [m/s^2].
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
