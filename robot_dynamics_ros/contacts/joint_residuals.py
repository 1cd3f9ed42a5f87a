"""How large the residual of each joint is along recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array


@dataclass(frozen=True)
class JointResiduals:
    """Sums over states, which are added for several recordings.

    Attributes:
        samples: how many states.
        sums: (k,) of the residuals [N m or N].
        squares: (k,) of their squares.
        largest: (k,) absolute residual [N m or N].
    """

    samples: int
    sums: Array
    squares: Array
    largest: Array

    @classmethod
    def none(cls, size: int) -> JointResiduals:
        """Of no state."""
        return cls(0, *np.zeros((3, size)))

    def with_residuals(self, r: Array) -> JointResiduals:
        """These and the residuals (N, k) of more states [N m or N]."""
        return JointResiduals(
            self.samples + len(r),
            self.sums + r.sum(axis=0),
            self.squares + (r * r).sum(axis=0),
            np.maximum(self.largest, abs(r).max(axis=0, initial=0.0)),
        )

    def joined(self, other: JointResiduals) -> JointResiduals:
        """These and those of another recording."""
        return JointResiduals(
            self.samples + other.samples,
            self.sums + other.sums,
            self.squares + other.squares,
            np.maximum(self.largest, other.largest),
        )

    @property
    def rms(self) -> Array:
        """(k,) root of the mean square [N m or N]."""
        return np.asarray(np.sqrt(self.squares / max(1, self.samples)))

    @property
    def bias(self) -> Array:
        """(k,) mean [N m or N]."""
        return self.sums / max(1, self.samples)

    def as_json(self, joints: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        """The figures of each joint, by its name."""
        rows = zip(joints, self.rms, self.bias, self.largest, strict=True)
        return {
            name: {'residual_rms': rms, 'residual_bias': bias, 'residual_largest': largest}
            for name, rms, bias, largest in rows
        }
