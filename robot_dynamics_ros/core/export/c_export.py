"""`export_c`: the dynamics of a robot as a package of C99."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from ..algorithms.kinematics import Axes
from ..checks import checked_names
from ..errors import InertiaError, ParameterError, UnknownNameError
from ..friction import JointFriction
from ..model.robot import RobotModel, checked_model
from ..quantity import QUANTITIES, Quantity, traced
from .c_library import FRICTION, FUNCTIONS, library_files, with_friction
from .c_package import ExportedRobot, Function, package_files

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
    frame: str | Sequence[str] | None = None,
    axes: Axes | None = None,
    payload_frame: str | None = None,
    urdf: str = '',
    library: bool = False,
    friction: JointFriction | None = None,
    offsets: Sequence[float] | None = None,
) -> dict[str, str]:
    """The dynamics of a robot as C99: sources, a CMake package, and a program that checks it.

    Functions are named `<name>_<quantity>`, the package `<name>_dynamics`. The same arguments give
    the same bytes. Nothing is written: see `robot_dynamics_ros.cli.write_folder`.

    Args:
        model: the robot, with its payloads.
        name: prefix of all names; None: made from the name of the robot.
        quantities: names of methods of `RobotDynamics`.
        frame: link, for the quantities of a frame, or several: then the name of each function of
            a frame ends in that of its link, in lower case, with underscores for other characters.
        axes: of twists; None for LOCAL_WORLD_ALIGNED.
        payload_frame: name of a link. The payload on its body becomes the last input of the
            functions, `payload`; payloads that the model has there are left out.
        urdf: text of the description, whose hash the header then holds.
        library: whether the package also builds what `robot_dynamics_controller` loads.
        friction: of the joints, in the library; None for that of the URDF.
        offsets: (n,) constant torques of the drives, in the library [N m or N]; None for zero.

    Returns:
        The text of each file by its path in the package.

    Raises:
        UnknownNameError: there is no such quantity or link.
        ParameterError: the name is not legal, a frame is missing, no quantity uses the frame or
            the axes, there are no such axes, or an argument is of another type; a library has a
            payload as an input, or offsets do not fit.
        TopologyError: the robot has no moving joint.
        InertiaError: quantities do not exist for this robot; it names them.
    """
    checked_model(model)
    if not isinstance(urdf, str):
        raise ParameterError(
            f'urdf is a {type(urdf).__name__}: the text of the description is needed, a str'
        )
    frames = _checked_frames(frame)
    chosen = _checked_quantities(quantities, frames, axes)
    friction = friction or JointFriction(model)
    offsets = [0.0] * model.size if offsets is None else offsets
    if library:
        if payload_frame is not None:
            raise ParameterError('a library takes no payload as an input: leave out payload_frame')
        more = (*FUNCTIONS, *[FRICTION] * with_friction(friction, offsets))
        chosen += [QUANTITIES[name] for name in more if QUANTITIES[name] not in chosen]
    bare, payload_body = model, None
    if payload_frame is not None:
        payload_body = model.moving_body(payload_frame)
        bare, _ = model.without_load(payload_body)
    robot = ExportedRobot(
        bare,
        _prefix(name, model.name),
        _functions(bare, chosen, frames, axes, payload_body),
        axes or 'LOCAL_WORLD_ALIGNED',
        '' if payload_body is None else bare.joints[payload_body].name,
        hashlib.sha256(urdf.encode()).hexdigest() if urdf else '',
    )
    files = package_files(robot)
    if library:
        for path, text in library_files(robot, friction, offsets).items():
            files[path] = files.get(path, '') + text
    return files


def _functions(
    model: RobotModel,
    quantities: Sequence[Quantity],
    frames: Mapping[str, str],
    axes: Axes | None,
    payload_body: int | None,
) -> tuple[Function, ...]:
    """A function for each quantity, and each frame of those that have one.

    Raises:
        InertiaError: some do not exist for this robot; it names all of them.
    """
    functions: list[Function] = []
    missing: dict[str, str] = {}
    for quantity in quantities:
        for frame, end in (frames if quantity.of_frame and frames else {None: ''}).items():
            key = quantity.key(frame, axes if quantity.takes_axes else None)
            try:
                program = traced(model, key, payload_body)[0]
            except InertiaError as error:
                missing[quantity.name] = str(error)
            else:
                named = replace(program, name=quantity.name + end)
                functions.append(Function(named, quantity, frame))
    if missing:
        reasons = '; '.join(dict.fromkeys(missing.values()))
        raise InertiaError(
            f'this robot has no {", ".join(missing)}: {reasons}; or export the others alone '
            '(--quantities)'
        )
    return tuple(functions)


def _checked_frames(frame: str | Sequence[str] | None) -> dict[str, str]:
    """What the name of each function of a frame ends in, by the link; nothing for one link.

    Raises:
        ParameterError: it is no sequence of names, or two of them end alike.
    """
    links = () if frame is None else (frame,) if isinstance(frame, str) else frame
    links = checked_names('frame', links)
    ends = {link: '_' + '_'.join(re.findall('[a-z0-9]+', link.lower())) for link in links}
    if len({*ends.values()}) < len(links) or (len(links) > 1 and '_' in ends.values()):
        raise ParameterError(
            f'frames are {", ".join(links)}: of several each needs letters or digits of ASCII in '
            'which it differs from the others; export them one by one'
        )
    return ends if len(links) > 1 else dict.fromkeys(links, '')


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


def _checked_quantities(
    names: Sequence[str], frames: Mapping[str, str], axes: str | None
) -> list[Quantity]:
    """The quantities of these names; whether frame and axes fit each is seen by `Quantity.key`.

    Raises:
        UnknownNameError: there is no such quantity.
        ParameterError: it is no sequence of names, no quantity is asked for, or one twice; or no
            quantity uses the frame or the axes.
    """
    chosen = checked_names('quantities', names)
    if not chosen or len(set(chosen)) < len(chosen):
        raise ParameterError(f'quantities are {chosen}: at least one is needed, and none twice')
    for name in chosen:
        if name not in QUANTITIES:
            raise UnknownNameError('quantity', name, tuple(QUANTITIES))
    quantities = [QUANTITIES[name] for name in chosen]
    for given, what, uses in (
        (frames, f'frame {", ".join(map(repr, frames))}', attrgetter('of_frame')),
        (axes, f'axes {axes}', attrgetter('takes_axes')),
    ):
        if given and not any(map(uses, quantities)):
            users = ', '.join(quantity.name for quantity in filter(uses, QUANTITIES.values()))
            raise ParameterError(
                f'{what}: no chosen quantity uses it, only {users} do; choose one of them '
                '(--quantities), or leave it out'
            )
    return quantities
