"""`ros2 run robot_dynamics_ros print_dynamics`: M, C, g, J and torques of a running node."""

from __future__ import annotations

import argparse
import math
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import rclpy
from lifecycle_msgs.srv import GetState
from rcl_interfaces.srv import GetParameters
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_interfaces.srv import (
    GetCoriolisMatrix,
    GetGravity,
    GetJacobian,
    GetMassMatrix,
)
from robot_dynamics_ros.core.description.urdf_text import read_xml

from .endpoints import LATCHED

DESCRIPTION = """Prints the mass matrix M(q), the Coriolis matrix C(q, v), the gravity torque g(q)
and, with --frame, the Jacobian J(q) of a link, from the services of a running dynamics_node.
Rows and columns have the names of the joints. With "torques", prints what the node commands: its
topic ~/torques with the parts of the torque."""
TORQUES = 'torques'
PARTS = ('effort', 'gravity', 'coriolis', 'inertial', 'friction')
TWIST_ROWS = ('v_x', 'v_y', 'v_z', 'w_x', 'w_y', 'w_z')
# Of revolute joints, of prismatic ones, and between both.
INERTIA = 'kg m^2', 'kg', 'kg m^2, kg m or kg'
DAMPING = 'N m s/rad', 'N s/m', 'N m s/rad, N s/rad or N s/m'
EFFORT = 'N m', 'N', 'N m or N'
WIDTH = 80
# Between two prints of --follow; longest wait for a description, which only gives units [s].
PERIOD, DESCRIPTION_WAIT = 0.5, 1.0
# The node answers each joint state: only the latest torques are printed.
LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
MODES = {
    getattr(JointTorques, name): name.removeprefix('MODE_').lower()
    for name in dir(JointTorques)
    if name.startswith('MODE_')
}


class NoAnswer(Exception):
    """The node does not give what is asked for; the message is for the user."""


def main(args: Sequence[str] | None = None) -> None:
    """Print what is asked for; end with code 1 and a message if the node gives none."""
    options = _options(args)
    try:
        rclpy.init(args=args)
        client = Client(rclpy.create_node('print_dynamics'), options.node, options.timeout)
        if options.torques:
            # The interrupt is the end of --follow.
            with suppress(KeyboardInterrupt, ExternalShutdownException):
                for torques in client.torques(follow=options.follow):
                    sys.stdout.write(f'{torque_table(torques, client.kinds())}\n')
                    sys.stdout.flush()
        else:
            sys.stdout.write(_matrices(client, options))
    except NoAnswer as error:
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


class Client:
    """What a dynamics_node answers and publishes."""

    def __init__(self, node: Any, name: str, timeout: float) -> None:
        """Ask the dynamics_node of a full name; wait at most `timeout` [s] for each answer."""
        self._node, self._name, self._timeout = node, name.rstrip('/'), timeout
        self._kinds: dict[str, str] | None = None

    def connect(self, service: Any, name: str) -> Any:
        """A client of a service of the node.

        Raises:
            NoAnswer: there is no such service in time.
        """
        client = self._node.create_client(service, f'{self._name}/{name}')
        if not client.wait_for_service(timeout_sec=self._timeout):
            raise NoAnswer(
                f'no service {client.srv_name} within {self._timeout:g} s: is dynamics_node '
                'running, with the same ROS_DOMAIN_ID? Another name or namespace: --node'
            )
        return client

    def call(self, service: Any, name: str, **fields: Any) -> Any:
        """The answer of a service.

        Raises:
            NoAnswer: there is none in time, or the node refuses.
        """
        client = self.connect(service, name)
        future = client.call_async(service.Request(**fields))
        rclpy.spin_until_future_complete(self._node, future, timeout_sec=self._timeout)
        if not future.done():
            raise NoAnswer(f'no response of {client.srv_name} within {self._timeout:g} s')
        answer = future.result()
        if not getattr(answer, 'success', True):
            raise NoAnswer(f'{client.srv_name}: {answer.message}')
        return answer

    def kinds(self) -> Mapping[str, str]:
        """The type of each joint of the node's URDF by name; empty if there is no URDF."""
        if self._kinds is None:
            answer = self.call(GetParameters, 'get_parameters', names=['robot_description'])
            text = answer.values[0].string_value if answer.values else ''
            if not text:
                namespace = self._name.rpartition('/')[0]
                latched = self._subscribe(String, f'{namespace}/robot_description', LATCHED)
                self._spin(DESCRIPTION_WAIT, lambda: latched)
                text = latched[-1].data if latched else ''
            joints = read_xml(text).findall('joint') if text else ()
            self._kinds = {joint.get('name', ''): joint.get('type', '') for joint in joints}
        return self._kinds

    def torques(self, *, follow: bool) -> Iterator[JointTorques]:
        """The next torques; with `follow` the latest ones, once in `PERIOD`.

        Raises:
            NoAnswer: the node is not active, or publishes nothing in time.
        """
        topic = f'{self._name}/torques'
        received = self._subscribe(JointTorques, topic, LATEST)
        absent = f'no torques on {topic} within {self._timeout:g} s'
        try:
            state = self.call(GetState, 'get_state').current_state.label
        except NoAnswer as error:
            raise NoAnswer(f'{absent}: {error}') from None
        if state != 'active':
            raise NoAnswer(
                f'{self._name} is {state}: it commands no torques until it is active. Its log '
                'says what it waits for; with autostart:=false, activate it'
            )
        self._spin(self._timeout, lambda: received)
        if not received:
            raise NoAnswer(f'{absent}: {self._name} is active, its log says why it is silent')
        yield received[-1]
        while follow:
            received.clear()
            self._spin(PERIOD, lambda: False)
            yield from received[-1:]

    def _subscribe(self, kind: Any, topic: str, qos: QoSProfile) -> list[Any]:
        received: list[Any] = []
        # Not append itself: rclpy needs the signature of a callback.
        self._node.create_subscription(kind, topic, lambda message: received.append(message), qos)
        return received

    def _spin(self, duration: float, ready: Callable[[], object]) -> None:
        end = time.monotonic() + duration
        while not ready() and (left := end - time.monotonic()) > 0.0:
            rclpy.spin_once(self._node, timeout_sec=left)


def _matrices(client: Client, options: argparse.Namespace) -> str:
    client.connect(GetMassMatrix, 'get_mass_matrix')
    state, kinds = options.state, client.kinds()
    moving = [name for name, kind in kinds.items() if kind != 'fixed']
    if unknown := [name for name in state.name if kinds and name not in moving]:
        raise NoAnswer(f'unknown joint {", ".join(unknown)}: known are {", ".join(moving)}')
    mass = client.call(GetMassMatrix, 'get_mass_matrix', state=state)
    coriolis = client.call(GetCoriolisMatrix, 'get_coriolis_matrix', state=state).coriolis_matrix
    gravity = client.call(GetGravity, 'get_gravity', state=state).effort
    names = list(mass.joint_names)
    tables = [
        (f'M(q) {_unit(names, kinds, INERTIA)}', _rows(mass.mass_matrix), names),
        (f'C(q, v) {_unit(names, kinds, DAMPING)}', _rows(coriolis), names),
        (f'g(q) {_unit(names, kinds, EFFORT)}', [gravity], ['g']),
    ]
    if options.frame:
        answer = client.call(GetJacobian, 'get_jacobian', state=state, frame=options.frame)
        heading = f'J(q) of {options.frame}, in the axes of the root link [v: m/s, w: rad/s]'
        tables.append((heading, _rows(answer.jacobian), TWIST_ROWS))
    return ''.join(f'{table(heading, rows, names, of)}\n' for heading, rows, of in tables)


def torque_table(torques: JointTorques, kinds: Mapping[str, str]) -> str:
    """The command of a message, then the parts of it."""
    stamp = torques.header.stamp
    heading = (
        f'torques {_unit(torques.joint_names, kinds, EFFORT)}, '
        f'mode {MODES.get(torques.mode, torques.mode)}, '
        f'state of {stamp.sec}.{stamp.nanosec // 10**6:03d} s'
    )
    if torques.saturated:
        heading += f', limited: {", ".join(torques.saturated)}'
    if torques.fault:
        heading += f', fault: {torques.fault}'
    return table(heading, [getattr(torques, part) for part in PARTS], torques.joint_names, PARTS)


def table(
    heading: str, values: Sequence[Sequence[float]], columns: Sequence[str], rows: Sequence[str]
) -> str:
    """A matrix with the names of rows and columns; columns that do not fit in WIDTH go below.

    Args:
        heading: first line.
        values: m rows of n numbers, which are aligned by their points.
        columns: n names.
        rows: m names.
    """
    first = max(map(len, rows))
    blocks: list[list[list[str]]] = []
    room = 0
    for i, name in enumerate(columns):
        column = _aligned(name, [row[i] for row in values])
        if not blocks or room < 1 + len(column[0]):
            blocks.append([])
            room = WIDTH - first
        blocks[-1].append(column)
        room -= 1 + len(column[0])
    lines = textwrap.wrap(heading, WIDTH, subsequent_indent='  ')
    for block in blocks:
        for name, *cells in zip(('', *rows), *block, strict=True):
            lines.append(' '.join([f'{name:<{first}}', *cells]).rstrip())
    return '\n'.join(lines) + '\n'


def _aligned(name: str, values: Sequence[float]) -> list[str]:
    """A column: its name, and numbers with five digits."""
    halves = ['0' if value == 0.0 else f'{value:#.5g}'.rstrip('.') for value in values]
    left = max(len(text.partition('.')[0]) for text in halves)
    texts = [' ' * (left - len(text.partition('.')[0])) + text for text in halves]
    width = max(map(len, texts))
    cells = [f'{text:<{width}}' for text in texts]
    return [f'{text:>{max(width, len(name))}}' for text in (name, *cells)]


def _unit(joints: Sequence[str], kinds: Mapping[str, str], units: tuple[str, str, str]) -> str:
    prismatic = {kinds.get(name) == 'prismatic' for name in joints} if kinds else {False, True}
    return f'[{units[int(prismatic.pop()) if len(prismatic) == 1 else 2]}]'


def _rows(message: Any) -> list[list[float]]:
    shape = [dimension.size for dimension in message.layout.dim]
    rows: list[list[float]] = np.reshape(message.data, shape).tolist()
    return rows


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
    if not options.torques:
        try:
            options.state = state_of(options.joints)
        except ValueError as error:
            parser.error(str(error))
    return options


if __name__ == '__main__':
    main()
