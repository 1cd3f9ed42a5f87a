"""The report of an identification as one HTML file, with everything it needs inside."""

from __future__ import annotations

from lxml.html.builder import E

from robot_dynamics_ros.identification.identification import Identification

from ..html.findings_section import findings_section
from ..html.whole_page import whole_page
from ..provenance import Provenance
from ..words.readable import in_one_line
from .held_out_figures import joint_drawings
from .identification_parts import (
    excitation_part,
    head_part,
    joint_part,
    made_part,
    parameters_parts,
    verdicts_part,
)

# Of the values of findings, by code.
UNITS = {'clock_drift': 's', 'contact': 's', 'delay': 's', 'short': 's'}


def page(identification: Identification, provenance: Provenance) -> str:
    """The text of the file.

    Args:
        identification: to show.
        provenance: how it was made.
    """
    judgement = identification.judgement
    drawings = joint_drawings(judgement)
    figures = {
        f'{index}-{figure.key}': figure
        for index, drawing in enumerate(drawings)
        for figure in drawing.figures
    }
    units = [UNITS.get(finding.code, '') for finding in judgement.findings]
    body = E.body(
        head_part(identification),
        E.main(
            verdicts_part(drawings),
            findings_section(judgement.findings, units, 'None: nothing is wrong with the data.'),
            *(joint_part(drawing, index) for index, drawing in enumerate(drawings)),
            excitation_part(identification),
            *parameters_parts(identification),
            made_part(judgement, provenance),
        ),
    )
    title = f'{in_one_line(judgement.robot, 80)}: identified model'
    return whole_page(title, body, figures)
