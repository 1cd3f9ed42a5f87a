"""Findings of an identification: about data, motion, and what an estimate contradicts.

A robot with the same names of joints and other lengths may fit the efforts nearly as well: lengths
and masses act together. Masses that are far from those of the URDF are what shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from robot_dynamics_ros.comparison import Compared, Finding
from robot_dynamics_ros.core import ParameterError, RobotModel
from robot_dynamics_ros.core.checks import Array

from .base_parameters import (
    BaseParameters,
    Structure,
    base_parameters,
    silent_joints,
    structure_of,
)
from .equations import Equations, Period, ReducedEquations
from .estimate import Estimate, estimate
from .held_out import Residuals
from .intervals import bootstrap_windows, with_draws
from .parameter_rows import HALF, deviations_alone, negative_terms
from .parameters import BODY, Flags
from .recorded_data import Survey

# [rad or m]: a joint whose positions cover less shows nothing.
STILL = 1e-2
# Samples of a joint that moves, at some 10 to 40 Hz, from which on anything is said of it.
FEWEST = 20
# Share of the deviation of the effort that an identified model of the right robot does not leave.
LEFT = 0.4
# Of the largest deviation of all joints, measured: a joint with less is not loaded.
LOADED = 0.02
# Share of the held-out windows from which on the part is a repetition.
REPEATED = 0.5
# Findings of the comparison that the fit takes up, or judges itself; and those about the scale of
# efforts, which is estimated where efforts are currents.
FITTED = ('friction', 'payload', 'mass', 'rotor', 'unexplained', 'delay', 'still')
OF_SCALE = ('scale', 'sign', 'swapped', 'gravity_compensated')
# Above it, errors of the data grow by two orders of magnitude (Gautier, Khalil, "Exciting
# trajectories for the identification of base inertial parameters of robots", 1992: below 100).
LARGEST_CONDITION = 100.0
# Parameters, and periods, that a message lists.
LISTED = 5
# A URDF is not wrong by more than this factor, of a body with this share of all masses: what is
# mounted on a flange may be many times as heavy as the flange. Beyond the second factor it is no
# body of the robot at all.
FACTOR, SHARE, IMPOSSIBLE = 2.0, 0.05, 20.0
# Standard deviations, and share of the declared mass, by which an estimated one may be off.
DEVIATIONS, LOAD_SHARE = 5.0, 0.2
# By how much more the model of all recordings leaves than that of one alone; and of the effort,
# what it leaves beside that: friction that changes with the temperature leaves less.
MORE, DIFFERENCE_SHARE = 1.5, 0.1
# Independent equations of a joint for each base parameter, from which on a model of one recording
# is more than a fit of its noise.
ENOUGH = 4.0


def check_motion(model: RobotModel, survey: Survey) -> None:
    """Refuse recordings that show nothing of the dynamics.

    Raises:
        ParameterError: no joint moves, or no effort was measured.
    """
    names, spans = model.joint_names, survey.span[1] - survey.span[0]
    moved = spans > STILL
    if not moved.any():
        raise ParameterError(
            f'no joint moves: the largest range of a position is {spans.max():.2g} rad or m (of '
            f'{names[int(np.argmax(spans))]}), at least {STILL:g} is needed: record a motion of '
            'all joints, such as that of robot_dynamics excite'
        )
    measured = np.isfinite(survey.range).all(axis=0) & (survey.range[1] > survey.range[0])
    if not (measured & moved).any():
        raise ParameterError(
            'no joint that moves has a measured effort: the efforts are missing, zero or '
            'constant; look for the setting of the driver that publishes them'
        )


def of_recordings(compared: Mapping[str, Compared]) -> list[Finding]:
    """The findings of all recordings; of several, each names its recording."""
    several = len(compared) > 1
    return [
        replace(finding, message=f'{name}: {finding.message}') if several else finding
        for name, one in compared.items()
        for finding in one.findings
    ]


def driver_findings(
    compared: Sequence[Finding], joints: Sequence[str], *, scaled: bool
) -> Iterator[Finding]:
    """The findings of the comparison about the data, not about what is identified.

    Args:
        compared: about URDF and recordings.
        joints: that were recorded.
        scaled: whether the scale and the sign of the efforts are known, and not estimated.
    """
    left_out = FITTED if scaled else (*FITTED, *OF_SCALE)
    for one in compared:
        # A mass may be such a scale; what is not recorded is not looked for in recorded joints.
        of_masses = one.code == 'scale' and one.is_of_few
        others = one.code == 'missing' and set(one.joints) <= set(joints)
        if one.code not in left_out and not of_masses and not others:
            yield one


def still_findings(names: Sequence[str], moved: Flags, judged: Flags) -> Iterator[Finding]:
    """Joints that do not move, and those that hardly do so on the held-out part.

    Args:
        names: of the joints.
        moved: (n,) which joints move in the recordings.
        judged: (n,) which joints move for long enough on the held-out part.
    """
    few = f'in fewer than {FEWEST} samples of the held-out part: not judged'
    others = ', '.join(_chosen(names, moved))
    still = f'still, not {others}: what only that motion shows stays as the URDF says'
    for which, verb, text in ((~moved, 'stand', still), (moved & ~judged, 'move', few)):
        if chosen := _chosen(names, which):
            verb = f'{verb}s' if len(chosen) == 1 else verb
            yield Finding('still', chosen, None, f'{", ".join(chosen)} {verb} {text}.')


def short_findings(empty: Sequence[str]) -> Iterator[Finding]:
    """Recordings (by name) without an equation, of which nothing is fitted."""
    for name in empty:
        text = f'{name}: no motion was long enough for the filter: nothing of it is fitted.'
        yield Finding('short', (), None, text)


def saturation_findings(
    model: RobotModel, survey: Survey, *, scaled: bool = True
) -> Iterator[Finding]:
    """Joints whose effort stays at an extreme value, or, as a torque, exceeds the limit."""
    for joint, side in np.argwhere(survey.saturated.T).tolist():
        name, value = model.joint_names[joint], float(survey.range[side, joint])
        share = 100.0 * survey.at_limit[side, joint] / survey.samples
        text = (
            f'{share:.2g} % of the samples: the effort of {name} stays at {value:.4g} for up to '
            f'{survey.longest[side, joint] * survey.interval:.2g} s while it moves (limit of the '
            f'URDF: {model.effort_bounds[joint]:g}): these samples do not count.'
        )
        yield Finding('saturated', (name,), value, text, model.effort_units[joint])
    for joint in np.flatnonzero(survey.exceeded(model)).tolist() if scaled else ():
        name, unit = model.joint_names[joint], model.effort_units[joint]
        largest = float(survey.largest[joint])
        text = (
            f'{largest:.3g} {unit} is the largest effort of {name}, beyond the limit '
            f'{model.effort_limits[joint]:g} {unit} of the URDF: no effort is taken for saturated '
            'because of it.'
        )
        yield Finding('saturated', (name,), largest, text, unit)


def robot_findings(names: Sequence[str], fitted: Residuals, moved: Flags) -> Iterator[Finding]:
    """Data that no inertia, friction or offset explains: of another robot, or of other joints.

    It is decided on what was fitted: the held-out part may differ by what happened there alone.

    Args:
        names: of the joints.
        fitted: of the fitted part.
        moved: (n,) which joints move.
    """
    measured = fitted.deviations
    judged = moved & (measured > LOADED * measured.max(initial=0.0))
    shares = np.where(judged, fitted.usual / np.where(judged, measured, 1.0), 0.0)
    bad = shares > LEFT
    if judged.any() and 2 * np.count_nonzero(bad) >= np.count_nonzero(judged):
        listed = ', '.join(
            f'{names[k]} {100.0 * shares[k]:.0f} %' for k in np.flatnonzero(bad).tolist()
        )
        text = (
            f'{listed} of the deviation of the fitted effort is the residual: no inertia, '
            'friction or offset of this robot explains the efforts. The recording is of another '
            'robot, of other joints or directions than the names say, or of currents.'
        )
        yield Finding('unexplained', _chosen(names, bad), float(shares.max()), text)


def repetition_findings(share: float) -> Iterator[Finding]:
    """That the held-out part repeats the fitted one.

    Args:
        share: of its windows, see `repeated_share`; NaN: unknown.
    """
    if share >= REPEATED:
        text = (
            f'{share:.0%} of the held-out motion repeats the fitted motion: the held-out figures '
            'show the noise, not how the model predicts another motion.'
        )
        yield Finding('repeated_motion', (), share, text)


def delay_finding(delay: float, what: str) -> Finding:
    """That efforts come later than states, or earlier.

    Args:
        delay: of the efforts behind the states, not 0 [s].
        what: is done, as a sentence; it names the recording where it is about one.
    """
    word = 'later' if delay > 0.0 else 'earlier'
    text = f'{1e3 * abs(delay):.3g} ms {word} than the states come the efforts. {what}'
    return Finding('delay', (), delay, text, 's')


def contact_findings(left_out: Sequence[Period]) -> Iterator[Finding]:
    """Periods that are not fitted.

    Args:
        left_out: these periods, of efforts whose scale is known: wrong ones look like contacts.
    """
    if left_out:
        listed = ', '.join(
            f'{one.recording} {one.begin:.1f} s to {one.end:.1f} s' for one in left_out[:LISTED]
        )
        text = (
            'Not fitted, as the efforts do not fit what the rest of the recordings agrees on: '
            f'{listed}{_more(left_out)}: a contact, a hand or a cable.'
        )
        yield Finding('contact', (), sum(one.end - one.begin for one in left_out), text, 's')


def excitation_findings(reduced: ReducedEquations, base: BaseParameters) -> Iterator[Finding]:
    """What is missing in the motion; nothing for good data."""
    silent = silent_joints(reduced, slow=False)
    yield from _unknown_gains(base, silent)
    layout = base.layout
    # No motion fixes the gain of a drive: the finding above says what does.
    gains = layout.columns('gain').tolist()
    columns = [column for column in base.undetermined_columns if column not in gains]
    moving: set[str] = set()
    for column in columns:
        if column < BODY * len(layout.bodies):
            moving.update(layout.carrying(column // BODY))
        else:
            moving.add(layout.names[column].rpartition(' ')[0])
    # Another finding says which efforts are not measured.
    joints = tuple(name for name in layout.joints if name in moving and name not in silent)
    if joints:
        named = ', '.join(layout.names[column] for column in columns[:LISTED])
        text = (
            f'{base.rank} of the {base.structure.rank} base parameters of this robot are '
            f'determined by the data; as in the URDF: {named}{_more(columns)}. Move '
            f'{", ".join(joints)} farther and faster{", at the same time" if joints[1:] else ""}.'
        )
        yield Finding('excitation', joints, float(len(columns)), text)
    if base.condition > LARGEST_CONDITION:
        text = (
            f'{base.condition:.3g} is the condition number of the equations, above '
            f'{LARGEST_CONDITION:g}: small errors of the data change some parameters by much, as '
            'their intervals show.'
        )
        yield Finding('excitation', (), base.condition, text)


def _unknown_gains(base: BaseParameters, silent: Sequence[str]) -> Iterator[Finding]:
    """Drive gains that nothing fixes, or that these data do not determine, of measured efforts."""
    layout = base.layout
    gains = layout.columns('gain')
    named = ((layout.joints[joint], column) for joint, column in layout.unknown_gains.items())
    free = {joint: column for joint, column in named if joint not in silent}
    mixed = gains[~np.isin(gains, base.columns)]

    def is_alone(column: int) -> bool:
        """Whether it is a base parameter in which no gain takes part but its own."""
        rows = [row for row, own in enumerate(base.columns) if own == column]
        return bool(rows) and not base.combination[rows[0], mixed].any()

    # A gain that stays where it was is a wrong torque, and pulls the gains of all other joints.
    unknown = list(free) if set(free.values()) & set(base.undetermined_columns) else []
    unknown = unknown or [joint for joint, column in free.items() if not is_alone(column)]
    if unknown:
        listed = ', '.join(unknown)
        text = f'{listed}: the efforts are not torques, and the data do not fix their scale.'
        yield Finding('unknown_gain', tuple(unknown), None, text)


def mass_findings(final: Estimate) -> Iterator[Finding]:
    """Bodies whose mass is far from that of the URDF."""
    layout, model = final.layout, final.layout.model
    masses = slice(0, BODY * len(model.joints), BODY)
    urdf, found = layout.nominal()[masses], final.parameters[masses]
    heavy = urdf > SHARE * urdf.sum()
    ratios = found / np.where(heavy, urdf, 1.0)
    far = np.where(heavy, np.abs(np.log(np.maximum(ratios, 1e-9))), 0.0)
    bad = np.flatnonzero(far > np.log(FACTOR)).tolist()
    if not bad:
        return
    listed = ', '.join(f'{layout.bodies[i]} {urdf[i]:.3g} to {found[i]:.3g} kg' for i in bad)
    # Independent joints that move these bodies, or that their joints mimic.
    moving = {model.joints[i].mimicked or model.joints[i].name for i in bad}
    code, factor, what = 'implausible', FACTOR, 'is the URDF that of this robot and its size?'
    if far.max() >= np.log(IMPOSSIBLE):
        code, factor, what = 'scale', IMPOSSIBLE, 'no error of a URDF explains that.'
    yield Finding(
        code,
        tuple(name for name in layout.joints if name in moving),
        float(ratios[np.argmax(far)]),
        f'{listed}: masses change by more than a factor of {factor:g}: {what}',
    )


def contradiction_findings(base: BaseParameters, unconstrained: Estimate) -> Iterator[Finding]:
    """Terms that are negative by more than their interval: no robot has them."""
    layout, values = base.layout, unconstrained.parameters
    widths = HALF * deviations_alone(base, unconstrained)
    if found := negative_terms(base, unconstrained):
        listed = ', '.join(
            f'{layout.names[k]} {values[k]:.2g} +- {widths[k]:.1g} {layout.units[k]}'
            for k in found
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
    equations: Equations, masses: Mapping[str, float], weights: Array
) -> Iterator[Finding]:
    """Loads whose mass contradicts the data.

    Args:
        equations: of the recordings, of torques.
        masses: that were declared, by the names of their parameters [kg].
        weights: (N, n) of the equations.
    """
    known = {k: value for k, value in equations.layout.known.items() if k not in masses}
    free = equations.with_known(known)
    layout, windows = free.layout, bootstrap_windows(free, weights)
    base = base_parameters(windows.total, structure_of(layout))
    found, _ = with_draws(estimate(windows.total, base), base, windows)
    deviations = deviations_alone(base, found)
    for load in layout.loads:
        column, declared = layout.names.index(f'{load.name} m'), masses[f'{load.name} m']
        value, deviation = float(found.parameters[column]), float(deviations[column])
        if abs(value - declared) > max(DEVIATIONS * deviation, LOAD_SHARE * declared):
            text = (
                f'{value:.3g} kg (standard deviation {deviation:.2g} kg) do the data ask for, '
                f'with --load {load.frame}={declared:g}@{load.recording}.'
            )
            yield Finding('payload', (), value, text, 'kg')


def difference_findings(
    recordings: Mapping[str, ReducedEquations], structure: Structure, together: Estimate
) -> Iterator[Finding]:
    """Recordings that one robot does not explain, and each alone does.

    Args:
        recordings: the equations of the joints in each, by its name; of torques.
        structure: of the robot.
        together: least squares of all of them.
    """
    joints, listed = together.layout.joints, []
    worst = np.zeros(len(joints))
    for name, reduced in recordings.items():
        base = base_parameters(reduced, structure)
        alone = estimate(reduced, base).noise
        roots = np.sqrt(np.maximum(reduced.weights, 1.0))
        of_all = reduced.triangles @ np.append(together.parameters, -1.0)
        left, efforts = (
            np.linalg.norm(one, axis=1) / roots for one in (of_all, reduced.triangles[:, :, -1])
        )
        differs = (
            (reduced.independent >= ENOUGH * base.rank)
            & (alone > 0.0)
            & (left > MORE * alone)
            & (left > np.hypot(alone, DIFFERENCE_SHARE * efforts))
        )
        ratios = np.where(differs, left / np.where(differs, alone, 1.0), 0.0)
        worst = np.maximum(worst, ratios)
        listed += [f'{name}: {joints[k]} {ratios[k]:.2g} times' for k in np.flatnonzero(differs)]
    if listed:
        text = (
            f'{", ".join(listed)} what a model of that recording alone leaves is left by the '
            'model of all: they do not show one robot.'
        )
        yield Finding('recordings_differ', _chosen(joints, worst > 0.0), float(worst.max()), text)


def _chosen(names: Sequence[str], which: Flags) -> tuple[str, ...]:
    return tuple(name for name, one in zip(names, which, strict=True) if one)


def _more(listed: Sequence[object]) -> str:
    return f' and {len(more)} more' if (more := listed[LISTED:]) else ''
