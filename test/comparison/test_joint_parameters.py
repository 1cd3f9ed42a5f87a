"""Parameters of joints as a friction model: by name, and common to the others."""

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.comparison.joint_parameters import JointParameters
from robot_dynamics_ros.core import ParameterError


def test_a_smoothing_by_joint_comes_before_that_of_all():
    """Parameters cannot name joints that mimic another one."""
    model = hand_written('mimic').model
    _, finger = model.joint_names
    parameters = JointParameters(
        coulomb=tuple((name, 2.0) for name in model.joint_names),
        smoothing=0.3,
        smoothings=((finger, 0.05), ('not recorded', 0.7)),
    )
    friction = parameters.friction(model)
    wanted = [0.05 if joint.name == finger else 0.3 for joint in model.joints]
    assert friction.smoothing.tolist() == wanted
    v = np.array([0.1, -0.2])
    coulomb = 2.0 * v / np.hypot(v, [0.3, 0.05])
    np.testing.assert_allclose(friction.torque(v), coulomb, rtol=1e-14)


def test_a_joint_that_has_only_a_smoothing_must_exist():
    parameters = JointParameters(smoothings=(('wrist', 0.05),))
    assert parameters.joints == ('wrist',)
    with pytest.raises(ParameterError, match="joint 'wrist'"):
        parameters.check_joints(hand_written('tree').model)
