"""The node: how soon it can answer, and its round trip beside that of a null relay."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from figures import Figure, printed, urdf
from geometry_msgs.msg import Inertia, WrenchStamped
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from round_trip import BLOCK, PERIOD, Driver, Peer
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.msg import Contact, ExternalTorques
from robot_dynamics_interfaces.srv import SetPayload
from robot_dynamics_ros.core import RobotDynamics, parse_urdf

HERE = Path(__file__).parent
STARTS, STOP_LIMIT = 5, 10.0
# [s] from the start of the process, and of compiling.
READY_BOUND, COMPILE_BOUND = 1.5, 0.5
# Of the figures of the null relay.
ROUND_TRIP_BOUND, PROCESSOR_BOUND = 1.25, 1.2
# What a change adds to the longest wait for a command [periods]: with the one that lies between
# any two commands, a gap of two.
ADDED_BOUND = 1.0
# Share of the processor time of a state.
EXTERNAL_BOUND = 0.1
CHANGES, WINDOW = 20, 40
# Blocks of a second with and without the estimate of external torques.
EXTERNAL_BLOCKS = 6
# Above every residual: contacts are looked for, and there is none. And one at which they begin.
QUIET, TOUCHED = ({'collision_threshold': [x], 'push_threshold': [x]} for x in (1e3, 1.0))
# A child of the bench: starts the node once.
START = """
import sys, time
import rclpy
from robot_dynamics_ros.ros.node import DynamicsNode
started = float(sys.argv.pop(1))
rclpy.init(args=sys.argv)
node = DynamicsNode()
node.start()
ready = time.time() - started
print([ready, node.robot_holder.require().compiled.compile_seconds])
node.destroy_node()
rclpy.try_shutdown()
"""


def measure(seconds: float) -> list[Figure]:
    """Every figure of the node with a UR5; `seconds` of round trips."""
    print(f'\nnode: {seconds:g} s of round trips, and as many of the null relay ...', flush=True)
    # Apart from other robots, and from tests (61 to 100): the children inherit it.
    os.environ['ROS_DOMAIN_ID'] = str(random.randint(1, 60))
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    with tempfile.TemporaryDirectory() as folder:
        parameters = Path(folder, 'parameters.yaml')
        # The blocks of the other peer are no reason to call a state stale.
        values = {'robot_description': urdf('UR5'), 'state_timeout': 60.0}
        parameters.write_text(yaml.safe_dump({'/**': {'ros__parameters': values}}))
        arguments = ['--ros-args', '--params-file', str(parameters)]
        return [*_start_up(arguments), *_round_trips(arguments, seconds)]


def _start_up(arguments: list[str]) -> list[Figure]:
    def start() -> list[float]:
        command = [sys.executable, '-c', START, repr(time.time()), *arguments]
        done = subprocess.run(
            command, capture_output=True, check=True, timeout=60, env=_environment()
        )
        return json.loads(done.stdout.splitlines()[-1])

    ready, compiled = np.median([start() for _ in range(STARTS)], axis=0)
    return [
        printed('node ready after', ready, 's', READY_BOUND),
        printed('of which compiling', compiled, 's', COMPILE_BOUND),
    ]


def _round_trips(arguments: list[str], seconds: float) -> list[Figure]:
    model = parse_urdf(urdf('UR5'))
    message = JointState(name=list(model.joint_names))
    message.position = [0.1 * (index + 1) for index in range(model.size)]
    message.velocity = [0.1] * model.size
    command = ['-m', 'robot_dynamics_ros.ros.node', *arguments]
    with _running(command) as first, _running([str(HERE / 'null_relay.py')]) as second:
        driver = Driver(message)
        try:
            node = driver.peer('joint_states', 'robot_dynamics/commands', first.pid)
            null = driver.peer('null_relay/joint_states', 'null_relay/commands', second.pid)
            driver.alternate([node, null], seconds)
            tip = model.tip_frame(model.joint_names)
            return [
                *_beside(node, null),
                *_changes(driver, node, tip),
                *_external_torques(driver, node, RobotDynamics(model)),
                printed('messages lost', node.lost, '', 0),
            ]
        finally:
            driver.destroy()


def _beside(node: Peer, null: Peer) -> list[Figure]:
    p50, p99 = 1e6 * np.percentile(node.round_trips, (50, 99))
    null_p50, null_p99 = 1e6 * np.percentile(null.round_trips, (50, 99))
    each, null_each = (1e6 * peer.processor_time / peer.states for peer in (node, null))
    return [
        printed('node round trip, median', p50, 'us'),
        printed('node round trip, 99th percentile', p99, 'us'),
        printed('null relay round trip, median', null_p50, 'us'),
        printed('null relay round trip, 99th percentile', null_p99, 'us'),
        printed('node to null relay', p50 / null_p50, 'x', ROUND_TRIP_BOUND),
        printed('node processor time per state', each, 'us'),
        printed('null relay, the same', null_each, 'us'),
        printed('node to null relay, processor', each / null_each, 'x', PROCESSOR_BOUND),
    ]


def _changes(driver: Driver, peer: Peer, tip: str) -> list[Figure]:
    """What a change adds to the longest wait at 1 kHz; medians, in periods."""
    payload = driver.client(SetPayload, 'robot_dynamics/set_payload')
    parameters = driver.client(SetParameters, 'robot_dynamics/set_parameters')
    fade = iter(0.5 + 0.005 * step for step in range(10**9))
    changes: dict[str, Callable[[], Any]] = {
        'setting a payload': lambda: payload.call_async(
            SetPayload.Request(frame=tip, inertia=Inertia(m=0.5))
        ),
        'removing it': lambda: payload.call_async(SetPayload.Request(frame=tip)),
        'setting a parameter': lambda: parameters.call_async(_set({'fade_time': next(fade)})),
    }
    added: dict[str, list[float]] = {name: [] for name in changes}
    for _ in range(CHANGES):
        for name, change in changes.items():
            quiet = peer.longest(WINDOW)
            future = change()
            added[name].append(max(peer.longest(WINDOW), peer.until(future)) - quiet)
            answer = future.result()
            results = getattr(answer, 'results', None)
            assert results[0].successful if results else answer.success, answer
    return [
        printed(f'{name} adds', np.median(waits) / PERIOD, 'periods', ADDED_BOUND)
        for name, waits in added.items()
    ]


def _external_torques(driver: Driver, peer: Peer, dynamics: RobotDynamics) -> list[Figure]:
    """What the estimate adds to the processor time of a state; medians over blocks of a second."""
    held = dynamics.gravity_torque(driver.message.position)
    driver.message.effort = held.tolist()
    noise = np.random.default_rng(0)

    def touch() -> None:
        """A push as large as the thresholds, with noise that the observer does not remove."""
        driver.message.effort = (held - noise.normal(0.7, 1.0, held.size)).tolist()

    def added(thresholds: dict[str, list[float]], change: Callable[[], object]) -> float:
        ratios = []
        for _ in range(EXTERNAL_BLOCKS):
            times = []
            for values in (
                {'external_observer': False},
                {'external_observer': True, **thresholds},
            ):
                answer = driver.result(parameters.call_async(_set(values)))
                assert all(one.successful for one in answer.results), answer
                # The observer settles, and gravity is compared with the efforts for half a second.
                peer.measure(BLOCK)
                before = peer.processor_time
                peer.measure(BLOCK, change)
                times.append(peer.processor_time - before)
            ratios.append(times[1] / times[0] - 1.0)
        return float(np.median(ratios))

    parameters = driver.client(SetParameters, 'robot_dynamics/set_parameters')
    alone = added(QUIET, lambda: None)
    for kind, topic in (
        (ExternalTorques, 'external_torques'), (WrenchStamped, 'external_wrench'),
        (Contact, 'contact'),
    ):  # fmt: skip
        driver.node.create_subscription(kind, f'robot_dynamics/{topic}', lambda _: None, 10)
    return [
        printed('external torques add, processor', alone, 'x', EXTERNAL_BOUND),
        printed('published to a subscriber', added(QUIET, lambda: None), 'x'),
        printed('the same in a contact', added(TOUCHED, touch), 'x'),
    ]


def _set(values: dict[str, Any]) -> SetParameters.Request:
    changes = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    return SetParameters.Request(parameters=changes)


@contextmanager
def _running(arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, *arguments], env=_environment(), stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_LIMIT)
        process.kill()
        process.wait()


def _environment() -> dict[str, str]:
    """Ours without the mark of the ROS wheels' bootstrapper: each child bootstraps itself."""
    mark = '_ROS_WHEELS_BOOTSTRAP_COMPLETE'
    return {name: value for name, value in os.environ.items() if name != mark}
