"""The node `simulated_arm`: a torque-controlled arm with the topics of a real arm's driver."""

from __future__ import annotations

import signal
import sys
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from rclpy.exceptions import ParameterException
from rclpy.executors import SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_interfaces.srv import PushLink
from robot_dynamics_ros.control.trajectory import Trajectory, Waypoints
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.parameter_yaml import read_yaml, values_by_joint
from robot_dynamics_ros.ros.endpoints import PolledSubscription
from robot_dynamics_ros.ros.waypoints import read_points

from .arm_parameters import declare_and_read
from .joint_friction import Law
from .mujoco_model import SimulationError, Wall
from .outside_forces import Push
from .physics import JointServo, Physics, Vector

MAX_CATCH_UP = 0.1
"""Longest time that one cycle simulates [s]; for the rest of a pause the arm stands still."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)
SPIN_TIMEOUT = 0.1
"""Longest time until a signal is noticed [s]."""


class CycleTimer:
    """Sleeps until the next cycle of a fixed rate; cycles that were missed are left out."""

    def __init__(self, rate: float) -> None:
        """Start the first cycle now, at a rate [Hz]."""
        self._period = 1.0 / rate
        self._next = time.monotonic() + self._period

    def wait(self) -> None:
        """Sleep until the next cycle begins."""
        time.sleep(max(0.0, self._next - time.monotonic()))
        missed = (time.monotonic() - self._next) // self._period
        self._next += (max(missed, 0.0) + 1) * self._period


class SimulatedArm(Node):
    """An arm that runs in real time, like a drive on a fieldbus.

    Each cycle simulates the time since the last one under the torques of the last one, publishes
    the joint state, and reads the torques for the next. Cycles run in a thread of their own; the
    executor serves reference and services.
    """

    def __init__(self, **node_arguments: object) -> None:
        """Start the arm, or wait for its description on the latched topic."""
        super().__init__('simulated_arm', **node_arguments)
        self.parameters = declare_and_read(self)
        self.dropped_commands = 0
        self._physics: Physics | None = None
        self._servo: JointServo | None = None
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._last_command = -float('inf')
        self._state = JointState()
        self._stamp, self._moment = self.get_clock().now().nanoseconds, time.monotonic()
        self._publisher = self.create_publisher(JointState, 'joint_states', 10)
        self._commands = PolledSubscription(self, Float64MultiArray, 'commands', 10)
        self.create_subscription(JointTrajectory, '~/reference', self._on_reference, 10)
        self._wrenches = self.create_publisher(WrenchStamped, '~/applied_wrench', 100)
        self._touched: set[str] = set()
        for name in ('brake', 'servo', 'wall'):
            self._serve(SetBool, f'set_{name}', getattr(self, f'_set_{name}'))
        self._serve(PushLink, 'push_link', self._push_link)
        self._serve(Trigger, 'reset', self._reset)
        if self.parameters['robot_description']:
            self._start(self.parameters['robot_description'])
        else:
            latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
            self.create_subscription(String, 'robot_description', self._on_description, latched)
            self.get_logger().info('waiting for a description on topic robot_description')

    def stop(self) -> None:
        """End the thread of the cycles; call it before the node is destroyed."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _start(self, urdf_text: str) -> None:
        wanted = self.parameters
        modelled = ('joints', 'gravity', 'adds_gravity')
        friction: bool | Law = wanted['friction'] == 'urdf'
        if wanted['friction'] not in ('urdf', 'none'):
            content = read_yaml(Path(wanted['friction']))
            friction = values_by_joint(content, 'friction.yaml of robot_dynamics identify')
        wall = None
        if wanted['wall_link']:
            wall = Wall(*(wanted[f'wall_{part}'] for part in ('link', 'point', 'normal', 'ball')))
        options = {name: wanted[name] for name in modelled}
        physics = Physics(urdf_text, **options, friction=friction, wall=wall)
        size = len(physics.joints)
        start = wanted['initial_positions']
        if len(start) not in (0, size):
            raise SimulationError(
                f'initial_positions has {len(start)} values, needed: {size}, '
                f'{", ".join(physics.joints)}'
            )
        physics.reset(start or None)
        physics.brake = wanted['brake']
        self._servo = JointServo.tuned(physics.inertia(), wanted['servo_bandwidth'])
        if wanted['servo']:
            physics.set_servo(self._servo)
        self._state.name = list(physics.all_joints)
        self._physics = physics
        self._moment = time.monotonic()
        self._thread = threading.Thread(target=self._run, name='arm', daemon=True)
        self._thread.start()
        self.get_logger().info(
            f'simulating {physics.name}: {size} joints ({", ".join(physics.joints)}), '
            f'brake {_on_or_off(physics.brake)}, servo {_on_or_off(wanted["servo"])}'
        )

    def _run(self) -> None:
        cycles = CycleTimer(self.parameters['rate'])
        try:
            while not self._stopping.is_set():
                cycles.wait()
                with self._lock:
                    self._cycle()
        except Exception as error:
            # An exception is expected where the context has ended: that is how a node is stopped.
            if self.context.ok() and not self._stopping.is_set():
                self.get_logger().fatal(f'the simulation has stopped: {error!r}')
                raise

    def _cycle(self) -> None:
        assert self._physics is not None
        moment, now = self._two_clocks()
        elapsed, self._moment = moment - self._moment, moment
        if elapsed > MAX_CATCH_UP:
            self.get_logger().warning(
                f'the computer is too slow: one cycle took {elapsed:.3f} s, allowed are '
                f'{MAX_CATCH_UP:g} s; the arm stood still for the rest',
                throttle_duration_sec=2.0,
            )
            self._physics.stand_still(elapsed - MAX_CATCH_UP)
            elapsed = MAX_CATCH_UP
        try:
            self._physics.advance(elapsed)
        except SimulationError as error:
            self._reset(self._physics)
            self._physics.brake = True
            self.get_logger().error(
                f'{error}; the arm is reset to its initial positions, with the brake on'
            )
        state = self._state
        state.header.stamp = now.to_msg()
        state.position = array('d', self._physics.position.tobytes())
        state.velocity = array('d', self._physics.velocity.tobytes())
        state.effort = array('d', self._physics.effort.tobytes())
        self._publisher.publish(state)
        self._publish_wrenches(state.header.stamp, self._physics.outside.wrenches())
        self._stamp = now.nanoseconds
        self._read_commands()

    def _publish_wrenches(self, stamp: Any, wrenches: dict[str, Vector]) -> None:
        """Publish what acts on each link now; one zero for those where nothing acts any more."""
        for link in (*wrenches, *(self._touched - wrenches.keys())):
            fx, fy, fz, mx, my, mz = wrenches.get(link, np.zeros(6)).tolist()
            force, torque = Vector3(x=fx, y=fy, z=fz), Vector3(x=mx, y=my, z=mz)
            message = WrenchStamped(wrench=Wrench(force=force, torque=torque))
            message.header.stamp, message.header.frame_id = stamp, link
            self._wrenches.publish(message)
        self._touched = set(wrenches)

    def _two_clocks(self) -> tuple[float, Time]:
        """The same moment on two clocks: monotonic [s] for the motion, and that of the stamps."""
        for _ in range(3):
            moment, now = time.monotonic(), self.get_clock().now()
            if time.monotonic() - moment < 0.0001:  # else another thread ran in between
                break
        return moment, now

    def _read_commands(self) -> None:
        assert self._physics is not None
        size = len(self._physics.joints)
        now = time.monotonic()
        for message, _ in self._commands.poll():
            torque = np.frombuffer(message.data)
            if len(torque) == size and np.isfinite(torque).all():
                self._physics.set_torque(torque)
                self._last_command = now
                continue
            self.dropped_commands += 1
            self.get_logger().warning(
                f'{self.dropped_commands} messages on commands dropped so far; the last has '
                f'{len(torque)} values, needed are {size} finite ones: '
                f'{", ".join(self._physics.joints)}',
                throttle_duration_sec=2.0,
            )
        timeout = self.parameters['command_timeout']
        if timeout and now - self._last_command > timeout:
            self._physics.set_torque(0.0)

    def _on_description(self, message: String) -> None:
        if self._physics is not None:
            self.get_logger().warning(
                'another robot_description is ignored: restart the node to change the arm'
            )
            return
        try:
            self._start(message.data)
        except SimulationError as error:
            self.get_logger().error(f'{error}')

    def _on_reference(self, message: JointTrajectory) -> None:
        if self._physics is None:
            self.get_logger().warning('a reference is ignored: there is no robot_description yet')
            return
        with self._lock:
            here, _ = self._physics.reference()
        try:
            # Without the lock, so that cycles run: a hundred points take some milliseconds.
            trajectory = read_reference(message, self._physics.joints, here)
        except StateError as error:
            self.get_logger().warning(f'a reference is ignored: {error}')
            return
        with self._lock:
            stamp = Time.from_msg(message.header.stamp)
            delay = 0.0
            if stamp.nanoseconds:
                delay = (stamp.nanoseconds - self._stamp) * 1e-9
            self._physics.follow(trajectory, self._physics.time + delay)

    def _serve(self, kind: Any, name: str, change: Callable[[Physics, Any], str]) -> None:
        """Offer a service that changes the arm between two cycles, and answers what was done."""

        def answer(request: Any, response: Any) -> Any:
            try:
                if self._physics is None:
                    raise SimulationError(
                        'there is no arm yet: publish its description on topic robot_description'
                    )
                with self._lock:
                    response.message, response.success = change(self._physics, request), True
            except SimulationError as error:
                response.message, response.success = str(error), False
            return response

        self.create_service(kind, f'~/{name}', answer)

    def _set_brake(self, physics: Physics, request: Any) -> str:
        physics.brake = request.data
        return f'brake {_on_or_off(request.data)}'

    def _set_servo(self, physics: Physics, request: Any) -> str:
        physics.set_servo(self._servo if request.data else None)
        return f'servo {_on_or_off(request.data)}'

    def _set_wall(self, physics: Physics, request: Any) -> str:
        physics.outside.wall = request.data
        return f'wall {_on_or_off(request.data)}'

    def _push_link(self, physics: Physics, request: Any) -> str:
        wrench = request.wrench
        vectors = ((v.x, v.y, v.z) for v in (wrench.force, wrench.torque, request.point))
        physics.outside.push(Push(request.link, *vectors, request.delay, request.duration))
        return f'{request.link} is pushed for {request.duration:g} s, in {request.delay:g} s'

    def _reset(self, physics: Physics, request: Any = None) -> str:
        physics.reset(self.parameters['initial_positions'] or None)
        return 'the arm is at its initial positions, at rest'


def _on_or_off(on: bool) -> str:
    return 'on' if on else 'off'


def read_reference(message: JointTrajectory, joints: Sequence[str], here: Vector) -> Trajectory:
    """The trajectory of a message, its points in the order of `joints`.

    Args:
        message: names some or all of the joints.
        joints: of the arm, n of them.
        here: positions (n,) of the joints that the message does not name.

    Raises:
        StateError: it names an unknown joint, or sizes, values or times of its points are wrong.
    """
    names = list(message.joint_names)
    unknown = sorted(set(names) - set(joints))
    if unknown or not names:
        raise StateError(
            f'the trajectory names {", ".join(unknown) or "no joint"}: known are '
            f'{", ".join(joints)}'
        )
    named = read_points(message, names, start=0.0)
    columns = [list(joints).index(name) for name in names]
    rows = np.zeros((3, len(named), len(joints)))
    rows[0] = here
    rows[:, :, columns] = named.q, named.v, named.a
    return Trajectory(Waypoints(named.times, *rows, named.has_v, named.has_a))


def main(args: list[str] | None = None) -> int:
    """Run the arm until a signal ends the process; returns the exit code."""
    # By default a thread may hold the interpreter for 5 ms: too long for the cycles.
    sys.setswitchinterval(0.0005)
    came: list[int] = []
    for number in SIGNALS:
        signal.signal(number, lambda number, frame: came.append(number))
    # Not the handlers of rclpy: their KeyboardInterrupt during the start would leave the thread of
    # the cycles behind, which crashes the interpreter at its end.
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    node = None
    try:
        node = SimulatedArm()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        while not came:
            executor.spin_once(timeout_sec=SPIN_TIMEOUT)
    except (SimulationError, ParameterException) as error:
        get_logger('simulated_arm').fatal(str(error))
        return 1
    finally:
        for number in SIGNALS:
            # From here on signals are ignored: one would kill the interpreter while it ends.
            signal.signal(number, signal.SIG_IGN)
        if node is not None:
            node.stop()
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
