"""The estimate of an identification: what the fitted parts of all recordings determine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.errors import IdentificationError
from robot_dynamics_ros.identification.consistency import consistent
from robot_dynamics_ros.identification.estimation import (
    Estimate,
    HuberWeights,
    OutlierWeights,
    Period,
    PeriodWeights,
    estimate,
    touched_periods,
    with_correlation,
)
from robot_dynamics_ros.identification.observability import (
    BaseParameters,
    Structure,
    base_parameters,
    excitation_findings,
    structure_of,
)
from robot_dynamics_ros.identification.observability.whitened import whitened
from robot_dynamics_ros.identification.regression import ReducedEquations

from .identify_sources import Sources

# Share of the RMS of the effort that is left at a joint, from which on contacts are looked for.
SUSPICIOUS = 0.05
# Windows of all recordings together, and equations of each joint in one, at least.
WINDOWS, SHORTEST = 60, 10
# Periods that a message lists.
LISTED = 5


@dataclass(frozen=True)
class Estimated:
    """An estimate of the fitted parts.

    Attributes:
        structure: of the robot.
        base: what the data determine.
        final: the physically consistent estimate; without one, that of least squares.
        findings: about the excitation.
        left_out: periods that are not fitted, as something else than the robot made the efforts.
        failure: why no consistent estimate was found; empty where one was.
    """

    structure: Structure
    base: BaseParameters
    final: Estimate
    findings: Sequence[Finding]
    left_out: tuple[Period, ...] = ()
    failure: str = ''

    @classmethod
    def of(cls, sources: Sources) -> Estimated:
        """Estimate from all equations of the fitted parts.

        Args:
            sources: the recordings.

        Raises:
            RecordingError: a recording cannot be used.
            ParameterError: no fitted part has an equation.
        """
        structure = structure_of(sources.setup.layout)
        reduced = sources.reduced()
        left_out = _touched(sources, structure, reduced)

        def weighed(weights: HuberWeights | None) -> ReducedEquations:
            return sources.reduced(PeriodWeights(left_out, weights) if left_out else weights)

        if left_out:
            reduced = weighed(None)
        base = base_parameters(reduced, structure)
        robust = estimate(reduced, weighed, base)
        periods = (*left_out, *sources.disturbed(robust))
        weights = OutlierWeights(robust.parameters, robust.noise, periods)
        weighted = sources.reduced(weights)
        # Contacts may hide parameters that the rest of the data tells, or tell them alone.
        base = base_parameters(weighted, structure)
        found = estimate(weighted, base=base)
        independence = float(reduced.independent.sum() / max(1.0, reduced.counts.sum()))
        found = with_correlation(found, sources.influence(found, weights), independence)
        findings = [*_empty_findings(sources), *excitation_findings(reduced, base)]
        try:
            final, failure = consistent(weighted, found, carried=sources.setup.carried), ''
        except IdentificationError as error:
            final, failure = found, str(error)
        return cls(structure, base, final, findings, left_out, failure)

    def left_out_findings(self) -> Iterator[Finding]:
        """That periods are not fitted, and which."""
        if not self.left_out:
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


def _empty_findings(sources: Sources) -> Iterator[Finding]:
    """Recordings of which nothing is fitted."""
    for name in sources.empty:
        yield Finding(
            'short',
            (),
            None,
            f'{name}: no motion was long enough for the filter: nothing of it is fitted. Record '
            'a longer motion, or leave it out.',
        )


def _touched(
    sources: Sources, structure: Structure, reduced: ReducedEquations
) -> tuple[Period, ...]:
    """Periods that do not fit what the others agree on; none where little is left altogether."""
    seen = whitened(reduced, structure.columns)
    squares = np.linalg.norm(reduced.triangles[:, :, -1], axis=1)
    rms = squares / np.sqrt(np.maximum(reduced.counts, 1.0))
    if not np.any(seen.noise > SUSPICIOUS * rms):
        return ()
    columns = tuple(structure.columns)
    size = max(SHORTEST, round(float(reduced.counts.max()) / WINDOWS))
    return touched_periods(sources.windows(columns, seen.scales[list(columns)], size))
