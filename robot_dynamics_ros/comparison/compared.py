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
# Of each joint, in JSON.
FIGURES = ('rms_measured', 'rms_residual', 'rms_after_fit', 'bias', 'correlation', 'shares')
# A model does not explain an effort of which it leaves more than this share of the RMS.
HALF = 0.5
# An effort below this share of the residual is noise: their ratio has no meaning.
NOISE = 0.1
# Most samples for plots.
MAX_DRAWN = 16384


@dataclass(frozen=True)
class FrictionFit:
    """Fitted friction of one joint, with that of the URDF: viscous v + coulomb sgn(v) + offset.

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
        shares: of the sum of squares of the measured effort: <term, measured> divided by
            <measured, measured>, for each of TERMS and 'residual'; they sum to 1, and each may be
            negative. 'friction' is that of the fit, `residual` is what is left after it.
        friction: fitted to the residual; None where the joint does not move enough.
        result: the codes of its findings, or whether the model explains its effort.
        rms_after_fit: root mean square of the residual when friction, a rotor, an offset and what
            the findings say, such as a payload, are fitted; over the rows of the fit, which has
            no slow ones [unit of the measured effort].
    """

    unit: str
    rms_measured: float
    rms_residual: float
    bias: float
    correlation: float
    shares: Mapping[str, float]
    friction: FrictionFit | None = None
    result: str = ''
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
class Samples:
    """K samples of n joints of a recording.

    Attributes:
        joints: names of the columns.
        begins: (K,) whether a gap lies before this sample: do not draw a line across it.
        times: (K,) since the start of the recording [s].
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
    begins: npt.NDArray[np.bool_]
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

    def drawn(self) -> Samples:
        """At most `MAX_DRAWN` of them, evenly distributed."""
        step = math.ceil(len(self.times) / MAX_DRAWN) or 1
        begins = np.diff(np.cumsum(self.begins)[::step], prepend=0) > 0
        arrays = {one.name: getattr(self, one.name)[::step] for one in fields(self)[2:]}
        return replace(self, begins=begins, **arrays)

    def efforts_at(self, times: Array) -> Array:
        """Measured efforts (M, n) at times (M,); NaN in gaps."""
        later = np.searchsorted(self.times, times)
        gaps = np.append(self.begins, True)[later]
        found = [np.interp(times, self.times, efforts) for efforts in self.measured.T]
        return np.where(gaps[:, None], np.nan, np.stack(found, axis=1))


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
    """One recording of measured efforts against the torques of a model.

    Attributes:
        robot: name of the model.
        file: path, as it was given.
        topic: of the joint states.
        samples: number of samples that were compared.
        duration: of these samples, without gaps [s].
        rate: of the samples [Hz].
        cutoff: of the low-pass filter [Hz].
        error: why it could not be used; empty if it could.
        locked: joints of the robot that were not recorded: the model has them at zero, or at the
            limit nearest to zero.
        remark: on recorded joints that the robot does not have; empty without any.
        joints: figures by name, in the order of the model.
        findings: the most important one first; empty if model and recording agree.
        drawn: samples for plots; None where there are none.
        spectrum: of measured effort and residual; None where there are too few samples.
    """

    robot: str
    file: str
    topic: str = ''
    samples: int = 0
    duration: float = 0.0
    rate: float = math.nan
    cutoff: float = math.nan
    error: str = ''
    locked: tuple[str, ...] = ()
    remark: str = ''
    joints: Mapping[str, JointComparison] = field(default_factory=dict)
    findings: Sequence[Finding] = ()
    drawn: Samples | None = field(default=None, repr=False)
    spectrum: Spectrum | None = field(default=None, repr=False)

    def as_json(self) -> dict[str, Any]:
        """The contract of `robot_dynamics compare --json`, see docs/recordings.md.

        SI units; NaN where a number is not known, which is null in JSON.
        """
        shallow = {one.name: getattr(self, one.name) for one in fields(self)}
        del shallow['drawn'], shallow['spectrum']
        return shallow | {
            'locked': list(self.locked),
            'joints': {
                name: {figure: getattr(one, figure) for figure in FIGURES}
                | {'friction': asdict(one.friction) if one.friction else None}
                for name, one in self.joints.items()
            },
            'findings': [one.as_json() for one in advised(self.findings)],
        }
