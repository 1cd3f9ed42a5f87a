"""Samples whose equations the model does not describe.

A joint that hardly moves may stick: then its friction is anything up to Coulomb's, and its
equation tells nothing. An effort at its limit is not what the drive gave if the driver reports
what was asked of it. Where a load is gripped or put down, the hand that does so takes part.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core import UnknownNameError
from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import ParameterLayout
from .columns import Samples
from .equation_options import EquationOptions
from .equations import Flags
from .parallel_filter import ParallelFilter

# Of the weight of an equation: from which share of slow samples on it is left out, and from which
# share of saturated and missing ones, which differ by more.
SLOW_SHARE, OTHER_SHARE = 0.1, 0.01
# Of sums of weights.
ROUNDING = 1e-9
# Of the level at which an effort saturates: what the filter may take from it, or add. Higher
# efforts show that the level is not a limit: descriptions have placeholders.
BELOW, ABOVE = 0.98, 1.05


class UnusableSamples:
    """Finds slow joints, saturated or missing efforts, and times when a load changes."""

    def __init__(self, layout: ParameterLayout, options: EquationOptions) -> None:
        """Take bands and levels.

        Raises:
            UnknownNameError: an option names a joint that the robot does not have.
        """
        for joint in (*options.effort_levels, *options.unmeasured, *options.still):
            if joint not in layout.joints:
                raise UnknownNameError('joint', joint, layout.joints)
        self._bands = options.bands(layout.model)
        self._levels = _levels(layout, options)
        self._unmeasured = np.isin(layout.joints, options.unmeasured)
        self._still = np.isin(layout.joints, options.still)
        self._power = options.form == 'power'

    def flags(self, samples: Samples, carried: Array) -> Array:
        """Slow (N, n), saturated (N, n), not measured (N, n), and carried loads (N, L)."""
        slow = (np.abs(samples.velocities) < self._bands) | self._still
        with np.errstate(invalid='ignore'):
            shares = samples.efforts / self._levels[:, None]
            saturated = np.any((shares >= BELOW) & (shares <= ABOVE), axis=0)
        missing = ~np.isfinite(samples.efforts) | self._unmeasured
        return np.concatenate([slow, saturated, missing, carried], axis=1, dtype=float)

    def found(self, flags: Array, parallel: ParallelFilter) -> tuple[Flags, Flags]:
        """Which equations count (K, r), and why others do not (K, r, reasons), see `REASONS`.

        Args:
            flags: (N, f) as of `flags`.
            parallel: filter of the equations.
        """
        n = len(self._bands)
        shares = np.split(parallel.share(flags), [n, 2 * n, 3 * n], axis=1)
        slow: Flags = shares[0] > SLOW_SHARE
        saturated: Flags
        missing: Flags
        saturated, missing = (share > OTHER_SHARE for share in shares[1:3])
        # A load that is carried at some of the samples of an equation alone.
        changing = (np.abs(shares[3] - np.rint(shares[3])) > ROUNDING).any(axis=1, keepdims=True)
        if self._power:
            # A joint that sticks takes no power.
            slow = np.zeros((len(slow), 1), bool)
            saturated, missing = (
                np.any(share, axis=1, keepdims=True) for share in (saturated, missing)
            )
        changing = np.broadcast_to(changing, slow.shape)
        found = np.stack([missing, slow, saturated, changing], axis=2)
        # The first reason counts, so that all equations together are those of the motion.
        left_out: Flags = found & (np.cumsum(found, axis=2) == 1)
        return ~np.any(found, axis=2), left_out


def _levels(layout: ParameterLayout, options: EquationOptions) -> Array:
    """Smallest and largest effort (2, n) at which joints saturate; infinite without a limit."""
    limits = layout.model.effort_bounds.copy()
    if 'gain' in layout.terms:
        # A current has another unit.
        limits[:] = np.inf
    levels = np.stack([-limits, limits])
    for joint, level in options.effort_levels.items():
        given = level if isinstance(level, tuple) else (-level, level)
        column = layout.model.index_of(joint)
        levels[:, column] = np.where(np.isnan(given), levels[:, column], given)
    return levels
