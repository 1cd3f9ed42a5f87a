"""The result of a comparison: figures and findings.

Residual means measured effort minus torque of the model, with the friction of the URDF.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robot_dynamics_ros.core.checks import Array

from .findings import Finding, advised

# The terms whose shares of the measurement are given; they and `residual` sum to 1.
TERMS = ('gravity', 'coriolis', 'inertia', 'friction')
# Of each joint, in JSON.
FIGURES = (
    'rms_measured', 'rms_residual', 'rms_after_fit', 'bias', 'correlation', 'delay', 'shares',
)  # fmt: skip
# A model does not explain an effort of which it leaves more than this share of the RMS.
HALF = 0.5
# An effort below this share of the residual is noise: their ratio has no meaning.
NOISE = 0.1


@dataclass(frozen=True)
class FrictionFit:
    """Friction and offset of one joint, fitted: viscous v + coulomb sgn(v) + offset.

    The friction of the URDF is included.

    Attributes:
        viscous: [N m s/rad or N s/m].
        coulomb: [N m or N].
        offset: [N m or N].
    """

    viscous: float
    coulomb: float
    offset: float


@dataclass(frozen=True)
class JointComparison:
    """The figures of one joint; NaN where the recording does not give them.

    Attributes:
        unit: of its effort: 'N m', or 'N' for a prismatic joint.
        rms_measured: root mean square of the measured effort [N m or N].
        rms_residual: root mean square of the residual [N m or N].
        bias: mean of the residual [N m or N].
        correlation: of measured effort and torque of the model, from -1 to 1.
        delay: by which the measured effort comes later than the torque of the motion [s].
        shares: of the sum of squares of the measured effort: <term, measured> divided by
            <measured, measured>, for each of TERMS and 'residual'; they sum to 1, and each may be
            negative. 'friction' is that of the fit, `residual` is what is left after it.
        friction: fitted to the residual; None where the joint does not move enough.
        verdict: the codes of its findings, or whether the model explains its effort.
        rms_after_fit: root mean square of what is left when friction, an offset and what the
            findings say, such as a payload, are fitted; of the samples of the fit, which has no
            slow ones [unit of the measured effort].
    """

    unit: str
    rms_measured: float
    rms_residual: float
    bias: float
    correlation: float
    delay: float
    shares: Mapping[str, float]
    friction: FrictionFit | None = None
    verdict: str = ''
    rms_after_fit: float = math.nan

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
class RecordingSummary:
    """One recording of a comparison.

    Attributes:
        file: path, as it was given.
        topic: of the joint states.
        samples: that were compared.
        duration: of these samples, without gaps [s].
        rate: median of the rates of its segments [Hz].
        cutoff: of the low-pass filter [Hz].
        error: why it could not be used; empty if it could.
    """

    file: str
    topic: str = ''
    samples: int = 0
    duration: float = 0.0
    rate: float = math.nan
    cutoff: float = math.nan
    error: str = ''


@dataclass(frozen=True)
class Samples:
    """Some samples of all recordings, evenly distributed, for plots.

    Attributes:
        joints: names of the columns.
        recording: (K,) index in `Compared.recordings`.
        begins: (K,) whether a gap lies before this sample: do not draw a line across it.
        times: (K,) since the start of its recording [s].
        positions: (K, n) [rad or m].
        velocities: (K, n) [rad/s or m/s].
        accelerations: (K, n) [rad/s^2 or m/s^2].
        measured: (K, n) effort; NaN where not measured [N m or N].
        gravity: (K, n) torque of the model [N m or N].
        coriolis: (K, n) the same.
        inertia: (K, n) the same.
        friction: (K, n) the same, with the friction of the URDF.
    """

    joints: tuple[str, ...]
    recording: Array
    begins: Array
    times: Array
    positions: Array
    velocities: Array
    accelerations: Array
    measured: Array
    gravity: Array
    coriolis: Array
    inertia: Array
    friction: Array

    @property
    def model(self) -> Array:
        """(K, n) torque of the model [N m or N]."""
        return self.gravity + self.coriolis + self.inertia + self.friction

    @property
    def residual(self) -> Array:
        """(K, n) measured effort minus torque of the model [N m or N]."""
        return self.measured - self.model


@dataclass(frozen=True)
class Spectrum:
    """Power spectral densities, one-sided.

    Attributes:
        frequencies: (F,) [Hz].
        measured: (F, n) [(N m)^2/Hz or N^2/Hz].
        residual: (F, n) the same.
    """

    frequencies: Array
    measured: Array
    residual: Array


@dataclass(frozen=True)
class Compared:
    """Measured efforts of one robot against the torques of its model.

    Attributes:
        robot: name of the model.
        recordings: that were compared, and those that could not be.
        joints: figures by name, in the order of the model.
        findings: the most important one first; empty if model and recording agree.
        samples: for plots; without rows if there are none.
        spectrum: of measured effort and residual; None where there are too few samples.
        locked: joints of the robot that were not recorded: the model has them at zero, or at the
            limit nearest to zero.
    """

    robot: str
    recordings: tuple[RecordingSummary, ...]
    joints: Mapping[str, JointComparison]
    findings: Sequence[Finding]
    samples: Samples
    spectrum: Spectrum | None = None
    locked: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The contract of `robot_dynamics compare --json`, see docs/recordings.md.

        SI units; NaN where a number is not known, which is null in JSON.
        """
        return {
            'robot': self.robot,
            'recordings': [vars(one) for one in self.recordings],
            'locked': list(self.locked),
            'joints': {
                name: {figure: getattr(one, figure) for figure in FIGURES}
                for name, one in self.joints.items()
            },
            'findings': [one.as_json() for one in advised(self.findings)],
        }
