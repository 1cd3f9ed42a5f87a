"""Base parameters in words: sums of parameters by their names."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import ParameterLayout

# Of the largest part of a sum, for plausible parameters: smaller parts are not printed.
PRINTED = 1e-6
# What differs less from a whole number is printed as one.
WHOLE = 1e-9


def combination_sentences(
    layout: ParameterLayout, combination: Array, scales: Array
) -> tuple[str, ...]:
    """Each base parameter (b,) as a sum, such as 'forearm Ixx - forearm Iyy + 0.16 hand m'.

    Args:
        layout: of the parameters.
        combination: (b, p).
        scales: (p,) plausible values of the parameters.
    """
    sentences = []
    for row in combination:
        parts = np.abs(row) * scales
        chosen = np.flatnonzero(parts > PRINTED * parts.max(initial=0.0))
        text = ' '.join(_part(row[k], layout.names[k]) for k in chosen)
        sentences.append(f'-{text[2:]}' if text.startswith('- ') else text[2:])
    return tuple(sentences)


def _part(coefficient: float, name: str) -> str:
    """A part of a sum, with its sign."""
    sign, size = '-' if coefficient < 0.0 else '+', abs(coefficient)
    factor = '' if abs(size - 1.0) < WHOLE else f'{size:.4g} '
    return f'{sign} {factor}{name}'
