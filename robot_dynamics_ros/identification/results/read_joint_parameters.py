"""friction.yaml, or a parameter file of dynamics_node, as friction, offsets and rotors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robot_dynamics_ros.comparison.joint_parameters import ByJoint, JointParameters
from robot_dynamics_ros.control.settings import per_joint
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.friction import SMOOTHING
from robot_dynamics_ros.parameter_blocks import (
    PARAMETERS,
    Block,
    node_parameters,
    parameter_blocks,
)

from .friction_file import VALUES

# [B]: a file of this kind has some kB.
LARGEST = 1 << 20
# Of dynamics_node, by the field of `JointParameters`; torque_offset may be negative.
OF_NODE = {
    'viscous': 'friction_viscous',
    'coulomb': 'friction_coulomb',
    'viscous_negative': 'friction_viscous_negative',
    'coulomb_negative': 'friction_coulomb_negative',
    'torque_offset': 'torque_offset',
    'armature': 'armature',
    'smoothings': 'friction_smoothing_by_joint',
}
# Of a joint in friction.yaml: field of `JointParameters`.
OF_JOINT = {**{key: key for key in VALUES}, 'smoothing': 'smoothings'}
SMOOTHING_OF_NODE = 'friction_smoothing'


def read_joint_parameters(file: Path) -> JointParameters:
    """What a file says of joints that a description cannot say, or says otherwise.

    Args:
        file: friction.yaml of an identification, or parameters of dynamics_node.

    Raises:
        ParameterError: the file is neither, or a value cannot be meant.
        OSError: it cannot be read.
    """
    content = _content(file)
    try:
        blocks = parameter_blocks(content)
        return _of_node(blocks) if blocks else _of_joints(content)
    except ParameterError as error:
        raise ParameterError(f'{file}: {error}') from None


def _content(file: Path) -> Any:
    try:
        # Only this option of the command needs it.
        import yaml
    except ModuleNotFoundError:
        raise ParameterError(f'{file} is YAML: pip install pyyaml') from None
    with file.open('rb') as opened:
        content = opened.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ParameterError(f'{file} is larger than {LARGEST >> 10} KiB: not a parameter file')
    try:
        return yaml.safe_load(content.decode())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = ' '.join(str(error).split())[:200]
        raise ParameterError(f'{file} is not YAML: {reason}') from None


def _of_joints(content: Any) -> JointParameters:
    """The values of friction.yaml."""
    joints = content.get('joints') if isinstance(content, dict) else None
    if not isinstance(joints, dict) or not joints:
        raise ParameterError(
            f'neither friction.yaml of robot_dynamics identify, which has joints, nor parameters '
            f'of dynamics_node, which have {PARAMETERS}'
        )
    found: dict[str, list[tuple[str, float]]] = {field: [] for field in OF_JOINT.values()}
    for joint, values in joints.items():
        if not isinstance(values, dict):
            raise ParameterError(f'joint {joint}: its values are needed by name')
        for key, value in values.items():
            if key not in OF_JOINT:
                allowed = ', '.join(OF_JOINT)
                raise ParameterError(f'joint {joint} has {key!r}, allowed are {allowed}')
            field = OF_JOINT[key]
            found[field].append((str(joint), _number(f'{key} of {joint}', field, value)))
    return _parameters({key: tuple(pairs) for key, pairs in found.items()}, content, 'smoothing')


def _of_node(blocks: Sequence[Block]) -> JointParameters:
    """The values of a parameter file, which has some."""
    names = (*OF_NODE.values(), SMOOTHING_OF_NODE)
    block = node_parameters(blocks, names)
    if block.keys().isdisjoint(names):
        raise ParameterError(f'none of {", ".join(names)} is there')
    joints = block.get('joints')
    if not isinstance(joints, list) or not joints or len(set(map(str, joints))) < len(joints):
        raise ParameterError(
            f'joints is {joints!r}: name each joint once, in the order of the values'
        )
    found = {field: _by_joint(block, field, joints) for field in OF_NODE}
    return _parameters(found, block, SMOOTHING_OF_NODE)


def _by_joint(block: Mapping[str, Any], field: str, joints: Sequence[Any]) -> ByJoint:
    name = OF_NODE[field]
    given = block.get(name, [])
    if not isinstance(given, list):
        raise ParameterError(f'{name} is {given!r}, a list is needed')
    numbers = [_number(f'{name}[{i}]', field, value) for i, value in enumerate(given)]
    names = [str(joint) for joint in joints]
    values = per_joint(name, numbers, names)
    return () if values is None else tuple(zip(names, values.tolist(), strict=True))


def _parameters(
    found: Mapping[str, ByJoint], values: Mapping[str, Any], smoothing: str
) -> JointParameters:
    v_0 = _number(smoothing, 'smoothing', values.get(smoothing, SMOOTHING))
    return JointParameters(**found, smoothing=v_0)


def _number(name: str, field: str, value: Any) -> float:
    """A value of a file, checked.

    Args:
        name: of the value, for the message.
        field: of `JointParameters`.
        value: to check.

    Raises:
        ParameterError: it is not a finite number, a smoothing that is not positive, or anything
            else that is negative and not an offset.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value):
        raise ParameterError(f'{name} is {value!r}, a finite number is needed')
    if value <= 0.0 and field in ('smoothing', 'smoothings'):
        raise ParameterError(f'{name} is {value:g}, it must be above 0')
    if value < 0.0 and field != 'torque_offset':
        raise ParameterError(f'{name} is {value:g}, it must not be negative')
    return float(value)
