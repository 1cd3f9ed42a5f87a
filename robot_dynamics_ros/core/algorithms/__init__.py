"""The algorithms: plain functions of a robot and its state, over any scalar.

They take, where a docstring says nothing else:

    model     the robot, with n independent joints
    q         (n,) positions [rad or m]
    v         (n,) velocities [rad/s or m/s]
    a         (n,) accelerations [rad/s^2 or m/s^2]
    tau       (n,) torques and forces of the joints [N m or N]
    gravity   (3,) in the base frame [m/s^2]
    frame     one of `model.frames`
    axes      of a twist, see `kinematics.Axes`
    poses     of every body in its parent body, see `kinematics.joint_poses`

They check nothing: `RobotDynamics` does. Lists come back, of scalars or of lists of them.
"""
