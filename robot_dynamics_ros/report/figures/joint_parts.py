"""The figures of each joint."""

from __future__ import annotations

from dataclasses import dataclass

from robot_dynamics_ros.comparison import Comparison, Finding, JointComparison

from .distribution import histogram_figure, spectrum_figure
from .joint_columns import joint_columns
from .over_state import position_figure, velocity_figure
from .over_time import time_figure
from .panel import Figure

# Of time, in each plot: the pixels of a wide screen.
MOST_STRETCHES = 2000
# The same of all joints: a file has a limited size.
STRETCHES_OF_ALL = 20_000


@dataclass(frozen=True)
class JointPart:
    """What a report holds of one joint.

    Attributes:
        name: of the joint, as the description has it.
        comparison: its figures and verdict.
        findings: that concern it.
        figures: with something to draw.
    """

    name: str
    comparison: JointComparison
    findings: tuple[Finding, ...]
    figures: tuple[Figure, ...]

    @property
    def is_good(self) -> bool:
        """Whether no finding concerns the joint, and the model explains its effort."""
        return not self.findings and self.comparison.is_explained


def joint_parts(comparison: Comparison) -> list[JointPart]:
    """The joints of a comparison, in the order of the model."""
    columns = joint_columns(comparison)
    stretches = min(MOST_STRETCHES, STRETCHES_OF_ALL // max(1, len(columns)))
    several = len({int(index) for index in comparison.samples.recording}) > 1
    parts = []
    for name, figures in comparison.joints.items():
        drawn: list[Figure] = []
        if name in columns:
            joint = columns[name]
            drawn = [
                time_figure(joint, stretches, several),
                velocity_figure(joint),
                position_figure(joint),
                spectrum_figure(joint, comparison),
                histogram_figure(joint),
            ]
        findings = tuple(one for one in comparison.findings if name in one.joints)
        parts.append(JointPart(name, figures, findings, tuple(one for one in drawn if one.panels)))
    return parts
