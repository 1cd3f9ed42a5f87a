"""A simulated arm: MuJoCo behind the topics and services of a real arm's driver.

Modules::

    simulated_arm       the ROS node
    arm_parameters      its parameters
    arm_services        its services
    applied_wrenches    its topic of what acts on it from outside
    physics             the arm: joints, brake, effort limits, time
    outside_forces      pushes on links, and what the wall exerts
    wall                a plane that a ball about a link cannot pass
    mujoco_model        the model of MuJoCo
    mujoco_description  the URDF reduced to what MuJoCo needs
    servo               the position servo of a drive
    trajectory_message  trajectories from JointTrajectory messages
    pacing              the clock of the cycles

Of `robot_dynamics_ros.core` and `control` it uses only errors, checks and trajectories: it must
not share the dynamics that it is there to test.
"""
