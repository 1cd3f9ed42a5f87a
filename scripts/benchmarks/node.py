"""The node's figures: how soon it can answer, and its round trip beside that of a null relay."""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import rclpy
import yaml
from changes import longest_waits
from external_share import added_shares
from parameter_sets import added_gap
from payload_estimates import with_and_without
from rclpy.executors import SingleThreadedExecutor
from round_trip import Peer, alternate
from sensor_msgs.msg import JointState

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

HERE = Path(__file__).parent
STARTS = 5
READY_BOUND, COMPILE_BOUND = 1.5, 0.5
# Of the figures of the null relay.
ROUND_TRIP_BOUND, PROCESSOR_BOUND = 1.25, 1.2
# One period at 1 kHz.
SET_BOUND = 1.0
STOP_LIMIT = 10.0
# Periods at 1 kHz: with the one that lies between any two commands, a gap of two.
ADDED_WAIT_BOUND = 1.0
# Share of the processor time of a state.
EXTERNAL_BOUND = 0.1


def measure(text: str, seconds: float) -> dict[str, float]:
    """Every figure of the node for one robot; `seconds` of round trips."""
    with tempfile.TemporaryDirectory() as folder:
        parameters = Path(folder, 'parameters.yaml')
        # The blocks of the other peer are no reason to call a state stale.
        values = {'robot_description': text, 'state_timeout': 60.0}
        content = {'/**': {'ros__parameters': values}}
        parameters.write_text(yaml.safe_dump(content))
        # Apart from other robots, and from tests (61 to 100): the children inherit it.
        os.environ['ROS_DOMAIN_ID'] = str(random.randint(1, 60))
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        return _start_up(parameters) | _round_trips(text, parameters, seconds)


def _start_up(parameters: Path) -> dict[str, float]:
    runs = [_start_once(parameters) for _ in range(STARTS)]
    return {
        'ready_seconds': float(np.median([run['ready'] for run in runs])),
        'compile_seconds': float(np.median([run['compile'] for run in runs])),
    }


def _start_once(parameters: Path) -> dict[str, float]:
    arguments = [repr(time.time()), '--ros-args', '--params-file', str(parameters)]
    command = [sys.executable, str(HERE / 'start_up.py'), *arguments]
    result = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60, env=_environment()
    )
    run: dict[str, float] = json.loads(result.stdout.splitlines()[-1])
    return run


def _round_trips(text: str, parameters: Path, seconds: float) -> dict[str, float]:
    model = parse_urdf(text)
    message = JointState(name=list(model.joint_names))
    message.position = [0.1 * (index + 1) for index in range(model.size)]
    message.velocity = [0.1] * model.size
    node = ['-m', 'robot_dynamics_ros.ros.node', '--ros-args', '--params-file', str(parameters)]
    null = [str(HERE / 'null_relay.py')]
    names = {'node': ('joint_states', 'robot_dynamics/commands')}
    names['null'] = ('null_relay/joint_states', 'null_relay/commands')
    with _running(node) as first, _running(null) as second, _driver() as (driver, executor):
        peers = [
            Peer(driver, executor, name, *topics, process.pid)
            for (name, topics), process in zip(names.items(), (first, second), strict=True)
        ]
        added = added_gap(driver, peers[0], message)
        alternate(peers, message, seconds)
        # Counts of its own, apart from those of the undisturbed round trips.
        changed = Peer(driver, executor, 'changed', *names['node'], first.pid)
        changed.wait_until_found(message)
        tip = model.tip_frame(model.joint_names)
        waits = longest_waits(driver, changed, message, tip)
        estimated = with_and_without(driver, executor, changed, message, tip)
        message.effort = RobotDynamics(model).gravity_torque(message.position).tolist()
        external = Peer(driver, executor, 'external', *names['node'], first.pid)
        external.wait_until_found(message)
        shares = added_shares(driver, external, message)
    figures: dict[str, float] = {'lost': peers[0].lost, 'lost_while_changed': changed.lost}
    figures |= {f'external_{name}_share': share for name, share in shares._asdict().items()}
    figures['set_milliseconds'] = 1e3 * added
    figures |= {f'wait_{name.replace(" ", "_")}': periods for name, periods in waits.items()}
    figures |= {f'payload_{name}_microseconds': value for name, value in estimated.items()}
    for peer in peers:
        for percentile in (50, 99):
            value = 1e6 * float(np.percentile(peer.round_trips, percentile))
            figures[f'{peer.name}_p{percentile}_microseconds'] = value
        states = len(peer.round_trips) + peer.lost
        figures[f'{peer.name}_processor_microseconds'] = 1e6 * peer.processor_time / states
    for ratio, figure in (('round_trip', 'p50'), ('processor', 'processor')):
        node, null = (figures[f'{name}_{figure}_microseconds'] for name in ('node', 'null'))
        figures[f'{ratio}_ratio'] = node / null
    return figures


@contextmanager
def _driver():
    rclpy.init()
    driver = rclpy.create_node('driver')
    executor = SingleThreadedExecutor()
    executor.add_node(driver)
    try:
        yield driver, executor
    finally:
        executor.shutdown()
        driver.destroy_node()
        rclpy.try_shutdown()


@contextmanager
def _running(arguments: list[str]):
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
    return {
        name: value
        for name, value in os.environ.items()
        if name != '_ROS_WHEELS_BOOTSTRAP_COMPLETE'
    }
