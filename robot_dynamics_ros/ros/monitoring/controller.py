"""Watches the controller behind the command topic, and tells the guard when commands may start."""

from __future__ import annotations

import time as clock

from rclpy.node import Node

from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.supervisor import Inhibition

from ..endpoints import STEADY
from ..robot.commanded_robot import CommandedRobot
from ..robot.robot_holder import RobotHolder
from .controller_questions import ControllerQuestions, ListControllers
from .controller_view import ACTIVE, gone, not_known
from .near_misses import UNKNOWN_NAME

# A controller that is deactivated and activated within this time is not noticed [s].
PERIOD = 0.2
# A controller, or its manager, that has not been discovered in this time after activation is taken
# for absent [s].
DISCOVERY = 3.0
# The value of parameter `controller` for no questions.
NONE = 'none'


class Controller:
    """Keeps the inhibition `controller` of the guard up to date.

    Attributes:
        name: of the node of the controller; empty if none is expected.
        subscribers: nodes that subscribe to the command topic.
    """

    def __init__(self, node: Node, topic: str, holder: RobotHolder) -> None:
        """Ask now and then, on a timer; the command topic is given by its resolved name."""
        self._node, self._topic, self._holder = node, topic, holder
        self._questions: ControllerQuestions | None = None
        self.name = ''
        self.subscribers: list[str] = []
        self._activated = clock.monotonic()
        self._required = self._seen = False
        # What has been logged, not to log it twice. `StartupLog` logs inhibitions.
        self._logged = ''
        self._subscribers_logged = True
        self._state_logged = True
        # Whether the guard had begun to command at the last update.
        self._begun = False
        node.create_timer(PERIOD, self.update, clock=STEADY)

    def begin(self) -> None:
        """Ask anew, at activation: which controller, by parameter `controller`."""
        wanted = self._node.get_parameter('controller').value
        self._required = wanted not in ('', NONE)
        name = wanted or self._topic.rpartition('/')[0]
        if wanted == NONE or name == self._node.get_fully_qualified_name():
            name = ''
        elif name and not name.startswith('/'):
            name = f'{self._node.get_namespace().rstrip("/")}/{name}'
        if name != self.name:
            if self._questions is not None:
                self._questions.destroy()
            self._questions = ControllerQuestions(self._node, name) if name else None
            self.name, self._seen = name, False
        self._activated = clock.monotonic()
        self._logged, self._subscribers_logged, self._state_logged = '', False, False
        self.update()

    def update(self) -> None:
        """Take answers, ask again, and tell the guard."""
        now = clock.monotonic()
        self.subscribers = [
            f'{info.node_namespace.rstrip("/")}/{info.node_name}'
            for info in self._node.get_subscriptions_info_by_topic(self._topic)
        ]
        if self._questions is not None:
            self._questions.update(now)
        robot = self._holder.current
        if robot is None:
            if self._absent:
                self._holder.forget_commands(another=False)
            return
        inhibition = self._inhibition(robot, now)
        with self._holder.lock:
            robot = self._holder.current
            if robot is None:
                return
            self._tell(robot, inhibition)
        self._log(robot, inhibition, now)

    def text(self) -> str:
        """What is known of the controller, for diagnostics."""
        if self._questions is None:
            return 'not asked'
        if not self._questions.parameters_known:
            return f'{self.name} does not answer'
        return f'{self.name} is {self._questions.view.state or "in a state that is not known"}'

    def _inhibition(self, robot: CommandedRobot, now: float) -> Inhibition | None:
        questions = self._questions
        if questions is None:
            return None
        waits = (
            self._required
            or now < self._activated + DISCOVERY
            # An endpoint is discovered before the name of its node.
            or any(UNKNOWN_NAME in name for name in self.subscribers)
        )
        if questions.parameters_known:
            if questions.exists or self.name in self.subscribers:
                self._seen = self._seen or bool(questions.view.joints)
                awaited = self._state_awaited(questions, now)
                found = questions.view.inhibition(robot.joints)
                return found or (not_known(self.name) if awaited else None)
            questions.lose()
        if self._seen:
            state = questions.view.inhibition(robot.joints)
            if state is not None:
                return state
            return not_known(self.name) if questions.exists else gone(self.name)
        return not_known(self.name) if waits or questions.exists else None

    @property
    def _absent(self) -> bool:
        """Whether the controller is known to be inactive, or to have ended."""
        questions = self._questions
        if questions is None:
            return False
        ended = self._seen and not (questions.exists or self.name in self.subscribers)
        return ended or questions.view.state not in ('', ACTIVE)

    def _state_awaited(self, questions: ControllerQuestions, now: float) -> bool:
        """Whether the state is not known yet; what has no `joints` is no controller."""
        if not questions.view.joints or questions.lists_states or ListControllers is None:
            return False
        return questions.manager_exists or now < self._activated + DISCOVERY

    def _tell(self, robot: CommandedRobot, inhibition: Inhibition | None) -> None:
        robot.guard.supervisor.inhibitions.put('controller', inhibition)

    def _log(self, robot: CommandedRobot, inhibition: Inhibition | None, now: float) -> None:
        log, guard = self._node.get_logger(), robot.guard
        if not guard.supervisor.running:
            return
        state = self._questions.view.state if self._questions and not inhibition else ''
        if state and state != self._logged:
            log.info(f'controller {self.text()}')
        self._logged = state
        self._log_start(guard)
        if inhibition or now < self._activated + DISCOVERY:
            return
        if not self._state_logged:
            self._state_logged = True
            if self._questions is not None and not self._questions.view.state:
                log.warning(
                    f'controller {self.text()}, and its manager {self._questions.manager} '
                    f'{"cannot be asked" if ListControllers is None else "does not list it"}: a '
                    'controller that is activated later applies the full torque in its first cycle'
                )
        if not self._subscribers_logged:
            self._subscribers_logged = True
            if not self.subscribers:
                log.warning(
                    f'nobody subscribes to {self._topic}: the commands go nowhere; load the '
                    'controller, or remap ~/commands to its topic, for example '
                    "--remap '~/commands:=/effort_controller/commands'"
                )

    def _log_start(self, guard: GuardedFeedforward) -> None:
        """Say once where commands begin behind a controller, and why."""
        begun, self._begun = self._begun, guard.start.known
        if begun or not guard.start.known:
            return
        start, rule = guard.start, guard.settings.on_restart
        reason = f': {start.decision}' if start.decision else ''
        self._node.get_logger().info(
            f'commands begin at {start.torque} (on_restart={rule}){reason}'
        )
