"""The parameter file with which dynamics_node commands the torque of an identified model."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.parameter_yaml import yaml_value

from ..identified_model import IdentifiedModel

TERMS = ['gravity', 'coriolis', 'inertial', 'friction']
WIDTH = 99
SIGN = '    # '
SPRINGS = (
    '',
    '    # Springs of the joints were estimated, and dynamics_node has none: its torque lacks',
    '    # stiffness times q. friction.yaml has the stiffness of each joint in a comment.',
)

HEAD = """\
# Parameters of dynamics_node for {robot}, identified. Load them beside identified.urdf:
#
#   ros2 run robot_dynamics_ros dynamics_node --ros-args --params-file {file}
#
# dynamics_node commands the joints below, also where an earlier parameter file names others.
#
# `/**:` stands for nodes of any name.
/**:
  ros__parameters:
    joints: {joints}

    # Friction, offsets and rotors of the joints: a path, relative to this file.
    joint_model: {friction}

    # Leave out what the driver of the arm adds itself: docs/controllers.md says which do.
    terms: {terms}
"""


def parameter_file(
    identified: IdentifiedModel,
    described: RobotModel,
    file: str,
    friction: str,
    *,
    springs: bool = False,
    unknown: Collection[str] = (),
) -> str:
    """The text of the file.

    Args:
        identified: the model.
        described: the model of the whole description.
        file: its name, for the command in its head.
        friction: name of the file of the joints beside it.
        springs: whether springs were estimated, which the node does not have.
        unknown: joints of which the recordings tell nothing.
    """
    model = identified.model
    head = HEAD.format(
        robot=yaml_value(model.name),
        file=file,
        friction=yaml_value(friction),
        joints=yaml_value(list(model.joint_names)),
        terms=yaml_value(TERMS),
    )
    about_springs = SPRINGS if springs else ()
    about_others = [*_unknown(unknown), *_others(described, model)]
    return '\n'.join([head, *about_springs, *about_others, ''])


def _unknown(joints: Collection[str]) -> Sequence[str]:
    """What is said of joints that were recorded, and of which nothing is known."""
    if not joints:
        return []
    text = (
        f'Not identified, as the recordings tell nothing of them: {", ".join(joints)}. Their '
        'values are those of the description, 0 where it has none: 0 is not a result.'
    )
    return ['', *textwrap.wrap(text, WIDTH, initial_indent=SIGN, subsequent_indent=SIGN)]


def _others(described: RobotModel, model: RobotModel) -> Sequence[str]:
    """What is said of joints that were not recorded."""
    others = [name for name in described.joint_names if name not in model.joint_names]
    if not others:
        return []
    listed = ', '.join(map(yaml_value, others))
    text = (
        f'Not identified, because it was not recorded: {listed}. Each of these joints must be in '
        'joint_states, or stand where a line like this one puts it:'
    )
    example = f'{SIGN}locked_joints: {{{yaml_value(others[0])}: 0.0}}'
    return ['', *textwrap.wrap(text, WIDTH, initial_indent=SIGN, subsequent_indent=SIGN), example]
