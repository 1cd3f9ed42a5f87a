"""The identification: what the equations of recordings determine, and the estimate of it.

The `Identifier`, benchmarks and programs in Python use this one function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import IdentificationError

from .base_parameters import (
    BaseParameters,
    Structure,
    base_parameters,
    silent_joints,
    structure_of,
)
from .consistent import consistent, with_kept_parameters
from .consistent import prior_weight as best_prior_weight
from .equations import Equations, Period
from .estimate import Estimate, estimate
from .findings import contact_findings, contradiction_findings, excitation_findings, mass_findings
from .identified_model import IdentifiedModel, model_of_parameters
from .intervals import bootstrap_windows, with_consistent_draws, with_draws
from .outliers import robust_weights
from .parameter_rows import negative_terms


@dataclass(frozen=True)
class IdentifiedParameters:
    """What the equations of recordings tell of a robot.

    Attributes:
        base: what the data determine.
        unconstrained: the estimate of weighted least squares, with its intervals.
        final: the physically consistent estimate, with its own; without one, the unconstrained.
        findings: that the equations and the estimate show.
        left_out: periods that are not fitted, as something else than the robot made the efforts.
        failure: why no consistent estimate was found; empty where one was.
        numbers: of equations by joint: used, and left out for each reason.
        inflation: of the variances of base parameters, by the correlation of residuals.
        link_side: joints whose efforts are on the side of the link, by a rotor inertia that is
            certainly negative: none is fitted there.
        still: joints that hardly move: their few equations are jitter.
        speeds: (n,) largest of the equations that were fitted [rad/s or m/s]; 0 without one.
    """

    base: BaseParameters
    unconstrained: Estimate
    final: Estimate
    findings: Sequence[Finding]
    left_out: tuple[Period, ...] = ()
    failure: str = ''
    numbers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    inflation: float = 1.0
    link_side: tuple[str, ...] = ()
    still: tuple[str, ...] = ()
    speeds: Array | None = None

    @cached_property
    def model(self) -> IdentifiedModel:
        """The robot with these parameters."""
        return model_of_parameters(self.base.layout, self.final.parameters)

    @property
    def used(self) -> int:
        """Number of equations that were fitted."""
        return sum(one['used'] for one in self.numbers.values())

    @property
    def unknown_gains(self) -> tuple[str, ...]:
        """Joints whose drive gain nothing fixes."""
        found = [one.joints for one in self.findings if one.code == 'unknown_gain']
        return tuple(dict.fromkeys(name for joints in found for name in joints))


def identify(
    equations: Equations,
    structure: Structure | None = None,
    carried: Array | None = None,
    prior_weight: float | None = None,
    link_side: tuple[str, ...] | None = None,
) -> IdentifiedParameters:
    """Identify a robot from all equations that are fitted.

    Weights leave out what does not fit the rest. A rotor inertia that is certainly negative is
    none: the efforts are on the side of the link. Last, the nearest parameters that a real robot
    can have, with the weight of the prior that predicts other motion best, and their intervals by
    a bootstrap.

    Args:
        equations: of the recordings.
        structure: of the robot, where it is known already.
        carried: (10 b,) known parameters of what is fixed to the moving bodies, see `consistent`.
        prior_weight: of the consistent estimate, where it is known; None: by cross-validation.
        link_side: joints whose efforts are known to be on the side of the link, others are not;
            None: by the sign of rotor inertias.

    Raises:
        ParameterError: there is no equation.
        RecordingError: a library is not installed.
    """
    if link_side:
        known = {**equations.layout.known, **{f'{name} armature': 0.0 for name in link_side}}
        equations, structure = equations.with_known(known), None
    structure = structure or structure_of(equations.layout)
    weights, left_out = robust_weights(equations, structure, equations.reduced())
    windows = bootstrap_windows(equations, weights)
    reduced = windows.total
    base = base_parameters(reduced, structure)
    found, inflation = with_draws(estimate(reduced, base), base, windows)
    if link_side is None and (negative := negative_terms(base, found, ('armature',))):
        joints = tuple(equations.layout.names[column].rpartition(' ')[0] for column in negative)
        return identify(equations, None, carried, prior_weight, joints)
    findings = [*excitation_findings(reduced, base)]
    is_scaled = not any(one.code == 'unknown_gain' for one in findings)
    try:
        weight = prior_weight or best_prior_weight(equations, weights, found, carried)
        fit = consistent(reduced, found, carried, weight)
        final = with_kept_parameters(structure, with_consistent_draws(fit, windows))
        failure = ''
    except IdentificationError as error:
        final, failure = found, str(error)
    findings += contradiction_findings(base, found)
    if is_scaled:
        findings += [*mass_findings(final), *contact_findings(left_out)]
    return IdentifiedParameters(
        base, found, final, findings, left_out, failure, reduced.numbers,
        inflation, link_side or (), silent_joints(reduced, slow=True),
        np.where(equations.used, np.abs(equations.velocities), 0.0).max(axis=0),
    )  # fmt: skip
