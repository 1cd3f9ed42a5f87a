"""What a xacro source can be changed by: a patch of its expansion, and the values by link."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.model.tree import Joint, Link
from robot_dynamics_ros.parameter_yaml import yaml_value

NO_NEWLINE = '\n\\ No newline at end of file\n'

HEAD = """\
# Inertials of {robot}, identified, by link, for the xacro source of the description.
#
# origin is the centre of mass in the link frame [m], the axes are those of the link; mass [kg];
# inertia about the centre of mass [kg m^2]. A link that is fixed to a moving link has none: its
# inertia is part of that of the moving link. damping and friction are those of the joint that
# carries the link.
"""


def unified_patch(before: str, after: str, file: str) -> str:
    """The change of a file as a unified diff, for `patch` and `git apply`.

    Args:
        before: text of the file.
        after: text that it is to have.
        file: its name.
    """
    lines = difflib.unified_diff(_lines(before), _lines(after), f'a/{file}', f'b/{file}')
    return ''.join(line if line.endswith('\n') else line + NO_NEWLINE for line in lines)


def _lines(text: str) -> list[str]:
    """The lines with their line feeds; `splitlines` would split at form feeds too."""
    lines = [f'{line}\n' for line in text.split('\n')]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def inertials_by_link(model: RobotModel) -> str:
    """The inertials of the moving links and the friction of their joints, as YAML.

    Args:
        model: that of identified.urdf.
    """
    carried: dict[int, Joint] = dict(enumerate(model.joints))
    parts = [HEAD.format(robot=yaml_value(model.name))]
    for frame, link in zip(model.frames, model.links, strict=True):
        joint = carried.pop(frame.body, None)
        if joint is not None:
            parts += _link(link, joint)
    return '\n'.join([*parts, ''])


def _link(link: Link, joint: Joint) -> Iterator[str]:
    body = link.inertia
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.rotational_at_center_of_mass
    inertia = {'xx': xx, 'yy': yy, 'zz': zz, 'xy': xy, 'xz': xz, 'yz': yz}
    yield f'{yaml_value(link.name)}:'
    yield f'  origin: {{xyz: {yaml_value(" ".join(map(repr, body.center_of_mass)))}, rpy: 0 0 0}}'
    yield f'  mass: {yaml_value(body.mass)}'
    yield f'  inertia: {yaml_value(inertia)}'
    yield f'  joint: {yaml_value(joint.name)}'
    yield f'  damping: {yaml_value(joint.damping)}'
    yield f'  friction: {yaml_value(joint.friction)}'
