"""An inspected robot as tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from rich.table import Table
from rich.text import Text

from robot_dynamics_ros.core.model.findings import Finding
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.inspection import Inspection
from robot_dynamics_ros.inspection.link_payload import PayloadMargin

COLORS = {'error': 'bold red', 'warning': 'yellow', 'info': 'cyan'}


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


def joint_table(model: RobotModel) -> Table:
    """The tree of joints, each with what it moves before the next joint."""
    table = _table(
        'joint', 'type', 'axis', 'range', 'velocity', 'effort', 'mass', 'centre of mass'
    )
    for branch, joint in _tree(model):
        limits = joint.limits
        unit = 'm' if joint.kind == 'prismatic' else 'rad'
        kind = f'{joint.kind}, mimics {joint.mimicked}' if joint.mimicked else joint.kind
        free = math.isinf(limits.lower) and math.isinf(limits.upper)
        table.add_row(
            f'{branch}{joint.name}',
            kind,
            _vector(joint.axis, 3),
            'no limit' if free else f'{limits.lower:.3g} to {limits.upper:.3g} {unit}',
            _limit(limits.velocity, f'{unit}/s'),
            _limit(limits.effort, 'N' if joint.kind == 'prismatic' else 'N m'),
            f'{joint.inertia.mass:.4g} kg',
            f'{_vector(joint.inertia.center_of_mass, 3)} m' if joint.inertia.mass else '-',
        )
    return table


def load_table(inspection: Inspection) -> Table:
    """The gravity torque of each joint against its effort limit."""
    table = _table('gravity torque', 'at zero', 'worst', 'limit', 'share', 'poses beyond')
    units = {joint.name: joint.kind for joint in inspection.model.independent_joints}
    for load in inspection.loads:
        unit = 'N' if units[load.joint] == 'prismatic' else 'N m'
        table.add_row(
            load.joint,
            f'{load.at_zero:.3g} {unit}',
            f'{load.worst:.3g} {unit}',
            _limit(load.limit, unit),
            '-' if math.isnan(load.used) else f'{load.used:.0%}',
            f'{load.beyond:.1%}' if load.beyond else '0',
            style='yellow' if load.beyond else None,
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


def finding_lines(findings: Iterable[Finding]) -> Iterator[Text]:
    """One paragraph for each finding: what, with which value, and what to do."""
    for finding in findings:
        line = Text(f'{finding.severity} {finding.code}', style=COLORS[finding.severity])
        line.append(f' {finding}', style='default')
        yield line


def _tree(model: RobotModel) -> Iterator[tuple[str, Joint]]:
    """Each joint, behind the branches of the tree that lead to it."""
    children: dict[int, list[int]] = {}
    for index, joint in enumerate(model.joints):
        children.setdefault(joint.parent, []).append(index)
    stack: list[tuple[int, str, str]] = []

    def push(parent: int, branches: str) -> None:
        below = children.get(parent, [])
        if len(below) == 1:
            # A chain stays in its column: only branches are indented.
            stack.append((below[0], branches, branches))
            return
        for index in reversed(below):
            last = index == below[-1]
            own, inner = ('└ ', '  ') if last else ('├ ', '│ ')
            stack.append((index, branches + own, branches + inner))

    push(-1, '')
    while stack:
        index, own, inner = stack.pop()
        yield own, model.joints[index]
        push(index, inner)


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style='bold')
    table.add_column(first, overflow='fold')
    for name in others:
        table.add_column(name, justify='right', overflow='fold')
    return table


def _vector(entries: Iterable[float], digits: int) -> str:
    return ' '.join(f'{entry + 0.0:.{digits}g}' for entry in entries)


def _limit(value: float, unit: str) -> str:
    # Exporters write the largest double where there is no limit.
    return 'no limit' if value > 1e100 else f'{value:.3g} {unit}'


def _mass(value: float) -> str:
    if math.isinf(value):
        return 'any mass' if value > 0.0 else 'no mass'
    return f'{value:.3g} kg'
