"""A URDF with identified inertia and friction: the same text, with other numbers in it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import ParameterError, RobotModel, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS, parameters_of
from robot_dynamics_ros.core.spatial import Inertia

from .source_edits import SourceEdits
from .source_elements import SourceElement, read_elements
from .urdf_inertial import UrdfInertial
from .written_friction import DynamicsValues

# Largest difference between a body and what is read from the text, of its mass, of its first
# moment and of its moments of inertia [-]: rounding is a thousandth of that.
CLOSE = 1e-12


def identified_urdf(
    text: str, bodies: Mapping[str, Inertia], frictions: Mapping[str, DynamicsValues]
) -> str:
    """The text of a URDF with other inertials and other friction; all else stays, byte for byte.

    The inertia of a moving body is that of its first link and of all links that are fixed to it,
    and data cannot divide it among them. So the first link gets all of it, and the <inertial> of
    each other one becomes a comment that names the first link. Numbers have all digits of a
    double. What equals the text stays as it is written there.

    Args:
        text: of the URDF.
        bodies: inertia of moving bodies in the frame of their first link, by name of their joint.
        frictions: of moving joints, by name.

    Raises:
        ModelError: the text cannot be used; see `parse_urdf`.
        ParameterError: a joint does not exist, or a URDF cannot hold a body.
    """
    described = parse_urdf(text)
    joints = {joint.name: index for index, joint in enumerate(described.joints)}
    for name in (*bodies, *frictions):
        if name not in joints:
            raise ParameterError(f'{name!r} is not a moving joint: these are {", ".join(joints)}')
    source = text.encode()
    root, edits = read_elements(source), SourceEdits(source)
    links = {link.attributes['name']: link for link in root.all('link')}
    for name, body in bodies.items():
        if body != described.joints[joints[name]].inertia:
            names = [frame.name for frame in described.frames if frame.body == joints[name]]
            _write_body(edits, [links[each] for each in names], body)
    for element in root.all('joint'):
        name = element.attributes['name']
        if name in frictions:
            joint = described.joints[joints[name]]
            described_values = DynamicsValues(joint.damping, joint.friction)
            _write_friction(edits, element, described_values, frictions[name])
    result = edits.applied()
    _check(parse_urdf(result), bodies)
    return result


def _write_body(edits: SourceEdits, links: list[SourceElement], body: Inertia) -> None:
    """Give the first link the inertia of a body, and the links that are fixed to it none."""
    first, *fixed = links
    name = first.attributes['name']
    _write_inertial(edits, first, UrdfInertial.of(name, body))
    # A comment must not hold two hyphens.
    named = repr(name) if '--' not in name else 'the link that moves'
    for link in fixed:
        if inertial := link.first('inertial'):
            edits.replace(inertial, f'<!-- inertial: part of that of {named} -->')


def _write_inertial(edits: SourceEdits, link: SourceElement, values: UrdfInertial) -> None:
    inertial = link.first('inertial')
    if inertial is None:
        if link.children:
            edits.insert_before(link.children[0], values.lines())
        else:
            edits.insert_into(link, values.lines())
        return
    mass = inertial.first('mass')
    assert mass is not None, 'an <inertial> without <mass> is refused by parse_urdf'
    edits.set_attributes(mass, values.mass)
    if origin := inertial.first('origin'):
        unturned = {'rpy': '0 0 0', 'quat_xyzw': '0 0 0 1'}
        given = {name: unturned[name] for name in unturned if name in origin.attributes}
        edits.set_attributes(origin, values.origin | given)
    else:
        edits.insert_before(mass, [values.origin_tag])
    if inertia := inertial.first('inertia'):
        edits.set_attributes(inertia, values.inertia)
    else:
        edits.insert_after(mass, [values.inertia_tag])


def _write_friction(
    edits: SourceEdits,
    joint: SourceElement,
    described: DynamicsValues,
    values: DynamicsValues,
) -> None:
    changed = {
        name: repr(float(value))
        for name, value in vars(values).items()
        if value != vars(described)[name]
    }
    if not changed:
        return
    if dynamics := joint.first('dynamics'):
        edits.set_attributes(dynamics, changed)
    else:
        attributes = ' '.join(f'{name}="{value}"' for name, value in changed.items())
        edits.insert_after(joint.children[-1], [f'<dynamics {attributes}/>'])


def _check(written: RobotModel, bodies: Mapping[str, Inertia]) -> None:
    """Whether the text holds the bodies.

    Raises:
        ParameterError: the digits of a double do not suffice for one.
    """
    for joint in written.joints:
        if joint.name in bodies:
            found, wanted = map(parameters_of, (joint.inertia, bodies[joint.name]))
            bad = _apart(np.array(found), np.array(wanted))
            if bad.any():
                index = int(np.flatnonzero(bad)[0])
                raise ParameterError(
                    f'body of joint {joint.name!r}: {PARAMETERS[index]} is {wanted[index]:g}, '
                    f'{found[index]:g} follows from mass and centre of mass: the mass of '
                    f'{wanted[0]:g} kg is too small for the other parameters'
                )


def _apart(found: Array, wanted: Array) -> npt.NDArray[np.bool_]:
    """Which parameters (10,) of two bodies differ by more than rounding."""
    groups = (slice(0, 1), slice(1, 4), slice(4, 10))
    largest = np.concatenate([np.full_like(wanted[g], np.abs(wanted[g]).max()) for g in groups])
    apart: npt.NDArray[np.bool_] = np.abs(found - wanted) > CLOSE * largest
    return apart
