"""The laws of kinematics, forward dynamics, energies, derivatives and the regressor.

As in `mechanics.laws`, each raises AssertionError, for whatever computes: floats, plain Python or
native code.
"""

from itertools import product

import numpy as np

from mechanics.closeness import assert_close, coriolis_scale, gravity, solvable, torque_scale
from mechanics.complex_step import derivative, gradient
from mechanics.float_dynamics import FloatDynamics
from mechanics.laws import GRAVITY, laws_among
from robot_dynamics_ros.core import JointFriction
from robot_dynamics_ros.core.algorithms import centroidal
from robot_dynamics_ros.core.algorithms.crba import mass_matrix
from robot_dynamics_ros.core.algorithms.forward_dynamics import forward_dynamics
from robot_dynamics_ros.core.algorithms.friction import (
    KINDS,
    feedforward_step,
    first_order_response,
    friction_step,
)
from robot_dynamics_ros.core.algorithms.kinematics import (
    AXES,
    frame_pose,
    frame_velocity,
    jacobian,
)
from robot_dynamics_ros.core.algorithms.observer import momentum_terms, observer_step
from robot_dynamics_ros.core.algorithms.rnea import inverse_dynamics


def total_mass(robot):
    return sum(joint.inertia.mass for joint in robot.model.joints)


def motion(robot, frame, q, v):
    """Pose of a frame, its rate, and its angular velocity, by the complex step."""
    pose = np.array(frame_pose(robot.model, q, frame))
    rate = derivative(lambda x: frame_pose(robot.model, x, frame), q, v)
    turning = rate[:, :3] @ pose[:, :3].T
    assert_close(turning, -turning.T, np.abs(v).sum())
    return pose, rate, np.array([turning[2, 1], turning[0, 2], turning[1, 0]])


def some_frames(robot):
    """The base, the last link, and one between."""
    found = robot.model.frames
    return [found[0], found[len(found) // 2], found[-1]]


# Laws of kinematics


def poses_of_all_frames_are_those_of_each(robot, dynamics, state):
    poses = dynamics.frame_poses(state.q)
    assert poses.shape == (len(robot.model.frames), 3, 4)
    for frame, pose in zip(robot.model.frames, poses, strict=True):
        R, p = dynamics.frame_pose(state.q, frame.name)
        assert_close(pose, np.column_stack([R, p]), scale=1.0)


def jacobian_gives_the_rate_of_the_pose(robot, dynamics, state):
    q, v, scale = state.q, state.v, np.abs(state.v).sum()
    for frame in some_frames(robot):
        pose, rate, omega = motion(robot, frame, q, v)
        R, p = pose[:, :3], pose[:, 3]
        twists = {
            'LOCAL': [*R.T @ rate[:, 3], *R.T @ omega],
            'WORLD': [*rate[:, 3] - np.cross(omega, p), *omega],
            'LOCAL_WORLD_ALIGNED': [*rate[:, 3], *omega],
        }
        for axes, twist in twists.items():
            assert_close(dynamics.jacobian(q, frame.name, axes) @ v, twist, scale)


def frames_move_as_their_jacobians_say(robot, dynamics, state):
    """J v, and its derivative J a + J_dot v, which is that of the twist along (v, a)."""
    n, (q, v, a, _) = robot.model.size, state
    for frame, axes in product(some_frames(robot), AXES):

        def twist(x, frame=frame, axes=axes):
            return frame_velocity(robot.model, x[:n], x[n:], frame, axes)

        def columns(x, frame=frame, axes=axes):
            return jacobian(robot.model, x, frame, axes)

        J = dynamics.jacobian(q, frame.name, axes)
        J_dot = dynamics.jacobian_derivative(q, v, frame.name, axes)
        scale = np.abs(v).sum()
        assert_close(J_dot, derivative(columns, q, v), scale)
        assert_close(dynamics.frame_velocity(q, v, frame.name, axes), J @ v, scale)
        found = dynamics.frame_acceleration(q, v, a, frame.name, axes)
        scale = np.abs(a).sum() + scale**2
        assert_close(found, J @ a + J_dot @ v, scale)
        rate = derivative(twist, np.concatenate([q, v]), np.concatenate([v, a]))
        assert_close(found, rate, scale)


def wrenches_act_by_the_transposed_jacobian(robot, dynamics, state):
    """tau = J^T h."""
    wrench = np.array([3.0, -4.0, 5.0, 0.7, -0.2, 0.4])
    for frame in some_frames(robot):
        tau = dynamics.external_torque(state.q, wrench, frame.name)
        J = dynamics.jacobian(state.q, frame.name, 'LOCAL_WORLD_ALIGNED')
        assert_close(tau, J.T @ wrench, np.abs(wrench).max())


def passivity_torque_is_that_of_the_matrices(robot, dynamics, state):
    """M a_r + C v_r + g, which is the inverse dynamics where v_r = v."""
    q, v, a_r, v_r = state
    with gravity(dynamics, GRAVITY):
        M, C = dynamics.mass_matrix(q), dynamics.coriolis_matrix(q, v)
        g = dynamics.gravity_torque(q)
        tau = dynamics.passivity_torque(q, v, v_r, a_r)
    scale = np.abs(M).max() * (np.abs(a_r).sum() + np.abs(v).sum() * np.abs(v_r).sum())
    assert_close(tau, M @ a_r + C @ v_r + g, scale + np.abs(g).max())


# Laws of forward dynamics


def inverse_of_forward_dynamics_returns_the_torque(robot, dynamics, state):
    q, v, tau, _ = state
    M = dynamics.mass_matrix(q)
    if solvable(M):
        a = dynamics.forward_dynamics(q, v, tau)
        scale = 10.0 * np.abs(M).max() * np.abs(a).max()
        assert_close(dynamics.inverse_dynamics(q, v, a), tau, scale)


def mass_matrix_times_its_inverse_is_one(robot, dynamics, state):
    M = dynamics.mass_matrix(state.q)
    if solvable(M):
        inverse = dynamics.mass_matrix_inverse(state.q)
        assert np.array_equal(inverse, inverse.T)
        assert_close(M @ inverse, np.eye(len(M)), np.abs(M).max() * np.abs(inverse).max())


# Laws of energy and momentum


def kinetic_energy_is_that_of_the_mass_matrix(robot, dynamics, state):
    v, M = state.v, dynamics.mass_matrix(state.q)
    scale = np.abs(v) @ np.abs(M) @ np.abs(v)
    assert_close(dynamics.kinetic_energy(state.q, v), 0.5 * v @ M @ v, scale)


def potential_energy_has_the_gravity_torque_for_gradient(robot, dynamics, state):
    model, q = robot.model, state.q
    slope = gradient(lambda x: [centroidal.potential_energy(model, x, GRAVITY)], q)[0]
    with gravity(dynamics, GRAVITY):
        scale = total_mass(robot) * np.linalg.norm(GRAVITY)
        assert_close(dynamics.gravity_torque(q), slope, scale)
        U = centroidal.potential_energy(model, q.tolist(), GRAVITY.tolist())
        assert_close(dynamics.potential_energy(q), U, 10.0 * scale)


def power_of_the_torques_is_the_rate_of_energy(robot, dynamics, state):
    model, n, (q, v, a, _) = robot.model, robot.model.size, state

    def total(x):
        kinetic = centroidal.kinetic_energy(model, x[:n], x[n:])
        return [kinetic + centroidal.potential_energy(model, x[:n], GRAVITY)]

    (rate,) = derivative(total, np.concatenate([q, v]), np.concatenate([v, a]))
    with gravity(dynamics, GRAVITY):
        tau, g = dynamics.inverse_dynamics(q, v, a), dynamics.gravity_torque(q)
    M = np.abs(dynamics.mass_matrix(q))
    scale = np.abs(v) @ (np.abs(tau) + np.abs(g) + M @ np.abs(a) + M @ np.abs(v))
    assert_close(v @ tau, rate, scale)


def momentum_is_the_sum_over_bodies(robot, dynamics, state):
    """m c_dot, and c x m c_dot + I_c omega."""
    carried = {}
    for frame in robot.model.frames:
        # The link that the joint leads to comes first.
        carried.setdefault(frame.body, frame)
    linear, angular = np.zeros(3), np.zeros(3)
    for index, joint in enumerate(robot.model.joints):
        pose, rate, omega = motion(robot, carried[index], state.q, state.v)
        body, R = joint.inertia, pose[:, :3]
        center = np.array([*body.center_of_mass, 1.0])
        momentum = body.mass * (rate @ center)
        spin = R @ np.array(body.rotational_at_center_of_mass) @ R.T @ omega
        linear += momentum
        angular += np.cross(pose @ center, momentum) + spin
    scale = total_mass(robot) * np.abs(state.v).sum()
    assert_close(dynamics.momentum(state.q, state.v), [*linear, *angular], scale)


def momentum_terms_are_those_of_the_matrices(robot, dynamics, state):
    """M v and C^T v."""
    q, v, M = state.q, state.v, dynamics.mass_matrix(state.q)
    p, c = dynamics.momentum_terms(q, v)
    speed = np.abs(v).sum()
    assert_close(p, M @ v, np.abs(M).max() * speed)
    assert_close(c, dynamics.coriolis_matrix(q, v).T @ v, np.abs(M).max() * speed**2)


def momentum_changes_as_the_torques_say(robot, dynamics, state):
    """p_dot = tau + C^T v - g, with p_dot by the complex step."""
    n, (q, v, a, _) = robot.model.size, state

    def momentum(x):
        return momentum_terms(robot.model, x[:n], x[n:])[0]

    rate = derivative(momentum, np.concatenate([q, v]), np.concatenate([v, a]))
    tau, g = dynamics.inverse_dynamics(q, v, a), dynamics.gravity_torque(q)
    c = dynamics.momentum_terms(q, v)[1]
    scale = np.abs(tau).max() + np.abs(g).max() + np.abs(c).max()
    assert_close(tau + c - g, rate, scale)


def friction_is_the_sum_of_its_terms(robot, dynamics, state):
    """Of the joints, by the formula with branches and exponentials; the feedforward has it too."""
    n, (q, v, a, load) = robot.model.size, state
    model = robot.model.with_armature({joint.name: 0.7 for joint in robot.model.joints})
    friction, slips = _friction(robot), np.random.default_rng(4).uniform(-1.0, 1.0, (2, n))
    coefficients = friction.coefficients.tolist()
    for scale in (0.0, 1e-3, 1.0, 1e3):
        rates, travel = scale * v, 0.01 * scale * v
        rows = friction_step(
            robot.model, rates, load, travel, coefficients, slips.ravel().tolist()
        )
        after = _slipped(robot, friction, slips, travel)
        torque = _resistance(robot, friction, rates, load, after)
        # NEGLIGIBLE changes the torque by its quotient with the smoothing.
        assert_close(rows[0], torque, 1e2 * friction.values.max() + np.abs(torque).max())
        # The steps are quotients, exact to some 1e-13.
        assert_close(rows[1:], after, 100.0)
        assert_close(friction.torque(rates, load=load, slips=after), torque, np.abs(rows).max())
    with gravity(dynamics, GRAVITY):
        terms = [dynamics.gravity_torque(q), dynamics.coriolis_matrix(q, v) @ v]
    terms.append(mass_matrix(model, q) @ a)
    transmitted = np.sum(terms, axis=0)
    for joint in model.joints:
        index, multiplier = joint.coordinate.index, joint.coordinate.multiplier
        transmitted[index] -= multiplier**2 * joint.armature * a[index]
    inputs = (q, v, a, speed := 0.7 * v, 0.01 * v, friction.coefficients, slips.ravel(), GRAVITY)
    after = _slipped(robot, friction, slips, 0.01 * v)
    torque = _resistance(robot, friction, speed, transmitted, after)
    scale = np.abs(terms).max() + np.abs(torque).max()
    rows = feedforward_step(model, *(x.tolist() for x in inputs))
    assert_close(rows, [*terms, torque, *after], scale)


def _slipped(robot, friction, slips, travel):
    """The states of pre-sliding after some way in one direction."""
    own = [joint.mimicked is None for joint in robot.model.joints]
    ways = np.stack([friction['displacement'], friction['displacement_long']])[:, own]
    target = np.where(travel == 0.0, slips, np.sign(travel))
    return target + (slips - target) * np.exp(-np.abs(travel) / ways)


def _resistance(robot, friction, v, load, slips):
    """The torque that overcomes friction (n,), joint by joint."""
    torque = np.zeros(robot.model.size)
    for row, joint in enumerate(robot.model.joints):
        index, multiplier = joint.coordinate.index, joint.coordinate.multiplier
        rate = multiplier * v[index]
        kind = dict(zip(KINDS, friction.values[:, row], strict=True))
        direction = '_negative' if rate < 0.0 else ''
        sign = rate / np.hypot(rate, kind['smoothing'])
        dry = kind[f'coulomb{direction}'] * sign
        moves = rate / np.hypot(rate, 0.01)
        dry += kind['stribeck'] * moves / (1.0 + (rate / kind['stribeck_velocity']) ** 2)
        dry += kind['gradual'] * rate / np.hypot(rate, kind['gradual_smoothing'])
        if joint.mimicked is None:
            dry += kind['load'] * abs(load[index]) * sign
            stuck = kind['presliding'] * slips[0][index]
            dry += (stuck + kind['presliding_long'] * slips[1][index]) * abs(moves)
        torque[index] += multiplier * (kind[f'viscous{direction}'] * rate + dry)
    return torque


def observer_follows_what_no_torque_explains(robot, dynamics, state):
    """r + (1 - exp(-K dt)) ((p - p_before) / dt - mean of u - r), u before given by halves."""
    n, (q, v, effort, offset) = robot.model.size, state
    rates, (dt, share) = np.linspace(3.0, 40.0, n), (0.02, 0.5)
    r, p_before, u_before = np.random.default_rng(3).uniform(-5.0, 5.0, (3, n))
    friction = _friction(robot)
    p = dynamics.mass_matrix(q) @ v
    with gravity(dynamics, GRAVITY):
        turning = dynamics.coriolis_matrix(q, v).T @ v - dynamics.gravity_torque(q)
    slips = np.random.default_rng(4).uniform(-1.0, 1.0, (2, n))
    after = _slipped(robot, friction, slips, dt * v)
    resistance = _resistance(robot, friction, v, effort - offset, after)
    half = 0.5 * (turning - resistance - offset)
    mean = u_before + half + (1.0 - share) * effort
    follows = r - np.expm1(-rates * dt) * ((p - p_before) / dt - mean - r)
    inputs = (q, v, effort, friction.coefficients, offset, rates)
    previous = np.concatenate([r, p_before, u_before, *slips])
    lists = (x.tolist() for x in (*inputs, np.array([dt, share]), previous, GRAVITY))
    scale = np.abs(p).max() / dt + np.abs(half).max() + 50.0 / dt
    expected = [follows, p, half + share * effort, *after]
    assert_close(observer_step(robot.model, *lists), expected, scale)


def low_pass_is_that_of_the_exponential_function(robot, dynamics, state):
    """1 - exp(-K dt), and its quotient with K dt; of a long interval, nearly 1."""
    for argument in (1e-9, 1e-4, 0.03, 0.5, 1.0, 3.0, 4.0):
        response, per_elapsed = first_order_response(30.0, argument / 30.0)
        assert_close(response, -np.expm1(-argument))
        assert_close(per_elapsed, response * 30.0 / argument)
    for argument in (10.0, 1e3):
        assert 0.0 <= 1.0 - first_order_response(30.0, argument / 30.0)[0] <= 1e-4


def _friction(robot):
    """Other coefficients for each joint and direction."""
    random, names = np.random.default_rng(7), [joint.name for joint in robot.model.joints]
    kinds = [kind for kind in KINDS if kind != 'smoothing']
    given = {
        kind: dict(zip(names, random.uniform(0.1, 5, len(names)), strict=True)) for kind in kinds
    }
    smoothing = dict(zip(names, np.geomspace(0.003, 0.3, len(names)), strict=True))
    return JointFriction(robot.model, smoothing=smoothing, **given)


def center_of_mass_carries_the_weight(robot, dynamics, state):
    """U = -m gravity . c, and g = -m J^T gravity."""
    mass = total_mass(robot)
    if mass:
        with gravity(dynamics, GRAVITY):
            scale = mass * np.linalg.norm(GRAVITY)
            U = -mass * GRAVITY @ dynamics.center_of_mass(state.q)
            assert_close(dynamics.potential_energy(state.q), U, 10.0 * scale)
            torque = -mass * GRAVITY @ dynamics.center_of_mass_jacobian(state.q)
            assert_close(dynamics.gravity_torque(state.q), torque, scale)


def center_of_mass_has_the_linear_momentum(robot, dynamics, state):
    """m c_dot = m J v, with c_dot by the complex step."""
    q, v, mass = state.q, state.v, total_mass(robot)
    if mass:
        rate = derivative(lambda x: centroidal.center_of_mass(robot.model, x), q, v)
        scale = np.abs(v).sum()
        assert_close(dynamics.center_of_mass_jacobian(q) @ v, rate, scale)
        assert_close(dynamics.momentum(q, v)[:3], mass * rate, mass * scale)


# Laws of the derivatives and of the regressor


def derivatives_are_those_of_the_torque(robot, dynamics, state):
    n, (q, v, a, _) = robot.model.size, state

    def torque(x):
        return inverse_dynamics(robot.model, x[:n], x[n : 2 * n], x[2 * n :], tuple(GRAVITY))

    with gravity(dynamics, GRAVITY):
        in_q, in_v, in_a = dynamics.inverse_dynamics_derivatives(q, v, a)
    expected = np.split(gradient(torque, np.concatenate([q, v, a])), 3, axis=1)
    rates = coriolis_scale(dynamics, state)
    assert_close(in_q, expected[0], np.abs(torque([*q, *v, *a])).max() + rates)
    assert_close(in_v, expected[1], rates)
    assert_close(in_a, expected[2])
    assert_close(in_a, dynamics.mass_matrix(q))
    assert_close(in_v, 2.0 * dynamics.coriolis_matrix(q, v), rates)


def derivatives_are_those_of_the_acceleration(robot, dynamics, state):
    n, (q, v, tau, _) = robot.model.size, state
    M = dynamics.mass_matrix(q)
    if solvable(M):

        def acceleration(x):
            return forward_dynamics(robot.model, x[:n], x[n : 2 * n], x[2 * n :], tuple(GRAVITY))

        with gravity(dynamics, GRAVITY):
            found = dynamics.forward_dynamics_derivatives(q, v, tau)
        expected = np.split(gradient(acceleration, np.concatenate([q, v, tau])), 3, axis=1)
        inertia, rates = 100.0 * np.abs(M).max(), coriolis_scale(dynamics, state)
        # M da/dq is a difference of terms of the size of the torque.
        offsets = torque_scale(dynamics, state._replace(a=found[2] @ tau)) + np.abs(tau).max()
        for ours, theirs, scale in zip(found, expected, (offsets, rates, 1.0), strict=True):
            assert_close(M @ ours, M @ theirs, inertia * np.abs(theirs).max() + scale)


def torque_is_linear_in_the_parameters(robot, dynamics, state):
    """tau = Y pi, of its own bodies and of others, possible or not, which Y does not know."""
    q, v, a, _ = state
    with gravity(dynamics, GRAVITY):
        Y, own = dynamics.regressor(q, v, a), dynamics.model.inertial_parameters()
        scale = (np.abs(Y) @ np.abs(own)).max()
        assert_close(Y @ own, dynamics.inverse_dynamics(q, v, a), scale)
    other = np.random.default_rng(5).uniform(-1.0, 1.0, len(own))
    changed = robot.model.with_inertial_parameters(other, physical=False)
    tau = FloatDynamics(changed, GRAVITY).inverse_dynamics(q, v, a)
    assert_close(tau, Y @ other, np.abs(Y).sum(axis=1).max())


# Laws of the rotors


def rotors_count_in_every_formulation(robot, dynamics, state):
    """They add B = G^T diag(armature) G to M, with q_dot of all joints = G v, and B a to tau."""
    (q, v, a, tau), random = state, np.random.default_rng(5)
    armature = {joint.name: random.uniform(0.1, 0.9) for joint in robot.model.joints}
    rotors = FloatDynamics(robot.model.with_armature(armature), dynamics.gravity)
    added = np.zeros(len(q))
    for joint in robot.model.joints:
        added[joint.index] += joint.coordinate.multiplier**2 * armature[joint.name]
    M, bias = dynamics.mass_matrix(q) + np.diag(added), dynamics.bias_torque(q, v)
    scale = np.abs(M).max() * np.abs(a).max() + np.abs(bias).max()
    assert_close(rotors.mass_matrix(q), M)
    assert_close(rotors.coriolis_matrix(q, v), dynamics.coriolis_matrix(q, v), scale)
    assert_close(
        rotors.momentum_terms(q, v),
        dynamics.momentum_terms(q, v) + np.array([added * v, np.zeros_like(v)]),
        np.abs(M).max() * np.abs(v).max() ** 2,
    )
    assert_close(rotors.inverse_dynamics(q, v, a), M @ a + bias, scale)
    assert_close(rotors.inverse_dynamics_derivatives(q, v, a)[2], M)
    assert_close(rotors.kinetic_energy(q, v), 0.5 * v @ M @ v, np.abs(v) @ np.abs(M) @ np.abs(v))
    if solvable(M):
        given = rotors.forward_dynamics(q, v, tau)
        assert_close(M @ given, tau - bias, 10.0 * np.abs(M).max() * np.abs(given).max())


KINETICS_LAWS = laws_among(globals(), 'robot', 'dynamics', 'state')
