"""Findings about recordings: one table, and one rule that concludes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from robot_dynamics_ros.core.model.findings import listed

Severity = Literal['error', 'warning', 'note']


class Row(NamedTuple):
    """A code of findings: an error leaves no fitted parameter to trust, a warning doubts some."""

    severity: Severity
    advice: str  #: what to do, in one sentence
    explains: str = ''  #: codes that follow from this one, if it is an error: they are dropped
    of_half: bool = False  #: whether it is a warning where less than half of the joints have it


# What a wrong motion looks like, and efforts that belong to others.
OF_MOTION = (
    'implausible gravity_compensated turned_base sign swapped delay scale mass rotor friction '
    'payload unexplained still excitation unknown_gain'
)
OF_OTHERS = 'implausible unexplained'

# The most important one first. The inertia of a tool whose weight the driver compensates looks
# like rotors.
TABLE: dict[str, Row] = {
    'units': Row('error', 'Record rad, m, rad/s and m/s, or no velocities.', OF_MOTION),
    'swapped': Row('error', 'Correct the order in the driver, or --rename.', OF_OTHERS),
    'sign': Row('error', 'Flip the sign in the driver, or the axis.', OF_OTHERS),
    'gravity_compensated': Row('error', 'Leave gravity out of terms.', 'implausible rotor'),
    'turned_base': Row('error', 'Is the base turned? Give --gravity, or turn the URDF.'),
    'scale': Row('error', 'Convert currents; look at gear ratios.', 'implausible', of_half=True),
    'unknown_gain': Row('error', 'Give the gain of one drive, --gain, or a known load, --load.'),
    'unexplained': Row('error', 'Look at names, contacts, --urdf.', 'implausible', of_half=True),
    'another_robot': Row('error', 'Take the URDF of the recorded robot.', 'implausible'),
    'changed': Row('error', 'Record one robot: no contact, loads as of --load.', 'implausible'),
    'mass': Row('warning', 'Correct the mass in the URDF, or run identify.'),
    'delay': Row('warning', 'Look for a filter of the driver, or for stamps of two moments.'),
    'payload': Row('warning', 'Add it, correct --load, or take a URDF without this tool.'),
    'rotor': Row('warning', 'Give it with --parameters, or run identify.'),
    'friction': Row('warning', 'Correct <dynamics> of the joint, or give --parameters.'),
    'implausible': Row('warning', 'Record raw efforts at 200 Hz or more; look at --urdf.'),
    'saturated': Row('warning', 'Record a slower motion, or correct the effort limit.'),
    'no_effort': Row('warning', 'Look at the driver or the recorder.'),
    'missing': Row('warning', 'Record these joints, or --rename.'),
    'still': Row('warning', 'Record a motion of all joints.'),
    'excitation': Row('warning', 'Record the trajectory of robot_dynamics excite.'),
    'short': Row('warning', 'Record at least 10 s, with all joints moving.'),
    'samples': Row('note', 'Look at the driver or the recorder.'),
}


@dataclass(frozen=True)
class Finding:
    """Something that a recording shows about the robot, its driver or the recording itself."""

    code: str  #: a key of TABLE
    joints: tuple[str, ...]  #: in the order of the model; none where it is about the recording
    value: float | None  #: that the code stands for, in SI units
    message: str  #: the figures, in a few words
    unit: str = ''  #: of the value
    half_width: float | None = None  #: of the 95 % interval of the value
    more: str = ''  #: what else is to be known
    is_of_few: bool = False  #: whether it is about fewer joints than its code needs to be an error

    @property
    def head(self) -> str:
        """The code and its joints."""
        return f'{self.code} {listed(self.joints, 3)}' if self.joints else self.code

    @property
    def text(self) -> str:
        """The figures, and what to do."""
        return f'{self.message}. {self.more}'.rstrip()

    def __str__(self) -> str:
        """One line."""
        return f'{self.head}: {self.text}'

    @property
    def severity(self) -> Severity:
        """Of its code."""
        return 'warning' if self.is_of_few else TABLE[self.code].severity

    @property
    def is_error(self) -> bool:
        """Whether nothing that is fitted to these efforts can be trusted."""
        return self.severity == 'error'

    def as_json(self) -> dict[str, Any]:
        """What --json says of it."""
        own = {name: value for name, value in vars(self).items() if name != 'is_of_few'}
        return own | {'joints': list(self.joints)}


def conclude(findings: Iterable[Finding], judged: int = 0) -> list[Finding]:
    """The findings that no other one explains, in the order of the table.

    Args:
        findings: all that were found.
        judged: number of joints that were judged.
    """
    found, joints = list(findings), dict[str, set[str]]()
    for one in found:
        joints.setdefault(one.code, set()).update(one.joints)
    found = [
        replace(one, is_of_few=TABLE[one.code].of_half and 2 * len(joints[one.code]) < judged)
        for one in found
    ]
    explained = {
        code for one in found if one.is_error for code in TABLE[one.code].explains.split()
    }
    kept = [one for one in found if one.code not in explained]
    return sorted(kept, key=lambda one: [*TABLE].index(one.code))


def advised(findings: Iterable[Finding]) -> list[Finding]:
    """The findings with what to do, which the last of each code says."""
    found = list(findings)
    last = {one.code: number for number, one in enumerate(found)}
    for code, number in last.items():
        more = f'{found[number].more} {TABLE[code].advice}'.strip()
        found[number] = replace(found[number], more=more)
    return found
