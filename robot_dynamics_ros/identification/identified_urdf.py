"""A URDF with identified inertia and friction: the user's, with other numbers in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotModel, parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import body_of, parameters_of
from robot_dynamics_ros.core.spatial import Inertia
from robot_dynamics_ros.extra import required

# Damping [N m s/rad or N s/m] and Coulomb friction [N m or N] of a <dynamics>.
Friction = tuple[float, float]
DYNAMICS = 'damping', 'friction'


def changed_bodies(
    urdf: RobotModel, before: RobotModel, identified: RobotModel
) -> dict[str, Inertia]:
    """The inertia of each body that differs from the URDF, by the name of its joint.

    Joints that were not recorded are locked in the model that is identified, and what they carry
    is part of other bodies. The URDF keeps them: its bodies change by what the bodies of the
    model have changed.

    Args:
        urdf: model of the whole URDF.
        before: the model of the identification before it: `urdf`, or reduced.
        identified: the same with identified parameters; payloads are left out.

    Raises:
        ParameterError: the models do not belong together.
    """
    names = {joint.name for joint in urdf.joints}
    old, new = (
        {joint.name: joint.inertia for joint in (model.unloaded or model).joints}
        for model in (before, identified)
    )
    if old.keys() != new.keys() or not new.keys() <= names:
        raise ParameterError(
            f'the identified model has the joints {", ".join(new)}, the model before it '
            f'{", ".join(old)}, and the URDF {", ".join(names)}: pass the URDF that was identified'
        )
    return {
        joint.name: _changed(joint.inertia, old[joint.name], new[joint.name])
        for joint in urdf.joints
        if joint.name in new and new[joint.name] != old[joint.name]
    }


def _changed(body: Inertia, before: Inertia, after: Inertia) -> Inertia:
    if body == before:
        return after
    own, old, new = (np.array(parameters_of(one)) for one in (body, before, after))
    return body_of((own + (new - old)).tolist())


def identified_urdf(
    text: str, bodies: Mapping[str, Inertia], frictions: Mapping[str, Friction]
) -> str:
    """The text of a URDF with other inertials and other friction; comments and order are kept.

    The inertia of a moving body is that of its first link and of all links that are fixed to it,
    and data cannot divide it among them. So the first link gets all of it, and the <inertial> of
    each other one becomes a comment that names the first link. Numbers have all digits of a
    double.

    Args:
        text: of the URDF.
        bodies: inertia of moving bodies in the frame of their first link, by name of their joint.
        frictions: of moving joints, by name.

    Raises:
        ModelError: the text cannot be used; see `parse_urdf`.
        ParameterError: a URDF cannot hold a body.
        RecordingError: lxml is not installed.
    """
    etree = required('lxml.etree', 'identification')
    model = parse_urdf(text)
    # The text may declare another encoding than that of these bytes.
    parser = etree.XMLParser(encoding='utf-8', resolve_entities=False, no_network=True)
    root = etree.fromstring(text.encode(), parser)
    links = {link.get('name'): link for link in root.findall('link')}
    joints = {joint.get('name'): joint for joint in root.findall('joint')}
    for index, joint in enumerate(model.joints):
        if joint.name in bodies and bodies[joint.name] != joint.inertia:
            carried = [links[frame.name] for frame in model.frames if frame.body == index]
            _write_body(etree, carried, bodies[joint.name])
        for attribute, value in zip(DYNAMICS, frictions.get(joint.name, ()), strict=False):
            if value != getattr(joint, attribute):
                element = joints[joint.name]
                dynamics = element.find('dynamics')
                if dynamics is None:
                    dynamics = etree.SubElement(element, 'dynamics')
                dynamics.set(attribute, _digits(value))
    before, after = root.itersiblings(preceding=True), root.itersiblings()
    parts = [
        etree.tostring(one, encoding='unicode', with_tail=False)
        for one in (*reversed([*before]), root, *after)
    ]
    declared = ['<?xml version="1.0"?>'] * text.startswith(('<?xml', '\ufeff<?xml'))
    return '\n'.join([*declared, *parts, ''])


def _write_body(etree: Any, links: Sequence[Any], body: Inertia) -> None:
    """Give the first link the inertia of a body, and the links that are fixed to it none."""
    first, *fixed = links
    name = first.get('name')
    new = etree.fromstring('\n'.join(inertial_lines(name, body)))
    old = first.find('inertial')
    if old is None:
        first.insert(0, new)
    else:
        new.tail = old.tail
        first.replace(old, new)
    # A comment must not hold two hyphens.
    named = repr(name) if '--' not in name else 'the link that moves'
    for link in fixed:
        if (inertial := link.find('inertial')) is not None:
            comment = etree.Comment(f' inertial: part of that of {named} ')
            comment.tail = inertial.tail
            link.replace(inertial, comment)


def inertial_lines(link: str, body: Inertia) -> list[str]:
    """The lines of an <inertial> in the axes of the link.

    Raises:
        ParameterError: a URDF cannot hold this body: its mass is negative, or zero where its
            first moment is not.
    """
    if body.mass < 0.0 or (body.mass == 0.0 and any(body.first_moment)):
        moment = ', '.join(f'{each:.4g}' for each in body.first_moment)
        raise ParameterError(
            f'link {link!r}: its mass is {body.mass:g} kg and its first moment [{moment}] kg m, a '
            'URDF needs a mass greater than 0: take the physically consistent estimate'
        )
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.rotational_at_center_of_mass
    moments = {'ixx': xx, 'ixy': xy, 'ixz': xz, 'iyy': yy, 'iyz': yz, 'izz': zz}
    tensor = ' '.join(f'{name}="{_digits(value)}"' for name, value in moments.items())
    return [
        '<inertial>',
        f'  <origin xyz="{" ".join(map(_digits, body.center_of_mass))}"/>',
        f'  <mass value="{_digits(body.mass)}"/>',
        f'  <inertia {tensor}/>',
        '</inertial>',
    ]


def _digits(value: float) -> str:
    """All digits of a number; minus zero as zero."""
    return repr(float(value) + 0.0)
