"""The longest wait for a command at 1 kHz while a payload is set and removed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from geometry_msgs.msg import Inertia
from rclpy.node import Node
from round_trip import PERIOD, Peer
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import SetPayload

REPEATS = 20
MASSES = {'set': 0.5, 'removed': 0.0}


def longest_waits(node: Node, peer: Peer, message: JointState, frame: str) -> dict[str, float]:
    """In periods of the loop, medians over the changes of each kind.

    By kind of change: the longest wait while it is made; under `quiet`, that of as many cycles
    without a change; under `set adds` and `removed adds`, the difference of the two, so that what
    the machine does meanwhile is in both.

    Args:
        node: that asks for the changes.
        peer: that exchanges states and commands with the node under test.
        message: the state.
        frame: link that carries the payload.
    """
    payload = node.create_client(SetPayload, '/robot_dynamics/set_payload')
    payload.wait_for_service()

    def asked(mass: float) -> Callable[[], bool]:
        request = SetPayload.Request(frame=frame, inertia=Inertia(m=mass))
        future = payload.call_async(request)

        def answered() -> bool:
            if future.done():
                assert future.result().success, future.result().message
            return future.done()

        return answered

    waits: dict[str, list[float]] = {}
    for _ in range(REPEATS):
        for name, mass in MASSES.items():
            before = len(peer.round_trips)
            changed = _longest(peer, message, until=asked(mass))
            quiet = _longest(peer, message, count=len(peer.round_trips) - before)
            found = {'quiet': quiet, name: changed, f'{name} adds': changed - quiet}
            for kind, wait in found.items():
                waits.setdefault(kind, []).append(wait)
    return {name: float(np.median(values)) for name, values in waits.items()}


def _longest(
    peer: Peer, message: JointState, count: int = 0, until: Callable[[], bool] = lambda: True
) -> float:
    """The longest round trip of at least so many, until something is done [periods]."""
    before = len(peer.round_trips)
    while count > 0 or not until():
        peer.measure(message, 1)
        count -= 1
    return max(peer.round_trips[before:], default=0.0) / PERIOD
