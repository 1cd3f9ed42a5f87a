"""`export_c`: the dynamics of a robot as a package of C99."""

from __future__ import annotations

from collections.abc import Sequence

from ..algorithms.kinematics import Axes
from ..model.robot import RobotModel
from .check_program import check_program
from .cmake_package import cmake_lists, package_xml
from .cpp_view import cpp_view
from .export_checks import check_frame, check_robot, checked_quantities
from .exported_robot import (
    Advance,
    ExportedRobot,
    advance_nothing,
    exported_quantities,
    exported_quantity,
    hash_of,
    split_payload,
)
from .header import header
from .identifiers import export_names, marked
from .source import source

DEFAULT_QUANTITIES = (
    'inverse_dynamics',
    'gravity_torque',
    'bias_torque',
    'mass_matrix',
    'coriolis_matrix',
)
# Of the export of one quantity: its program, its code and its check.
STEPS = 3


def export_c(
    model: RobotModel,
    *,
    name: str | None = None,
    quantities: Sequence[str] = DEFAULT_QUANTITIES,
    frame: str | None = None,
    axes: Axes | None = None,
    payload_frame: str | None = None,
    own_sincos: bool = False,
    urdf: str = '',
    advance: Advance = advance_nothing,
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
        own_sincos: compute sines and cosines without math.h; angles end at 2^30 rad then.
        urdf: text of the description, whose hash the header then holds.
        advance: is called with 1 after each step, of which each quantity has STEPS.

    Returns:
        The text of each file by its path in the package.

    Raises:
        UnknownNameError: there is no such quantity or link.
        ParameterError: the name is not legal, a frame is missing, no quantity uses the frame or
            the axes, there are no such axes, or an argument is of another type.
        TopologyError: the robot has no moving joint.
        InertiaError: quantities do not exist for this robot; it names them.
    """
    check_robot(model, urdf)
    chosen = checked_quantities(quantities)
    check_frame(model, chosen, frame, axes)
    names = export_names(name, model.name)
    bare, body = split_payload(model, payload_frame)
    exported = exported_quantities(
        chosen, advance, lambda quantity: exported_quantity(bare, quantity, frame, axes, body)
    )
    robot = ExportedRobot(bare, names, exported, own_sincos, hash_of(urdf), body)
    files = {
        f'include/{names.package}/{names.package}.h': header(robot),
        f'include/{names.package}/{names.package}.hpp': cpp_view(robot),
        f'src/{names.package}.c': source(robot, advance),
        'check/check.c': check_program(robot, advance),
        'CMakeLists.txt': cmake_lists(robot),
        'package.xml': package_xml(robot),
    }
    return marked(files)
