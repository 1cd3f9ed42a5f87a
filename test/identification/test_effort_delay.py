"""The delay of efforts: a planted one comes out, and what is not certain is none."""

from dataclasses import replace

import numpy as np
import pytest
from identified_equations import COULOMB, exact_motion, law
from mechanics.robots import hand_written
from property_settings import ALL

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification.effort_delay import effort_delay, least_delay
from robot_dynamics_ros.identification.equations import Equations
from robot_dynamics_ros.identification.identify import identify
from robot_dynamics_ros.identification.motion_equations import MotionEquations
from robot_dynamics_ros.identification.parameters import ParameterLayout

ROBOT = hand_written('gantry').model
RATE = 100.0
DYNAMICS = RobotDynamics(ROBOT, backend='python')
LAYOUT = ParameterLayout(ROBOT)
MADE = MotionEquations(LAYOUT, DYNAMICS, cutoff=10.0, effort_levels=np.inf)


@pytest.fixture(scope='module')
def found():
    """The delay that is found where efforts are late.

    Some joints may be slow, with a fortieth of their speed, and friction may lag behind reversals.
    """
    exact = exact_motion(DYNAMICS, seconds=6.0, rate=RATE, cutoff=25.0)
    moderate = exact_motion(DYNAMICS, seconds=6.0, rate=RATE, cutoff=25.0, highest=0.5)

    def searched(delay, *, slow=None, lag=0.0, noise=0.01, inflation=1.0, known=None):
        motion = exact if slow is None else slowed(moderate, slow, lag)
        late = [np.interp(motion.times - delay, motion.times, one) for one in motion.efforts.T]
        spread = noise * motion.efforts.std(axis=0)
        errors = spread * np.random.default_rng(1).normal(size=motion.efforts.shape)
        motion = replace(motion, efforts=np.stack(late, axis=1) + errors)
        equations = Equations.joined(MADE.of_motions([motion])).with_known(known or {})
        return effort_delay(equations, replace(identify(equations), inflation=inflation))

    return searched


def slowed(motion, slow, lag):
    shares = np.where(np.isin(LAYOUT.joints, slow), 1.0 / 40.0, 1.0)
    q, v, a = (shares * one for one in (motion.positions, motion.velocities, motion.accelerations))
    efforts = law(DYNAMICS, q, v, a)
    if lag:
        friction, share = COULOMB * np.sign(v), np.exp(-1.0 / (RATE * lag))
        for index in range(1, len(friction)):
            friction[index] += share * (friction[index - 1] - friction[index])
        efforts += friction - COULOMB * np.sign(v)
    return replace(motion, positions=q, velocities=v, accelerations=a, efforts=efforts)


@pytest.mark.parametrize('delay', [0.025, -0.025, 0.08])
def test_a_planted_delay_is_found(found, delay):
    """Beside friction and rotors, which take up most of it."""
    assert found(delay)[0] == pytest.approx(delay, abs=5e-4)


def test_known_parameters_are_no_delay(found):
    known = {f'{joint} coulomb': COULOMB for joint in LAYOUT.joints}
    assert found(0.0, known=known)[0] == 0.0
    assert found(0.025, known=known)[0] == pytest.approx(0.025, abs=5e-4)


def test_an_uncertain_delay_is_none(found):
    """There is none, or noise hides it, or residuals are so correlated that it could be theirs."""
    assert found(0.0) == (0.0, False)
    assert found(0.015, noise=1.0)[0] == 0.0
    assert found(0.025, inflation=1e6)[0] == 0.0


@pytest.mark.parametrize('slow', [(), *zip(LAYOUT.joints)][:: 1 if ALL else 2], ids=str)
def test_a_slow_joint_hides_neither_a_delay_nor_that_friction_lags(found, slow):
    assert found(0.025, slow=slow)[0] == pytest.approx(0.025, abs=1e-3)
    assert found(0.0, slow=slow, lag=0.06)[0] == 0.0


def test_where_all_joints_are_slow_a_delay_is_not_that_of_fast_motion(found):
    assert found(0.025, slow=LAYOUT.joints)[1]


@pytest.mark.parametrize('delay', [-0.0213, 0.0, 0.094])
@pytest.mark.parametrize(
    ('errors', 'near'), [(np.square, 1e-6), (lambda x: 2e-4 * np.cosh(100.0 * x), 5e-3)]
)
def test_the_delay_of_a_parabola_is_its_vertex_and_has_half_its_curvature(delay, errors, near):
    """So has a curve that is nearly a parabola: the second step is the nearer one."""
    found = least_delay(lambda one: 3.0 * errors(one - delay) - 2.0)
    assert found[0] == pytest.approx(delay, abs=1e-3 * near)
    assert found[2] == pytest.approx(3.0, rel=near)
