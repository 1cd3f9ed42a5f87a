"""A simulated arm to try torques on: MuJoCo behind the topics that a real arm's driver has.

    description  the URDF, stripped to what moves          -> JointData, MuJoCo's text
    physics      the arm itself: joints, brake, effort limits, time
    servo        the position servo of a real drive
    trajectory   joint trajectories, interpolated in time
    simulated_arm  the ROS node

Nothing here uses `robot_dynamics_ros.core`: the engine is there to judge it.
"""
