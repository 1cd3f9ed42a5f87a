"""A simulated arm to try torques on: MuJoCo behind the topics that a real arm's driver has.

    description  the URDF, stripped to what moves          -> JointData, MuJoCo's text
    physics      the arm itself: joints, brake, effort limits, time
    servo        the position servo of a real drive
    reference    joint trajectories, from messages
    simulated_arm  the ROS node

Of `robot_dynamics_ros.core` nothing but the trajectories is used here: the engine is there to
judge the dynamics.
"""
