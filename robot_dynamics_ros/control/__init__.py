"""From dynamics to a command, without ROS: feedforward, trajectories and guards."""
