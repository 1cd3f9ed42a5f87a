"""A report as one HTML file with everything it needs inside: style, figures and scripts."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jinja2 import Environment, FunctionLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from .figure import GRID, INK, STYLES, Curve, Figure, Panel
from .provenance import Provenance
from .report import MARKS, Report
from .text import readable, sentence

# Nothing is loaded, and no script runs but the two of the page, whatever a name holds.
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif'
AXIS = '#9aa3ad'
# Of the height of a figure [px]; above the legend are the buttons of plotly.
PANEL, LONE_PANEL, MARGIN_TOP, MARGIN_BOTTOM = 175, 250, 52, 46
# Between two panels, for the legend of the lower one, in two rows where the window is narrow [px].
GAP = 48
# Powers of ten of a logarithmic axis that are too few for its labels.
FEW_POWERS = 2.0


def page(report: Report, provenance: Provenance) -> str:
    """The text of the file."""
    plotly, script = get_plotlyjs(), _resource('page.js')
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
        later=[*report.later, *provenance.sections()],
        marks=MARKS,
        policy=POLICY.format(scripts=' '.join(map(_source, (plotly, script)))),
        style=_resource('page.css'),
        figures=figures_json(figures),
        plotly=plotly,
        script=script,
    )


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding='utf-8')


def _source(script: str) -> str:
    """How the policy names a script."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def figures_json(figures: dict[str, Figure]) -> str:
    """`data` and `layout` of each figure, by its key; it may stand in a script element."""
    entries = (f'{json.dumps(key)}:{_plotly(figure).to_json()}' for key, figure in figures.items())
    return f'{{{",".join(entries)}}}'.replace('<', '\\u003c')


def height(figure: Figure) -> int:
    """Of a figure on a screen [px]."""
    count = len(figure.panels)
    plots = LONE_PANEL if count == 1 else count * PANEL + (count - 1) * GAP
    return plots + MARGIN_TOP + MARGIN_BOTTOM


def _plotly(figure: Figure) -> go.Figure:
    panels, count = figure.panels, len(figure.panels)
    gap = GAP / (height(figure) - MARGIN_TOP - MARGIN_BOTTOM)
    size = (1.0 - (count - 1) * gap) / count
    layout: dict[str, Any] = {
        'template': None,
        'height': height(figure),
        'margin': {'t': MARGIN_TOP, 'b': MARGIN_BOTTOM, 'l': 64, 'r': 10},
        'font': {'family': FONT, 'size': 12.5, 'color': INK},
        'paper_bgcolor': 'white',
        'plot_bgcolor': 'white',
        'hovermode': 'x unified' if figure.wide else 'closest',
        'xaxis': _axis(panels[-1].x_label, 'x', panels) | {'anchor': f'y{_number(count - 1)}'},
    }
    traces = []
    for index, panel in enumerate(panels):
        number, top = _number(index), 1.0 - index * (size + gap)
        layout[f'yaxis{number}'] = _axis(panel.y_label, 'y', [panel]) | {
            'domain': (max(0.0, top - size), top),
            'anchor': 'x',
        }
        layout[f'legend{number}'] = {
            'orientation': 'h', 'x': 0.0, 'xanchor': 'left', 'y': top, 'yanchor': 'bottom',
            'bgcolor': 'rgba(255,255,255,0)', 'font': {'size': 12},
        }  # fmt: skip
        common = {
            'yaxis': f'y{number}',
            'legend': f'legend{number}',
            'showlegend': len(panel.curves) > 1,
        }
        traces += [_trace(curve, common) for curve in panel.curves]
    return go.Figure(traces, layout)


def _number(index: int) -> str:
    """plotly counts the second axis as 2, and the first as nothing."""
    return '' if index == 0 else str(index + 1)


def _axis(label: str, way: str, panels: Sequence[Panel]) -> dict[str, Any]:
    """Layout of the x or y axis of some panels."""
    log, step = panels[-1].log, None
    if log:
        curves = [getattr(curve, way) for panel in panels for curve in panel.curves]
        values = np.concatenate(curves)
        # Powers of ten, or 1, 2 and 5 where these are few.
        step = 1 if np.log10(values.max() / values.min()) > FEW_POWERS else 'D2'
    return {
        'title': {'text': label, 'standoff': 6},
        'type': 'log' if log else 'linear',
        'dtick': step,
        'tickformat': '~g',
        'gridcolor': GRID,
        'zeroline': not log,
        'zerolinecolor': AXIS,
        'zerolinewidth': 1.5,
        'linecolor': AXIS,
        'ticks': 'outside',
        'ticklen': 4,
        'tickcolor': AXIS,
        'automargin': True if log else 'height',
    }


def _trace(curve: Curve, common: dict[str, Any]) -> go.Scatter:
    style, x, y = STYLES[curve.role], curve.x.astype(np.float32), curve.y.astype(np.float32)
    common = {**common, 'name': style.name, 'x': x, 'y': y, 'hovertemplate': '%{y:.4~g}'}
    if style.kind == 'points':
        marker = {'color': style.colour, 'size': style.width, 'opacity': style.opacity}
        return go.Scatter(**common, mode='markers', marker=marker)
    line = {'color': style.colour, 'width': style.width, 'dash': style.dash}
    return go.Scatter(**common, mode='lines', line=line)
