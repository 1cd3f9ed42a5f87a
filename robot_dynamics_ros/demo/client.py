"""The topics and services through which the observer drives arm and node, and what it received."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from numpy.typing import NDArray
from rcl_interfaces.srv import SetParameters
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics_interfaces.msg import Contact, JointTorques
from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.ros.endpoints import nanoseconds
from robot_dynamics_ros.ros.polling import PolledSubscription

from . import DemoError
from .processes import Children

Array = NDArray[np.float64]

ARM, NODE = 'simulated_arm', 'robot_dynamics'
COMMANDS = f'/{NODE}/commands'
TOPICS = {
    'states': (JointState, '/joint_states'),
    'torques': (JointTorques, f'/{NODE}/torques'),
    'commands': (Float64MultiArray, COMMANDS),
    'applied': (WrenchStamped, f'/{ARM}/applied_wrench'),
    'wrenches': (WrenchStamped, f'/{NODE}/external_wrench'),
    'contacts': (Contact, f'/{NODE}/contact'),
}
"""What is recorded: of the wrenches, `applied` acts on the tool, the others the node feels."""
PARTS = ('gravity', 'coriolis', 'inertial', 'friction')
"""Parts of the torque, of which a command without a fade is the sum."""
LEAD = 0.3
"""How long a trajectory is sent before it starts, so that it is not received too late [s]."""
LIMIT = 20.0
"""How long to wait for an event that an idle machine needs less than a second for [s]."""


@dataclass(frozen=True)
class Samples:
    """Messages of one topic in a phase; times are since the phase began (m,) [s].

    Attributes:
        messages: m of them.
        sent: when the middleware sent them.
        received: when it received them.
        stamps: those of their headers; of messages without one, `sent`.
    """

    messages: Sequence[Any]
    sent: Array
    received: Array
    stamps: Array

    def joints(self, field: str, names: Sequence[str]) -> Array:
        """A field of each message (m, n) for these joints, found by name."""
        if not self.messages:
            return np.empty((0, len(names)))
        first = self.messages[0]
        order = list(first.name if isinstance(first, JointState) else first.joint_names)
        rows = np.array([getattr(message, field) for message in self.messages])
        return rows[:, [order.index(name) for name in names]]

    def wrenches(self) -> Array:
        """Force and moment of each message (m, 6) [N, N m]."""
        parts = [part for m in self.messages for part in (m.wrench.force, m.wrench.torque)]
        return np.array([(part.x, part.y, part.z) for part in parts]).reshape(-1, 6)


Phase = Mapping[str, Samples]
"""What was received of each of `TOPICS`, by name."""


class DemoClient:
    """Calls the services of arm and node, and records the messages that they publish.

    It keeps them serialized, as arm and node need the processor time, and takes the times of
    sending and reception from the middleware: the observer does not disturb what it measures.
    """

    def __init__(self, node: Node, children: Children, interrupts: Sequence[int]) -> None:
        """Create the endpoints on a node, which `close` destroys.

        Args:
            node: the observer.
            children: the processes that must run.
            interrupts: the signals to end the demo, as they come.
        """
        self._node, self._children, self._interrupts = node, children, interrupts
        self._active = False
        self._clients: dict[str, Any] = {}
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        qos = QoSProfile(depth=2000)
        self._subscriptions = {
            name: PolledSubscription(node, *topic, qos, raw=True) for name, topic in TOPICS.items()
        }
        # By topic: when a message was sent and received [ns], and its bytes.
        self._messages: dict[str, list[tuple[int, int, bytes]]] = {name: [] for name in TOPICS}
        self._references = {
            target: node.create_publisher(JointTrajectory, f'/{target}/reference', 1)
            for target in (ARM, NODE)
        }

    def now(self) -> int:
        """The time that messages are stamped with [ns]."""
        return int(self._node.get_clock().now().nanoseconds)

    def last(self, topic: str) -> Any:
        """The newest message on one of `TOPICS`; None if there is none."""
        messages = self._messages[topic]
        return deserialize_message(messages[-1][2], TOPICS[topic][0]) if messages else None

    def wait_until(self, condition: Callable[[], bool], what: str, limit: float = LIMIT) -> None:
        """Record until a condition holds, which is asked about every 0.02 s.

        Raises:
            DemoError: it did not hold within the limit [s], or a child process has ended; `what`
                names it.
            KeyboardInterrupt: the demo is to end.
        """
        deadline = time.monotonic() + limit
        while not condition():
            if self._interrupts:
                raise KeyboardInterrupt
            self._children.require_alive()
            if time.monotonic() > deadline:
                raise DemoError(f'{what}: not within {limit:.0f} s')
            self._executor.spin_once(timeout_sec=0.02)
            for topic, subscription in self._subscriptions.items():
                for message, info in subscription.poll():
                    times = info['source_timestamp'], info['received_timestamp']
                    self._messages[topic].append((*times, message))

    def wait(self, seconds: float) -> None:
        """Record for some time."""
        end = time.monotonic() + seconds
        self.wait_until(lambda: time.monotonic() >= end, 'time to pass', seconds + LIMIT)

    def phase(self, start: int, end: int) -> Phase:
        """What was sent from `start` to `end` [ns]."""
        phase = {}
        for topic, (kind, _) in TOPICS.items():
            messages, times = [], []
            for sent, received, data in self._messages[topic]:
                if start <= sent <= end:
                    message = deserialize_message(data, kind)
                    headed = hasattr(message, 'header')
                    stamp = nanoseconds(message.header.stamp) if headed else sent
                    messages.append(message)
                    times.append((sent, received, stamp))
            since = np.array(times, dtype=np.int64).reshape(-1, 3) - start
            phase[topic] = Samples(messages, *(since * 1e-9).T)
        return phase

    def connect(self) -> None:
        """Wait for the arm; check that no other one publishes."""
        self.wait_until(lambda: self.last('states') is not None, '/joint_states')
        if (others := self._node.count_publishers('/joint_states') - 1) > 0:
            raise DemoError(
                f'{others} other node(s) publish /joint_states in this ROS_DOMAIN_ID: set another '
                'ROS_DOMAIN_ID for the demo'
            )

    def call(self, kind: Any, name: str, **fields: Any) -> Any:
        """The answer of a service, such as `simulated_arm/reset`.

        Raises:
            DemoError: there is none in time, or it reports a failure.
        """
        if name not in self._clients:
            self._clients[name] = self._node.create_client(kind, f'/{name}')
        client = self._clients[name]
        self.wait_until(client.service_is_ready, f'the service {client.srv_name}')
        future = client.call_async(kind.Request(**fields))
        self.wait_until(future.done, f'answer of service {client.srv_name}')
        answer = future.result()
        if not getattr(answer, 'success', True):
            reason = getattr(answer, 'message', '') or f'\n{self._children.log_tail("node")}'
            raise DemoError(f'service {client.srv_name} failed: {reason}')
        return answer

    def set_arm(self, **switches: bool) -> None:
        """Switch the brake, the servo (which holds the present position) or the wall."""
        for name, on in switches.items():
            self.call(SetBool, f'{ARM}/set_{name}', data=on)

    def reset_arm(self, *, servo: bool) -> None:
        """Put the arm at rest at its start position, brake on, servo on or off."""
        self.set_arm(brake=True, servo=servo)
        self.call(Trigger, f'{ARM}/reset')
        if self._active:
            self._wait_until_steady()

    def set_node(self, **parameters: Any) -> None:
        """Set live parameters of the dynamics node."""
        messages = [
            Parameter(name, value=value).to_parameter_msg() for name, value in parameters.items()
        ]
        answer = self.call(SetParameters, f'{NODE}/set_parameters', parameters=messages)
        for result in answer.results:
            if not result.successful:
                raise DemoError(f'the node refuses {parameters}: {result.reason}')

    def change_state(self, transition: str) -> None:
        """Have the node configure, activate (wait until the fade has ended) or deactivate."""
        number = getattr(Transition, f'TRANSITION_{transition.upper()}')
        self.call(ChangeState, f'{NODE}/change_state', transition=Transition(id=number))
        self._active = transition == 'activate'
        if self._active:
            self._wait_until_steady()

    def send_trajectory(self, trajectory: Trajectory, joints: Sequence[str], *targets: str) -> int:
        """Publish a trajectory of these joints as the reference of each target.

        Returns:
            The time at which it starts, after `LEAD` [ns].
        """
        for target in targets:
            subscribed = self._references[target].get_subscription_count
            self.wait_until(subscribed, f'the subscription /{target}/reference')
        start = self.now() + int(LEAD * 1e9)
        points = [
            JointTrajectoryPoint(
                positions=point.q,
                velocities=point.v,
                accelerations=point.a,
                time_from_start=Duration(seconds=point.time).to_msg(),
            )
            for point in trajectory.points
        ]
        header = Header(stamp=Time(nanoseconds=start).to_msg())
        message = JointTrajectory(header=header, joint_names=list(joints), points=points)
        for target in targets:
            self._references[target].publish(message)
        return start

    def close(self) -> None:
        """Destroy the node."""
        self._executor.shutdown()
        self._node.destroy_node()

    def _wait_until_steady(self) -> None:
        """Wait until a state from now on is answered by a command that is the sum of its parts."""
        now = self.now()

        def steady() -> bool:
            last = self.last('torques')
            if last is None or nanoseconds(last.header.stamp) <= now:
                return False
            parts = np.sum([getattr(last, part) for part in PARTS], axis=0)
            return np.allclose(last.effort, parts, rtol=1e-9, atol=1e-9)

        self.wait_until(steady, f'a command on {COMMANDS} without a fade')
