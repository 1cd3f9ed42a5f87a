"""What an export is asked for, checked before the work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..algorithms.kinematics import AXES
from ..checks import checked_names
from ..errors import ParameterError, TopologyError, UnknownNameError
from ..model.robot import RobotModel
from ..quantity import QUANTITIES


def check_robot(model: RobotModel, urdf: str) -> None:
    """Whether there is something to export.

    Raises:
        ParameterError: the model is not a RobotModel, or the URDF is not a str.
        TopologyError: the robot has no moving joint.
    """
    if not isinstance(model, RobotModel):
        raise ParameterError(
            f'model is a {type(model).__name__}: a RobotModel is needed, from parse_urdf'
        )
    if not isinstance(urdf, str):
        raise ParameterError(
            f'urdf is a {type(urdf).__name__}: the text of the description is needed, a str'
        )
    if not model.size:
        raise TopologyError(f'robot {model.name!r} has no moving joint: nothing to export')


def checked_quantities(quantities: Iterable[str]) -> tuple[str, ...]:
    """The names of the quantities.

    Raises:
        UnknownNameError: there is no such quantity.
        ParameterError: it is no sequence of names, no quantity is asked for, or one twice.
    """
    names = checked_names('quantities', quantities)
    if not names:
        raise ParameterError(f'quantities are {quantities!r}: at least one is needed')
    for name in names:
        if name not in QUANTITIES:
            raise UnknownNameError('quantity', name, tuple(QUANTITIES))
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ParameterError(f'quantities are named twice: {", ".join(repeated)}')
    return names


def check_frame(
    model: RobotModel, quantities: Sequence[str], frame: str | None, axes: str | None
) -> None:
    """Whether frame and axes exist, and some quantity uses them.

    Args:
        model: the robot.
        quantities: that are asked for.
        frame: name of a link; None for none.
        axes: of Jacobians; None where none are given.

    Raises:
        UnknownNameError: there is no such link.
        ParameterError: there are no such axes, or no quantity uses them or the frame.
    """
    if frame is not None:
        model.frame(frame)
        of_frame = [name for name, each in QUANTITIES.items() if each.of_frame]
        _check_used(f'frame {frame!r}', quantities, of_frame)
    if axes is not None:
        if axes not in AXES:
            raise ParameterError(f'axes are {axes!r}, allowed are {", ".join(AXES)}')
        with_axes = [name for name, each in QUANTITIES.items() if each.takes_axes]
        _check_used(f'axes {axes}', quantities, with_axes)


def _check_used(given: str, quantities: Sequence[str], users: Sequence[str]) -> None:
    if not set(quantities) & set(users):
        raise ParameterError(
            f'{given}: no chosen quantity uses it, only {", ".join(users)} do; choose one of them '
            '(--quantities), or leave it out'
        )
