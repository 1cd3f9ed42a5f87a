"""What the header says of quantities and inputs: formulas, units, frames, order."""

from __future__ import annotations

# For {n} joints and {bodies} bodies, those of {joints}; of {frame} and in the axes {axes} where a
# frame is needed.
QUANTITY_TEXTS = {
    'inverse_dynamics': 'tau = M(q) a + C(q, v) v + g(q) [N m or N], ({n}).',
    'gravity_torque': 'g(q) [N m or N], ({n}): the torque that holds the robot still.',
    'bias_torque': 'C(q, v) v + g(q) [N m or N], ({n}): the torque that gives no acceleration.',
    'torque_terms': 'Rows g(q), C(q, v) v and M(q) a [N m or N], (3, {n}); inverse_dynamics is '
    'their sum.',
    'mass_matrix': 'M(q) [kg m^2, kg m or kg], ({n}, {n}), full and symmetric.',
    'coriolis_matrix': 'C(q, v) [N m s/rad, N s/rad or N s/m], ({n}, {n}), by Christoffel '
    'symbols: dM/dt - 2 C is skew-symmetric.',
    'forward_dynamics': 'The acceleration [rad/s^2 or m/s^2], ({n}), that the torques tau give.',
    'mass_matrix_inverse': 'M(q)^-1, ({n}, {n}), full and symmetric.',
    'inverse_dynamics_derivatives': 'dtau/dq, dtau/dv and dtau/da = M of inverse_dynamics, '
    '(3, {n}, {n}).',
    'forward_dynamics_derivatives': 'da/dq, da/dv and da/dtau = M^-1 of forward_dynamics, '
    '(3, {n}, {n}).',
    'regressor': 'Y with inverse_dynamics = Y pi without armature, ({n}, 10 x {bodies}); pi holds '
    'm, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz of every body, about the joint frame, in its axes, '
    'body by body in the order of the joints that carry them: {joints}.',
    'kinetic_energy': 'v^T M(q) v / 2 [J], one number.',
    'potential_energy': 'U with dU/dq = g(q) [J], one number; zero for mass at the base origin.',
    'momentum': '[linear; angular about the base origin] of all bodies, in base axes '
    '[kg m/s; kg m^2/s], (6).',
    'momentum_terms': 'Rows p = M(q) v [N m s or N s] and C(q, v)^T v [N m or N], (2, {n}): '
    'dp/dt = tau + C^T v - g, with C by Christoffel symbols.',
    'center_of_mass': 'Of all moving bodies [m], (3), in base axes.',
    'center_of_mass_jacobian': 'J with dc/dt = J v of the centre of mass c, (3, {n}), in '
    'base axes.',
    'frame_poses': '[R | p] of every link, ({frames}, 3, 4): rotation to the base, and origin '
    'there [m], in the order {links}.',
    'frame_pose': '[R | p], (3, 4): rotation of {frame} to the base, and its origin there [m].',
    'jacobian': 'J(q), (6, {n}): J v is the twist [linear; angular] of {frame}, axes {axes}.',
    'jacobian_derivative': 'dJ/dt, (6, {n}), of the Jacobian of {frame}, axes {axes}.',
    'external_torque': 'J^T wrench [N m or N], ({n}): what a wrench on {frame} does to the '
    'joints; subtract it from inverse_dynamics while it acts.',
}
INPUT_TEXTS = {
    'q': 'positions [rad or m]',
    'v': 'velocities [rad/s or m/s]',
    'a': 'accelerations [rad/s^2 or m/s^2]',
    'tau': 'torques or forces of the joints [N m or N], positive along +v',
    'gravity': 'acceleration of free fall (x, y, z) in the axes of the root link [m/s^2]: '
    '(0, 0, -9.81) where its z axis points up; other values for a base on a wall or a ceiling',
    'payload': 'inertial parameters m, m c (x, y, z), Ixx, Ixy, Iyy, Ixz, Iyz, Izz of what is '
    'fixed to the body of joint "{payload_joint}", about the origin of the joint frame, in its '
    'axes [kg, kg m, kg m^2]; zeros for none',
    'wrench': 'what acts on the robot: force (x, y, z) [N], then moment (x, y, z) about the '
    'origin of the frame [N m], both in the axes of the root link',
}


def input_text(name: str, **values: object) -> str:
    """What an input is, for one robot."""
    return INPUT_TEXTS[name].format(**values)


def quantity_text(quantity: str, **values: object) -> str:
    """What a quantity is, for one robot."""
    return QUANTITY_TEXTS[quantity].format(**values)
