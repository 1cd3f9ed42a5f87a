"""The node: a lifecycle around the robot in use, and the endpoints that work with it."""

from __future__ import annotations

import gc
import threading
import time as clock
from typing import Any

from rclpy.clock import JumpThreshold, TimeJump
from rclpy.duration import Duration
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from robot_dynamics_ros.control.guards.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.core.errors import RobotDynamicsError

from .endpoints.topic_counters import TopicCounters
from .loop.state_to_command import StateToCommand
from .monitoring.command_publishers import CommandPublishers
from .monitoring.diagnostics import Diagnostics
from .monitoring.live_cross_check import LiveCrossCheck
from .parameters import node_parameters
from .process import run
from .references.reference_topic import ReferenceTopic
from .references.trajectory_relay import TrajectoryRelay
from .robot.description_topic import DescriptionTopic
from .robot.live_parameters import LiveParameters
from .robot.robot_in_use import RobotInUse
from .robot.robot_maker import RobotMaker
from .services import Services
from .services.enable import EnableService
from .services.gravity import GravityService
from .services.payload import PayloadServices


class DynamicsNode(LifecycleNode):
    """Publishes the feedforward torques of a robot.

    Attributes:
        in_use: the robot.
        counters_by_topic: of the messages that came in.
        skip_fade: set to end without waiting for the fade.
        ended: whether the node has been shut down.
    """

    def __init__(self, **options: Any) -> None:
        """Create the endpoints; nothing is computed before the node is configured."""
        super().__init__('robot_dynamics', **options)
        node_parameters.declare(self)
        # Autostart happens once: a robot that somebody has put out of service stays so.
        self._armed = True
        self.skip_fade = threading.Event()
        self.ended = False

        self.in_use = RobotInUse()
        self._maker = RobotMaker(self)
        self._loop = StateToCommand(self, self.in_use)
        reference = ReferenceTopic(self, self.in_use, self._loop)
        self._description = DescriptionTopic(self, self.in_use, self._maker, self.start)
        self._command_publishers = CommandPublishers(self, self._loop.topic, self.in_use)
        self._live_cross_check = LiveCrossCheck(self, self.in_use)
        LiveParameters(self, self.in_use)
        Services(self, self.in_use.commanded, self.in_use.lock, self._tolerance)
        EnableService(self, self.in_use)
        PayloadServices(self, self.in_use, self._maker)
        GravityService(self, self.in_use)
        relay = TrajectoryRelay(self, self.in_use)
        hearing = (self._loop, reference, self._description, relay)
        self.counters_by_topic: dict[str, TopicCounters] = {
            each.counters.topic: each.counters for each in hearing
        }
        self._diagnostics = Diagnostics(
            self,
            self.in_use,
            self.counters_by_topic,
            self._loop,
            self._command_publishers,
            self._live_cross_check,
        )

        backwards = JumpThreshold(
            min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=True
        )
        self._jumps = self.get_clock().create_jump_callback(
            backwards, post_callback=self._on_clock_set
        )
        self._loop.start()

    def destroy_node(self) -> None:
        """End the loop, then everything else."""
        self._loop.stop()
        super().destroy_node()

    def start(self) -> None:
        """Configure and activate, if parameter autostart says so and there is a description."""
        if not self._armed:
            return
        try:
            wanted = node_parameters.read(self)['autostart']
        except RobotDynamicsError as error:
            self.in_use.refusal = str(error)
            self.get_logger().error(f'not started: {error}')
            return
        if not wanted:
            return
        if not self._description.text():
            self.get_logger().info('waiting for topic robot_description')
        elif self.trigger_configure() == TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    # Lifecycle

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Parse, compile and cross-check; a robot that fails is refused with the reason."""
        if misspelt := node_parameters.unknown(self):
            self.get_logger().warning(f'unknown parameters, not used: {misspelt}')
        try:
            self.in_use.take(self._maker.make(self._description.text()))
        except RobotDynamicsError as error:
            self.in_use.refusal = str(error)
            self.get_logger().error(f'not configured: {error}')
            return TransitionCallbackReturn.FAILURE
        except Exception as error:
            # rclpy swallows what leaves a transition.
            self.in_use.refusal = f'{type(error).__name__}: {error}'
            self.get_logger().fatal(f'not configured: {self.in_use.refusal}')
            return TransitionCallbackReturn.FAILURE
        self._armed = False
        self._live_cross_check.begin()
        # What configure made lives until cleanup: the collector need not look at it again.
        gc.collect()
        gc.freeze()
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to command, with the next good state, through the fade."""
        result = super().on_activate(state)
        if result == TransitionCallbackReturn.SUCCESS:
            self._command_publishers.look()
            guard = self.in_use.commanded().guard
            with self.in_use.lock:
                guard.active = True
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Fade to the last command, then cease to command; the reference is forgotten."""
        self._fade_out()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget the robot."""
        self._release()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Fade to the last command, and cease to command for good."""
        self.ended = True
        if self.in_use.present is not None:
            self._fade_out()
        self._release()
        return super().on_shutdown(state)

    def _release(self) -> None:
        present = self.in_use.present
        if present is not None and present.robot.dynamics.model.payloads:
            self.get_logger().warning('the payload is forgotten: set it again after configuring')
        self.in_use.release()
        gc.unfreeze()

    def _fade_out(self) -> None:
        guard = self.in_use.commanded().guard
        settings = guard.settings
        self.get_logger().info(f'fading over {settings.fade_time:g} s, to {settings.on_stop}')
        with self.in_use.lock:
            guard.active = False
            guard.set_reference(None, 0.0)
            end = clock.monotonic() + guard.longest_fade()
        try:
            self._wait_for_last_command(guard, end)
        finally:
            with self.in_use.lock:
                guard.go_silent()

    def _wait_for_last_command(self, guard: GuardedFeedforward, end: float) -> None:
        while not (guard.stopped or self.skip_fade.is_set()):
            if clock.monotonic() > end:
                self.get_logger().error('the last command was not reached in time')
                break
            # The loop that answers states goes on meanwhile, and ends the mode.
            clock.sleep(0.002)
            self._diagnostics.publish_if_due()
        if not guard.stopped:
            last = ', '.join(f'{x:.3g}' for x in guard.effort)
            self.get_logger().warning(f'cut short: the last command is {last} N m')

    def _tolerance(self) -> float:
        return float(self.get_parameter('cross_check_tolerance').value)

    def _on_clock_set(self, jump: TimeJump) -> None:
        self.get_logger().warning('the clock was set: reference and stamps are forgotten')
        with self.in_use.lock:
            if self.in_use.present is not None:
                self.in_use.present.guard.reset_times()


def main(args: list[str] | None = None) -> None:
    """Run the node until it is told to stop."""
    run(DynamicsNode, args)


if __name__ == '__main__':
    main()
