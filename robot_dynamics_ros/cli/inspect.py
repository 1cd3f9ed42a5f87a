"""`robot_dynamics inspect`: a robot, its loads, and what is implausible."""

from __future__ import annotations

import math
from collections.abc import Iterable

import click

from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.inspection import Inspection, inspect_robot
from robot_dynamics_ros.inspection.loads import GravityLoad

from .description_file import Vector, robot_of_words
from .options import subcommand
from .output import Output, exit_code


@subcommand('inspect', 'file', 'gravity')
@click.option('--frame', metavar='LINK', help='Link whose payload margin to show.')
def inspect_command(
    words: tuple[str, ...],
    gravity: Vector | None,
    frame: str | None,
    output: Output,
) -> int:
    """Show a robot: joints, masses, gravity torque against effort limits, and findings.

    FILE is a URDF, a xacro file with its arguments, name:=value, or a recording of
    /robot_description.

    Examples:
      robot_dynamics inspect panda.urdf --frame panda_hand_tcp
      robot_dynamics inspect ur.urdf.xacro name:=ur5e ur_type:=ur5e --json ur5e.json
    """
    model, urdf, _ = robot_of_words(words)
    inspection = inspect_robot(model, frame, gravity or STANDARD_GRAVITY, urdf)
    output.write_json(inspection.as_json())
    _show(inspection, output)
    found = inspection.findings
    output.findings((f'{one.severity} {one.code}', str(one)) for one in found)
    if not found:
        output.line('no findings')
    return exit_code([one for one in found if one.severity != 'info'])


def _show(inspection: Inspection, output: Output) -> None:
    """Print what the robot is, what each joint moves and holds, and what a link carries."""
    model, margin, poses = inspection.model, inspection.margin, inspection.poses.q
    mimics = len(model.joints) - model.size
    output.line(
        f'{model.name}: {len(model.joints)} moving joints{f" ({mimics} mimic)" if mimics else ""},'
        f' {len(model.frames)} links, root {model.frames[0].name}; mass {model.mass:.4g} kg, '
        f'{inspection.moving_mass:.4g} kg of it moving; reach {model.reach:.3g} m'
    )
    if model.joints:
        columns = 'joint', 'type', 'axis', 'range', 'velocity', 'effort', 'mass', 'centre of mass'
        output.table(columns, map(_joint_row, model.joints))
        rows = map(_load_row, model.independent_joints, inspection.loads.values())
        columns = 'gravity torque', 'at zero', 'worst', 'limit', 'share', 'poses beyond'
        output.table(columns, rows)
        at = zip(model.independent_joints, poses[0].tolist(), strict=True)
        if moved := [f'{joint.name} {q:.3g} {_unit(joint)}' for joint, q in at if q]:
            output.line(f'zero is outside the limits: at zero stands for {", ".join(moved)}')
    if margin is not None:
        at_least = '' if math.isinf(margin.median) else 'at least '
        output.line(
            f'payload at {margin.frame}: {_mass(margin.at_zero)} at zero, {at_least}'
            f'{_mass(margin.median)} at half of {len(poses)} poses, {_mass(margin.least)} '
            f'at the worst; the joints hold the robot itself at {margin.holding:.0%} of the poses'
        )


def _joint_row(joint: Joint) -> tuple[str, ...]:
    """A joint with what it moves before the next joint."""
    limits, unit = joint.limits, _unit(joint)
    free = math.isinf(limits.lower) and math.isinf(limits.upper)
    mass, center = joint.inertia.mass, joint.inertia.center_of_mass
    return (
        joint.name,
        f'{joint.kind}, mimics {joint.mimicked}' if joint.mimicked else joint.kind,
        _vector(joint.axis),
        'no limit' if free else f'{limits.lower:.3g} to {limits.upper:.3g} {unit}',
        _limit(limits.velocity, f'{unit}/s'),
        _limit(limits.effort, _effort_unit(joint)),
        f'{mass:.4g} kg',
        f'{_vector(center)} m' if mass else '-',
    )


def _unit(joint: Joint) -> str:
    return 'm' if joint.kind == 'prismatic' else 'rad'


def _load_row(joint: Joint, load: GravityLoad) -> tuple[str, ...]:
    """The gravity torque of a joint against its effort limit."""
    unit = _effort_unit(joint)
    return (
        joint.name,
        f'{load.at_zero:.3g} {unit}',
        f'{load.worst:.3g} {unit}',
        _limit(load.limit, unit),
        '-' if math.isnan(load.used) else f'{load.used:.0%}',
        f'{load.beyond:.1%}' if load.beyond else '0',
    )


def _effort_unit(joint: Joint) -> str:
    return 'N' if joint.kind == 'prismatic' else 'N m'


def _vector(entries: Iterable[float]) -> str:
    return ' '.join(f'{entry + 0.0:.3g}' for entry in entries)


def _limit(value: float, unit: str) -> str:
    # Exporters write the largest double where there is no limit.
    return 'no limit' if value > 1e100 else f'{value:.3g} {unit}'


def _mass(value: float) -> str:
    if math.isinf(value):
        return 'any mass' if value > 0.0 else 'no mass'
    return f'{value:.3g} kg'
