"""friction.yaml: the friction, rotors and offsets of the joints, by name."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from robot_dynamics_ros.parameter_yaml import yaml_value

from ..identification import ParameterRow
from ..identified_model import IdentifiedModel

# Key: attribute of IdentifiedModel, unit of a joint that rotates and of one that slides.
VALUES = {
    'viscous': ('viscous', 'N m s/rad', 'N s/m'),
    'coulomb': ('coulomb', 'N m', 'N'),
    'viscous_negative': ('viscous_negative', 'N m s/rad', 'N s/m'),
    'coulomb_negative': ('coulomb_negative', 'N m', 'N'),
    'torque_offset': ('offset', 'N m', 'N'),
    'armature': ('armature', 'kg m^2', 'kg'),
    'smoothing': ('smoothing', 'rad/s', 'm/s'),
}

HEAD = """\
# Friction, constant torque and rotor inertia of the joints of {robot}, identified.
#
# torque = F_v v + F_s v / sqrt(v^2 + v_0^2) + torque_offset + armature a
#
# F_v is viscous and F_s coulomb; where v < 0 they are viscous_negative and coulomb_negative.
# v is the velocity of the joint, a its acceleration, v_0 the smoothing. All act at the joint,
# behind the gear. A mimic joint has none: that of the joint that it mimics includes it.
"""
INTERVALS = """\
#
# Behind each value: its unit and its 95 % interval, for noise alone. What the data do not tell
# apart from other parameters has none.
"""
UNKNOWN = 'not identified: the values of the description'
# Of a term that dynamics_node does not have.
STIFFNESS = 'stiffness'
SPRINGS = """\
#
# Springs are in comments: dynamics_node has none. Its torque lacks stiffness times q.
"""


def friction_file(
    identified: IdentifiedModel,
    rows: Sequence[ParameterRow] = (),
    unknown: Collection[str] = (),
) -> str:
    """The text of friction.yaml.

    Args:
        identified: the model.
        rows: parameters of the joints with their intervals; none: the file has values alone.
        unknown: joints of which the recordings tell nothing.
    """
    return '\n'.join([*_lines(identified, rows, unknown), ''])


def has_springs(rows: Sequence[ParameterRow]) -> bool:
    """Whether springs of joints were estimated."""
    return any(row.name.endswith(f' {STIFFNESS}') for row in rows)


def _lines(
    identified: IdentifiedModel, rows: Sequence[ParameterRow], unknown: Collection[str]
) -> Iterator[str]:
    model, by_name = identified.model, {row.name: row for row in rows}
    head = HEAD.format(robot=yaml_value(model.name))
    yield head + (INTERVALS if rows else '') + (SPRINGS if has_springs(rows) else '')
    yield 'joints:'
    for index, joint in enumerate(model.independent_joints):
        remark = f'  # {UNKNOWN}' if joint.name in unknown else ''
        yield f'  {yaml_value(joint.name)}:{remark}'
        for key, (attribute, rotates, slides) in VALUES.items():
            value = float(getattr(identified, attribute)[index])
            unit = slides if joint.kind == 'prismatic' else rotates
            row = _row(by_name, joint.name, attribute)
            yield f'    {key}: {yaml_value(value)}  # {unit}{_interval(row)}'
        if spring := by_name.get(f'{joint.name} {STIFFNESS}'):
            yield f'    # {STIFFNESS} {spring.value:.4g} {spring.unit}{_interval(spring)}'


def _row(rows: Mapping[str, ParameterRow], joint: str, term: str) -> ParameterRow | None:
    """That of a term; of both directions where one of them has none of its own."""
    both = rows.get(f'{joint} {term.removesuffix("_negative")}')
    return rows.get(f'{joint} {term}', both)


def _interval(row: ParameterRow | None) -> str:
    if row is None or not math.isfinite(row.low + row.high):
        return ''
    return f'; {row.low:.4g} to {row.high:.4g}'
