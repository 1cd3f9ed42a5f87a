"""`robot_dynamics excite`: an exciting trajectory, to identify a robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.console import Console

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.identification.excitation.motion import ExcitationSettings
from robot_dynamics_ros.written_file import written_file

from .description_file import files_and_arguments, read_robot
from .output import FINDINGS, GOOD, Output, file_to_write, output_options
from .table import FittedTable

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


@click.command('excite', help=HELP, short_help='Write a motion for identification.')
@click.argument('words', nargs=-1, metavar='[NAME:=VALUE]...')
@click.option(
    '--urdf', required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar='FILE', help='URDF or xacro file.',
)  # fmt: skip
@click.option(
    '--output', 'trajectory', required=True, type=file_to_write(), metavar='FILE',
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
@click.option('--duration', type=float, default=20.0, show_default=True, help='Duration [s].')
@click.option(
    '--frequency', type=float, default=1.0, show_default=True, help='Highest frequency [Hz].'
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
    '--seed', type=int, default=0, show_default=True,
    help='Seed of the random motions; another one gives another motion, to be held out.',
)  # fmt: skip
@output_options
def excite_command(
    words: tuple[str, ...],
    urdf: Path,
    trajectory: Path,
    joints: str | None,
    start: str,
    floor: str,
    output: Output,
    **asked: Any,
) -> int:
    """Find the motion, and write it."""
    files, arguments = files_and_arguments(words)
    if files:
        raise ParameterError(f'{files[0]}: no file is taken here, name it with --urdf')
    output.check_files([urdf], {'--output': [trajectory]})
    posture = dict(_position(pair) for pair in start.split(',') if pair)
    height = None if floor == NO_FLOOR else _number('--floor', floor)
    settings = ExcitationSettings(floor=height, **asked)
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
    output.write_json(as_json(excitation, held))
    for line in lines:
        output.line(line)
    output.show('', _share_table(excitation), '', f'{trajectory}: {len(excitation.times)} points')
    output.show(INSTRUCTIONS.format(file=trajectory), *excitation.doubts)
    return FINDINGS if excitation.doubts else GOOD


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


def _position(pair: str) -> tuple[str, float]:
    name, separator, position = pair.partition('=')
    if not separator:
        raise ParameterError(f'--start: {pair!r} is not JOINT=POSITION')
    return name.strip(), _number(f'--start: {name.strip()}', position)


def _number(what: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f'{what}: {text!r} is not a number') from None


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
    with Console(stderr=True).status(f'{urdf}: programs of the robot'):
        dynamics.compile(*PROGRAMS)
    if dynamics.backend == 'python':
        output.line('Plain Python computes, for minutes; in seconds with the extra native')
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


def _share_table(excitation: Excitation) -> FittedTable:
    """Where each joint moves, and the largest share of each limit that the motion uses."""
    columns = ('start', 'from', 'to', 'range', 'velocity', 'acceleration', 'effort')
    table = FittedTable('joint', *columns)
    q, _, _ = excitation.series.at(excitation.times)
    for index, joint in enumerate(excitation.model.independent_joints):
        unit = 'm' if joint.kind == 'prismatic' else 'rad'
        shares = [f'{share:.0%}' for share in excitation.shares[:, index]]
        if np.isinf(excitation.constraints.limits.effort[index]):
            shares[-1] = '-'
        positions = excitation.series.start[index], q[:, index].min(), q[:, index].max()
        table.add_row(joint.name, *(f'{one:.3f} {unit}' for one in positions), *shares)
    return table
