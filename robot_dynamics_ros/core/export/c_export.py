"""`export_c`: the dynamics of a robot as a package of C99."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from operator import attrgetter

from ..algorithms.kinematics import AXES, Axes
from ..checks import checked_names
from ..errors import InertiaError, ParameterError, TopologyError, UnknownNameError
from ..model.robot import RobotModel
from ..quantity import QUANTITIES, RESULT_AXES, Quantity, traced
from .c_code import in_comment, program_code
from .c_package import check_code, check_program, cmake_lists, package_xml
from .c_sources import ExportedQuantity, ExportedRobot, cpp_view, header, source

DEFAULT_QUANTITIES = (
    'inverse_dynamics',
    'gravity_torque',
    'bias_torque',
    'mass_matrix',
    'coriolis_matrix',
)
# Of names of functions and packages: none is a reserved word with what is added to it.
LEGAL = re.compile(r'[a-z][a-z0-9]*(_[a-z0-9]+)*')
LONGEST = 40


def export_c(
    model: RobotModel,
    *,
    name: str | None = None,
    quantities: Sequence[str] = DEFAULT_QUANTITIES,
    frame: str | None = None,
    axes: Axes | None = None,
    payload_frame: str | None = None,
    urdf: str = '',
    advance: Callable[[int], object] | None = None,
) -> dict[str, str]:
    """The dynamics of a robot as C99: sources, a CMake package, and a program that checks it.

    Functions are named `<name>_<quantity>`, the package `<name>_dynamics`. The same arguments give
    the same bytes. Nothing is written: see `robot_dynamics_ros.cli.write_folder`.

    Args:
        model: the robot, with its payloads.
        name: prefix of all names; None: made from the name of the robot.
        quantities: names of methods of `RobotDynamics`.
        frame: link, for the quantities of a frame.
        axes: of Jacobians; None for LOCAL_WORLD_ALIGNED.
        payload_frame: name of a link. The payload on its body becomes the last input of the
            functions, `payload`; payloads that the model has there are left out.
        urdf: text of the description, whose hash the header then holds.
        advance: is called with 1 after each quantity.

    Returns:
        The text of each file by its path in the package.

    Raises:
        UnknownNameError: there is no such quantity or link.
        ParameterError: the name is not legal, a frame is missing, no quantity uses the frame or
            the axes, there are no such axes, or an argument is of another type.
        TopologyError: the robot has no moving joint.
        InertiaError: quantities do not exist for this robot; it names them.
    """
    _check_robot(model, urdf)
    chosen = _checked_quantities(quantities)
    _check_frame(model, chosen, frame, axes)
    prefix = _prefix(name, model.name)
    bare, payload_body = _split_payload(model, payload_frame)
    exported: list[ExportedQuantity] = []
    missing: dict[str, str] = {}
    for quantity in chosen:
        try:
            exported.append(_exported(bare, quantity, prefix, frame, axes, payload_body))
        except InertiaError as error:
            missing[quantity.name] = str(error)
        if advance:
            advance(1)
    if missing:
        reasons = '; '.join(dict.fromkeys(missing.values()))
        raise InertiaError(
            f'this robot has no {", ".join(missing)}: {reasons}; or export the others alone '
            '(--quantities)'
        )
    hashed = hashlib.sha256(urdf.encode()).hexdigest() if urdf else ''
    payload_joint = '' if payload_body is None else bare.joints[payload_body].name
    robot = ExportedRobot(bare, prefix, tuple(exported), hashed, payload_joint)
    return {
        f'include/{robot.package}/{robot.package}.h': header(robot),
        f'include/{robot.package}/{robot.package}.hpp': cpp_view(robot),
        f'src/{robot.package}.c': source(robot),
        'check/check.c': check_program(robot),
        'CMakeLists.txt': cmake_lists(robot),
        'package.xml': package_xml(robot),
    }


def _exported(
    model: RobotModel,
    quantity: Quantity,
    prefix: str,
    frame: str | None,
    axes: Axes | None,
    payload_body: int | None,
) -> ExportedQuantity:
    """One quantity in C.

    Raises:
        InertiaError: it does not exist for this robot.
    """
    key = quantity.key(frame if quantity.of_frame else None, axes if quantity.takes_axes else None)
    program, _ = traced(model, key, payload_body)
    sentence = f'{quantity.text}, ({", ".join(map(str, program.shape))}) [{quantity.unit}].'
    if quantity.of_frame:
        sentence += f' Frame: link "{in_comment(frame or "")}".'
    if quantity.takes_axes:
        sentence += f' Axes: {axes or "LOCAL_WORLD_ALIGNED"}.'
    for number, axis in enumerate(quantity.shape):
        if isinstance(axis, str) and axis != 'n':
            labels = ', '.join(f'"{in_comment(label)}"' for label in RESULT_AXES[axis](model))
            sentence += f' Along axis {number}: {labels}.'
    code = program_code(program, prefix)
    return ExportedQuantity(program, sentence, code, check_code(model, program, prefix))


def _split_payload(model: RobotModel, frame: str | None) -> tuple[RobotModel, int | None]:
    """The robot without the payloads that become an input, and the body that carries them.

    Raises:
        UnknownNameError: there is no such link.
        ParameterError: the link does not move.
    """
    if frame is None:
        return model, None
    body = model.frame(frame).body
    if body < 0:
        raise ParameterError(
            f'payload_frame: link {frame!r} is fixed to the base and moves with no joint; name a '
            'link that moves'
        )
    return model.without_load(body)[0], body


def _prefix(name: str | None, robot: str) -> str:
    """The prefix of all names; made from the name of the robot, any text, where none is given.

    Raises:
        ParameterError: it is not legal.
    """
    if name is None:
        words = re.findall('[a-z0-9]+', robot.lower())
        if not words or not words[0][0].isalpha():
            words.insert(0, 'robot')
        return '_'.join(words)[:LONGEST].rstrip('_')
    if not isinstance(name, str) or not LEGAL.fullmatch(name) or len(name) > LONGEST:
        raise ParameterError(
            f'name is {name!r}: a lower-case letter, then lower-case letters and digits, with '
            f'single underscores between them, are allowed, at most {LONGEST} characters'
        )
    return name


def _check_robot(model: RobotModel, urdf: str) -> None:
    """Whether there is something to export.

    Raises:
        ParameterError: the model is not a RobotModel, or the URDF is not a str.
        TopologyError: the robot has no moving joint.
    """
    for value, kind, what in (
        (model, RobotModel, 'model is a {}: a RobotModel is needed, from parse_urdf'),
        (urdf, str, 'urdf is a {}: the text of the description is needed, a str'),
    ):
        if not isinstance(value, kind):
            raise ParameterError(what.format(type(value).__name__))
    if not model.size:
        raise TopologyError(f'robot {model.name!r} has no moving joint: nothing to export')


def _checked_quantities(names: Sequence[str]) -> list[Quantity]:
    """The quantities of these names.

    Raises:
        UnknownNameError: there is no such quantity.
        ParameterError: it is no sequence of names, no quantity is asked for, or one twice.
    """
    chosen = checked_names('quantities', names)
    if not chosen or len(set(chosen)) < len(chosen):
        raise ParameterError(f'quantities are {chosen}: at least one is needed, and none twice')
    for name in chosen:
        if name not in QUANTITIES:
            raise UnknownNameError('quantity', name, tuple(QUANTITIES))
    return [QUANTITIES[name] for name in chosen]


def _check_frame(
    model: RobotModel, quantities: Sequence[Quantity], frame: str | None, axes: str | None
) -> None:
    """Whether frame and axes exist where they are needed, and there alone.

    Raises:
        UnknownNameError: there is no such link.
        ParameterError: a frame is missing, there are no such axes, or no quantity uses them or
            the frame.
    """
    if frame is not None:
        model.frame(frame)
    if axes is not None and axes not in AXES:
        raise ParameterError(f'axes are {axes!r}, allowed are {", ".join(AXES)}')
    for quantity in quantities:
        if quantity.of_frame and frame is None:
            raise ParameterError(f'{quantity.name} needs a frame: name a link (--frame)')
    for given, what, uses in (
        (frame, f'frame {frame!r}', attrgetter('of_frame')),
        (axes, f'axes {axes}', attrgetter('takes_axes')),
    ):
        if given is not None and not any(map(uses, quantities)):
            users = ', '.join(quantity.name for quantity in filter(uses, QUANTITIES.values()))
            raise ParameterError(
                f'{what}: no chosen quantity uses it, only {users} do; choose one of them '
                '(--quantities), or leave it out'
            )
