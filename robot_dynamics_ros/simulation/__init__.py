"""A simulated arm: MuJoCo behind the topics and services of a real arm's driver.

Modules::

    simulated_arm   the ROS node
    arm_parameters  its parameters
    physics         the arm: joints, servo, brake, effort limits, time
    outside_forces  pushes on links, and what the wall exerts
    mujoco_model    the model of MuJoCo, from a URDF

Of `robot_dynamics_ros.core` and `control` it uses only errors, checks and trajectories: it must
not share the dynamics that it is there to test.
"""
