"""A URDF with identified inertia and friction: the user's, with other numbers in it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotModel, parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import body_of, parameters_of
from robot_dynamics_ros.core.spatial import Inertia
from robot_dynamics_ros.extra import required

from .parameters import IdentifiedModel


def written_urdf(text: str, nominal: RobotModel, identified: IdentifiedModel) -> str:
    """The text of identified.urdf; see `result_files`."""
    # Both refuse what is negative or not finite.
    friction, names = identified.friction, identified.model.joint_names
    identified.model.with_armature(identified.rotors)
    for joint, value in zip(names, identified.values['torque_offset'].tolist(), strict=True):
        if not math.isfinite(value):
            raise ParameterError(f'torque_offset of joint {joint!r} is {value:g}: not finite')
    # A URDF has no directions: it gets the mean of both.
    means = [
        (friction[kind] + friction[f'{kind}_negative']) / 2 for kind in ('viscous', 'coulomb')
    ]
    frictions = dict(zip(friction.names, np.transpose(means).tolist(), strict=True))
    return identified_urdf(
        text, changed_bodies(parse_urdf(text), nominal, identified.model), frictions
    )


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
                found.set(attribute, _digits(value))
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
    """An <inertial> in the axes of the link.

    Raises:
        ParameterError: the mass is negative, or zero where the first moment is not.
    """
    if body.mass < 0.0 or (body.mass == 0.0 and any(body.first_moment)):
        raise ParameterError(
            f'link {link!r}: its mass is {body.mass:g} kg, a URDF needs a mass greater than 0'
        )
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.rotational_at_center_of_mass
    moments = {'ixx': xx, 'ixy': xy, 'ixz': xz, 'iyy': yy, 'iyz': yz, 'izz': zz}
    tensor = ' '.join(f'{name}="{_digits(value)}"' for name, value in moments.items())
    center = ' '.join(map(_digits, body.center_of_mass))
    return (
        f'<inertial>\n  <origin xyz="{center}"/>\n  <mass value="{_digits(body.mass)}"/>\n'
        f'  <inertia {tensor}/>\n</inertial>'
    )


def _digits(value: float) -> str:
    """All digits of a number; minus zero as zero."""
    return repr(float(value) + 0.0)
