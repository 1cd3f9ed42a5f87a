"""Least squares in units of noise and of plausible parameters, with the description as prior.

The equations of each joint are weighted by their noise, and the description is taken for a
measurement of each parameter, with a deviation of several times its plausible value: it decides
where the data tell nothing, and nowhere else. The result is the mean of the Gaussian posterior.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..observability.scales import parameter_scales
from ..regression import ReducedEquations
from ..regression.reduced_equations import triangle

# Deviation of the prior, in plausible values.
PRIOR = 3.0


@dataclass(frozen=True)
class Problem:
    """|factor x - target|^2 over x = (parameters - nominal) / scales; the prior is in it.

    Attributes:
        factor: (p, p) upper triangular.
        target: (p,).
        nominal: (p,) parameters of the description.
        scales: (p,) plausible values.
    """

    factor: Array
    target: Array
    nominal: Array
    scales: Array

    @classmethod
    def of(cls, reduced: ReducedEquations, noise: Array) -> Problem:
        """That of equations with this noise.

        Args:
            reduced: equations.
            noise: (r,) standard deviation of each [N m, N or W].
        """
        layout = reduced.layout
        nominal = np.where(layout.is_known, 0.0, layout.nominal())
        scales = parameter_scales(layout, _magnitudes(reduced))
        p = layout.size
        rows = [np.hstack([np.eye(p) / PRIOR, np.zeros((p, 1))])]
        for factor, share, deviation in zip(
            reduced.triangles, _independence(reduced), noise, strict=True
        ):
            if deviation <= 0.0:
                continue
            left = factor[:, p] - factor[:, :p] @ nominal
            whitened = np.hstack([factor[:, :p] * scales, left[:, None]])
            rows.append(np.sqrt(share) / deviation * whitened)
        joined = triangle(np.concatenate(rows))
        return cls(joined[:p, :p], joined[:p, p], nominal, scales)

    def parameters(self, x: Array) -> Array:
        """Parameters (p,) of a solution (p,)."""
        result: Array = self.nominal + self.scales * x
        return result

    def solution(self) -> Array:
        """The parameters (p,) at the minimum."""
        return self.parameters(np.linalg.solve(self.factor, self.target))

    def covariance(self) -> Array:
        """Of the parameters (p, p)."""
        inverse = np.linalg.inv(self.factor) * self.scales[:, None]
        result: Array = inverse @ inverse.T
        return result


def _independence(reduced: ReducedEquations) -> Array:
    """Share of the equations that noise leaves independent (r,)."""
    share: Array = reduced.independent / np.maximum(reduced.counts, 1.0)
    return share


def _magnitudes(reduced: ReducedEquations) -> Array:
    """Root mean square of the torque of each joint (n,), or of what the description predicts."""
    layout = reduced.layout
    measured = np.linalg.norm(reduced.triangles[:, :, -1], axis=1)
    nominal = np.where(layout.is_known, 0.0, layout.nominal())
    if 'gain' in layout.terms:
        nominal[layout.columns('gain')] = 0.0
    predicted = np.linalg.norm(reduced.triangles[:, :, :-1] @ nominal, axis=1)
    sizes = np.maximum(measured, predicted) / np.sqrt(np.maximum(reduced.weights, 1.0))
    n = len(layout.joints)
    sizes = sizes if len(sizes) == n else np.full(n, sizes[0])
    result: Array = np.where(sizes > 0.0, sizes, sizes.max(initial=0.0) or 1.0)
    return result
