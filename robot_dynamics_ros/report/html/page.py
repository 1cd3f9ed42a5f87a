"""The report as one HTML file, with everything it needs inside."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

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
from .plotly_figures import figures_json, plotly_script

# Nothing is loaded, and no script runs but the two of the page, whatever a name holds.
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="robot_dynamics_ros">
{title}
<style>
{style}</style>
</head>
{body}
<script type="application/json" id="figures">{figures}</script>
<script>{plotly}</script>
<script>{script}</script>
</html>
"""


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
    plotly, script = plotly_script(), _resource('page.js')
    scripts = ' '.join(f"'sha256-{_digest(text)}'" for text in (plotly, script))
    title = f'{in_one_line(comparison.robot, 80)}: measured torque and model'
    return PAGE.format(
        policy=POLICY.format(scripts=scripts),
        title=_markup(E.title(title)),
        style=_resource('page.css'),
        body=_markup(_body(comparison, parts, provenance)),
        figures=figures_json(figures),
        plotly=plotly,
        script=script,
    )


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


def _markup(element: html.HtmlElement) -> str:
    text: str = html.tostring(element, encoding='unicode')
    return text


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding='utf-8')


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
