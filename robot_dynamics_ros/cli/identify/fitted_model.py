"""The model that is fitted to recordings, and by how much their efforts are shifted for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.identification import IdentifiedParameters, identify
from robot_dynamics_ros.identification.effort_delay import certain_delay, first_guess, is_gone
from robot_dynamics_ros.identification.estimation import PeriodWeights
from robot_dynamics_ros.identification.judgement.judged_evidence import Evidence
from robot_dynamics_ros.identification.observability import Structure

from .identify_sources import Sources


@dataclass(frozen=True)
class FittedModel:
    """A model and how well it fits.

    Attributes:
        sources: the recordings, with the delay of their efforts.
        found: the parameters.
        evidence: of each recording.
        delay: by which the efforts were shifted [s].
        is_found: whether the delay was found, not given.
    """

    sources: Sources
    found: IdentifiedParameters
    evidence: Sequence[Evidence]
    delay: float = 0.0
    is_found: bool = False


def fitted_model(
    sources: Sources, delay: float | None, compared: Sequence[Finding], interval: float
) -> FittedModel:
    """Identify a robot; efforts that certainly come later or earlier than the states are shifted.

    Args:
        sources: the recordings.
        delay: by which the efforts come later than the states [s]; None: it is found, and 0 if
            none is certain, or if recordings show different ones.
        compared: findings of the comparison with the description.
        interval: between two samples [s].
    """
    usual = _shifted(sources, delay or 0.0)
    if delay is not None:
        return usual
    guess = first_guess(compared, usual.evidence)
    if not guess:
        return usual
    shift = _delay(sources, usual.found, guess, interval)
    if not shift:
        return usual
    shifted = _shifted(sources, shift, usual.found.structure)
    return shifted if is_gone(shifted.evidence) else usual


def _delay(sources: Sources, found: IdentifiedParameters, guess: float, interval: float) -> float:
    """The delay that all recordings together show, and each alone to a sample; else 0 [s]."""
    weights = PeriodWeights(found.left_out)

    def shown_by(some: Sources) -> float:
        return certain_delay(
            lambda tried: some.shifted(tried).reduced(weights),
            found.structure,
            guess,
            interval,
            found.inflation,
        )

    delay, names = shown_by(sources), sources.fitted_names
    if not delay or len(names) == 1:
        return delay
    alone = (shown_by(sources.alone(name)) for name in names)
    return delay if all(one and abs(one - delay) < interval for one in alone) else 0.0


def _shifted(sources: Sources, delay: float, structure: Structure | None = None) -> FittedModel:
    """The model for efforts that come later by a delay [s]."""
    shifted = sources.shifted(delay)
    found = identify(shifted, structure, carried=sources.setup.carried)
    nominal = sources.setup.layout.nominal()
    evidence = shifted.evidence(nominal, found.final.parameters)
    return FittedModel(shifted, found, evidence, delay, is_found=structure is not None)
