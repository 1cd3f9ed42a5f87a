"""What stands between a computed torque and a robot: each guard knows no ROS and no clock."""
