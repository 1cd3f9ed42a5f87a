"""The figures of each joint, and the spectra of a recording."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required

from .compared import TERMS, FrictionFit, JointComparison, Samples, Spectrum
from .relabelling import Explained

# Samples of a part whose spectrum is computed, and the fewest of a recording [-].
PART, MIN_PART = 512, 64
# A variance below this share of the mean square is rounding.
ROUNDING = 1e-12


def joint_figures(found: Explained, samples: Samples) -> dict[str, JointComparison]:
    """The figures of each joint by name, in the order of the model."""
    model, figures = found.observations.torques.model, {}
    fits = friction_fits(found)
    for joint, (name, unit) in enumerate(zip(model.joint_names, model.effort_units, strict=True)):
        measured = samples.measured[:, joint]
        rows = np.isfinite(measured)
        effort, residual = measured[rows], samples.residual[rows, joint]
        fit, v = fits.get(joint), samples.velocities[rows, joint]
        parts = {term: getattr(samples, term)[rows, joint] for term in TERMS}
        if fit is not None:
            parts['friction'] = fit.viscous * v + fit.coulomb * np.sign(v)
        with np.errstate(invalid='ignore', divide='ignore'):
            square = np.float64(effort @ effort)
            shares = {term: float(part @ effort / square) for term, part in parts.items()}
        seen = found.observations
        after = found.solution.errors[joint] / max(seen.counts[joint], 1)
        figures[name] = JointComparison(
            unit=unit,
            rms_measured=_rms(effort),
            rms_residual=_rms(residual),
            bias=float(residual.mean()) if len(residual) else np.nan,
            correlation=_correlation(effort, samples.model[rows, joint]),
            shares={**shares, 'residual': 1.0 - sum(shares.values())},
            friction=fit,
            rms_after_fit=float(np.sqrt(after)) if seen.judged[joint] else np.nan,
        )
    return figures


def friction_fits(found: Explained) -> dict[int, FrictionFit]:
    """Friction and offset of each judged joint by its index."""
    own = found.solution['own']
    return {
        joint: FrictionFit(*own[joint, 1:].tolist())
        for joint in np.flatnonzero(found.observations.judged).tolist()
    }


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2))) if len(values) else float('nan')


def _correlation(effort: Array, torque: Array) -> float:
    """Of measurement and model; NaN where one does not vary."""
    for one in (effort, torque):
        if not np.var(one) > ROUNDING * np.mean(one**2) if len(one) else True:
            return float('nan')
    return float(np.corrcoef(effort, torque)[0, 1])


def spectrum_of(samples: Samples, rate: float) -> Spectrum | None:
    """The mean spectra of the segments; None where they are too short."""
    starts = np.flatnonzero(samples.begins).tolist()
    spans = list(zip(starts, [*starts[1:], len(samples.times)], strict=True))
    size = min(PART, max((end - begin for begin, end in spans), default=0))
    if size < MIN_PART:
        return None
    signal = required('scipy.signal', 'recordings')
    sums, weights = np.zeros((2, size // 2 + 1, len(samples.joints))), 0.0
    frequencies = np.zeros(size // 2 + 1)
    for begin, end in spans:
        if end - begin >= size:
            both = np.stack([samples.measured[begin:end], samples.residual[begin:end]])
            frequencies, found = signal.welch(both, rate, nperseg=size, axis=1)
            sums, weights = sums + (end - begin) * found, weights + (end - begin)
    return Spectrum(frequencies, *(sums / weights))
