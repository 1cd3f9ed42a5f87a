"""Findings about the recordings themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import counted

from .comparison import Finding
from .evidence.evidence import Evidence
from .evidence.model_torques import ModelTorques
from .explanations.judge import Judge
from .explanations.observations import Observations

if TYPE_CHECKING:
    from robot_dynamics_ros.recordings.implausible_efforts import ImplausibleEfforts
    from robot_dynamics_ros.recordings.quality import Quality

# A joint that moves less stands still [rad or m].
STILL = 1e-3
# Fewer independent samples do not show what lies between model and measurement.
FEWEST = 60.0
# Share of samples from which on dropouts are told.
DROPOUTS = 0.01

# Code, attribute of Quality, what is counted, and what is said after it.
COUNTS = (
    ('gaps', 'gaps', 'gap', ': the recording is cut there'),
    ('stamps', 'backward', 'stamp', ' before that of the message before: the clock was set, or '
     'two publish'),
    ('stamps', 'repeated', 'repeated stamp', ': the later samples are left out'),
    ('not_finite', 'not_finite', 'sample', ' with a position that is not finite'),
    ('jumps', 'jumps', 'jump', ' of a position by more than half a turn: the recording is '
     'cut there'),
    ('no_velocity', 'without_velocities', 'sample', ' without velocities: derived from the '
     'positions'),
    ('unused', 'lost', 'sample', ' in segments that are too short for the filter, or at the '
     'edges of cuts: left out'),
    ('malformed', 'malformed', 'message', ' whose names and values do not fit each other'),
)  # fmt: skip


def data_findings(
    torques: ModelTorques,
    evidence: Sequence[Evidence],
    observations: Observations,
    renaming: str = '',
) -> list[Finding]:
    """What is wrong with the recordings.

    Args:
        torques: of the model.
        evidence: of each recording.
        observations: windows of all of them.
        renaming: what to do about joints that are missing; empty: unknown.
    """
    names = torques.model.joint_names
    used = [one for one in evidence if one.count]
    return [
        *_failed(evidence),
        *_missing(torques.missing, renaming),
        *_not_judged(torques),
        *_implausible_efforts(used),
        *_efforts(names, used),
        *_partial_efforts(names, used),
        *_still(names, used),
        *(finding for row in COUNTS for finding in _counted(*row, used)),
        *_dropouts(used),
        *_clock(used),
        *_merged(used),
        *_short(used, observations),
    ]


def silent_joints(judge: Judge) -> list[Finding]:
    """Joints whose effort is not measured: noise about zero. Zeros alone are told elsewhere.

    Args:
        judge: of the observations.
    """
    seen = judge.observations
    measured = np.abs(np.nan_to_num(seen.measured)).max(axis=0, initial=0.0)
    silent = judge.silent & (measured > 0.0)
    if not silent.any():
        return []
    chosen = _chosen(seen.torques.model.joint_names, silent)
    text = (
        f'{_subject(chosen, "has", "have")} an effort that is noise about 0, at most '
        f'{measured[silent].max():.2g}: the driver does not measure it.'
    )
    return [Finding('zero_effort', chosen, None, text)]


def _missing(missing: tuple[str, ...], renaming: str) -> Iterator[Finding]:
    """Joints that were not recorded, though their position matters."""
    if not missing:
        return
    text = (
        f'Not recorded, but the position matters to recorded joints: {", ".join(missing)}. Each '
        'is taken to be at zero, or at its limit nearest to zero; gravity_compensated and payload '
        f'are not looked for. {renaming}'
    )
    yield Finding('missing', missing, None, text.rstrip())


def _not_judged(torques: ModelTorques) -> Iterator[Finding]:
    """Recorded joints whose torque is unknown without those that were not recorded."""
    joints = torques.dependent
    if joints:
        text = (
            f'The torque of {", ".join(joints)} depends on the positions of joints that were not '
            'recorded: sign, exchanged, delay, factor, friction and unexplained are not looked '
            'for there.'
        )
        yield Finding('not_judged', joints, None, text)


def _failed(evidence: Sequence[Evidence]) -> Iterator[Finding]:
    failed = [one for one in evidence if one.error]
    if failed:
        yield Finding(
            'unreadable',
            (),
            float(len(failed)),
            f'{len(failed)} of {len(evidence)} recordings cannot be used: {failed[0].error}',
        )


def _efforts(names: tuple[str, ...], evidence: Sequence[Evidence]) -> Iterator[Finding]:
    """Joints whose effort is missing, zero or constant in all recordings."""
    if not evidence:
        return
    low = np.fmin.reduce([one.range[0] for one in evidence])
    high = np.fmax.reduce([one.range[1] for one in evidence])
    missing, zero = ~np.isfinite(low), (low == 0.0) & (high == 0.0)
    # Filtered, a constant is constant but for rounding.
    constant = (high - low <= 1e-6 * np.abs(high)) & ~zero & ~missing
    said = (
        ('no_effort', missing, 'no measured effort: NaN, empty or implausible'),
        ('zero_effort', zero, 'the effort 0 throughout: the driver does not measure it'),
        ('constant_effort', constant, 'one and the same effort throughout'),
    )
    for code, which, what in said:
        if which.any():
            chosen = _chosen(names, which)
            yield Finding(code, chosen, None, f'{_subject(chosen, "has", "have")} {what}.')


def _implausible_efforts(evidence: Sequence[Evidence]) -> Iterator[Finding]:
    """Efforts that no drive has, of each joint."""
    found: dict[str, ImplausibleEfforts] = {}
    for one in evidence:
        for joint, efforts in one.quality.implausible.items() if one.quality else ():
            found[joint] = found[joint].joined(efforts) if joint in found else efforts
    for joint, efforts in found.items():
        text = f'{efforts.sentence(joint)}. Look for the cause in the driver or the recorder.'
        yield Finding('implausible_effort', (joint,), float(efforts.count), text)


def _partial_efforts(names: tuple[str, ...], evidence: Sequence[Evidence]) -> Iterator[Finding]:
    """Joints whose effort is missing in some of the samples."""
    measured = sum((one.moments.counts for one in evidence), np.zeros(len(names)))
    lost = sum((_without_effort(names, one) for one in evidence), np.zeros(len(names)))
    samples = sum(_read(one) for one in evidence)
    partly = (measured > 0.0) & (lost > 0.0)
    if partly.any():
        chosen = _chosen(names, partly)
        most = lost[partly].max()
        text = (
            f'{_subject(chosen, "lacks its effort", "lack their efforts")} (NaN, infinite or '
            f'implausible) in {most:.0f} of {samples} samples: these do not count there, and the '
            'recording is cut where an effort begins or ends to be measured.'
        )
        yield Finding('partial_effort', chosen, float(most), text)


def _without_effort(names: tuple[str, ...], one: Evidence) -> Array:
    """Samples (n,) of a recording that lack the effort: as read, else as filtered."""
    if one.quality is None:
        return one.count - one.moments.counts
    missing = one.quality.missing_efforts
    return np.array([float(missing.get(name, 0)) for name in names])


def _read(one: Evidence) -> int:
    return one.count if one.quality is None else one.quality.samples


def _still(names: tuple[str, ...], evidence: Sequence[Evidence]) -> Iterator[Finding]:
    if not evidence:
        return
    low = np.min([one.span[0] for one in evidence], axis=0)
    high = np.max([one.span[1] for one in evidence], axis=0)
    still = high - low < STILL
    if still.any():
        chosen = _chosen(names, still)
        yield Finding(
            'still',
            chosen,
            None,
            f'{_subject(chosen, "does", "do")} not move: the recording does not show friction and '
            'inertia there.',
        )


def _subject(names: tuple[str, ...], one: str, several: str) -> str:
    """Names of joints with their verb."""
    return f'{", ".join(names)} {one if len(names) == 1 else several}'


def _chosen(names: tuple[str, ...], which: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(name for name, one in zip(names, which, strict=True) if one)


def _counted(
    code: str, attribute: str, thing: str, text: str, evidence: Sequence[Evidence]
) -> Iterator[Finding]:
    yield from _summed(code, thing, text, evidence, lambda quality: getattr(quality, attribute))


def _summed(
    code: str,
    thing: str,
    text: str,
    evidence: Sequence[Evidence],
    count: Callable[[Quality], int],
) -> Iterator[Finding]:
    """A finding with the sum of a count over all recordings, if it is not zero."""
    counts = {one.file: count(one.quality) for one in evidence if one.quality is not None}
    total = sum(counts.values())
    if total:
        most = max(counts, key=lambda file: counts[file])
        where = most if len(counts) == 1 else f'{most} has most, {counts[most]}'
        yield Finding(code, (), float(total), f'{counted(total, thing)}{text} ({where}).')


def _dropouts(evidence: Sequence[Evidence]) -> Iterator[Finding]:
    text = ': intervals above 1.5 times the usual one'
    many = [one for one in evidence if one.quality and one.quality.dropouts > DROPOUTS * one.count]
    yield from _summed('dropouts', 'dropout', text, many, lambda quality: quality.dropouts)


def _clock(evidence: Sequence[Evidence]) -> Iterator[Finding]:
    text = (
        ' without stamps: the times are those at which messages were recorded, '
        'and a delay has no meaning'
    )
    yield from _summed(
        'log_time', 'recording', text, evidence, lambda quality: int(quality.clock == 'log')
    )


def _merged(evidence: Sequence[Evidence]) -> Iterator[Finding]:
    skew = max((one.quality.skew for one in evidence if one.quality), default=0.0)
    text = (
        f' merged from messages that each have some of the joints, up to {1e3 * skew:.3g} ms apart'
    )
    for finding in _summed('merged', 'sample', text, evidence, lambda quality: quality.merged):
        yield replace(finding, value=skew)


def _short(evidence: Sequence[Evidence], observations: Observations) -> Iterator[Finding]:
    if observations.independent < FEWEST:
        duration = sum(one.duration for one in evidence)
        yield Finding(
            'short',
            (),
            duration,
            f'{duration:.3g} s of motion are too short to say what lies between model and '
            'measurement: record at least 10 s, with all joints moving.',
        )
