"""The physically consistent estimate: parameters that a real robot can have.

min |F z - e|^2 / 2 + prior of z, with armature and friction not negative (Sousa, Cortesao,
"Physical feasibility of robot base inertial parameter identification: a linear matrix inequality
approach", 2014; Wensing, Kim, Slotine, 2018). F is a triangle: its size does not grow with the
samples. The prior has -log det X of each body, which is its own barrier: the matrices of bodies
stay positive definite, and Newton's method needs some ten steps (Nesterov, Nemirovskii,
"Interior-point polynomial algorithms in convex programming", 1994). Each step is a least-squares
problem with bounds.

With white noise alone the prior of a parameter is worth one equation. Where the model lacks
something, such as friction that depends on load, residuals are correlated and the same for a whole
motion: there are fewer independent equations than the estimate counts, and the prior is worth
more. It gets the largest weight with which some motion predicts other motion as well as with the
best one, within one standard error (Stone, "Cross-validatory choice and assessment of statistical
predictions", 1974; Breiman, Friedman, Olshen, Stone, "Classification and regression trees", 1984).
What is predicted must be other motion than what is fitted: a fold is a quarter of the period of
the motion, in all its repetitions. A motion that does not repeat is one period. An embargo on both
sides of a fold keeps filtered neighbours apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import IdentificationError, InertiaError
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.regression.bodies import SIZE

from .base_parameters import Structure
from .bodies import BARE, Unknowns, unknowns_of
from .equations import Equations, Numbers, ReducedEquations, triangle
from .estimate import Estimate, with_instruments
from .parameters import BODY, Flags

# Of the torque of a joint: data count as no more exact.
LEAST_NOISE = 1e-8
# Weight of an equation that holds exactly, relative to the largest one.
EXACT = 1e4
# Newton's steps, the square of the last one in deviations of the estimate, and the share of the
# way to a body that cannot exist that a step goes at most.
STEPS, LAST, SHARE = 200, 1e-12, 0.99
# The path to the solution begins at the reference, with equations that hardly count. They count
# more by this factor where the square of a step is below this one.
FALL, CLOSE = 0.1, 0.5
# Of a plausible value: a smaller term is zero.
ROUNDING = 1e-6
# Of the prior, which are tried [equations], and parts of the motion that predict one another.
WEIGHTS = (1.0, 3.0, 10.0, 30.0, 100.0)
FOLDS = 4
# On each side of a fold, in times between two equations: as long as the filters.
EMBARGO = 8
# Of velocities one period apart: the least correlation of a motion that repeats itself, and what
# the correlation falls below between.
REPEATED, BETWEEN = 0.9, 0.5


@dataclass(frozen=True)
class Consistent:
    """A physically consistent estimate, and the problem whose solution it is.

    Attributes:
        estimate: the parameters.
        unknowns: what is free.
        z: (k,) the solution.
        rows: (m, p + 1) [Y | tau], in deviations of the noise over the square root of the weight
            of the prior.
    """

    estimate: Estimate
    unknowns: Unknowns
    z: Array
    rows: Array


def consistent(
    reduced: ReducedEquations,
    estimate: Estimate,
    carried: Array | None = None,
    weight: float = 1.0,
) -> Consistent:
    """The parameters of a real robot that fit the equations best.

    The cost is half the squared residual in deviations of the noise, plus the prior, which is
    worth `weight` equations for each parameter: half the squared relative change of bodies and
    terms where changes are small. So many equations outweigh it, and it decides what they do not
    tell.

    Every equation counts, also for friction and offsets that `estimate` leaves at the URDF as the
    data hardly tell them. Parameters that no equation feels stay, and so do bodies without mass of
    which the data tell nothing alone.

    Args:
        reduced: the equations, with the weights of a robust estimate where it is one.
        estimate: of the same equations: its noise is used; intervals stay as they are.
        carried: (10 bodies,) known parameters of what is fixed to the moving bodies, such as links
            behind joints that were not recorded: the rest of each body can exist without it too.
        weight: of the prior, above 0 [equations].

    Raises:
        IdentificationError: the parameters are not found.
    """
    fixed = np.zeros((len(reduced.layout.bodies), BODY))
    if carried is not None:
        fixed[: len(carried) // BODY] = carried.reshape(-1, BODY)
    # With less weight of the equations: it is the ratio of the two that matters.
    rows = weighted_rows(reduced, estimate) / np.sqrt(weight)
    torques = reduced.rms(estimate.parameters)
    torques = np.where(torques > 0.0, torques, float(torques.max(initial=0.0)) or 1.0)
    empty: set[int] = set()
    while True:
        unknowns = unknowns_of(rows[:, :-1], estimate, torques, fixed, empty)
        exact = _with_known(unknowns, rows)
        z = _solved(unknowns, exact)
        # Bodies without mass in the URDF that got hardly more than the least that is allowed: the
        # others take over what these have explained.
        traces = np.trace(unknowns.matrices(z), axis1=1, axis2=2)
        least = (unknowns.weights == BARE) & (traces < 2.0 * SIZE * BARE)
        if not least.any():
            break
        empty |= {unknowns.bodies[index] for index in np.flatnonzero(least)}
    found = replace(
        estimate, parameters=cleared(unknowns, z), method='consistent', prior_weight=weight
    )
    return Consistent(found, unknowns, z, exact)


def with_kept_parameters(structure: Structure, final: Estimate) -> Estimate:
    """The same torques, with what no torque depends on as in the URDF, if such bodies can exist.

    A solver moves these parameters a little, and the digits of the URDF would be lost for nothing.
    """
    layout = final.layout
    bodies = slice(0, BODY * len(layout.model.joints))
    felt = np.any(structure.combination, axis=0)
    parameters = final.parameters.copy()
    parameters[bodies] = np.where(felt, parameters, layout.nominal())[bodies]
    try:
        layout.model.with_inertial_parameters(parameters[bodies])
    except InertiaError:
        return final
    return replace(final, parameters=parameters)


def weighted_rows(reduced: ReducedEquations, estimate: Estimate) -> Array:
    """The triangle (p + 1, p + 1) of [Y | tau] over all joints, in deviations of the noise.

    Args:
        reduced: equations of all data; zero columns for known parameters.
        estimate: without constraints. Equations whose noise is zero or not finite are not used;
            the efforts beside unknown gains are those that it predicts, see
            `estimate.with_instruments`.
    """
    size, noise = reduced.layout.size, estimate.noise
    gains = list(reduced.layout.unknown_gains.items())
    clean = with_instruments(reduced.triangles, estimate.parameters, gains)
    used = (reduced.weights > 0.0) & (noise > 0.0) & np.isfinite(noise)
    least = np.maximum(noise, LEAST_NOISE * reduced.usual_torques)[used]
    rows = (np.sqrt(reduced.independence[used]) / least)[:, None, None] * clean[used]
    return triangle(np.concatenate([np.zeros((1, size + 1)), *rows]))


def held_above(root: Array, places: Numbers, changes: Array, least: Array) -> Array:
    """The changes (R, k) nearest to given ones in the metric root^T root, some not below a bound.

    Args:
        root: (k, k) upper triangular.
        places: (m,) of the bounded entries.
        changes: (R, k).
        least: (m,) of their entries there.
    """
    linalg = required('scipy.linalg', 'identification')
    optimize = required('scipy.optimize', 'identification')
    below = np.flatnonzero((changes[:, places] < least).any(axis=1))
    if not below.size:
        return changes
    columns = linalg.solve_triangular(root, np.eye(len(root))[:, places], trans=1)
    upper = np.linalg.qr(columns, mode='r')
    result = changes.copy()
    for row in below:
        missing = linalg.solve_triangular(upper, least - changes[row, places], trans=1)
        forces, _ = optimize.nnls(upper, missing)
        result[row] += linalg.solve_triangular(root, columns @ forces)
    return result


def _with_known(unknowns: Unknowns, rows: Array) -> Array:
    """The rows, and one for each known parameter of a free body, which holds exactly."""
    known, scales = unknowns.known, unknowns.scales
    exact = np.zeros((len(known), rows.shape[1]))
    largest = float(np.abs(rows[:, :-1] * scales).max(initial=1.0))
    exact[range(len(known)), known] = EXACT * largest / scales[known]
    exact[:, -1] = exact[:, :-1] @ unknowns.layout.nominal()
    return np.concatenate([rows, exact])


def cleared(unknowns: Unknowns, z: Array) -> Array:
    """The parameters (p,) of z (k,), or (N, p) of (N, k), at bounds that rounding leaves."""
    known, nominal = unknowns.layout.is_known, unknowns.layout.nominal()
    parameters, columns = unknowns.parameters(z), unknowns.bounded
    least = ROUNDING * unknowns.scales[columns]
    bounded = parameters[..., columns]
    parameters[..., columns] = np.where(bounded > least, bounded, 0.0)
    parameters[..., known] = nominal[known]
    return parameters


def _solved(unknowns: Unknowns, rows: Array) -> Array:
    """The z (k,) of the least cost, by Newton's method.

    Raises:
        IdentificationError: the steps do not end.
    """
    linalg = required('scipy.linalg', 'identification')
    size, (places, least) = unknowns.basis.shape[1], unknowns.bounds
    own = rows[:, -1] - rows[:, :-1] @ unknowns.origin
    upper = triangle(np.column_stack([rows[:, :-1] @ unknowns.basis, own]))
    factor, torques = upper[:, :-1], upper[:, -1]
    z = unknowns.reference
    z[places] = np.maximum(z[places], least)
    if not size:
        return z
    # Above 1: what the equations are divided by; below: w of bodies without mass in the URDF.
    level = max(1.0, float(np.sum(torques**2)))
    for _ in range(STEPS):
        share = 1.0 / np.sqrt(max(1.0, level))
        weights = np.where(unknowns.weights < 1.0, np.clip(level, unknowns.weights, 1.0), 1.0)
        gradient, root = unknowns.prior(z, weights)
        left = share * (torques - factor @ z)
        right = np.append(left, -linalg.solve_triangular(root, gradient, trans=1))
        stacked = np.concatenate([share * factor, root])
        newton = triangle(np.column_stack([stacked, right]))[:size]
        change = linalg.solve_triangular(newton[:, :size], newton[:, size])
        change = held_above(newton[:, :size], places, change[None], least - z[places])[0]
        length = float(np.sum((newton[:, :size] @ change) ** 2))
        z = z + _step(unknowns, z, change) * change
        last = level <= min(1.0, unknowns.weights.min(initial=1.0))
        if last and length < LAST:
            return z
        if not last and length < CLOSE * min(1.0, level):
            level *= FALL
    raise IdentificationError(
        'no physically consistent parameters were found: use a motion that tells more '
        '(robot_dynamics excite), or a URDF with plausible masses and inertias '
        '(robot_dynamics validate)'
    )


def _step(unknowns: Unknowns, z: Array, change: Array) -> float:
    """The share of a change (k,) of z (k,), at most 1, with which all bodies exist."""
    lower = np.linalg.inv(np.linalg.cholesky(unknowns.matrices(z)))
    relative = lower @ unknowns.matrices(change) @ lower.transpose(0, 2, 1)
    return SHARE / max(SHARE, -float(np.linalg.eigvalsh(relative).min(initial=0.0)))


def prior_weight(
    equations: Equations, weights: Array, found: Estimate, carried: Array | None = None
) -> float:
    """The largest weight with which the folds predict each other about as well as they can.

    Args:
        equations: that are fitted; no others are looked at.
        weights: (N, n) of these.
        found: the estimate without constraints.
        carried: see `consistent`.
    """
    used = found.noise > 0.0
    errors = np.zeros((len(WEIGHTS), FOLDS))
    for fold, (inside, outside) in enumerate(folds(equations)):
        left_out, others = (equations.reduced(weights * one[:, None]) for one in (inside, outside))
        try:
            fits = [consistent(others, found, carried, one).estimate for one in WEIGHTS]
        except IdentificationError:
            # Less data than all: what has no solution here says nothing of the whole.
            continue
        solutions = np.array([np.append(one.parameters, -1.0) for one in fits])
        squares = np.sum((left_out.triangles[used] @ solutions.T) ** 2, axis=1)
        errors[:, fold] = np.sum(squares / found.noise[used, None] ** 2, axis=0)
    best = int(errors.sum(axis=1).argmin())
    worse = errors - errors[best]
    alike = worse.sum(axis=1) < np.sqrt(FOLDS) * worse.std(axis=1, ddof=1)
    alike[best] = True
    return WEIGHTS[int(np.flatnonzero(alike)[-1])]


def folds(equations: Equations) -> list[tuple[Flags, Flags]]:
    """The equations (N,) of each of `FOLDS` folds, and those that are far from it."""
    ndimage = required('scipy.ndimage', 'identification')
    labels = np.zeros(len(equations), int)
    for number in range(len(equations.recordings)):
        rows = np.flatnonzero(equations.number == number)
        if not rows.size:
            continue
        times = equations.times[rows] - equations.times[rows[0]]
        step = float(np.median(np.diff(times))) if len(times) > 1 else 1.0
        # At equal intervals, zero in gaps.
        places = np.rint(times / step).astype(int)
        velocities = np.zeros((int(places[-1]) + 1, len(equations.layout.joints)))
        velocities[places] = equations.velocities[rows]
        period = repeated_period(velocities) or len(velocities)
        labels[rows] = FOLDS * (places % period) // period
    inside = [labels == fold for fold in range(FOLDS)]
    return [(one, ~ndimage.binary_dilation(one, iterations=EMBARGO)) for one in inside]


def repeated_period(velocities: Array) -> int:
    """After how many samples a motion repeats itself; 0: it does not, twice in the data.

    Args:
        velocities: (K, n) at equal intervals [rad/s or m/s].
    """
    count = len(velocities)
    lags = np.arange(count // 2)
    scaled = velocities / np.maximum(velocities.std(axis=0), 1e-12)
    spectrum = np.abs(np.fft.rfft(scaled, 2 * count, axis=0)) ** 2
    products = np.fft.irfft(spectrum.sum(axis=1))[lags]
    squares = np.append(0.0, np.cumsum(np.sum(scaled**2, axis=1)))
    energy = np.sqrt(squares[count - lags] * (squares[-1] - squares[lags]))
    correlation = products / np.maximum(energy, 1e-12)
    correlation[: int(np.argmax(correlation < BETWEEN))] = 0.0
    highest = float(correlation.max(initial=0.0))
    if highest < REPEATED or not (correlation < BETWEEN).any():
        return 0
    # The first of the peaks that are about as high as the highest.
    peaks = correlation[1:-1] >= np.maximum(correlation[:-2], correlation[2:])
    return int(np.argmax(peaks & (correlation[1:-1] > 0.98 * highest))) + 1
