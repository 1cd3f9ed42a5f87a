"""The plan keeps to the limits of any arm."""

import numpy as np
import pytest
from three_joints import LIMITED, URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.demo import DemoError
from robot_dynamics_ros.demo.plan import HOLDING_SHARE, MOVING_SHARE, Plan

NARROW = 'lower="0.1" upper="0.7" effort="20" velocity="0.05"'
ARMS = {
    'narrow and slow': LIMITED.replace('lower="-2" upper="2" effort="20" velocity="3"', NARROW),
    'weak': LIMITED.replace('effort="20"', 'effort="8"'),
    'without limits of velocity': LIMITED.replace('velocity="3"', 'velocity="0"'),
}


@pytest.mark.parametrize('arm', ARMS)
def test_every_motion_keeps_to_the_limits(arm):
    model = parse_urdf(ARMS[arm])
    plan = Plan(model, 4.0)
    gravity = np.abs(plan.dynamics.gravity_torque(plan.home))
    assert (gravity <= HOLDING_SHARE * model.effort_bounds).all()
    assert gravity.max() > 1.0
    for trajectory in (plan.trajectory, plan.out, plan.back):
        times = np.linspace(0.0, trajectory.end, 200, endpoint=False)
        q, v, a = np.stack([trajectory.at(time) for time in times], axis=1)
        torques = np.abs(plan.dynamics.inverse_dynamics(q, v, a))
        assert (torques <= 1.01 * MOVING_SHARE * model.effort_bounds).all()
        assert (np.abs(v) <= 1.01 * MOVING_SHARE * model.velocity_bounds).all()
        assert (q >= model.lower).all()
        assert (q <= model.upper).all()


def test_names_the_joint_without_an_effort_limit_or_too_weak():
    with pytest.raises(DemoError, match='effort limit of turn'):
        Plan(parse_urdf(URDF), 4.0)
    with pytest.raises(DemoError, match=r'wrist, .* 0\.0001'):
        Plan(parse_urdf(LIMITED.replace('effort="20"', 'effort="1e-4"')), 4.0)
