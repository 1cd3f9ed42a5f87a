"""The files of an identified robot, as texts by their names; docs/identified_files.md has them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotModel, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS as OF_A_BODY
from robot_dynamics_ros.core.model.inertial_parameters import parameters_of
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.joint_model import KEYS
from robot_dynamics_ros.json_text import json_text
from robot_dynamics_ros.mjcf import mjcf_of
from robot_dynamics_ros.parameter_yaml import yaml_comment, yaml_value

from .base_parameters import body_names
from .identified_model import IdentifiedModel
from .identified_urdf import changed_bodies, identified_urdf
from .parameters import UNITS, ParameterRow

URDF = 'identified.urdf'
MJCF = 'identified.xml'
FRICTION = 'friction.yaml'
PARAMETERS = 'dynamics_node.yaml'
JSON = 'identification.json'

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
    speeds: Array | float = 0.0,
    viscous_lower: Array | float = 0.0,
    doubts: Sequence[str] = (),
    unknown: Collection[str] = (),
) -> dict[str, str]:
    """The text of each file by its name, to be written as a whole.

    Args:
        text: of the URDF; of a xacro file, its expansion.
        nominal: model before the identification: of the text, or reduced to recorded joints.
        identified: the same model with identified parameters.
        report: what else identification.json is to hold, by key.
        rows: parameters of the joints, whose intervals friction.yaml is to have.
        speeds: (n,) up to which each joint was fitted [rad/s or m/s]; 0: it was not.
        viscous_lower: (n,) what viscous friction is at least [N m s/rad or N s/m].
        doubts: why the model is not to be loaded; they stand at the head of the YAML files.
        unknown: joints of which the recordings tell nothing: friction.yaml says it.

    Raises:
        ModelError: the text cannot be used.
        ParameterError: a URDF, or dynamics_node, would refuse a value.
    """
    urdf = written_urdf(text, nominal, identified)
    before, after = parse_urdf(text), parse_urdf(urdf)
    head, model = yaml_comment(FORCED, doubts), identified.model
    values = _values(identified, speeds + np.zeros(model.size), viscous_lower)
    rotors = dict(zip(model.joint_names, identified.armature.tolist(), strict=True))
    simulated = mjcf_of(urdf, rotors)
    return ({MJCF: simulated} if simulated else {}) | {
        URDF: urdf,
        FRICTION: head + ''.join(_friction(model, values, rows, unknown)),
        PARAMETERS: head + ''.join(_node(identified, before)),
        JSON: json_text({**report, 'model': _model_json(before, after, identified, values)}),
    }


def written_urdf(text: str, nominal: RobotModel, identified: IdentifiedModel) -> str:
    """The text of identified.urdf alone; arguments and errors are those of `result_files`."""
    # Both refuse what is negative or not finite.
    friction, names = identified.friction, identified.model.joint_names
    identified.model.with_armature(dict(zip(names, identified.armature.tolist(), strict=True)))
    for joint, value in zip(names, identified.offset.tolist(), strict=True):
        if not math.isfinite(value):
            raise ParameterError(f'torque_offset of joint {joint!r} is {value:g}: not finite')
    # A URDF has no directions: it gets the mean of both.
    means = [
        (friction[term] + friction[f'{term}_negative']) / 2 for term in ('viscous', 'coulomb')
    ]
    frictions = dict(zip(friction.names, np.transpose(means).tolist(), strict=True))
    bodies = changed_bodies(parse_urdf(text), nominal, identified.model)
    return identified_urdf(text, bodies, frictions)


def _values(
    identified: IdentifiedModel, speeds: Array, viscous_lower: Array | float
) -> dict[str, Array]:
    """The values (n,) of friction.yaml by their keys; NaN for none."""
    values = {**identified.kinds, 'torque_offset': identified.offset}
    values |= {'armature': identified.armature, 'max_velocity': np.where(speeds, speeds, np.nan)}
    for term in ('viscous', 'viscous_negative'):
        low = np.clip(viscous_lower, 0.0, values[term])
        values[f'{term}_lower'] = np.where(speeds, low, np.nan)
    return {key: values[key] for key in KEYS}


def _friction(
    model: RobotModel,
    values: Mapping[str, Array],
    rows: Sequence[ParameterRow],
    unknown: Collection[str],
) -> Iterator[str]:
    """Parts of friction.yaml; six digits, as no parameter is known better."""
    by_name = {row.name: row for row in rows}
    yield FRICTION_HEAD.format(robot=yaml_value(model.name))
    for index, joint in enumerate(model.independent_joints):
        remark = '  # not identified: the values of the URDF' if joint.name in unknown else ''
        yield f'  {yaml_value(joint.name)}:{remark}\n'
        for key in KEYS:
            value = float(f'{values[key][index]:.6g}')
            if math.isnan(value) or (key in OPTIONAL and not values[OPTIONAL[key]][index]):
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


def _model_json(
    before: RobotModel, after: RobotModel, identified: IdentifiedModel, values: Mapping[str, Array]
) -> dict[str, Any]:
    """The section `model` of identification.json."""

    def body(joint: Joint) -> dict[str, float]:
        return dict(zip(OF_A_BODY, parameters_of(joint.inertia), strict=True))

    model, values = identified.model, {**values, 'gain': identified.gain}
    return {
        'joints': {
            name: {'unit': unit} | {key: float(one[row]) for key, one in values.items()}
            for row, (name, unit) in enumerate(
                zip(model.joint_names, model.effort_units, strict=True)
            )
        },
        'bodies': {
            old.name: {
                'link': link,
                'changed': old.inertia != new.inertia,
                'nominal': body(old),
                'identified': body(new),
            }
            for link, old, new in zip(body_names(after), before.joints, after.joints, strict=True)
        },
    }
