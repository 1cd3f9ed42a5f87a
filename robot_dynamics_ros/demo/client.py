"""The topics and services through which the observer drives arm and node, and what it received."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import rclpy
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.srv import SetParameters
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from rclpy.signals import SignalHandlerOptions
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics_interfaces.msg import Contact, ExternalTorques, JointTorques
from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.ros.endpoints import PolledSubscription

from . import DemoError
from .processes import Children

ARM, NODE = 'simulated_arm', 'robot_dynamics'
COMMANDS = f'/{NODE}/commands'
# What is recorded: of the wrenches, `applied` acts on the tool, the others the node feels.
TOPICS = {
    'states': (JointState, '/joint_states'),
    'torques': (JointTorques, f'/{NODE}/torques'),
    'applied': (WrenchStamped, f'/{ARM}/applied_wrench'),
    'external': (ExternalTorques, f'/{NODE}/external_torques'),
    'wrenches': (WrenchStamped, f'/{NODE}/external_wrench'),
    'contacts': (Contact, f'/{NODE}/contact'),
}
LIMIT = 20.0  # for an event [s of simulated time], and for the next state [s of real time]
# After the brake was released each arm that moves has moved, and after a state all that belongs to
# it has come [ns].
SOON = 10**8


@dataclass(frozen=True)
class Samples:
    """Messages of one topic in a phase; times are (m,) [s].

    Attributes:
        topic: its name.
        messages: m of them.
        stamps: simulated time, since the phase began.
        sent: when the middleware sent them, in real time since the demo began.
        received: when it received them, likewise.
    """

    topic: str
    messages: Sequence[Any]
    stamps: Array
    sent: Array
    received: Array

    def curve(self, field: str, names: Sequence[str]) -> tuple[Array, Array]:
        """The stamps, and a field of each message for these joints, found by name (m, n).

        Raises:
            DemoError: there is no message.
        """
        if not self.messages:
            raise DemoError(f'no message came on {self.topic}: look at the logs of arm and node')
        first = self.messages[0]
        order = list(first.name if isinstance(first, JointState) else first.joint_names)
        rows = np.array([getattr(message, field) for message in self.messages])
        return self.stamps, rows[:, [order.index(name) for name in names]]

    def wrenches(self) -> Array:
        """Force and moment of each message (m, 6) [N, N m]."""
        parts = [part for m in self.messages for part in (m.wrench.force, m.wrench.torque)]
        return np.array([(part.x, part.y, part.z) for part in parts]).reshape(-1, 6)


# What was received of each of `TOPICS`, by name.
Phase = Mapping[str, Samples]


class DemoClient:
    """Calls the services of arm and node, and records the messages that they publish.

    It keeps them serialized, as arm and node need the processor time, and takes the times of
    sending and reception from the middleware: the observer does not disturb what it measures.
    """

    def __init__(self, children: Children, interrupts: Sequence[int]) -> None:
        """Start a node, while children run and until a signal comes; `close` ends it."""
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self._node = node = rclpy.create_node('demo_observer')
        self._children, self._interrupts, self._active = children, interrupts, False
        self._clients: dict[str, Any] = {}
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        qos = QoSProfile(depth=2000)
        self._subscriptions = {
            name: PolledSubscription(node, *topic, qos, raw=True) for name, topic in TOPICS.items()
        }
        self._began = time.time_ns()
        # By topic: stamp, when a message was sent and received [ns], and its bytes.
        self._messages: dict[str, list[tuple[int, int, int, bytes]]] = {}
        self._messages |= {name: [] for name in TOPICS}
        self._references = {
            target: node.create_publisher(JointTrajectory, f'/{target}/reference', 1)
            for target in (ARM, NODE)
        }
        self._pushes = node.create_publisher(WrenchStamped, f'/{ARM}/push', 2)

    def now(self) -> int:
        """Simulated time: the stamp of the newest state [ns]; 0 before the first."""
        return self._messages['states'][-1][0] if self._messages['states'] else 0

    def wait_until(self, condition: Callable[[], Any], what: str) -> None:
        """Record until a condition holds, which is asked about every 0.02 s.

        Raises:
            DemoError: it, named `what`, did not hold within `LIMIT`, no state came for as long, or
                a child process has ended.
            KeyboardInterrupt: the demo is to end.
        """
        end, came = self.now() + int(LIMIT * 1e9), time.monotonic()
        while not condition():
            if self._interrupts:
                raise KeyboardInterrupt
            self._children.require_alive()
            if self.now() > end or time.monotonic() > came + LIMIT:
                raise DemoError(f'{what}: not within {LIMIT:.0f} s')
            self._executor.spin_once(timeout_sec=0.02)
            before = self.now()
            self._record()
            if self.now() > before:
                came = time.monotonic()

    def _record(self) -> None:
        """Keep what has been received."""
        for topic, subscription in self._subscriptions.items():
            for data, info in subscription.poll():
                # A header comes first, after the four bytes that name the encoding.
                sec, nanosec = struct.unpack_from('<iI', data, 4)
                times = info['source_timestamp'], info['received_timestamp']
                self._messages[topic].append((sec * 10**9 + nanosec, *times, data))

    def wait_for(self, end: int) -> None:
        """Record until all states up to a time [ns] have been answered."""
        self.wait_until(lambda: self.now() >= end + SOON, 'time to pass')

    def phase(self, start: int, end: int) -> Phase:
        """What belongs to the states from `start` to `end` [ns]."""
        phase, origins = {}, (start, self._began, self._began)
        for topic, (kind, name) in TOPICS.items():
            rows = [row for row in self._messages[topic] if start <= row[0] <= end]
            times = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3) - origins
            messages = [deserialize_message(row[3], kind) for row in rows]
            phase[topic] = Samples(name, messages, *(1e-9 * times.T))
        return phase

    def connect(self) -> None:
        """Wait for the arm; check that no other one publishes."""
        self.wait_until(self.now, '/joint_states')
        if (others := self._node.count_publishers('/joint_states') - 1) > 0:
            raise DemoError(f'{others} other node(s) publish /joint_states: set a ROS_DOMAIN_ID')

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
        """Put the arm at rest at its start position, with its brake on."""
        self.set_arm(brake=True, servo=servo)
        self.call(Trigger, f'{ARM}/reset')
        if self._active:
            self.wait_until_steady()

    def release_arm(self) -> int:
        """Release the brake; the stamp of the last state before the arm moved [ns]."""
        before = self.now()
        self.set_arm(brake=False)
        self.wait_for(self.now() + SOON)
        for stamp, *_, data in self._messages['states']:
            if stamp > before:
                if any(deserialize_message(data, JointState).velocity):
                    break
                before = stamp
        return before

    def set_node(self, **parameters: Any) -> None:
        """Set live parameters of the dynamics node."""
        for name, value in parameters.items():
            message = Parameter(name, value=value).to_parameter_msg()
            answer = self.call(SetParameters, f'{NODE}/set_parameters', parameters=[message])
            if not answer.results[0].successful:
                raise DemoError(f'the node refuses {name}: {answer.results[0].reason}')

    def change_state(self, transition: str) -> None:
        """Have the node configure, activate (wait until the fade has ended) or deactivate."""
        number = getattr(Transition, f'TRANSITION_{transition.upper()}')
        self.call(ChangeState, f'{NODE}/change_state', transition=Transition(id=number))
        self._active = transition == 'activate'
        if self._active:
            self.wait_until_steady()

    def send_trajectory(
        self, trajectory: Trajectory, joints: Sequence[str], start: int, *targets: str
    ) -> None:
        """Publish a trajectory of these joints as the reference of each target, from `start` on.

        Raises:
            DemoError: simulated time has reached `start` [ns].
        """
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
            self._publish(self._references[target], message, start)

    def push(self, link: str, force: Array, start: int, end: int) -> None:
        """Have the arm push a link with a force (3,) [N] in its axes, from `start` to `end` [ns].

        Raises:
            DemoError: simulated time has reached `start`.
        """
        for moment, (x, y, z) in ((start, force.tolist()), (end, (0.0, 0.0, 0.0))):
            header = Header(stamp=Time(nanoseconds=moment).to_msg(), frame_id=link)
            wrench = Wrench(force=Vector3(x=x, y=y, z=z))
            self._publish(self._pushes, WrenchStamped(header=header, wrench=wrench), start)

    def _publish(self, publisher: Any, message: Any, start: int) -> None:
        name = publisher.topic_name
        self.wait_until(publisher.get_subscription_count, f'the subscription {name}')
        publisher.publish(message)
        self._record()
        if self.now() >= start:
            raise DemoError(f'a message on {name} came too late')

    def close(self) -> None:
        """Destroy the node, and end rclpy."""
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown()

    def wait_until_steady(self) -> None:
        """Wait until a state from now on is answered without a fade."""
        now = self.now()

        def steady() -> bool:
            stamp, *_, data = (self._messages['torques'] or [(0, b'')])[-1]
            return stamp > now and not deserialize_message(data, JointTorques).fade_left

        self.wait_until(steady, f'a command on {COMMANDS} without a fade')
