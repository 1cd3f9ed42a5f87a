"""The report as one HTML file, with everything it needs inside."""

from __future__ import annotations

from lxml import html
from lxml.html.builder import E

from robot_dynamics_ros.comparison import Comparison

from ..figures.joint_parts import JointPart, joint_parts
from ..provenance import Provenance
from ..words.readable import in_one_line
from .page_parts import (
    findings_part,
    head_part,
    joint_part,
    made_part,
    parameters_part,
    verdicts_part,
)
from .whole_page import whole_page


def page(comparison: Comparison, provenance: Provenance) -> str:
    """The text of the file.

    Args:
        comparison: to show.
        provenance: how it was made.
    """
    parts = joint_parts(comparison)
    figures = {
        f'{index}-{figure.key}': figure
        for index, part in enumerate(parts)
        for figure in part.figures
    }
    title = f'{in_one_line(comparison.robot, 80)}: measured torque and model'
    return whole_page(title, _body(comparison, parts, provenance), figures)


def _body(
    comparison: Comparison, parts: list[JointPart], provenance: Provenance
) -> html.HtmlElement:
    return E.body(
        head_part(comparison),
        E.main(
            verdicts_part(parts),
            findings_part(comparison),
            *parameters_part(comparison),
            *(joint_part(part, index) for index, part in enumerate(parts)),
            made_part(comparison, provenance),
        ),
    )
