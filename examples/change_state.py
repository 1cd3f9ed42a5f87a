"""Changes the lifecycle state of a running dynamics_node, without the command `ros2`.

python examples/change_state.py deactivate     # or configure, activate, cleanup
python examples/change_state.py --node /left/robot_dynamics activate
"""

import argparse
import sys

import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState

TRANSITIONS = {
    'configure': Transition.TRANSITION_CONFIGURE,
    'activate': Transition.TRANSITION_ACTIVATE,
    'deactivate': Transition.TRANSITION_DEACTIVATE,
    'cleanup': Transition.TRANSITION_CLEANUP,
}

parser = argparse.ArgumentParser(description='Changes the state of a running dynamics_node.')
parser.add_argument('--node', default='/robot_dynamics', help='full name of the node')
parser.add_argument('transition', choices=TRANSITIONS)
options = parser.parse_args()
rclpy.init()
node = rclpy.create_node('lifecycle_client')


def call(service, name, request):
    """The response of a service of the node."""
    client = node.create_client(service, f'{options.node}/{name}')
    if not client.wait_for_service(timeout_sec=10.0):
        sys.exit(
            f'no service {options.node}/{name}: run dynamics_node with the same ROS_DOMAIN_ID, '
            'see --node'
        )
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future, timeout_sec=60.0)
    return future.result() or sys.exit(f'no response of {options.node}/{name} within 60 s')


transition = Transition(id=TRANSITIONS[options.transition])
done = call(ChangeState, 'change_state', ChangeState.Request(transition=transition)).success
state = call(GetState, 'get_state', GetState.Request()).current_state.label
print(state)
sys.exit(not done and f'{options.transition} failed: see the log of the node')
