"""The friction of a comparison as a joint model, for friction.yaml."""

from __future__ import annotations

from robot_dynamics_ros.comparison import FATAL, Comparison
from robot_dynamics_ros.parameter_yaml import yaml_value

# Findings of joints whose effort is not known to be the torque, with the friction that fits.
UNKNOWN = ('unexplained', 'factor', 'other_masses', 'not_judged')


def friction_parameters(comparison: Comparison) -> tuple[str, ...]:
    """The lines of friction.yaml, one for each joint.

    Args:
        comparison: whose fits they are.

    Returns:
        Empty where no friction is missing, or of no joint is known in the unit of its torque, or
        a finding makes every fit doubtful.
    """
    found = comparison.findings
    unknown = {name for one in found if one.code in UNKNOWN for name in one.joints}
    missing = {name for one in found if one.code == 'friction' for name in one.joints}
    if any(one.code in FATAL for one in found) or not missing - unknown:
        return ()
    lines = ['joints:']
    for name, one in comparison.joints.items():
        fit = None if name in unknown else one.friction
        pair = (fit.viscous, fit.coulomb) if fit else (0.0, 0.0)
        viscous, coulomb = (yaml_value(float(f'{value:.4g}')) for value in pair)
        remark = '' if fit else '  # not shown'
        joint = f'{yaml_value(name)}: {{viscous: {viscous}, coulomb: {coulomb}}}'
        lines.append(f'  {joint}{remark}')
    return tuple(lines)
