"""The friction of a comparison as parameters of dynamics_node."""

from __future__ import annotations

from collections.abc import Callable

from robot_dynamics_ros.comparison import Comparison, FrictionFit


def friction_parameters(comparison: Comparison) -> tuple[str, ...]:
    """Lines to paste into a file of parameters, a value for each joint in their order.

    Args:
        comparison: whose fits they are.

    Returns:
        Empty where no friction is missing.
    """
    if not any(finding.code == 'friction' for finding in comparison.findings):
        return ()
    return (
        f'friction_coulomb: [{_values(comparison, lambda fit: fit.coulomb)}]',
        f'friction_viscous: [{_values(comparison, lambda fit: fit.viscous)}]',
    )


def joints_without_friction(comparison: Comparison) -> tuple[str, ...]:
    """Joints that have no fit: their values are 0."""
    return tuple(name for name, joint in comparison.joints.items() if joint.friction is None)


def _values(comparison: Comparison, value: Callable[[FrictionFit], float]) -> str:
    fits = (joint.friction for joint in comparison.joints.values())
    # A parameter that holds doubles refuses whole numbers.
    return ', '.join(repr(float(f'{value(fit):.4g}')) if fit else '0.0' for fit in fits)
