"""The identification: what the equations of recordings determine, and the estimate of it.

The command `robot_dynamics identify`, its benchmarks and programs in Python use this one function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import IdentificationError

from .changed_masses import mass_findings
from .consistency import Prior, consistent
from .contradictions import contradiction_findings
from .estimation import (
    Estimate,
    HuberWeights,
    OutlierWeights,
    Period,
    PeriodWeights,
    estimate,
    outlying_periods,
    with_correlation,
)
from .fitted_equations import FittedEquations
from .friction_law import friction_law
from .identified_model import IdentifiedModel
from .kept_parameters import with_kept_parameters
from .model_of_parameters import model_of_parameters
from .observability import (
    BaseParameters,
    Structure,
    base_parameters,
    excitation_findings,
    structure_of,
)
from .observability.whitened import whitened
from .prior_weight import prior_weight
from .regression import ReducedEquations

# Share of the RMS of the effort that is left at a joint, from which on contacts are looked for.
SUSPICIOUS = 0.05
# Windows of all recordings together, and equations of each joint in one, at least.
WINDOWS, SHORTEST = 60, 10
# Times that it is decided which parameters the data determine, at most.
DECISIONS = 3
# Inflation of variances from which on residuals count as correlated.
CORRELATED = 1.2
# Equations from which on they outweigh any prior.
MOST = 50_000
# Periods that a message lists.
LISTED = 5


@dataclass(frozen=True)
class IdentifiedParameters:
    """What the equations of recordings tell of a robot.

    Attributes:
        structure: of the robot.
        base: what the data determine.
        unconstrained: the estimate of weighted least squares, with its intervals.
        final: the physically consistent estimate; without one, the unconstrained one.
        findings: about the excitation.
        left_out: periods that are not fitted, as something else than the robot made the efforts.
        failure: why no consistent estimate was found; empty where one was.
        numbers: of equations by joint: used, and left out for each reason.
        inflation: of the variances of base parameters, by the correlation of residuals.
        other_friction: joints at which the law of friction does not hold near reversals.
    """

    structure: Structure
    base: BaseParameters
    unconstrained: Estimate
    final: Estimate
    findings: Sequence[Finding]
    left_out: tuple[Period, ...] = ()
    failure: str = ''
    numbers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    inflation: float = 1.0
    other_friction: tuple[str, ...] = ()

    @cached_property
    def model(self) -> IdentifiedModel:
        """The robot with these parameters."""
        return model_of_parameters(self.base.layout, self.final.parameters)

    @property
    def unknown_gains(self) -> tuple[str, ...]:
        """Joints whose drive gain nothing fixes."""
        found = [one.joints for one in self.findings if one.code == 'unknown_gain']
        return tuple(dict.fromkeys(name for joints in found for name in joints))

    def left_out_findings(self) -> Iterator[Finding]:
        """That periods are not fitted, and which; not where a scale is unknown.

        Efforts that are wrong by a factor look like contacts.
        """
        if not self.left_out or self.unknown_gains:
            return
        listed = ', '.join(
            f'{one.recording} {one.begin:.1f} s to {one.end:.1f} s'
            for one in self.left_out[:LISTED]
        )
        more = f' and {len(self.left_out) - LISTED} more' if len(self.left_out) > LISTED else ''
        yield Finding(
            'contact',
            (),
            sum(one.end - one.begin for one in self.left_out),
            f'Not fitted, as the efforts do not fit what the rest of the recordings agrees on: '
            f'{listed}{more}: a contact, a hand or a cable. Record without contact.',
        )


def identify(
    equations: FittedEquations,
    structure: Structure | None = None,
    carried: Array | None = None,
    prior: Prior = 'log_det',
) -> IdentifiedParameters:
    """Identify a robot from all equations that are fitted.

    Periods that do not fit the others are left out; a robust estimate then shows single outliers
    and shorter disturbances; least squares without these decide again what the data determine, and
    get intervals that count correlated residuals; last, the nearest parameters that a real robot
    can have, with the weight of the prior that predicts these equations best.

    Args:
        equations: of the recordings, `LocalEquations` for those of this process.
        structure: of the robot, where it is known already.
        carried: (10 b,) known parameters of what is fixed to the moving bodies, see `consistent`.
        prior: of the consistent estimate, see `consistent`.

    Raises:
        ParameterError: there is no equation.
        RecordingError: a recording cannot be used, or a library is not installed.
    """
    reduced = equations.reduced()
    structure = structure or structure_of(reduced.layout, gravity=reduced.gravity)
    left_out = _outlying(equations, structure, reduced)

    def weighed(weights: HuberWeights | None) -> ReducedEquations:
        return equations.reduced(PeriodWeights(left_out, weights) if left_out else weights)

    if left_out:
        reduced = weighed(None)
    base = base_parameters(reduced, structure)
    for _ in range(DECISIONS):
        robust = estimate(reduced, weighed, base)
        periods = (*left_out, *equations.disturbed(robust))
        weights = OutlierWeights(robust.parameters, robust.noise, periods)
        weighted = equations.reduced(weights)
        # Contacts may hide parameters that the rest of the data tells, or tell them alone.
        before, base = base, base_parameters(weighted, structure)
        if base.columns == before.columns:
            break
    white = estimate(weighted, base=base)
    independence = float(reduced.independent.sum() / max(1.0, reduced.counts.sum()))
    found = with_correlation(white, equations.influence(white, weights), independence)
    inflation = _inflation(white, found)
    findings = list(excitation_findings(reduced, base))
    try:
        weight = 1.0
        if inflation > CORRELATED and reduced.counts.sum() <= MOST:
            weight = prior_weight(equations, weights, found, prior, carried)
        final, failure = consistent(weighted, found, prior, carried, weight), ''
        final = with_kept_parameters(structure, final)
    except IdentificationError as error:
        final, failure = found, str(error)
    findings += contradiction_findings(structure, base, found, final)
    if not any(one.code == 'unknown_gain' for one in findings):
        findings += mass_findings(final)
    law = friction_law(equations, weights, weighted, base, found)
    found, final = law.widened(found), law.widened(final)
    return IdentifiedParameters(
        structure, base, found, final, findings, left_out, failure, reduced.numbers,
        inflation, law.joints,
    )  # fmt: skip


def _inflation(white: Estimate, found: Estimate) -> float:
    """Mean of the variances of base parameters, relative to those of white residuals."""
    before, after = (np.diag(one.base_covariance) for one in (white, found))
    ratios = after[before > 0.0] / before[before > 0.0]
    return float(ratios.mean()) if ratios.size else 1.0


def _outlying(
    equations: FittedEquations, structure: Structure, reduced: ReducedEquations
) -> tuple[Period, ...]:
    """Periods that do not fit what the others agree on; none where little is left altogether."""
    white = whitened(reduced, structure.columns)
    squares = np.linalg.norm(reduced.triangles[:, :, -1], axis=1)
    rms = squares / np.sqrt(np.maximum(reduced.counts, 1.0))
    if not np.any(white.noise > SUSPICIOUS * rms):
        return ()
    columns = tuple(structure.columns)
    size = max(SHORTEST, round(float(reduced.counts.max()) / WINDOWS))
    return outlying_periods(equations.windows(columns, white.scales[list(columns)], size))
