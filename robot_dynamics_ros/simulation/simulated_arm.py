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
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.control.trajectory import Trajectory, Waypoints
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.parameter_yaml import read_yaml, values_by_joint
from robot_dynamics_ros.ros.endpoints import PolledSubscription, nanoseconds
from robot_dynamics_ros.ros.waypoints import read_points

from .arm_parameters import declare_and_read
from .joint_friction import Law
from .mujoco_model import SimulationError, Wall
from .physics import JointServo, Physics, Vector

MAX_CATCH_UP = 0.1
"""Longest time that one cycle simulates [s]; for the rest of a pause the arm stands still."""
MAX_WAIT, LATEST = 5.0, 1.0
"""Longest time for which an arm in lockstep waits for a command, and for what follows the first
one [s]; in real time: a node that shares a processor with twenty others has taken 1 s."""
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
    """An arm that runs in real time, like a drive on a fieldbus, or in lockstep.

    Each cycle reads the torques, simulates the time since the last one under them, and publishes
    the joint state. In lockstep that time is always a period, and the cycle waits for the command
    that answers the last state: what the arm does is the same on any machine. It does not wait
    once a state was not answered, until the next command. Cycles run in a thread of their own; the
    executor serves references, pushes and services.
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
        # Whether the states are answered, and whether the first command opens the brake.
        self._answered, self._opens = False, self.parameters['brake']
        self._state = JointState()
        self._lockstep = self.parameters['lockstep']
        self._stamp = 0 if self._lockstep else self.get_clock().now().nanoseconds
        self._moment = time.monotonic()
        if self._lockstep:
            self._ticks = self.create_publisher(Clock, '/clock', 10)
        self._publisher = self.create_publisher(JointState, 'joint_states', 10)
        self._commands = PolledSubscription(self, Float64MultiArray, 'commands', 10)
        self.create_subscription(JointTrajectory, '~/reference', self._on_reference, 10)
        self.create_subscription(WrenchStamped, '~/push', self._on_push, 10)
        self._wrenches = self.create_publisher(WrenchStamped, '~/applied_wrench', 100)
        self._touched: set[str] = set()
        for name in ('brake', 'servo', 'wall'):
            self._serve(SetBool, f'set_{name}', getattr(self, f'_set_{name}'))
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
                if self._lockstep:
                    self._wait_for_answer()
                with self._lock:
                    self._cycle()
        except Exception as error:
            # An exception is expected where the context has ended: that is how a node is stopped.
            if self.context.ok() and not self._stopping.is_set():
                self.get_logger().fatal(f'the simulation has stopped: {error!r}')
                raise

    def _wait_for_answer(self) -> None:
        """Wait for the command that answers the last state, if states are answered."""
        if self._answered:
            self._answered = any(
                self._commands.wait(SPIN_TIMEOUT) or self._stopping.is_set()
                for _ in range(round(MAX_WAIT / SPIN_TIMEOUT))
            )
            if not self._answered:
                self.get_logger().info(f'no command for {MAX_WAIT:g} s: not waiting for the next')
        elif self._commands.wait(0.0):
            # It may answer a state before the last: no answer must be on its way any more.
            self._stopping.wait(LATEST)
            self._answered = True

    def _cycle(self) -> None:
        physics = self._physics
        assert physics is not None
        self._read_commands(physics)
        try:
            physics.advance(self._elapsed(physics))
        except SimulationError as error:
            self._reset(physics)
            physics.brake = True
            self.get_logger().error(
                f'{error}; the arm is reset to its initial positions, with the brake on'
            )
        state, stamp = self._state, Time(nanoseconds=self._stamp).to_msg()
        if self._lockstep:
            self._ticks.publish(Clock(clock=stamp))
        state.header.stamp = stamp
        state.position = array('d', physics.position.tobytes())
        state.velocity = array('d', physics.velocity.tobytes())
        state.effort = array('d', physics.effort.tobytes())
        self._publisher.publish(state)
        self._publish_wrenches(stamp, physics.outside.wrenches())

    def _elapsed(self, physics: Physics) -> float:
        """The time to simulate in this cycle [s], after which the state has the stamp `_stamp`."""
        if self._lockstep:
            period = round(1e9 / self.parameters['rate'])
            self._stamp += period
            return 1e-9 * period
        before = self._moment
        self._moment, self._stamp = self._two_clocks()
        elapsed = self._moment - before
        if elapsed > MAX_CATCH_UP:
            self.get_logger().warning(
                f'the computer is too slow: one cycle took {elapsed:.3f} s, allowed are '
                f'{MAX_CATCH_UP:g} s; the arm stood still for the rest',
                throttle_duration_sec=2.0,
            )
            physics.stand_still(elapsed - MAX_CATCH_UP)
        return min(elapsed, MAX_CATCH_UP)

    def _publish_wrenches(self, stamp: Any, wrenches: dict[str, Vector]) -> None:
        """Publish what acts on each link now; one zero for those where nothing acts any more."""
        for link in (*wrenches, *(self._touched - wrenches.keys())):
            fx, fy, fz, mx, my, mz = wrenches.get(link, np.zeros(6)).tolist()
            force, torque = Vector3(x=fx, y=fy, z=fz), Vector3(x=mx, y=my, z=mz)
            message = WrenchStamped(wrench=Wrench(force=force, torque=torque))
            message.header.stamp, message.header.frame_id = stamp, link
            self._wrenches.publish(message)
        self._touched = set(wrenches)

    def _two_clocks(self) -> tuple[float, int]:
        """The same moment on two clocks: monotonic [s] for the motion, that of stamps [ns]."""
        for _ in range(3):
            moment, now = time.monotonic(), self.get_clock().now().nanoseconds
            if time.monotonic() - moment < 0.0001:  # else another thread ran in between
                break
        return moment, now

    def _read_commands(self, physics: Physics) -> None:
        size = len(physics.joints)
        for message, _ in self._commands.poll():
            torque = np.frombuffer(message.data)
            if len(torque) == size and np.isfinite(torque).all():
                physics.set_torque(torque)
                self._last_command = physics.time
                self._open_brake(physics)
                continue
            self.dropped_commands += 1
            self.get_logger().warning(
                f'{self.dropped_commands} messages on commands dropped so far; the last has '
                f'{len(torque)} values, needed are {size} finite ones: '
                f'{", ".join(physics.joints)}',
                throttle_duration_sec=2.0,
            )
        timeout = self.parameters['command_timeout']
        if timeout and physics.time - self._last_command > timeout:
            physics.set_torque(0.0)

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
        try:
            with self._lock:
                physics = self._require()
                here, _ = physics.reference()
            # Without the lock, so that cycles run: a hundred points take some milliseconds.
            trajectory = read_reference(message, physics.joints, here)
            with self._lock:
                physics.follow(trajectory, self._simulated(message.header.stamp))
                self._open_brake(physics)
        except (SimulationError, StateError) as error:
            self.get_logger().warning(f'a reference is ignored: {error}')

    def _on_push(self, message: WrenchStamped) -> None:
        vectors = message.wrench.force, message.wrench.torque
        wrench = [value for v in vectors for value in (v.x, v.y, v.z)]
        try:
            with self._lock:
                begin = self._simulated(message.header.stamp)
                self._require().outside.push(message.header.frame_id, wrench, begin)
        except (SimulationError, StateError) as error:
            self.get_logger().warning(f'a push is ignored: {error}')

    def _simulated(self, stamp: Any) -> float:
        """The simulated time of a stamp [s]; a stamp of zero stands for now."""
        return self._require().time + 1e-9 * ((nanoseconds(stamp) or self._stamp) - self._stamp)

    def _require(self) -> Physics:
        if self._physics is None:
            raise SimulationError(
                'there is no arm yet: publish its description on topic robot_description'
            )
        return self._physics

    def _serve(self, kind: Any, name: str, change: Callable[[Physics, Any], str]) -> None:
        """Offer a service that changes the arm between two cycles, and answers what was done."""

        def answer(request: Any, response: Any) -> Any:
            try:
                with self._lock:
                    response.message, response.success = change(self._require(), request), True
            except SimulationError as error:
                response.message, response.success = str(error), False
            return response

        self.create_service(kind, f'~/{name}', answer)

    def _open_brake(self, physics: Physics) -> None:
        if self._opens:
            physics.brake = self._opens = False

    def _set_brake(self, physics: Physics, request: Any) -> str:
        physics.brake, self._opens = request.data, False
        return f'brake {_on_or_off(request.data)}'

    def _set_servo(self, physics: Physics, request: Any) -> str:
        physics.set_servo(self._servo if request.data else None)
        return f'servo {_on_or_off(request.data)}'

    def _set_wall(self, physics: Physics, request: Any) -> str:
        physics.outside.wall = request.data
        return f'wall {_on_or_off(request.data)}'

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
    rows = np.zeros((len(named), 3, len(joints)))
    rows[:, 0] = here
    rows[:, :, columns] = named.rows
    return Trajectory(Waypoints(named.times, rows, named.has))


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
