"""The files of an identified robot, as texts by their names; docs/identified_files.md has them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.joint_model import KEYS
from robot_dynamics_ros.json_text import json_text
from robot_dynamics_ros.mjcf import mjcf_of
from robot_dynamics_ros.parameter_yaml import yaml_comment, yaml_value

from .identified_urdf import written_urdf
from .parameters import UNITS, IdentifiedModel, ParameterRow

URDF, MJCF, JSON = 'identified.urdf', 'identified.xml', 'identification.json'
FRICTION, PARAMETERS = 'friction.yaml', 'dynamics_node.yaml'
# Which are written for joints that have such a term, and this term.
OPTIONAL = {
    **{key: key for key in ('gradual', 'stribeck', 'load', 'presliding', 'presliding_long')},
    'gradual_smoothing': 'gradual',
    'stribeck_velocity': 'stribeck',
    'displacement': 'presliding',
    'displacement_long': 'presliding_long',
}
FORCED = 'Written with --doubtful, although this model is not to be loaded:'
WIDTH, SIGN = 99, '    # '

FRICTION_HEAD = """\
# Friction, constant torque and rotor inertia of the joints of {robot}, identified; its keys:
# docs/identified_files.md. torque = friction + torque_offset + armature a, behind the gear.
# Behind each value: its unit; of rotors and offsets the 95 % interval, where the data tell it.
joints:
"""
NODE = """\
# Parameters of dynamics_node for {robot}, identified. They belong to {urdf}:
#
#   ros2 run robot_dynamics_ros dynamics_node --ros-args --params-file {file} \\
#       -p description_file:={urdf}
#
# dynamics_node commands the joints below, also where an earlier parameter file names others.
/**:
  ros__parameters:
    joints: {joints}

    # Friction, offsets and rotors of the joints: a path, relative to this file.
    joint_model: {friction}

    # Leave out what the driver of the arm adds itself: docs/controllers.md says which do.
    terms: [gravity, coriolis, inertial, friction]
"""


def result_files(
    text: str,
    nominal: RobotModel,
    identified: IdentifiedModel,
    report: Mapping[str, Any],
    *,
    rows: Sequence[ParameterRow] = (),
    doubts: Sequence[str] = (),
) -> dict[str, str]:
    """The text of each file by its name, to be written as a whole.

    Args:
        text: of the URDF; of a xacro file, its expansion.
        nominal: model before the identification: of the text, or reduced to recorded joints.
        identified: the same model with identified parameters.
        report: what identification.json is to hold, by key.
        rows: parameters of the joints, whose intervals friction.yaml is to have.
        doubts: why the model is not to be loaded; they stand at the head of the YAML files.

    Raises:
        ModelError: the text cannot be used.
        ParameterError: a URDF, or dynamics_node, would refuse a value.
    """
    urdf, head = written_urdf(text, nominal, identified), yaml_comment(FORCED, doubts)
    simulated = mjcf_of(urdf, identified.rotors)
    return ({MJCF: simulated} if simulated else {}) | {
        URDF: urdf,
        FRICTION: head + ''.join(_friction(identified, rows)),
        PARAMETERS: head + ''.join(_node(identified, parse_urdf(text))),
        JSON: json_text(report),
    }


def _friction(identified: IdentifiedModel, rows: Sequence[ParameterRow]) -> Iterator[str]:
    """Parts of friction.yaml; six digits, as no parameter is known better."""
    by_name = {row.name: row for row in rows}
    yield FRICTION_HEAD.format(robot=yaml_value(identified.model.name))
    for index, joint in enumerate(identified.model.independent_joints):
        values = {key: float(f'{identified.values[key][index]:.6g}') for key in KEYS}
        unknown = math.isnan(values['max_velocity'])
        remark = '  # not identified: the values of the URDF' if unknown else ''
        yield f'  {yaml_value(joint.name)}:{remark}\n'
        for key, value in values.items():
            if math.isnan(value) or (key in OPTIONAL and not values[OPTIONAL[key]]):
                continue
            name = f'{joint.name} {key.removeprefix("torque_")}'
            # Where one direction has no parameter of its own, the interval is that of both.
            row = by_name.get(name, by_name.get(name.removesuffix('_negative')))
            remark = f'; {row.interval}' if row and row.interval else ''
            unit = UNITS[key][joint.kind == 'prismatic']
            yield f'    {key}: {yaml_value(value)}  # {unit}{remark}\n'


def _node(identified: IdentifiedModel, urdf: RobotModel) -> Iterator[str]:
    """Parts of dynamics_node.yaml."""
    robot, names = yaml_value(identified.model.name), identified.model.joint_names
    joints = yaml_value(list(names))
    yield NODE.format(robot=robot, file=PARAMETERS, urdf=URDF, friction=FRICTION, joints=joints)
    if tuple(identified.gravity) != STANDARD_GRAVITY:
        yield '\n    # In the axes of the root link, under which it was recorded.\n'
        yield f'    gravity: {yaml_value(list(identified.gravity))}\n'
    if others := [yaml_value(name) for name in urdf.joint_names if name not in names]:
        text = (
            f'Not identified, because it was not recorded: {", ".join(others)}. Each of these '
            'joints must be in joint_states, or stand where a line like this one puts it:'
        )
        yield f'\n{textwrap.fill(text, WIDTH, initial_indent=SIGN, subsequent_indent=SIGN)}\n'
        yield f'{SIGN}locked_joints: {{{others[0]}: 0.0}}\n'
