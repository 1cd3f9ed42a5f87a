"""What a change of a parameter adds to the longest gap between commands at 1 kHz."""

import numpy as np
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from round_trip import DISCOVERY_LIMIT, Peer
from sensor_msgs.msg import JointState

SETS = 50
# Round trips after each set, and as many without one.
WINDOW = 40


def added_gap(driver: Node, peer: Peer, message: JointState) -> float:
    """The longest round trip after a set less that without one, the median of SETS [s]."""
    client = driver.create_client(SetParameters, 'robot_dynamics/set_parameters')
    if not client.wait_for_service(DISCOVERY_LIMIT):
        raise TimeoutError(f'no service {client.srv_name}')
    peer.wait_until_found(message)
    peer.measure(message, WINDOW)
    quiet, busy, answers = [], [], []
    for index in range(SETS):
        quiet.append(_longest(peer, message))
        client.call_async(_request(index)).add_done_callback(answers.append)
        busy.append(_longest(peer, message))
    accepted = sum(result.successful for done in answers for result in done.result().results)
    if accepted < SETS:
        raise RuntimeError(f'{SETS - accepted} of {SETS} changes of fade_time were not made')
    return float(np.median(busy) - np.median(quiet))


def _request(index: int) -> SetParameters.Request:
    duration = 0.5 + 0.005 * index
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=duration)
    return SetParameters.Request(parameters=[Parameter(name='fade_time', value=value)])


def _longest(peer: Peer, message: JointState) -> float:
    peer.round_trips.clear()
    peer.measure(message, WINDOW)
    return max(peer.round_trips, default=np.inf)
