"""`ros2 run robot_dynamics_ros print_dynamics`: M, C, g, J and torques of a running node."""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from lifecycle_msgs.srv import GetState
from rcl_interfaces.srv import GetParameters
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
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
from robot_dynamics_ros.core.urdf_xml import read_xml

from .endpoints import LATCHED

DESCRIPTION = """Prints the mass matrix M(q), the Coriolis matrix C(q, v), the gravity torque g(q)
and, with --frame, the Jacobian J(q) of a link, from the services of a running dynamics_node.
Rows and columns have the names of the joints. With "torques", prints what the node commands: its
topic ~/torques with the parts of the torque."""
PARTS = ('effort', 'gravity', 'coriolis', 'inertial', 'friction')
TWIST = ('v_x', 'v_y', 'v_z', 'w_x', 'w_y', 'w_z')
# Of revolute joints, of prismatic ones, and of both.
INERTIA = 'kg m^2', 'kg', 'kg m^2, kg m or kg'
DAMPING = 'N m s/rad', 'N s/m', 'N m s/rad, N s/rad or N s/m'
EFFORT = 'N m', 'N', 'N m or N'
WIDTH = 80
# Between two prints of --follow; longest wait for a description on its topic [s].
PERIOD, DESCRIPTION_WAIT = 0.5, 1.0
# Between two looks for a signal [s].
POLL = 0.1
# The node answers each joint state: only the latest torques are printed.
LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class NoAnswer(Exception):
    """The node does not give what is asked for; the message is for the user."""


def main(args: Sequence[str] | None = None) -> None:
    """Print what is asked for; end with code 1 and a message if the node gives none."""
    options = _options(args)
    came: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        # Signals are looked at between calls: an exception within rclpy may become another one.
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        client = Client(rclpy.create_node('print_dynamics'), options.node, options.timeout, came)
        texts = (_torques if options.torques else _matrices)(client, options)
        for text in texts:
            sys.stdout.write(f'{text}\n')
            sys.stdout.flush()
    except NoAnswer as error:
        sys.exit(f'print_dynamics: {error}')
    except KeyboardInterrupt:
        # It is the end of --follow.
        sys.exit(0 if options.follow else 128 + came[0])
    except BrokenPipeError:
        # Such as `| head`. Python would write what is left once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        rclpy.try_shutdown()


class Client:
    """What the dynamics_node of a full name answers and publishes; waits `timeout` [s] for it."""

    def __init__(self, node: Any, name: str, timeout: float, came: Sequence[int]) -> None:
        """Ask with a node, until a signal came."""
        self._node, self.name, self.timeout = node, name.rstrip('/'), timeout
        self._came = came

    def connect(self, service: Any, name: str) -> Any:
        """A client of a service of the node.

        Raises:
            NoAnswer: there is no such service in time.
        """
        client = self._node.create_client(service, f'{self.name}/{name}')
        self.spin(self.timeout, client.service_is_ready)
        if not client.service_is_ready():
            raise NoAnswer(
                f'no service {client.srv_name} within {self.timeout:g} s: is dynamics_node '
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
        self.spin(self.timeout, future.done)
        if not future.done():
            raise NoAnswer(f'no response of {client.srv_name} within {self.timeout:g} s')
        answer = future.result()
        if not getattr(answer, 'success', True):
            raise NoAnswer(f'{client.srv_name}: {answer.message}')
        return answer

    def kinds(self) -> Mapping[str, str]:
        """The types of the joints that move, by name; empty if there is no URDF."""
        names = ['robot_description', 'description_file']
        values = self.call(GetParameters, 'get_parameters', names=names).values
        text, file = (value.string_value for value in values)
        if file:
            # Of another machine, or beside a parameter file: then only the units are unknown.
            with suppress(OSError):
                text = Path(file).read_text(encoding='utf-8')
        elif not text:
            topic = f'{self.name.rpartition("/")[0]}/robot_description'
            received = self.subscribe(String, topic, LATCHED)
            self.spin(DESCRIPTION_WAIT, lambda: received)
            text = received[-1].data if received else ''
        joints = read_xml(text).findall('joint') if text else ()
        kinds = {joint.get('name', ''): joint.get('type', '') for joint in joints}
        return {name: kind for name, kind in kinds.items() if kind != 'fixed'}

    def subscribe(self, kind: Any, topic: str, qos: QoSProfile) -> list[Any]:
        """A list to which the messages of a topic are appended."""
        received: list[Any] = []
        # Not append itself: rclpy needs the signature of a callback.
        self._node.create_subscription(kind, topic, lambda message: received.append(message), qos)
        return received

    def spin(self, duration: float, ready: Callable[[], object]) -> None:
        """Receive for a duration [s], or until something is ready.

        Raises:
            KeyboardInterrupt: a signal came.
        """
        end = time.monotonic() + duration
        while not ready() and (left := end - time.monotonic()) > 0.0:
            rclpy.spin_once(self._node, timeout_sec=min(left, POLL))
            if self._came:
                raise KeyboardInterrupt


def _matrices(client: Client, options: argparse.Namespace) -> Iterator[str]:
    client.connect(GetMassMatrix, 'get_mass_matrix')
    state, kinds = options.state, client.kinds()
    if unknown := [name for name in state.name if kinds and name not in kinds]:
        raise NoAnswer(f'unknown joint {", ".join(unknown)}: known are {", ".join(kinds)}')
    mass = client.call(GetMassMatrix, 'get_mass_matrix', state=state)
    names = list(mass.joint_names)
    yield table(f'M(q) {_unit(names, kinds, INERTIA)}', _rows(mass.mass_matrix), names, names)
    matrix = client.call(GetCoriolisMatrix, 'get_coriolis_matrix', state=state).coriolis_matrix
    yield table(f'C(q, v) {_unit(names, kinds, DAMPING)}', _rows(matrix), names, names)
    gravity = client.call(GetGravity, 'get_gravity', state=state).effort
    yield table(f'g(q) {_unit(names, kinds, EFFORT)}', [gravity], names, ['g'])
    if options.frame:
        answer = client.call(GetJacobian, 'get_jacobian', state=state, frame=options.frame)
        heading = f'J(q) of {options.frame}, in the axes of the root link [v: m/s, w: rad/s]'
        yield table(heading, _rows(answer.jacobian), names, TWIST)


def _torques(client: Client, options: argparse.Namespace) -> Iterator[str]:
    """The next torques; with --follow the latest ones, once in `PERIOD`."""
    topic = f'{client.name}/torques'
    received = client.subscribe(JointTorques, topic, LATEST)
    absent = f'no torques on {topic} within {client.timeout:g} s'
    try:
        state = client.call(GetState, 'get_state').current_state.label
    except NoAnswer as error:
        raise NoAnswer(f'{absent}: {error}') from None
    if state != 'active':
        raise NoAnswer(
            f'{client.name} is {state}: it commands no torques until it is active. Its log says '
            'what it waits for; with autostart:=false, activate it'
        )
    kinds = client.kinds()
    client.spin(client.timeout, lambda: received)
    if not received:
        raise NoAnswer(f'{absent}: {client.name} is active, its log says why it is silent')
    yield torque_table(received[-1], kinds)
    while options.follow:
        received.clear()
        client.spin(PERIOD, lambda: False)
        yield from (torque_table(torques, kinds) for torques in received[-1:])


def torque_table(torques: JointTorques, kinds: Mapping[str, str]) -> str:
    """The command of a message, then the parts of it."""
    names, stamp = torques.joint_names, torques.header.stamp
    heading = (
        f'torques {_unit(names, kinds, EFFORT)}, {torques.state} ({torques.event}), target '
        f'{torques.target}, joint state of {stamp.sec}.{stamp.nanosec // 10**6:03d} s'
    )
    if torques.saturated:
        heading += f', limited: {", ".join(torques.saturated)}'
    if torques.fault:
        heading += f', fault: {torques.fault}'
    return table(heading, [getattr(torques, part) for part in PARTS], names, PARTS)


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
    texts = ['0' if value == 0.0 else f'{value:#.5g}'.rstrip('.') for value in values]
    before = [len(text.partition('.')[0]) for text in texts]
    texts = [' ' * (max(before) - own) + text for own, text in zip(before, texts, strict=True)]
    texts = [f'{text:<{max(map(len, texts))}}' for text in texts]
    return [f'{text:>{max(len(texts[0]), len(name))}}' for text in (name, *texts)]


def _unit(joints: Sequence[str], kinds: Mapping[str, str], units: tuple[str, str, str]) -> str:
    sliding = {kinds.get(name) == 'prismatic' for name in joints} if kinds else {False, True}
    return f'[{units[2] if len(sliding) > 1 else units[sliding.pop()]}]'


def _rows(message: Any) -> list[list[float]]:
    shape = [dimension.size for dimension in message.layout.dim]
    return np.reshape(message.data, shape).tolist()


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
    add = parser.add_argument
    add('joints', nargs='*', metavar='torques | JOINT=POSITION[,VELOCITY]',
        help='torques: print what the node commands. Otherwise the state [rad or m, and per s], '
        'at rest by default. Without any: the latest joint state of the node')  # fmt: skip
    add('--node', default='/robot_dynamics', help='full name of the node (default: %(default)s)')
    add('--frame', metavar='LINK', help='link whose Jacobian is printed')
    add('--follow', action='store_true',
        help=f'with torques: print the present ones every {PERIOD:g} s, until Ctrl-C')  # fmt: skip
    add('--timeout', type=float, default=10.0,
        help='of each service, and of the first torques [s] (default: %(default)g)')  # fmt: skip
    options = parser.parse_args(remove_ros_args(['', *args] if args is not None else None)[1:])
    options.torques = options.joints[:1] == ['torques']
    if options.torques and (options.joints[1:] or options.frame):
        parser.error('torques are those of the present state: give no joints and no --frame')
    if options.follow and not options.torques:
        parser.error('--follow is for torques only')
    try:
        options.state = state_of([] if options.torques else options.joints)
    except ValueError as error:
        parser.error(str(error))
    return options


if __name__ == '__main__':
    main()
