"""The topics and services through which the observer drives arm and node."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from builtin_interfaces.msg import Time as TimeMessage
from geometry_msgs.msg import WrenchStamped
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from numpy.typing import NDArray
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics_interfaces.msg import Contact, JointTorques
from robot_dynamics_interfaces.srv import GetCoriolisMatrix, GetMassMatrix, PushLink
from robot_dynamics_ros.control.trajectory import Trajectory
from robot_dynamics_ros.ros.polling import PolledSubscription

from . import DemoError
from .message_readers import (
    PARTS,
    read_command,
    read_contact,
    read_state,
    read_torques,
    read_wrench,
)
from .processes import Children
from .received_messages import Channel

COMMANDS = '/robot_dynamics/commands'
LEAD = 0.3
"""How long a trajectory is sent before it starts, so that it is not received too late [s]."""
LIMIT = 20.0
"""How long to wait for an event that an idle machine needs less than a second for [s]."""


class DemoClient:
    """Calls the services of arm and node, and records the messages that they publish.

    All messages are recorded. The middleware stamps each one when it is sent and when it is
    received, so it is read later, and the observer does not disturb what it measures.
    """

    def __init__(self, node: Node, children: Children, interrupts: Sequence[int]) -> None:
        """Create the endpoints on a node.

        Args:
            node: is destroyed by `close`.
            children: the processes that must run.
            interrupts: the signals to end the demo, as they come.
        """
        self._node = node
        self.children = children
        self._interrupts = interrupts
        # Whether the dynamics node is active.
        self._node_active = False
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        self.states = Channel(read_state)
        self.commands = Channel(read_command)
        self.torques = Channel(read_torques)
        self.applied = Channel(read_wrench)
        self.wrenches = Channel(read_wrench)
        self.contacts = Channel(read_contact)
        self._inputs = [
            (channel, PolledSubscription(node, kind, topic, QoSProfile(depth=2000), raw=True))
            for channel, kind, topic in (
                (self.states, JointState, '/joint_states'),
                (self.commands, Float64MultiArray, COMMANDS),
                (self.torques, JointTorques, '/robot_dynamics/torques'),
                (self.applied, WrenchStamped, '/simulated_arm/applied_wrench'),
                (self.wrenches, WrenchStamped, '/robot_dynamics/external_wrench'),
                (self.contacts, Contact, '/robot_dynamics/contact'),
            )
        ]
        self._references = {
            target: node.create_publisher(JointTrajectory, f'/{target}/reference', 1)
            for target in ('simulated_arm', 'robot_dynamics')
        }
        self._brake = node.create_client(SetBool, '/simulated_arm/set_brake')
        self._servo = node.create_client(SetBool, '/simulated_arm/set_servo')
        self._reset = node.create_client(Trigger, '/simulated_arm/reset')
        self._push = node.create_client(PushLink, '/simulated_arm/push_link')
        self._wall = node.create_client(SetBool, '/simulated_arm/set_wall')
        self._set = node.create_client(SetParameters, '/robot_dynamics/set_parameters')
        self._change = node.create_client(ChangeState, '/robot_dynamics/change_state')
        self._mass = node.create_client(GetMassMatrix, '/robot_dynamics/get_mass_matrix')
        self._coriolis = node.create_client(
            GetCoriolisMatrix, '/robot_dynamics/get_coriolis_matrix'
        )

    def now(self) -> int:
        """Return the time that messages are stamped with [ns]."""
        return int(self._node.get_clock().now().nanoseconds)

    def wait_until(self, condition: Callable[[], bool], what: str, limit: float = LIMIT) -> None:
        """Record until a condition holds.

        Args:
            condition: is asked about every 0.02 s.
            what: names it in the error.
            limit: [s].

        Raises:
            DemoError: it did not hold within the limit, or a child process has ended.
            KeyboardInterrupt: the demo is to end.
        """
        deadline = time.monotonic() + limit
        while not condition():
            if self._interrupts:
                raise KeyboardInterrupt
            self.children.require_alive()
            if time.monotonic() > deadline:
                raise DemoError(f'{what}: not within {limit:.0f} s')
            self._executor.spin_once(timeout_sec=0.02)
            self._record()

    def wait(self, seconds: float) -> None:
        """Record for some time."""
        end = time.monotonic() + seconds
        self.wait_until(lambda: time.monotonic() >= end, 'time to pass', seconds + LIMIT)

    def connect(self) -> None:
        """Wait until arm and node are reachable; check that no other arm publishes."""
        for client in (self._brake, self._servo, self._reset, self._change):
            self.wait_until(client.service_is_ready, f'the service {client.srv_name}')
        self.wait_until(lambda: len(self.states) > 0, '/joint_states')
        others = self._node.count_publishers('/joint_states') - 1
        if others > 0:
            raise DemoError(
                f'{others} other node(s) publish /joint_states in this ROS_DOMAIN_ID: set another '
                'ROS_DOMAIN_ID for the demo'
            )

    def configure(self) -> None:
        """Call the transition configure, and wait for the services and topics of the node."""
        self._transition(Transition.TRANSITION_CONFIGURE, 'configure')
        self.wait_until(self._mass.service_is_ready, f'the service {self._mass.srv_name}')
        self.wait_until(self._coriolis.service_is_ready, f'the service {self._coriolis.srv_name}')
        for name, publisher in self._references.items():
            self.wait_until(
                lambda p=publisher: p.get_subscription_count() > 0,
                f'the subscription /{name}/reference',
            )

    def activate(self) -> None:
        """Call the transition activate, and wait until the fade has ended."""
        self._transition(Transition.TRANSITION_ACTIVATE, 'activate')
        self._node_active = True
        self._wait_until_steady()

    def deactivate(self) -> None:
        """Call the transition deactivate: the node fades out and stops."""
        self._node_active = False
        self._transition(Transition.TRANSITION_DEACTIVATE, 'deactivate')

    def reset_arm(self, *, servo: bool) -> None:
        """Put the arm at rest at its start position, brake on, servo on or off."""
        self._ask(self._brake, SetBool.Request(data=True))
        self._ask(self._servo, SetBool.Request(data=servo))
        self._ask(self._reset, Trigger.Request())
        if self._node_active:
            self._wait_until_steady()

    def set_brake(self, on: bool) -> None:
        """Switch the holding brake on or off."""
        self._ask(self._brake, SetBool.Request(data=on))

    def stop_servo(self) -> None:
        """Have the servo hold the present position."""
        self._ask(self._servo, SetBool.Request(data=True))

    def set_wall(self, present: bool) -> None:
        """Let the wall be present or absent."""
        self._ask(self._wall, SetBool.Request(data=present))

    def push_link(
        self, link: str, force: NDArray[np.float64], *, delay: float, duration: float
    ) -> None:
        """Push a link at its origin with a force (3,) along the axes of the root link [N]."""
        request = PushLink.Request(link=link, delay=delay, duration=duration)
        request.wrench.force.x, request.wrench.force.y, request.wrench.force.z = force.tolist()
        self._ask(self._push, request)

    def set_node(self, parameters: Mapping[str, Any]) -> None:
        """Set live parameters of the dynamics node."""
        messages = [Parameter(name, value=value) for name, value in parameters.items()]
        request = SetParameters.Request(parameters=[one.to_parameter_msg() for one in messages])
        for result in self._call(self._set, request).results:
            if not result.successful:
                raise DemoError(f'the node refuses {dict(parameters)}: {result.reason}')

    def send_trajectory(
        self, trajectory: Trajectory, start: int, joints: tuple[str, ...], *targets: str
    ) -> None:
        """Publish a trajectory as the reference of each target.

        Args:
            trajectory: of these joints.
            start: time of its first point [ns].
            joints: their names.
            targets: `simulated_arm`, `robot_dynamics`, or both.
        """
        message = JointTrajectory(joint_names=list(joints))
        message.header.stamp = TimeMessage(sec=start // 10**9, nanosec=start % 10**9)
        for point in trajectory.points:
            since = round(point.time * 1e9)
            message.points.append(
                JointTrajectoryPoint(
                    positions=point.q,
                    velocities=point.v,
                    accelerations=point.a,
                    time_from_start=Duration(sec=since // 10**9, nanosec=since % 10**9),
                )
            )
        for target in targets:
            self._references[target].publish(message)

    def mass_matrix(self, q: dict[str, float]) -> tuple[list[str], NDArray[np.float64]]:
        """M(q) (n, n) and the joints of its rows, by the service of the node."""
        request = GetMassMatrix.Request(state=_state(q))
        response = self._ask(self._mass, request)
        return list(response.joint_names), _matrix(response.mass_matrix)

    def coriolis_matrix(
        self, q: dict[str, float], v: dict[str, float]
    ) -> tuple[list[str], NDArray[np.float64]]:
        """C(q, v) (n, n) and the joints of its rows, by the service of the node."""
        request = GetCoriolisMatrix.Request(state=_state(q, v))
        response = self._ask(self._coriolis, request)
        return list(response.joint_names), _matrix(response.coriolis_matrix)

    def close(self) -> None:
        """Destroy the node."""
        self._executor.shutdown()
        self._node.destroy_node()

    def _wait_until_steady(self) -> None:
        """Wait until a state from now on is answered by a command that is the sum of its parts."""
        now = self.now()

        def steady() -> bool:
            last = self.torques.last()
            if last.stamp <= now:
                return False
            effort, *parts = (np.asarray(last.rows[part]) for part in PARTS)
            return np.allclose(effort, sum(parts), rtol=1e-9, atol=1e-9)

        self.wait_until(steady, f'a command on {COMMANDS} without a fade')

    def _transition(self, transition: int, verb: str) -> None:
        request = ChangeState.Request(transition=Transition(id=transition))
        if not self._call(self._change, request).success:
            log = self.children.log_tail('node')
            raise DemoError(f'the transition {verb} of the dynamics node failed\n{log}')

    def _ask(self, client: Any, request: Any) -> Any:
        response = self._call(client, request)
        if not response.success:
            raise DemoError(f'service {client.srv_name} failed: {response.message}')
        return response

    def _call(self, client: Any, request: Any) -> Any:
        future = client.call_async(request)
        self.wait_until(future.done, f'answer of service {client.srv_name}')
        return future.result()

    def _record(self) -> None:
        for channel, subscription in self._inputs:
            for message, info in subscription.poll():
                channel.add(message, info)


def _state(q: dict[str, float], v: dict[str, float] | None = None) -> JointState:
    velocity = [] if v is None else [v[name] for name in q]
    return JointState(name=list(q), position=list(q.values()), velocity=velocity)


def _matrix(message: Float64MultiArray) -> NDArray[np.float64]:
    return np.array(message.data).reshape([dimension.size for dimension in message.layout.dim])
