"""Every parameter of simulated_arm, in one table."""

from __future__ import annotations

import sys
from typing import Any

from rclpy.node import Node

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.ros.description import given_description
from robot_dynamics_ros.ros.parameters import Parameter, ParameterFiles, Table, declare, read

from .mujoco_model import SimulationError

# fmt: off
ARM_ROWS = (
    Parameter('robot_description', 'string', '', 'URDF of the robot, as text.',
              empty='that of `description_file`, or of the latched topic `robot_description`'),
    Parameter('description_file', 'string', '',
              'Path of the URDF of the robot, in place of its text.',
              'A relative path is for the folder of the parameter file.', empty='no file'),
    Parameter('joints', 'string_array', [],
              'Joints that take torques, in the order of topic `commands`.',
              empty='all that move independently'),
    Parameter('initial_positions', 'double_array', [],
              'Initial positions of `joints`, in their order.', unit='rad or m',
              empty='zero, or the limit nearest to zero'),
    Parameter('gravity', 'double_array', [0.0, 0.0, -9.81],
              'Gravitational acceleration, in the frame of the root link.', unit='m/s^2', size=3),
    Parameter('friction', 'string', 'urdf',
              'Friction of the joints: `urdf` for its damping and friction, `none`, or the path '
              'of a friction.yaml.'),
    Parameter('rate', 'double', 1000.0,
              'Rate at which `joint_states` is published and `commands` is read.',
              unit='Hz', least=1.0, most=4000.0),
    Parameter('adds_gravity', 'bool', False,
              'Whether the drive adds gravity compensation to what is commanded, as some robots '
              'do.', 'The effort of `joint_states` is then the sum.'),
    Parameter('command_timeout', 'double', 0.25,
              'Time without commands after which the commanded torque is zero; 0: the last '
              'command stays, as with a forward_command_controller.', unit='s', least=0.0),
    Parameter('brake', 'bool', True,
              'Whether the holding brake is on until the first command or reference; '
              '`~/set_brake` switches it.'),
    Parameter('lockstep', 'bool', False,
              'Whether time is simulated: the arm publishes it on `/clock`, and takes the next '
              'step when the last state has been answered.'),
    Parameter('wall_link', 'string', '',
              'Link that a wall stops: a ball about its origin cannot pass the plane of the wall. '
              'The wall is absent until `~/set_wall`.', empty='no wall'),
    Parameter('wall_point', 'double_array', [0.0, 0.0, 0.0],
              'A point of the wall, in the frame of the root link.', unit='m', size=3),
    Parameter('wall_normal', 'double_array', [0.0, 0.0, 1.0],
              'Direction out of the wall, in the frame of the root link.', size=3),
    Parameter('wall_ball', 'double', 0.05, 'Radius of the ball that touches the wall.',
              unit='m', above=0.0),
    Parameter('servo', 'bool', False,
              'Whether the position servo is on at the start; `~/set_servo` switches it.'),
    Parameter('servo_bandwidth', 'double', 5.0,
              'Bandwidth of the servo, critically damped for the inertia at the initial '
              'positions.', unit='Hz', above=0.0, most=1000.0),
)
# fmt: on
TABLE = Table({'The simulated arm': ARM_ROWS}, read='at the start', read_only=True)


def declare_and_read(node: Node) -> dict[str, Any]:
    """Declare every parameter on a node, and its checked value by name.

    Raises:
        SimulationError: one has the wrong type, or is not allowed.
    """
    declare(node, TABLE)
    try:
        values = read(node, TABLE)
        files = ParameterFiles(sys.argv, node.get_fully_qualified_name())
        given = values['robot_description'], values['description_file']
        values['robot_description'] = given_description(*given, files)
    except ParameterError as error:
        raise SimulationError(f'parameter {error}') from error
    return values
