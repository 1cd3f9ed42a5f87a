"""The friction of a comparison as parameters of dynamics_node."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from robot_dynamics_ros.comparison import FATAL, Comparison, FrictionFit

# Findings of joints whose effort is not known to be the torque, with the friction that fits.
UNKNOWN = {'unexplained', 'factor', 'other_masses', 'not_judged'}


def friction_parameters(comparison: Comparison) -> tuple[str, ...]:
    """Lines to paste into a file of parameters, a value for each joint in their order.

    Args:
        comparison: whose fits they are.

    Returns:
        Empty where no friction is missing, or of no joint is known in the unit of its torque, or
        a finding makes every fit doubtful.
    """
    left_out = joints_left_out(comparison)
    missing = {
        name for one in comparison.findings if one.code == 'friction' for name in one.joints
    }
    is_fatal = any(one.code in FATAL for one in comparison.findings)
    if is_fatal or not missing - left_out.keys():
        return ()
    fits = [None if name in left_out else one.friction for name, one in comparison.joints.items()]
    return (
        f'friction_coulomb: [{_values(fits, lambda fit: fit.coulomb)}]',
        f'friction_viscous: [{_values(fits, lambda fit: fit.viscous)}]',
    )


def joints_left_out(comparison: Comparison) -> dict[str, str]:
    """Joints whose values are 0, each with the reason.

    Friction is fitted to what is measured: it is that of the joint where the measurement is the
    torque of the joint.
    """
    reasons = ((name, _reason(comparison, name)) for name in comparison.joints)
    return {name: reason for name, reason in reasons if reason}


def left_out_text(comparison: Comparison) -> str:
    """One sentence a reason; empty where each joint has its values."""
    left_out = joints_left_out(comparison)
    return ' '.join(
        f'0.0 where {reason}: {", ".join(name for name in left_out if left_out[name] == reason)}.'
        for reason in dict.fromkeys(left_out.values())
    )


def _reason(comparison: Comparison, name: str) -> str:
    """Why the fitted friction of a joint is not a parameter; empty if it is one."""
    joint = comparison.joints[name]
    codes = {one.code for one in comparison.findings if name in one.joints}
    reasons = {
        'the recording does not show it': joint.friction is None,
        'the model does not explain the effort': codes & UNKNOWN,
    }
    return next((reason for reason, applies in reasons.items() if applies), '')


def _values(fits: Sequence[FrictionFit | None], value: Callable[[FrictionFit], float]) -> str:
    # A parameter that holds doubles refuses whole numbers.
    return ', '.join(repr(float(f'{value(fit):.4g}')) if fit else '0.0' for fit in fits)
