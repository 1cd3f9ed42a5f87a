"""Prints M(q) of a running dynamics_node, without the command `ros2`.

python examples/get_mass_matrix.py joint1=0.1 joint2=-0.5 joint3=1.2
python examples/get_mass_matrix.py                   # at the latest state on joint_states
python examples/get_mass_matrix.py --node /left/robot_dynamics
"""

import argparse
import sys

import numpy as np
import rclpy
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import GetMassMatrix


def joint_position(text):
    """The name and the position of JOINT=POSITION."""
    name, _, position = text.partition('=')
    try:
        return name, float(position)
    except ValueError:
        raise argparse.ArgumentTypeError(f'{text!r} is not JOINT=POSITION') from None


parser = argparse.ArgumentParser(description='Prints M(q) of a running dynamics_node.')
parser.add_argument('--node', default='/robot_dynamics', help='full name of the node')
parser.add_argument('joints', nargs='*', type=joint_position, metavar='JOINT=POSITION')
options = parser.parse_args()
service = f'{options.node}/get_mass_matrix'
rclpy.init()
node = rclpy.create_node('mass_matrix_client')
client = node.create_client(GetMassMatrix, service)
if not client.wait_for_service(timeout_sec=10.0):
    sys.exit(f'no service {service}: run dynamics_node with the same ROS_DOMAIN_ID, see --node')
names = [name for name, _ in options.joints]
position = [position for _, position in options.joints]
request = GetMassMatrix.Request(state=JointState(name=names, position=position))
future = client.call_async(request)
rclpy.spin_until_future_complete(node, future, timeout_sec=10.0)
answer = future.result()
if answer is None or not answer.success:
    sys.exit(answer.message if answer else f'no response of {service} within 10 s')
if answer.message:
    print(answer.message, file=sys.stderr)
print(*answer.joint_names)
for row in np.reshape(answer.mass_matrix.data, (len(answer.joint_names), -1)):
    print(*row.tolist())
