"""From the dynamics of a robot to torque commands; no ROS.

- `feedforward`: the torque of the selected terms, at a reference or at the measured state.
- `trajectory`: a reference motion, interpolated between points.
- `trajectory_efforts`: the torques that a trajectory needs at its points.
- `joint_demand`: these torques, speeds and positions compared with the limits of the joints.
- `acceleration`: the acceleration, estimated from the measured velocity.
- `external`: what pushes on the robot: torque of each joint, wrench, touched link.
- `torque_text`: torques of joints in messages.
- `guards`: what a computed torque passes before it is sent to a robot.
"""
