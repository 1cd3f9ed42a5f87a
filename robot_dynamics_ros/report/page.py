"""A report as one HTML file with everything it needs inside: style, figures and scripts."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined

from .plotly_figures import figures_json, height, plotly_script
from .report import MARKS, Report
from .text import readable, sentence

# Nothing is loaded, and no script runs but the two of the page, whatever a name holds.
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)


def page(report: Report) -> str:
    """The text of the file.

    Args:
        report: to show.
    """
    plotly, script = plotly_script(), _resource('page.js')
    scripts = ' '.join(f"'sha256-{_digest(text)}'" for text in (plotly, script))
    figures = {
        f'{index}-{figure.key}': figure
        for index, joint in enumerate(report.joints)
        for figure in joint.figures
    }
    # Names may hold anything: each value is made readable, then escaped.
    environment = Environment(
        loader=FunctionLoader(_resource),
        autoescape=True,
        finalize=lambda value: value if hasattr(value, '__html__') else readable(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {'sentence': sentence, 'height': height}
    return environment.get_template('page.html').render(
        report=report,
        marks=MARKS,
        policy=POLICY.format(scripts=scripts),
        style=_resource('page.css'),
        figures=figures_json(figures),
        plotly=plotly,
        script=script,
    )


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding='utf-8')


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
