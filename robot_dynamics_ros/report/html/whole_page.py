"""One HTML file with everything it needs inside: style, figures and scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files

from lxml import html
from lxml.html.builder import E

from ..figures.panel import Figure
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


def whole_page(title: str, body: html.HtmlElement, figures: Mapping[str, Figure]) -> str:
    """The text of the file.

    Args:
        title: in one line.
        body: its elements name figures by their keys.
        figures: by these keys.
    """
    plotly, script = plotly_script(), _resource('page.js')
    scripts = ' '.join(f"'sha256-{_digest(text)}'" for text in (plotly, script))
    return PAGE.format(
        policy=POLICY.format(scripts=scripts),
        title=_markup(E.title(title)),
        style=_resource('page.css'),
        body=_markup(body),
        figures=figures_json(figures),
        plotly=plotly,
        script=script,
    )


def _markup(element: html.HtmlElement) -> str:
    text: str = html.tostring(element, encoding='unicode')
    return text


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding='utf-8')


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
