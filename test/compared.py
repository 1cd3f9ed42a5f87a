"""The quantities that a comparison with Pinocchio covers."""

QUANTITIES = (
    'inverse_dynamics',
    'gravity_torque',
    'bias_torque',
    'torque_terms',
    'mass_matrix',
    'coriolis_matrix',
)
