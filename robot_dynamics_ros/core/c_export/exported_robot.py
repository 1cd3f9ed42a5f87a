"""What is exported: the robot, the names in C, and the program of each quantity."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata

from ..algorithms.kinematics import Axes
from ..compiler.program import Program
from ..errors import InertiaError, ParameterError
from ..model.robot import RobotModel
from ..quantity import QUANTITIES, traced
from .c_text import in_comment
from .descriptions import quantity_text
from .identifiers import Names

LARGEST_ERROR = 1e-12
# Takes the number of steps that were done since the last call.
Advance = Callable[[int], object]


@dataclass(frozen=True)
class ExportedQuantity:
    """A program with what the header says of it."""

    program: Program
    text: str


@dataclass(frozen=True)
class ExportedRobot:
    """The content of an export.

    Attributes:
        model: the robot, without the payloads that are an input.
        names: in C, CMake and ROS.
        quantities: in the order in which they were asked for.
        own_sincos: whether sines and cosines come from the exported code.
        urdf_hash: SHA-256 of the text of the URDF; empty if it is not known.
        payload_body: index of the joint whose body carries the payload that is an input; None if
            none is.
    """

    model: RobotModel
    names: Names
    quantities: tuple[ExportedQuantity, ...]
    own_sincos: bool
    urdf_hash: str
    payload_body: int | None = None

    @property
    def inputs(self) -> dict[str, int]:
        """Size of every input of any quantity, by name."""
        return {
            name: size
            for quantity in self.quantities
            for name, size in quantity.program.inputs.items()
        }


def version() -> str:
    """Of this package; of a source tree that is not installed it is not known."""
    try:
        return metadata.version('robot_dynamics_ros')
    except metadata.PackageNotFoundError:
        return '(from source)'


def advance_nothing(steps: int) -> None:
    """Progress that nobody follows."""


def hash_of(urdf: str) -> str:
    """SHA-256 of the text of a URDF; empty for an empty text."""
    return hashlib.sha256(urdf.encode()).hexdigest() if urdf else ''


def exported_quantities(
    quantities: Sequence[str], advance: Advance, exported: Callable[[str], ExportedQuantity]
) -> tuple[ExportedQuantity, ...]:
    """The programs of all quantities.

    Args:
        quantities: their names.
        advance: is called with 1 after each.
        exported: gives one of them, see `exported_quantity`.

    Raises:
        InertiaError: some do not exist for this robot; it names all of them.
    """
    programs: list[ExportedQuantity] = []
    missing: dict[str, str] = {}
    for quantity in quantities:
        try:
            programs.append(exported(quantity))
        except InertiaError as error:
            missing[quantity] = str(error)
        advance(1)
    if missing:
        reasons = '; '.join(dict.fromkeys(missing.values()))
        raise InertiaError(
            f'this robot has no {", ".join(missing)}: {reasons}; or export the others alone '
            '(--quantities)'
        )
    return tuple(programs)


def exported_quantity(
    model: RobotModel,
    quantity: str,
    frame: str | None,
    axes: Axes | None,
    payload_body: int | None,
) -> ExportedQuantity:
    """The program of one quantity.

    Args:
        model: the robot.
        quantity: its name.
        frame: link, for the quantities of a frame; the others do not use it.
        axes: of Jacobians; None for LOCAL_WORLD_ALIGNED.
        payload_body: index of the joint whose body carries a payload that is an input.

    Raises:
        ParameterError: the quantity needs a frame and there is none.
        InertiaError: it does not exist for this robot.
    """
    record = QUANTITIES[quantity]
    if record.of_frame and frame is None:
        raise ParameterError(f'{quantity} needs a frame: name a link (--frame)')
    key = record.key(frame if record.of_frame else None, axes if record.takes_axes else None)
    text = quantity_text(
        quantity,
        n=model.size,
        bodies=len(model.joints),
        joints=', '.join(f'"{in_comment(joint.name)}"' for joint in model.joints),
        frames=len(model.frames),
        links=', '.join(f'"{in_comment(link.name)}"' for link in model.frames),
        axes=axes or 'LOCAL_WORLD_ALIGNED',
        frame=f'link "{in_comment(frame or "")}"',
    )
    program, _ = traced(model, key, payload_body)
    return ExportedQuantity(program, text)


def split_payload(model: RobotModel, frame: str | None) -> tuple[RobotModel, int | None]:
    """The robot without the payloads that become an input, and the body that carries them.

    Args:
        model: the robot.
        frame: link to whose body they are fixed; None: payloads are part of the robot.

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
    bare, _ = model.without_load(body)
    return bare, body
