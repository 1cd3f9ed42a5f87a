"""The parameters of the simulated arm, in one table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from .mujoco_description import SimulationError


def _parameter(default: Any, description: str) -> Any:
    return field(default=default, metadata={'description': description})


@dataclass(frozen=True)
class ArmParameters:
    """All parameters, read once at start. An empty list means: the default named beside it."""

    robot_description: str = _parameter(
        '', 'The URDF itself. Empty: wait for it on the latched topic robot_description.'
    )
    joints: tuple[str, ...] = _parameter(
        (), 'Joints that take torques, in the order of topic commands. Empty: all but mimics.'
    )
    initial_positions: tuple[float, ...] = _parameter(
        (), 'Where `joints` start, in their order [rad; m]. Empty: zero, or the nearest limit.'
    )
    gravity: tuple[float, ...] = _parameter(
        (0.0, 0.0, -9.81), 'Gravity in the frame of the root link [m/s^2].'
    )
    friction: bool = _parameter(True, 'Give the joints the damping and friction of the URDF.')
    rate: float = _parameter(1000.0, 'Rate of joint_states, and of reading commands [Hz].')
    adds_gravity: bool = _parameter(
        False,
        'The drive adds gravity compensation to what is commanded, as some robots do; the effort '
        'of joint_states is the sum.',
    )
    command_timeout: float = _parameter(
        0.25,
        'Commanded torques drop to zero when none came for this long; 0: never, the last ones '
        'stay, as with a forward_command_controller [s].',
    )
    brake: bool = _parameter(False, 'Start with the holding brake on; ~/set_brake releases it.')
    servo: bool = _parameter(False, 'Start with the position servo on; ~/set_servo switches it.')
    servo_bandwidth: float = _parameter(
        5.0, 'What the servo gains are tuned to, for the inertia at the initial positions [Hz].'
    )
    servo_damping_ratio: float = _parameter(1.0, 'Damping that the gains are tuned to [-].')
    servo_kp: tuple[float, ...] = _parameter(
        (), 'Servo stiffness, one or one per joint [N m/rad; N/m]. Empty: from servo_bandwidth.'
    )
    servo_kd: tuple[float, ...] = _parameter(
        (), 'Servo damping, one or one per joint [N m s/rad; N s/m]. Empty: from servo_bandwidth.'
    )

    def __post_init__(self) -> None:
        """Refuse values that make no sense, naming the parameter."""
        _require(1.0 <= self.rate <= 4000.0, 'rate', self.rate, 'from 1 to 4000 Hz')
        _require(self.command_timeout >= 0.0, 'command_timeout', self.command_timeout, '>= 0 s')
        bandwidth, ratio = self.servo_bandwidth, self.servo_damping_ratio
        _require(0.0 < bandwidth <= 1000.0, 'servo_bandwidth', bandwidth, 'above 0, to 1000 Hz')
        _require(0.0 < ratio <= 100.0, 'servo_damping_ratio', ratio, 'above 0, to 100')
        _require(len(self.gravity) == 3, 'gravity', self.gravity, 'three numbers')
        for name in ('initial_positions', 'gravity', 'servo_kp', 'servo_kd'):
            values = getattr(self, name)
            finite = all(isinstance(x, (int, float)) and math.isfinite(x) for x in values)
            _require(finite, name, values, 'finite numbers')
        _require(bool(self.servo_kp) == bool(self.servo_kd), 'servo_kd', self.servo_kd,
                 'given where servo_kp is, and only there')  # fmt: skip

    @classmethod
    def declare(cls, node: Node) -> ArmParameters:
        """Declare every parameter on a node and read it."""
        values = {}
        for row in fields(cls):
            listed = isinstance(row.default, tuple)
            # rclpy takes an empty list for one of bytes: lists must be free to change their type.
            descriptor = ParameterDescriptor(
                description=row.metadata['description'], read_only=True, dynamic_typing=listed
            )
            default = list(row.default) if listed else row.default
            value = node.declare_parameter(row.name, default, descriptor).value
            if listed:
                _require(value is None or not isinstance(value, (str, bool, int, float)),
                         row.name, value, 'a list')  # fmt: skip
                value = tuple(value or ())
            values[row.name] = value
        return cls(**values)


def _require(condition: bool, name: str, value: Any, allowed: str) -> None:
    if not condition:
        raise SimulationError(f'parameter {name} is {value}: allowed is {allowed}')
