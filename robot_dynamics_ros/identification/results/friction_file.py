"""friction.yaml: the friction, rotors and offsets of the joints, by name."""

from __future__ import annotations

from collections.abc import Iterator

from robot_dynamics_ros.core.model.friction import SMOOTHING
from robot_dynamics_ros.parameter_yaml import yaml_value

from ..identified_model import IdentifiedModel

# Key: attribute of IdentifiedModel, unit of a joint that rotates and of one that slides.
VALUES = {
    'viscous': ('viscous', 'N m s/rad', 'N s/m'),
    'coulomb': ('coulomb', 'N m', 'N'),
    'viscous_negative': ('viscous_negative', 'N m s/rad', 'N s/m'),
    'coulomb_negative': ('coulomb_negative', 'N m', 'N'),
    'torque_offset': ('offset', 'N m', 'N'),
    'armature': ('armature', 'kg m^2', 'kg'),
}

HEAD = """\
# Friction, constant torque and rotor inertia of the joints of {robot}, identified.
#
# torque = F_v v + F_s v / sqrt(v^2 + v_0^2) + torque_offset + armature a
#
# F_v is viscous and F_s coulomb; where v < 0 they are viscous_negative and coulomb_negative.
# v is the velocity of the joint, a its acceleration, v_0 the smoothing [rad/s or m/s]. All act at
# the joint, behind the gear. A mimic joint has none: that of the joint that it mimics includes it.
"""


def friction_file(identified: IdentifiedModel) -> str:
    """The text of friction.yaml."""
    return '\n'.join([*_lines(identified), ''])


def _lines(identified: IdentifiedModel) -> Iterator[str]:
    model = identified.model
    yield HEAD.format(robot=yaml_value(model.name))
    yield f'smoothing: {yaml_value(SMOOTHING)}'
    yield 'joints:'
    for index, joint in enumerate(model.independent_joints):
        yield f'  {yaml_value(joint.name)}:'
        for key, (attribute, rotates, slides) in VALUES.items():
            value = float(getattr(identified, attribute)[index])
            unit = slides if joint.kind == 'prismatic' else rotates
            yield f'    {key}: {yaml_value(value)}  # {unit}'
