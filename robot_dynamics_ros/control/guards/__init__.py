"""What a computed torque passes before it is sent to a robot; no ROS, and no clock of its own.

- `guarded_feedforward`: the whole way from a joint state to a command; it calls all others.
- `guard_parts`: the guards of one robot, made, changed and handed over together.
- `state_guard`: refuses states with impossible stamps, positions or velocities.
- `accepted_state`: the last good measurement of each joint, and when it came.
- `followed_reference`: the reference, until it is over or the robot has left it.
- `supervisor`: whether to follow, to hold, to command zero, or to be silent.
- `inhibition`: reasons why commands must not start.
- `command_start`: begins at zero, or at the torque of an arm that is being held.
- `command_transition`: the way of the command to its target, through fade and limiter.
- `target_torque`: the torque that a mode asks for.
- `fade`: a continuous transition where the target of the command changes.
- `limiter`: the limits of the effort and of its rate.
- `collision_reaction`: what takes the place of the torque after a collision, until `~/enable`.
- `double_compensation`: detects a driver that adds gravity torque itself.
- `settings`: the settings of all of them.
"""
