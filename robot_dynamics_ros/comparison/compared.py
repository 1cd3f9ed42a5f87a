"""The result of a comparison of one recording: figures and findings.

The residual is the measured effort minus the torque of the model, with the friction of the URDF.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .findings import Finding, advised

# The terms whose shares of the measurement are given; they and `residual` sum to 1.
TERMS = ('gravity', 'coriolis', 'inertia', 'friction')
# A model does not explain an effort of which it leaves more than half of the RMS; a fit leaves
# less than a quarter.
HALF, UNEXPLAINED = 0.5, 0.25
# An effort below this share of the residual is noise: their ratio has no meaning.
NOISE = 0.1
# Most samples for plots: eight for each stretch of a curve, see `report.figures`.
MAX_DRAWN = 16384


@dataclass(frozen=True)
class FrictionFit:
    """Fitted friction of one joint, with that of the URDF: viscous v + coulomb sgn(v) + offset."""

    viscous: float  #: [N m s/rad or N s/m]
    coulomb: float  #: [N m or N]
    offset: float  #: [N m or N]


@dataclass(frozen=True)
class JointComparison:
    """The figures of one joint; NaN where the recording does not give them.

    `shares` are <term, measured> / <measured, measured> for each of TERMS and 'residual', of which
    each may be negative; 'friction' is that of the fit, 'residual' what is left after it. The fit
    is of friction, rotor, offset and what the findings say, such as a payload, to rows that are
    not slow.
    """

    unit: str  #: of its effort: 'N m', or 'N' for a prismatic joint
    rms_measured: float  #: of the measured effort [N m or N]
    rms_residual: float  #: of the residual [N m or N]
    bias: float  #: mean of the residual [N m or N]
    correlation: float  #: of measured effort and torque of the model, from -1 to 1
    shares: Mapping[str, float]  #: of the sum of squares of the measured effort, together 1
    friction: FrictionFit | None = None  #: None where the joint does not move enough
    result: str = ''  #: the codes of its findings, or whether the model explains its effort
    rms_after_fit: float = math.nan  #: of the residual of the fit [N m or N]

    @property
    def relative_residual(self) -> float:
        """rms_residual / rms_measured [-]; NaN where nothing but noise was measured."""
        known = self.rms_measured > NOISE * self.rms_residual
        return self.rms_residual / self.rms_measured if known else math.nan

    @property
    def is_explained(self) -> bool:
        """Whether the model explains most of the effort; true where nothing was measured."""
        return not self.rms_residual > HALF * self.rms_measured or self.rms_measured == 0.0


@dataclass(frozen=True)
class Samples:
    """K samples of n joints of a recording; NaN where an effort is not measured."""

    joints: tuple[str, ...]  #: names of the columns
    begins: npt.NDArray[np.bool_]  #: (K,) whether a gap lies before this sample
    times: Array  #: (K,) since the start of the recording [s]
    positions: Array  #: (K, n) [rad or m]
    velocities: Array  #: (K, n) [rad/s or m/s]
    accelerations: Array  #: (K, n) [rad/s^2 or m/s^2]
    measured: Array  #: (K, n) effort [N m or N]
    gravity: Array  #: (K, n) torque of the model [N m or N]
    coriolis: Array  #: (K, n) the same
    inertia: Array  #: (K, n) the same
    friction: Array  #: (K, n) the same, with the friction of the URDF

    @property
    def model(self) -> Array:
        """(K, n) torque of the model [N m or N]."""
        return self.gravity + self.coriolis + self.inertia + self.friction

    @property
    def residual(self) -> Array:
        """(K, n) measured effort minus torque of the model [N m or N]."""
        return self.measured - self.model

    def worst_moment(self, joints: Sequence[str]) -> float:
        """When the residual of these joints, or of all, is largest beside its RMS [s]."""
        columns = [self.joints.index(name) for name in joints if name in self.joints]
        residual = np.nan_to_num(self.residual[:, columns or slice(None)])
        scale = np.sqrt(np.mean(residual**2, axis=0)) + np.finfo(float).tiny
        return float(self.times[int((np.abs(residual) / scale).max(axis=1).argmax())])

    def drawn(self) -> Samples:
        """At most `MAX_DRAWN` of them, evenly distributed."""
        step = math.ceil(len(self.times) / MAX_DRAWN) or 1
        begins = np.diff(np.cumsum(self.begins)[::step], prepend=0) > 0
        arrays = {one.name: getattr(self, one.name)[::step] for one in fields(self)[2:]}
        return replace(self, begins=begins, **arrays)

    def efforts_at(self, times: Array) -> Array:
        """Measured efforts (M, n) at times (M,); NaN in gaps."""
        gaps = np.append(self.begins, True)[np.searchsorted(self.times, times)]
        found = [np.interp(times, self.times, efforts) for efforts in self.measured.T]
        return np.where(gaps[:, None], np.nan, np.stack(found, axis=1))


@dataclass(frozen=True)
class Compared:
    """One recording of measured efforts against the torques of a model."""

    robot: str  #: name of the model
    file: str  #: path, as it was given
    topic: str = ''  #: of the joint states
    samples: int = 0  #: that were compared
    duration: float = 0.0  #: of these samples, without gaps [s]
    rate: float = math.nan  #: of the samples [Hz]
    cutoff: float = math.nan  #: of the low-pass filter [Hz]
    error: str = ''  #: why it could not be used; empty if it could
    locked: tuple[str, ...] = ()  #: joints that were not recorded, at zero or the limit near it
    remark: str = ''  #: on recorded joints that the robot does not have
    joints: Mapping[str, JointComparison] = field(default_factory=dict)  #: in the model's order
    findings: Sequence[Finding] = ()  #: the most important one first
    drawn: Samples | None = field(default=None, repr=False)  #: for plots

    def as_json(self) -> dict[str, Any]:
        """The contract of `robot_dynamics compare --json`, see docs/recordings.md.

        SI units; NaN where a number is not known, which is null in JSON.
        """
        whole = asdict(replace(self, drawn=None))
        del whole['drawn']
        findings = [one.as_json() for one in advised(self.findings)]
        return whole | {'locked': list(self.locked), 'findings': findings}
