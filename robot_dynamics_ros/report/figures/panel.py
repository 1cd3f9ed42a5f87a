"""What is drawn, apart from how: curves, panels, and figures of panels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Role = Literal[
    'measured', 'model', 'residual', 'gravity', 'coriolis', 'inertia', 'friction',
    'samples', 'mean', 'fit', 'cutoff', 'counts',
    'nominal', 'identified', 'nominal points', 'identified points',
]  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """One curve of a panel; its role selects how it looks.

    Attributes:
        role: see `styles.STYLES`.
        name: in the legend; text of this package, never of a robot or a recording.
        x: shape (K,); NaN interrupts the curve.
        y: shape (K,).
    """

    role: Role
    name: str
    x: Array
    y: Array


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes:
        key: letters.
        title: what is drawn.
        x_label: with the unit.
        y_label: with the unit.
        curves: the first is drawn first, below the others.
        words: what the panel shows, with numbers: for readers who cannot see it.
        log: whether both axes are logarithmic.
    """

    key: str
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    words: str
    log: bool = False


@dataclass(frozen=True)
class Figure:
    """Panels above each other with one common horizontal axis.

    Attributes:
        key: letters, digits and hyphens.
        panels: from top to bottom.
        hint: how to read the figure.
        wide: whether it takes the whole width of a page.
    """

    key: str
    panels: tuple[Panel, ...]
    hint: str
    wide: bool = False
