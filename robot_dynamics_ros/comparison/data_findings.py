"""Findings about the recordings themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robot_dynamics_ros.recordings.quality import ImplausibleEfforts

from .evidence import Evidence
from .findings import Finding
from .judge import Judge
from .model_torques import ModelTorques
from .observations import Observations

# A joint that moves less stands still [rad or m].
STILL = 1e-3
# Fewer independent samples do not show what lies between model and measurement.
FEWEST = 60.0
# Share of the samples from which on dropouts are reported.
DROPOUTS = 0.01

# Counts that are findings of another code, or that say nothing of the samples.
OTHERS = ('without_efforts', 'of_other_joints')


def data_findings(
    torques: ModelTorques,
    evidence: Sequence[Evidence],
    observations: Observations,
    judge: Judge,
) -> list[Finding]:
    """What is wrong with the recordings."""
    names, found = torques.model.joint_names, []
    if torques.missing:
        text = (
            f'{", ".join(torques.missing)}: not recorded, though the position matters; taken to '
            'be at zero, or at the limit nearest to it.'
        )
        if torques.dependent:
            text += (
                f' The torque of {", ".join(torques.dependent)} depends on it: nothing is looked '
                'for there, and gravity_compensated, factor and payload nowhere.'
            )
        text = f'{text} {evidence[0].unused}'.rstrip()
        found.append(Finding('missing', (*torques.missing, *torques.dependent), None, text))
    low = np.min([one.reach.span[0] for one in evidence], axis=0)
    high = np.max([one.reach.span[1] for one in evidence], axis=0)
    moved = zip(names, high - low >= STILL, strict=True)
    if still := tuple(name for name, moves in moved if not moves):
        text = f'{", ".join(still)}: no motion, which friction and inertia would need.'
        found.append(Finding('still', still, None, text))
    if observations.independent < FEWEST:
        duration = sum(one.summary.duration for one in evidence)
        text = (
            f'{duration:.3g} s of motion are too short to say what lies between model and '
            'measurement.'
        )
        found.append(Finding('short', (), duration, text, 's'))
    return [*found, *_efforts(names, evidence, judge), *_samples(evidence)]


def _efforts(
    names: tuple[str, ...], evidence: Sequence[Evidence], judge: Judge
) -> Iterator[Finding]:
    """Joints whose effort is not measured, always or for a while, by the reason."""
    low = np.fmin.reduce([one.reach.efforts[0] for one in evidence])
    high = np.fmax.reduce([one.reach.efforts[1] for one in evidence])
    lost, implausible = np.zeros(len(names)), dict[str, ImplausibleEfforts]()
    for one in evidence:
        lost += [one.quality.missing_efforts.get(name, 0) for name in names]
        for name, efforts in one.quality.implausible.items():
            before = implausible.get(name)
            implausible[name] = before.joined(efforts) if before else efforts
    groups: dict[tuple[str, float | None], list[str]] = {}
    for joint, name in enumerate(names):
        value = None
        if name in implausible:
            continue
        if not np.isfinite(low[joint]):
            why = 'no effort is measured, NaN or empty'
        elif low[joint] == high[joint] == 0.0:
            why = 'the effort is 0 throughout: the driver does not measure it'
        # Filtered, a constant is constant but for rounding.
        elif high[joint] - low[joint] <= 1e-6 * abs(high[joint]):
            why = 'the effort is one and the same throughout'
        elif judge.silent[joint]:
            why = 'the effort is noise about 0: the driver does not measure it'
        elif lost[joint]:
            value = float(lost[joint])
            why = (
                f'{lost[joint]:.0f} efforts are NaN or infinite: they do not count, and the '
                'recording is cut where an effort begins or ends to be measured'
            )
        else:
            continue
        groups.setdefault((why, value), []).append(name)
    for (why, value), joints in groups.items():
        yield Finding('no_effort', tuple(joints), value, f'{", ".join(joints)}: {why}.')
    for name, efforts in implausible.items():
        yield Finding('no_effort', (name,), float(efforts.count), f'{efforts.sentence(name)}.')


def _samples(evidence: Sequence[Evidence]) -> Iterator[Finding]:
    """The counts of all recordings that are not zero, in the words of the largest."""
    files = [one.summary.file for one in evidence]
    for counts in zip(*(one.quality.counts() for one in evidence), strict=True):
        most, file = max(zip(counts, files, strict=True), key=lambda each: each[0].number)
        total = sum(one.number for one in counts)
        samples = sum(one.quality.samples for one in evidence)
        few = most.name == 'dropouts' and total <= DROPOUTS * samples
        if total and not few and most.name not in OTHERS:
            where = file if len(files) == 1 else f'{file} has most, {most.number}'
            message = f'{most._replace(number=total)} ({where}).'
            yield Finding('samples', (), float(total), message)
