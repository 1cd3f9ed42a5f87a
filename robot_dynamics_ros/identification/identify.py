"""The identification: what the equations of recordings determine, and the estimate of it.

The `Identifier`, benchmarks and programs in Python use this one function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import IdentificationError

from .consistent import consistent, with_kept_parameters
from .contacts_left_out import contact_periods
from .equations import Equations, Period
from .estimate import Estimate, estimate, outlier_weights
from .excitation_findings import excitation_findings
from .friction import friction_law
from .identified_model import IdentifiedModel, model_of_parameters
from .intervals import bootstrap_windows, inflation, with_consistent_draws, with_draws
from .observability import BaseParameters, base_parameters, still_joints
from .parameter_rows import negative_terms
from .plausibility import contradiction_findings, mass_findings
from .prior import prior_weight as best_prior_weight
from .structure import Structure, structure_of

# Times that it is decided which parameters the data determine, at most.
DECISIONS = 3
# Periods that a message lists.
LISTED = 5


@dataclass(frozen=True)
class IdentifiedParameters:
    """What the equations of recordings tell of a robot.

    Attributes:
        structure: of the robot.
        base: what the data determine.
        unconstrained: the estimate of weighted least squares, with its intervals.
        final: the physically consistent estimate, with its own; without one, the unconstrained.
        findings: about the excitation.
        left_out: periods that are not fitted, as something else than the robot made the efforts.
        failure: why no consistent estimate was found; empty where one was.
        numbers: of equations by joint: used, and left out for each reason.
        inflation: of the variances of base parameters, by the correlation of residuals.
        other_friction: joints at which the law of friction does not hold near reversals.
        link_side: joints whose efforts are on the side of the link, by a rotor inertia that is
            certainly negative: none is fitted there.
        still: joints that hardly move: their few equations are jitter.
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
    link_side: tuple[str, ...] = ()
    still: tuple[str, ...] = ()

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
            f'{listed}{more}: a contact, a hand or a cable.',
            's',
        )


def identify(
    equations: Equations,
    structure: Structure | None = None,
    carried: Array | None = None,
    prior_weight: float | None = None,
    link_side: tuple[str, ...] | None = None,
) -> IdentifiedParameters:
    """Identify a robot from all equations that are fitted.

    Periods that do not fit the others are left out; a robust estimate then shows single outliers;
    least squares without these decide again what the data determine.
    A rotor inertia that is certainly negative is none: the efforts are on the side of the link.
    Last, the nearest parameters that a real robot can have, with the weight of the prior that
    predicts other motion best, and their intervals by a bootstrap.

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
    reduced = equations.reduced()
    structure = structure or structure_of(equations.layout)
    left_out = contact_periods(equations, structure, reduced)
    if left_out:
        reduced = equations.reduced(equations.outside(left_out))
    base = base_parameters(reduced, structure)
    for _ in range(DECISIONS):
        robust = estimate(reduced, base, equations, left_out)
        weights = outlier_weights(equations, robust, left_out)
        weighted = equations.reduced(weights)
        # Contacts may hide parameters that the rest of the data tells, or tell them alone.
        before, base = base, base_parameters(weighted, structure)
        if base.columns == before.columns:
            break
    windows = bootstrap_windows(equations, weights)
    found = with_draws(estimate(weighted, base), base, windows)
    if link_side is None and (negative := negative_terms(structure, base, found, ('armature',))):
        joints = tuple(equations.layout.names[column].rpartition(' ')[0] for column in negative)
        return identify(equations, None, carried, prior_weight, joints)
    findings = list(excitation_findings(reduced, base))
    try:
        weight = prior_weight or best_prior_weight(equations, weights, found, carried)
        fit = consistent(weighted, found, carried, weight)
        final = with_kept_parameters(structure, with_consistent_draws(fit, windows))
        failure = ''
    except IdentificationError as error:
        final, failure = found, str(error)
    findings += contradiction_findings(structure, base, found)
    if not any(one.code == 'unknown_gain' for one in findings):
        findings += mass_findings(final)
    law = friction_law(equations, weights, weighted, base, found)
    return IdentifiedParameters(
        structure, base, law.widened(found), law.widened(final), findings, left_out, failure,
        reduced.numbers, inflation(found, base, windows), law.joints, link_side or (),
        still_joints(reduced),
    )  # fmt: skip
