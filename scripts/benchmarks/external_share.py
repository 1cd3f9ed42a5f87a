"""What the estimate of external torques adds to the processor time of the node, for each state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import WrenchStamped
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from round_trip import BLOCK, DISCOVERY_LIMIT, Peer
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.msg import Contact, ExternalTorques

NAME = 'robot_dynamics'
BLOCKS = 6
# Parameters by name.
Values = Mapping[str, bool | list[float]]
# Above every residual: contacts are looked for, and there is none.
THRESHOLDS = {'collision_threshold': [1e3], 'push_threshold': [1e3]}
# [N m]: of each joint, at which a contact has begun, and half of which ends it.
THRESHOLD, PUSH, NOISE = 1.0, 0.7, 1.0
OFF: Values = {'external_observer': False}
ON: Values = {'external_observer': True, **THRESHOLDS}
TOUCHED: Values = {
    'external_observer': True,
    'collision_threshold': [THRESHOLD],
    'push_threshold': [THRESHOLD],
}


class AddedShares(NamedTuple):
    """What the estimate adds to the processor time of a state, as shares of it [-].

    Attributes:
        alone: estimate and detection of contacts, without a subscriber.
        torques: with a subscriber of `~/external_torques`.
        wrench: with one of `~/external_wrench` too.
        touched: the same in a contact whose joints change with most states.
    """

    alone: float
    torques: float
    wrench: float
    touched: float


def added_shares(driver: Node, peer: Peer, message: JointState) -> AddedShares:
    """The shares, medians over blocks of a second.

    Args:
        driver: that sends states and sets parameters.
        peer: exchanges states and commands with the node.
        message: a state at rest, with the efforts that hold the arm.
    """
    added = partial(_added, driver, peer, message)
    alone = added(ON)
    topics = [driver.create_subscription(ExternalTorques, f'{NAME}/external_torques', _drop, 10)]
    torques = added(ON)
    topics.append(driver.create_subscription(WrenchStamped, f'{NAME}/external_wrench', _drop, 10))
    wrench = added(ON)
    topics.append(driver.create_subscription(Contact, f'{NAME}/contact', _drop, 10))
    random, held = np.random.default_rng(0), np.array(message.effort)

    def touch() -> None:
        """A push as large as the thresholds, with noise that the observer does not remove."""
        message.effort = (held - random.normal(PUSH, NOISE, held.size)).tolist()

    touched = added(TOUCHED, touch)
    message.effort = held.tolist()
    for topic in topics:
        driver.destroy_subscription(topic)
    return AddedShares(alone, torques, wrench, touched)


def _drop(message: object) -> None:
    """Receive, and do nothing with it."""


def _added(
    driver: Node,
    peer: Peer,
    message: JointState,
    on: Values,
    change: Callable[[], object] = lambda: None,
) -> float:
    ratios = []
    for _ in range(BLOCKS):
        times = []
        for values in (OFF, on):
            _set(driver, peer, message, values)
            before = peer.processor_time
            peer.measure(message, BLOCK, change)
            times.append(peer.processor_time - before)
        ratios.append(times[1] / times[0] - 1.0)
    return float(np.median(ratios))


def _set(driver: Node, peer: Peer, message: JointState, values: Values) -> None:
    """Set parameters, and wait until what they change is under way."""
    client = driver.create_client(SetParameters, 'robot_dynamics/set_parameters')
    if not client.wait_for_service(DISCOVERY_LIMIT):
        raise TimeoutError(f'no service {client.srv_name}')
    changes = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    future = client.call_async(SetParameters.Request(parameters=changes))
    while not future.done():
        peer.measure(message, 1)
    if refused := [result.reason for result in future.result().results if not result.successful]:
        raise RuntimeError(refused[0])
    driver.destroy_client(client)
    # The observer settles, and gravity is compared with the efforts for half a second.
    peer.measure(message, BLOCK)
