"""The residual of an external-force observer, split into a fast and a slow band."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

COLLISION, PUSH = 0, 1
BANDS = ('collision', 'push')
# What a threshold depends on, beside its constant.
SPEED, ACCELERATION = 0, 1
# Between the bands [Hz]: above most of what the error of a model is in a motion, below an impact.
CUTOFF = 5.0
# Of the derivative of the velocity [Hz]: faster than the fast band has to rise.
ACCELERATION_CUTOFF = 20.0


class ResidualBands:
    """Splits residuals by a first-order low pass, and filters the motion for their thresholds.

    Push: s_k = s_(k-1) + w (r_k - s_(k-1)), w = 1 - exp(-2 pi f dt), the low pass. Collision:
    r - s. The observer itself is the upper edge of the fast band, which so is a band pass.

    A model whose error is at most c_0 + c_1 |v| + c_2 |a| gives a slow band of at most the low
    pass of that, since the low pass has weights that are not negative: so the speed and the
    acceleration of a threshold are low-passed too. Of the fast band they are the larger of the
    present and the low-passed one: it rises at once, and decays as the low pass does.

    An observer begins at zero, and rises to the error of the model as if something hit the arm: so
    the fast band is zero for the first 1 / f seconds. A collision then is seen in the slow band.

    Attributes:
        size: number of joints, n.
        cutoff: f [Hz].
        values: (2, n) collision and push [N m or N].
        motion: (2, 2, n), of each band the speed [rad/s or m/s] and the absolute acceleration
            [rad/s^2 or m/s^2] that its threshold depends on.
    """

    def __init__(self, size: int, cutoff: float = CUTOFF) -> None:
        """Without a residual yet.

        Args:
            size: number of joints, n.
            cutoff: f [Hz].
        """
        self.size, self.cutoff = size, cutoff
        self.values = np.zeros((2, size))
        self.motion = np.zeros((2, 2, size))
        # Residual, speed and acceleration: as they are, low-passed, and the step between.
        self._inputs, self._low, self._change = np.zeros((3, 3, size))
        self._v, self._a, self._slope = np.zeros((3, size))
        self.reset()

    def reset(self) -> None:
        """Begin again, after a discontinuity of the residual or of time."""
        self._time = self._elapsed = self._begin = math.nan
        self._weight = self._weight_of_slope = math.nan

    def step(self, r: Array, v: Array, time: float) -> None:
        """Take a residual, in `values` and `motion`; one that is not newer is ignored.

        Args:
            r: (n,) residual [N m or N].
            v: (n,) velocities [rad/s or m/s].
            time: of both [s].
        """
        elapsed = time - self._time
        if elapsed <= 0.0:
            return
        inputs, low = self._inputs, self._low
        inputs[0] = r
        if elapsed > 0.0:
            self._accelerate(v, elapsed)
            np.abs(v, out=inputs[1])
            np.abs(self._a, out=inputs[2])
            np.subtract(inputs, low, out=self._change)
            self._change *= self._weight
            low += self._change
        else:
            # The first one: nothing is before it.
            self._a.fill(0.0)
            np.abs(v, out=inputs[1])
            inputs[2] = 0.0
            low[:] = inputs
            self._begin = time
        self._time = time
        self._v[:] = v
        if time - self._begin < 1.0 / self.cutoff:
            self.values[COLLISION] = 0.0
        else:
            np.subtract(inputs[0], low[0], out=self.values[COLLISION])
        self.values[PUSH] = low[0]
        np.maximum(inputs[1:], low[1:], out=self.motion[COLLISION])
        self.motion[PUSH] = low[1:]

    def _accelerate(self, v: Array, elapsed: float) -> None:
        """Filtered derivative of the velocity, as of `FilteredDerivative`."""
        if elapsed != self._elapsed:
            # At a constant interval, once.
            self._elapsed = elapsed
            self._weight = -math.expm1(-2.0 * math.pi * self.cutoff * elapsed)
            self._weight_of_slope = -math.expm1(-2.0 * math.pi * ACCELERATION_CUTOFF * elapsed)
        slope = self._slope
        np.subtract(v, self._v, out=slope)
        slope /= elapsed
        slope -= self._a
        slope *= self._weight_of_slope
        self._a += slope
