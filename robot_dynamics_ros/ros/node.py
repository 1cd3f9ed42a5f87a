"""The node: a lifecycle around `Controller`, which answers joint states with torques."""

from __future__ import annotations

import gc
import sys
import threading
from typing import Any

import rclpy
from rcl_interfaces.msg import SetParametersResult
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.core.errors import RobotDynamicsError, StateError
from robot_dynamics_ros.core.trajectory import Trajectory
from robot_dynamics_ros.polling import PolledSubscription
from robot_dynamics_ros.preparation import prepare_robot

from . import parameters
from .controller import Controller
from .diagnostics import Diagnostics, Intake
from .reference import read_trajectory
from .services import Services
from .state_loop import StateLoop
from .trajectory_relay import TrajectoryRelay

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Best effort hears reliable publishers and best-effort ones. The depth bridges a pause of ten
# cycles; what is older had better stay unanswered.
STATES = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


class DynamicsNode(LifecycleNode):
    """Publishes the feedforward torques of a robot.

    Attributes:
        intakes: what came in, by topic.
    """

    def __init__(self, **options: Any) -> None:
        """Create the endpoints; nothing is computed before the node is configured."""
        super().__init__('robot_dynamics', **options)
        parameters.declare(self)
        self.add_on_set_parameters_callback(self._check_parameters)
        self.add_post_set_parameters_callback(self._apply_parameters)

        self._controller: Controller | None = None
        self._active = False
        # Autostart happens once: a robot that somebody has put out of service stays so.
        self._armed = True
        # Held while a state is answered: what other threads change, changes between two states.
        self._lock = threading.Lock()
        # The description that came last on the topic, and the one that is in use.
        self._described, self._used = '', ''
        self._epoch = self.get_clock().now().nanoseconds
        topics = ('joint_states', 'reference', 'robot_description', 'trajectory_in')
        self.intakes = {topic: Intake() for topic in topics}

        self._commands = self.create_lifecycle_publisher(Float64MultiArray, '~/commands', 10)
        self._torques = self.create_lifecycle_publisher(JointTorques, '~/torques', 10)
        joint_states = PolledSubscription(self, JointState, 'joint_states', STATES)
        self.create_subscription(JointTrajectory, '~/reference', self._on_reference, 10)
        self.create_subscription(String, 'robot_description', self._on_description, LATCHED)
        Services(self, self.controller, self._lock, self._tolerance)
        intake = self.intakes['trajectory_in']
        TrajectoryRelay(self, self.controller, self._lock, intake, self._refuse)
        Diagnostics(self, self.intakes, self._model_status)
        self._loop = StateLoop(joint_states, self._on_joint_state, self.get_logger())
        self._loop.start()

    def destroy_node(self) -> None:
        """End the loop, then everything else."""
        self._loop.stop()
        super().destroy_node()

    def start(self) -> None:
        """Configure and activate, if parameter autostart says so and there is a description."""
        if not (self._armed and self.get_parameter('autostart').value is True):
            return
        if not self._description():
            self.get_logger().info('waiting for topic robot_description')
        elif self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    # Lifecycle

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Parse, compile and cross-check; a robot that fails is refused with the reason."""
        try:
            self._controller = self._make_controller()
        except RobotDynamicsError as error:
            self.get_logger().error(f'not configured: {error}')
            return TransitionCallbackReturn.FAILURE
        except Exception as error:
            # rclpy swallows what leaves a transition.
            self.get_logger().fatal(f'not configured: {type(error).__name__}: {error}')
            return TransitionCallbackReturn.FAILURE
        self._armed = False
        # What configure made lives until cleanup: the collector need not look at it again.
        gc.collect()
        gc.freeze()
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to command."""
        result = super().on_activate(state)
        self._active = result == TransitionCallbackReturn.SUCCESS
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Cease to command, and forget the reference."""
        with self._lock:
            self._active = False
            self.controller().reference = None
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget the robot."""
        self._release()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Cease to command, for good."""
        self._release()
        return super().on_shutdown(state)

    def _release(self) -> None:
        with self._lock:
            self._active = False
            self._controller = None
        gc.unfreeze()

    def _make_controller(self) -> Controller:
        values = parameters.read(self)
        description = self._description()
        if not description:
            raise StateError('no robot_description yet, neither parameter nor topic')
        robot = prepare_robot(
            description,
            gravity=values['gravity'],
            backend=None if values['backend'] == 'auto' else values['backend'],
            cross_check_samples=values['cross_check_samples'] if values['cross_check'] else 0,
            cross_check_tolerance=values['cross_check_tolerance'],
        )
        controller = Controller(
            robot, values['joints'], terms=values['terms'], evaluate_at=values['evaluate_at']
        )
        self._used = description
        log, dynamics = self.get_logger(), robot.dynamics
        for finding in dynamics.model.findings:
            log.warning(str(finding))
        size = f'{dynamics.model.size} joints'
        compiled = f'compiled in {robot.compile_seconds:.2f} s'
        log.info(f'{dynamics.model.name}: {size}, {compiled}, {dynamics.backend_description}')
        log.info(str(robot.report) if robot.report else 'not cross-checked: cross_check is false')
        log.info(f'commanding {", ".join(controller.joints)}')
        return controller

    def _description(self) -> str:
        return str(self.get_parameter('robot_description').value or self._described)

    def controller(self) -> Controller:
        """What the configured node works with.

        Raises:
            StateError: the node is not configured.
        """
        if self._controller is None:
            raise StateError('the node is not configured')
        return self._controller

    def _tolerance(self) -> float:
        return float(self.get_parameter('cross_check_tolerance').value)

    def _model_status(self) -> tuple[bool, str]:
        if self._controller is None:
            return False, 'not configured'
        robot = self._controller.robot
        state = 'active' if self._active else 'inactive'
        report = robot.report or 'not cross-checked'
        return self._active, f'{state}, {robot.dynamics.backend_description}; {report}'

    # Messages

    def _on_joint_state(self, message: JointState) -> None:
        try:
            with self._lock:
                controller = self._controller
                if controller is None:
                    return
                controller.observe(message)
                if self._active:
                    self._commands.publish(controller.command(self._now(controller)))
                    if self._torques.get_subscription_count():
                        self._torques.publish(controller.torques(message))
        except StateError as error:
            self._refuse('joint_states', error)
        except Exception as error:
            # The next state must be answered, whatever this one held.
            self._refuse('joint_states', f'{type(error).__name__}: {error}')
        else:
            self.intakes['joint_states'].used += 1

    def _now(self, controller: Controller) -> float:
        if controller.reference is None:
            return 0.0
        return 1e-9 * (self.get_clock().now().nanoseconds - self._epoch)

    def _on_reference(self, message: JointTrajectory) -> None:
        try:
            with self._lock:
                controller = self.controller()
                if not self._active:
                    raise StateError('the node is not active')
                controller.reference = self._read_reference(message, controller)
        except StateError as error:
            self._refuse('reference', error)
        else:
            self.intakes['reference'].used += 1

    def _read_reference(
        self, message: JointTrajectory, controller: Controller
    ) -> Trajectory | None:
        """A trajectory without points ends the reference."""
        if not message.points:
            return None
        return read_trajectory(
            message,
            controller.joints,
            now=self.get_clock().now().nanoseconds,
            epoch=self._epoch,
            current=controller.position_and_velocity(),
        )

    def _on_description(self, message: String) -> None:
        self._described = message.data
        if self._controller is not None and message.data != self._used:
            given = self.get_parameter('robot_description').value
            remedy = 'clear the parameter robot_description' if given else 'clean up'
            reason = f'another robot is in use: {remedy}, then configure'
            self._refuse('robot_description', reason)
        else:
            self.intakes['robot_description'].used += 1
        self.start()

    def _refuse(self, topic: str, reason: object) -> None:
        intake = self.intakes[topic]
        if intake.refuse(reason):
            self.get_logger().warning(f'{topic} refused ({intake.refused} so far): {reason}')

    # Parameters

    def _check_parameters(self, changes: list[Parameter]) -> SetParametersResult:
        try:
            for change in changes:
                if change.name not in parameters.ROWS:
                    continue
                if change.type_ == Parameter.Type.NOT_SET:
                    reason = f'{change.name} cannot be deleted'
                    return SetParametersResult(successful=False, reason=reason)
                parameters.checked(change.name, change.value)
                if self._controller is not None and not parameters.ROWS[change.name].live:
                    reason = f'{change.name} is read on configure: deactivate and clean up first'
                    return SetParametersResult(successful=False, reason=reason)
        except RobotDynamicsError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _apply_parameters(self, changes: list[Parameter]) -> None:
        if self._controller is not None:
            values = parameters.read(self)
            with self._lock:
                self._controller.choose(terms=values['terms'], evaluate_at=values['evaluate_at'])
                self._controller.robot.dynamics.gravity = values['gravity']


def main(args: list[str] | None = None) -> None:
    """Run the node until it is told to stop."""
    # A thread may keep the interpreter for 5 ms before another gets it: too long for the loop.
    sys.setswitchinterval(0.0005)
    rclpy.init(args=args)
    node = DynamicsNode()
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        node.start()
        # Not spin(): a signal can slip between its look at the context and its endless wait.
        while rclpy.ok():
            executor.spin_once(timeout_sec=0.2)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
