"""`robot_dynamics inspect`: a robot, its loads, and what is implausible."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.inspection import Inspection, inspect_robot
from robot_dynamics_ros.inspection.loads import PayloadMargin
from robot_dynamics_ros.inspection.picture import draw
from robot_dynamics_ros.written_file import written_file

from .description_file import description_options, robot_of_words
from .gravity import Vector, gravity_option
from .output import FileToWrite, FittedTable, Output, exit_code, output_options

HELP = """Show a robot: joints, masses, gravity torque against effort limits, and findings.

FILE is a URDF, a xacro file with its arguments, name:=value, or a recording of
/robot_description. Instead of a file, --topic takes the description from a running robot.

\b
Examples:
  robot_dynamics inspect panda.urdf --frame panda_hand_tcp --picture panda.png
  robot_dynamics inspect ur.urdf.xacro name:=ur5e ur_type:=ur5e --json ur5e.json

Exit code 1: at least one finding is a warning or an error.
"""


@click.command('inspect', help=HELP)
@description_options
@gravity_option()
@click.option('--frame', metavar='LINK', help='Link whose payload margin to show.')
@click.option(
    '--picture', type=FileToWrite(), metavar='FILE',
    help='Draw the robot at zero, with centres of mass and inertia ellipsoids (.png, .svg, .pdf).',
)  # fmt: skip
@output_options
def inspect_command(
    words: tuple[str, ...],
    topic: str | None,
    gravity: Vector,
    frame: str | None,
    picture: Path | None,
    output: Output,
) -> int:
    """Read the description, and show what is known of the robot."""
    model, urdf, source = robot_of_words(words, topic)
    inspection = inspect_robot(model, frame, gravity)
    if picture is not None:
        folder = source and source.parent
        with written_file(picture) as new:
            missing = draw(inspection, urdf, folder, new)
        inspection = replace(inspection, findings=(*inspection.findings, *missing))
    output.write_json(inspection.as_json())
    output.line(summary(inspection))
    if model.joints:
        output.show('', joint_table(model), '', load_table(inspection))
    if inspection.margin is not None:
        output.show('', margin_line(inspection.margin, inspection.poses))
    found = inspection.findings
    output.show('', *([] if found else ['no findings']))
    output.findings((f'{one.severity} {one.code}', str(one)) for one in found)
    return exit_code([one for one in found if one.severity != 'info'])


def summary(inspection: Inspection) -> str:
    """What the robot is, in one line."""
    model = inspection.model
    mimics = len(model.joints) - model.size
    joints = f'{len(model.joints)} moving joints' + (f' ({mimics} mimic)' if mimics else '')
    return (
        f'{model.name}: {joints}, {len(model.frames)} links, root {model.frames[0].name}; mass '
        f'{inspection.mass:.4g} kg, {inspection.moving_mass:.4g} kg of it moving; reach '
        f'{model.reach:.3g} m'
    )


def joint_table(model: RobotModel) -> FittedTable:
    """Each joint with what it moves before the next joint."""
    table = FittedTable(
        'joint', 'type', 'axis', 'range', 'velocity', 'effort', 'mass', 'centre of mass'
    )
    for joint in model.joints:
        limits, unit = joint.limits, 'm' if joint.kind == 'prismatic' else 'rad'
        free = math.isinf(limits.lower) and math.isinf(limits.upper)
        table.add_row(
            joint.name,
            f'{joint.kind}, mimics {joint.mimicked}' if joint.mimicked else joint.kind,
            _vector(joint.axis),
            'no limit' if free else f'{limits.lower:.3g} to {limits.upper:.3g} {unit}',
            _limit(limits.velocity, f'{unit}/s'),
            _limit(limits.effort, 'N' if joint.kind == 'prismatic' else 'N m'),
            f'{joint.inertia.mass:.4g} kg',
            f'{_vector(joint.inertia.center_of_mass)} m' if joint.inertia.mass else '-',
        )
    return table


def load_table(inspection: Inspection) -> FittedTable:
    """The gravity torque of each joint against its effort limit."""
    table = FittedTable('gravity torque', 'at zero', 'worst', 'limit', 'share', 'poses beyond')
    joints = inspection.model.independent_joints
    for joint, load in zip(joints, inspection.loads.values(), strict=True):
        unit = 'N' if joint.kind == 'prismatic' else 'N m'
        table.add_row(
            joint.name,
            f'{load.at_zero:.3g} {unit}',
            f'{load.worst:.3g} {unit}',
            _limit(load.limit, unit),
            '-' if math.isnan(load.used) else f'{load.used:.0%}',
            f'{load.beyond:.1%}' if load.beyond else '0',
        )
    return table


def margin_line(margin: PayloadMargin, poses: int) -> str:
    """The payload that a link carries, in one line."""
    at_least = '' if math.isinf(margin.median) else 'at least '
    return (
        f'payload at {margin.frame}: {_mass(margin.at_zero)} at zero, {at_least}'
        f'{_mass(margin.median)} at half of {poses} poses, {_mass(margin.least)} at the worst; '
        f'the joints hold the robot itself at {margin.holding:.0%} of the poses'
    )


def _vector(entries: Iterable[float]) -> str:
    return ' '.join(f'{entry + 0.0:.3g}' for entry in entries)


def _limit(value: float, unit: str) -> str:
    # Exporters write the largest double where there is no limit.
    return 'no limit' if value > 1e100 else f'{value:.3g} {unit}'


def _mass(value: float) -> str:
    if math.isinf(value):
        return 'any mass' if value > 0.0 else 'no mass'
    return f'{value:.3g} kg'
