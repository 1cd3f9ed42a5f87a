"""The model that is fitted to recordings: with which friction law, and which shift of efforts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.identification import IdentifiedParameters, identify
from robot_dynamics_ros.identification.effort_delay import (
    delay_of_all_speeds,
    first_guess,
    is_credible,
    is_gone,
)
from robot_dynamics_ros.identification.estimation import PeriodWeights
from robot_dynamics_ros.identification.friction_smoothing import certain_smoothings
from robot_dynamics_ros.identification.judgement.judged_evidence import Evidence
from robot_dynamics_ros.identification.observability import Structure

from .identify_sources import Sources


@dataclass(frozen=True)
class FittedModel:
    """A model and how well it fits.

    Attributes:
        sources: the recordings, with the smoothing of the friction and the delay of the efforts.
        found: the parameters.
        evidence: of each recording.
        delay: by which the efforts were shifted [s].
        is_found: whether the delay was found, not given.
        has_none: whether a delay was looked for, and no recording certainly has one.
    """

    sources: Sources
    found: IdentifiedParameters
    evidence: Sequence[Evidence]
    delay: float = 0.0
    is_found: bool = False
    has_none: bool = False


@dataclass(frozen=True)
class FitOptions:
    """What is given, or found while a model is fitted.

    Attributes:
        delay: by which the efforts come later than the states [s]; None: it is found, and 0 if
            none is certain, or if recordings show different ones.
        smoothing: of the friction of all joints [rad/s or m/s]; None: it is found for each joint
            where the usual one does not fit.
    """

    delay: float | None = None
    smoothing: float | None = None


def fitted_model(
    sources: Sources, options: FitOptions, compared: Sequence[Finding], interval: float
) -> FittedModel:
    """Identify a robot.

    Args:
        sources: the recordings.
        options: what is not to be found.
        compared: findings of the comparison with the description.
        interval: between two samples [s].
    """
    if options.smoothing is not None:
        sources = sources.smoothed((options.smoothing,) * len(sources.setup.joints))
    fitted = _with_delay(sources, options.delay, compared, interval)
    # After the delay, which makes friction near reversals look like that of another law. With
    # gains of drives the equations have no right-hand side whose residual could be compared.
    gains = 'gain' in sources.setup.equations.terms
    if options.smoothing is not None or gains or not fitted.found.other_friction:
        return fitted
    return _smoothed(fitted)


def _with_delay(
    sources: Sources, delay: float | None, compared: Sequence[Finding], interval: float
) -> FittedModel:
    """The model for the delay of the efforts that is given, or found."""
    usual = _shifted(sources, delay or 0.0)
    if delay is not None:
        return usual
    guess = first_guess(compared, usual.evidence)
    if not guess:
        return usual
    # Without the motion of joints that are held: a few slow equations each.
    sources = usual.sources
    delays = _delays(sources, usual.found, guess)
    if None in delays:
        # Slow motion: what was found before is told.
        return usual
    known = [one for one in delays if one is not None]
    if not any(known):
        return replace(usual, has_none=True)
    shift = known[0]
    if not is_credible(shift, interval) or any(abs(one - shift) >= interval for one in known):
        return usual
    shifted = replace(_shifted(sources, shift, usual.found.structure), is_found=True)
    return shifted if is_gone(shifted.evidence) else usual


def _smoothed(fitted: FittedModel) -> FittedModel:
    """The model with the smoothing of the friction that the fitted data show."""
    found, sources = fitted.found, fitted.sources
    weights = PeriodWeights(found.left_out)
    smoothing = certain_smoothings(
        lambda tried: sources.tried(tried).reduced(weights),
        found.structure,
        found.inflation,
    )
    if list(smoothing) == sources.setup.layout.smoothings.tolist():
        return fitted
    smoothed = _shifted(sources.smoothed(smoothing), fitted.delay)
    return replace(smoothed, is_found=fitted.is_found, has_none=fitted.has_none)


def _delays(sources: Sources, found: IdentifiedParameters, guess: float) -> list[float | None]:
    """The certain delay of all recordings together, then that of each alone [s].

    0 for none, None where only faster motion could tell.
    """

    def shown_by(some: Sources) -> float | None:
        return delay_of_all_speeds(
            lambda tried, weights: some.shifted(tried).reduced(weights),
            PeriodWeights(found.left_out),
            found.structure,
            guess,
            found.inflation,
        )

    names = sources.fitted_names
    alone = [sources.alone(name) for name in names] if len(names) > 1 else []
    return [shown_by(some) for some in (sources, *alone)]


def _shifted(sources: Sources, delay: float, structure: Structure | None = None) -> FittedModel:
    """The model for efforts that come later by a delay [s]."""
    shifted = sources.shifted(delay)
    found = identify(shifted, structure, carried=sources.setup.carried)
    still = _still(found)
    if any(found.numbers[joint]['used'] for joint in still):
        return _shifted(sources.without_motion_of(still), delay, found.structure)
    if still:
        # What is not fitted is not judged.
        shifted = shifted.without_motion_of(still)
    nominal = sources.setup.layout.nominal()
    evidence = shifted.evidence(nominal, found.final.parameters)
    return FittedModel(shifted, found, evidence, delay)


def _still(found: IdentifiedParameters) -> tuple[str, ...]:
    """Joints whose few equations are jitter; none where no other joint would have any."""
    still = {name for one in found.findings if one.code == 'still' for name in one.joints}
    others = any(counts['used'] for name, counts in found.numbers.items() if name not in still)
    return tuple(name for name in found.numbers if name in still) if others else ()
