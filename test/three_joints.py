"""A robot whose joints come out wrong if they are matched by position."""

import re

# On a base, the middle joint sliding, the text naming them in another order than the tree.
URDF = """
<robot name="three">
  <link name="base"/>
  <link name="hand"><inertial><origin xyz="0.1 0.02 0.3" rpy="0.3 0.2 0.1"/><mass value="1.5"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0.002" iyz="-0.001"/></inertial>
  </link>
  <link name="shoulder"><inertial><origin xyz="0.2 0 0.1"/><mass value="3"/>
    <inertia ixx="0.05" iyy="0.06" izz="0.055" ixy="0" ixz="0.001" iyz="0"/></inertial></link>
  <link name="slider"><inertial><origin xyz="0 0.05 0.2"/><mass value="2"/>
    <inertia ixx="0.03" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0.001"/></inertial></link>
  <joint name="wrist" type="revolute"><parent link="slider"/><child link="hand"/>
    <origin xyz="0 0 0.4" rpy="0.5 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" effort="20" velocity="3"/></joint>
  <joint name="turn" type="continuous"><parent link="base"/><child link="shoulder"/>
    <origin xyz="0 0 0.1" rpy="0.2 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="slide" type="prismatic"><parent link="shoulder"/><child link="slider"/>
    <origin xyz="0.3 0 0" rpy="0 0.4 0"/><axis xyz="0 0 1"/>
    <limit lower="-0.5" upper="0.5" effort="200" velocity="1"/></joint>
</robot>
"""
# The same with an effort limit for each joint.
LIMITED = URDF.replace(
    '<axis xyz="0 0 1"/></joint>', '<axis xyz="0 0 1"/><limit effort="30" velocity="3"/></joint>'
)
# The same without a velocity limit for any.
UNLIMITED = re.sub(' velocity="[^"]*"', ' velocity="0"', URDF)
JOINTS = ('turn', 'slide', 'wrist')


def state(q, v=None, names=JOINTS, extra=True):
    """A joint state; the names backwards, and with a joint that the model does not have."""
    # Here, so that tests of the core can use the robot where there is no ROS.
    from sensor_msgs.msg import JointState

    v = [0.0] * len(q) if v is None else v
    message = JointState(name=list(reversed(names)))
    message.position = [float(x) for x in reversed(q)]
    message.velocity = [float(x) for x in reversed(v)]
    if extra:
        message.name = ['gripper', *message.name]
        message.position = [0.7, *message.position]
        message.velocity = [0.1, *message.velocity]
    return message


INDEFINITE = URDF.replace('ixx="0.05" iyy="0.06" izz="0.055"', 'ixx="-9" iyy="-9" izz="-9"')
HEAVIER = URDF.replace('<mass value="1.5"/>', '<mass value="3"/>')
