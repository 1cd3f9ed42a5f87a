"""How equations are made of motions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from robot_dynamics_ros.core import ParameterError, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import SLIDING_BAND, TURNING_BAND
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.spatial import Vector

Form = Literal['torque', 'power']


@dataclass(frozen=True)
class EquationOptions:
    """How equations are made of motions.

    Attributes:
        form: 'torque': one equation per joint; 'power': one for the whole robot, which needs no
            accelerations (Gautier 1997).
        cutoff: of the low pass that filters both sides [Hz]; None: the motions are filtered well
            enough.
        turning_band: a joint that turns slower does not count in torque form [rad/s].
        sliding_band: a joint that slides slower does not count [m/s].
        effort_levels: by joint name, at which its effort saturates [N m, N, or A]; in place of
            the effort limit of the description. Two numbers: the smallest and the largest effort,
            NaN for that of the description.
        unmeasured: names of joints whose effort is not what their drive gives, such as noise about
            zero: their equations do not count.
        still: names of joints that are held, with whatever jitter: they count as slow.
        gravity: (3,) in the base frame [m/s^2].
    """

    form: Form = 'torque'
    cutoff: float | None = None
    turning_band: float = TURNING_BAND
    sliding_band: float = SLIDING_BAND
    effort_levels: Mapping[str, float | tuple[float, float]] = field(default_factory=dict)
    unmeasured: tuple[str, ...] = ()
    still: tuple[str, ...] = ()
    gravity: Vector = STANDARD_GRAVITY

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.form not in ('torque', 'power'):
            raise ParameterError(f"form is {self.form!r}, it must be 'torque' or 'power'")
        if self.cutoff is not None and not self.cutoff > 0.0:
            raise ParameterError(f'cutoff is {self.cutoff} Hz, it must be above 0')
        for name in ('turning_band', 'sliding_band'):
            if not getattr(self, name) >= 0.0:
                raise ParameterError(f'{name} is {getattr(self, name)}, it must be at least 0')

    def bands(self, model: RobotModel) -> Array:
        """The dead bands of the independent joints (n,) [rad/s or m/s]."""
        kinds = [joint.kind for joint in model.independent_joints]
        slides = np.array([kind == 'prismatic' for kind in kinds], bool)
        return np.where(slides, self.sliding_band, self.turning_band)
