"""No reference, however it is made, keeps the node from answering the next state."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from malformed import MODERATE, NUMBERS, anything
from property_settings import tried
from three_joints import JOINTS, state
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint


@st.composite
def nearly_right(draw):
    """A trajectory of our joints whose times and numbers may be off."""
    message = JointTrajectory(joint_names=list(draw(st.permutations(JOINTS))))
    number = draw(st.sampled_from([MODERATE, NUMBERS]))
    vector = st.lists(number, min_size=3, max_size=draw(st.sampled_from([3, 3, 4])))
    seconds = 0
    for _ in range(draw(st.integers(0, 4))):
        point = JointTrajectoryPoint(positions=draw(vector))
        if draw(st.booleans()):
            point.velocities = draw(vector)
        if draw(st.booleans()):
            point.accelerations = draw(vector)
        seconds += draw(st.sampled_from([1, 1, 1, 0, -1]))
        point.time_from_start.sec = seconds
        message.points.append(point)
    return message


INPUTS = nearly_right() | anything(JointTrajectory)


@tried
@given(INPUTS)
def test_the_next_state_is_answered(node, message):
    counters = node.topic_counters['reference']
    heard = counters.used + counters.rejected
    next(s for s in node.subscriptions if s.topic_name.endswith('/reference')).callback(message)
    assert counters.used + counters.rejected == heard + 1
    with node.robot_holder.lock:
        robot, now = node.robot_holder.require(), node.robot_holder.clock.now()
        try:
            robot.take(state([0.1, 0.2, 0.3]), now)
            assert np.isfinite(robot.guard.command(now)).all()
        finally:
            robot.guard.set_reference(None, now)
