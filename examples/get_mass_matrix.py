"""Prints M(q) of a running dynamics_node, without the command `ros2`.

python examples/get_mass_matrix.py joint1=0.1 joint2=-0.5 joint3=1.2
python examples/get_mass_matrix.py                   # at the latest state on joint_states
"""

import sys

import numpy as np
import rclpy
from sensor_msgs.msg import JointState

from robot_dynamics_interfaces.srv import GetMassMatrix

rclpy.init()
node = rclpy.create_node('mass_matrix_client')
client = node.create_client(GetMassMatrix, '/robot_dynamics/get_mass_matrix')
if not client.wait_for_service(timeout_sec=10.0):
    sys.exit(
        'no service /robot_dynamics/get_mass_matrix: run dynamics_node with the same ROS_DOMAIN_ID'
    )
names = [argument.partition('=')[0] for argument in sys.argv[1:]]
position = [float(argument.partition('=')[2]) for argument in sys.argv[1:]]
request = GetMassMatrix.Request(state=JointState(name=names, position=position))
future = client.call_async(request)
rclpy.spin_until_future_complete(node, future, timeout_sec=10.0)
answer = future.result()
if answer is None or not answer.success:
    sys.exit(answer.message if answer else 'no response within 10 s')
print(*answer.joint_names)
for row in np.reshape(answer.mass_matrix.data, (len(answer.joint_names), -1)):
    print(*row.tolist())
