"""What applies the commands: the controller behind their topic, and other publishers there."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable
from functools import partial
from typing import Any

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future

from robot_dynamics_ros.control.supervisor import Inhibition

from .endpoints import STEADY, names_of
from .robot import CommandedRobot, RobotHolder

try:
    from controller_manager_msgs.srv import ListControllers
except ImportError:  # not among the wheels; part of ros2_control
    ListControllers = None
try:
    from controller_manager_msgs.msg import ControllerManagerActivity
except ImportError:  # since Jazzy
    ControllerManagerActivity = None

# Between two questions [s]. Without the topic of activity, a controller that is deactivated and
# activated within this time is not noticed.
PERIOD = 0.2
# The same where the topic of activity exists: it says nothing where an error of the hardware
# deactivates a controller.
SLOW_PERIOD = 1.0
# Latched; deep enough for both messages of a controller that is off for an instant.
ACTIVITY = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# An answer that takes longer is not waited for [s].
ANSWER_TIMEOUT = 2.0
# A controller, or its manager, that has not been discovered in this time after activation is taken
# for absent [s].
DISCOVERY = 3.0
# The value of parameter `controller` for no questions.
NONE = 'none'
ACTIVE = 'active'
PARAMETERS = 'joints', 'interface_name'


class Controller:
    """Keeps the inhibitions `controller` and `publishers` of the guard up to date; never waits.

    The controller is asked for its parameters `joints` and `interface_name`, its manager for its
    state, which the manager may also publish.

    Attributes:
        name: full name of the node of the controller; empty if none is asked.
        joints: its parameter `joints`; empty if it has none, or if it is not known.
        interface: its parameter `interface_name`; empty likewise.
        state: such as `active` or `inactive`; empty if it is not known.
        subscribers: nodes that subscribe to the command topic.
        others: number of publishers of the command topic besides the node.
    """

    def __init__(self, node: Node, topic: str, holder: RobotHolder) -> None:
        """Ask now and then, on a timer; the command topic is given by its resolved name."""
        self._node, self._topic, self._holder = node, topic, holder
        self.name, self.others = '', 0
        self.subscribers: list[str] = []
        self._parameters: dict[str, _Client] = {}
        self._manager: _Client | None = None
        self._activity: Any = None
        self._activated, self._asked, self._deactivated = clock.monotonic(), -math.inf, -math.inf
        self._required = self._seen = False
        self._forget()
        node.create_timer(PERIOD, self.update, clock=STEADY)

    def begin(self) -> None:
        """Ask anew, at activation: which controller, by parameter `controller`."""
        wanted = self._node.get_parameter('controller').value
        self._required = wanted not in ('', NONE)
        name = controller_of(self._topic, wanted, self._node.get_fully_qualified_name())
        if name != self.name:
            self._disconnect()
            self.name, self._seen = name, False
            if name:
                self._connect()
        self._activated = clock.monotonic()
        self.update()

    def update(self) -> None:
        """Ask and count again, and tell the guard what was found."""
        now = clock.monotonic()
        self.subscribers = names_of(self._node.get_subscriptions_info_by_topic(self._topic))
        # The publisher of the node itself is one of them.
        self.others = max(self._node.count_publishers(self._topic) - 1, 0)
        if self.others:
            # Its last command is what the controller keeps when it has left.
            self._holder.another_commanded()
        self._ask(now)
        robot = self._holder.current
        if robot is None:
            return
        another = Inhibition(f'another node publishes on {self._topic}')
        found = {
            'controller': self._inhibition(robot, now) if self.name else None,
            'publishers': another if self.others else None,
        }
        with self._holder.lock:
            if self._holder.current is robot:
                for concern, inhibition in found.items():
                    robot.guard.supervisor.inhibitions.put(concern, inhibition)

    def text(self) -> str:
        """What is known of the controller, for log and diagnostics."""
        if not self.name:
            return 'not asked'
        if not self._answered:
            return f'{self.name} does not answer'
        return f'{self.name} is {self.state or "in a state that is not known"}'

    def others_text(self) -> str:
        """Who else publishes commands, for log and diagnostics; empty for nobody."""
        if not self.others:
            return ''
        names = names_of(self._node.get_publishers_info_by_topic(self._topic))
        return (
            f'{self.others} other publisher(s) on {self._topic}, which has {", ".join(names)}: '
            'only one node may command the joints; one that was killed counts until its lease '
            'ends, 20 s by default of Fast DDS, 3 s if it ran with config/fastdds.xml'
        )

    @property
    def unwatched(self) -> str:
        """Why the state of a controller that answers is not known; empty where it is."""
        if not (self.name and self._answered) or self.state:
            return ''
        if clock.monotonic() < self._activated + DISCOVERY:
            return ''
        reason = 'cannot be asked' if ListControllers is None else 'does not list it'
        return f'its manager {self._manager_name} {reason}'

    def take_states(self, states: dict[str, str]) -> None:
        """Take what the controller manager says of its controllers, by their names."""
        self._listed = True
        before, self.state = self.state, states.get(self.name.rpartition('/')[2], '')
        if before and not self.state:
            self.state = 'unloaded'
        if before == ACTIVE != self.state:
            # It may come back with other parameters.
            self._forget_parameters()
            self._deactivated = clock.monotonic()

    def on_activity(self, message: Any) -> None:
        """Take a message of the topic of activity; tell at once, as the next one may undo it."""
        if self._manager is not None:
            # The answer to a question before this message may be older than it.
            self._manager.cancel()
            self._asked = -math.inf
        self.take_states({each.name: each.state.label for each in message.controllers})
        self.update()

    @property
    def _manager_name(self) -> str:
        return f'{self.name.rpartition("/")[0]}/controller_manager'

    @property
    def _exists(self) -> bool:
        """Whether the node of the controller has been discovered."""
        return self._parameters['joints'].ready or self.name in self.subscribers

    @property
    def _answered(self) -> bool:
        """Whether the controller has answered for both parameters."""
        return self._known == {*PARAMETERS}

    def _connect(self) -> None:
        # Two clients: an rclcpp node answers nothing if it lacks one of the parameters.
        node, service = self._node, f'{self.name}/get_parameters'
        self._parameters = {
            each: _Client(node, GetParameters, service, partial(self._take, each))
            for each in PARAMETERS
        }
        if ListControllers is not None:
            self._manager = _Client(
                node,
                ListControllers,
                f'{self._manager_name}/list_controllers',
                lambda answer: self.take_states({c.name: c.state for c in answer.controller}),
            )
        if ControllerManagerActivity is not None:
            self._activity = node.create_subscription(
                ControllerManagerActivity,
                f'{self._manager_name}/activity',
                self.on_activity,
                ACTIVITY,
            )

    def _disconnect(self) -> None:
        for client in (*self._parameters.values(), self._manager):
            if client is not None:
                client.destroy()
        if self._activity is not None:
            self._node.destroy_subscription(self._activity)
        self._parameters, self._manager, self._activity = {}, None, None
        self._deactivated = -math.inf
        self._forget()

    def _ask(self, now: float) -> None:
        """Ask for what is not known, or may have changed."""
        for parameter, client in self._parameters.items():
            if parameter not in self._known:
                client.ask(GetParameters.Request(names=[parameter]), now)
        published = self._activity is not None and self._node.count_publishers(
            self._activity.topic_name
        )
        if self._manager is not None and now >= self._asked + (SLOW_PERIOD if published else 0.0):
            self._asked = now
            self._manager.ask(ListControllers.Request(), now)

    def _take(self, parameter: str, answer: Any) -> None:
        self._known.add(parameter)
        # A node that does not have it answers with nothing, or with a value that is not set.
        value = answer.values[0] if answer.values else None
        if value is None:
            return
        if parameter == 'joints' and value.type == ParameterType.PARAMETER_STRING_ARRAY:
            self.joints = tuple(name for name in value.string_array_value if name)
        elif parameter == 'interface_name' and value.type == ParameterType.PARAMETER_STRING:
            self.interface = value.string_value

    def _forget_parameters(self) -> None:
        self._known: set[str] = set()
        self.joints: tuple[str, ...] = ()
        self.interface = ''

    def _forget(self) -> None:
        """Ask for everything again: the controller has ended, its manager perhaps too."""
        self._forget_parameters()
        # Whether a controller manager has answered.
        self.state, self._listed = '', False

    def _inhibition(self, robot: CommandedRobot, now: float) -> Inhibition | None:
        if self._answered and not self._exists:
            self._forget()
        early = now < self._activated + DISCOVERY
        if self._answered:
            self._seen = self._seen or bool(self.joints)
            # What has no `joints` is no controller.
            listed = self._listed or not self.joints or self._manager is None
            awaited = not listed and (early or self._manager.ready)
            found = self._misfit(robot) or self._inactive(now)
        else:
            discovered = self._parameters['joints'].ready
            awaited = self._required or early or discovered
            ended = self._seen and not discovered
            found = self._inactive(now) or (
                _until_active(self.name, 'has ended') if ended else None
            )
        waiting = Inhibition(
            f'waiting for the parameters and the state of controller {self.name} (set controller: '
            'none to start without asking)'
        )
        return found or (waiting if awaited else None)

    def _misfit(self, robot: CommandedRobot) -> Inhibition | None:
        """While the controller would apply the commands to other joints, or as no efforts."""
        name, joints = self.name, robot.joints
        if self.joints and self.joints != tuple(joints):
            same = set(self.joints) == set(joints)
            kind = 'in another order' if same else 'not the same joints'
            wrong = (
                f'{name} applies commands to [{", ".join(self.joints)}], this node commands '
                f'[{", ".join(joints)}], {kind}: set parameter joints to the list of the '
                'controller'
            )
        elif self.interface and self.interface != 'effort':
            wrong = (
                f'interface_name of {name} is {self.interface!r}, the commands are efforts: '
                'use a controller with interface_name effort'
            )
        else:
            return None
        inactive = self.state not in ('', ACTIVE)
        return Inhibition(wrong, interrupts=inactive, misapplied=True)

    def _inactive(self, now: float) -> Inhibition | None:
        """While the controller is known not to be active, and so long that the guard sees it."""
        if self.state in ('', ACTIVE) and now >= self._deactivated + PERIOD:
            return None
        state = 'deactivated' if self.state in ('', ACTIVE) else self.state
        return _until_active(self.name, f'is {state}')


class _Client:
    """A service client with at most one request under way."""

    def __init__(
        self, node: Node, service_type: type, name: str, take: Callable[[Any], None]
    ) -> None:
        """`take` is called with each answer, by the executor of the node."""
        self._node, self._take = node, take
        self._client = node.create_client(service_type, name)
        self._future: Future | None = None
        self._asked = 0.0

    @property
    def ready(self) -> bool:
        """Whether the service has been discovered."""
        return bool(self._client.service_is_ready())

    def ask(self, request: Any, now: float) -> None:
        """Send a request, unless one is under way or the service has not been discovered."""
        if now > self._asked + ANSWER_TIMEOUT:
            self.cancel()
        if self._future is None and self.ready:
            self._future, self._asked = self._client.call_async(request), now
            self._future.add_done_callback(self._answered)

    def _answered(self, future: Future) -> None:
        if future is self._future:
            self._future = None
            if not future.exception():
                self._take(future.result())

    def cancel(self) -> None:
        """Do not take the answer to the request that is under way."""
        if self._future is not None:
            self._client.remove_pending_request(self._future)
            self._future = None

    def destroy(self) -> None:
        """Remove the client from the node."""
        self._node.destroy_client(self._client)


def controller_of(topic: str, wanted: str, node: str) -> str:
    """The full name of the node of the controller; empty if none is asked.

    Args:
        topic: resolved name of the command topic.
        wanted: parameter `controller`.
        node: full name of the node that commands.
    """
    namespace = node.rpartition('/')[0]
    name = wanted or topic.rpartition('/')[0]
    # `commands` of this node or of its namespace is no topic of a controller.
    if wanted == NONE or name in ('', namespace, node):
        return ''
    return name if name.startswith('/') else f'{namespace}/{name}'


def _until_active(name: str, why: str) -> Inhibition:
    """While nothing applies commands: the controller is inactive, or has ended."""
    return Inhibition(
        f'controller {name} {why}: commands begin when it is active', interrupts=True
    )
