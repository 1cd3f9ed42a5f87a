"""`robot_dynamics excite`: an exciting trajectory, to identify a robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.identification.excitation.motion import ExcitationSettings
from robot_dynamics_ros.written_file import written_file

from .description_file import files_and_arguments, read_robot
from .output import (
    Command,
    FileToRead,
    FileToWrite,
    FittedTable,
    Output,
    WordOrNumber,
    exit_code,
    named_numbers,
    output_options,
    percent_text,
)

if TYPE_CHECKING:
    from robot_dynamics_ros.identification.excitation.excitation import Excitation

# The value of --floor that means no floor.
NO_FLOOR = 'none'
INSTRUCTIONS = """\
1. Move the robot to the start; the way there is not checked.
2. Record: ros2 bag record -o recording /joint_states /robot_description
3. Play, with the efforts of the node: (echo '{{trajectory:'; cat {file}; echo '}}') | ros2 \
action send_goal /robot_dynamics/follow_joint_trajectory \
control_msgs/action/FollowJointTrajectory --stdin
   or without: ros2 topic pub --once /joint_trajectory_controller/joint_trajectory \
trajectory_msgs/msg/JointTrajectory --stdin < {file}
4. End the recording when the robot rests, and identify it."""

HELP = """Write an exciting trajectory, to identify the parameters of a robot.

Each joint moves by a Fourier series that starts and ends at rest. Its coefficients maximise the
log det of the information of the base parameters, within a share of the limits of position,
velocity, acceleration and effort, above a floor, and without self-collision. A xacro file takes
arguments, name:=value.

Only the robot itself and the floor are considered: what stands around the robot is not. The motion
begins at a pose that is printed, or that of --start: move the robot there first.

\b
Examples:
  robot_dynamics excite --urdf arm.urdf --output traj.yaml
  robot_dynamics excite --urdf arm.urdf --output traj.yaml --start elbow=1.57,wrist=-0.5
  robot_dynamics excite --urdf tiago.urdf --joints arm_1_joint,arm_2_joint --output traj.yaml

Exit code 1: the motion was written, but the condition is above 100, or collision geometry
of the URDF could not be used. 2: no motion is possible within the limits.
"""


# Options that are settings of the motion.
SETTINGS = {
    'duration': 'Duration [s].',
    'frequency': 'Highest frequency [Hz].',
    'share': 'Part of each limit that the motion may use.',
    'acceleration': 'Limit of each joint [rad/s^2 or m/s^2]. [default: the velocity limit in '
    '0.25 s]',
    'distance': 'Distance between bodies of the robot, and from the floor [m].',
    'seed': 'Seed of the random motions; another one gives another motion, to be held out.',
}


def settings_options(command: Command) -> Command:
    """Give a subcommand options with the defaults of `ExcitationSettings`."""
    usual = ExcitationSettings()
    for name, words in reversed(SETTINGS.items()):
        default = getattr(usual, name)
        kind = int if isinstance(default, int) else float
        option = click.option(
            f'--{name}', type=kind, default=default, show_default=default is not None, help=words
        )
        command = option(command)
    return command


@click.command('excite', help=HELP)
@click.argument('words', nargs=-1, metavar='[NAME:=VALUE]...')
@click.option(
    '--urdf', required=True, type=FileToRead(exists=True, dir_okay=False), metavar='FILE',
    help='URDF or xacro file.',
)  # fmt: skip
@click.option(
    '--output', 'trajectory', required=True, type=FileToWrite(), metavar='FILE',
    help='JointTrajectory to write, as YAML for `ros2 topic pub` and `ros2 action send_goal`.',
)  # fmt: skip
@click.option(
    '--joints', metavar='LIST', help='Joints that move, separated by commas. [default: all]'
)
@click.option(
    '--start', default='', metavar='LIST',
    help='Posture in which the motion starts and ends, JOINT=POSITION separated by commas [rad or '
    'm]; other joints: zero, or the limit nearest to it. [default: chosen]',
)  # fmt: skip
@settings_options
@click.option(
    '--floor', type=WordOrNumber(NO_FLOOR), default=0.0, show_default=True, metavar='HEIGHT',
    help='Height of the floor in the frame of the root link [m], or none.',
)  # fmt: skip
@output_options
def excite_command(
    words: tuple[str, ...],
    urdf: Path,
    trajectory: Path,
    joints: str | None,
    start: str,
    floor: Any,
    output: Output,
    **asked: Any,
) -> int:
    """Find the motion, and write it."""
    files, arguments = files_and_arguments(words)
    if files:
        raise ParameterError(f'{files[0]}: no file is taken here, name it with --urdf')
    pairs = named_numbers('--start', 'JOINT=POSITION', filter(None, start.split(',')))
    posture = {joint: position for (joint, _), position in pairs.items()}
    settings = ExcitationSettings(floor=None if floor == NO_FLOOR else floor, **asked)
    _ = settings.band  # refused before anything is computed
    model, text = read_robot(urdf, arguments)
    moving, held = chosen_joints(model, joints, posture)
    begin = {name: position for name, position in posture.items() if name not in held}
    excitation = _excited(moving, text, urdf, replace(settings, start=begin), output)
    first = dict(zip(moving.joint_names, excitation.series.start, strict=True))
    lines = [*_lines(excitation), f'starts and ends at rest at {_positions(first)}']
    lines += [f'held still: {_positions(held)}'] if held else []
    with written_file(trajectory) as new:
        remark = 'Only the robot itself and the floor were considered, not what is around it.'
        new.write_text(excitation.trajectory_text([*lines, remark]), 'utf-8')
    figures = as_json(excitation, held)
    output.write_json(figures)
    for line in lines:
        output.line(line)
    output.show(
        '', _share_table(excitation, figures), '', f'{trajectory}: {len(excitation.times)} points'
    )
    output.show(INSTRUCTIONS.format(file=trajectory), *excitation.doubts)
    return exit_code(excitation.doubts)


def chosen_joints(
    model: RobotModel, listed: str | None, posture: Mapping[str, float]
) -> tuple[RobotModel, dict[str, float]]:
    """The robot with the joints of a list, and where the others are held [rad or m].

    Raises:
        UnknownNameError: a joint does not exist, or mimics another.
    """
    if listed is None:
        return model, {}
    names = [name.strip() for name in listed.split(',')]
    held = {
        joint.name: posture.get(
            joint.name, float(min(max(0.0, joint.limits.lower), joint.limits.upper))
        )
        for joint in model.independent_joints
        if joint.name not in names
    }
    return model.reduced(names, held), held


def as_json(excitation: Excitation, held: Mapping[str, float]) -> dict[str, Any]:
    """The motion and its figures of merit, in SI units."""
    from robot_dynamics_ros.identification.excitation.constraints import QUANTITIES

    settings, series, near = excitation.settings, excitation.series, excitation.near
    constraints = excitation.constraints
    shares = np.where(np.isinf(constraints.limits.effort) & (np.arange(4) == 3)[:, None], np.nan,
                      excitation.shares)  # fmt: skip
    cosines, sines = np.split(series.coefficients, 2)
    return {
        'robot': excitation.model.name,
        'duration': settings.duration,
        'frequency': settings.band.frequency,
        'harmonics': settings.band.harmonics,
        'periods': settings.band.periods,
        'seed': settings.seed,
        'base_parameters': excitation.information.rank,
        'log_det': excitation.log_det,
        'condition': excitation.condition,
        'random_log_det': float(np.median(excitation.random)),
        'improvement': excitation.improvement,
        'smallest_distance': near.apart,
        'nearest': near.pair,
        'smallest_height': near.height,
        'not_checked': constraints.clearance.geometry.unchecked,
        'exceptions': constraints.clearance.exceptions,
        'assumptions': constraints.limits.assumptions,
        'held': held,
        'joints': [
            {'name': name, 'start': series.start[index]}
            | dict(zip(QUANTITIES, shares[:, index], strict=True))
            | {'cosines': cosines[:, index], 'sines': sines[:, index]}
            for index, name in enumerate(excitation.model.joint_names)
        ],
    }


def _excited(
    model: RobotModel, text: str, urdf: Path, settings: ExcitationSettings, output: Output
) -> Excitation:
    try:
        # Optional, and slow to import: SciPy and Coal.
        from robot_dynamics_ros.identification.excitation.excitation import (
            PROGRAMS,
            SEARCHES,
            excite,
        )
    except ImportError as error:
        raise ParameterError(
            f"excite needs {error.name}: pip install 'robot_dynamics_ros[identification]'"
        ) from None
    dynamics = RobotDynamics(model)
    dynamics.compile(*PROGRAMS)
    if dynamics.backend == 'python':
        output.warning(dynamics.backend_description)
    with output.progress('motion', SEARCHES, 'stages') as advance:
        return excite(dynamics, text, urdf.parent, settings, advance)


def _positions(positions: Mapping[str, float]) -> str:
    return ', '.join(f'{name} {position:.6g}' for name, position in positions.items())


def _lines(excitation: Excitation) -> Iterator[str]:
    """What the motion is and determines, and what was assumed."""
    settings, near = excitation.settings, excitation.near
    yield (
        f'{excitation.model.name}: {excitation.model.size} joints for {settings.duration:g} s, '
        f'{settings.band.periods} x {settings.band.harmonics} harmonics of '
        f'{settings.band.frequency:.4g} Hz, seed {settings.seed}'
    )
    yield (
        f'{excitation.information.rank} base parameters: log det {excitation.log_det:.4g} (random '
        f'motions {np.median(excitation.random):.4g}), condition {excitation.condition:.3g}; '
        f'standard deviations {excitation.improvement:.3g} times smaller than of the median of '
        f'{len(excitation.random)} random motions'
    )
    apart = f'{near.apart:.3f} m between {" and ".join(near.pair)}' if near.pair else ''
    above = f'{near.height:.3f} m from the floor' if np.isfinite(near.height) else ''
    yield f'smallest distance: {", ".join(filter(None, (apart, above))) or "none is checked"}'
    clearance, limits = excitation.constraints.clearance, excitation.constraints.limits
    yield from (f'not checked: {one}' for one in clearance.geometry.unchecked)
    yield from (f'distance: {one}' for one in clearance.exceptions)
    yield from (f'assumed: {one}' for one in limits.assumptions)


def _share_table(excitation: Excitation, figures: Mapping[str, Any]) -> FittedTable:
    """Where each joint moves, and the largest share of each limit that the motion uses."""
    used = ('position', 'velocity', 'acceleration', 'effort')
    table = FittedTable('joint', 'start', 'from', 'to', 'range', *used[1:])
    q, _, _ = excitation.series.at(excitation.times)
    joints = zip(excitation.model.independent_joints, figures['joints'], q.T, strict=True)
    for joint, row, positions in joints:
        unit = 'm' if joint.kind == 'prismatic' else 'rad'
        places = (row['start'], positions.min(), positions.max())
        shares = (percent_text(row[name]) for name in used)
        table.add_row(joint.name, *(f'{one:.3f} {unit}' for one in places), *shares)
    return table
