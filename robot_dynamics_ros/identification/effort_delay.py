"""By how much the efforts of recordings come later than their states.

A delay looks like viscous friction and inertia, which take nearly all of it: what an identified
model leaves hardly shows it. So the parameters are fitted anew for each shift of the efforts, and
the shift with the largest likelihood is the delay (profile likelihood).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.extra import required

from .estimation import FastWeights, PeriodWeights, estimate
from .judgement.clock import LARGEST, DelayLine, delay_line
from .judgement.judged_evidence import Evidence, TorqueSums
from .observability import BaseParameters, Structure, base_parameters
from .regression import EquationOptions, ReducedEquations, Weights

# Relative tolerance of the search, and its steps.
TOLERANCE, STEPS = 1e-2, 10
# No driver delivers efforts later than this behind its states [s], or earlier than this number of
# samples ahead of them: such a shift makes good for something else that the model lacks.
LATEST, EARLIEST = 0.1, 2.0
# Standard deviations of a delay that is certain.
DEVIATIONS = 5.0
# A joint is fast from so many dead bands on: 0.5 rad/s, 0.125 m/s. Friction that lags behind a
# reversal is a delay at slow speeds alone; fast motion shows at least this share of a real one.
FAST_BANDS, KEPT = 25.0, 0.8
# Share of the equations of a joint that must be fast, or its fast motion shows nothing.
LEAST_FAST = 0.5


def first_guess(compared: Sequence[Finding], evidence: Sequence[Evidence]) -> float:
    """A delay from which the search may begin [s]; 0: nothing speaks for one.

    Args:
        compared: findings of the comparison with the description.
        evidence: of each recording, for a model that was fitted without a shift.
    """
    lines = [_fitted_line(one, evidence) for one in evidence]
    if any(line is not None and line.drifts for line in lines):
        return 0.0
    found = [one.value for one in compared if one.code == 'delay' and one.value]
    late = [line.delay for line in lines if line is not None and line.is_late]
    return float(([*found, *late] or [0.0])[0])


def certain_delay(
    reduced_with: Callable[[float], ReducedEquations],
    structure: Structure,
    guess: float,
    inflation: float,
) -> float:
    """The delay of the efforts, if it is certain; else 0 [s].

    Args:
        reduced_with: the equations with efforts that are shifted by a delay [s].
        structure: of the robot.
        guess: where the search begins, not 0 [s].
        inflation: of variances, by the correlation of residuals.
    """
    optimize = required('scipy.optimize', 'identification')
    unshifted = reduced_with(0.0)
    base = base_parameters(unshifted, structure)
    counts, logs = unshifted.independent, _logs(unshifted, base)

    def unlikelihood(delay: float) -> float:
        """Minus the logarithm of the likelihood, relative to that without a shift."""
        if not abs(delay) < LARGEST:
            return float(counts.sum()) * (1.0 + abs(delay))
        return float(counts @ (_logs(reduced_with(delay), base) - logs))

    options = {'xtol': TOLERANCE, 'maxiter': STEPS}
    found = optimize.minimize_scalar(unlikelihood, bracket=(0.0, guess), options=options)
    delay = float(found.x)
    # Twice the logarithm is the square of the delay in standard deviations.
    deviations = math.sqrt(max(0.0, -2.0 * float(found.fun)) / max(1.0, inflation))
    return delay if deviations > DEVIATIONS else 0.0


def delay_of_all_speeds(
    reduced_with: Callable[[float, Weights], ReducedEquations],
    weights: PeriodWeights,
    structure: Structure,
    guess: float,
    inflation: float,
) -> float | None:
    """The delay that is certain in all motion, and in fast motion too; else 0 [s].

    Fast motion is that of the joints that are mostly fast. Without any nobody knows whether it is
    a delay or friction that lags: None.

    Args:
        reduced_with: the equations with efforts that are shifted by a delay [s], and with weights.
        weights: of the equations.
        structure: of the robot.
        guess: where the search begins, not 0 [s].
        inflation: of variances, by the correlation of residuals.
    """

    def found(used: Weights) -> float:
        return certain_delay(lambda d: reduced_with(d, used), structure, guess, inflation)

    delay, layout = found(weights), structure.layout
    if not delay or 'viscous' not in layout.terms:
        return delay
    whole = reduced_with(0.0, weights)
    if whole.equations != layout.joints:
        return delay
    limits = FAST_BANDS * EquationOptions().bands(layout.model)
    fast = reduced_with(0.0, FastWeights(tuple(limits.tolist()), weights))
    is_fast = fast.weights > LEAST_FAST * whole.weights
    if not is_fast.any():
        return None
    quick = FastWeights(tuple(np.where(is_fast, limits, np.inf).tolist()), weights)
    return delay if found(quick) / delay > KEPT else 0.0


def is_credible(delay: float, interval: float) -> bool:
    """Whether a delay is one that a driver has, and long enough to be more than a law of friction.

    Args:
        delay: of the efforts behind the states [s].
        interval: between two samples [s].
    """
    return abs(delay) > interval and -EARLIEST * interval <= delay <= LATEST


def is_gone(evidence: Sequence[Evidence]) -> bool:
    """Whether no recording shows another delay after a shift: all have the same, all the time.

    Args:
        evidence: of each recording, for a model that was fitted with the shift.
    """
    lines = [_fitted_line(one, evidence) for one in evidence]
    return not any(line is not None and (line.is_late or line.drifts) for line in lines)


def shift_findings(delay: float) -> Iterator[Finding]:
    """That the efforts were shifted, by a delay that was found.

    Args:
        delay: of the efforts behind the states; 0: they were not [s].
    """
    if delay == 0.0:
        return
    word = 'later' if delay > 0.0 else 'earlier'
    yield Finding(
        'shifted',
        (),
        delay,
        f'The efforts come {1e3 * abs(delay):.3g} ms {word} than the states, and a delay looks '
        'like viscous friction: they were shifted before the fit. --effort-delay 0 leaves them '
        'as they are. Record positions and efforts with the stamp of one measurement.',
    )


def shift_words(delay: float) -> str:
    """The sentence of the verdict about shifted efforts.

    Args:
        delay: of the efforts behind the states, not 0 [s].
    """
    word = 'later' if delay > 0.0 else 'earlier'
    return (
        f'The parameters and the figures are those of efforts that were measured '
        f'{1e3 * abs(delay):.3g} ms {word} than the states.'
    )


def _logs(reduced: ReducedEquations, base: BaseParameters) -> Array:
    """Logarithm (r,) of the noise of each equation, as far as it is used."""
    noise = estimate(reduced, base=base).noise
    logs: Array = np.log(np.where(noise > 0.0, noise, 1.0))
    return logs


def _fitted_line(one: Evidence, evidence: Sequence[Evidence]) -> DelayLine | None:
    """The delay along the fitted part of a recording."""
    noise = np.nan_to_num(TorqueSums.joined([each.of_fitted for each in evidence]).rms[2])
    return delay_line(one.of_fitted_part(), noise, at_reversals=False)
