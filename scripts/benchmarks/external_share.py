"""What the estimate of external torques adds to the processor time of the node, for each state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from round_trip import BLOCK, DISCOVERY_LIMIT, Peer
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.msg import ExternalTorques

BLOCKS = 8
# Above every residual: contacts are looked for, and there is none.
THRESHOLDS = {'collision_threshold': [1e3], 'push_threshold': [1e3]}
OFF, ON = {'external_observer': False}, {'external_observer': True, **THRESHOLDS}


def added_shares(driver: Node, peer: Peer, message: JointState) -> tuple[float, float]:
    """Shares of the processor time of a state without it [-], medians over blocks of a second.

    Args:
        driver: that sends states and sets parameters.
        peer: exchanges states and commands with the node.
        message: a state at rest, with the efforts that hold the arm.

    Returns:
        What the estimate and the detection of contacts add, without a subscriber; and with one of
        `~/external_torques`.
    """
    alone = _added(driver, peer, message)
    heard = driver.create_subscription(
        ExternalTorques, 'robot_dynamics/external_torques', lambda message: None, 10
    )
    with_subscriber = _added(driver, peer, message)
    driver.destroy_subscription(heard)
    return alone, with_subscriber


def _added(driver: Node, peer: Peer, message: JointState) -> float:
    ratios = []
    for _ in range(BLOCKS):
        times = []
        for values in (OFF, ON):
            _set(driver, peer, message, values)
            before = peer.processor_time
            peer.measure(message, BLOCK)
            times.append(peer.processor_time - before)
        ratios.append(times[1] / times[0] - 1.0)
    return float(np.median(ratios))


def _set(
    driver: Node, peer: Peer, message: JointState, values: Mapping[str, bool | list[float]]
) -> None:
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
