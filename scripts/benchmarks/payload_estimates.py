"""Round trips at 1 kHz while `~/estimate_payload` has a goal, beside those without one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from rclpy.action import ActionClient
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.task import Future
from round_trip import PERIOD, Peer
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.action import EstimatePayload

# Round trips with a goal, and as many without, in turn: two estimates are in each.
BLOCK, BLOCKS = 4000, 5
LIMIT = 20.0
# Of the motion [rad], [1/s].
AMPLITUDE, RATE = 0.5, 2.0


def with_and_without(
    node: Node, executor: Executor, peer: Peer, message: JointState, frame: str
) -> dict[str, float]:
    """99th percentiles of the round trips with and without a goal [us], and what a goal adds.

    Args:
        node: that sends the goals.
        executor: of the node.
        peer: that exchanges states and commands with the node under test.
        message: the state; it is moved.
        frame: link whose payload is estimated.
    """
    client = ActionClient(node, EstimatePayload, '/robot_dynamics/estimate_payload')
    move = _moving(message)
    found: dict[str, list[float]] = {'active': [], 'inactive': []}
    try:
        if not client.wait_for_server(LIMIT):
            raise TimeoutError(f'the action did not appear within {LIMIT:g} s')
        for _ in range(BLOCKS):
            before = len(peer.round_trips)
            peer.measure(message, BLOCK, move)
            found['inactive'] += peer.round_trips[before:]
            with _goal(client, executor, frame):
                before = len(peer.round_trips)
                peer.measure(message, BLOCK, move)
                found['active'] += peer.round_trips[before:]
    finally:
        client.destroy()
    p99 = {name: 1e6 * float(np.percentile(values, 99)) for name, values in found.items()}
    p50 = {f'{name}_p50': 1e6 * float(np.median(values)) for name, values in found.items()}
    return {**p99, **p50, 'adds': p99['active'] - p99['inactive']}


def _moving(message: JointState) -> Callable[[], None]:
    """Moves the message along sines, one period of the loop at each call."""
    home, steps = list(message.position), [0]
    message.effort = [0.0] * len(home)

    def move() -> None:
        steps[0] += 1
        angle = RATE * PERIOD * steps[0]
        message.position = [q + AMPLITUDE * math.sin(angle) for q in home]
        message.velocity = [AMPLITUDE * RATE * math.cos(angle)] * len(home)
        message.effort = [math.sin(angle + joint) for joint in range(len(home))]

    return move


@contextmanager
def _goal(client: ActionClient, executor: Executor, frame: str) -> Iterator[None]:
    """While a goal is running."""
    goal = EstimatePayload.Goal(frame=frame, duration=600.0)
    handle = _result(executor, client.send_goal_async(goal))
    ended = handle.get_result_async()
    yield
    if ended.done():
        raise RuntimeError(f'the goal ended early: {ended.result().result.message}')
    _result(executor, handle.cancel_goal_async())
    _result(executor, ended)


def _result(executor: Executor, future: Future) -> object:
    end = time.monotonic() + LIMIT
    while not future.done():
        executor.spin_once(timeout_sec=0.1)
        if time.monotonic() > end:
            raise TimeoutError(f'no answer within {LIMIT:g} s')
    return future.result()
