"""A payload from recordings of the robot that carries it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from robot_dynamics_ros.control.payload_estimation.joint_sums import Equations, JointSums
from robot_dynamics_ros.control.payload_estimation.payload_equations import (
    FRICTION,
    FilteredMotion,
    PayloadEquations,
)
from robot_dynamics_ros.control.payload_estimation.payload_estimate import (
    PayloadEstimate,
    model_error,
    payload_estimate,
)
from robot_dynamics_ros.control.payload_estimation.payload_fit import (
    PAYLOAD,
    SHARE_PRECISION,
    fit_payload,
)
from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Motion

from .bare_robot import OWN, bare_equations, prior_precision

# Of the filtered samples so many are used for each period of the cutoff: what is left of the noise
# between neighbours is then nearly independent.
SAMPLES_OF_PERIOD = 2.0
# Time to both sides with an influence on a filtered sample, in periods of the cutoff.
REACH = 0.5
# Samples whose regressors are in memory at the same time.
ROWS = 512

# The equations of some samples.
Writer = Callable[[FilteredMotion, Array, Array], Equations]


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
        RecordingError: no effort of a joint that carries the link was recorded.
    """
    equations = PayloadEquations(model, frame)
    dynamics = RobotDynamics(parameters.with_rotors(model))
    friction, offsets = parameters.friction(model), parameters.offsets(model)
    if without is None:
        error = model_error(model)
        shared, own, precision = 1, FRICTION, np.array([np.inf])
    else:
        # The recording without the payload cancels the error of the model.
        error = 0.0
        shared, own, precision = 10 * len(model.joints), OWN, prior_precision(dynamics)
    sums = JointSums(len(equations.rows), PAYLOAD + shared, own)

    def write(motion: FilteredMotion, reference: Array, gravity_torque: Array) -> Equations:
        if without is None:
            return equations.of(motion, reference, gravity_torque, dynamics.gravity)
        return bare_equations(equations, dynamics, motion, reference, loaded=True)

    def write_without(motion: FilteredMotion, reference: Array, _: Array) -> Equations:
        return bare_equations(equations, dynamics, motion, reference, loaded=False)

    def torque(v: Array) -> Array:
        return friction.torque(v) + offsets

    _add_motions(sums, motions, write, dynamics, torque)
    counts = sums.counts
    if without is None:
        share = fit_payload(sums, np.array([SHARE_PRECISION]))
    else:
        share = None
        others = JointSums(len(equations.rows), PAYLOAD + shared, own)
        _add_motions(others, without, write_without, dynamics, torque)
        sums.append(others)
    fit = fit_payload(sums, precision)
    return payload_estimate(frame, equations.joints, fit, counts, share, error)


def _add_motions(
    sums: JointSums,
    motions: Iterable[Motion],
    write: Writer,
    dynamics: RobotDynamics,
    torque: Callable[[Array], Array],
) -> None:
    """Add the equations of motions that follow each other.

    Args:
        sums: to add to.
        motions: the samples.
        write: makes the equations.
        dynamics: of the robot without the payload.
        torque: of its friction and offsets (N, n) at velocities (N, n) [N m or N].

    Raises:
        RecordingError: none of them has an effort.
    """
    measured = False
    before = -np.inf
    shift = 0.0
    for motion in motions:
        if shift + float(motion.times[0]) < before:
            # Another recording, whose times begin anew.
            shift = before - float(motion.times[0])
        step = max(1, round(motion.rate / (SAMPLES_OF_PERIOD * motion.cutoff)))
        for first in range(0, len(motion), step * ROWS):
            rows = slice(first, first + step * ROWS, step)
            part = FilteredMotion(
                motion.positions[rows],
                motion.velocities[rows],
                motion.accelerations[rows],
                motion.efforts[rows],
                REACH / motion.cutoff,
            )
            measured = measured or bool(np.isfinite(part.efforts).any())
            terms = dynamics.torque_terms(part.q, part.v, part.a)
            reference = terms.sum(axis=1) + torque(part.v)
            sums.add(motion.times[rows] + shift, write(part, reference, terms[:, 0]))
        before = shift + float(motion.times[-1])
    if not measured:
        raise RecordingError(
            'no effort was recorded: a payload needs the field effort of /joint_states, in N m'
        )
