"""The friction of a comparison as parameters of dynamics_node."""

from __future__ import annotations

from collections.abc import Callable

from robot_dynamics_ros.comparison import FATAL, Comparison, FrictionFit

from .words.readable import in_one_line

# Characters of all names together.
LONGEST = 1000
# Findings of joints whose effort is not known to be the torque, with the friction that fits.
UNKNOWN = ('unexplained', 'factor', 'other_masses', 'not_judged')


def friction_parameters(comparison: Comparison) -> tuple[str, ...]:
    """Lines to paste into a file of parameters, a value for each joint in their order.

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
    fits = [None if name in unknown else one.friction for name, one in comparison.joints.items()]

    def values(value: Callable[[FrictionFit], float]) -> str:
        # A parameter that holds doubles refuses whole numbers.
        return ', '.join(repr(float(f'{value(fit):.4g}')) if fit else '0.0' for fit in fits)

    return (
        f'friction_coulomb: [{values(lambda fit: fit.coulomb)}]',
        f'friction_viscous: [{values(lambda fit: fit.viscous)}]',
        f'# {in_one_line(", ".join(comparison.joints), LONGEST)}; 0.0 where it is not shown',
    )
