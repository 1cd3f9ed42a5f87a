"""Limits as vectors in the order of q."""

import copy
import pickle

import numpy as np
import pytest
from mechanics.examples import MOVING_EXAMPLES
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.core import parse_urdf

pytestmark = pytest.mark.contract

URDF = """<robot name="r"><link name="base"/><link name="a"/><link name="b"/><link name="c"/>
<link name="d"/>
<joint name="slide" type="prismatic"><parent link="base"/><child link="a"/>
<limit lower="-0.25" upper="0.5" effort="40" velocity="2"/></joint>
<joint name="turn" type="continuous"><parent link="a"/><child link="b"/>
<limit effort="0" velocity="0"/></joint>
<joint name="follow" type="revolute"><parent link="b"/><child link="c"/><mimic joint="turn"/>
<limit lower="-9" upper="9" effort="9" velocity="9"/></joint>
<joint name="free" type="revolute"><parent link="c"/><child link="d"/></joint></robot>"""
VECTORS = {
    'lower': [-0.25, -np.inf, -np.inf],
    'upper': [0.5, np.inf, np.inf],
    'velocity_limits': [2.0, 0.0, np.inf],
    'effort_limits': [40.0, 0.0, np.inf],
    'velocity_bounds': [2.0, np.inf, np.inf],
    'effort_bounds': [40.0, np.inf, np.inf],
}


@pytest.mark.parametrize('name', VECTORS)
def test_are_those_of_the_description(name):
    """Infinite where it gives none; 0 is 0, as a bound none; a mimic joint has no entry."""
    limits = getattr(parse_urdf(URDF), name)
    assert limits.dtype == np.float64
    assert limits.tolist() == VECTORS[name]


@pytest.mark.parametrize('robot', HAND_WRITTEN + MOVING_EXAMPLES, ids=str)
def test_follow_the_order_of_q(robot):
    model = robot.model.reduced(robot.model.joint_names[::2], others=0.0)
    for name, joint in zip(model.joint_names, model.independent_joints, strict=True):
        index, limits = model.index_of(name), joint.limits
        assert (model.lower[index], model.upper[index]) == (limits.lower, limits.upper)
        assert model.velocity_limits[index] == limits.velocity
        assert model.effort_limits[index] == limits.effort


@pytest.mark.parametrize(
    'way', [lambda model: model, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
@pytest.mark.parametrize('name', VECTORS)
def test_cannot_be_written_into(name, way):
    model = parse_urdf(URDF)
    getattr(model, name)
    limits = getattr(way(model), name)
    with pytest.raises(ValueError, match='read-only'):
        limits[0] = 1.0
    assert limits.tolist() == VECTORS[name]
