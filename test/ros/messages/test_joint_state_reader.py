"""What a joint state says of the efforts."""

import math

import numpy as np
import pytest
from three_joints import JOINTS, state

from robot_dynamics_ros.ros.messages.joint_state_reader import JointStateReader


@pytest.mark.parametrize(
    ('effort', 'measured'), [(-7.0, True), (math.nan, False), (math.inf, False), (-1e200, False)]
)
def test_efforts_that_no_drive_has_are_no_reason_to_refuse_a_state(effort, measured):
    reader = JointStateReader(JOINTS)
    message = state([0.1, 0.2, 0.3])
    message.effort = [0.0, 3.0, effort, 1.0]
    reader.read(message)
    assert reader.has_effort == measured
    np.testing.assert_array_equal(reader.q, [0.1, 0.2, 0.3])
    if measured:
        np.testing.assert_array_equal(reader.effort, [1.0, -7.0, 3.0])
