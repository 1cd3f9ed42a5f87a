"""`ros2 run robot_dynamics_ros print_dynamics`: M, C, g, J and torques of a running node."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import rclpy
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import (
    GetCoriolisMatrix,
    GetGravity,
    GetJacobian,
    GetMassMatrix,
)
from robot_dynamics_ros.core.checks import Array

from .printed_table import table
from .torque_printer import PERIOD, NoTorques, print_torques

TWIST_ROWS = ('v_x', 'v_y', 'v_z', 'w_x', 'w_y', 'w_z')
DESCRIPTION = """Prints the mass matrix M(q), the Coriolis matrix C(q, v), the gravity torque g(q)
and, with --frame, the Jacobian J(q) of a link, from the services of a running dynamics_node.
Rows and columns have the names of the joints. With "torques", prints what the node commands: its
topic ~/torques with the parts of the torque."""
TORQUES = 'torques'


class NoAnswer(Exception):
    """A service did not answer, or refused the request; the message is for the user."""


def main(args: Sequence[str] | None = None) -> None:
    """Print what is asked for; end with code 1 and a message if the node gives none."""
    options = _options(args)
    try:
        rclpy.init(args=args)
        node = rclpy.create_node('print_dynamics')
        if options.torques:
            print_torques(node, options.node, timeout=options.timeout, follow=options.follow)
        else:
            sys.stdout.write(_report(node, options))
    except (NoAnswer, NoTorques) as error:
        sys.exit(f'print_dynamics: {error}')
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Such as `| head`. Python would write what is left once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        # The thread of a signal may have done so between its check and its call (Jazzy).
        with suppress(RuntimeError):
            rclpy.try_shutdown()


def state_of(joints: Sequence[str]) -> JointState:
    """The state of arguments such as elbow=1.2 or elbow=1.2,0.5.

    Raises:
        ValueError: an argument has another form; its text is the message.
    """
    state = JointState()
    for argument in joints:
        name, _, values = argument.partition('=')
        try:
            position, velocity = map(float, (*values.split(','), '0')[:2])
        except ValueError:
            position = velocity = math.nan
        if not name or values.count(',') > 1 or not math.isfinite(position + velocity):
            raise ValueError(f'{argument!r} is not JOINT=POSITION or JOINT=POSITION,VELOCITY')
        state.name.append(name)
        state.position.append(position)
        state.velocity.append(velocity)
    return state


def _report(node: Any, options: argparse.Namespace) -> str:
    def call(service: Any, name: str, **fields: Any) -> Any:
        return _call(node, options, service, name, **fields)

    mass = call(GetMassMatrix, 'get_mass_matrix')
    names = list(mass.joint_names)
    coriolis = call(GetCoriolisMatrix, 'get_coriolis_matrix').coriolis_matrix
    gravity = call(GetGravity, 'get_gravity').effort
    text = table('M(q) [kg m^2, kg m or kg]', _matrix(mass.mass_matrix), names, names)
    text += table('C(q, v) [N m s/rad, N s/rad or N s/m]', _matrix(coriolis), names, names)
    text += table('g(q) [N m or N]', np.array([gravity]), names, ['g'])
    if options.frame:
        jacobian = call(GetJacobian, 'get_jacobian', frame=options.frame).jacobian
        heading = f'J(q) of {options.frame}, in the axes of the root link [m/s and rad/s]'
        text += table(heading, _matrix(jacobian), names, TWIST_ROWS)
    return text


def _call(node: Any, options: argparse.Namespace, service: Any, name: str, **fields: Any) -> Any:
    topic = f'{options.node.rstrip("/")}/{name}'
    client = node.create_client(service, topic)
    if not client.wait_for_service(timeout_sec=options.timeout):
        raise NoAnswer(
            f'no service {client.srv_name} within {options.timeout:g} s: is dynamics_node '
            'running, with the same ROS_DOMAIN_ID? Another name or namespace: --node'
        )
    future = client.call_async(service.Request(state=options.state, **fields))
    rclpy.spin_until_future_complete(node, future, timeout_sec=options.timeout)
    if not future.done():
        raise NoAnswer(f'no response of {client.srv_name} within {options.timeout:g} s')
    answer = future.result()
    if not answer.success:
        raise NoAnswer(f'{client.srv_name}: {answer.message}')
    return answer


def _matrix(message: Any) -> Array:
    return np.reshape(message.data, [dimension.size for dimension in message.layout.dim])


def _options(args: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='print_dynamics', description=DESCRIPTION)
    parser.add_argument(
        'joints',
        nargs='*',
        metavar=f'{TORQUES} | JOINT=POSITION[,VELOCITY]',
        help=f'{TORQUES}: print what the node commands. Otherwise the state [rad or m, and per '
        's]; velocities are 0 by default. Without any: the latest joint state of the node',
    )
    parser.add_argument(
        '--node', default='/robot_dynamics', help='full name of the node (default: %(default)s)'
    )
    parser.add_argument('--frame', metavar='LINK', help='link whose Jacobian is printed')
    parser.add_argument(
        '--follow',
        action='store_true',
        help=f'with {TORQUES}: print the present ones every {PERIOD:g} s, until Ctrl-C',
    )
    parser.add_argument(
        '--timeout',
        type=float,
        default=10.0,
        help='of each service, and of the first torques [s] (default: %(default)g)',
    )
    options = parser.parse_args(remove_ros_args(['', *args] if args is not None else None)[1:])
    options.torques = options.joints[:1] == [TORQUES]
    if options.torques and (options.joints[1:] or options.frame):
        parser.error(f'{TORQUES} are those of the present state: give no joints and no --frame')
    if options.follow and not options.torques:
        parser.error(f'--follow is for {TORQUES} only')
    if options.torques:
        return options
    try:
        options.state = state_of(options.joints)
    except ValueError as error:
        parser.error(str(error))
    return options


if __name__ == '__main__':
    main()
