"""`robot_dynamics excite`: a motion for identification, as a trajectory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from rich.console import Console

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.identification.excitation.excitation_settings import (
    Band,
    ExcitationSettings,
)
from robot_dynamics_ros.written_file import written_file

from ..description_file import files_and_arguments, read_robot
from ..exit_codes import FINDINGS, GOOD
from ..output import Output, file_to_write, output_options
from .excitation_tables import as_json, lines, share_table
from .instructions import instructions, remarks

if TYPE_CHECKING:
    from robot_dynamics_ros.identification.excitation.excited_motion import Excitation

# The value of --floor that means no floor.
NO_FLOOR = 'none'

HELP = """Write an exciting trajectory, to identify the parameters of a robot.

Each joint moves by a Fourier series that starts and ends at rest. Its coefficients maximise the
log det of the information of the base parameters, within a share of the limits of position,
velocity, acceleration and effort, above a floor, and without self-collision. A xacro file takes
arguments, name:=value.

Only the robot itself and the floor are considered: what stands around the robot is not. The motion
begins at a pose that is printed: move the robot there first.

\b
Examples:
  robot_dynamics excite --urdf arm.urdf --output traj.yaml --picture traj.png
  robot_dynamics excite --urdf arm.urdf --output traj.yaml --duration 40 --frequency 0.5
  robot_dynamics excite --urdf tiago.urdf --joints arm_1_joint,arm_2_joint --output traj.yaml

Exit code 1: the motion was written, but the condition is above 100, or collision geometry
of the description could not be used. 2: no motion is possible within the limits.
"""


@click.command('excite', help=HELP, short_help='Write a motion for identification.')
@click.argument('words', nargs=-1, metavar='[NAME:=VALUE]...')
@click.option(
    '--urdf', required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar='FILE', help='URDF or xacro file.',
)  # fmt: skip
@click.option(
    '--output', 'trajectory', required=True, type=file_to_write(), metavar='FILE',
    help='JointTrajectory to write, as YAML for `ros2 topic pub`.',
)  # fmt: skip
@click.option(
    '--goal', type=file_to_write(), metavar='FILE',
    help='Goal of FollowJointTrajectory to write, as YAML for `ros2 action send_goal`.',
)  # fmt: skip
@click.option('--picture', type=file_to_write(), metavar='FILE', help='Draw the motion.')
@click.option(
    '--joints', metavar='LIST',
    help='Joints that move, separated by commas; others stay at zero, or at the limit nearest '
    'to it. [default: all]',
)  # fmt: skip
@click.option(
    '--start', metavar='LIST',
    help='Positions where the motion starts and ends, separated by commas. [default: chosen]',
)  # fmt: skip
@click.option('--duration', type=float, default=20.0, show_default=True, help='Duration [s].')
@click.option(
    '--frequency', type=float, default=1.0, show_default=True, help='Highest frequency [Hz].'
)
@click.option(
    '--harmonics', type=int, help='Sines of each joint. [default: as many as fit, up to 10]'
)
@click.option(
    '--share', type=float, default=0.8, show_default=True,
    help='Part of each limit that the motion may use.',
)  # fmt: skip
@click.option(
    '--acceleration', type=float, metavar='LIMIT',
    help='Limit of each joint [rad/s^2 or m/s^2]. [default: the velocity limit in 0.25 s]',
)  # fmt: skip
@click.option(
    '--distance', type=float, default=0.05, show_default=True,
    help='Distance between bodies of the robot, and from the floor [m].',
)  # fmt: skip
@click.option(
    '--floor', default='0', show_default=True, metavar='HEIGHT',
    help='Height of the floor in the frame of the root link [m], or none.',
)  # fmt: skip
@click.option(
    '--steps', type=int, default=240, show_default=True, help='Steps of the optimisation.'
)
@click.option(
    '--seed', type=int, default=0, show_default=True,
    help='Seed of the random motions; another one gives another motion, to be held out.',
)  # fmt: skip
@output_options
def excite_command(
    words: tuple[str, ...],
    urdf: Path,
    trajectory: Path,
    goal: Path | None,
    picture: Path | None,
    joints: str | None,
    start: str | None,
    duration: float,
    frequency: float,
    harmonics: int | None,
    share: float,
    acceleration: float | None,
    distance: float,
    floor: str,
    steps: int,
    seed: int,
    output: Output,
) -> int:
    """Find the motion, and write it."""
    files, arguments = files_and_arguments(words)
    if files:
        raise ParameterError(f'{files[0]}: no file is taken here, name it with --urdf')
    named = {'--output': trajectory, '--goal': goal, '--picture': picture}
    output.check_files([urdf], {name: filter(None, [file]) for name, file in named.items()})
    settings = ExcitationSettings(
        duration=duration,
        frequency=frequency,
        harmonics=harmonics,
        share=share,
        acceleration=acceleration,
        distance=distance,
        floor=None if floor == NO_FLOOR else _number('--floor', floor),
        start=None if start is None else tuple(_number('--start', x) for x in start.split(',')),
        seed=seed,
        steps=steps,
    )
    Band.of(settings)
    model, text = read_robot(urdf, arguments)
    moving, held = chosen_joints(model, joints)
    excitation = _excited(moving, text, urdf, settings, output)
    _write(excitation, held, trajectory, goal, picture)
    output.write_json(as_json(excitation, held))
    for line in lines(excitation, held):
        output.line(line)
    output.show('', share_table(excitation), '')
    for line in instructions(excitation, trajectory, goal):
        output.line(line)
    for doubt in excitation.doubts:
        output.line(doubt)
    return FINDINGS if excitation.doubts else GOOD


SLOW = (
    'Plain Python computes, which takes minutes: with the extra native, '
    "pip install '.[native]' from the clone, it takes seconds."
)


def chosen_joints(model: RobotModel, listed: str | None) -> tuple[RobotModel, dict[str, float]]:
    """The robot with the joints of a list, and where the others are held [rad or m].

    Raises:
        UnknownNameError: a joint does not exist, or mimics another.
    """
    if listed is None:
        return model, {}
    names = [name.strip() for name in listed.split(',')]
    held = {
        joint.name: float(min(max(0.0, joint.limits.lower), joint.limits.upper))
        for joint in model.independent_joints
        if joint.name not in names
    }
    return model.reduced(names, held), held


def _excited(
    model: RobotModel, text: str, urdf: Path, settings: ExcitationSettings, output: Output
) -> Excitation:
    try:
        # Optional, and slow to import: SciPy.
        from robot_dynamics_ros.identification.excitation.excited_motion import QUANTITIES, excite
    except ImportError as error:
        raise ParameterError(
            f"excite needs {error.name}: pip install 'robot_dynamics_ros[identification]'"
        ) from None
    dynamics = RobotDynamics(model)
    with Console(stderr=True).status(f'{urdf}: programs of the robot'):
        dynamics.compile(*QUANTITIES)
    if dynamics.backend == 'python':
        output.line(SLOW)
    with output.progress('motion', settings.steps, 'steps') as advance:
        return excite(dynamics, text, urdf.parent, settings, advance)


def _write(
    excitation: Excitation,
    held: dict[str, float],
    trajectory: Path,
    goal: Path | None,
    picture: Path | None,
) -> None:
    """Write all files, or none."""
    # Slow to import.
    from robot_dynamics_ros.identification.excitation.motion_picture import draw
    from robot_dynamics_ros.identification.excitation.trajectory_text import (
        goal_text,
        trajectory_text,
    )

    said = remarks(excitation, held)
    writers: list[tuple[Path | None, Callable[[Path], object]]] = [
        (trajectory, lambda new: new.write_text(trajectory_text(excitation, said), 'utf-8')),
        (goal, lambda new: new.write_text(goal_text(excitation, said), 'utf-8')),
        (picture, lambda new: draw(excitation, new)),
    ]
    with ExitStack() as stack:
        for file, write in writers:
            if file is not None:
                write(stack.enter_context(written_file(file)))


def _number(option: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise ParameterError(f'{option}: {text!r} is not a number')
    return number
