"""`robot_dynamics excite`: an exciting trajectory, to identify a robot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.identification.excitation.limits import QUANTITIES
from robot_dynamics_ros.identification.excitation.motion import ExcitationSettings
from robot_dynamics_ros.report.report import Report, Table
from robot_dynamics_ros.report.text import quantity
from robot_dynamics_ros.written_file import written_file

from .description_file import Vector, robot_of_words
from .options import subcommand
from .output import Output, ToWrite, exit_code, named_values, word_or_number

if TYPE_CHECKING:
    from robot_dynamics_ros.identification.excitation.excitation import Excitation

NEXT = 'Move the robot to the start, record (ros2 bag record), play, identify: docs/excitation.md'
# Options that are settings of the motion.
SETTINGS = {
    'duration': 'Duration, which is one period [s].',
    'frequency': 'Highest frequency [Hz].',
    'share': 'Part of each limit that the motion may use.',
    'acceleration': 'Limit of each joint [rad/s^2 or m/s^2]. [default: that of the URDF, or the '
    'velocity limit in 0.25 s]',
    'distance': 'Distance between bodies of the robot, and from the floor [m].',
    'seed': 'Seed of the random motions; another one gives another motion, to be held out.',
}


def settings_options(command: Any) -> Any:
    """Give a subcommand options with the defaults of `ExcitationSettings`."""
    for name, words in reversed(SETTINGS.items()):
        default = getattr(ExcitationSettings(), name)
        command = click.option(
            f'--{name}', type=int if isinstance(default, int) else float, default=default,
            show_default=default is not None, help=words,
        )(command)  # fmt: skip
    return command


@subcommand('excite', 'file', 'urdf', 'gravity')
@click.option('--output', 'trajectory', required=True, type=ToWrite(), metavar='FILE',
              help='JointTrajectory to write, as YAML for ros2.')  # fmt: skip
@click.option('--joints', metavar='LIST',
              help='Joints that move, separated by commas. [default: all]')  # fmt: skip
@click.option('--start', default='', metavar='LIST',
              help='Where the motion starts and ends, JOINT=POSITION,... [rad or m]; other '
              'joints: zero, or the limit nearest to it. [default: chosen]')  # fmt: skip
@settings_options
@click.option('--floor', type=word_or_number('none'), default=0.0, show_default=True,
              metavar='HEIGHT', help='In the frame of the root link [m], or none.')  # fmt: skip
def excite_command(
    words: tuple[str, ...],
    urdf: Path | None,
    trajectory: Path,
    joints: str | None,
    start: str,
    floor: Any,
    gravity: Vector | None,
    output: Output,
    **asked: Any,
) -> int:
    """Write an exciting trajectory, to identify the parameters of a robot.

    Each joint moves by a Fourier series that starts and ends at rest. Only the <collision> of the
    robot itself and the floor are considered. Move the robot to the start first.

    Examples:
      robot_dynamics excite --urdf arm.urdf --output traj.yaml
      robot_dynamics excite --urdf arm.urdf --output traj.yaml --start elbow=1.57,wrist=-0.5
      robot_dynamics excite --urdf tiago.urdf --joints arm_1_joint,arm_2_joint --output traj.yaml
    """
    posture = named_values('--start', 'JOINT=POSITION', filter(None, start.split(',')))
    model, text, file = robot_of_words([*words, *map(str, filter(None, [urdf]))])
    moving, held = chosen_joints(model, joints, posture)
    begin = {name: q for name, q in posture.items() if name not in held}
    settings = ExcitationSettings(floor=None if floor == 'none' else floor, start=begin, **asked)
    # Optional, and slow to import: SciPy and Pinocchio.
    excitation = required(
        'robot_dynamics_ros.identification.excitation.excitation', 'identification'
    )
    dynamics = RobotDynamics(moving, gravity=gravity or STANDARD_GRAVITY)
    dynamics.compile(*excitation.PROGRAMS)
    if dynamics.backend == 'python':
        output.warning(dynamics.backend_description)
    with output.progress('motion', excitation.SEARCHES, 'stages') as advance:
        found = excitation.excite(dynamics, text, file.parent, settings, advance)
    figures = as_json(found, held)
    report = excitation_report(found, moving, figures)
    remark = 'Only the robot itself and the floor were considered, not what is around it.'
    head = [f'{report.robot}: {report.headline}', *report.about, remark]
    with written_file(trajectory) as new:
        new.write_text(found.trajectory_text(head), 'utf-8')
    output.write_json(figures)
    output.show(report)
    output.line(f'{trajectory}: {len(found.times)} points')
    output.line(NEXT)
    if found.constraints.clearance.blind:
        output.warning(
            'no link has a <collision>: the motion may hit the robot itself and the floor'
        )
    return exit_code(found.doubts)


def chosen_joints(
    model: RobotModel, listed: str | None, posture: dict[str, float]
) -> tuple[RobotModel, dict[str, float]]:
    """The robot with the joints of a list, and where the others are held [rad or m]."""
    if listed is None:
        return model, {}
    names = [name.strip() for name in listed.split(',')]
    near = np.clip(0.0, model.lower, model.upper).tolist()
    places = dict(zip(model.joint_names, near, strict=True)) | posture
    held = {name: places[name] for name in model.joint_names if name not in names}
    return model.reduced(names, held), held


def as_json(found: Excitation, held: Mapping[str, float]) -> dict[str, Any]:
    """The motion and its figures of merit, in SI units."""
    series, clearance, limits = found.series, found.constraints.clearance, found.constraints.limits
    shares = np.where(np.isfinite(limits.largest), found.shares, np.nan)
    (apart, pair), (height, _) = found.nearest(floor=False), found.nearest(floor=True)
    cosines, sines = np.split(series.coefficients, 2)
    columns = dict(zip(QUANTITIES, shares, strict=True)) | {'cosines': cosines.T, 'sines': sines.T}
    return {
        'robot': found.robot,
        'duration': found.settings.duration,
        'harmonics': series.harmonics,
        'seed': found.settings.seed,
        'base_parameters': found.rank,
        'log_det': found.log_det,
        'condition': found.condition,
        'random_log_det': float(np.median(found.random)),
        'improvement': found.improvement,
        'smallest_distance': apart,
        'nearest': pair,
        'smallest_height': height,
        'not_checked': clearance.unchecked,
        'exceptions': clearance.exceptions,
        'assumptions': limits.assumptions,
        'held': held,
        'joints': [
            {'name': name, 'start': series.start[index]}
            | {key: values[index] for key, values in columns.items()}
            for index, name in enumerate(found.joints)
        ],
    }


def excitation_report(found: Excitation, model: RobotModel, figures: Mapping[str, Any]) -> Report:
    """What the motion is and determines, what was assumed, and what each joint uses."""
    settings, numbers = found.settings, found.series.harmonics
    apart, pair = figures['smallest_distance'], ' and '.join(figures['nearest'])
    about = [
        f'{found.rank} base parameters: condition {found.condition:.3g}; standard deviations '
        f'{found.improvement:.3g} times smaller than of the median of {len(found.random)} random '
        'motions',
        f'smallest distance: {f"{apart:.3f} m between {pair}" if pair else "none is checked"}',
    ]
    if np.isfinite(figures['smallest_height']):
        about.append(f'smallest height above the floor: {figures["smallest_height"]:.3f} m')
    for key in ('not_checked', 'exceptions', 'assumptions'):
        about += [f'{key.replace("_", " ")}: {one}' for one in figures[key]]
    first = {row['name']: row['start'] for row in figures['joints']}
    for words, places in ('starts and ends at rest at', first), ('held still:', figures['held']):
        if places:
            about.append(f'{words} {", ".join(f"{name} {q:.6g}" for name, q in places.items())}')
    rows = []
    positions = found.series.at(found.times)[0].T
    for row, q, unit in zip(figures['joints'], positions, model.effort_units, strict=True):
        places = (quantity(one, 'm' if unit == 'N' else 'rad') for one in (q[0], q.min(), q.max()))
        shares = (quantity(100.0 * row[name], '%') for name in QUANTITIES)
        rows.append((row['name'], *places, *shares))
    return Report(
        found.robot,
        headline=f'{len(found.joints)} joints for {settings.duration:g} s, {len(numbers)} '
        f'harmonics up to {numbers[-1] / settings.duration:.4g} Hz, seed {settings.seed}',
        about=about,
        tables=[Table('', ('joint', 'start', 'from', 'to', 'range', *QUANTITIES[1:]), rows)],
        findings=[('warning', code, text) for code, text in found.doubts.items()],
    )
