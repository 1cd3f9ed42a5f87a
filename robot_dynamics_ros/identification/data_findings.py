"""Findings about the data of an identification: what no estimate can make good."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.comparison.robot_findings import currents
from robot_dynamics_ros.core import ParameterError, RobotModel
from robot_dynamics_ros.core.checks import Array

from .held_out import Residuals, Torques
from .moving_samples import Flags
from .survey import Survey

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
# Of normal noise, the standard deviation relative to the median of the absolute value.
NORMAL = 1.4826
# Findings of the comparison that the fit takes up, or judges itself; and those about the scale of
# efforts, which is estimated where efforts are currents.
FITTED = ('friction', 'payload', 'unexplained', 'delay')
OF_SCALE = ('factor', 'sign', 'exchanged', 'gravity_compensated')


def check_motion(model: RobotModel, survey: Survey) -> None:
    """Refuse recordings that show nothing of the dynamics.

    Args:
        model: whose joints they are.
        survey: of all recordings.

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
        # Masses explain other factors; what is not recorded is not looked for in recorded joints.
        of_masses = one.code == 'factor' and one not in currents(compared)
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
    others = f'still, not {others}: what only that motion shows stays as the URDF says'
    for which, verb, text in ((~moved, 'stand', others), (moved & ~judged, 'move', few)):
        if chosen := _chosen(names, which):
            verb = f'{verb}s' if len(chosen) == 1 else verb
            yield Finding('still', chosen, None, f'{", ".join(chosen)} {verb} {text}.')


def short_findings(torques: Sequence[Torques], empty: Sequence[str]) -> Iterator[Finding]:
    """Recordings of which nothing is fitted; a held-out part that is too short to judge a joint.

    Args:
        torques: of the held-out part of each recording; none where it is long enough.
        empty: names of recordings that have no equation.
    """
    for name in empty:
        text = f'{name}: no motion was long enough for the filter: nothing of it is fitted.'
        yield Finding('short', (), None, text)
    if torques:
        samples = sum(map(len, torques))
        text = (
            f'{samples} samples of the held-out part of {", ".join(one.file for one in torques)} '
            f'are too short to judge a joint: at least {FEWEST} are needed.'
        )
        yield Finding('short', (), float(samples), text, 'samples')


def saturation_findings(
    model: RobotModel, survey: Survey, *, scaled: bool = True
) -> Iterator[Finding]:
    """Joints whose effort stays at an extreme value, or exceeds the limit of the URDF.

    Args:
        model: whose joints they are.
        survey: of all recordings.
        scaled: whether the efforts are torques, which can be compared with the limit.
    """
    for side, joint in survey.saturated:
        name, value = model.joint_names[joint], float(survey.range[side, joint])
        held = survey.longest[side, joint] * survey.interval
        yield Finding(
            'saturated',
            (name,),
            value,
            f'{100.0 * survey.at_limit[side, joint] / survey.samples:.2g} % of the samples: the '
            f'effort of {name} stays at {value:.4g} for up to {held:.2g} s while it moves (limit '
            f'of the URDF: {model.effort_bounds[joint]:g}): these samples do not count.',
            model.effort_units[joint],
        )
    for joint in np.flatnonzero(survey.exceeded(model)).tolist() if scaled else ():
        name, unit = model.joint_names[joint], model.effort_units[joint]
        yield Finding(
            'saturated',
            (name,),
            float(survey.largest[joint]),
            f'{survey.largest[joint]:.3g} {unit} is the largest effort of {name}, beyond the '
            f'limit {model.effort_limits[joint]:g} {unit} of the URDF: no effort is taken for '
            'saturated because of it.',
            unit,
        )


def robot_findings(
    names: Sequence[str], fitted: Residuals, left: Array, moved: Flags
) -> Iterator[Finding]:
    """Data that no inertia, friction or offset explains: of another robot, or of other joints.

    It is decided on what was fitted: the held-out part may differ by what happened there alone.

    Args:
        names: of the joints.
        fitted: of the fitted part.
        left: (n,) usual residual of the identified model where it was fitted [N m or N].
        moved: (n,) which joints move.
    """
    measured = fitted.deviations
    judged = moved & (measured > LOADED * measured.max(initial=0.0))
    with np.errstate(all='ignore'):
        shares = np.where(judged, left / measured, 0.0)
    bad = shares > LEFT
    if not judged.any() or 2 * np.count_nonzero(bad) < np.count_nonzero(judged):
        return
    listed = ', '.join(
        f'{name} {100.0 * share:.0f} %'
        for name, share, one in zip(names, shares, bad, strict=True)
        if one
    )
    yield Finding(
        'unexplained',
        _chosen(names, bad),
        float(shares.max()),
        f'{listed} of the deviation of the fitted effort is the residual: no inertia, friction or '
        'offset of this robot explains the efforts. The recording is of another robot, of other '
        'joints or directions than the names say, or of currents.',
    )


def usual_residual(torques: Sequence[Torques]) -> Array:
    """The standard deviation (n,) of normal noise with the median of the residuals [N m or N].

    What touched the robot for less than half of the time hardly changes it.

    Args:
        torques: of the fitted part of each recording, one at least.
    """
    residuals = np.concatenate([one.residual for one in torques])
    known = [column[np.isfinite(column)] for column in residuals.T]
    return np.array([NORMAL * np.median(np.abs(one)) if one.size else 0.0 for one in known])


def repetition_findings(share: float) -> Iterator[Finding]:
    """That the held-out part repeats the fitted one.

    Args:
        share: of its windows, see `repeated_share`; NaN: unknown.
    """
    if share >= REPEATED:
        yield Finding(
            'repeated_motion',
            (),
            share,
            f'{share:.0%} of the held-out motion repeats the fitted motion: the held-out figures '
            'show the noise, not how the model predicts another motion.',
        )


def delay_finding(delay: float, what: str) -> Finding:
    """That efforts come later than states, or earlier.

    Args:
        delay: of the efforts behind the states, not 0 [s].
        what: is done, as a sentence; it names the recording where it is about one.
    """
    word = 'later' if delay > 0.0 else 'earlier'
    text = f'{1e3 * abs(delay):.3g} ms {word} than the states come the efforts. {what}'
    return Finding('delay', (), delay, text, 's')


def _chosen(names: Sequence[str], which: Flags) -> tuple[str, ...]:
    return tuple(name for name, one in zip(names, which, strict=True) if one)
