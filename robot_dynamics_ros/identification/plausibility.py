"""Findings that an estimate contradicts: every real robot, the URDF, a declared load, one robot.

A robot with the same names of joints and other lengths may fit the efforts nearly as well: lengths
and masses act together. Masses that are far from those of the URDF are what shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.checks import Array

from .equations import Equations, Period
from .estimate import Estimate, estimate
from .intervals import bootstrap_windows, with_draws
from .observability import BaseParameters, base_parameters
from .parameter_rows import HALF, deviations_alone, negative_terms
from .parameters import BODY
from .reduced import ReducedEquations
from .structure import Structure, structure_of

# A URDF is not wrong by more than this factor, of a body with this share of all masses:
# what is mounted on a flange may be many times as heavy as the flange.
FACTOR, SHARE = 2.0, 0.05
# Beyond this factor it is no body of the robot at all.
IMPOSSIBLE = 20.0
# Standard deviations, and share of the declared mass, by which an estimated one may be off.
DEVIATIONS, LOAD_SHARE = 5.0, 0.2
# By how much more the model of all recordings leaves than that of one alone; and of the effort,
# what it leaves beside that: friction that changes with the temperature leaves less.
MORE, DIFFERENCE_SHARE = 1.5, 0.1
# Independent equations of a joint for each base parameter, from which on a model of one recording
# is more than a fit of its noise.
ENOUGH = 4.0


def mass_findings(final: Estimate) -> Iterator[Finding]:
    """Bodies whose mass is far from that of the URDF.

    Args:
        final: the estimate that is written.
    """
    layout, model = final.layout, final.layout.model
    masses = slice(0, BODY * len(model.joints), BODY)
    urdf, found = layout.nominal()[masses], final.parameters[masses]
    heavy = urdf > SHARE * urdf.sum()
    with np.errstate(all='ignore'):
        ratios = found / urdf
        far = np.where(heavy, np.abs(np.log(np.maximum(ratios, 1e-9))), 0.0)
    bad = np.flatnonzero(far > np.log(FACTOR)).tolist()
    if not bad:
        return
    listed = ', '.join(f'{layout.bodies[i]} {urdf[i]:.3g} to {found[i]:.3g} kg' for i in bad)
    # Independent joints that move these bodies, or that their joints mimic.
    moving = {model.joints[i].mimicked or model.joints[i].name for i in bad}
    is_robot = far.max() < np.log(IMPOSSIBLE)
    yield Finding(
        'implausible' if is_robot else 'factor',
        tuple(name for name in layout.joints if name in moving),
        float(ratios[np.argmax(far)]),
        f'{listed}: masses change by more than a factor of '
        + (
            f'{FACTOR:g}. Joints of the same names on other lengths cannot be told from efforts '
            'alone: is the URDF that of this robot and its size?'
            if is_robot
            else f'{IMPOSSIBLE:g}, which no error of a URDF explains.'
        ),
    )


def contradiction_findings(
    structure: Structure, base: BaseParameters, unconstrained: Estimate
) -> Iterator[Finding]:
    """Terms that are negative by more than their interval: no robot has them.

    Args:
        structure: of the robot.
        base: what the data determine.
        unconstrained: estimate of least squares.
    """
    layout, values = base.layout, unconstrained.parameters
    widths = HALF * deviations_alone(structure, base, unconstrained)
    if found := negative_terms(structure, base, unconstrained):
        listed = ', '.join(
            f'{layout.names[column]} {values[column]:.2g} +- {widths[column]:.1g} '
            f'{layout.units[column]}'
            for column in found
        )
        joints = {layout.names[column].rpartition(' ')[0] for column in found}
        yield Finding(
            'implausible',
            tuple(joint for joint in layout.joints if joint in joints),
            float(min(values[found])),
            f'{listed}: the data ask for it without constraints, and no robot has it: 0 or more '
            'is used. The efforts may be filtered or late in the driver, turned in sign, or '
            'accelerations damped by a low rate.',
        )


def load_findings(
    equations: Equations, masses: Mapping[str, float], left_out: Sequence[Period] = ()
) -> Iterator[Finding]:
    """Loads whose mass contradicts the data.

    Args:
        equations: of the recordings, of torques.
        masses: that were declared, by the names of their parameters [kg].
        left_out: periods that are not fitted.
    """
    layout = equations.layout
    known = {name: value for name, value in layout.known.items() if name not in masses}
    free = equations.with_known(known)
    weights = free.outside(left_out)
    reduced, layout = free.reduced(weights), free.layout
    structure = structure_of(layout)
    base = base_parameters(reduced, structure)
    found = with_draws(estimate(reduced, base), base, bootstrap_windows(free, weights))
    deviations = deviations_alone(structure, base, found)
    for name, declared in masses.items():
        column = layout.names.index(name)
        value, deviation = float(found.parameters[column]), float(deviations[column])
        if not abs(value - declared) > max(DEVIATIONS * deviation, LOAD_SHARE * declared):
            continue
        load = next(one for one in layout.loads if f'{one.name} m' == name)
        yield Finding(
            'payload',
            (),
            value,
            f'{value:.3g} kg (standard deviation {deviation:.2g} kg) do the data ask for, with '
            f'--load {load.frame}={declared:g}@{load.recording}.',
            'kg',
        )


def difference_findings(
    recordings: Mapping[str, ReducedEquations], structure: Structure, together: Estimate
) -> Iterator[Finding]:
    """Recordings that one robot does not explain, and each alone does.

    Args:
        recordings: the equations of the joints in each, by its name; of torques.
        structure: of the robot.
        together: least squares of all of them.
    """
    differ: dict[str, Array] = {}
    for name, reduced in recordings.items():
        ratios = _ratios(reduced, structure, together)
        if np.isfinite(ratios).any():
            differ[name] = ratios
    if not differ:
        return
    joints = together.layout.joints
    listed = '; '.join(
        f'{name}: '
        + ', '.join(
            f'{joint} {ratio:.2g} times'
            for joint, ratio in zip(joints, ratios, strict=True)
            if np.isfinite(ratio)
        )
        for name, ratios in differ.items()
    )
    worst = np.fmax.reduce(list(differ.values()))
    yield Finding(
        'recordings_differ',
        tuple(np.array(joints)[np.isfinite(worst)].tolist()),
        float(np.nanmax(worst)),
        f'{listed} what a model of that recording alone leaves is left by the model of all: they '
        'do not show one robot.',
    )


def _ratios(reduced: ReducedEquations, structure: Structure, together: Estimate) -> Array:
    """What the model of all leaves (r,), relative to that of one recording; NaN: no difference."""
    base = base_parameters(reduced, structure)
    alone = estimate(reduced, base=base).noise
    roots = np.sqrt(np.maximum(reduced.weights, 1.0))
    errors = reduced.triangles @ np.append(together.parameters, -1.0)
    left = np.linalg.norm(errors, axis=1) / roots
    efforts = np.linalg.norm(reduced.triangles[:, :, -1], axis=1) / roots
    differs = (
        (reduced.independent >= ENOUGH * base.rank)
        & (left > MORE * alone)
        & (left**2 > alone**2 + (DIFFERENCE_SHARE * efforts) ** 2)
    )
    with np.errstate(all='ignore'):
        ratios: Array = np.where(differs, left / alone, np.nan)
    return ratios
