"""The files of an identified robot, as texts by their names; docs/identified_files.md has them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotModel, parse_urdf
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.inertial_parameters import body_of, parameters_of
from robot_dynamics_ros.core.spatial import Inertia
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.joint_model import KEYS
from robot_dynamics_ros.json_text import json_text
from robot_dynamics_ros.mjcf import mjcf_of
from robot_dynamics_ros.parameter_yaml import yaml_comment, yaml_value

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
    files = {
        URDF: urdf,
        MJCF: mjcf_of(urdf, identified.rotors),
        FRICTION: head + ''.join(_friction(identified, rows)),
        PARAMETERS: head + ''.join(_node(identified, parse_urdf(text))),
        JSON: json_text(report),
    }
    return {name: content for name, content in files.items() if content}


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


def written_urdf(text: str, nominal: RobotModel, identified: IdentifiedModel) -> str:
    """The text of identified.urdf; see `result_files`."""
    # Both refuse what is negative or not finite.
    friction, _ = identified.friction, identified.model.with_armature(identified.rotors)
    offsets = identified.values['torque_offset'].tolist()
    for joint, value in zip(identified.model.joint_names, offsets, strict=True):
        if not math.isfinite(value):
            raise ParameterError(f'torque_offset of joint {joint!r} is {value:g}: not finite')
    # A URDF has no directions: it gets the mean of both.
    kinds = ('viscous', 'coulomb')
    means = [(friction[kind] + friction[f'{kind}_negative']) / 2 for kind in kinds]
    frictions = dict(zip(friction.names, np.transpose(means).tolist(), strict=True))
    bodies = changed_bodies(parse_urdf(text), nominal, identified.model)
    return identified_urdf(text, bodies, frictions)


def changed_bodies(
    urdf: RobotModel, before: RobotModel, identified: RobotModel
) -> dict[str, Inertia]:
    """The inertia of each body that differs from the URDF, by the name of its joint.

    Joints that were not recorded are locked in `before` and `identified`, and what they carry is
    part of other bodies. The URDF keeps them: its bodies change by what those have changed.
    Payloads are left out.
    """
    own, old, new = (
        {joint.name: joint.inertia for joint in (model.unloaded or model).joints}
        for model in (urdf, before, identified)
    )
    changed = {name: body for name, body in new.items() if body != old[name]}
    for name in changed:
        if own[name] != old[name]:
            has, had, gets = (np.array(parameters_of(one[name])) for one in (own, old, new))
            changed[name] = body_of((has + (gets - had)).tolist())
    return changed


def identified_urdf(
    text: str, bodies: Mapping[str, Inertia], frictions: Mapping[str, Sequence[float]]
) -> str:
    """The text of a URDF with other inertials and other friction; comments and order are kept.

    Data cannot divide the inertia of a body among links that are fixed to each other: the first
    link gets all of it, and the <inertial> of each other one becomes a comment that names it.

    Args:
        text: of the URDF.
        bodies: inertia of moving bodies in the frame of their first link, by name of their joint.
        frictions: damping [N m s/rad or N s/m] and Coulomb friction [N m or N] by joint.

    Raises:
        ModelError: the text cannot be used; see `parse_urdf`.
        ParameterError: a URDF cannot hold a body.
    """
    etree = required('lxml.etree', 'identification')
    model = parse_urdf(text)
    # The text may declare another encoding than that of these bytes.
    parser = etree.XMLParser(encoding='utf-8', resolve_entities=False, no_network=True)
    root = etree.fromstring(text.encode(), parser)
    links = {link.get('name'): link for link in root.findall('link')}
    joints = {joint.get('name'): joint for joint in root.findall('joint')}
    for index, joint in enumerate(model.joints):
        if bodies.get(joint.name, joint.inertia) != joint.inertia:
            carried = [links[frame.name] for frame in model.frames if frame.body == index]
            _write_body(etree, carried, bodies[joint.name])
        values = zip(('damping', 'friction'), frictions.get(joint.name, ()), strict=False)
        for attribute, value in values:
            if value != getattr(joint, attribute):
                found = joints[joint.name].find('dynamics')
                if found is None:
                    found = etree.SubElement(joints[joint.name], 'dynamics')
                found.set(attribute, repr(value))
    whole = [*reversed([*root.itersiblings(preceding=True)]), root, *root.itersiblings()]
    parts = [etree.tostring(one, encoding='unicode', with_tail=False) for one in whole]
    declared = ['<?xml version="1.0"?>'] * text.startswith(('<?xml', '\ufeff<?xml'))
    return '\n'.join([*declared, *parts, ''])


def _write_body(etree: Any, links: Sequence[Any], body: Inertia) -> None:
    """Give the first link the inertia of a body, and the links that are fixed to it none."""
    first, *fixed = links
    name, old = first.get('name'), first.find('inertial')
    new = etree.fromstring(inertial(name, body))
    if old is None:
        first.insert(0, new)
    else:
        new.tail = old.tail
        first.replace(old, new)
    # A comment must not hold two hyphens.
    named = repr(name) if '--' not in name else 'the link that moves'
    for link in fixed:
        if (old := link.find('inertial')) is not None:
            comment = etree.Comment(f' inertial: part of that of {named} ')
            comment.tail = old.tail
            link.replace(old, comment)


def inertial(link: str, body: Inertia) -> str:
    """An <inertial> in the axes of the link, with all digits.

    Raises:
        ParameterError: the mass is negative, or zero where the first moment is not.
    """
    if body.mass < 0.0 or (body.mass == 0.0 and any(body.first_moment)):
        raise ParameterError(
            f'link {link!r}: its mass is {body.mass:g} kg, a URDF needs a mass greater than 0'
        )
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.rotational_at_center_of_mass
    # Minus zero as zero.
    mass, *center = (repr(float(one) + 0.0) for one in (body.mass, *body.center_of_mass))
    moments = {'ixx': xx, 'ixy': xy, 'ixz': xz, 'iyy': yy, 'iyz': yz, 'izz': zz}
    tensor = ' '.join(f'{name}="{float(one) + 0.0!r}"' for name, one in moments.items())
    return (
        f'<inertial>\n  <origin xyz="{" ".join(center)}"/>\n  <mass value="{mass}"/>\n'
        f'  <inertia {tensor}/>\n</inertial>'
    )
