"""The lifecycle node: creates the endpoints, and configures and clears the robot.

A joint state comes to the thread of `Loop`, which reads it by name and hands it to the guard of
the robot (`control.guarded_feedforward`). `StateFilter` takes or refuses it; the external torques
are estimated from it where that is on. `Supervisor` decides what is commanded, `Feedforward`
computes that torque, and `Limiter` leads the command there: a fade, the effort limits, the rate
limits. While no good state comes, the same thread does the same every 10 ms. The states of the
supervisor, and what leads from one to the next, are in `control.supervisor`.
"""

from __future__ import annotations

import gc
import math
import sys
import time as clock
from typing import Any

from rclpy.clock import JumpThreshold, TimeJump
from rclpy.duration import Duration
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from robot_dynamics_ros.core.errors import RobotDynamicsError

from .conditions import TABLE as CONDITIONS
from .conditions import sentences
from .configuration import Configuration
from .controller import Controller
from .description import Description
from .health import Health
from .loop import Loop
from .node_clock import NodeClock
from .parameter_table import TABLE
from .parameters import ParameterFiles, declare
from .process import guarded, run
from .reference import ReferenceTopic
from .robot import RobotHolder
from .services import offer_services
from .services.enable import serve_transitions
from .trajectory_action import TrajectoryAction

# Added to the longest time of the last fade [s]: for cycles that come late.
SPARE_TIME = 3.0


class DynamicsNode(LifecycleNode):
    """Publishes the feedforward torques of a robot.

    Attributes:
        robot_holder: of the configured robot.
        topic_counters: of the received messages, by topic.
        signals: number of signals that have asked for the end: after one the start and the
            transition configure do not go on, after two the fade does not.
        ended: whether the node has been shut down.
    """

    def __init__(self, **options: Any) -> None:
        """Create the endpoints; nothing is computed before the transition configure."""
        super().__init__('robot_dynamics', **options)
        declare(self, TABLE)
        arguments = [*sys.argv, *(options.get('cli_args') or ())]
        files = ParameterFiles(arguments, self.get_fully_qualified_name())
        # Autostart happens once: a node that an operator has cleaned up stays unconfigured.
        self._autostart_pending = True
        self.signals, self.ended = 0, False
        self._node_clock = NodeClock(self.get_clock())
        # When the final command must have been reached [s]; the last time that was seen, and when.
        self._stop_until, self._seen = math.inf, (math.nan, math.nan)

        self.robot_holder = RobotHolder(self._node_clock)
        self._loop = Loop(self, self.robot_holder)
        reference = ReferenceTopic(self, self.robot_holder)
        self._description = Description(self, files, self.robot_holder.text, self.start)
        self._controller = Controller(self, self._loop.topic, self.robot_holder)
        self._configuration = Configuration(self, files, self.robot_holder)
        offer_services(self, self.robot_holder)
        serve_transitions(self)
        self._trajectory_action = TrajectoryAction(self, self.robot_holder)
        inputs = [each.counters for each in (self._loop, reference, self._description)]
        self.topic_counters = {counters.topic: counters for counters in inputs}
        self._health = Health(
            node=self,
            holder=self.robot_holder,
            counters=self.topic_counters,
            description=self._description,
            loop=self._loop,
            controller=self._controller,
            table=CONDITIONS,
            sentences=sentences,
        )
        backwards = JumpThreshold(
            min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=True
        )
        self._jumps = self.get_clock().create_jump_callback(
            backwards, post_callback=self._on_clock_set
        )
        self._loop.start()

    @property
    def commanding(self) -> bool:
        """Whether torque is commanded, so that the end is a fade; may be read at any time."""
        robot = self.robot_holder.current
        return robot is not None and not robot.guard.silent

    def destroy_node(self) -> None:
        """End the thread that answers states, then destroy the node."""
        self._loop.stop()
        self._trajectory_action.destroy()
        super().destroy_node()
        # Frozen by on_configure, it would never be freed, nor the participant that it holds.
        gc.unfreeze()

    def start(self) -> None:
        """Configure and activate, if parameter autostart is true and there is a description."""
        if not self._autostart_pending or self.signals:
            return
        try:
            wanted = self._configuration.values()['autostart']
        except RobotDynamicsError as error:
            self._refuse(error)
            return
        if not wanted or not self._description.is_given:
            return
        configured = self.trigger_configure() == TransitionCallbackReturn.SUCCESS
        if configured and not self.signals:
            self.trigger_activate()

    def _refuse(self, error: RobotDynamicsError) -> None:
        """Say why no robot is configured, in the log and as a condition."""
        self.robot_holder.refusal = str(error)
        self.get_logger().error(f'not configured: {error}')

    # Lifecycle

    @guarded
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Parse, compile and cross-check the robot; log the reason where that fails."""
        try:
            robot = self._configuration.robot_of(self._description.text())
            self._trajectory_action.connect(self._configuration.values()['controller_action'])
            if self.signals:
                self.get_logger().info('not configured: a signal has asked for the end')
                return TransitionCallbackReturn.FAILURE
            self.robot_holder.set(robot)
        except RobotDynamicsError as error:
            self._refuse(error)
            return TransitionCallbackReturn.FAILURE
        self._configuration.log(robot)
        self._autostart_pending = False
        # The configured robot lives until cleanup: the garbage collector need not visit it again.
        gc.collect()
        gc.freeze()
        return super().on_configure(state)

    @guarded
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Command torque from the next valid state on, through the fade."""
        if refusals := self.robot_holder.require().refusals():
            for refusal in refusals.values():
                self.get_logger().error(f'not activated: {refusal}; then activate the node')
            return TransitionCallbackReturn.FAILURE
        result = super().on_activate(state)
        if result == TransitionCallbackReturn.SUCCESS:
            self._controller.begin()
            guard = self.robot_holder.require().guard
            with self.robot_holder.lock:
                guard.supervisor.active = True
        return result

    @guarded
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Fade to the command that on_stop gives, then stop; the reference ends."""
        self.stop(wait=True)
        return super().on_deactivate(state)

    @guarded
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Clear the robot and its payload."""
        self._clear_robot()
        return super().on_cleanup(state)

    @guarded
    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Fade to the command that on_stop gives, then stop for good."""
        self.ended = True
        self.stop(wait=True)
        self._clear_robot()
        return super().on_shutdown(state)

    @guarded
    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Clear the robot after an error: the node is unconfigured, or finalized at its end."""
        # Where this fails too, rclpy finalizes the node.
        ended, self.ended = self.ended, True
        self._clear_robot()
        self.ended = ended
        return TransitionCallbackReturn.FAILURE if ended else super().on_error(state)

    def _clear_robot(self) -> None:
        robot = self.robot_holder.current
        if robot is not None and robot.dynamics.model.payloads:
            self.get_logger().warning('the payload is removed: set it again after configuring')
        self._loop.clear_robot()
        gc.unfreeze()

    def stop(self, *, wait: bool = False) -> None:
        """Lead the command to that of on_stop, then command nothing; the reference ends.

        With `wait` it returns when that is done, or `stopping` is false for another reason.
        """
        with self.robot_holder.lock:
            robot = self.robot_holder.current
            if robot is None:
                return
            guard = robot.guard
            if guard.supervisor.active:
                guard.supervisor.active = False
                self._stop_until = self._node_clock.now() + guard.longest_fade() + SPARE_TIME
                if not guard.silent:
                    self.get_logger().info(
                        f'STOPPING: fading out over {guard.settings.fade_time:g} s '
                        f'(on_stop={guard.settings.on_stop})'
                    )
        while wait and self.stopping:
            clock.sleep(0.002)
        with self.robot_holder.lock:
            if not wait or guard.silent:
                return
            guard.silence()
        self.get_logger().warning(
            f'fade cut short by a second signal, or a clock that stands still: the last command '
            f'is {guard.last_command()}'
        )

    @property
    def stopping(self) -> bool:
        """Whether the command is on its way to that of on_stop.

        Not after a second signal, and not for longer than it can take: on the clock of the node,
        or, where that stands still, on that of the machine.
        """
        now, moment = self._node_clock.now(), clock.monotonic()
        if now != self._seen[0]:
            self._seen = now, moment
        late = now > self._stop_until or moment > self._seen[1] + SPARE_TIME
        return self.commanding and not late and self.signals < 2

    def _on_clock_set(self, jump: TimeJump) -> None:
        self.get_logger().warning(
            'the clock was set: the reference ends; the next joint state is not compared with the '
            'last one'
        )
        self._loop.set_clock()


def main(args: list[str] | None = None) -> None:
    """Run the node until a signal ends it; with --help, print what it does instead."""
    run(DynamicsNode, args)


if __name__ == '__main__':
    main()
