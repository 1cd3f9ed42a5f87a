"""The files of an identified robot, as texts by their names; docs/identified_files.md has them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotModel, parse_urdf
from robot_dynamics_ros.core.algorithms.friction import CONSTANTS, constant_unit
from robot_dynamics_ros.core.algorithms.friction import TERMS as FRICTION_TERMS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS as OF_A_BODY
from robot_dynamics_ros.core.model.inertial_parameters import parameters_of
from robot_dynamics_ros.json_text import json_text
from robot_dynamics_ros.mjcf import mjcf_of
from robot_dynamics_ros.parameter_yaml import yaml_comment, yaml_value

from .identified_model import IdentifiedModel
from .identified_urdf import Friction, changed_bodies, identified_urdf
from .parameters import ParameterRow

URDF = 'identified.urdf'
MJCF = 'identified.xml'
FRICTION = 'friction.yaml'
PARAMETERS = 'dynamics_node.yaml'
JSON = 'identification.json'

VISCOUS = ('viscous', 'viscous_negative')
# Of friction.yaml: the unit of a joint that rotates and of one that slides.
UNITS = {
    **FRICTION_TERMS,
    **{
        name: (constant_unit(name, slides=False), constant_unit(name, slides=True))
        for name in CONSTANTS
    },
    'torque_offset': ('N m', 'N'),
    'armature': ('kg m^2', 'kg'),
    'max_velocity': ('rad/s', 'm/s'),
    **{f'{term}_lower': FRICTION_TERMS[term] for term in VISCOUS},
}
# Which are written for each joint; others where the joint has such a term.
ALWAYS = (
    'viscous', 'coulomb', 'viscous_negative', 'coulomb_negative', 'smoothing', 'torque_offset',
    'armature', 'max_velocity', 'viscous_lower', 'viscous_negative_lower',
)  # fmt: skip
# The term of a constant.
OF_CONSTANT = {
    'gradual_smoothing': 'gradual',
    'stribeck_velocity': 'stribeck',
    'displacement': 'presliding',
    'displacement_long': 'presliding_long',
}
TERMS = ['gravity', 'coriolis', 'inertial', 'friction']
FORCED = 'Written with --doubtful, although this model is not to be loaded:'
WIDTH, SIGN = 99, '    # '

FRICTION_HEAD = """\
# Friction, constant torque and rotor inertia of the joints of {robot}, identified.
#
# torque = friction + torque_offset + armature a. The terms of the friction: docs/friction.md.
# Where v < 0 viscous and coulomb are viscous_negative and coulomb_negative. All act at the joint,
# behind the gear. A mimic joint has none: that of the joint that it mimics includes it.
# max_velocity: up to which speed the joint was recorded; lower: begin of the interval.
"""
INTERVALS = """\
#
# Behind each value: its unit; of rotors and offsets the 95 % interval, where the data tell it.
"""
NODE = """\
# Parameters of dynamics_node for {robot}, identified. They belong to {urdf}:
#
#   ros2 run robot_dynamics_ros dynamics_node --ros-args --params-file {file} \\
#       -p description_file:={urdf}
#
# Where robot_state_publisher already publishes {urdf}, leave out the second line.
# dynamics_node commands the joints below, also where an earlier parameter file names others.
# `/**:` stands for nodes of any name.
/**:
  ros__parameters:
    joints: {joints}

    # Friction, offsets and rotors of the joints: a path, relative to this file.
    joint_model: {friction}

    # Leave out what the driver of the arm adds itself: docs/controllers.md says which do.
    terms: {terms}
"""


def result_files(
    text: str,
    nominal: RobotModel,
    identified: IdentifiedModel,
    report: Mapping[str, Any],
    *,
    rows: Sequence[ParameterRow] = (),
    speeds: Array | None = None,
    viscous_lower: Array | None = None,
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
        unknown: joints of which the recordings tell nothing: comments say it.

    Raises:
        ModelError: the text cannot be used.
        ParameterError: the models do not belong to the text, a URDF cannot hold a body, or a
            value of a joint is one that dynamics_node refuses.
    """
    urdf = written_urdf(text, nominal, identified)
    before, after = parse_urdf(text), parse_urdf(urdf)
    head = yaml_comment(FORCED, doubts)
    values = _values(identified, speeds, viscous_lower)
    rotors = dict(zip(identified.model.joint_names, identified.armature.tolist(), strict=True))
    simulated = mjcf_of(urdf, rotors)
    return ({MJCF: simulated} if simulated else {}) | {
        URDF: urdf,
        FRICTION: head + '\n'.join([*_friction(identified.model, values, rows, unknown), '']),
        PARAMETERS: head + '\n'.join([*_node(identified, before, unknown), '']),
        JSON: json_text({**report, 'model': _model_json(before, after, identified, values)}),
    }


def written_urdf(text: str, nominal: RobotModel, identified: IdentifiedModel) -> str:
    """The text of identified.urdf alone; arguments and errors are those of `result_files`."""
    _check_joints(identified)
    bodies = changed_bodies(parse_urdf(text), nominal, identified.model)
    return identified_urdf(text, bodies, _frictions(identified))


def _frictions(identified: IdentifiedModel) -> dict[str, Friction]:
    """The <dynamics> of each joint: a URDF has no directions, so it gets the mean of both.

    Mimic joints have none, for that of the joint that they mimic includes theirs.
    """
    friction = identified.friction
    both = [
        np.mean([friction[term], friction[f'{term}_negative']], axis=0).tolist()
        for term in ('viscous', 'coulomb')
    ]
    return dict(zip(friction.names, zip(*both, strict=True), strict=True))


def _check_joints(identified: IdentifiedModel) -> None:
    """Whether dynamics_node takes offsets and rotors; `JointFriction` checks the others.

    Raises:
        ParameterError: one is not finite, or a rotor is negative.
    """
    names = identified.model.joint_names
    identified.model.with_armature(dict(zip(names, identified.armature.tolist(), strict=True)))
    for joint, value in zip(names, identified.offset.tolist(), strict=True):
        if not math.isfinite(value):
            raise ParameterError(f'torque_offset of joint {joint!r} is {value:g}: not finite')


def _values(
    identified: IdentifiedModel, speeds: Array | None, viscous_lower: Array | None
) -> dict[str, Array]:
    """The values (n,) of friction.yaml by their keys; NaN for none."""
    none = np.zeros(len(identified.armature))
    known = none if speeds is None else speeds
    fitted = np.where(known, known, math.nan)
    values = dict(identified.kinds)
    values |= {'torque_offset': identified.offset, 'armature': identified.armature}
    values['max_velocity'] = fitted
    for term in VISCOUS:
        low = np.clip(none if viscous_lower is None else viscous_lower, 0.0, values[term])
        values[f'{term}_lower'] = np.where(np.isfinite(fitted), low, math.nan)
    return {key: values[key] for key in UNITS}


def _row(rows: Mapping[str, ParameterRow], joint: str, name: str) -> ParameterRow | None:
    """The row of a value; where one direction has no parameter of its own, that of both."""
    both = rows.get(f'{joint} {name.removesuffix("_negative")}')
    return rows.get(f'{joint} {name}', both)


def _friction(
    model: RobotModel,
    values: Mapping[str, Array],
    rows: Sequence[ParameterRow],
    unknown: Collection[str],
) -> Iterator[str]:
    """The lines of friction.yaml; six digits, as no parameter is known better."""
    by_name = {row.name: row for row in rows}
    yield FRICTION_HEAD.format(robot=yaml_value(model.name)) + (INTERVALS if rows else '')
    yield 'joints:'
    for index, joint in enumerate(model.independent_joints):
        remark = '  # not identified: the values of the URDF' if joint.name in unknown else ''
        yield f'  {yaml_value(joint.name)}:{remark}'
        for key, units in UNITS.items():
            value = float(f'{values[key][index]:.6g}')
            absent = key not in ALWAYS and not values[OF_CONSTANT.get(key, key)][index]
            if absent or math.isnan(value):
                continue
            row = _row(by_name, joint.name, key.removeprefix('torque_'))
            known = row is not None and math.isfinite(row.low) and math.isfinite(row.high)
            interval = f'; {row.low:.4g} to {row.high:.4g}' if row and known else ''
            unit = units[joint.kind == 'prismatic']
            yield f'    {key}: {yaml_value(value)}  # {unit}{interval}'


def _node(
    identified: IdentifiedModel, urdf: RobotModel, unknown: Collection[str]
) -> Iterator[str]:
    """The lines of dynamics_node.yaml."""
    model = identified.model
    yield NODE.format(
        robot=yaml_value(model.name),
        file=PARAMETERS,
        urdf=URDF,
        friction=FRICTION,
        joints=yaml_value(list(model.joint_names)),
        terms=yaml_value(TERMS),
    )
    if tuple(identified.gravity) != STANDARD_GRAVITY:
        yield from _comment('Gravity in the axes of the root link, under which it was recorded.')
        yield f'    gravity: {yaml_value(list(identified.gravity))}'
    if unknown:
        yield from _comment(
            f'Not identified, as the recordings tell nothing of them: {", ".join(unknown)}. Their '
            'values are those of the URDF, 0 where it has none: 0 is not a result.'
        )
    others = [yaml_value(name) for name in urdf.joint_names if name not in model.joint_names]
    if others:
        yield from _comment(
            f'Not identified, because it was not recorded: {", ".join(others)}. Each of these '
            'joints must be in joint_states, or stand where a line like this one puts it:'
        )
        yield f'{SIGN}locked_joints: {{{others[0]}: 0.0}}'


def _comment(text: str) -> list[str]:
    return ['', *textwrap.wrap(text, WIDTH, initial_indent=SIGN, subsequent_indent=SIGN)]


def _model_json(
    before: RobotModel,
    after: RobotModel,
    identified: IdentifiedModel,
    values: Mapping[str, Array],
) -> dict[str, Any]:
    """The section `model` of identification.json."""

    def body(one: RobotModel, index: int) -> dict[str, float]:
        return dict(zip(OF_A_BODY, parameters_of(one.joints[index].inertia), strict=True))

    values = {**values, 'gain': identified.gain}
    first_links = {frame.body: frame.name for frame in reversed(after.frames)}
    return {
        'joints': {
            joint.name: {'unit': 'N' if joint.kind == 'prismatic' else 'N m'}
            | {key: float(one[row]) for key, one in values.items()}
            for row, joint in enumerate(identified.model.independent_joints)
        },
        'bodies': {
            joint.name: {
                'link': first_links[index],
                'changed': joint.inertia != after.joints[index].inertia,
                'nominal': body(before, index),
                'identified': body(after, index),
            }
            for index, joint in enumerate(before.joints)
        },
    }
