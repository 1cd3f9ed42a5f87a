"""From joint states to torque commands, and to what pushes on the robot; no ROS."""
