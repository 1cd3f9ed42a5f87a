"""The torque of an identified model is what its parameters say, each by its own formula."""

import numpy as np
import pytest
from identified import identified_model
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics

pytestmark = pytest.mark.contract


@pytest.mark.parametrize('name', ['mimic', 'gantry', 'fixed_links'])
def test_torque_is_the_sum_of_its_terms(name):
    """Bodies by the regressor of the description, which does not know the identified model."""
    described = hand_written(name).model
    identified = identified_model(described)
    q, v, a = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 20, described.size))
    Y = RobotDynamics(described, backend='python').regressor(q, v, a)
    rigid = Y @ identified.model.inertial_parameters()
    values = identified.values
    viscous = np.where(v < 0.0, values['viscous_negative'], values['viscous'])
    coulomb = np.where(v < 0.0, values['coulomb_negative'], values['coulomb'])
    falling = 1.0 + (v / values['stribeck_velocity']) ** 2
    dry = coulomb + values['load'] * np.abs(rigid)
    friction = viscous * v + dry * v / np.sqrt(v**2 + values['smoothing'] ** 2)
    # A contact that has slipped for long.
    slipped = values['stribeck'] / falling + values['presliding'] + values['presliding_long']
    friction += slipped * v / np.sqrt(v**2 + 0.01**2)
    friction += values['gradual'] * v / np.sqrt(v**2 + values['gradual_smoothing'] ** 2)
    expected = rigid + values['armature'] * a + friction + values['torque_offset']
    found = identified.inverse_dynamics(q, v, a)
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)
    assert identified.inverse_dynamics(q[0], v[0], a[0]) == pytest.approx(expected[0], rel=1e-11)
