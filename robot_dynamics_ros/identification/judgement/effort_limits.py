"""Efforts beyond the limits of the description: the efforts or the limits are wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from ..regression.unusable_samples import ABOVE
from .survey import Survey


def is_exceeded(model: RobotModel, survey: Survey) -> npt.NDArray[np.bool_]:
    """Which joints (n,) have efforts beyond the limit of the description: it is not the drive's.

    Args:
        model: whose joints they are.
        survey: of all recordings.
    """
    result: npt.NDArray[np.bool_] = _largest(survey) > ABOVE * model.effort_bounds
    return result


def large_efforts(
    model: RobotModel, rms: Array, largest: Array, judged: npt.NDArray[np.bool_]
) -> Iterator[Finding]:
    """Joints whose efforts are no torques of their drive.

    Where the description explains the efforts, the limit is wrong and not the efforts.

    Args:
        model: whose joints they are.
        rms: (2, n) RMS of the measured effort, as a torque, and of what the description leaves of
            it [N m or N]; NaN where not measured.
        largest: (n,) largest absolute measured effort, as a torque [N m or N].
        judged: (n,) which joints move, with efforts of a known scale.
    """
    limits = model.effort_bounds
    far = judged & (rms > limits).all(axis=0)
    if not far.any():
        return
    names = [name for name, one in zip(model.joint_names, far, strict=True) if one]
    listed = ', '.join(
        f'{name} up to {peak:.4g}, RMS {size:.3g}, limit {limit:g} {unit}'
        for name, peak, size, limit, unit in zip(
            names,
            largest[far],
            rms[0, far],
            limits[far],
            np.array(model.effort_units)[far],
            strict=True,
        )
    )
    yield Finding(
        'beyond_limit',
        tuple(names),
        float((rms[0, far] / limits[far]).max()),
        'The RMS of efforts is beyond the effort limit of the joint, and the URDF does not '
        f'explain them: {listed}. Look at the unit of these efforts, at --gain, and at the effort '
        'limit of the URDF.',
    )


def limit_findings(model: RobotModel, survey: Survey) -> Iterator[Finding]:
    """Joints whose effort limit in the description is not that of the drive.

    Args:
        model: whose joints they are.
        survey: of all recordings, with efforts that are torques.
    """
    largest = _largest(survey)
    for joint in np.flatnonzero(is_exceeded(model, survey)).tolist():
        name, unit = model.joint_names[joint], model.effort_units[joint]
        yield Finding(
            'effort_limit',
            (name,),
            float(largest[joint]),
            f'The efforts of {name} are up to {largest[joint]:.3g} {unit}, beyond the limit '
            f'{model.effort_limits[joint]:g} {unit} of the URDF: no effort is taken for '
            'saturated because of it. Correct the limit, or look at the unit of the efforts.',
        )


def _largest(survey: Survey) -> Array:
    """Largest absolute effort (n,), but for glitches [N m, N or A]; 0 without one."""
    with np.errstate(invalid='ignore'):
        result: Array = np.where(np.isfinite(survey.range), np.abs(survey.range), 0.0).max(axis=0)
    return result
