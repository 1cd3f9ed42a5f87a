"""`dynamics_client`: services, lifecycle, parameters and torques of a node, without `ros2`."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Inertia, Vector3, Vector3Stamped
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from std_srvs.srv import SetBool, Trigger

import robot_dynamics_interfaces.srv as srv
from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control.feedforward import TERMS
from robot_dynamics_ros.core.errors import StateError

from .parameter_table import TABLE

HELP = """commands:
  get QUANTITY... [JOINT=POSITION[,VELOCITY[,ACCELERATION or EFFORT]]...]
      of {};
      without a joint at the latest joint state; --frame LINK of jacobian and task_space_inertia
  enable, disable, zero_external, state, configure, activate, deactivate, cleanup
  payload MASS LINK [X Y Z [IXX IXY IXZ IYY IYZ IZZ]]      mass 0 removes it; kg, m, kg m^2
  gravity X Y Z [--frame FRAME] [--any]                    m/s^2; --any: of another planet too
  set PARAMETER VALUE...                                   such as: set terms gravity coriolis
  watch [--once]                                           state, reasons, torques, until Ctrl-C
Units are those of revolute joints; of prismatic ones N and m stand for N m and rad.
Exit code 1: no such node, or it refuses; 2: wrong arguments."""
# Of `get`: service, field of the answer, heading. Without a field the message is printed.
QUANTITIES: dict[str, tuple[Any, str, str]] = {
    'mass_matrix': (srv.GetMassMatrix, 'mass_matrix', 'M(q) [kg m^2]'),
    'coriolis_matrix': (srv.GetCoriolisMatrix, 'coriolis_matrix', 'C(q, v) [N m s/rad]'),
    'gravity': (srv.GetGravity, 'effort', 'g(q) [N m]'),
    'inverse_dynamics': (srv.InverseDynamics, 'effort', 'tau [N m]'),
    'forward_dynamics': (srv.ForwardDynamics, 'acceleration', 'a [rad/s^2]'),
    'jacobian': (srv.GetJacobian, 'jacobian', 'J(q), root axes [v: m/s, w: rad/s]'),
    'task_space_inertia': (srv.GetTaskSpaceInertia, 'inertia', '(J M^-1 J^T)^-1 [kg, m]'),
    'payload': (srv.GetPayload, '', ''),
    'cross_check': (srv.CrossCheck, '', ''),
}
TWIST = ('v_x', 'v_y', 'v_z', 'w_x', 'w_y', 'w_z')
TRANSITIONS = ('configure', 'activate', 'deactivate', 'cleanup')
# Between two prints of `watch`, between two looks for a signal, and the longest wait for an
# answer, which may be that of a transition [s].
PERIOD, POLL, ANSWER_WAIT = 0.5, 0.1, 60.0


@dataclass
class Client:
    """What the dynamics_node of a full name answers and publishes; waits `timeout` [s] for it."""

    node: Any
    name: str
    timeout: float
    came: Sequence[int]

    def call(self, name: str, service: Any, **fields: Any) -> Any:
        """The answer of a service of the node; StateError for none in time, or a refusal."""
        client = self.node.create_client(service, f'{self.name}/{name}')
        if not self.spin(self.timeout, client.service_is_ready):
            raise StateError(
                f'no service {client.srv_name} within {self.timeout:g} s: is dynamics_node '
                'running, with the same ROS_DOMAIN_ID? Another name or namespace: --node'
            )
        future = client.call_async(service.Request(**fields))
        if not self.spin(ANSWER_WAIT, future.done):
            raise StateError(f'no response of {client.srv_name} within {ANSWER_WAIT:g} s')
        answer = future.result()
        if not getattr(answer, 'success', True) and service is not ChangeState:
            raise StateError(f'{client.srv_name}: {answer.message}')
        return answer

    def spin(self, duration: float, ready: Callable[[], object]) -> bool:
        """Receive for a duration [s], or until something is ready, which is returned."""
        end = time.monotonic() + duration
        while not ready() and (left := end - time.monotonic()) > 0.0:
            rclpy.spin_once(self.node, timeout_sec=min(left, POLL))
            if self.came:
                raise KeyboardInterrupt
        return bool(ready())


def _get(client: Client, words: Sequence[str], options: Any) -> Iterator[str]:
    state, third = state_of([word for word in words if '=' in word])
    given = {'state': state, 'frame': options.frame, 'acceleration': third, 'effort': third}
    for service, field, heading in [QUANTITIES[word] for word in words if '=' not in word]:
        wanted = given.keys() & service.Request.get_fields_and_field_types()
        name = re.sub(r'\B(?=[A-Z])', '_', service.__name__).lower()
        answer = client.call(name, service, **{each: given[each] for each in wanted})
        if answer.message:
            yield answer.message
        if field:
            value = getattr(answer, field)
            columns = [TWIST[i] for i in answer.rows] if field == 'inertia' else answer.joint_names
            rows = TWIST if field == 'jacobian' else columns
            rows = rows if hasattr(value, 'data') else [heading.partition(' ')[0]]
            matrix = np.reshape(getattr(value, 'data', value), (len(rows), -1))
            yield table(heading, matrix, columns, rows)


def _call(client: Client, words: Sequence[str], options: Any) -> Iterator[str]:
    """One of the services that change what is commanded."""
    if options.command == 'payload':
        mass, x, y, z, *tensor = (*map(float, [words[0], *words[2:]]), *[0.0] * 9)
        inertia = Inertia(m=mass, com=Vector3(x=x, y=y, z=z))
        for name, value in zip(('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), tensor, strict=False):
            setattr(inertia, name, value)
        answer = client.call('set_payload', srv.SetPayload, frame=words[1], inertia=inertia)
    elif options.command == 'gravity':
        vector = Vector3(**dict(zip('xyz', map(float, words), strict=True)))
        gravity = Vector3Stamped(header=Header(frame_id=options.frame), vector=vector)
        answer = client.call('set_gravity', srv.SetGravity, gravity=gravity, allow_any=options.any)
    elif options.command == 'zero_external':
        answer = client.call('zero_external', Trigger)
    else:
        answer = client.call('enable', SetBool, data=options.command == 'enable')
    yield answer.message


def _set(client: Client, words: Sequence[str], options: Any) -> Iterator[str]:
    name = words[0]
    if (row := TABLE.row_of(name)) is None:
        raise StateError(f'no parameter {TABLE.nearest(name)}')
    reads = {'double': float, 'bool': {'true': True, 'false': False}.__getitem__}
    entries = [reads.get(row.type.partition('_')[0], str)(word) for word in words[1:]]
    value = entries if row.many == 'array' else entries[0]
    message = Parameter(name, value=value).to_parameter_msg()
    (result,) = client.call('set_parameters', SetParameters, parameters=[message]).results
    if not result.successful:
        raise StateError(result.reason)
    yield f'{name} is {value}'


def _change(client: Client, words: Sequence[str], options: Any) -> Iterator[str]:
    """The state, after a transition if one is asked for."""
    done, wanted = True, Transition(label=options.command)
    if options.command in TRANSITIONS:
        done = client.call('change_state', ChangeState, transition=wanted).success
    yield client.call('get_state', GetState).current_state.label
    if not done:
        raise StateError(f'{options.command} failed: see the log of the node')


def _watch(client: Client, words: Sequence[str], options: Any) -> Iterator[str]:
    """What the node commands, and what its diagnostics say, once in `PERIOD`."""
    torques, statuses = list[JointTorques](), dict[str, DiagnosticStatus]()
    subscribe, qos, model = client.node.create_subscription, qos_profile_sensor_data, ': model'
    # Not append itself: rclpy needs the signature of a callback.
    subscribe(JointTorques, f'{client.name}/torques', lambda each: torques.append(each), qos)
    subscribe(DiagnosticArray, '/diagnostics', lambda array: statuses.update(
        {each.name.removeprefix(client.name): each for each in array.status}), qos)  # fmt: skip
    if not client.spin(client.timeout, lambda: model in statuses):
        raise StateError(f'no diagnostics of {client.name} within {client.timeout:g} s')
    client.spin(PERIOD, lambda: torques)
    while True:
        yield torque_table(torques[-1]) if torques else statuses[model].message
        for name, each in statuses.items():
            if each.level != DiagnosticStatus.OK and name.startswith(': '):
                yield f'{name[2:]}: {each.message}'
        if options.once:
            return
        torques.clear()
        client.spin(PERIOD, lambda: False)


def torque_table(torques: JointTorques) -> str:
    """The command of a message and its parts, one joint a line."""
    heading = f'{torques.state} ({torques.event}), target {torques.target} [N m]'
    heading += f', limited: {", ".join(torques.saturated)}' if torques.saturated else ''
    heading += f', fault: {torques.fault}' if torques.fault else ''
    parts = 'effort', *TERMS
    values = np.transpose([getattr(torques, part) for part in parts])
    return table(heading, values, parts, torques.joint_names)


def table(heading: str, matrix: Any, columns: Sequence[str], rows: Sequence[str]) -> str:
    """A matrix (m, n), five digits of each entry, with the names of rows and columns."""
    cells = [['', *columns]]
    cells += [[name, *(f'{x:.5g}' for x in row)] for name, row in zip(rows, matrix, strict=True)]
    first, *widths = (max(map(len, column)) for column in zip(*cells, strict=True))
    lines = [' '.join([row[0].ljust(first), *map(str.rjust, row[1:], widths)]) for row in cells]
    return '\n'.join([heading, *lines, ''])


def state_of(words: Sequence[str]) -> tuple[JointState, list[float]]:
    """The state of words such as elbow=1.2 or elbow=1.2,0.5, and third values where given."""
    given = {word.partition('=')[0]: word.partition('=')[2].split(',') for word in words}
    rows = [[float(x) for x in [*values, *'00'[len(values) - 1 :]]] for values in given.values()]
    q, v, third = np.reshape(rows, (-1, 3)).T.tolist()
    state = JointState(name=list(given), position=q, velocity=v)
    return state, third if any(len(values) == 3 for values in given.values()) else []


# What each command runs, and the numbers of words after it.
COMMANDS = {
    'get': (_get, range(1, 1000)), 'set': (_set, range(2, 1000)), 'watch': (_watch, (0,)),
    'payload': (_call, (2, 5, 11)), 'gravity': (_call, (3,)),
    **dict.fromkeys(('enable', 'disable', 'zero_external'), (_call, (0,))),
    **dict.fromkeys(('state', *TRANSITIONS), (_change, (0,))),
}  # fmt: skip


def main(args: Sequence[str] | None = None) -> None:
    """Print what is asked for; end with code 1 and a message if the node gives none."""
    epilog, kept = HELP.format(', '.join(QUANTITIES)), argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser('dynamics_client', epilog=epilog, formatter_class=kept)
    add = parser.add_argument
    add('command', choices=COMMANDS, metavar='command')
    add('words', nargs='*', help='see below')
    add('--node', default='/robot_dynamics', help='full name (%(default)s)')
    add('--timeout', type=float, default=10.0, help='until it is found [s]')
    add('--frame', default='')
    for flag in ('--any', '--once'):
        add(flag, action='store_true')
    options = parser.parse_intermixed_args(args)
    words, (run, counts) = options.words, COMMANDS[options.command]
    if len(words) not in counts:
        parser.error(f'{options.command} {" ".join(words)}: see --help')
    came: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        # Signals are looked at between calls: an exception within rclpy may become another one.
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        node = rclpy.create_node('dynamics_client')
        client = Client(node, options.node.rstrip('/'), options.timeout, came)
        for text in run(client, words, options):
            sys.stdout.write(f'{text}\n')
            sys.stdout.flush()
    except StateError as error:
        sys.exit(f'dynamics_client: {error}')
    except (ValueError, KeyError) as error:
        parser.error(f'{options.command} {" ".join(words)}: {error}')
    except KeyboardInterrupt:
        sys.exit(0 if run is _watch else 128 + came[0])
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
