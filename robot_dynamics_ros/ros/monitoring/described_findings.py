"""The findings of the audit of a description, as they concern a node."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from robot_dynamics_ros.core.model.findings import Finding

FRICTION_LEFT_OUT = 'friction_left_out'


def described_findings(audited: Iterable[Finding], terms: Collection[str]) -> list[Finding]:
    """What is implausible in a description; friction only where the node leaves it out.

    Args:
        audited: findings of `audit`.
        terms: value of the parameter.
    """
    advice = 'add friction to parameter terms where it should count'
    return [
        replace(finding, advice=advice) if finding.code == FRICTION_LEFT_OUT else finding
        for finding in audited
        if finding.code != FRICTION_LEFT_OUT or 'friction' not in terms
    ]
