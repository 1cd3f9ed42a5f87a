"""What a link carries, from motion and measured efforts; NumPy alone.

>>> estimator = PayloadEstimator(RobotDynamics(model), 'flange', friction.torque)
>>> for motion in recording.motions():
...     estimator.add(motion)
>>> estimator.estimate().sentence()

`robot_dynamics payload` and `~/estimate_payload` of the node use it alike.

The equations of joint j are r = Y pi + Z x + F_j f_j + e: the ten inertial parameters pi of the
payload and others x, which all joints share, and the friction f_j of that joint. Least squares
needs the products of these columns alone, which are added up in blocks of time (L. Ljung, System
Identification, 2nd ed., section 11.2). The equations of a joint count by the variance of their
residuals, iterated. Weak priors keep what the motion does not determine.

Residuals of neighbouring equations are correlated where friction or the model is not quite
right. Their variance counts as larger by the factor by which their sums over blocks, and over
neighbouring blocks, vary more than those of independent residuals would (K.-Y. Liang, S. Zeger,
Longitudinal data analysis using generalized linear models, Biometrika 73, 1986).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.friction import smooth_sign
from robot_dynamics_ros.core.model.inertial_parameters import body_of, parameters_of
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Motion

from .motion_equations import dead_bands
from .payload_estimate import PayloadEstimate, PayloadFit, model_error, payload_estimate

# Of the filtered samples so many are used for each period of the cutoff: what is left of the noise
# between neighbours is then nearly independent.
SAMPLES_OF_PERIOD = 2.0
# Time to both sides with an influence on a filtered sample, in periods of the cutoff.
REACH = 0.5
# Samples whose regressors are in memory at the same time.
CHUNK = 512
# Torque offset, Coulomb friction, viscous friction and rotor inertia of each joint.
OWN = 4
# 1 / variance of the share of gravity that efforts may lack: asked for, and known to be zero.
ASKED, KNOWN = 1.0, 1e30
# Standard deviation of what a model has wrong: a share of the mass of a link and a mass [kg]; the
# distance over which that mass may be elsewhere [m].
WRONG_SHARE, WRONG_MASS, WRONG_DISTANCE = 0.5, 0.2, 0.3
PAYLOAD = 10
# Duration of a block of time [s]; with more blocks than this, neighbours are joined.
BLOCK, MOST_BLOCKS = 1.0, 128
# Standard deviations of the prior: of the mass [kg], and for each kg of it, of the first moment
# [m] and of the inertia about the frame [m^2]; and the least mass that the latter are for [kg].
MASS, CENTER, INERTIA, LEAST_MASS = 100.0, 0.3, 0.04, 0.1
# Iterations of the weights at most, and their relative change at which they have settled.
ITERATIONS, SETTLED = 8, 0.01
# Directions of a matrix below this share of its diagonal are rounding; so are smaller masses [kg].
ROUNDING, ROUNDED_MASS = 1e-11, 1e-9
# Errors are correlated up to so many blocks apart; the least number of blocks for each of them.
LAGS, BLOCKS_OF_LAG = 2, 5
# Variance of residuals, of the mean square of what there is to explain: efforts have five digits.
SMALLEST = 1e-10
# A body that exists extends by this much, root mean square, along each axis [m].
THINNEST = 1e-3
# Rows and columns of an inertia tensor in the order of `PARAMETERS`.
ROWS, COLUMNS = np.array([0, 0, 1, 0, 1, 2]), np.array([0, 1, 1, 2, 2, 2])


class PayloadEstimator:
    """Writes the torque that a robot leaves open as that of a payload and of friction.

    tau - tau_0 = Y pi + s g_0 + offset + F_s s(v) + F_v v + e, with tau_0 and g_0 the torque and
    the gravity torque of the robot without the payload (C. Atkeson, C. An, J. Hollerbach,
    Estimation of inertial parameters of manipulator loads and links, 1986). The share s is zero,
    unless the driver has taken gravity out of what it measures, or the unit is wrong: then it is
    -1 or nearly so. Samples of a joint around a reversal are not used: friction is not that of
    sliding there.

    With motions without the payload, errors of all inertial parameters of the robot are unknowns
    in place of s, and rotors too: both motions have the same robot, so these errors drop out.

    Attributes:
        dynamics: of the robot without the payload; its gravity may be assigned.
        seconds: between the first and the last sample.
        samples: filtered samples with the payload that were used.
    """

    def __init__(
        self,
        dynamics: RobotDynamics,
        frame: str,
        friction: Callable[[Array], Array],
        *,
        compared: bool = False,
    ) -> None:
        """Begin without a sample.

        Args:
            dynamics: of the robot; payloads of its model are part of the estimate.
            frame: name of the link that carries it.
            friction: known friction torque (N, n) at velocities (N, n) [N m or N].
            compared: whether motions without the payload will be added too.

        Raises:
            UnknownNameError: no link has that name.
            ParameterError: no joint moves the link, or the model has no mass and there are no
                motions without the payload.
        """
        # A copy, which shares the programs.
        bare = dynamics.with_gravity(dynamics.gravity)
        for payload in dynamics.model.payloads:
            bare = bare.without_payload(payload.name)
        model = bare.model
        self.dynamics, self.frame, self._friction = bare, frame, friction
        self.joints = model.joints_that_move(frame)
        self._rows = list(model.indices_of(self.joints))
        self._compared = compared
        # The recording without the payload cancels the error of the model.
        self._error = 0.0 if compared else model_error(model)
        carrier = model.frame(frame)
        placed, first = carrier.placement, PAYLOAD * carrier.body
        self._columns = slice(first, first + PAYLOAD)
        bodies = (body_of(unit) for unit in np.eye(PAYLOAD).tolist())
        moved = (placed @ body for body in bodies)
        # From `PARAMETERS` in the frame to those of its body.
        self._moved = np.array([parameters_of(one) for one in moved]).T
        self._slow = dead_bands(model)[self._rows]
        others = PAYLOAD * len(model.joints) if compared else 1
        own = OWN if compared else OWN - 1
        self._sums = BlockSums(len(self._rows), PAYLOAD + others, own)
        self._counts = np.zeros(len(self._rows))
        self._shift, self._first, self._last = 0.0, np.nan, -np.inf
        # Whether efforts were measured with the payload, and without it.
        self._measured = {True: False, False: not compared}
        self.samples = 0

    @property
    def seconds(self) -> float:
        """See the attributes of the class; 0 before the second sample."""
        return self._last - self._first if self.samples else 0.0

    def add(self, motion: Motion, *, loaded: bool = True) -> None:
        """Take a motion, with or without the payload.

        Motions follow each other in time; one whose times are earlier is of another recording.
        """
        if motion.times[0] + self._shift < self._last:
            self._shift = self._last - float(motion.times[0])
        step = max(1, round(motion.rate / (SAMPLES_OF_PERIOD * motion.cutoff)))
        for first in range(0, len(motion), step * CHUNK):
            self._add(motion, slice(first, first + step * CHUNK, step), loaded)

    def _add(self, motion: Motion, part: slice, loaded: bool) -> None:
        q, v, a = motion.positions[part], motion.velocities[part], motion.accelerations[part]
        rows, times = self._rows, motion.times[part] + self._shift
        terms = self.dynamics.torque_terms(q, v, a)
        torque = (motion.efforts[part] - terms.sum(axis=1) - self._friction(v))[:, rows]
        bodies = self.dynamics.regressor(q, v, a)[:, rows]
        payload = bodies[..., self._columns] @ self._moved * float(loaded)
        own = [np.ones(torque.shape), smooth_sign(v[:, rows]), v[:, rows], a[:, rows]]
        others = bodies if self._compared else terms[:, 0, rows, None]
        columns = [payload, others, np.stack(own[: OWN if self._compared else -1], axis=2)]
        moving = np.abs(v[:, rows]) > self._slow + REACH / motion.cutoff * np.abs(a[:, rows])
        used = np.isfinite(torque) & moving
        columns.append(np.where(used, torque, 0.0)[..., None])
        self._sums.add(times, np.concatenate(columns, axis=2), used)
        if loaded:
            self._counts += used.sum(axis=0)
            self.samples += len(times)
        self._measured[loaded] |= bool(np.isfinite(torque).any())
        self._first = np.fmin(self._first, times[0])
        self._last = float(times[-1])

    def estimate(self) -> PayloadEstimate:
        """What the motions up to now determine.

        Raises:
            RecordingError: no effort of a joint that carries the link was measured.
        """
        if not all(self._measured.values()):
            raise RecordingError(
                'no effort is measured: a payload needs the field effort of joint states, in N m, '
                f'of {", ".join(self.joints)}'
            )
        precision = _model_precision(self.dynamics) if self._compared else np.array([KNOWN])
        fit = fit_payload(self._sums, precision)
        share = None if self._compared else fit_payload(self._sums, np.array([ASKED])).share
        return payload_estimate(self.frame, self.joints, fit, self._counts, share, self._error)


def estimate_recorded_payload(
    model: RobotModel,
    frame: str,
    motions: Iterable[Motion],
    without: Iterable[Motion] | None = None,
    parameters: JointModel = AS_DESCRIBED,
) -> PayloadEstimate:
    """What a link carries.

    The reference is the model with friction, rotors and offsets of its joints; what torque
    offset, Coulomb and viscous friction each joint has beside it is estimated too. With a
    recording without the payload, everything of the robot itself is estimated from both.

    Args:
        model: of the robot without the payload; its independent joints are those of the motions.
        frame: name of the link.
        motions: with the payload.
        without: without it; None: there are none.
        parameters: friction, offsets and rotors in place of those of the description, such as
            those of an identified model, which a URDF does not hold.

    Raises:
        UnknownNameError: no link has that name.
        ParameterError: no joint moves the link, or the model has no mass and there is no
            recording without the payload.
        RecordingError: no effort was recorded.
    """
    friction, offsets = parameters.friction(model), parameters.offsets(model)
    estimator = PayloadEstimator(
        RobotDynamics(parameters.with_rotors(model)),
        frame,
        lambda v: friction.torque(v) + offsets,
        compared=without is not None,
    )
    for loaded, recorded in ((True, motions), (False, without or ())):
        for motion in recorded:
            estimator.add(motion, loaded=loaded)
    return estimator.estimate()


def _model_precision(dynamics: RobotDynamics) -> Array:
    """(10 bodies,) 1 / variance of what the model may have wrong, in `PARAMETERS` of each body."""
    masses = WRONG_SHARE * dynamics.inertial_parameters()[::PAYLOAD] + WRONG_MASS
    moments = [1.0, *[WRONG_DISTANCE] * 3, *[WRONG_DISTANCE**2] * 6]
    deviations = np.outer(masses, moments).reshape(-1)
    return np.asarray(deviations**-2.0)


class BlockSums:
    """Products of the columns [Y, Z, F, r] of r joints, in blocks of time.

    The first column of F is 1: the torque offset of the joint.

    Attributes:
        shared: number of columns of Y and Z, which all joints share.
        duration: of a block [s]; doubles when there are too many.
    """

    def __init__(self, joints: int, shared: int, own: int) -> None:
        """Without an equation; F has so many columns of its own for each joint."""
        self.shared, self.duration = shared, BLOCK
        self._shape = joints, *2 * [shared + own + 1]
        self._blocks: defaultdict[int, Array] = defaultdict(lambda: np.zeros(self._shape))

    def add(self, times: Array, columns: Array, used: npt.NDArray[np.bool_]) -> None:
        """Add equations.

        Args:
            times: (N,) of them [s].
            columns: (N, r, c) of each joint.
            used: (N, r) whether an equation counts.
        """
        numbers = np.floor(times / self.duration).astype(int)
        by_joint = np.where(used[..., None], columns, 0.0).transpose(1, 0, 2)
        for number in np.unique(numbers).tolist():
            part = by_joint[:, numbers == number]
            self._blocks[number] = self._blocks[number] + part.transpose(0, 2, 1) @ part
        while len(self._blocks) > MOST_BLOCKS:
            finer, self.duration = self._blocks, 2.0 * self.duration
            self._blocks = defaultdict(finer.default_factory)
            for number, products in finer.items():
                self._blocks[number // 2] = self._blocks[number // 2] + products

    @property
    def products(self) -> Array:
        """(B, r, c, c) of each block."""
        return np.array([*self._blocks.values()]).reshape(-1, *self._shape)


def fit_payload(sums: BlockSums, precision: Array) -> PayloadFit:
    """The payload that explains the equations best.

    Args:
        sums: of the equations; their first ten columns are those of the payload.
        precision: (k - 10,) 1 / variance of the prior of the other shared parameters, which is
            zero.
    """
    blocks, shared = sums.products, sums.shared
    total = blocks.sum(axis=0)
    counts = total[:, shared, shared]
    joints, own = len(total), total.shape[1] - shared - 1
    size = shared + joints * own
    # Of each joint: its columns among all unknowns and the right-hand side.
    friction = range(shared, size)
    places = [[*range(shared), *friction[j * own :][:own], size] for j in range(joints)]
    square = total[:, -1, -1] / np.maximum(counts, 1.0)
    square = np.where(square > 0.0, square, 1.0)
    variances, inflation, mass = square, np.ones(joints), 1.0
    for _ in range(ITERATIONS):
        weights = variances * inflation
        normal = np.zeros((size + 1, size + 1))
        for place, matrix, weight in zip(places, total, weights, strict=True):
            normal[np.ix_(place, place)] += matrix / weight
        scale = max(abs(mass), LEAST_MASS)
        deviations = [MASS, *[scale * CENTER] * 3, *[scale * INERTIA] * 6]
        normal[range(shared), range(shared)] += [*np.power(deviations, -2.0), *precision]
        covariance = _inverse(normal[:-1, :-1])
        unknowns = covariance @ normal[:-1, -1]
        mass = float(unknowns[0])
        # What leaves the residual of a joint of its columns.
        residuals = np.array([np.append(-unknowns, 1.0)[place] for place in places])
        squares = np.einsum('ji,jik,jk->j', residuals, total, residuals)
        # The payload itself is shared among the joints.
        freedom = counts - own - PAYLOAD / joints
        # Of too few equations all there is to explain counts as noise.
        found = np.where(counts < own + PAYLOAD, square, squares / np.maximum(freedom, 1.0))
        variances = np.clip(found, SMALLEST * square, square)
        by_joint = zip(blocks.swapaxes(0, 1), residuals, variances, strict=True)
        inflation = np.array([_inflation(*one) for one in by_joint])
        if (np.abs(variances * inflation - weights) <= SETTLED * weights).all():
            break
    pi, spread = unknowns[:PAYLOAD].copy(), covariance[:PAYLOAD, :PAYLOAD]
    pi[0] = pi[0] if abs(pi[0]) > ROUNDED_MASS else ROUNDED_MASS
    # Exact derivatives, by complex steps.
    slopes = np.array([central(pi + 1e-30j * unit).imag for unit in np.eye(PAYLOAD)]).T / 1e-30
    body = central(pi)
    if mass > 0.0:
        body[4:] = possible(mass, tensor(body[4:]))[ROWS, COLUMNS]
    return PayloadFit(
        body,
        slopes @ spread @ slopes.T,
        (float(unknowns[PAYLOAD]), float(np.sqrt(covariance[PAYLOAD, PAYLOAD]))),
        np.sqrt(variances),
        inflation,
        len(blocks),
    )


def central(pi: Array) -> Array:
    """Mass, centre, and inertia about the centre (10,), of `PARAMETERS` (10,)."""
    mass, center = pi[0], pi[1:4] / pi[0]
    inertia = tensor(pi[4:]) - mass * (center @ center * np.eye(3) - np.outer(center, center))
    return np.concatenate([[mass], center, inertia[ROWS, COLUMNS]])


def tensor(entries: Array) -> Array:
    """The symmetric matrix (3, 3) of six entries."""
    result = np.empty((3, 3), entries.dtype)
    result[ROWS, COLUMNS] = result[COLUMNS, ROWS] = entries
    return result


def possible(mass: float, inertia: Array) -> Array:
    """The inertia (3, 3) [kg m^2] of the nearest body of that mass [kg] that can exist.

    Its second moments trace(I) / 2 - I are positive definite (P. Wensing, S. Kim, J.-J. Slotine,
    Linear matrix inequalities for physically consistent inertial parameter identification, IEEE
    RA-L 3, 2018). Nearest in the Frobenius norm are those whose lower eigenvalues are raised (N.
    Higham, Computing a nearest symmetric positive semidefinite matrix, 1988).
    """
    values, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    moments = (axes * np.maximum(values, THINNEST**2 * mass)) @ axes.T
    return np.asarray(np.trace(moments) * np.eye(3) - moments)


def _inflation(blocks: Array, residual: Array, variance: float) -> float:
    """How much more the sums of residuals vary than independent ones; at least 1.

    Products of the sums over two blocks count as those over one, up to `LAGS` blocks apart: sums
    over one block alone see only errors that are shorter than it. The weights of the products of
    two residuals are then 1 up to so many blocks apart, and fall to 0 over one more, those of a
    flat-top kernel (D. Politis, J. Romano, Bias-corrected nonparametric spectral estimation,
    Journal of Time Series Analysis 16, 1995).

    Args:
        blocks: (B, c, c) products of the columns of one joint.
        residual: (c,) what leaves the residual of these columns.
        variance: of a residual.
    """
    columns = blocks[:, :-1, :-1]
    inverse = _inverse(columns.sum(axis=0))
    sums, shares = blocks[:, :-1] @ residual, inverse @ columns
    found, expected = 0.0, float(np.trace(shares.sum(axis=0)))
    # The sums over all blocks are zero: of few blocks, far ones only undo what near ones say.
    for lag in range(1 + min(LAGS, len(blocks) // BLOCKS_OF_LAG)):
        pairs, sooner = 1.0 if lag == 0 else 2.0, slice(len(blocks) - lag)
        found += pairs * float(np.einsum('bi,ij,bj->', sums[lag:], inverse, sums[sooner]))
        # Of independent residuals of a fit to the same equations.
        expected -= pairs * float(np.einsum('bij,bji->', shares[lag:], shares[sooner]))
    return max(1.0, found / variance / expected) if expected > 0.0 else 1.0


def _inverse(matrix: Array) -> Array:
    """Of a positive semidefinite matrix, each column measured by its own size."""
    size = np.diag(matrix)
    scale = np.where(size > 0.0, size, 1.0) ** -0.5
    both = np.outer(scale, scale)
    return np.asarray(np.linalg.inv(matrix * both + ROUNDING * np.eye(len(matrix))) * both)
