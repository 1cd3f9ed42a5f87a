"""How many digits a robot loses that is far from the origin of its base frame.

The bounds are those that the docstring of `RobotDynamics` promises. The expected values are those
of the same robot with its base frame where its first joint is: moving the base changes nothing.
"""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

DISTANCES = (1e1, 1e3, 1e5)
# Of m d^2 and the joint rates. The worst that was seen is 8e-17.
PROMISED = 2e-16
UNAFFECTED = (
    'inverse_dynamics',
    'gravity_torque',
    'bias_torque',
    'torque_terms',
    'mass_matrix',
    'momentum_terms',
    'regressor',
    'center_of_mass_jacobian',
)
ARGUMENTS = dict.fromkeys(('mass_matrix', 'gravity_torque', 'center_of_mass_jacobian'), 'q')
ARGUMENTS['bias_torque'] = ARGUMENTS['momentum_terms'] = 'qv'


def moved_away(robot, distance):
    """With the robot's base at this distance from the root link, in a direction of no axis."""
    x, y, z = distance * np.array([0.6, -0.64, 0.48])
    root = robot.model.frames[0].name
    pedestal = (
        '<link name="far_away"/><joint name="distance" type="fixed"><parent link="far_away"/>'
        f'<child link="{root}"/><origin xyz="{x} {y} {z}"/></joint></robot>'
    )
    return parse_urdf(robot.text.replace('</robot>', pedestal))


def errors(near, far, states, distance):
    """Largest error of each quantity, as a share of m d^2 and the rates that it is made of."""
    mass = sum(joint.inertia.mass for joint in near.model.joints)
    lever = mass * distance**2
    worst = dict.fromkeys(('coriolis_matrix', 'kinetic_energy', 'derivatives'), 0.0)
    for q, v, a, _ in states:
        # The fastest body turns at most that fast, and changes that by at most that much.
        speed = np.abs(v).sum()
        change = np.abs(a).sum() + speed**2 + 9.81 / distance
        shares = {
            'coriolis_matrix': (near.coriolis_matrix, far.coriolis_matrix, (q, v), speed),
            'kinetic_energy': (near.kinetic_energy, far.kinetic_energy, (q, v), speed**2),
            'derivatives': (
                near.inverse_dynamics_derivatives,
                far.inverse_dynamics_derivatives,
                (q, v, a),
                max(change, speed, 1.0),
            ),
        }
        for name, (here, there, inputs, rate) in shares.items():
            error = np.abs(np.subtract(there(*inputs), here(*inputs))).max()
            worst[name] = max(worst[name], error / (lever * rate))
    return worst


@pytest.mark.parametrize('name', ['oblique', 'mimic'])
def test_errors_grow_with_the_square_of_the_distance_and_stay_within_the_promise(name, backend):
    robot = hand_written(name)
    near = getattr(robot, backend)
    shares = {}
    for distance in DISTANCES:
        far = RobotDynamics(moved_away(robot, distance), backend=backend)
        shares[distance] = errors(near, far, robot.states(10), distance)
        assert max(shares[distance].values()) <= PROMISED
    # A share of m d^2 that neither grows nor vanishes: the error is of that very order.
    for quantity in shares[DISTANCES[0]]:
        of_all = [shares[distance][quantity] for distance in DISTANCES]
        assert max(of_all) <= 100.0 * min(of_all)


@pytest.mark.parametrize('distance', DISTANCES)
def test_torques_and_mass_matrix_lose_nothing(dynamics, distance):
    robot = hand_written('oblique')
    far = RobotDynamics(moved_away(robot, distance), backend=dynamics.backend)
    for q, v, a, _ in robot.states(5):
        given = {'q': q, 'v': v, 'a': a}
        for quantity in UNAFFECTED:
            inputs = [given[letter] for letter in ARGUMENTS.get(quantity, 'qva')]
            expected = getattr(dynamics, quantity)(*inputs)
            assert_close(getattr(far, quantity)(*inputs), expected)
        tau = dynamics.inverse_dynamics(q, v, a)
        expected = dynamics.forward_dynamics(q, v, tau)
        assert_close(far.forward_dynamics(q, v, tau), expected, scale=100.0)
