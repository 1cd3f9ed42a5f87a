"""The result in sentences, for every form of the report."""

from __future__ import annotations

import re

from robot_dynamics_ros.comparison import Comparison, Finding
from robot_dynamics_ros.core.model.findings import counted, listed

from .figures.joint_parts import JointPart
from .words.numbers_as_text import duration, quantity
from .words.readable import in_one_line

# Of the values of findings, by code; that of friction depends on the joint.
UNITS = {'payload': 'kg', 'delay': 's', 'short': 's', 'merged': 's'}
# Most characters of a finding in the headline, which is one line of a picture.
GIST = 90


def is_good(comparison: Comparison) -> bool:
    """Whether recordings were compared without a finding."""
    return not comparison.findings and any(not one.error for one in comparison.recordings)


def headline(comparison: Comparison) -> str:
    """The result in one sentence."""
    used = [one for one in comparison.recordings if not one.error]
    if not used:
        return 'No recording could be compared.'
    joints = len(comparison.joints)
    if not comparison.findings:
        return f'The model agrees with the recording in {counted(joints, "joint")}: no finding.'
    named = {name for finding in comparison.findings for name in finding.joints}
    # Joints that were not recorded are named too.
    concerned = named & set(comparison.joints)
    found = counted(len(comparison.findings), 'finding')
    first = _gist(comparison.findings[0])
    first = f': {first}.' if len(comparison.findings) == 1 else f', first of all: {first}.'
    if not concerned:
        return f'{found} about the recording{first}'
    return f'{found} in {len(concerned)} of {counted(joints, "joint")}{first}'


def _gist(finding: Finding) -> str:
    """What a finding says before its figures and reasons."""
    return in_one_line(re.split(r'[:;.](?=\s|$)', finding.message, maxsplit=1)[0], GIST)


def recordings_line(comparison: Comparison) -> str:
    """What was compared."""
    used = [one for one in comparison.recordings if not one.error]
    seconds = sum(one.duration for one in used)
    samples = sum(one.samples for one in used)
    rates = sorted({round(one.rate) for one in used if one.rate > 0.0})
    rate = ''
    if rates:
        rate = f' at {rates[0]} Hz' if len(rates) == 1 else f' at {rates[0]} to {rates[-1]} Hz'
    unused = len(comparison.recordings) - len(used)
    line = (
        f'{counted(len(comparison.joints), "joint")}, {counted(len(used), "recording")}, '
        f'{duration(seconds)}{rate}, {samples:,} samples'
    )
    if len(comparison.samples.times) < samples:
        line += f', {len(comparison.samples.times):,} drawn with every peak among them'
    if unused:
        line += f'; {counted(unused, "recording")} could not be used'
    if comparison.locked:
        locked = [in_one_line(name, 60) for name in comparison.locked]
        line += f'; not recorded with these and locked: {listed(locked)}'
    return line


def after_fit(part: JointPart) -> str:
    """One sentence about what is left of a joint with fitted friction and what findings say."""
    left = quantity(part.comparison.rms_after_fit, part.comparison.unit)
    return f'Residual after the fit: {left}.'


def unit_of(finding: Finding, comparison: Comparison) -> str:
    """Of the value of a finding; empty for a number without a unit."""
    if finding.code == 'friction' and finding.joints:
        return comparison.joints[finding.joints[0]].unit
    return UNITS.get(finding.code, '')
