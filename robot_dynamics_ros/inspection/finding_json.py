"""Findings as JSON: the same in every subcommand that has findings about a robot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from robot_dynamics_ros.core.model.findings import Finding


def findings_as_json(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """One object for each finding."""
    return [
        {
            'code': finding.code,
            'severity': finding.severity,
            'link': finding.link,
            'joints': list(finding.joints),
            'problem': finding.problem,
            'value': finding.value,
            'advice': finding.advice,
        }
        for finding in findings
    ]
