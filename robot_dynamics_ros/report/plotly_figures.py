"""Figures for plotly.js, as JSON that a page holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from .figure import GRID, INK, STYLES, Curve, Figure, Panel

FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif'
# Of the height of a figure [px].
PANEL, LONE_PANEL, MARGIN_BOTTOM = 175, 250, 46
# The buttons of plotly are above the title and the legend [px].
MARGIN_TOP = 52
# Between two panels, for the title and the legend of the lower one [px].
GAP = 62
# Powers of ten of a logarithmic axis that are too few for its labels.
FEW_POWERS = 2.0


def plotly_script() -> str:
    """plotly.js itself."""
    script: str = get_plotlyjs()
    return script


def figures_json(figures: Mapping[str, Figure]) -> str:
    """`data` and `layout` of each figure, by its key; it may stand in a script element."""
    entries = (f'{json.dumps(key)}:{_plotly(figure).to_json()}' for key, figure in figures.items())
    return f'{{{",".join(entries)}}}'.replace('<', '\\u003c')


def height(figure: Figure) -> int:
    """Of a figure on a screen [px]."""
    count = len(figure.panels)
    plots = LONE_PANEL if count == 1 else count * PANEL + (count - 1) * GAP
    return plots + MARGIN_TOP + MARGIN_BOTTOM


def _plotly(figure: Figure) -> go.Figure:
    layout: dict[str, Any] = {
        'template': None,
        'height': height(figure),
        'margin': {'t': MARGIN_TOP, 'b': MARGIN_BOTTOM, 'l': 64, 'r': 10},
        'font': {'family': FONT, 'size': 12.5, 'color': INK},
        'paper_bgcolor': 'white',
        'plot_bgcolor': 'white',
        'hovermode': 'x unified' if figure.wide else 'closest',
        'bargap': 0.05,
        'annotations': [],
        'xaxis': _axis(figure.panels[-1].x_label, figure.panels[-1].log, 'x', figure.panels)
        | {'anchor': _y(len(figure.panels) - 1)},
    }
    traces = []
    for index, (panel, domain) in enumerate(zip(figure.panels, _domains(figure), strict=True)):
        layout[f'yaxis{_number(index)}'] = _axis(panel.y_label, panel.log, 'y', (panel,)) | {
            'domain': domain,
            'anchor': 'x',
            'rangemode': 'tozero' if panel.curves[0].role == 'counts' else 'normal',
        }
        layout[f'legend{_number(index)}'] = _legend(domain[1])
        layout['annotations'].append(_title(panel, domain[1]))
        traces += [_trace(curve, index, len(panel.curves) > 1) for curve in panel.curves]
    return go.Figure(traces, layout)


def _number(index: int) -> str:
    """plotly counts the second axis as 2, and the first as nothing."""
    return '' if index == 0 else str(index + 1)


def _y(index: int) -> str:
    return f'y{_number(index)}'


def _domains(figure: Figure) -> list[tuple[float, float]]:
    """Of each panel, from the top, as shares of the height between the margins."""
    count = len(figure.panels)
    gap = GAP / (height(figure) - MARGIN_TOP - MARGIN_BOTTOM)
    size = (1.0 - (count - 1) * gap) / count
    tops = [1.0 - index * (size + gap) for index in range(count)]
    return [(max(0.0, top - size), top) for top in tops]


def _axis(label: str, log: bool, way: str, panels: Sequence[Panel]) -> dict[str, Any]:
    return {
        'title': {'text': label, 'standoff': 6},
        'type': 'log' if log else 'linear',
        'dtick': _steps(way, panels) if log else None,
        'tickformat': '~g',
        'gridcolor': GRID,
        'zeroline': not log,
        'zerolinecolor': '#9aa3ad',
        'zerolinewidth': 1.5,
        'linecolor': '#9aa3ad',
        'ticks': 'outside',
        'ticklen': 4,
        'tickcolor': '#9aa3ad',
        'automargin': True if log else 'height',
    }


def _steps(way: str, panels: Sequence[Panel]) -> int | str:
    """Of a logarithmic axis: powers of ten, or 1, 2 and 5 where these are few."""
    values = np.concatenate([getattr(curve, way) for panel in panels for curve in panel.curves])
    return 1 if np.log10(values.max() / values.min()) > FEW_POWERS else 'D2'


def _legend(top: float) -> dict[str, Any]:
    return {
        'orientation': 'h', 'x': 1.0, 'xanchor': 'right', 'y': top, 'yanchor': 'bottom',
        'bgcolor': 'rgba(255,255,255,0)', 'font': {'size': 12},
    }  # fmt: skip


def _title(panel: Panel, top: float) -> dict[str, Any]:
    return {
        'text': f'<b>{panel.title}</b>', 'showarrow': False, 'xref': 'paper', 'yref': 'paper',
        'x': 0.0, 'xanchor': 'left', 'y': top, 'yanchor': 'bottom', 'yshift': 4,
        'font': {'size': 13},
    }  # fmt: skip


def _trace(curve: Curve, index: int, in_legend: bool) -> go.Scatter | go.Bar:
    style = STYLES[curve.role]
    common: dict[str, Any] = {
        'name': style.name,
        'x': curve.x.astype(np.float32),
        'y': curve.y.astype(np.float32),
        'yaxis': _y(index),
        'showlegend': in_legend,
        'legend': f'legend{_number(index)}',
    }
    if style.kind == 'bars':
        return go.Bar(
            **common,
            marker={'color': style.colour},
            hovertemplate='%{x:.3~g}: %{y:.2~f} %<extra></extra>',
        )
    common['hovertemplate'] = '%{y:.4~g}'
    if style.kind == 'points':
        marker = {'color': style.colour, 'size': style.width, 'opacity': style.opacity}
        return go.Scatter(**common, mode='markers', marker=marker)
    line = {'color': style.colour, 'width': style.width, 'dash': style.dash}
    return go.Scatter(**common, mode='lines', line=line)
