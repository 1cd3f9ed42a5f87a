"""How each role of a curve looks: each differs from the others in grey too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .panel import Role

Dash = Literal['solid', 'dot', 'dash', 'dashdot']
Kind = Literal['line', 'points', 'bars']


@dataclass(frozen=True)
class Style:
    """Colour, line and kind of a curve.

    Attributes:
        colour: #rrggbb.
        width: of the line, or diameter of the points [px].
        dash: pattern of the line.
        kind: of mark.
        opacity: of the points [-].
    """

    colour: str
    width: float
    dash: Dash = 'solid'
    kind: Kind = 'line'
    opacity: float = 1.0


# Of two curves that lie on each other, the lower one is broad and light, the upper one narrow and
# dark.
STYLES: dict[Role, Style] = {
    'measured': Style('#8fb4dd', 3.5),
    'model': Style('#8b1a1a', 1.3),
    'residual': Style('#222222', 1.0),
    'gravity': Style('#1f4e9c', 2.0),
    'coriolis': Style('#7b3fa0', 1.8, 'dot'),
    'inertia': Style('#d2691e', 1.8, 'dash'),
    'friction': Style('#2e8b57', 1.8, 'dashdot'),
    'samples': Style('#5b7fa6', 3.5, kind='points', opacity=0.4),
    'mean': Style('#111111', 2.2),
    'fit': Style('#c2410c', 2.0, 'dash'),
    'cutoff': Style('#8b1a1a', 1.5, 'dash'),
    'nominal': Style('#d2691e', 1.4, 'dash'),
    'identified': Style('#12305f', 1.3),
    'nominal points': Style('#e59550', 5.0, kind='points', opacity=0.5),
    'identified points': Style('#12305f', 2.5, kind='points', opacity=0.7),
    'counts': Style('#7f9cbf', 1.0, kind='bars'),
}
INK = '#1d2228'
GRID = '#dfe3e8'
